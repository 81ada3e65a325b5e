import pytest

from toolscore_otel.errors import ConfigError
from toolscore_otel.gate import Allowed


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
