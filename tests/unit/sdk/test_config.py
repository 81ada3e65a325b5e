"""Settings, and their variables."""

import pytest

from toolscore_otel.errors import ConfigError
from toolscore_otel.sdk.config import VARIABLES, SdkConfig


def test_without_anything_the_defaults_hold():
    config = SdkConfig.from_environment({})
    assert config.contracts == ()
    assert config.limits().settle_ns == 2_000_000_000


def test_every_setting_has_one_variable():
    assert VARIABLES.keys() == {*SdkConfig.__struct_fields__}
    assert len(set(VARIABLES.values())) == len(VARIABLES)


@pytest.mark.parametrize(
    "name",
    [
        n
        for n in VARIABLES
        if n not in ("contracts", "exporter", "log_exporter", "secret_key", "scores")
    ],
)
def test_every_number_is_read_from_its_variable(name):
    assert getattr(SdkConfig.from_environment({VARIABLES[name]: " 7 "}), name) == 7


def test_whether_scores_go_out_as_events_is_a_word():
    assert SdkConfig.from_environment({}).scores == "events"
    assert SdkConfig.from_environment({"TOOLSCORE_SCORES": "metric"}).scores == "metric"
    with pytest.raises(ConfigError, match="`scores` must be `events` or `metric`, and is `none`"):
        SdkConfig(scores="none")


def test_contracts_are_listed_with_commas():
    config = SdkConfig.from_environment({"TOOLSCORE_CONTRACTS": "a.yaml, pack:loops,"})
    assert config.contracts == ("a.yaml", "pack:loops")


def test_what_is_given_in_code_goes_first():
    config = SdkConfig.from_environment({"TOOLSCORE_SETTLE_MS": "9"}, settle_ms=1, idle_ms=None)
    assert (config.settle_ms, config.idle_ms) == (1, 60_000)


def test_a_variable_that_is_empty_counts_as_left_out():
    assert SdkConfig.from_environment({"TOOLSCORE_FINDINGS": "  "}).findings == 10_000


@pytest.mark.parametrize("text", ["many", "1.5", "2s"])
def test_a_number_that_is_none_is_named_with_its_variable(text):
    with pytest.raises(
        ConfigError, match=f"`TOOLSCORE_IDLE_MS` must be a whole number, and is `{text}`"
    ):
        SdkConfig.from_environment({"TOOLSCORE_IDLE_MS": text})


@pytest.mark.parametrize(
    "given", [{"findings": -1}, {"open_trajectories": 0}, {"secret_key": ""}, {"idle_ms": 0}]
)
def test_a_setting_that_makes_no_sense_is_refused(given):
    with pytest.raises(ConfigError):
        SdkConfig(**given)


def test_a_setting_that_does_not_exist_is_refused():
    with pytest.raises(ConfigError, match="there is no setting `settel_ms`"):
        SdkConfig.from_environment({}, settel_ms=1)


def test_fingerprints_differ_between_processes_unless_a_key_is_set():
    assert SdkConfig().secret_key != SdkConfig().secret_key
    given = SdkConfig.from_environment({"TOOLSCORE_SECRET_KEY": "from outside"})
    assert given.secret_key == "from outside"  # noqa: S105 - made up


def test_no_key_of_fingerprints_is_shown():
    config = SdkConfig(secret_key="open-sesame")  # noqa: S106 - made up
    assert "open-sesame" not in repr(config)
