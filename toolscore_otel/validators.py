"""Ready-made checks of side effects, for `calculate_side_effect_success_rate`.

    validators = {
        "http_ok": http_ok,
        "file_exists": partial(file_exists, base_path=Path("out")),
        "sql_rows": partial(sql_rows, connection=sqlite3.connect("shop.db")),
    }

Each is given the call that was made and what is expected, and says None where it cannot tell. What a call says of itself is believed
(`http_ok`, `sql_rows` without a query); a file and a query are looked at here, where the score is made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from toolscore_otel.matchers import Answer
from toolscore_otel.matchers.value import is_list, is_number, is_object
from toolscore_otel.metrics.likeness import alike, decoded
from toolscore_otel.model import ContentState, Json, ToolCall

_STATUS = ("status", "status_code", "http_status")
_PATH = ("path", "file_path", "filepath", "filename", "file", "output")
_COUNT = ("rows_affected", "rowcount", "row_count", "count", "rows")
_GOOD = range(200, 300)
_DIGITS = re.compile(r"[0-9]{1,9}")


def http_ok(call: ToolCall, expected: Json) -> bool | None:
    """Whether the result tells of a good HTTP status.

    Args:
        call: its result is a status, or an object (or JSON text of one) with `status`, `status_code` or `http_status`.
        expected: True: any from 200 to 299; False: any other; a number: that one.
    """
    result = _result(call)
    told = [result.get(key) for key in _STATUS] if is_object(result) else [result]
    status = next((number for one in told if (number := _whole(one)) is not None), None)
    if status is None:
        return None
    return (status in _GOOD) is expected if isinstance(expected, bool) else status == expected


def file_exists(call: ToolCall, expected: Json, *, base_path: Path) -> bool | None:
    """Whether a file is there, below a folder; what leads out of it is not.

    Args:
        call: where `expected` names no path, its arguments do (`path`, `file_path`, `filename`, ...).
        expected: True, False (it must not be there, of which nothing is said outside of the folder), a path, or a mapping of `path`, `contains`, `min_size`, `max_size` (bytes).
        base_path: what the path is relative to.
    """
    wishes: Mapping[str, Any] = expected if is_object(expected) else {}
    named = expected if isinstance(expected, str) else wishes.get("path") or _named(call)
    if not isinstance(named, str):
        return None
    base = base_path.resolve()
    path = (base / named).resolve()
    is_inside = path.is_relative_to(base)
    if expected is False and not is_inside:
        return None
    there = is_inside and path.is_file()
    if expected is False or not there:
        return there is (expected is not False)
    size = path.stat().st_size
    if not wishes.get("min_size", 0) <= size <= wishes.get("max_size", size):
        return False
    return str(wishes.get("contains", "")) in path.read_text(encoding="utf-8", errors="replace")


def sql_rows(call: ToolCall, expected: Json, *, connection: Any = None) -> bool | None:
    """How many rows a call gave or changed, or a query of our own finds.

    Args:
        call: its result is a number, a list of rows, or an object with `rows_affected`, `rowcount`, `count` or `rows`.
        expected: True: some; False: none; a number: so many; or a mapping of `min`, `max`, `contains_row`, `query`; a query
            without `min` and `max` wants one row at least.
        connection: an open DB-API connection, for `query`.
    """
    wishes: Mapping[str, Any] = expected if is_object(expected) else {}
    rows = _result(call)
    if "query" in wishes:
        if connection is None:
            return None
        rows = [list(row) for row in connection.execute(wishes["query"])]
    count, listed = _counted(rows)
    if count is None or ("contains_row" in wishes and listed is None):
        return None
    if "contains_row" in wishes and not any(
        _holds(row, wishes["contains_row"]) for row in listed or ()
    ):
        return False
    if is_object(expected):
        least = wishes.get("min", int("query" in wishes and "max" not in wishes))
        return bool(least <= count <= wishes.get("max", count))
    return (count > 0) is expected if isinstance(expected, bool) else count == expected


def _result(call: ToolCall) -> Json:
    if call.result_state is not ContentState.OBSERVED:
        return None
    return decoded(call.result) if isinstance(call.result, str) else call.result


def _named(call: ToolCall) -> Json:
    args = decoded(call.args) if isinstance(call.args, str) else call.args
    return next((args[key] for key in _PATH if args.get(key)), None) if is_object(args) else None


def _counted(rows: Json) -> tuple[int | None, list[Json] | None]:
    """The number of rows, and the rows where they are there."""
    told = [rows.get(key) for key in _COUNT] if is_object(rows) else [rows]
    for one in told:
        if is_list(one):
            return len(one), one
        if (count := _whole(one)) is not None:
            return count, None
    return None, None


def _holds(row: Json, wanted: Json) -> bool:
    if is_object(row) and is_object(wanted):
        return all(
            key in row and alike(value, row[key]) is Answer.YES for key, value in wanted.items()
        )
    return alike(wanted, row) is Answer.YES


def _whole(value: Json) -> int | None:
    """A whole number, also as text; None for anything else."""
    if isinstance(value, str):
        return int(value) if _DIGITS.fullmatch(value) else None
    return int(value) if is_number(value) and isfinite(value) and value == int(value) else None
