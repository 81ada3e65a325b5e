"""Plain lists of forbidden calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolscore_otel.errors import InputError
from toolscore_otel.metrics import (
    ANY,
    OneOf,
    call_matches_rule,
    check_forbidden_calls,
    load_forbidden_rules,
    rules_from_json,
)
from toolscore_otel.metrics.likeness import expectation
from toolscore_otel.model import ContentState, ToolCall
from toolscore_otel.secrets import KINDS
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.testing import make_call

TOKEN = make_sample(next(kind for kind in KINDS if "github" in kind), 1)


def matches(value: object, condition: object) -> bool:
    (rule,) = rules_from_json([{"tool": "t", "args": {"x": condition}}])
    return call_matches_rule("t", {"x": value}, rule)


def test_the_first_rule_that_forbids_a_call_is_told():
    rules: list[dict[str, Any]] = [
        {"tool": "b"},
        {"tool": "a", "args": {"x": 1}, "reason": "no"},
        {"tool": "a"},
    ]
    calls = [make_call("a", {"x": 1.0, "y": TOKEN}), make_call("c", {}), make_call("a", {"x": 2})]
    found = check_forbidden_calls(calls, rules)
    assert (found["violation_count"], found["rule_count"]) == (2, 3)
    first, second = found["violations"]
    assert (first["index"], first["tool"], first["rule"], first["reason"]) == (0, "a", 1, "no")
    assert (second["index"], second["rule"], second["reason"]) == (2, 2, None)
    assert first["args"]["x"] == 1.0
    assert TOKEN not in repr(found)


def test_what_was_not_observed_is_neither_allowed_nor_forbidden():
    rules = [{"tool": "a", "args": {"x": 1}}]
    cut = ToolCall(tool="a", args_text='{"y": 2, "x', args_state=ContentState.TRUNCATED)
    found = check_forbidden_calls([ToolCall(tool="a"), cut, make_call("a", {})], rules)
    assert found["violation_count"] == 0
    assert found["cannot_check"] == [
        {"index": 0, "tool": "a", "rule": 0},
        {"index": 1, "tool": "a", "rule": 0},
    ]


@pytest.mark.parametrize(
    ("value", "condition", "expected"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (1, True, False),
        (9007199254740993, 9007199254740992, False),
        (10**400, 1, False),
        (None, None, True),
        (" prod ", "prod", True),
        ('{"c": "rm"}', {"c": "rm"}, True),
        ("sudo rm -rf /", {"$regex": "rm\\s+-rf"}, True),
        (["rm", "-rf"], {"$regex": "rm\\s+-rf"}, True),
        ([["rm", "-rf"]], {"$regex": "rm\\s+-rf"}, True),
        (["rm", "", "-rf"], {"$regex": "rm -rf"}, True),
        ("ls\nrm x", {"$regex": "^rm"}, True),
        ({"cmd": "a\tb"}, {"$regex": "a\\sb"}, True),
        ({"cmd": "rm"}, {"$regex": "^rm$"}, True),
        ('{"cmd": ["rm", "-rf"]}', {"$regex": "rm -rf"}, True),
        ('{"cmd": 1}', {"$regex": "cmd"}, True),
        ("\uff52\uff4d -rf", {"$regex": "rm -rf"}, True),
        ("r\u200bm -rf", {"$regex": "rm -rf"}, True),
        ("r\u200bm", {"$contains": "rm"}, True),
        (True, {"$regex": "^true$"}, True),
        (1e16, {"$regex": "^10{16}$"}, True),
        (None, {"$regex": "."}, False),
        (["a", None], {"$regex": "^a$"}, True),
        ("a" * 2000 + "!", {"$regex": "(a+)+$"}, False),
        (["cat", "x/.ssh/id"], {"$contains": ".ssh"}, True),
        ({"path": "/.ssh"}, {"$contains": ".ssh"}, True),
        ({"path": 1}, {"$contains": "path"}, True),
        ([1, 2], {"$contains": 2}, True),
        ([1, 2], {"$contains": 3}, False),
        ([{"n": 5}], {"$contains": {"n": {"$gt": 4}}}, True),
        (5, {"$contains": "6"}, False),
        (" prod ", {"$one_of": ["prod"]}, True),
        ("\uff50rod", {"$one_of": ["prod"]}, True),
        (True, {"$one_of": [1]}, False),
        ({"env": "prod"}, {"$one_of": [{"env": {"$regex": "pr"}}]}, True),
        ({"a": {"b": ["x"]}}, {"a": {"b": [{"$regex": "x"}]}}, True),
        (7, {"$gt": 5, "$lt": 6}, False),
        (5.5, {"$gt": 5, "$lt": 6}, True),
        ("[REDACTED]", {"$regex": "x"}, False),
        (False, {"$contains": "a"}, False),
        (12, {"$contains": "2"}, False),
        (12, {"$contains": ""}, False),
        ([12, "x"], {"$contains": "2"}, False),
        ({"n": 12}, {"$contains": "2"}, False),
        ("x12", {"$contains": "2"}, True),
        ({"admin": True}, {"$regex": "admin"}, True),
        ([{"a": {"Admin": None}}], {"$regex": "(?i)^admin$"}, True),
        ({"a": "rm", "b": "-rf"}, {"$regex": "rm -rf"}, True),
        ([], {"$regex": ".*"}, True),
        ([None], {"$regex": "^$"}, True),
        ({}, {"$regex": ".*"}, True),
        ([], {"$regex": "."}, False),
    ],
)
def test_a_condition_looks_through_a_value(value, condition, expected):
    assert matches(value, condition) is expected


def test_nested_arguments_are_named_by_their_path():
    (rule,) = rules_from_json([{"tool": "t", "args": {"user.id": 7}}])
    assert call_matches_rule("t", {"user": {"id": 7}}, rule)
    assert not call_matches_rule("t", None, rule)
    assert call_matches_rule(
        "t", {"user": {"id": 7}}, {"tool": "t", "args": {"user.id": OneOf(7, 8)}}
    )


def test_arguments_without_names_and_as_text_are_looked_at():
    (rule,) = rules_from_json([{"tool": "t", "args": {"c": {"$regex": "rm"}}}])
    calls = [make_call("t", '{"c": "rm"}'), make_call("t", ["rm"]), make_call("t", ["ls"])]
    assert [one["index"] for one in check_forbidden_calls(calls, [rule])["violations"]] == [0, 1]


@pytest.mark.parametrize(
    ("tool", "named", "expected"),
    [
        ("delete", "delete", True),
        ("Delete", "delete", False),
        ("mcp__files__delete", "delete", True),
        ("mcp__files__delete", "mcp__*__delete", True),
        ("mcp__delete", "delete", False),
        ("delete_user", "delete_*", True),
        ("t[1]", "t[1]", True),
        ("mcp__files__t[1]", "t[1]", True),
        ("t1", "t[1]", True),
        ("t[2]", "t[1]", False),
    ],
)
def test_tools_are_named_exactly_or_by_globs(tool, named, expected):
    assert call_matches_rule(tool, {}, {"tool": named}) is expected


def test_a_cut_text_that_shows_it_is_forbidden_and_one_that_may_hide_it_is_open():
    rules = rules_from_json([{"tool": "t", "args": {"c": {"$regex": "rm"}}}])
    texts = ['{"c": "rm -', '{"c": ["ls", "r', '{"c": {"a": "ls", "b": 1']
    cut = ContentState.TRUNCATED
    calls = [ToolCall(tool="t", args_state=cut, args_text=text) for text in texts]
    calls.append(make_call("t", '{"c": "ls"}'))
    found = check_forbidden_calls(calls, rules)
    assert [one["index"] for one in found["violations"]] == [0]
    assert [one["index"] for one in found["cannot_check"]] == [1, 2]


@pytest.mark.parametrize(
    ("rules", "kind", "message"),
    [
        ({"tool": "a"}, TypeError, "a list"),
        (({"tool": "a"},), TypeError, "a list"),
        (["a"], ValueError, "no mapping"),
        ([{"args": {}}], ValueError, "no `tool`"),
        ([{"tool": 5}], ValueError, "no `tool`"),
        ([{"tool": "a", "args": []}], ValueError, "`args` of rule 0"),
        ([{"tool": "a", "args": {"x": {"$regx": "a"}}}], ValueError, r"`\$regex`"),
        ([{"tool": "a", "args": {"x": {"$regex": "a", "$flags": "i"}}}], ValueError, r"\$flags"),
        ([{"tool": "a", "args": {"x": {"$regex": "a", "y": 1}}}], ValueError, "plain keys"),
        ([{"tool": "a", "args": {"x": {"$regex": "("}}}], ValueError, "no regular expression"),
        ([{"tool": "a", "args": {"x": {"$regex": 1}}}], ValueError, "as text"),
        ([{"tool": "a", "args": {"x": {"$one_of": 1}}}], ValueError, "must be a list"),
        ([{"tool": "a", "args": {"x": [{"y": {"$nope": 1}}]}}], ValueError, "unknown operator"),
    ],
)
def test_a_rule_that_could_never_fire_is_refused(rules, kind, message):
    with pytest.raises(kind, match=message):
        rules_from_json(rules)


def test_rules_that_are_none_are_refused_where_they_are_used_too():
    with pytest.raises(TypeError, match="a list"):
        check_forbidden_calls([], {})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no `tool`"):
        check_forbidden_calls([], [{}])


def test_matchers_say_what_they_ask_for():
    (rule,) = rules_from_json([{"tool": "t", "args": {"x": {"$regex": "a"}, "y": 1}}])
    assert rule["args"]["x"].describe() == "$regex 'a' holds"
    assert not call_matches_rule("t", {"y": 1}, rule)
    both = expectation([ANY, 1])
    assert both is not None
    assert both.describe() == "is a list of 2 (is ANY; is 1)"


def test_rules_are_loaded_from_a_file(tmp_path):
    file = tmp_path / "rules.json"
    file.write_text(json.dumps([{"tool": "a", "args": {"x": {"$regex": "b"}}, "reason": "why"}]))
    (rule,) = load_forbidden_rules(file)
    assert call_matches_rule("a", {"x": "abc"}, rule)
    assert rule["reason"] == "why"
    file.write_text("{")
    with pytest.raises(InputError, match="no JSON"):
        load_forbidden_rules(str(file))
    with pytest.raises(InputError, match="cannot be read"):
        load_forbidden_rules(tmp_path / "nowhere.json")
