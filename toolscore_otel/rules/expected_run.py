"""The calls of one trajectory beside the expected ones: what is missing, unexpected, and wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.metrics.expected_calls import ExpectedCall
from toolscore_otel.model import CallKind, FindingKind, Label, Stage
from toolscore_otel.rules.pairs import Pairs
from toolscore_otel.rules.shape import Verdict
from toolscore_otel.rules.wording import because, calls, tool_of


class Run:
    """What stands of one trajectory that is over."""

    def __init__(
        self,
        expected: Sequence[ExpectedCall],
        made: Sequence[JudgedCall],
        *,
        reason: str | None,
        hidden: bool,
    ) -> None:
        """A trajectory.

        Args:
            expected: by the contract.
            made: its calls in order, those that were only asked for, too.
            reason: of the rule.
            hidden: whether parts of the trajectory are missing that may hold calls.
        """
        self._expected = expected
        self._made = made
        self._reason = reason
        self._hidden = hidden
        self._pairs = Pairs(expected, made)
        self._had_all_run = Pairs(expected, made, had_all_run=True)

    def missing(self) -> Verdict | None:
        """Expected calls without a partner."""
        need, at_best = len(self._expected), self._pairs.most(at_best=True)
        if len(self._pairs.most(at_best=False)) == need:
            return None
        if len(at_best) == need:
            return self._unknown(FindingKind.MISSING_CALL, self._blind())
        if self._hidden or len(self._had_all_run.most(at_best=True)) == need:
            return self._unknown(FindingKind.MISSING_CALL, ["spans"])
        lacking = [one.who.describe() for n, one in enumerate(self._expected) if n not in at_best]
        text = f"{calls(len(lacking))} that {_was(lacking)} expected did not happen: {'; '.join(lacking)}"
        return self._failed(FindingKind.MISSING_CALL, text, count=len(lacking))

    def unexpected(self) -> Verdict | None:
        """Made calls without a partner."""
        made = [call for call in self._made if _is_made(call)]
        pairs = Pairs(self._expected, made)
        paired = set(pairs.most(at_best=True).values())
        if others := [call for n, call in enumerate(made) if n not in paired]:
            tools = ", ".join(dict.fromkeys(tool_of(call.call) for call in others))
            text = f"{calls(len(others))} that {_was(others)} not expected: {tools}"
            return self._failed(FindingKind.UNEXPECTED_CALL, text, others, len(others))
        if len(pairs.most(at_best=False)) == len(made):
            return None
        return self._unknown(FindingKind.UNEXPECTED_CALL, self._blind())

    def wrong(self) -> Verdict | None:
        """Pairs of which the arguments differ."""
        answer = self._pairs.are_right()
        if answer is Answer.YES:
            return None
        if answer is Answer.UNKNOWN:
            return self._unknown(FindingKind.WRONG_ARGUMENTS, [*self._blind(), "arguments"])
        if self._hidden or self._had_all_run.are_right() is not Answer.NO:
            return self._unknown(FindingKind.WRONG_ARGUMENTS, ["spans"])
        wrong = list(self._differing())
        named = "; ".join(dict.fromkeys(text for _, text in wrong))
        text = f"arguments are not the expected ones{': ' if named else ''}{named}"
        about = [call for call, _ in wrong]
        return self._failed(FindingKind.WRONG_ARGUMENTS, text, about, max(1, len(wrong)))

    def _differing(self) -> Iterable[tuple[JudgedCall, str]]:
        """The nearest call to each expected one that none with its arguments stands for, and what differs."""
        right = self._pairs.right(at_best=True, args_at_best=True)
        free = [call for n, call in enumerate(self._made) if n not in set(right.values())]
        for number, one in enumerate(self._expected):
            near = [call for call in free if one.who.match(call) is not Answer.NO]
            if number in right or not near:
                continue
            call = max(near, key=one.agreeing)
            free.remove(call)
            names = ", ".join(f"`{name}`" for name in one.differing(call))
            yield call, f"{names} of {tool_of(call.call)}" if names else tool_of(call.call)

    def _blind(self) -> list[str]:
        """What was not observed of calls that may be expected ones."""
        pairs = ((one.who, call) for one in self._expected for call in self._made)
        return [word for who, call in pairs for word in who.missing(call)]

    def _failed(
        self, kind: FindingKind, text: str, about: Sequence[JudgedCall] = (), count: int = 1
    ) -> Verdict:
        return Verdict(
            label=Label.FAIL,
            kind=kind,
            explanation=because(text, self._reason),
            count=count,
            first=about[0].call if about else None,
            last=about[-1].call if about else None,
        )

    def _unknown(self, kind: FindingKind, missing: Iterable[str]) -> Verdict:
        return Verdict(
            label=Label.CANNOT_CHECK,
            kind=kind,
            explanation=_WHETHER[kind],
            missing=tuple(dict.fromkeys(missing)),
        )


_WHETHER = {
    FindingKind.MISSING_CALL: "whether every expected call happened",
    FindingKind.UNEXPECTED_CALL: "whether only expected calls happened",
    FindingKind.WRONG_ARGUMENTS: "whether the arguments are the expected ones",
}


def _is_made(call: JudgedCall) -> bool:
    return call.call.stage is Stage.EXECUTED and call.call.kind is CallKind.TOOL


def _was(several: Sequence[object]) -> str:
    return "was" if len(several) == 1 else "were"
