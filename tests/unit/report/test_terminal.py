from io import BytesIO, StringIO, TextIOWrapper

import pytest
from hypothesis import given, strategies as st
from rich.console import Console
from rich.text import Text

from toolscore_otel.model import ContentState, Stage, Status, ToolCall
from toolscore_otel.report.terminal import (
    ASCII,
    UNICODE,
    legend,
    marks_of,
    money,
    number,
    offset,
    plain,
    print_packed,
    print_wrapped,
    short_args,
    some,
    status_mark,
    stdout_console,
    took,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "?"),
        (0.0, "0 ms"),
        (0.0542, "54 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.00 s"),
        (5.0205, "5.02 s"),
        (9.996, "10.0 s"),
        (59.96, "1 m 00 s"),
        (185.0, "3 m 05 s"),
        (7620.0, "2 h 07 m"),
    ],
)
def test_a_duration_is_short_and_never_rounds_to_sixty(seconds, text):
    assert text == took(seconds)


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (None, "?"),
        (0.0, "$0.0000"),
        (0.2207625, "$0.2208"),
        (0.00004, "<$0.0001"),
        (1234.5, "$1,234.50"),
    ],
)
def test_an_amount_that_is_not_known_is_not_zero(usd, text):
    assert text == money(usd)


def test_a_time_since_the_start_keeps_its_unit():
    assert [offset(s) for s in (0.05, 14.47, 185, None)] == ["0.05 s", "14.47 s", "3 m 05 s", "?"]


def test_a_count_that_is_not_known_is_a_question_mark():
    assert [number(n) for n in (None, 0, 109_545)] == ["?", "0", "109,545"]


def test_a_noun_follows_its_count():
    assert [
        some(1, "call"),
        some(0, "call"),
        some(2, "trajectory"),
    ] == ["1 call", "0 calls", "2 trajectories"]


def test_telemetry_cannot_steer_the_terminal():
    assert plain("a \x1b[31mb\n\n\u202ec\td") == "a �[31mb �c d"


@given(st.text())
def test_plain_text_is_one_printable_line(text):
    assert plain(text) == "" or plain(text).isprintable()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (ToolCall(tool="t"), "not recorded"),
        (ToolCall(tool="t", args={}), "{}"),
        (ToolCall(tool="t", args={"id": "O-1", "n": None}), 'id="O-1", n=null'),
        (ToolCall(tool="t", args=["a"]), '["a"]'),
        (ToolCall(tool="t", args={"a": "\ud800"}), 'a="�"'),
        (
            ToolCall(tool="t", args_text='{"a": "b', args_state=ContentState.TRUNCATED),
            'cut: {"a": "b',
        ),
        (
            ToolCall(tool="t", args_text="{oops", args_state=ContentState.UNPARSABLE),
            "no JSON: {oops",
        ),
    ],
)
def test_arguments_say_what_is_known_of_them(call, text):
    assert text == short_args(call).plain


@pytest.mark.parametrize(
    ("call", "sign"),
    [
        (ToolCall(tool="t", status=Status.OK), "✓"),
        (ToolCall(tool="t", status=Status.ERROR), "✗"),
        (ToolCall(tool="t"), "?"),
        (ToolCall(tool="t", stage=Stage.REQUESTED), "○"),
    ],
)
def test_a_status_reads_without_colour(call, sign):
    assert sign == status_mark(call, UNICODE).plain


def test_the_legend_explains_the_signs_in_use():
    calls = [ToolCall(tool="t", status=Status.OK), ToolCall(tool="t", stage=Stage.REQUESTED)]

    assert legend(calls, UNICODE) == "✓ ok   ○ asked for, not seen to run   ? not known"


def test_signs_are_ascii_where_the_output_is():
    ascii_only = TextIOWrapper(BytesIO(), encoding="ascii")

    assert ASCII is marks_of(Console(file=ascii_only))
    assert UNICODE is marks_of(Console(file=StringIO()))


def test_what_an_encoding_lacks_raises_nothing(monkeypatch):
    out = BytesIO()
    monkeypatch.setattr("sys.stdout", TextIOWrapper(out, encoding="ascii"))
    console = stdout_console()

    console.print(Text("größer"))
    console.file.flush()

    assert out.getvalue() == b"gr??er\n"


def test_a_paragraph_keeps_its_indent_and_has_no_blanks_at_line_ends(shown):
    print_wrapped(shown.console, Text("word " * 30), indent=4)

    assert all(line.startswith("    word") and line == line.rstrip() for line in shown.lines)
    assert len(shown.lines) == 2


def test_parts_are_not_torn(shown):
    print_packed(shown.console, ["a" * 30, "trace " + "b" * 32, "call c"], indent=2)

    assert [f"  {'a' * 30}, trace {'b' * 32},", "  call c"] == shown.lines
