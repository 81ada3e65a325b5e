"""Telemetry made up for learning."""

from collections.abc import Callable, Iterable, Sequence

import pytest

from toolscore_otel.engine import Report, score
from toolscore_otel.learning import Hold
from toolscore_otel.model import Span
from toolscore_otel.testing.made import make_span

Trace = Callable[..., list[Span]]


@pytest.fixture
def trace() -> Trace:
    """Spans of one trace: an agent, and below it calls that follow on each other."""

    def made(*calls: str | tuple[str, object], **more: object) -> list[Span]:
        agent = make_span(agent="desk", took_s=10, **more)  # type: ignore[arg-type]
        spans = [agent]
        for number, call in enumerate(calls):
            tool, args = (call, None) if isinstance(call, str) else call
            spans.append(
                make_span(tool, args, parent=agent, result="done", start_s=number, took_s=0.5)
            )
        return spans

    return made


@pytest.fixture
def holding() -> Callable[[Iterable[Sequence[Span]]], Hold]:
    """What holds spans against contracts."""

    def of(traces: Iterable[Sequence[Span]]) -> Hold:
        spans = [span for trace in traces for span in trace]

        def hold(contracts: tuple[object, ...]) -> Report:
            return score(spans, contracts)  # type: ignore[arg-type]

        return hold

    return of
