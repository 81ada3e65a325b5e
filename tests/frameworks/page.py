"""The rows of `docs/pages/frameworks.md`, from what was seen in the runs."""

from __future__ import annotations

from tests.frameworks.catalogue import Framework
from tests.frameworks.environments import pins
from tests.frameworks.runs import Run
from toolscore_otel import ToolCall
from toolscore_otel.model import ContentState, Status


def rows(framework: Framework, runs: dict[str, Run]) -> list[str]:
    """What is observed: a line for each way of recording."""
    versions = pins(framework.name)
    packages = ", ".join(f"{name} {versions[name]}" for name in framework.packages)
    head = (framework.title, framework.instrumentation, packages)
    return [_line(*head, word, *seen(run)) for word, run in runs.items()]


def switch_row(framework: Framework, runs: dict[str, Run]) -> str:
    """Which switch there is, and what else stands in the spans with and without."""
    on, off = (
        [_texts(run) for word, run in runs.items() if not word.startswith(other)]
        for other in ("off", "on")
    )
    return _line(f"{framework.title}, {framework.instrumentation}", framework.switch, on[0], off[0])


def seen(run: Run) -> tuple[str, ...]:
    """Name, arguments, result, status, agent and call id: `yes`, `no`, or for which calls."""
    ok = [call for call, ran in zip(run.calls, run.ran, strict=True) if ran.result is not None]
    failed = [call for call, ran in zip(run.calls, run.ran, strict=True) if ran.result is None]
    return tuple(
        _word([_observed(call)[what] for call in ok], [_observed(call)[what] for call in failed])
        for what in ("name", "args", "result", "status", "agent", "call_id")
    )


def _observed(call: ToolCall) -> dict[str, bool]:
    return {
        "name": bool(call.tool),
        "args": call.args_state is ContentState.OBSERVED,
        "result": call.result_state is ContentState.OBSERVED,
        "status": call.status is not Status.UNKNOWN,
        "agent": call.agent is not None,
        "call_id": call.call_id is not None,
    }


def _word(ok: list[bool], failed: list[bool]) -> str:
    if all(ok) and all(failed):
        return "yes"
    if not any(ok) and not any(failed):
        return "no"
    return "unless failed" if all(ok) and not any(failed) else "some"


def _texts(run: Run) -> str:
    found = [what for what, text in run.texts.items() if text in run.raw]
    return ", ".join(found) or "nothing"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
