"""Scanning 1 KB strings without a secret, beside the same patterns tried one by one with `re`."""

from __future__ import annotations

import json
import re
from hashlib import blake2b

import pytest

from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.kinds import TABLE


def _digest(number: int) -> str:
    return blake2b(number.to_bytes(4, "big"), digest_size=16).hexdigest()


def _value(number: int) -> dict[str, object]:
    return {
        "id": _digest(number),
        "command": f"git log {_digest(number + 1)}..HEAD --oneline",
        "notes": "The order was packed, weighed and left the house in the afternoon. " * 8,
        "items": [
            {"sku": _digest(number + n)[:8], "name": f"chair {n}", "price": n * 1.5}
            for n in range(8)
        ],
    }


VALUES = [_value(number) for number in range(50)]
TEXTS = [json.dumps(value)[:1024] for value in VALUES]
PATTERNS = [re.compile(kind.pattern) for kind in TABLE]


def _one_by_one() -> int:
    return sum(1 for text in TEXTS for pattern in PATTERNS for _ in pattern.finditer(text))


@pytest.mark.benchmark(group="secrets, 50 clean strings of 1 KB")
def test_plain_re_loop(benchmark):
    assert benchmark(_one_by_one) == 0


@pytest.mark.benchmark(group="secrets, 50 clean strings of 1 KB")
@pytest.mark.parametrize("engine", ["hyperscan", "re2"])
def test_scan_text(benchmark, engine):
    scanner = Scanner(engine=engine)
    assert not any(benchmark(lambda: [scanner.scan_text(text) for text in TEXTS]))


@pytest.mark.benchmark(group="secrets, 50 clean strings of 1 KB")
@pytest.mark.parametrize("engine", ["hyperscan", "re2"])
def test_scan_json(benchmark, engine):
    scanner = Scanner(engine=engine)
    assert not any(benchmark(lambda: [scanner.scan_json(value) for value in VALUES]))
