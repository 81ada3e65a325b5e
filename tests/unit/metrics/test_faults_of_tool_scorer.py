"""Small inputs that tool-scorer 1.10.0 answers wrongly, each with the answer that is right, worked out by hand."""

from __future__ import annotations

import base64
import json
from math import inf, nan
from typing import Any

import pytest

from toolscore_otel.matchers import Answer, JudgedCall, Schema
from toolscore_otel.metrics import (
    Approx,
    OneOf,
    calculate_argument_f1,
    calculate_cost_attribution,
    calculate_field_accuracy,
    calculate_latency,
    calculate_redundant_call_rate,
    calculate_required_call_recall,
    calculate_semantic_correctness,
    calculate_side_effect_success_rate,
    call_matches_rule,
    check_forbidden_calls,
    expected_calls,
    find_secrets,
    redact_secrets,
    rules_from_json,
    trajectory_scores,
)
from toolscore_otel.model import Status, ToolCall
from toolscore_otel.secrets import KINDS
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.testing import make_call
from toolscore_otel.validators import file_exists, http_ok

HUGE = 10**400
AWS = make_sample("aws_access_key_id", 1)
GITHUB = make_sample("github_token_classic", 1)


def calls(*told: Any) -> list[ToolCall]:
    """Each a tool, and its arguments where some are given."""
    return [
        ToolCall(tool=one) if isinstance(one, str) else ToolCall(tool=one[0], args=one[1])
        for one in told
    ]


def f1(gold: list[Any], trace: list[Any], **more: Any) -> float | None:
    return calculate_argument_f1(calls(*gold), calls(*trace), **more)["f1"]


def forbids(wish: Any, value: Any) -> bool:
    (rule,) = rules_from_json([{"tool": "t", "args": {"x": wish}}])
    return call_matches_rule("t", {"x": value}, rule)


def secrets(args: Any, **more: Any) -> int:
    count: int = find_secrets([ToolCall(tool="t", args=args, **more)])["secret_count"]
    return count


X1, X2 = ("a", {"x": 1}), ("a", {"x": 2})


@pytest.mark.parametrize(
    ("fault", "gold", "trace", "score"),
    [
        (1, [X1], [("a", {"x": 1, "y": 2, "z": 3}), X1], 1.0),
        (1, [X1], [X1, ("a", {"x": 1, "y": 2, "z": 3})], 1.0),
        (1, [("a", {})], [X1, ("a", {})], 1.0),
        (
            2,
            [("a", {"x": 1, "y": 9}), ("a", {"x": 1, "y": 2})],
            [("a", {"x": 1, "y": 2}), ("a", {"x": 1, "y": 3}), *[("a", {"x": 7, "y": 7})] * 11],
            0.75,
        ),
        (2, ["a", X1], [X1, *[X2] * 12], 1.0),
        (3, [("a", {"x": n}) for n in range(300)], [("a", {"x": n}) for n in range(12)], 24 / 312),
        (4, [X1] * 500, [X1, X1], 4 / 502),
        (5, [("a", {"x": 1234567890123456789})], [("a", {"x": 1234567890123456700})], 0.0),
        (6, [X1], [("a", {"x": HUGE})], 0.0),
        (6, [("a", {"x": HUGE})], [("a", {"x": HUGE + 1})], 0.0),
        (7, [("a", {"c": "rm -rf"})], [("a", '{"c": "rm -rf"}')], 1.0),
        (7, [("a", {"c": 1})], [("a", "no arguments at all")], 0.0),
        (8, [X1], [("a", {"x": True})], 0.0),
        (8, [("a", {"x": False})], [("a", {"x": 0})], 0.0),
        (9, [("a", {"x": ["k "]})], [("a", {"x": ["k"]})], 1.0),
        (9, [("a", {"x": {"s": "k"}})], [("a", {"x": '{"s": " k"}'})], 1.0),
        (9, [("a", {"x": {"m": 1, "n": 2}})], [("a", {"x": {"m": 1, "n": 3}})], 0.5),
        (10, [("a", {"x": nan})], [("a", {"x": nan})], 1.0),
        (11, [("a", {"x": Approx(1)})], [("a", {"x": HUGE})], 0.0),
        (12, ["a", "z"], [X1], 2 / 3),
        (12, [("a", {}), ("z", {})], [("a", {})], 2 / 3),
        (13, [("a", {})], [X1], 0.0),
    ],
)
def test_arguments(fault, gold, trace, score):
    assert f1(gold, trace) == pytest.approx(score)


def test_11_an_infinity_takes_itself_only():
    assert Approx(inf).match(inf) is Answer.YES
    assert Approx(inf).match(5) is Answer.NO


def test_13_and_14_no_arguments_and_any_arguments_are_two_things_for_trajectories_too():
    trace = [JudgedCall(make_call("a", {"x": 1})), JudgedCall(make_call("a", {"y": 2}))]
    none = trajectory_scores(trace[:1], expected_calls([{"tool": "a", "args": {}}]))
    assert none["argument_exact"] == 0.0
    any_of_them = trajectory_scores(trace, expected_calls(["a", {"tool": "a", "args": {"x": 1}}]))
    assert any_of_them["argument_exact"] == 1.0


