"""How often a command looks for memory that nobody uses."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

COLLECTED_AFTER = 500_000
"""New objects after which Python looks for unused ones."""

YOUNG_BEFORE_OLD = 10
"""Looks through what is new before one through what is older: that one takes as long as ten of them."""


@contextmanager
def collecting_seldom() -> Generator[None]:
    """What a command reads it keeps to its end, and looking through it again and again took half of the time."""
    before = gc.get_threshold()
    gc.freeze()  # what is there by now, modules above all, stays
    gc.set_threshold(COLLECTED_AFTER, YOUNG_BEFORE_OLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
