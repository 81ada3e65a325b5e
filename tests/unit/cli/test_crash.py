"""What is told of a bug."""

import sys
import threading
from types import SimpleNamespace

import pytest

from toolscore_otel.cli.crash import FRAMES, HEAD, told, watched
from toolscore_otel.secrets.samples import make_sample

SECRET = make_sample("github_token_classic", 1)


def broken(depth: int) -> None:
    if depth:
        broken(depth - 1)
    nothing: dict[str, int] = {}
    try:
        nothing[SECRET] += 1
    except KeyError as error:
        raise ValueError(f"{SECRET} and my data") from error


def caught(depth: int = 0) -> ValueError:
    with pytest.raises(ValueError, match="my data") as raised:
        broken(depth)
    return raised.value


def test_places_and_kinds_are_told_and_no_text():
    lines = told(caught()).splitlines()
    assert lines[0] == HEAD
    assert [line.strip() for line in lines[1:] if ".py" not in line] == [
        "KeyError",
        "and from there",
        "ValueError",
    ]
    assert f"{__file__}:" in lines[1]
    assert lines[1].endswith("in broken")
    assert not any(SECRET in line or "my data" in line for line in lines)


def test_of_many_calls_the_innermost_are_shown():
    lines = told(caught(3 * FRAMES)).splitlines()
    assert sum("in broken" in line for line in lines) == 1 + FRAMES


def test_what_an_error_was_raised_instead_of_is_not_told_where_it_was_put_aside():
    error = caught()
    error.__suppress_context__, error.__cause__ = True, None
    assert "KeyError" not in told(error)


def test_an_error_in_a_thread_is_told_likewise(capsys):
    before = threading.excepthook, sys.unraisablehook
    with watched():
        thread = threading.Thread(target=broken, args=(0,))
        thread.start()
        thread.join()
    said = capsys.readouterr().err
    assert said.startswith(HEAD)
    assert SECRET not in said
    assert (threading.excepthook, sys.unraisablehook) == before


def test_an_error_that_python_can_raise_nowhere_is_told_likewise(capsys):
    class Odd:
        def __del__(self) -> None:
            raise ValueError(SECRET)

    with watched():
        del (held := SimpleNamespace(odd=Odd())).odd
    said = capsys.readouterr().err
    assert held == SimpleNamespace()
    assert "ValueError" in said
    assert SECRET not in said


def test_a_thread_that_ends_itself_is_no_bug(capsys):
    with watched():
        thread = threading.Thread(target=sys.exit, args=(SECRET,))
        thread.start()
        thread.join()
    assert capsys.readouterr().err == ""