def test_15_an_order_is_kept_whatever_stands_before_it():
    trace = [JudgedCall(make_call(tool)) for tool in "xabcd"]
    assert trajectory_scores(trace, expected_calls(list("abcd")))["order"] == 1.0


def test_16_nothing_done_is_no_tenth_of_everything_and_a_perfect_run_is_one():
    expected = expected_calls([{"tool": "a", "args": {"x": 1}}])
    assert trajectory_scores([], expected)["selection_f1"] == 0.0
    failed = make_call("a", {"x": 1}, status=Status.ERROR)
    assert calculate_required_call_recall([failed], [failed]) == 0.0
    perfect = trajectory_scores([JudgedCall(make_call("a", {"x": 1}))], expected)
    assert (perfect["selection_f1"], perfect["argument_f1"], perfect["order"]) == (1.0, 1.0, 1.0)


def test_17_a_call_failed_when_its_status_says_so():
    told = ToolCall(tool="a", status=Status.OK, error_message="a warning")
    assert calculate_redundant_call_rate([], [told])["error_count"] == 0


def test_18_a_retry_may_have_other_calls_before_it():
    err, ok = {"status": Status.ERROR}, {"status": Status.OK}
    a, b = make_call("a", {}, **err), make_call("b", {}, **ok)
    assert calculate_redundant_call_rate([], [a, b, a])["retry_after_error_count"] == 1
    unseen = [ToolCall(tool="a")] * 3
    assert calculate_redundant_call_rate([], unseen)["identical_count"] == 0


def test_19_what_is_no_number_is_no_time_and_no_money():
    two = make_call("a", start_ns=0, end_ns=2_000_000_000)
    odd = make_call("a", start_ns=0, end_ns=nan)
    for trace in ([odd, two], [two, odd]):
        found = calculate_latency(trace)
        assert (found["total_duration"], found["max_duration"]) == (2.0, 2.0)
    assert calculate_latency([make_call("a", start_ns=5, end_ns=0)])["total_duration"] == 0.0
    costs = [make_call("a", cost_usd=cost) for cost in (1e16, 1.0, -1e16, nan)]
    assert calculate_cost_attribution(costs)["total_cost"] == 1.0


@pytest.mark.parametrize(
    "text",
    [
        f'{{"a": "line\\n{AWS}"}}',
        f"https://h/?k%3D{GITHUB}",
        f"鍵{AWS}",
        f"{GITHUB}鍵",
        base64.b64encode(f"user:{GITHUB}".encode()).decode(),
    ],
)
def test_20_and_21_a_secret_is_found_however_it_stands_there(text):
    assert secrets({"q": text}) >= 1


def test_21_keys_results_and_errors_are_looked_at():
    assert secrets({GITHUB: 1}) == 1
    assert secrets(None, result={"q": GITHUB}) == 1
    assert secrets(None, error_message=f"no such key {GITHUB}") == 1
    assert secrets({"q": json.dumps({"k": GITHUB}).replace("ghp", "\\u0067hp")}) == 1


@pytest.mark.parametrize(
    "word", ["jwt", "gitlab", "npm", "pypi", "sendgrid", "groq", "openrouter", "azure", "age"]
)
def test_22_more_kinds_are_known(word):
    kinds = [kind for kind in KINDS if word in kind]
    assert kinds
    assert any(secrets({"q": make_sample(kind, 1)}) for kind in kinds)


@pytest.mark.parametrize(
    "text",
    [
        "AKIA" + "IOSFODNN7" + "EXAMPLE",
        "sk-ant-" + "api03-YOUR-ANTHROPIC-KEY-HERE",
        "xoxb-" + "your-bot-token",
        "sk_live_" + "X" * 24,
        "ASIA" + "PACIFICSALES2024",
        "AKIA" + "0" * 16,
        "a PEM file begins with -----BEGIN RSA " + "PRIVATE KEY-----",
    ],
)
def test_23_what_only_looks_like_a_secret_is_none(text):
    assert secrets({"q": text}) == 0


def test_24_a_private_key_is_taken_out_whole_and_no_violation_shows_a_secret():
    key = make_sample("private_key_pem", 1)
    assert redact_secrets(key).count("\n") == 0
    found = check_forbidden_calls(calls(("t", {"q": GITHUB})), [{"tool": "t"}])
    assert GITHUB not in repr(found)


def test_25_depth_and_circles_end():
    circle: list[Any] = []
    circle.append(circle)
    deep: Any = GITHUB
    for _ in range(5000):
        deep = [deep]
    assert (secrets(circle), secrets(deep)) == (0, 1)
    assert secrets({"q": "\n".join([GITHUB] * 2000)}) > 0


