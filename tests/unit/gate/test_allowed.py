import pytest

from toolscore_otel.errors import ConfigError
from toolscore_otel.gate import Allowed, Asked, read_rise


@pytest.mark.parametrize(
    ("text", "before", "drop"),
    [("2", 0.5, 0.02), (" 2.5 ", 0.9, 0.025), ("0", 1.0, 0.0), ("10%", 0.5, 0.05), ("100", 0, 1.0)],
)
def test_a_drop_is_points_or_percent_of_the_score_before(text, before, drop):
    assert Allowed.read(text).of(before) == pytest.approx(drop)


@pytest.mark.parametrize("text", ["2", "2.5", "10%"])
def test_it_is_said_as_it_was_asked_for(text):
    assert str(Allowed.read(text)) == text


def test_two_points_are_allowed_unless_it_is_said_otherwise():
    assert str(Allowed()) == "2"


@pytest.mark.parametrize("text", ["", "two", "-1", "101", "nan", "inf", "5%%", "%"])
def test_what_is_no_drop_is_an_error_of_the_operator(text):
    with pytest.raises(ConfigError, match="from 0 to 100"):
        Allowed.read(text)


def test_a_rise_is_a_share_of_the_number_before():
    assert [read_rise(text) for text in ("20%", "20", " 0 ", "150%")] == [0.2, 0.2, 0.0, 1.5]


@pytest.mark.parametrize("text", ["", "-1", "much", "nan", "inf", "2 points"])
def test_what_is_no_rise_is_an_error(text):
    with pytest.raises(ConfigError, match="a rise is"):
        read_rise(text)


@pytest.mark.parametrize(
    ("asked", "covered"),
    [
        (Asked(), ["right_tool"]),
        (Asked(rise=0.2), ["right_tool", "cost_usd"]),
        (Asked(scores=frozenset({"order"})), []),
        (Asked(scores=frozenset({"cost_usd"}), rise=0.2), ["cost_usd"]),
        (Asked(scores=frozenset({"cost_usd"})), []),
        (Asked(scores=frozenset({"right_args.id"})), ["right_args.id"]),
    ],
)
def test_what_is_judged_is_what_is_asked_for(asked, covered):
    assert [
        name for name in ("right_tool", "cost_usd", "right_args.id") if asked.covers(name)
    ] == covered
