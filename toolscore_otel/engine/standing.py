"""Where the calls and spans of one trace stand: in which session, as far as is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from toolscore_otel.assembly import Assembler, CallChange
from toolscore_otel.assembly.retold import is_elsewhere
from toolscore_otel.assembly.trace import TraceAssembly
from toolscore_otel.engine.belonging import SessionKey, session_of
from toolscore_otel.engine.qualified import of_session, qualified
from toolscore_otel.engine.shares import Share, Shares, shares_of


class Part(Struct):
    """What some spans brought one session.

    Attributes:
        changes: of its calls, by keys that tell them apart over all traces.
        shares: what spans add to its sums now.
    """

    changes: list[CallChange] = field(default_factory=list[CallChange])
    shares: dict[str, Share | None] = field(default_factory=dict[str, "Share | None"])


Parts = Mapping[SessionKey, Part]


class Standing:
    """The sessions of one trace.

    Args:
        trace_id: of it.
        assembler: that knows it.

    Attributes:
        assembler: as given.
        sessions: how many calls and spans stand in each.
    """

    def __init__(self, trace_id: str, assembler: Assembler) -> None:
        self.assembler = assembler
        self.sessions: Counter[SessionKey] = Counter()
        self._trace_id = trace_id
        self._conversations: set[str] = set()
        self._calls: dict[str, SessionKey] = {}
        self._spans: dict[str, SessionKey] = {}

    def take(self, changes: Sequence[CallChange], shares: Shares, trace: TraceAssembly) -> Parts:
        """What is different now, by session; one from which all is gone is named, too.

        Args:
            changes: of calls.
            shares: what spans add to sums now, of those that may have changed.
            trace: as it stands with them.
        """
        before = self._only
        self._conversations |= trace.conversations
        if self._only != before:
            changes, shares = self._all(changes, shares, trace)
        parts: dict[SessionKey, Part] = {}
        self._move_calls(changes, parts)
        self._move_spans(shares, parts)
        return parts

    def leave(self, key: SessionKey) -> bool:
        """A session is forgotten; returns whether nothing is left of this trace."""
        self._calls = {name: of for name, of in self._calls.items() if of != key}
        self._spans = {name: of for name, of in self._spans.items() if of != key}
        del self.sessions[key]
        return not self.sessions

    @property
    def _only(self) -> str | None:
        return next(iter(self._conversations)) if len(self._conversations) == 1 else None

    def _all(
        self, changes: Sequence[CallChange], shares: Shares, trace: TraceAssembly
    ) -> tuple[Sequence[CallChange], Shares]:
        """With all that may stand elsewhere for having taken the only conversation of the trace."""
        told = {change.after.key for change in changes if change.after is not None}
        others = (call for call in trace.standing() if call.key not in told)
        rest = shares_of(trace, (name for name in trace.nodes if name not in shares))
        return [*changes, *(CallChange(call.key, call) for call in others)], {**shares, **rest}

    def _move_calls(self, changes: Iterable[CallChange], parts: dict[SessionKey, Part]) -> None:
        changes = sorted(changes, key=lambda change: change.before is None)
        stood = [self._stood(change) for change in changes]
        for change, (name, old) in zip(changes, stood, strict=True):
            self._move_call(change, name, old, parts)

    def _stood(self, change: CallChange) -> tuple[str, SessionKey | None]:
        """Under which name a call stood where; one of a trace that is put together again is known by its name."""
        name = change.before
        if name is None:
            name = change.after.key if change.after is not None else ""
        return name, self._calls.pop(name, None)

    def _move_call(
        self,
        change: CallChange,
        name: str,
        old: SessionKey | None,
        parts: dict[SessionKey, Part],
    ) -> None:
        known, call, new = qualified(name, self._trace_id), change.after, None
        if call is not None and is_elsewhere(call):
            call = None
        if call is not None:
            new = session_of(self._trace_id, call.service, call.conversation_id, self._only)
            self._calls[call.key] = new
            self._count(new, 1)
            call = of_session(call, new.conversation or None)
        if old is not None:
            self._count(old, -1)
            if old != new:
                now = change.now if call is None else call
                _part(parts, old).changes.append(CallChange(known, None, now=now))
        if new is not None:
            before = known if old == new else None
            _part(parts, new).changes.append(CallChange(before, call, change.alone))

    def _move_spans(self, shares: Shares, parts: dict[SessionKey, Part]) -> None:
        for name, share in shares.items():
            known = qualified(name, self._trace_id)
            old = self._spans.pop(name, None)
            new = None
            if share is not None:
                new = session_of(self._trace_id, share.service, share.conversation, self._only)
                self._spans[name] = new
                self._count(new, 1)
                _part(parts, new).shares[known] = share.of_session()
            if old is not None:
                self._count(old, -1)
                if old != new:
                    _part(parts, old).shares[known] = None

    def _count(self, key: SessionKey, change: int) -> None:
        self.sessions[key] += change
        if not self.sessions[key]:
            del self.sessions[key]


def _part(parts: dict[SessionKey, Part], key: SessionKey) -> Part:
    return parts.setdefault(key, Part())
