"""Sums of findings and calls, kept in plain dictionaries and read when a meter collects.

A metric call of the OpenTelemetry API takes as long as scoring a whole span, so none is made while spans end. Two rules
make alerts work. A series of `toolscore.findings` stands at 0 from the start, since `increase()` misses a counter that
is born at 1. Any other series is not known before it is first seen: it is shown at 0 for one collection of each reader
before it counts (`points`).
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping

from msgspec import structs

from toolscore_otel.contracts import Contract
from toolscore_otel.contracts.secret_patterns import scanner_of
from toolscore_otel.emit.points import Key, Point, Readers, Shown, key_of, show_all
from toolscore_otel.emit.series import COVERAGE_SERIES, series, series_of
from toolscore_otel.model import CallKind, Finding, Label, Score, Stage, ToolCall, Trajectory
from toolscore_otel.secrets import Scanner, redact_text

OTHER = "_other"
"""Stands for every name past the cap."""

TRACES = 2_000
"""Of how many closed traces it is remembered which calls were counted, for those that re-open."""

DURATIONS = 4_096
"""How many durations wait for a collection; past it the oldest go (counter `durations_dropped`)."""

OF_SUMS = (
    "toolscore.findings",
    "toolscore.findings.corrected",
    "toolscore.tool.findings",
    "toolscore.tool.calls",
    "toolscore.tool.cost",
    "toolscore.gaps",
)
"""Counters that `Sums` keeps; the first is the first to be read at a collection."""

DURATION = "toolscore.tool.duration"
COVERAGE = "toolscore.coverage"
SCORE = "toolscore.score"
FOLDED = "toolscore.labels.folded"

_ASKED, _DROPPED = "asked", "dropped"
_FOLDED_LABELS = ("tool", "agent", "service")

BOUNDS = (
    *(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64),
    *(1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92),
)
"""Upper bounds of the buckets of durations, in seconds.

Source:
    OpenTelemetry GenAI semantic conventions, "Metric: gen_ai.client.operation.duration".
