"""Rules on one trajectory, without an engine around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import pytest
from msgspec import structs

from toolscore_otel.engine.presenting import Presenting
from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import (
    CallKind,
    ContentState,
    Gap,
    Label,
    Stage,
    Status,
    ToolCall,
    Trajectory,
)
from toolscore_otel.rules import RunContext, Totals, Verdict
from toolscore_otel.rules.wording import unseen

MS = 1_000_000

MakeCall = Callable[..., ToolCall]


@pytest.fixture
def made() -> MakeCall:
    """A call that ran and went well: each begins 10 ms after the one before and takes 5 ms, unless it says otherwise."""
    numbers = count(1)

    def make(
        tool: str = "search",
        args: Any = None,
        *,
        at: float | None = -1,
        took: float | None = 5,
        result: Any = ...,
        **fields: Any,
    ) -> ToolCall:
        number = next(numbers)
        start = None if at is None else at if at >= 0 else number * 10
        seen = result is not ...
        known: dict[str, Any] = {
            "args": args,
            "result": result if seen else None,
            "result_state": ContentState.OBSERVED if seen else ContentState.NOT_OBSERVED,
            "status": Status(fields.pop("status", "ok")),
            "stage": Stage(fields.pop("stage", "executed")),
            "kind": CallKind(fields.pop("kind", "tool")),
            "start_ns": None if start is None else round(start * MS),
            "end_ns": None if start is None or took is None else round((start + took) * MS),
            "key": f"c{number}",
            "call_id": f"c{number}",
        }
        return ToolCall(tool=tool, **(known | fields))

    return make


class Watched:
    """A rule on one trajectory, and the verdicts that stand."""

    def __init__(self, rule: Any) -> None:
        self.compiled = rule.compile()
        self.state = self.compiled.start(RunContext(None, Presenting([])))
        self.stands: dict[str, Verdict] = {}

    def put(self, *calls: ToolCall | JudgedCall) -> Watched:
        for call in calls:
            self.state.put(call if isinstance(call, JudgedCall) else JudgedCall(call))
        return self.note(self.state.changes())

    def drop(self, *keys: str) -> Watched:
        for key in keys:
            self.state.drop(key)
        return self.note(self.state.changes())

    def replace(self, call: ToolCall, **fields: Any) -> Watched:
        self.state.drop(call.key)
        return self.put(structs.replace(call, **fields))

    def total(self, **sums: Any) -> Watched:
        self.state.total(Totals(**sums))
        return self.note(self.state.changes())

    def close(self, gaps: Iterable[Gap] = ()) -> Watched:
        return self.note(self.state.close(Trajectory(gaps=tuple(gaps))))

    def note(self, changes: Any) -> Watched:
        for subject, verdict in changes.items():
            self.stands.pop(subject, None)
            if verdict is not None:
                self.stands[subject] = verdict
        return self

    @property
    def fails(self) -> list[Verdict]:
        return [v for v in self.stands.values() if v.label is Label.FAIL]

    @property
    def unsure(self) -> list[Verdict]:
        return [v for v in self.stands.values() if v.label is Label.CANNOT_CHECK]

    @property
    def failing(self) -> list[str]:
        """Keys of the calls that findings sit on."""
        return sorted(v.call.key if v.call else "" for v in self.fails)

    @property
    def lacks(self) -> set[str]:
        """Evidence that was missing; all of it has words."""
        words = {word for verdict in self.unsure for word in verdict.missing}
        assert not self.unsure or unseen("whether", words)
        return words

    def only(self) -> Verdict:
        """The one verdict that stands."""
        (verdict,) = self.stands.values()
        return verdict

    @property
    def silent(self) -> bool:
        return not self.stands


@pytest.fixture
def watch() -> Callable[..., Watched]:
    """Start a rule, and put calls."""
    return lambda rule, *calls: Watched(rule).put(*calls)
