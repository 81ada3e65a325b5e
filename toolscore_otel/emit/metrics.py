"""Sums of findings and calls, kept in plain dictionaries and read when a meter collects.

A metric call of the OpenTelemetry API takes as long as scoring a whole span, so none is made while spans end. Two rules
make alerts work. A series of `toolscore.findings` stands at 0 from the start, since `increase()` misses a counter that
is born at 1. Any other series is not known before it is first seen: it is shown at 0 for one collection before it
counts. (With several readers, the one that collects first sees the 0.)
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from msgspec import Struct

from toolscore_otel.contracts import Contract
from toolscore_otel.model import (
    CallKind,
    Finding,
    FindingKind,
    Label,
    Severity,
    Stage,
    ToolCall,
    Trajectory,
)
from toolscore_otel.rules import CLAUSES

OTHER = "_other"
"""Stands for every name past the cap."""

TRACES = 2_000
"""Of how many closed traces it is remembered which calls were counted, for those that re-open."""

DURATIONS = 4_096
"""How many durations wait for a collection; past it the oldest go (counter `durations_dropped`)."""

Key = tuple[tuple[str, str | bool], ...]
"""Attributes of a series, sorted."""

_KINDS: Mapping[str, tuple[FindingKind, ...]] = {
    "allow_only": (FindingKind.FORBIDDEN_CALL,),
    "forbid": (FindingKind.FORBIDDEN_CALL,),
    "require": (FindingKind.MISSING_CALL, FindingKind.LIMIT_EXCEEDED),
    "limit": (FindingKind.LIMIT_EXCEEDED,),
    "loop": (FindingKind.RETRY_LOOP,),
    "budget": (FindingKind.BUDGET_EXCEEDED,),
    "secrets": (FindingKind.SECRET_EXPOSED,),
}
"""Clause -> kinds of its findings."""

_LOWERED = _KINDS["loop"]
"""What is only a possible loop is one severity less."""


class Point(Struct):
    """One series of a metric.

    Attributes:
        trace_id: of the last finding counted here, for an exemplar; empty where there is none.
        is_shown: whether a collection has seen it.
    """

    value: float = 0
    trace_id: str = ""
    span_id: str | None = None
    is_shown: bool = False


class Sums:
    """The sums behind all metrics of one meter provider.

    Args:
        names_per_label: of tools, agents and services; past it they are `_other`.

    Attributes:
        points: metric -> series -> its sum.
        durations: seconds and series of calls since the last collection.
        dropped: what went past a cap, by counter.
    """

    def __init__(self, names_per_label: int = 100) -> None:
        self._names_per_label = names_per_label
        self._lock = threading.RLock()  # a finalizer that ends a span may come back here
        self.start_anew(())

    def start_anew(self, contracts: Iterable[Contract]) -> None:
        """Forget everything, and begin with the series of these contracts at 0."""
        self._lock = threading.RLock()
        self.points: dict[str, dict[Key, Point]] = {}
        self.durations: list[tuple[float, Key]] = []
        self.dropped: Counter[str] = Counter()
        self._names: dict[str, set[str]] = {}
        self._counted: OrderedDict[str, set[str]] = OrderedDict()
        self._of_tools: OrderedDict[str, dict[str, Finding]] = OrderedDict()
        self._asked: dict[str, list[int]] = {}
        self.add_contracts(contracts)

    def add_contracts(self, contracts: Iterable[Contract]) -> None:
        """Begin with the series of these contracts at 0."""
        with self._lock:
            for key in (COVERAGE_SERIES, *(key for c in contracts for key in series_of(c))):
                self._point("toolscore.findings", key).is_shown = True

    def finding(self, finding: Finding, before: Finding | None) -> None:
        """Count a revision: a violation once whatever its revisions, a correction apart.

        Args:
            finding: the revision.
            before: the one before it; None where it is the first, or no longer known.
        """
        with self._lock:
            self._note_tool(finding, before)
            if finding.label is Label.PASS:
                if before is not None and before.label is not Label.PASS:
                    self._add("toolscore.findings.corrected", _series(before), finding)
                return
            stood = before is not None and before.label is finding.label
            if stood or (finding.revision > 1 and not _newly_fails(finding, before)):
                return
            self._add("toolscore.findings", _series(finding), finding)

    def trajectory(self, trajectory: Trajectory) -> None:
        """Count the calls of a closed trajectory, and the findings on them; of one that closes again, those that are new."""
        with self._lock:
            for finding in self._of_tools.pop(trajectory.trace_id, {}).values():
                self._tool_finding(finding)
            counted = self._counted.pop(trajectory.trace_id, None)
            is_new = counted is None
            counted = self._counted[trajectory.trace_id] = counted or set()
            while len(self._counted) > TRACES:
                self._counted.popitem(last=False)
            for gap in trajectory.gaps if is_new else ():
                self._add("toolscore.gaps", _key({"gap": gap.value}))
            for call in trajectory.calls:
                if call.key not in counted:
                    counted.add(call.key)
                    self._call(call)

    def coverage(self) -> Iterator[tuple[Key, float]]:
        """Per service: calls seen to run / calls asked for, where some were."""
        with self._lock:
            for service, (requested, executed) in self._asked.items():
                yield _key({"service": service}), executed / requested

    def collected(self, metric: str, *, is_last: bool = False) -> list[tuple[Key, Point, float]]:
        """The series of a counter, and the value each shows now: 0 where it is shown for the first time.

        Args:
            metric: its name.
            is_last: no collection will follow, so nothing is held back.
        """
        with self._lock:
            shown: list[tuple[Key, Point, float]] = []
            for key, point in self.points.get(metric, {}).items():
                shown.append((key, point, point.value if point.is_shown or is_last else 0))
                point.is_shown = True
            return shown

    def take_durations(self) -> list[tuple[float, Key]]:
        """The durations since this was last asked."""
        with self._lock:
            taken, self.durations = self.durations, []
            return taken

    def folded(self) -> Mapping[str, int]:
        """Label -> how often a name of it went into `_other`."""
        return {
            name.removeprefix("folded_"): count
            for name, count in self.dropped.items()
            if name.startswith("folded_")
        }

    def _note_tool(self, finding: Finding, before: Finding | None) -> None:
        """Findings by tool wait for the trajectory to close: an agent ends after its tools, and names them then."""
        held = self._of_tools.setdefault(finding.trace_id, {})
        stands = finding.label is Label.FAIL and not finding.shadow and finding.tool is not None
        if stands and (
            finding.id in held or finding.revision == 1 or _newly_fails(finding, before)
        ):
            held[finding.id] = finding
        else:
            held.pop(finding.id, None)
        if not held:
            del self._of_tools[finding.trace_id]
        while len(self._of_tools) > TRACES:
            for early in self._of_tools.popitem(last=False)[1].values():
                self._tool_finding(early)

    def _tool_finding(self, finding: Finding) -> None:
        kind = {"kind": finding.kind.value, "severity": finding.severity.value}
        whose = self._whose(finding.tool or "", finding.agent, finding.service)
        self._add("toolscore.tool.findings", _key({**whose, **kind}), finding)

    def _call(self, call: ToolCall) -> None:
        for gap in call.gaps:
            self._add("toolscore.gaps", _key({"gap": gap.value}))
        if call.kind is CallKind.TOOL:
            asked = self._asked.setdefault(self._name("service", call.service), [0, 0])
            asked[0] += 1
            asked[1] += call.stage is Stage.EXECUTED
        if call.stage is not Stage.EXECUTED:
            return
        whose = self._whose(call.tool, call.agent, call.service)
        key = _key({**whose, "status": call.status.value})
        self._add("toolscore.tool.calls", key, of=call)
        if call.cost_usd is not None:
            self._add("toolscore.tool.cost", key, amount=call.cost_usd, of=call)
        if (seconds := call.duration_s) is not None:
            self.durations.append((seconds, key))
            if len(self.durations) > DURATIONS:
                del self.durations[0]
                self.dropped["durations_dropped"] += 1

    def _whose(self, tool: str, agent: str | None, service: str | None) -> dict[str, str]:
        named = (("tool", tool), ("agent", agent), ("service", service))
        return {label: self._name(label, name) for label, name in named}

    def _name(self, label: str, name: str | None) -> str:
        known = self._names.setdefault(label, set())
        if not name or name in known:
            return name or ""
        if len(known) >= self._names_per_label:
            self.dropped[f"folded_{label}"] += 1
            return OTHER
        known.add(name)
        return name

    def _add(
        self,
        metric: str,
        key: Key,
        of: Finding | ToolCall | None = None,
        amount: float = 1,
    ) -> None:
        point = self._point(metric, key)
        point.value += amount
        if of is not None:
            point.trace_id, point.span_id = of.trace_id, of.span_id

    def _point(self, metric: str, key: Key) -> Point:
        return self.points.setdefault(metric, {}).setdefault(key, Point())


def series_of(contract: Contract) -> Iterator[Key]:
    """Every series of `toolscore.findings` that this contract can make."""
    clauses = {clause.record: clause.key for clause in CLAUSES}
    for rule in contract.rules:
        record = rule.record
        kinds = _KINDS.get(clauses.get(type(record), ""), ())
        severity = record.severity or contract.severity
        lowered = severity.lowered() if kinds == _LOWERED else severity
        labels = (Label.FAIL, Label.CANNOT_CHECK)
        for kind, how_bad, label in product(kinds, dict.fromkeys((severity, lowered)), labels):
            yield _key(
                {
                    **contract.labels,
                    "contract": contract.id,
                    "rule": record.id or "",
                    "kind": kind.value,
                    "severity": how_bad.value,
                    "label": label.value,
                    "shadow": bool(record.shadow),
                }
            )


def _series(finding: Finding) -> Key:
    return _key(
        {
            **finding.labels,
            "contract": finding.contract,
            "rule": finding.rule,
            "kind": finding.kind.value,
            "severity": finding.severity.value,
            "label": finding.label.value,
            "shadow": finding.shadow,
        }
    )


def _key(attributes: Mapping[str, str | bool]) -> Key:
    return tuple(sorted(attributes.items()))


COVERAGE_SERIES = _key(
    {
        "contract": "",
        "rule": "coverage",
        "kind": FindingKind.COVERAGE_GAP.value,
        "severity": Severity.WARNING.value,
        "label": Label.FAIL.value,
        "shadow": False,
    }
)
"""Of the one rule that needs no contract."""


def _newly_fails(finding: Finding, before: Finding | None) -> bool:
    """Whether what could not be checked so far is known to fail now: a violation that was not counted yet."""
    return finding.label is Label.FAIL and before is not None and before.label is Label.CANNOT_CHECK
