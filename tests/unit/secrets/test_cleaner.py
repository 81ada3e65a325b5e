"""Values without secrets, by the measures in force."""

import pytest

from toolscore_otel.secrets import Cleaner, Fingerprints, Measure, Scanner
from toolscore_otel.secrets.samples import make_sample

KIND = "aws_access_key_id"
SECRET = make_sample(KIND, 1)
TOKEN = make_sample("npm_token", 1)
MARK = f"[REDACTED:{KIND}]"
KEY = Fingerprints(b"key")


def cleaner(*measures: Measure) -> Cleaner:
    return Cleaner(measures or [Measure(Scanner(), "redact")], KEY)


@pytest.mark.parametrize("value", ["fine", 7, None, ["x", {"a": True}], float("inf")])
def test_a_value_without_a_secret_is_the_same_object(value):
    assert cleaner().value("k", value) is value
    assert not cleaner().finds({"k": value})


def test_a_value_keeps_its_shape():
    value = {"a": [SECRET, 1], SECRET: None, "b": 0.5}
    assert cleaner().value("k", value) == {"a": [MARK, 1], MARK: None, "b": 0.5}
    assert cleaner().finds(value)


def test_names_that_become_the_same_are_kept_apart():
    other = make_sample(KIND, 2)
    for action in ("redact", "hash"):
        only = cleaner(Measure(Scanner(), action))
        assert len(only.value("k", {SECRET: 1, other: 2, MARK: 3})) == 3


def test_drop_leaves_nothing_of_a_value():
    assert cleaner(Measure(Scanner(), "drop")).value("k", ["x", SECRET]) is None


def test_hash_leaves_a_fingerprint():
    found = cleaner(Measure(Scanner(), "hash")).value("k", f"a {SECRET}")
    assert found == f"a [REDACTED:{KIND}.{KEY.of(SECRET)}]"


def test_each_measure_takes_out_its_own_kinds():
    both = cleaner(Measure(Scanner([KIND]), "redact"), Measure(Scanner(["npm_token"]), "hash"))
    fingerprint = KEY.of(TOKEN)
    expected = f"{MARK} [REDACTED:npm_token.{fingerprint}]"
    assert both.value("k", f"{SECRET} {TOKEN}") == expected


def test_a_name_is_marked_whatever_the_action():
    assert cleaner(Measure(Scanner(), "drop")).name(f"x.{SECRET}") == f"x.{MARK}"
    assert cleaner().name("gen_ai.tool.name") == "gen_ai.tool.name"


def test_the_quick_look_is_sure_only_of_a_no():
    assert not cleaner().may_find([{"k": "fine"}, "the secret of tea"])
    assert cleaner().may_find([{"k": "fine"}, SECRET])
    assert cleaner(Measure(Scanner(patterns=[("own", "x+")]), "redact")).may_find("y")