"""


class Sums:
    """The sums behind all metrics of one meter provider.

    Args:
        names_per_label: of tools, agents and services; past it they are `_other`.

    Attributes:
        points: metric -> series -> its sum, `DURATION` among them.
        keeps_durations: each duration also waits for `take_durations`, for a meter that makes buckets of its own.
        dropped: what went past a cap, by counter.
    """

    def __init__(self, names_per_label: int = 100) -> None:
        self._names_per_label = names_per_label
        self.keeps_durations = False
        self._lock = threading.RLock()  # a finalizer that ends a span may come back here
        self.start_anew(())

    def start_anew(self, contracts: Iterable[Contract]) -> None:
        """Forget everything, and begin with the series of these contracts at 0."""
        self._lock = threading.RLock()
        self.points: dict[str, dict[Key, Point]] = {}
        self._readers = Readers()
        self._durations: list[tuple[float, Key]] = []
        self.dropped: Counter[str] = Counter()
        self._names: dict[str, dict[str, str]] = {}
        self._counted: OrderedDict[str, set[str]] = OrderedDict()
        self._of_tools: OrderedDict[str, dict[str, Finding]] = OrderedDict()
        self._asked: dict[str, list[int]] = {}
        self._changed: dict[tuple[str, Key], Point] = {}
        self._contracts: dict[str, Contract] = {}
        self._scanner: Scanner | None = None
        self.add_contracts(contracts)

    def add_contracts(self, contracts: Iterable[Contract]) -> None:
        """Begin with the series of these contracts at 0; what is a secret to them stands in no name from now on."""
        with self._lock:
            new = {contract.hash: contract for contract in contracts}
            self._contracts |= new
            self._scanner = None
            for key in (COVERAGE_SERIES, *(key for c in new.values() for key in series_of(c))):
                self._point("toolscore.findings", key).is_shown = True

    def begin(self) -> None:
        """From now on, what is new is new: what is there by now was there before, and stands for every reader."""
        with self._lock:
            for points in self.points.values():
                show_all(points)

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
                    self._add("toolscore.findings.corrected", series(before), finding)
                return
            stood = before is not None and before.label is finding.label
            if stood or (finding.revision > 1 and not _newly_fails(finding, before)):
                return
            self._add("toolscore.findings", series(finding), finding)

    def trajectory(self, trajectory: Trajectory, scores: Iterable[Score] = ()) -> None:
        """Count the calls of a closed trajectory, and the findings on them; of one that closes again, those that are new.

        Args:
            trajectory: as it stands.
            scores: of it; they count as they were when it closed for the first time.
        """
        with self._lock:
            for finding in self._of_tools.pop(trajectory.trace_id, {}).values():
                self._tool_finding(finding)
            counted = self._counted.pop(trajectory.trace_id, None)
            is_new = counted is None
            counted = self._counted[trajectory.trace_id] = counted or set()
            while len(self._counted) > TRACES:
                self._counted.popitem(last=False)
            for gap in trajectory.gaps if is_new else ():
                self._add("toolscore.gaps", key_of({"gap": gap.value}))
            for score in scores if is_new else ():
                self._score(score)
            for call in trajectory.calls:
                if call.key not in counted:
                    counted.add(call.key)
                    self._call(call)

    def coverage(self) -> Iterator[tuple[Key, float]]:
        """Per service: calls seen to run / calls asked for, where some were."""
        with self._lock:
            for service, (requested, executed) in self._asked.items():
                yield key_of({"service": service}), executed / requested

    def scores(self) -> Iterator[tuple[Key, float]]:
        """By contract and name: the mean over the closed trajectories that have a value."""
        with self._lock:
            for key, point in self.points.get(SCORE, {}).items():
                yield key, point.value / sum(point.buckets)

    def collected(self, metric: str, *, reader: str = "", is_last: bool = False) -> list[Shown]:
        """The series of a counter, or of `DURATION`, as `Readers.show`.

        Args:
            metric: its name.
            reader: whoever collects; the same name every time.
            is_last: no collection will follow, so nothing is held back.
        """
        with self._lock:
            points = self.points.get(metric, {})
            return self._readers.show(metric, points, reader=reader, is_last=is_last)

    def take_durations(self) -> list[tuple[float, Key]]:
        """Seconds and series of calls since this was last asked."""
        with self._lock:
            taken, self._durations = self._durations, []
            return taken

    def folded(self) -> Mapping[str, int]:
        """Label -> how often a name of it went into `_other`."""
        return {
            name.removeprefix("folded_"): count
            for name, count in self.dropped.items()
            if name.startswith("folded_")
        }

    def take_changed(self) -> list[tuple[str, Key, Point]]:
        """The series that changed since this was last asked, for `load`; what is not a metric has a name of its own."""
        with self._lock:
            changed, self._changed = self._changed, {}
            return [
                (metric, key, structs.replace(point)) for (metric, key), point in changed.items()
            ]

    def load(self, series: Iterable[tuple[str, Key, Point]]) -> None:
        """Go on from what `take_changed` gave to another process: it stands for every reader from the start."""
        with self._lock:
            for metric, key, point in series:
                labels = dict(key)
                if metric == _ASKED:
                    self._asked[str(labels["service"])] = point.buckets
                elif metric == _DROPPED:
                    self.dropped[str(labels["counter"])] = int(point.value)
                else:
                    self.points.setdefault(metric, {})[key] = structs.replace(point, is_shown=True)
                if metric != "toolscore.findings":
                    self._learn(labels)

    def was_counted(self, trajectory: Trajectory) -> None:
        """A trajectory was closed, and its calls counted, before a restart."""
        with self._lock:
            counted = self._counted.setdefault(trajectory.trace_id, set())
            counted.update(call.key for call in trajectory.calls)

    def was_said(self, findings: Iterable[Finding]) -> None:
        """Findings of a trajectory that is open since before a restart: those by tool wait for it to close."""
        with self._lock:
            for finding in findings:
                self._note_tool(structs.replace(finding, revision=1), None)

    def _learn(self, labels: Mapping[str, str | bool]) -> None:
        """Names that have a series of their own keep it."""
        for label in _FOLDED_LABELS:
            if (name := labels.get(label)) and name != OTHER:
                self._names.setdefault(label, {})[str(name)] = str(name)

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
        self._add("toolscore.tool.findings", key_of({**whose, **kind}), finding)

    def _call(self, call: ToolCall) -> None:
        for gap in call.gaps:
            self._add("toolscore.gaps", key_of({"gap": gap.value}))
        if call.kind is CallKind.TOOL:
            service = self._name("service", call.service)
            asked = self._asked.setdefault(service, [0, 0])
            asked[0] += 1
            asked[1] += call.stage is Stage.EXECUTED
            self._changed[_ASKED, key_of({"service": service})] = Point(buckets=asked)
        if call.stage is not Stage.EXECUTED:
            return
        whose = self._whose(call.tool, call.agent, call.service)
        key = key_of({**whose, "status": call.status.value})
        self._add("toolscore.tool.calls", key, of=call)
        if call.cost_usd is not None:
            self._add("toolscore.tool.cost", key, amount=call.cost_usd, of=call)
        if (seconds := call.duration_s) is not None:
            self._duration(seconds, key, call)

    def _score(self, score: Score) -> None:
        if score.value is not None:
            key = key_of({"contract": score.contract or "", "name": score.name})
            self._add(SCORE, key, amount=score.value)
            point = self._point(SCORE, key)
            point.buckets = [sum(point.buckets) + 1]

    def _duration(self, seconds: float, key: Key, of: ToolCall) -> None:
        self._add(DURATION, key, amount=seconds, of=of)
        point = self._point(DURATION, key)
        point.buckets = point.buckets or [0] * (len(BOUNDS) + 1)
        point.buckets[bisect_left(BOUNDS, seconds)] += 1
        if not self.keeps_durations:
            return
        self._durations.append((seconds, key))
        if len(self._durations) > DURATIONS:
            del self._durations[0]
            self._drop("durations_dropped")

    def _whose(self, tool: str, agent: str | None, service: str | None) -> dict[str, str]:
        named = (("tool", tool), ("agent", agent), ("service", service))
        return {label: self._name(label, name) for label, name in named}

    def _name(self, label: str, name: str | None) -> str:
        known = self._names.setdefault(label, {})
        if not name:
            return ""
        if (shown := known.get(name)) is not None:
            return shown
        if len(known) >= self._names_per_label:
            self._drop(f"folded_{label}")
            return OTHER
        self._scanner = self._scanner or scanner_of(self._contracts.values())
        shown = known[name] = redact_text(name, self._scanner)
        return shown

    def _drop(self, counter: str) -> None:
        self.dropped[counter] += 1
        point = Point(self.dropped[counter])
        self._changed[_DROPPED, key_of({"counter": counter})] = point

    def _add(
        self,
        metric: str,
        key: Key,
        of: Finding | ToolCall | None = None,
        amount: float = 1,
    ) -> None:
        point = self._point(metric, key)
        point.value += amount
        point.amount = amount
        self._changed[metric, key] = point
        if of is not None:
            point.trace_id, point.span_id = of.trace_id, of.span_id

    def _point(self, metric: str, key: Key) -> Point:
        return self.points.setdefault(metric, {}).setdefault(key, Point())


def _newly_fails(finding: Finding, before: Finding | None) -> bool:
    """Whether what could not be checked so far is known to fail now: a violation that was not counted yet."""
    return finding.label is Label.FAIL and before is not None and before.label is Label.CANNOT_CHECK
