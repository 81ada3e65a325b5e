"""Sums and counts as a server has them, for tests of what is told of them."""

from typing import Any

from toolscore_otel import Contract
from toolscore_otel.emit.metrics import Sums
from toolscore_otel.model import Finding, FindingKind, Label, Severity, Status, ToolCall, Trajectory
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.readings import Readings, tell_contracts, tell_engine

SECOND = 1_000_000_000
START_NS = 1_700_000_000 * SECOND
TRACE = "0" * 31 + "1"
SPAN = "0" * 15 + "2"
CONTRACT = Contract.from_dict(
    {"contract": "support", "language": 1, "labels": {"on-call": "x"}, "forbid": [{"tool": "rm"}]}
)
RESOURCE = {"service.name": "toolscore-otel", "service.version": "1.2", "service.instance.id": "i1"}


def made_finding(**fields: Any) -> Finding:
    """A violation of `CONTRACT`."""
    known: dict[str, Any] = {
        "id": "f1",
        "rule": "forbid.1",
        "kind": FindingKind.FORBIDDEN_CALL,
        "severity": Severity.ERROR,
        "contract": "support",
        "label": Label.FAIL,
        "explanation": "",
        "labels": {"on-call": "x"},
        "trace_id": TRACE,
        "span_id": SPAN,
        "tool": "rm",
        "service": "shop",
    }
    return Finding(**(known | fields))


def made_trajectory(*seconds: float, trace: str = TRACE) -> Trajectory:
    """A closed trajectory with a call of `search` for each duration."""
    calls = tuple(
        ToolCall(
            tool="search",
            status=Status.OK,
            service="shop",
            start_ns=0,
            end_ns=int(duration * SECOND),
            key=str(number),
            trace_id=trace,
            span_id=SPAN,
        )
        for number, duration in enumerate(seconds)
    )
    return Trajectory(trace_id=trace, calls=calls)


class Made:
    """All that metrics are read from; `counters` is what the engine has counted."""

    def __init__(self) -> None:
        self.sums = Sums()
        self.sums.add_contracts([CONTRACT])
        self.counting = Counting()
        self.counters = {"spans": 0, "evicted": 0, "span_limit": 0, "calls": 0}
        self.rule_errors: dict[str, int] = {}
        self.readings = Readings(self.sums, self.counting, [self._watch], start_ns=START_NS)

    def _watch(self, counting: Counting) -> None:
        tell_engine(
            counting, counters=self.counters, rule_errors=self.rule_errors, open_trajectories=2
        )
        tell_contracts(counting, [(CONTRACT, 1_700_000_000.5)])
