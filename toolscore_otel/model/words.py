"""The closed lists: every word that a call, a trajectory or a finding may carry, once and in one place."""

from __future__ import annotations

from enum import StrEnum


class ContentState(StrEnum):
    """What is known of arguments or a result."""

    OBSERVED = "observed"
    NOT_OBSERVED = "not_observed"
    """Nothing was recorded: content capture off, hidden, or redacted upstream."""
    TRUNCATED = "truncated"
    """The recorded text ends inside a structure."""
    UNPARSABLE = "unparsable"
    """The recorded text is whole, and no JSON."""


class Stage(StrEnum):
    """How far a call came."""

    REQUESTED = "requested"
    EXECUTED = "executed"


class Status(StrEnum):
    """How a call ended. `unknown` is neither of the other two."""

    OK = "ok"
    ERROR = "error"
    UNKNOWN = "unknown"


class CallKind(StrEnum):
    """What sort of tool was called."""

    TOOL = "tool"
    HANDOFF = "handoff"
    AGENT = "agent"
    """Another agent, called as a tool."""
    OUTPUT = "output"
    """The framework's own way to give a final answer."""


class Severity(StrEnum):
    """How bad a finding is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for `info` to 3 for `critical`."""
        return _SEVERITIES.index(self)

    def lowered(self) -> Severity:
        """One step less severe, at least `info`."""
        return _SEVERITIES[max(0, self.rank - 1)]


_SEVERITIES = tuple(Severity)


class Label(StrEnum):
    """What a finding says. `pass` only ever corrects an earlier one."""

    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    CANNOT_CHECK = "cannot_check"


class Scope(StrEnum):
    """What one trajectory is."""

    TRACE = "trace"
    AGENT = "agent"
    SESSION = "session"


class ClosedBy(StrEnum):
    """Why a trajectory was closed."""

    ROOT_ENDED = "root_ended"
    IDLE = "idle"
    MAX_AGE = "max_age"
    SPAN_LIMIT = "span_limit"
    EVICTED = "evicted"
    SHUTDOWN = "shutdown"
    END_OF_INPUT = "end_of_input"


class CostSource(StrEnum):
    """Where a cost comes from."""

    REPORTED = "reported"
    """An attribute of the span says it."""
    CONTRACT = "contract"
    """`cost_usd` of the contract's registry."""
    PRICED = "priced"
    """Tokens of the model calls inside the call, times list prices."""


class FindingKind(StrEnum):
    """What kind of rule a finding comes from."""

    FORBIDDEN_CALL = "forbidden_call"
    MISSING_CALL = "missing_call"
    UNEXPECTED_CALL = "unexpected_call"
    WRONG_ARGUMENTS = "wrong_arguments"
    SCORE_BELOW = "score_below"
    SCORE_ABOVE = "score_above"
    INVALID_ARGUMENTS = "invalid_arguments"
    ORDER_VIOLATED = "order_violated"
    LIMIT_EXCEEDED = "limit_exceeded"
    RETRY_LOOP = "retry_loop"
    BUDGET_EXCEEDED = "budget_exceeded"
    SECRET_EXPOSED = "secret_exposed"  # noqa: S105 - not a password
    COVERAGE_GAP = "coverage_gap"


class Gap(StrEnum):
    """What a call, a model call or a trajectory lacks, and why. The one list of codes."""

    ARGS_NOT_OBSERVED = "args_not_observed"
    ARGS_TRUNCATED = "args_truncated"
    ARGS_UNPARSABLE = "args_unparsable"
    RESULT_NOT_OBSERVED = "result_not_observed"
    RESULT_TRUNCATED = "result_truncated"
    CONTENT_HIDDEN = "content_hidden"
    """A placeholder stands where content was: hidden or redacted upstream."""
    VALUES_UNREADABLE = "values_unreadable"
    """Something in arguments or a result is nothing that JSON has, or nothing that can be read: a placeholder stands for that
    alone."""
    NO_CALL_ID = "no_call_id"
    NAME_FROM_SPAN = "name_from_span"
    """No attribute names the tool; the span's name does."""
    NAME_NOT_OBSERVED = "name_not_observed"
    AGENT_NOT_OBSERVED = "agent_not_observed"
    STATUS_NOT_OBSERVED = "status_not_observed"
    TIMES_NOT_OBSERVED = "times_not_observed"
    SPAN_NOT_ENDED = "span_not_ended"
    SPAN_ID_REUSED = "span_id_reused"
    ATTRIBUTES_DROPPED = "attributes_dropped"
    PARENT_MISSING = "parent_missing"
    SAMPLED_UPSTREAM = "sampled_upstream"
    AMBIGUOUS_PAIRING = "ambiguous_pairing"
    """No id tells which of several calls a message or record belongs to: tool, arguments and order have decided."""
    SPAN_LIMIT = "span_limit"
    FRAGMENT = "fragment"
    """Tool spans stand alone: their parent is missing, and the trace has no agent or model span."""
    MAY_HAVE_WAITED = "may_have_waited"
    """Its span ends like that of a call that waits, for an approval or an answer: nothing shows that the tool ran."""
    REQUESTED_NOT_RUN = "requested_not_run"
    RAN_ELSEWHERE = "ran_elsewhere"
    """It was asked for in this trace, and ran in another one."""
    TOOL_SPANS_MISSING = "tool_spans_missing"
    """A model asked for tools, and the trace shows no call: what it asked for, and whether it ran, was not recorded."""
    COST_NOT_KNOWN = "cost_not_known"
    TOKENS_UNCLEAR = "tokens_unclear"
    """Nothing shows whether the input tokens of a model call include those of its cache (they are as recorded), or one of its
    counts is written as what no count can be."""
    ONLY_TOTALS_OBSERVED = "only_totals_observed"
    """What an agent's run used or cost is known by what its span adds up, and of no model call in it."""
    TRACE_NOT_OBSERVED = "trace_not_observed"
    """Its log records stand in no trace: they were put together by the conversation that they name."""
    REOPENED_AFTER_EVICTION = "reopened_after_eviction"
