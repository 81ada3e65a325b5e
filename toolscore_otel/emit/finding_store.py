"""The findings of a process, by the span they sit on. Bounded: the oldest traces' go first."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

from toolscore_otel.model import Finding, Label, Scope


@dataclass(slots=True)
class _OfTrace:
    """The findings of one trace.

    Attributes:
        last: id -> last revision.
        by_span: span id -> ids; "" for those of the trajectory.
        shown: id -> the span it went out on.
    """

    last: dict[str, Finding] = field(default_factory=dict[str, Finding])
    by_span: dict[str, dict[str, None]] = field(default_factory=dict[str, dict[str, None]])
    shown: dict[str, str] = field(default_factory=dict[str, str])


class FindingStore:
    """The last revision of each finding.

    Args:
        cap: how many are kept.
        counters: `findings_forgotten` counts what went.
    """

    def __init__(self, cap: int, counters: Counter[str]) -> None:
        self._cap = cap
        self._counters = counters
        self._traces: OrderedDict[str, _OfTrace] = OrderedDict()
        self._moved: dict[str, str] = {}
        self._count = 0

    def get(self, finding: Finding) -> Finding | None:
        """The last revision of a finding, where it is known."""
        of_session = self._moved.get(finding.id, finding.trace_id)
        trace = self._traces.get(of_session)
        return trace.last.get(finding.id) if trace else None

    def put(self, finding: Finding) -> Finding | None:
        """Take in a revision; returns the one before, where it is known."""
        before = self.get(finding)
        if before is not None and before.trace_id != finding.trace_id:
            self._take_out(before)
        if finding.scope is Scope.SESSION:
            self._moved[finding.id] = finding.trace_id
        trace = self._traces.setdefault(finding.trace_id, _OfTrace())
        self._count += finding.id not in trace.last
        trace.last[finding.id] = finding
        trace.by_span.setdefault(finding.span_id or "", {})[finding.id] = None
        if (
            before is not None
            and before.trace_id == finding.trace_id
            and before.span_id != finding.span_id
        ):
            trace.by_span[before.span_id or ""].pop(finding.id, None)
        while self._count > self._cap:
            self._forget()
        return before

    def on_span(self, trace_id: str, span_id: str, *, is_root: bool) -> list[Finding]:
        """What stands on a span that goes out now; asked again, it is the same again.

        Args:
            trace_id: of the span.
            span_id: of the span.
            is_root: it also carries what its trajectory showed and no other span did.
        """
        trace = self._traces.get(trace_id)
        if trace is None:
            return []
        own = trace.by_span.get(span_id, {})
        wanted = list(own)
        if is_root:
            untold = (key for key in trace.last if trace.shown.get(key, span_id) == span_id)
            wanted += [key for key in untold if key not in own]
        standing = [trace.last[key] for key in wanted if trace.last[key].label is Label.FAIL]
        trace.shown.update((finding.id, span_id) for finding in standing)
        return standing

    def __bool__(self) -> bool:
        return self._count > 0

    def __iter__(self) -> Iterator[Finding]:
        for trace in self._traces.values():
            yield from trace.last.values()

    def _take_out(self, finding: Finding) -> None:
        """A finding of a session stands on another trace now."""
        trace = self._traces[finding.trace_id]
        del trace.last[finding.id]
        trace.by_span[finding.span_id or ""].pop(finding.id, None)
        trace.shown.pop(finding.id, None)
        self._count -= 1
        if not trace.last:
            del self._traces[finding.trace_id]

    def _forget(self) -> None:
        trace_id, trace = next(iter(self._traces.items()))
        if len(self._traces) > 1 or len(trace.last) == 1:
            del self._traces[trace_id]
            for key in trace.last:
                self._moved.pop(key, None)
            gone = len(trace.last)
        else:  # one trace has them all: its oldest goes
            key = next(iter(trace.last))
            trace.by_span[trace.last.pop(key).span_id or ""].pop(key, None)
            trace.shown.pop(key, None)
            self._moved.pop(key, None)
            gone = 1
        self._count -= gone
        self._counters["findings_forgotten"] += gone
