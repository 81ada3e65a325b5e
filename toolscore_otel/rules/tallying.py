"""`limit` by sums, by different values and by windows: the calls that count, and those that might."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.model import FindingKind, Label, Trajectory
from toolscore_otel.rules.amount import Adds, Amount, Exact, Measure
from toolscore_otel.rules.intake import Intake, order_of
from toolscore_otel.rules.shape import NOTHING, TRAJECTORY, Changes, RuleState, Standing, Verdict
from toolscore_otel.rules.tally import Stretch, Tallied, Tally
from toolscore_otel.rules.wording import because, calls


class Measured(Struct, frozen=True):
    """What a limit measures, and how it is said.

    Attributes:
        most: how much is allowed.
        window_ns: length of the window; None: everything counts.
        adds: what a call adds.
        start: what the amounts make together.
        say: that some calls pass the limit, which are named as they are given to it.
        path: of the argument that is looked at.
    """

    most: Exact
    window_ns: int | None
    adds: Adds
    start: Callable[[], Measure]
    say: Callable[[str], str]
    path: str | None

    def tally(self) -> Tally:
        """The automaton."""
        return Tally(self.most, self.start(), self.window_ns)


class _Held(Struct, frozen=True, gc=False):
    """A call that counts or might.

    Attributes:
        amount: what it adds; None where that was not observed.
        is_timeless: whether a window is asked for that cannot be told, as its start is not known.
    """

    call: JudgedCall
    answer: Answer
    amount: Amount | None
    is_timeless: bool

    @property
    def is_unsure(self) -> bool:
        """Whether what was not observed could make it count, or add more."""
        return self.answer is Answer.UNKNOWN or self.amount is None or self.is_timeless

    @property
    def lessens(self) -> bool:
        """Whether it takes from the sum."""
        return not isinstance(self.amount, (bytes, type(None))) and self.amount < 0

    @property
    def tallied(self) -> Tallied | None:
        """What it adds for sure: an unknown amount is not negative, and what may lessen the sum is taken to do so."""
        if self.is_timeless or self.amount is None:
            return None
        is_sure = self.answer is Answer.YES
        return Tallied(self.call, self.amount, is_sure) if is_sure or self.lessens else None


class Tallying(RuleState):
    """One such rule on one trajectory.

    Args:
        reason: of the rule.
        what: its calls, in words.
        intake: which calls it is about.
        measured: what is counted, and up to what.
    """

    def __init__(self, reason: str | None, what: str, intake: Intake, measured: Measured) -> None:
        self._reason = reason
        self._what = what
        self._intake = intake
        self._measured = measured
        self._tally = measured.tally()
        self._held: dict[str, _Held] = {}
        self._tallied: dict[str, Tallied] = {}
        self._unsure: dict[str, _Held] = {}
        self._renewed = False
        self._standing = Standing()

    def put(self, call: JudgedCall) -> None:
        """A call that is not known."""
        self._place(self._intake.put(call))

    def drop(self, key: str) -> None:
        """A call is gone."""
        self._take_out(key)
        self._place(self._intake.drop(key))

    def renew(self, call: JudgedCall) -> None:  # noqa: ARG002 - it is held, and not copied
        """It adds what it added, and what is said of it says who called."""
        self._renewed = True

    def changes(self) -> Changes:
        """What is different since this was last asked."""
        subjects = self._tally.line.advance()
        if self._renewed:
            subjects.update(self._tally.subjects())
            self._renewed = False
        return self._said(subjects) if subjects else NOTHING

    def close(self, trajectory: Trajectory | None) -> Changes:  # noqa: ARG002 - the calls are known
        """What has waited, and what could not be seen."""
        said = self._said(self._tally.line.settle())
        if self._measured.window_ns is None and self._tally.subjects():
            return said
        unseen = self._unseen() if self._unsure and self._may_pass() else None
        return {**said, TRAJECTORY: unseen}

    def _said(self, subjects: Iterable[str]) -> Changes:
        return self._standing.changes({subject: self._stands(subject) for subject in subjects})

    def _place(self, answers: Iterable[tuple[JudgedCall, Answer]]) -> None:
        for call, answer in answers:
            key = call.call.key
            self._take_out(key)
            if answer is Answer.NO:
                continue
            may_add, amount = self._measured.adds(call)
            if not may_add:
                continue
            is_timeless = self._measured.window_ns is not None and call.call.start_ns is None
            self._held[key] = held = _Held(call, answer, amount, is_timeless)
            if held.is_unsure:
                self._unsure[key] = held
            if (tallied := held.tallied) is not None:
                self._tallied[key] = tallied
                self._tally.line.insert(tallied)

    def _take_out(self, key: str) -> None:
        self._held.pop(key, None)
        self._unsure.pop(key, None)
        if (tallied := self._tallied.pop(key, None)) is not None:
            self._tally.line.remove(tallied.order)

    def _may_pass(self) -> bool:
        """Whether a stretch that is not known would be there, were everything unobserved as much as it can be."""
        measure = self._measured.start()
        most, window_ns = self._measured.most, self._measured.window_ns
        most_of_all = Tally(most, measure, window_ns)
        for held in self._held.values():
            if held.lessens and held.is_unsure:
                continue
            if held.is_timeless:
                measure.add(held.amount)
            else:
                most_of_all.line.insert(Tallied(held.call, held.amount))
        if measure.total > most:
            return True
        most_of_all.line.settle()
        known = self._tally.looks()
        possible = most_of_all.looks()
        stretches = set(possible.values())
        return bool(stretches - {stretch for key, stretch in possible.items() if key in known})

    def _stands(self, subject: str) -> Verdict | None:
        stretch = self._tally.stretch(subject)
        return None if stretch is None else self._passed(stretch)

    def _passed(self, stretch: Stretch) -> Verdict:
        made = f"{calls(stretch.count)} of {self._what}"
        return Verdict(
            label=Label.FAIL,
            kind=FindingKind.LIMIT_EXCEEDED,
            explanation=because(self._measured.say(made), self._reason),
            call=stretch.passed.call,
            count=stretch.count,
            first=stretch.first.call,
            last=stretch.last.call,
            path=self._measured.path,
        )

    def _unseen(self) -> Verdict:
        unsure = sorted(self._unsure.values(), key=lambda held: order_of(held.call))
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=FindingKind.LIMIT_EXCEEDED,
            explanation=f"whether {self._measured.say(f'calls of {self._what}')}",
            call=unsure[0].call.call,
            count=len(unsure),
            path=self._measured.path,
            missing=tuple(dict.fromkeys(word for held in unsure for word in self._missing(held))),
        )

    def _missing(self, held: _Held) -> Iterable[str]:
        if held.answer is Answer.UNKNOWN:
            yield from self._intake.missing(held.call)
        if held.amount is None:
            yield "arguments"
        if held.is_timeless:
            yield "times"
