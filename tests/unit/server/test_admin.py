"""Health and debug pages."""

from html.parser import HTMLParser

import pytest
from starlette.testclient import TestClient

from toolscore_otel.server.admin import Sources, admin_app
from toolscore_otel.server.debug_page import ROWS

ABOUT = {"version": "1.2", "instance": "i1"}


class FakeServer:
    """What the pages are made of."""

    def __init__(self):
        self.why = None
        self.findings = [{"id": f"f{n}", "rule": "forbid.1", "count": 1200} for n in range(60)]
        self.trajectories = [{"trace_id": "ab", "agent": "<script>alert(1)</script>", "open": True}]

    def debug(self):
        return {"findings": self.findings, "trajectories": self.trajectories, "contracts": []}


@pytest.fixture
def server():
    return FakeServer()


@pytest.fixture
def client(server):
    sources = Sources(
        ready=lambda: server.why,
        debug=server.debug,
        config=lambda: {"mode": "mirror", "secrets": {"key": "[hidden]"}},
        about=lambda: ABOUT,
    )
    return TestClient(admin_app(sources))


class Page(HTMLParser):
    """Tags and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.text = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data):
        self.text += data


def test_it_is_healthy_while_it_answers(client, server):
    server.why = "restoring"
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", **ABOUT})


def test_it_is_ready_once_nothing_speaks_against_it(client, server):
    server.why = "restoring its state"
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["why"]) == (503, "restoring its state")
    server.why = None
    assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    ("asked", "told"), [("", 50), ("?last=2", 2), ("?last=0", 0), ("?last=999", 60)]
)
def test_the_last_findings_are_those_at_the_end(client, asked, told):
    ids = [row["id"] for row in client.get(f"/debug/findings{asked}").json()]
    assert ids == [f"f{n}" for n in range(60 - told, 60)]


@pytest.mark.parametrize("asked", ["-1", "many", "9" * 5000, "²"])
def test_a_number_of_findings_that_is_none_is_the_askers_mistake(client, asked):
    assert client.get("/debug/findings", params={"last": asked}).status_code == 400


def test_parts_come_as_json(client, server):
    assert client.get("/debug/trajectories").json() == server.trajectories
    assert client.get("/debug/contracts").json() == []
    assert client.get("/debug/config").json()["mode"] == "mirror"


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/debug", "/debug/findings", "/debug/config"]
)
def test_no_answer_is_kept_or_taken_for_something_else(client, path):
    headers = client.get(path).headers
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"


def test_nothing_can_be_changed(client):
    assert client.post("/debug/config").status_code == 405


def test_the_page_shows_names_of_telemetry_as_text(client):
    page = Page(client.get("/debug").text)
    assert "script" not in page.tags
    assert "<script>alert(1)</script>" in page.text


def test_the_page_needs_nothing_from_elsewhere(client):
    text = client.get("/debug").text
    links = Page(text).links
    assert links
    assert all(link.startswith("/debug/") for link in links)
    assert "url(" not in text


def test_the_page_shows_the_newest_findings_first(client, server):
    server.findings = [{"id": f"<{n}>"} for n in range(ROWS + 1)]
    text = Page(client.get("/debug").text).text
    assert f"Last findings ({ROWS} of {ROWS + 1})" in text
    assert text.index(f"<{ROWS}>") < text.index("<1>")
    assert "<0>" not in text


def test_the_page_says_why_the_server_is_not_ready(client, server):
    server.why = "listening <nowhere>"
    assert "not ready: listening <nowhere>" in Page(client.get("/debug").text).text


def test_what_no_row_has_makes_no_column(client, server):
    server.findings = [{"rule": "forbid.1", "agent": None}]
    server.trajectories = []
    page = Page(client.get("/debug").text)
    assert page.tags.count("th") == 1
