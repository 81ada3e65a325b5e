"""How much is found, and how much is said in error, on labelled lines that nobody tuned by hand: each seed draws others."""

from __future__ import annotations

import json
from base64 import b64decode
from binascii import Error as NotBase64
from urllib.parse import unquote

import pytest

from tests.unit.secrets.labelled import (
    FORMED,
    LOOKALIKES,
    PASSWORDS,
    TOKENS,
    WRAPS,
    negatives,
    positives,
)
from toolscore_otel.secrets import KINDS, Scanner

SCANNER = Scanner(engine="hyperscan")
LEAST_RECALL = 0.985
LEAST_PRECISION = 0.99
MOST_FLAGGED = 0.005


def _decoded(text: str) -> set[str]:
    """A text, and what it stands for where it is quoted or encoded, three deep."""
    told = {text}
    for _ in range(3):
        for one in sorted(told):
            told.add(unquote(one))
            try:
                told.add(str(json.loads(f'"{one}"', strict=False)))
            except ValueError:
                continue
            try:
                told.add(b64decode(one + "=" * (-len(one) % 4)).decode())
            except (NotBase64, ValueError):
                continue
    return told


@pytest.mark.parametrize("seed", [11, 12])
def test_nearly_all_secrets_are_found_whole_and_nearly_nothing_else(seed):
    gold = found = stray = 0
    for line in positives(seed):
        hits = [_decoded(line.text[hit.start : hit.end]) for hit in SCANNER.scan_text(line.text)]
        for value in line.secrets:
            gold += 1
            found += any(value in told or unquote(value) in told for hit in hits for told in hit)
        stray += sum(
            1
            for hit in hits
            if not any(told and (told in v or v in told) for v in line.secrets for told in hit)
        )
    assert found / gold >= LEAST_RECALL
    assert found / (found + stray) >= LEAST_PRECISION


@pytest.mark.parametrize("seed", [21, 22])
def test_nearly_no_clean_line_is_flagged(seed):
    lines = list(negatives(seed, rounds=3))
    flagged = [line.what for line in lines if SCANNER.scan_text(line.text)]
    assert len(flagged) / len(lines) <= MOST_FLAGGED, flagged


def test_both_engines_find_the_same_in_all_labelled_lines():
    slow = Scanner(engine="re2")
    lines = [*positives(31), *negatives(32)]
    assert [
        line for line in lines if SCANNER.scan_text(line.text) != slow.scan_text(line.text)
    ] == []


def test_the_lines_are_of_many_kinds_and_wrappings():
    assert len(KINDS) >= 160
    assert len(FORMED) * 8 + 3 * len([*PASSWORDS, *TOKENS]) < len(list(positives(1)))
    assert len(WRAPS) >= 40
    assert len(LOOKALIKES) >= 60
