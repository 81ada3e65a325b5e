"""Three answers, and Kleene's rules for joining them.

`UNKNOWN` is the answer where the value was not observed. It stays only where the rest does not decide: no and unknown
is no, yes or unknown is yes.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Answer(Enum):
    """What a matcher says of a value."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


YES = Answer.YES
NO = Answer.NO
UNSURE = Answer.UNKNOWN
"""`Answer.UNKNOWN`; another word than `value.UNKNOWN`, which is a value that was not observed.

What is asked of every call uses these names: Python 3.11 takes ten times as long to find a member by its class.
"""


def all_of(answers: Iterable[Answer]) -> Answer:
    """Kleene's `and`; reads no further than the first NO. YES where there are none."""
    joined = YES
    for answer in answers:
        if answer is NO:
            return NO
        if answer is UNSURE:
            joined = UNSURE
    return joined


def any_of(answers: Iterable[Answer]) -> Answer:
    """Kleene's `or`; reads no further than the first YES. NO where there are none."""
    joined = NO
    for answer in answers:
        if answer is YES:
            return YES
        if answer is UNSURE:
            joined = UNSURE
    return joined


def negate(answer: Answer) -> Answer:
    """Kleene's `not`: unknown stays unknown."""
    if answer is UNSURE:
        return UNSURE
    return NO if answer is YES else YES


def yes_if(holds: bool) -> Answer:  # noqa: FBT001 - it is the question itself
    """The answer to a question that is decided."""
    return YES if holds else NO
