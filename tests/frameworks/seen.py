"""The rows of the pages' tables, from what was seen in the runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tests.frameworks.catalogue import NONE, Framework
from tests.frameworks.page import RUNS, Page
from tests.frameworks.runs import Run
from toolscore_otel import Span, ToolCall
from toolscore_otel.model import ContentState, Status

FIELDS = ("name", "arguments", "result", "status", "agent", "call id")


def index_row(framework: Framework, runs: dict[str, Run]) -> str:
    """A framework's line among all: what comes by default, the switch, and what is observed in none of its runs."""
    command = Page(framework.name).commands.get(RUNS[1])
    switch = framework.switch or (command.switch if command else NONE)
    observed = [dict(zip(FIELDS, _observed(run), strict=True)) for run in runs.values()]
    never = [field for field in FIELDS if all(one[field] == "no" for one in observed)]
    return _line(
        f"[{framework.title}](frameworks/{framework.name}.md)",
        framework.instrumentation,
        observed[0]["arguments"],
        switch,
        ", ".join(never) or "-",
    )


def observed_rows(runs: dict[str, Run]) -> list[str]:
    """What a call says in each run."""
    return [_line(word, *_observed(run)) for word, run in runs.items()]


def place_rows(runs: dict[str, Run]) -> list[str]:
    """Where the spans of each run hold what was said: a line for each kind of text."""
    kinds = next(iter(runs.values())).texts
    return [_line(kind, *(_places(run, kind) for run in runs.values())) for kind in kinds]


def _observed(run: Run) -> tuple[str, ...]:
    """`yes`, `no`, or for which calls."""
    ok = [_has(call) for call, ran in zip(run.calls, run.ran, strict=True) if ran.error is None]
    failed = [_has(call) for call, ran in zip(run.calls, run.ran, strict=True) if ran.error]
    return tuple(_word([one[at] for one in ok], [one[at] for one in failed]) for at in FIELDS)


def _has(call: ToolCall) -> dict[str, bool]:
    return {
        "name": bool(call.tool),
        "arguments": call.args_state is ContentState.OBSERVED,
        "result": call.result_state is ContentState.OBSERVED,
        "status": call.status is not Status.UNKNOWN,
        "agent": call.agent is not None,
        "call id": call.call_id is not None,
    }


def _word(ok: list[bool], failed: list[bool]) -> str:
    if all(ok) and all(failed):
        return "yes"
    if not any(ok) and not any(failed):
        return "no"
    return "unless failed" if all(ok) and not any(failed) else "some"


def _places(run: Run, kind: str) -> str:
    places = {place for span in run.spans for place in _holding(span, run.texts[kind])}
    return ", ".join(sorted(places)) or "-"


def _holding(span: Span, text: str) -> Iterator[str]:
    """What of a span holds a text. Numbers within names are N; an exception's attributes are its event."""
    yield from (f"`{name}`" for name in _names(span.attributes.items(), text))
    for event in span.events:
        if any(True for _ in _names(event.attributes.items(), text)):
            yield f"event `{event.name}`"
    if text in (span.status_message or ""):
        yield "status"


def _names(attributes: Iterable[tuple[str, Any]], text: str) -> Iterator[str]:
    for name, value in attributes:
        if text in str(value):
            yield re.sub(r"\.\d+(?=\.|$)", ".N", name)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
