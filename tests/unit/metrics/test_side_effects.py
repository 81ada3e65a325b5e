"""Effects that were expected, checked by what is passed in, and the ready-made checks."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from functools import partial

import pytest

from toolscore_otel.metrics import Validator, calculate_side_effect_success_rate
from toolscore_otel.model import Status, ToolCall
from toolscore_otel.testing import make_call
from toolscore_otel.validators import file_exists, http_ok, sql_rows


def expecting(tool: str, **effects: object) -> ToolCall:
    return ToolCall(tool=tool, attributes={"side_effects": effects})


def _raises(call: ToolCall, expected: object) -> bool:
    raise OSError("disk is gone")


def test_every_expected_effect_is_checked_once():
    gold = [
        expecting("a", yes=True, no=True, boom=1, lost=1, unseen=1),
        expecting("b", yes=True),
        ToolCall(tool="c"),
    ]
    checks: dict[str, Validator] = {
        "yes": lambda *_: True,
        "no": lambda *_: False,
        "boom": _raises,
        "unseen": lambda *_: None,
    }
    found = calculate_side_effect_success_rate(gold, [make_call("a", {})], checks)
    assert [(one["check"], one["passed"], one["reason"]) for one in found["details"]] == [
        ("yes", True, "the effect is there"),
        ("no", False, "the effect is not there"),
        ("boom", False, "OSError: disk is gone"),
        ("lost", None, "no validator of this name was passed in"),
        ("unseen", None, "what would tell was not observed"),
        ("yes", False, "the call was not made"),
    ]
    assert (found["total_checks"], found["passed_checks"], found["success_rate"]) == (6, 1, 0.25)


def test_checks_that_nobody_can_make_are_counted_and_have_no_rate():
    gold = [expecting("a", yes=1, no=1)]
    found = calculate_side_effect_success_rate(gold, [make_call("a", {})])
    assert (found["total_checks"], found["passed_checks"], found["success_rate"]) == (2, 0, None)


def test_a_call_that_failed_had_no_effect():
    failed = make_call("a", {}, status=Status.ERROR)
    found = calculate_side_effect_success_rate(
        [expecting("a", yes=1)], [failed], {"yes": lambda *_: True}
    )
    assert (found["success_rate"], found["details"][0]["reason"]) == (0.0, "the call failed")


def test_without_checks_there_is_no_rate():
    gold = [ToolCall(tool="a"), ToolCall(tool="a", attributes={"side_effects": "none"})]
    assert calculate_side_effect_success_rate(gold, [])["success_rate"] is None


@pytest.mark.parametrize(
    ("result", "expected", "passed"),
    [
        ({"status": 200}, True, True),
        ({"status_code": 204}, True, True),
        ('{"status": 500}', True, False),
        ({"error": "500"}, True, None),
        ({"status": 0}, True, False),
        ({"status": "200"}, True, True),
        ({"status": "ok", "status_code": 201}, True, True),
        ({"status": 404}, 404, True),
        ({"status": 404}, False, True),
        (200, True, True),
        (200.5, True, None),
        (float("inf"), True, None),
        ("done", True, None),
        (None, True, None),
    ],
)
def test_http_ok(result, expected, passed):
    assert http_ok(make_call("get", {}, result=result), expected) is passed


@pytest.fixture
def in_folder(tmp_path):
    (tmp_path / "out.txt").write_text("hello")
    return partial(file_exists, base_path=tmp_path)


@pytest.mark.parametrize(
    ("args", "expected", "passed"),
    [
        ({"path": "out.txt"}, True, True),
        ({"path": "out.txt"}, False, False),
        ({"path": "no.txt"}, True, False),
        ({"path": "no.txt"}, False, True),
        ('{"filename": "out.txt"}', True, True),
        ({}, "out.txt", True),
        ({}, {"path": "out.txt", "contains": "ell"}, True),
        ({}, {"path": "out.txt", "contains": "x"}, False),
        ({}, {"path": "out.txt", "min_size": 6}, False),
        ({}, {"path": "out.txt", "max_size": 4}, False),
        ({"path": "../../../etc/passwd"}, True, False),
        ({"path": "../../../etc/passwd"}, False, None),
        ({"path": None, "filename": "out.txt"}, True, True),
        ({"path": "", "file": "out.txt"}, True, True),
        ({"path": "/etc/passwd"}, True, False),
        ({"url": "x"}, True, None),
        (None, True, None),
    ],
)
def test_file_exists(in_folder, args, expected, passed):
    assert in_folder(make_call("write", args), expected) is passed


@pytest.mark.parametrize(
    ("result", "expected", "passed"),
    [
        (3, True, True),
        (0, False, True),
        (2, 2, True),
        ([1, 2], {"min": 2, "max": 2}, True),
        ([1, 2], {"min": 3}, False),
        ({"rowcount": 1}, 1, True),
        ({"rows": [{"id": 7, "n": "x"}]}, {"contains_row": {"id": 7}}, True),
        ({"rows": [{"id": 8}]}, {"contains_row": {"id": 7}}, False),
        ([[1, "a"]], {"contains_row": [1, "a"]}, True),
        (3, {"contains_row": {"id": 7}}, None),
        (json.dumps([1]), True, True),
        ("done", True, None),
        (1, {"query": "select 1"}, None),
    ],
)
def test_sql_rows(result, expected, passed):
    assert sql_rows(make_call("query", {}, result=result), expected) is passed


def test_a_query_of_our_own_is_asked():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table t (id int, name text)")
        connection.execute("insert into t values (1, 'a')")
        check = partial(sql_rows, connection=connection)
        asked = {"query": "select * from t", "contains_row": [1, "a"]}
        assert check(make_call("insert"), asked) is True
        assert (
            check(make_call("insert"), {"query": "select * from t where id = 2", "min": 1}) is False
        )


def test_a_query_wants_a_row_at_least_where_it_does_not_say_otherwise():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table t (id int)")
        wishes: list[dict[str, int]] = [{}, {"min": 0}, {"max": 0}, {"max": 3}]
        asked = [{"query": "select * from t", **more} for more in wishes]
        found = [sql_rows(make_call("insert"), one, connection=connection) for one in asked]
    assert found == [False, True, True, True]
