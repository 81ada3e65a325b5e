"""Whether calls are those of a list of selectors, in one of the five modes of order (docs/pages/clauses/order.md).

A pure question about what is known of some calls, for `order` with `sequence` and for whatever else compares calls with a
list. Each selector takes a call of its own. Overlapping calls may stand in either order.

Three answers come from two worlds: one in which everything that was not observed helps, and one in which nothing of it
does. Both times, only what stands before what matters, and a call whose times are known in part has the longest
stretch of time in the first world and the shortest in the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from toolscore_otel.matchers import Answer
from toolscore_otel.rules.order_places import longest, shortest
from toolscore_otel.rules.pairing import most_pairs
from toolscore_otel.rules.sequence_ways import Stand, in_line


class Mode(StrEnum):
    """How calls are compared with a list of selectors."""

    STRICT = "strict"
    """Exactly these calls, in this order."""
    IN_ORDER = "in_order"
    """These in this order; others may stand between."""
    ANY_ORDER = "any_order"
    """Exactly these, in whatever order."""
    SUPERSET = "superset"
    """At least these, in whatever order."""
    SUBSET = "subset"
    """None but these; some may be missing, none more often than listed."""


class Seen(Struct, frozen=True, gc=False):
    """What is known of one call.

    Attributes:
        start_ns: None where it was not observed.
        end_ns: None where it was not observed.
        is_looked_at: whether it is one of the calls that are compared; of no interest where the answer is no.
        fits: one answer per selector, in the order of the list.
    """

    start_ns: int | None
    end_ns: int | None
    is_looked_at: Answer
    fits: tuple[Answer, ...]


def holds(mode: Mode, wanted: int, calls: Sequence[Seen]) -> Answer:
    """Whether the calls are as the mode demands.

    Args:
        mode: of comparison.
        wanted: how many selectors there are; each call has so many `fits`.
        calls: in whatever order.

    Returns:
        Unknown where what was not observed would decide, or where so many calls overlap and fit so many selectors that not
        every order could be tried (which of the two shows in `calls`: then nothing in them is unknown).
    """
    if _surely(mode, wanted, calls) is Answer.YES:
        return Answer.YES
    return Answer.NO if could_hold(mode, wanted, calls) is Answer.NO else Answer.UNKNOWN


def could_hold(mode: Mode, wanted: int, calls: Iterable[Seen], *, hidden: bool = False) -> Answer:
    """Whether the calls are as the mode demands if what was not observed is as it helps most.

    Args:
        mode: of comparison.
        wanted: how many selectors there are.
        calls: in whatever order. One that may have happened or not is one that is perhaps looked at.
        hidden: any number of further calls may have happened unseen, whenever.

    Returns:
        Unknown where not every order could be tried.
    """
    stands = [_stand(call, helps=True) for call in calls if call.is_looked_at is not Answer.NO]
    return _compared(mode, wanted, stands, may_skip=hidden)


def _surely(mode: Mode, wanted: int, calls: Iterable[Seen]) -> Answer:
    """Whether they are as the mode demands whatever was not observed is; anything but yes means: not surely."""
    looked_at = [call for call in calls if call.is_looked_at is not Answer.NO]
    if mode in (Mode.IN_ORDER, Mode.SUPERSET):
        looked_at = [call for call in looked_at if call.is_looked_at is Answer.YES]
    elif mode is not Mode.SUBSET and any(c.is_looked_at is Answer.UNKNOWN for c in looked_at):
        return Answer.NO  # with it and without it cannot both be the right number
    stands = [_stand(call, helps=False) for call in looked_at]
    return _compared(mode, wanted, stands, may_skip=False)


def _compared(mode: Mode, wanted: int, stands: Sequence[Stand], *, may_skip: bool) -> Answer:
    if mode in (Mode.IN_ORDER, Mode.SUPERSET):
        needed: list[Stand] = []
        stands = [stand.released() for stand in stands if stand.fits]
    else:
        needed = [stand for stand in stands if stand.must]
    if len(needed) > wanted or _paired(stand.fits for stand in needed) < len(needed):
        return Answer.NO
    if mode is Mode.SUBSET or (may_skip and not needed):
        return Answer.YES
    if not may_skip and _paired(_few(stands, wanted)) < wanted:
        return Answer.NO
    if mode in (Mode.SUPERSET, Mode.ANY_ORDER):
        return (
            Answer.YES
        )  # what covers the one side and what covers the other: both can be had at once
    return in_line(wanted, stands, may_skip=may_skip)


def _paired(fits: Iterable[int]) -> int:
    """How many of these can have a selector of their own."""
    return len(most_pairs([tuple(_numbers(bits)) for bits in fits]))


def _numbers(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _few(stands: Iterable[Stand], most: int) -> list[int]:
    """What the calls fit, of those that fit the same no more than can be of use."""
    counts: dict[int, int] = {}
    for stand in stands:
        counts[stand.fits] = counts.get(stand.fits, 0) + 1
    return [fits for fits, count in counts.items() for _ in range(min(count, most))]


def _stand(call: Seen, *, helps: bool) -> Stand:
    start, end = (longest if helps else shortest)(call.start_ns, call.end_ns)
    fits = 0
    for number, answer in enumerate(call.fits):
        if answer is Answer.YES or (helps and answer is Answer.UNKNOWN):
            fits |= 1 << number
    return Stand(start, end, fits, call.is_looked_at is Answer.YES or not helps)
