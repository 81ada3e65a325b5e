"""The functions of the field have the arguments and give the keys that it knows them by; what is ours besides can be left out."""

from __future__ import annotations

from inspect import Parameter, signature

import pytest

from toolscore_otel import metrics
from toolscore_otel.model import ToolCall
from toolscore_otel.secrets.samples import make_sample

CALL = ToolCall(tool="t", args={"x": 1}, attributes={"side_effects": {"check": 1}})
SECRET = ToolCall(tool="t", args={"k": make_sample("aws_access_key_id", 1)})

NAMES: dict[str, tuple[str, ...]] = {
    "calculate_invocation_accuracy": ("gold_calls", "trace_calls"),
    "calculate_selection_accuracy": ("gold_calls", "trace_calls"),
    "calculate_edit_distance": ("gold_calls", "trace_calls"),
    "calculate_argument_f1": ("gold_calls", "trace_calls", "strict=False"),
    "calculate_required_call_recall": ("gold_calls", "trace_calls"),
    "calculate_redundant_call_rate": ("gold_calls", "trace_calls"),
    "find_secrets": ("trace_calls",),
    "redact_secrets": ("text",),
    "check_forbidden_calls": ("trace_calls", "rules"),
    "rules_from_json": ("data",),
    "load_forbidden_rules": ("path",),
    "call_matches_rule": ("call_tool", "call_args", "rule"),
    "calculate_side_effect_success_rate": ("gold_calls", "trace_calls", "validators=None"),
    "calculate_latency": ("trace_calls",),
    "calculate_cost_attribution": ("trace_calls",),
    "calculate_semantic_correctness": ("gold_calls", "trace_calls", "*judge=None"),
    "calculate_batch_semantic_correctness": ("evaluations", "*judge=None"),
    "Regex": ("pattern", "flags=0"),
    "Approx": ("value", "rel=1e-06", "abs=0.0"),
    "Contains": ("item",),
}


def written(parameter: Parameter) -> str:
    mark = "*" if parameter.kind is Parameter.KEYWORD_ONLY else ""
    default = "" if parameter.default is Parameter.empty else f"={parameter.default!r}"
    return f"{mark}{parameter.name}{default}"


@pytest.mark.parametrize(("name", "theirs"), NAMES.items())
def test_arguments_have_the_names_and_defaults_of_the_field(name, theirs):
    ours = list(signature(getattr(metrics, name)).parameters.values())
    assert tuple(map(written, ours[: len(theirs)])) == theirs
    for more in ours[len(theirs) :]:
        assert more.kind is Parameter.KEYWORD_ONLY
        assert more.default is not Parameter.empty


KEYS = {
    "calculate_edit_distance": (
        lambda: metrics.calculate_edit_distance([CALL], [CALL]),
        {"edit_distance", "normalized_distance", "sequence_accuracy"},
    ),
    "calculate_argument_f1": (
        lambda: metrics.calculate_argument_f1([CALL], [CALL]),
        {"precision", "recall", "f1"},
    ),
    "calculate_redundant_call_rate": (
        lambda: metrics.calculate_redundant_call_rate([CALL], [CALL]),
        {
            *("redundant_count", "total_calls", "redundant_rate", "identical_count"),
            *("identical_rate", "error_count", "error_rate", "retry_after_error_count"),
        },
    ),
    "find_secrets": (lambda: metrics.find_secrets([SECRET]), {"secret_count", "secrets"}),
    "a secret": (
        lambda: metrics.find_secrets([SECRET])["secrets"][0],
        {"index", "tool", "path", "kind", "preview"},
    ),
    "check_forbidden_calls": (
        lambda: metrics.check_forbidden_calls([CALL], [{"tool": "t"}]),
        {"violation_count", "rule_count", "violations"},
    ),
    "a violation": (
        lambda: metrics.check_forbidden_calls([CALL], [{"tool": "t"}])["violations"][0],
        {"index", "tool", "args", "rule", "reason"},
    ),
    "calculate_side_effect_success_rate": (
        lambda: metrics.calculate_side_effect_success_rate([CALL], [CALL]),
        {"total_checks", "passed_checks", "success_rate", "details"},
    ),
    "a detail": (
        lambda: metrics.calculate_side_effect_success_rate([CALL], [CALL])["details"][0],
        {"tool", "check", "passed", "reason"},
    ),
    "calculate_latency": (
        lambda: metrics.calculate_latency([CALL]),
        {"total_duration", "average_duration", "max_duration", "min_duration"},
    ),
    "calculate_cost_attribution": (
        lambda: metrics.calculate_cost_attribution([CALL]),
        {"total_cost", "average_cost", "cost_by_tool"},
    ),
    "calculate_semantic_correctness": (
        lambda: metrics.calculate_semantic_correctness([CALL], [CALL]),
        {
            *("semantic_score", "per_call_scores", "explanations", "model_used"),
            *("gold_count", "trace_count"),
        },
    ),
    "calculate_batch_semantic_correctness": (
        lambda: metrics.calculate_batch_semantic_correctness([]),
        {"average_score", "individual_scores", "total_evaluations"},
    ),
}


@pytest.mark.parametrize(("told", "theirs"), KEYS.values(), ids=KEYS)
def test_results_have_the_keys_of_the_field(told, theirs):
    assert theirs - told().keys() == set()
