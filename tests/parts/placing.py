"""Shipped configurations for one test: the same text, with addresses and folders of that test."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path


def placed(source: Path, folder: Path, changes: Mapping[str, str]) -> Path:
    """A copy of a configuration in which these texts are replaced, all at once; of two that overlap, the earlier.

    Args:
        source: the shipped file.
        folder: where the copy goes, under the same name.
        changes: what stands there -> what is to stand there.

    Raises:
        AssertionError: a text does not stand in the file.
    """
    text = source.read_text()
    missing = [old for old in changes if old not in text]
    assert not missing, f"{source.name} does not hold {missing}"
    either = "|".join(re.escape(old) for old in sorted(changes, key=len, reverse=True))
    target = folder / source.name
    target.write_text(re.sub(either, lambda found: changes[found[0]], text))
    return target
