"""Shares, and precision, recall and F1 of counts."""

from __future__ import annotations


def share(part: float, whole: float) -> float | None:
    """Part over whole; None of nothing."""
    return part / whole if whole else None


def f1_of(right: float, given: float, expected: float) -> dict[str, float | None]:
    """`precision`, `recall` and `f1` of what was given and what was expected; 0 where one side has nothing.

    All are None where both have nothing.
    """
    if not given and not expected:
        return {"precision": None, "recall": None, "f1": None}
    return {
        "precision": right / given if given else 0.0,
        "recall": right / expected if expected else 0.0,
        "f1": 2 * right / (given + expected),
    }
