"""Health over a real socket."""

import httpx
import pytest

from toolscore_otel.server.admin import Sources, admin_app
from toolscore_otel.server.http_thread import HttpThread

pytestmark = pytest.mark.net


def test_a_probe_is_told_when_the_server_is_ready():
    why = ["restoring"]
    sources = Sources(
        ready=lambda: why[0] if why else None,
        debug=dict,
        config=dict,
        about=lambda: {"version": "1.2"},
    )
    serving = HttpThread(admin_app(sources), "127.0.0.1", 0)
    port = serving.start()
    try:
        before = httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=10).status_code
        why.clear()
        after = httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=10).status_code
        page = httpx.get(f"http://127.0.0.1:{port}/debug", timeout=10)
    finally:
        serving.stop()
    assert (before, after) == (503, 200)
    assert page.headers["content-type"].startswith("text/html")
