"""What the server says of itself."""

import io
import json
import logging

import pytest

from toolscore_otel.server.logs import EVERY, FIRST, INTERVAL_S, Sampling, start_logging


@pytest.fixture
def logged():
    """Sets logging up and gives what is written; puts back what was there."""
    logger = logging.getLogger("toolscore_otel")
    before = logger.handlers[:], logger.level, logger.propagate
    others = logging.getLogger().handlers[:]
    written = io.StringIO()

    def start(encoding):
        start_logging(encoding, to=written)
        return logging.getLogger("toolscore_otel.server"), written

    yield start
    logger.handlers[:], logger.level, logger.propagate = before
    logging.getLogger().handlers[:] = others


def test_what_a_library_says_is_a_line_without_its_traceback(logged):
    _, written = logged("json")
    logging.getLogger("uvicorn.error").error("it broke", exc_info=ValueError("what was sent"))
    (line,) = written.getvalue().splitlines()
    assert json.loads(line)["message"] == "it broke"
    assert "what was sent" not in line


def test_people_read_one_line_with_its_facts(logged):
    log, written = logged("console")
    log.warning("taken by\n%s", "another", extra={"endpoint": "a:1"})
    log.debug("not shown")
    (line,) = written.getvalue().splitlines()
    assert line.endswith("Z warning taken by another endpoint=a:1")


def test_machines_read_one_object_a_line(logged):
    log, written = logged("json")
    log.error("gone", extra={"port": 1})
    told = json.loads(written.getvalue())
    assert told.pop("time").endswith("Z")
    assert told == {"level": "error", "message": "gone", "logger": "toolscore_otel.server", "port": 1}  # fmt: skip


def record(message, at):
    """A record of a moment."""
    made = logging.makeLogRecord({"msg": message, "levelno": logging.INFO, "name": "n"})
    made.created = at
    return made


def test_what_repeats_is_shown_first_and_then_now_and_again():
    sampling = Sampling()
    shown = [n for n in range(1, 301) if sampling.filter(record("again", 0.0))]
    assert shown == [*range(1, FIRST + 1), EVERY, 2 * EVERY, 3 * EVERY]


def test_another_interval_or_another_message_begins_anew():
    sampling = Sampling()
    for _ in range(50):
        sampling.filter(record("again", 0.0))
    assert not sampling.filter(record("again", INTERVAL_S - 1))
    assert sampling.filter(record("other", 1.0))
    assert sampling.filter(record("again", INTERVAL_S))
