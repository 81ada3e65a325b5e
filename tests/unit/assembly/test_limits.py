from __future__ import annotations

import pytest

from toolscore_otel.assembly import COUNTERS, Limits
from toolscore_otel.assembly.limits import counters
from toolscore_otel.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("settle_ns", 0),
        ("closed_trajectories", 0),
        ("idle_ns", 1),
        ("max_age_ns", 1),
        ("open_trajectories", 1),
        ("spans_per_trajectory", 1),
    ],
)
def test_a_limit_that_makes_no_sense_is_named(name, least):
    assert getattr(Limits(**{name: least}), name) == least
    with pytest.raises(ConfigError, match=f"`{name}` must be {least} or more, and is {least - 1}"):
        Limits(**{name: least - 1})


def test_every_counter_starts_at_zero():
    assert counters() == dict.fromkeys(COUNTERS, 0)
    assert all(COUNTERS.values())
