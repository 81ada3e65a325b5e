"""How often a command looks for memory that nobody uses."""

import gc

from toolscore_otel.cli.collecting import COLLECTED_AFTER, collecting_seldom


def test_a_command_collects_seldom_and_leaves_things_as_they_were():
    before = gc.get_threshold()
    with collecting_seldom():
        assert gc.get_threshold()[0] == COLLECTED_AFTER
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
