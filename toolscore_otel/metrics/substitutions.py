"""Which tool was called in place of which, by where they stand.

Calls that are expected and made in the same order (a longest common subsequence) are fixed points; of the others, as many of a
tool as both sides have are right in another place. Who is left over between the same fixed points stands for each other, in
order, and then whoever is left at all.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Sequence

from toolscore_otel.metrics.sequence import fitting, stepped


def substitutions(expected: Sequence[str], called: Sequence[str]) -> list[dict[str, str]]:
    """Pairs of `expected` and `called` tools, in the order of the expected ones.

    Args:
        expected: names, in order.
        called: names, in order.
    """
    fixed = _in_common(expected, called)
    missing = _left_over(expected, called, [one for one, _ in fixed])
    surplus = _left_over(called, expected, [other for _, other in fixed])
    pairs = _between(missing, surplus, fixed)
    paired, taken = {one for one, _ in pairs}, {other for _, other in pairs}
    pairs += zip(
        [one for one in missing if one not in paired],
        [other for other in surplus if other not in taken],
        strict=False,
    )
    return [{"expected": expected[one], "called": called[other]} for one, other in sorted(pairs)]


def _in_common(expected: Sequence[str], called: Sequence[str]) -> list[tuple[int, int]]:
    """Places of a longest common subsequence, in order: the rows of `sequence.stepped`, gone back through."""
    every = (1 << len(expected)) - 1
    rows = [every]
    for fit in fitting(expected, called):
        rows.append(stepped(rows[-1], fit, every))
    found: list[tuple[int, int]] = []
    one, other = len(expected), len(called)
    while one and other:
        if expected[one - 1] == called[other - 1]:
            one, other = one - 1, other - 1
            found.append((one, other))
        elif rows[other] >> (one - 1) & 1:  # this expected call adds nothing to the common length
            one -= 1
        else:
            other -= 1
    return found[::-1]


def _left_over(names: Sequence[str], others: Sequence[str], fixed: Sequence[int]) -> list[int]:
    """Places of calls beyond those that the other side has, the last of each tool."""
    places = set(fixed)
    right = (Counter(names) & Counter(others)) - Counter(names[place] for place in fixed)
    left: list[int] = []
    for place, name in enumerate(names):
        if place in places:
            continue
        if right[name]:
            right[name] -= 1
        else:
            left.append(place)
    return left


def _between(
    missing: Sequence[int], surplus: Sequence[int], fixed: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Pairs of those that stand between the same fixed points."""
    gaps: dict[int, list[int]] = {}
    for other in surplus:
        gaps.setdefault(bisect(fixed, other, key=lambda pair: pair[1]), []).append(other)
    pairs: list[tuple[int, int]] = []
    for one in missing:
        gap = gaps.get(bisect(fixed, one, key=lambda pair: pair[0]))
        if gap:
            pairs.append((one, gap.pop(0)))
    return pairs
