"""Blocks of calls that stand several times in a row, in one agent invocation: the automaton of `loop.cycle`.

A run of a block of L calls is complete where the last n L calls have the period L, and the calls after it that go on with
it make it grow. What has a shorter period, too, is a run of that one. Since such runs are without a gap, no window bounds
them: `cycle` looks back 8 n calls, which is its longest block.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from toolscore_otel.rules.hidden_cycles import hidden
from toolscore_otel.rules.in_order import InOrder
from toolscore_otel.rules.periods import BLOCKS, DIVISORS, Periods
from toolscore_otel.rules.repetition import Entry, Run
from toolscore_otel.rules.shape import subject_of


class _Going(Struct, frozen=True, gc=False):
    """A run that goes on: the places of its first call and of the one that completed it."""

    first: int
    done: int


_NONE_GOING: Mapping[int, _Going] = {}


class Cycles:
    """The entries of one agent invocation, and the runs among them.

    Attributes:
        line: takes entries in and out; its `settle` gives the subjects whose run may have changed.
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self.line: InOrder[Entry] = InOrder(self._append, self._pop)
        self._periods = Periods()
        self._going: list[Mapping[int, _Going]] = []
        self._tails: dict[str, tuple[int, list[int]]] = {}

    def run(self, subject: str) -> Run | None:
        """The run that a subject stands for; None where there is none (any more)."""
        length, tail = self._tails.get(subject, (0, []))
        if not tail:
            return None
        last = tail[-1]
        entries, going = self.line.entries, self._going[last][length]
        return Run(
            first=entries[going.first].call,
            done=entries[going.done].call,
            last=entries[last].call,
            count=last - going.first + 1,
            is_sure=True,
            block=tuple(e.call for e in entries[going.first : going.first + length]),
        )

    def hidden(self) -> list[Entry]:
        """Entries with something unobserved, where it might complete a run that is not known."""
        known: dict[int, set[int]] = {length: set() for length in BLOCKS}
        for place, going in enumerate(self._going):
            for length, run in going.items():
                known[length].update(range(run.first if place == run.done else place, place + 1))
        return hidden(self.line.entries, self._n, known)

    def _append(self, entry: Entry) -> None:
        self._periods.push(entry.tool, entry.key if entry.is_there else None, entry.mark)
        place = len(self._going)
        before = self._going[-1] if self._going else _NONE_GOING
        going: dict[int, _Going] = {}
        for length in BLOCKS:
            matches = self._periods.matches(place, length)
            if not self._is_block(place, length, matches):
                continue
            goes_on = matches > self._periods.matches(place - 1, length)
            run = before.get(length) if goes_on else None
            going[length] = run or _Going(place - matches - length + 1, place)
            subject = self._subject(going[length], length)
            self._tails.setdefault(subject, (length, []))[1].append(place)
            self.line.touched.add(subject)
        self._going.append(before if going == before else going)

    def _is_block(self, place: int, length: int, matches: int) -> bool:
        """Whether a block of this length stands there often enough, and is none of a shorter one."""
        whole = self._n * length
        if matches < whole - length:
            return False
        return all(self._periods.matches(place, d) < whole - d for d in DIVISORS[length])

    def _pop(self, entry: Entry) -> None:  # noqa: ARG002 - it is the last one
        self._periods.pop()
        for length, run in self._going[-1].items():
            subject = self._subject(run, length)
            self._tails[subject][1].pop()
            self.line.touched.add(subject)
        self._going.pop()

    def _subject(self, run: _Going, length: int) -> str:
        """Runs of two lengths may begin with one call."""
        return subject_of(self.line.entries[run.first].call.call.key, str(length))
