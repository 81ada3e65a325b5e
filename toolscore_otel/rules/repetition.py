"""What rules about repetition look at: calls as they see them, and the runs that they find."""

from __future__ import annotations

from msgspec import Struct

from toolscore_otel.matchers import Answer, JudgedCall
from toolscore_otel.matchers.answer import UNSURE, YES
from toolscore_otel.rules.intake import OrderKey, order_of

ANY_MARK = b""
"""A mark that is equal to every other: the result was not observed."""


class Entry(Struct, gc=False):
    """One call as a rule about repetition sees it.

    Attributes:
        tool: calls of different ones are never equal.
        key: what must be equal, as a hash; None where it was not observed.
        mark: must be equal within a run (hash of the result); `ANY_MARK` equals all.
        repeats: whether it is a repetition (NO: it ends the row of its key).
        is_there: False where it is unknown whether the rule looks at it.
        need: how many entries complete a run.
        missing: evidence that was not observed.
        order: where it stands.
        invocation: of the call when it was put.
        last: of `Runs`: place of the last entry of its key before it; -1 where there is none.
        blind: of `Runs`: the same of the last one without a key.
        link: of `Runs`: place of the entry before it in its row; -1 where it begins one.
        first: of the run that it completes or makes grow: place of its first entry; -1 where it is in no run.
        done: place of the entry that completed the run.
        count: entries of the run, up to this one.
        run_mark: what was observed of the run's marks.
        is_sure: whether the run is one although some results were not observed.
    """

    call: JudgedCall
    tool: str
    key: bytes | None
    mark: bytes
    repeats: Answer
    is_there: bool
    need: int
    missing: tuple[str, ...] = ()
    order: OrderKey = (0, 0, "")
    invocation: str | None = None
    last: int = -1
    blind: int = -1
    link: int = -1
    first: int = -1
    done: int = -1
    count: int = 0
    run_mark: bytes = ANY_MARK
    is_sure: bool = False

    def __post_init__(self) -> None:
        self.order = order_of(self.call)
        self.invocation = self.call.call.invocation_id

    @property
    def counts(self) -> bool:
        """Whether it prolongs the row of its key for sure."""
        return self.key is not None and self.is_there and self.repeats is YES

    @property
    def is_blind(self) -> bool:
        """Whether something that was not observed would tell more of it."""
        return self.key is None or self.repeats is UNSURE or not self.is_there


class Run(Struct, frozen=True):
    """A run of repetition as it stands.

    Attributes:
        first: its first call.
        done: the call that completed it.
        last: its last call.
        count: how many calls it has.
        is_sure: False where it is only possible, since results were not observed.
        block: the calls of one repetition, where it has several.
    """

    first: JudgedCall
    done: JudgedCall
    last: JudgedCall
    count: int
    is_sure: bool
    block: tuple[JudgedCall, ...] = ()


def agree(one: bytes, other: bytes) -> bool:
    """Whether two marks are equal, or may be."""
    return one == other or ANY_MARK in (one, other)
