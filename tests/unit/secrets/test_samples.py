"""Fake secrets are put together when asked for."""

from __future__ import annotations

import pytest

from toolscore_otel.secrets import KINDS
from toolscore_otel.secrets.kinds import TABLE
from toolscore_otel.secrets.samples import make_sample


@pytest.mark.parametrize("kind", KINDS)
def test_two_seeds_give_two_secrets_that_share_little(kind):
    assert make_sample(kind, 1) != make_sample(kind, 2)


def test_every_kind_says_what_it_opens():
    assert [kind.name for kind in TABLE if not kind.about] == []
