"""Scores of calls against expected ones, as pure functions.

The functions of the field stand under the names that it gives them, `gold_calls` first; what they get wrong elsewhere is right
here. None means "does not apply" or "was not observed", never zero.
"""

from __future__ import annotations

from toolscore_otel.metrics.argument_scores import calculate_argument_f1
from toolscore_otel.metrics.efficiency import calculate_redundant_call_rate
from toolscore_otel.metrics.expected_calls import ExpectedCall, expected_calls
from toolscore_otel.metrics.field_scores import (
    calculate_batch_field_accuracy,
    calculate_field_accuracy,
)
from toolscore_otel.metrics.forbidden import (
    call_matches_rule,
    check_forbidden_calls,
    load_forbidden_rules,
    rules_from_json,
)
from toolscore_otel.metrics.plain_matchers import ANY, Approx, Contains, IsType, OneOf, Regex
from toolscore_otel.metrics.safety import find_secrets, redact_secrets
from toolscore_otel.metrics.selection import (
    calculate_invocation_accuracy,
    calculate_required_call_recall,
    calculate_selection_accuracy,
    calculate_tool_f1,
)
from toolscore_otel.metrics.semantic import (
    Judge,
    calculate_batch_semantic_correctness,
    calculate_semantic_correctness,
)
from toolscore_otel.metrics.sequence import calculate_edit_distance, calculate_tool_call_accuracy
from toolscore_otel.metrics.side_effects import Validator, calculate_side_effect_success_rate
from toolscore_otel.metrics.spending import calculate_cost_attribution, calculate_latency
from toolscore_otel.metrics.tool_sets import calculate_best_tool_set, check_called_before
from toolscore_otel.metrics.trajectory_scores import SCORES, trajectory_scores

__all__ = [
    "ANY",
    "SCORES",
    "Approx",
    "Contains",
    "ExpectedCall",
    "IsType",
    "Judge",
    "OneOf",
    "Regex",
    "Validator",
    "calculate_argument_f1",
    "calculate_batch_field_accuracy",
    "calculate_batch_semantic_correctness",
    "calculate_best_tool_set",
    "calculate_cost_attribution",
    "calculate_edit_distance",
    "calculate_field_accuracy",
    "calculate_invocation_accuracy",
    "calculate_latency",
    "calculate_redundant_call_rate",
    "calculate_required_call_recall",
    "calculate_selection_accuracy",
    "calculate_semantic_correctness",
    "calculate_side_effect_success_rate",
    "calculate_tool_call_accuracy",
    "calculate_tool_f1",
    "call_matches_rule",
    "check_called_before",
    "check_forbidden_calls",
    "expected_calls",
    "find_secrets",
    "load_forbidden_rules",
    "redact_secrets",
    "rules_from_json",
    "trajectory_scores",
]
