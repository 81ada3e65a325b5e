import pytest

from toolscore_otel.model import Stage, ToolCall
from toolscore_otel.rules.shape import Standing, Verdict, key_in, subject_of
from toolscore_otel.rules.wording import (
    SWITCH,
    because,
    calls,
    did,
    seconds,
    times,
    tool_of,
    unseen,
    usd,
)


def test_who_did_what():
    assert did(ToolCall(tool="pay", agent="desk")) == "agent `desk` called `pay`"
    assert did(ToolCall(tool="pay")) == "`pay` was called"
    asked = ToolCall(tool="pay", stage=Stage.REQUESTED)
    assert did(asked) == "`pay` was asked for"
    assert did(ToolCall(tool="")) == "a tool without a name was called"


def test_names_stand_whole_and_on_one_line():
    assert tool_of(ToolCall(tool="a\n b" * 100)) == f"`{'a b' * 100}`"


def test_a_rules_own_reason_comes_last():
    assert because("it rained", "clouds") == "it rained: clouds"
    assert because("it rained", None) == "it rained"


def test_what_cannot_be_checked_names_what_is_lacking_and_how_to_get_it():
    text = "whether it rained cannot be checked: arguments and result not observed (switch on "
    assert unseen("whether it rained", ["result", "arguments", "result"]).startswith(text)
    assert unseen("whether it rained", ["times", "latency"]).count("begin or end") == 1
    assert "error, result and status not observed" in unseen("x", ["status", "error", "result"])


@pytest.mark.parametrize(("more", "text"), [(1, "1 more call:"), (2, "2 more calls:")])
def test_further_calls_are_counted(more, text):
    assert f"cannot be checked, nor of {text}" in unseen("whether", ["status"], more)


def test_every_word_of_missing_evidence_has_a_hint():
    assert all(SWITCH.values())


@pytest.mark.parametrize(("count", "text"), [(1, "once"), (2, "twice"), (3, "3 times")])
def test_times(count, text):
    assert text == times(count)


@pytest.mark.parametrize(("count", "text"), [(0, "0 calls"), (1, "1 call"), (1200, "1,200 calls")])
def test_calls(count, text):
    assert text == calls(count)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "$0.00"),
        (1.2, "$1.20"),
        (0.00042, "$0.00042"),
        (0.504, "$0.504"),
        (1234.567, "$1,234.57"),
    ],
)
def test_money_has_as_many_digits_as_it_needs(value, text):
    assert text == usd(value)


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ms"),
        (1_500_000, "1.5 ms"),
        (80_000_000, "80 ms"),
        (2_004_000_000, "2.004 s"),
        (100_000_000_000, "100 s"),
        (185_000_000_000, "3 min 5 s"),
    ],
)
def test_durations_are_for_people(ns, text):
    assert text == seconds(ns)


def test_a_subject_tells_its_call():
    assert key_in(subject_of("call_1", "jwt", "args.a")) == "call_1"
    assert subject_of("call_1") == "call_1"
    assert subject_of("a", "b/c") != subject_of("a/b", "c")


def test_only_what_stood_is_taken_back(made):
    verdict = Verdict(label="fail", kind="retry_loop", explanation="x")  # type: ignore[arg-type]
    standing = Standing()
    assert standing.changes({"a": None}) == {}
    assert {"a": verdict} == standing.changes({"a": verdict, "b": None})
    assert {"a": None, "b": verdict} == standing.changes({"a": None, "b": verdict})
    assert standing.changes({"a": None}) == {}
