"""How many connections a listener holds."""

import resource

import pytest

from toolscore_otel.server.http_connection import MOST_CONNECTIONS, most_connections


@pytest.mark.parametrize(
    ("files", "connections"),
    [
        (256, 64),
        (4 * MOST_CONNECTIONS - 4, MOST_CONNECTIONS - 1),
        (1_000_000, MOST_CONNECTIONS),
        (resource.RLIM_INFINITY, MOST_CONNECTIONS),
    ],
)
def test_a_listener_takes_no_more_than_a_fourth_of_the_files(monkeypatch, files, connections):
    monkeypatch.setattr(resource, "getrlimit", {resource.RLIMIT_NOFILE: (files, files)}.get)
    assert most_connections() == connections
