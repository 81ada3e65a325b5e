import json
from typing import Any

import pytest

from toolscore_otel.secrets import KINDS, Fingerprints, Scanner, Sealer, redact_json
from toolscore_otel.secrets.samples import make_sample

MINE = Fingerprints(b"k" * 16)
OWN = (("own", "ghp_[A-Za-z0-9]+"),)
ACME = (("acme", "acme-[0-9]{6}"), ("twice", "(?P<secret>[0-9]{6})"))
TOKEN = make_sample("github_token_classic", 1)


def found(value: Any, scanner: Scanner, fingerprints: Fingerprints | None = MINE) -> list[Any]:
    hits = scanner.scan_json(value, fingerprints=fingerprints)
    return [(hit.kind, hit.path, hit.fingerprint) for hit in hits]


def places(sample: str) -> list[Any]:
    """Where secrets stand."""
    return [
        sample,
        {"a": {"token": sample, "b": [sample, 1]}},
        {"command": f"run {sample} now and {TOKEN}"},
        {"inner": json.dumps({"deep": json.dumps([sample])})},
        {sample: 1},
    ]


@pytest.mark.parametrize("patterns", [(), OWN, ACME])
@pytest.mark.parametrize("kind", KINDS)
def test_every_scanner_finds_the_same_in_what_was_sealed(kind, patterns):
    sealer, scanner = Sealer([OWN, ACME], MINE), Scanner(patterns=patterns)
    for value in places(make_sample(kind, 7)):
        sealed = sealer.value(value)
        assert found(sealed, scanner) == found(value, scanner)
        assert found(sealed, scanner, None) == []
        assert sealer.value(sealed) is sealed


def test_a_scanner_that_looks_for_less_finds_less():
    sealed = Sealer((), MINE).value({"a": TOKEN, "b": make_sample("npm_token", 1)})
    assert [kind for kind, _, _ in found(sealed, Scanner(kinds=["npm_token"]))] == ["npm_token"]
    assert found(sealed, Scanner(not_kinds=["npm_token", "github_token_classic"])) == []


def test_nobody_else_can_write_a_mark_that_is_believed():
    sealed = Sealer((), MINE).value({"a": TOKEN})
    assert found(sealed, Scanner(), Fingerprints(b"other")) == []
    forged = sealed["a"].replace("github_token_classic", "npm_token")
    assert found({"a": forged}, Scanner()) == []


def test_what_was_redacted_or_hashed_elsewhere_is_no_find():
    marks = ["[REDACTED:npm_token]", f"[REDACTED:npm_token.{'a' * 16}]", "[REDACTED]"]
    assert found({"a": marks}, Scanner()) == []


def test_different_secrets_leave_different_marks_and_equal_ones_the_same():
    one, same, other = Sealer((), MINE).value([TOKEN, TOKEN, make_sample("npm_token", 2)])
    assert one == same != other


def test_a_value_without_secrets_stays_the_same_object():
    value = {"a": [1, "text", None]}
    assert Sealer([OWN], MINE).value(value) is value
    assert Sealer([OWN], MINE).plain(value) is value


def test_what_no_rule_scans_gets_plain_marks():
    assert Sealer((), MINE).plain({"a": TOKEN}) == redact_json({"a": TOKEN}, Scanner())


def test_the_beginning_of_a_secret_at_a_cut_is_sealed():
    text = f'{{"token": "{TOKEN[:20]}'
    sealed = Sealer((), MINE).text(text, cut=True)
    assert TOKEN[:8] not in sealed
    before, after = (
        [(hit.kind, hit.fingerprint) for hit in scans]
        for scans in (
            Scanner().scan_text(text, cut=True, fingerprints=MINE),
            Scanner().scan_text(sealed, cut=True, fingerprints=MINE),
        )
    )
    assert before == after


def test_finds_that_overlap_share_one_mark():
    overlapping = (("wide", "x-acme-[0-9]{6}-y"),)
    sealed = Sealer([ACME, overlapping], MINE).text("a x-acme-123456-y b")
    assert sealed.startswith("a [REDACTED:")
    assert sealed.endswith("] b")
    assert sealed.count("[REDACTED:") == 1
    scans = Scanner(patterns=overlapping).scan_text(sealed, fingerprints=MINE)
    assert [hit.kind for hit in scans] == ["wide"]


def test_the_seal_of_a_key_is_no_fingerprint():
    assert MINE.seal("a", "b") != MINE.seal("ab") != MINE.of("ab")


def test_a_text_without_secrets_stays_the_same_object():
    text = "flights from Berlin to Rome"
    assert Sealer([], Fingerprints(b"k")).text(text) is text
