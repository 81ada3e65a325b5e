"""Who is let in, and what happens when something behind it breaks."""

import logging
from typing import Any

import pytest

from toolscore_otel.server.admission import Admission
from toolscore_otel.server.auth import Auth
from toolscore_otel.server.entrance import Entrance
from toolscore_otel.server.passage import HEADER, MAX_SERVERS, marked, refusal
from toolscore_otel.server.reply import OK, Outcome, Signal
from toolscore_otel.server.secret_text import SecretText

OLD, NEW = "old-" + "token", "new-" + "token"


@pytest.fixture
def auth():
    return Auth([SecretText(OLD), SecretText(NEW)])


@pytest.fixture
def entrance(auth):
    return Entrance(lambda *_: OK, auth=auth, admission=Admission(100), instance="me")


@pytest.mark.parametrize("header", [f"Bearer {OLD}", f"bearer {NEW}", f" Bearer  {NEW} "])
def test_any_of_the_tokens_is_let_in(auth, header):
    assert auth.refusal({"authorization": header}) is None


@pytest.mark.parametrize(
    "headers",
    [{}, {"authorization": ""}, {"authorization": "Bearer"}, {"authorization": f"Basic {OLD}"}, {"authorization": OLD},
     {"authorization": f"Bearer {OLD}x"}, {"authorization": "Bearer \xff"}],
)  # fmt: skip
def test_nothing_else_is(auth, headers):
    refused = auth.refusal(headers)
    assert refused.outcome is Outcome.UNAUTHENTICATED
    assert OLD not in refused.message


def test_without_tokens_everybody_is_let_in():
    assert Auth([]).refusal({}) is None


def test_a_request_that_came_through_here_is_refused_for_good(entrance):
    headers = {"authorization": f"Bearer {OLD}", HEADER: "other, me"}
    refused = entrance.refusal(headers)
    assert refused.outcome is Outcome.REFUSED
    assert "leads back here" in refused.message


def test_the_mark_names_every_server_on_the_way():
    assert marked({}, "a") == "a"
    assert marked({HEADER: marked({}, "a")}, "b") == "a,b"


def test_a_way_that_does_not_end_is_refused():
    way = ",".join(f"s{n}" for n in range(MAX_SERVERS))
    assert refusal({HEADER: way}, "me") is None
    refused: Any = refusal({HEADER: way + ",one-more"}, "me")
    assert refused.outcome is Outcome.REFUSED


def test_a_bug_of_ours_costs_nothing_and_its_text_is_not_logged(auth, caplog):
    def broken(*_):
        raise ValueError(NEW)

    entrance = Entrance(broken, auth=auth, admission=Admission(100), instance="me")
    with caplog.at_level(logging.ERROR, "toolscore_otel"):
        reply = entrance.handle(Signal.TRACES, b"", {})
    assert reply.outcome is Outcome.RETRY
    assert "ValueError in test_entrance.py:" in caplog.text
    assert NEW not in caplog.text


def test_secret_text_shows_itself_to_nobody_who_does_not_ask():
    text = SecretText(OLD)
    assert OLD not in f"{text} {text!r} {[text]}"
    assert text.reveal() == OLD
    assert text == SecretText(OLD)
    assert text != SecretText(NEW)
    assert text != OLD
    assert len({text, SecretText(OLD)}) == 1
    assert not SecretText("")
