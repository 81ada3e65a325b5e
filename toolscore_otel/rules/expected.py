"""One expected call: what a call must be to stand for it, and how far its arguments are as expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from toolscore_otel.matchers import Answer, JudgedCall, MatcherError, Selector
from toolscore_otel.matchers.parse import holds_operators, is_mapping


class Expected(Struct, frozen=True):
    """One entry of `expect.calls`, compiled.

    Attributes:
        who: everything it says but its arguments.
        could_be: the same of a call that was asked for and not seen to run; None where it is itself about such calls.
        args: its arguments; None: whatever arguments.
        by_name: the arguments one by one, where they are plain keys.
    """

    who: Selector
    could_be: Selector | None
    args: Selector | None
    by_name: Mapping[str, Selector]

    @classmethod
    def of(cls, entry: Any) -> Expected:
        """Compile an entry: a tool's name, or a selector.

        Raises:
            MatcherError: a selector that is none, with its path.
        """
        Selector.of(entry)
        keys: dict[str, Any] = {"tool": entry} if isinstance(entry, str) else dict(entry)
        args = {"args": keys.pop("args")} if "args" in keys else None
        who = keys or {"tool": "*"}
        ran = keys.get("stage", "executed") == "executed"
        return cls(
            who=Selector.of(who),
            could_be=Selector.of({**who, "stage": "any"}) if ran else None,
            args=None if args is None else Selector.of(args, default_stage="any"),
            by_name=_by_name(args["args"]) if args is not None else {},
        )

    def has_arguments(self, call: JudgedCall) -> Answer:
        """Whether the arguments of a call are the expected ones."""
        return Answer.YES if self.args is None else self.args.match(call)

    def agreeing(self, call: JudgedCall) -> int:
        """How many of the named arguments are as expected."""
        return sum(one.match(call) is Answer.YES for one in self.by_name.values())

    def differing(self, call: JudgedCall) -> tuple[str, ...]:
        """The names of the arguments that are not as expected; none where that cannot be said by name."""
        return tuple(n for n, one in self.by_name.items() if one.match(call) is Answer.NO)


def _by_name(args: object) -> dict[str, Selector]:
    if not is_mapping(args) or holds_operators(args):
        return {}
    return {
        name: Selector.of({"args": {name: value}}, default_stage="any")
        for name, value in args.items()
    }


def expected_calls(entries: list[Any]) -> tuple[Expected, ...]:
    """The entries of `calls`.

    Raises:
        MatcherError: an entry that is no selector, with its path.
    """
    found: list[Expected] = []
    for number, entry in enumerate(entries):
        try:
            found.append(Expected.of(entry))
        except MatcherError as error:
            raise error.below(number).below("calls") from error
    return tuple(found)