@pytest.mark.parametrize(
    "wish",
    [
        {"$regx": "x"},
        {"$regex": "x", "$flags": "i"},
        {"$regex": "x", "plain": 1},
        {"deep": {"$regx": "x"}},
        [{"$regx": "x"}],
        {"$one_of": [{"$regx": "x"}]},
        {"$regex": "("},
        {"$one_of": "x"},
    ],
)
def test_26_and_29_what_could_never_fire_is_refused(wish):
    with pytest.raises(ValueError, match="rule 0, `x`"):
        rules_from_json([{"tool": "t", "args": {"x": wish}}])


@pytest.mark.parametrize(
    ("wish", "value", "expected"),
    [
        ({"a": {"$regex": "x"}}, {"a": "xx"}, True),
        ([{"$contains": "x"}], ["xx"], True),
        ({"$one_of": [{"$regex": "^x"}]}, "xx", True),
        ({"$contains": ".ssh"}, ["cat", "/srv/u/.ssh/id"], True),
        ({"$contains": "key"}, {"v": "a key"}, True),
        ({"$one_of": ["prod"]}, " prod ", True),
        ({"$regex": "^rm"}, "ls\nrm x", True),
        ({"$regex": "rm -rf"}, [["rm", "-rf"]], True),
        ({"$regex": "a\tb"}, {"v": "a\tb"}, True),
        ({"$contains": "rm"}, '{"c": "rm"}', True),
        ({"$contains": "rm"}, "\uff52\uff4d", True),
        ({"$contains": "rm"}, "r\u200bm", True),
        ({"$regex": "rm -rf"}, ["rm", "", "-rf"], True),
        ({"$regex": "(a+)+$"}, "a" * 5000 + "!", False),
        ({"$regex": "^true$"}, True, True),
        ({"$regex": "^1(0){16}$"}, 1e16, True),
        (9007199254740992, 9007199254740993, False),
        (True, 1, False),
        ({"$one_of": [1]}, True, False),
        (1, HUGE, False),
    ],
)
def test_5_to_8_and_27_to_29_rules(wish, value, expected):
    assert forbids(wish, value) is expected


def test_7_and_27_arguments_of_another_shape_are_looked_at():
    (rule,) = rules_from_json([{"tool": "delete", "args": {"c": {"$contains": "rm"}}}])
    (call,) = calls(("mcp__files__delete", '{"c": "rm"}'))
    assert check_forbidden_calls([call], [rule])["violation_count"] == 1
    (listed,) = calls(("delete", ["rm", "-rf"]))
    assert check_forbidden_calls([listed], [rule])["violation_count"] == 1


def test_8_a_choice_of_one_does_not_take_true():
    assert OneOf(1).match(value=True) is Answer.NO


@pytest.mark.parametrize("answer", [nan, 85, "0.5", True, -0.1, {"score": None}])
def test_31_nonsense_of_a_judge_is_no_score(answer):
    one = calls("a")
    assert (
        calculate_semantic_correctness(one, one, judge=lambda _: [answer])["semantic_score"] is None
    )


def test_31_an_extra_call_shifts_no_pairs():
    seen: list[Any] = []

    def judge(pairs: Any) -> list[float]:
        seen.extend(pairs)
        return [1.0] * len(pairs)

    gold = calls(("a", {"x": 1}), ("b", {"x": Approx(2)}))
    found = calculate_semantic_correctness(
        gold, calls("noise", *[("a", {"x": 1})], ("b", {"x": 2})), judge=judge
    )
    assert [pair["actual"]["tool"] for pair in seen] == ["a", "b"]
    assert found["semantic_score"] == pytest.approx(2 / 3)
    assert calculate_semantic_correctness([], [], judge=judge)["semantic_score"] == 1.0


@pytest.mark.parametrize(
    ("call", "passed"),
    [
        (ToolCall(tool="t", result='{"status": 500}'), 0),
        (ToolCall(tool="t", args={"url": "x"}, result={"error": "500"}), None),
        (ToolCall(tool="t", result={"status": 200}, status=Status.ERROR), 0),
        (ToolCall(tool="t", result={"status": 0}), 0),
        (ToolCall(tool="t", result={"status": 204}), 1),
    ],
)
def test_35_a_good_status_is_one_that_was_seen(call, passed):
    gold = [ToolCall(tool="t", attributes={"side_effects": {"http_ok": True}})]
    rate = calculate_side_effect_success_rate(gold, [call], {"http_ok": http_ok})["success_rate"]
    assert rate == passed


def test_35_a_file_that_must_not_be_there_and_is_fails(tmp_path):
    (tmp_path / "f").touch()
    assert (
        file_exists(ToolCall(tool="t", args={"path": "f"}), expected=False, base_path=tmp_path)
        is False
    )


def test_36_a_schema_is_one_of_json_and_a_call_that_breaks_it_is_named():
    assert Schema({"enum": [1]}).match(value=True) is Answer.NO
    assert Schema({"pattern": "^[a-z]+$"}).match("abc; rm") is Answer.NO
    gold = calls(("t", {"x": "abc"}))
    schemas = {"t": {"properties": {"x": {"pattern": "^[a-z]+$"}}}}
    trace = calls(("t", {"x": "abc; rm"}))
    assert calculate_field_accuracy(gold, trace, schemas=schemas)["invalid_calls"] == [0]
