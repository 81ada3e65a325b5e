"""Scanning 1 KB strings, beside the same patterns tried one by one with `re` and beside tool-scorer."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from statistics import median

import pytest

from toolscore_otel.secrets import Scanner
from toolscore_otel.secrets.kinds import TABLE
from toolscore_otel.secrets.samples import make_sample


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
CLEAN = [json.dumps(value) for value in VALUES]
SEEN_OFTEN = (
    *("github_token_classic", "openai_api_key", "aws_access_key_id", "slack_token", "jwt"),
    *(
        "stripe_secret_key",
        "npm_token",
        "private_key_pem",
        "password_assignment",
        "url_credentials",
    ),
)
ONE_IN_FIVE = [
    json.dumps(
        value if number % 5 else {**value, "x": make_sample(SEEN_OFTEN[number // 5], number)}
    )
    for number, value in enumerate(VALUES)
]
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


@pytest.mark.benchmark(group="secrets, 50 strings of 1 KB, one in five with a secret")
@pytest.mark.parametrize("engine", ["hyperscan", "re2"])
def test_scan_text_with_secrets(benchmark, engine):
    scanner = Scanner(engine=engine)
    assert sum(map(bool, benchmark(lambda: [scanner.scan_text(t) for t in ONE_IN_FIVE]))) == 10


@pytest.mark.parametrize(
    ("texts", "secrets", "least_times"),
    [(CLEAN, 0, 10), (ONE_IN_FIVE, 10, 2)],
    ids=["clean", "one in five"],
)
def test_beside_tool_scorer(
    texts, secrets, least_times, *, peer, take_turns, ratio, tell, benchmark
):
    """It is given the arguments parsed, in calls, and looks in their texts for ten patterns.

    We are given the JSON text of the same arguments, as it stands in spans; `parsed` is our scan of what it is given.
    """
    values = [json.loads(text) for text in texts]
    theirs = peer("tool_scorer", "secrets", values)
    assert bool(theirs.found["secret_count"]) == bool(secrets)
    scanner = Scanner(engine="hyperscan")
    taken = take_turns(
        {
            "ours": lambda: [scanner.scan_text(text) for text in texts],
            "parsed": lambda: [scanner.scan_json(value) for value in values],
        },
        rounds=60,
        peers={"theirs": theirs},
    )
    times = ratio(taken["theirs"], taken["ours"])
    tell(
        ours_per_s=len(texts) / median(taken["ours"]) * 1e9,
        theirs_per_s=len(texts) / median(taken["theirs"]) * 1e9,
        times=times,
        times_parsed=ratio(taken["theirs"], taken["parsed"]),
        found=secrets,
        they_found=theirs.found["secret_count"],
    )
    found = benchmark.pedantic(lambda: [scanner.scan_text(text) for text in texts], rounds=3)
    assert sum(map(bool, found)) == secrets
    assert times >= least_times
