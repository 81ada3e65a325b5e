"""The pytest fixture `toolscore`: what an agent does in a test, captured.

In `conftest.py`: `pytest_plugins = ["toolscore_otel.testing.plugin"]`. Spans come from the global tracer provider; where
none is set, one is. The test's name is the scenario of every span that it starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

from toolscore_otel.contracts import Contract
from toolscore_otel.engine import Report, score
from toolscore_otel.model import Severity, Span, ToolCall
from toolscore_otel.testing.assertion import assert_contract
from toolscore_otel.wire.sdk import SdkReader

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import Span as LiveSpan

SCENARIO = "toolscore.scenario"
"""Attribute that names the scenario."""


class Captured:
    """What was captured so far.

    Attributes:
        scenario: of the test.
        provider: whose spans are captured.
    """

    def __init__(self, scenario: str, provider: TracerProvider) -> None:
        self.scenario = scenario
        self.provider = provider
        self._ended: list[ReadableSpan] = []
        self._reader = SdkReader()

    @property
    def spans(self) -> tuple[Span, ...]:
        """All spans that have ended, in that order."""
        return tuple(self._reader.span(span) for span in self._ended)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls rebuilt from them, by trace and start."""
        return tuple(call for trajectory in self.report().trajectories for call in trajectory.calls)

    def report(self, *contracts: Contract) -> Report:
        """All there is to say of them."""
        return score(self.spans, contracts)

    def assert_contract(
        self,
        contract: str | Path | Contract,
        *,
        fail_on: Severity = Severity.ERROR,
        strict: bool = False,
    ) -> None:
        """As `assert_contract`, about what was captured."""
        __tracebackhide__ = True
        assert_contract(self.spans, contract, fail_on=fail_on, strict=strict)

    def take(self, span: ReadableSpan) -> None:
        """Capture a span."""
        self._ended.append(span)


class _Switch(SpanProcessor):
    """Hands spans to the test that runs. A processor cannot be taken off its provider again."""

    def __init__(self) -> None:
        self.to: Captured | None = None

    def on_start(self, span: LiveSpan, parent_context: Context | None = None) -> None:  # noqa: ARG002 - as the SDK has it
        if self.to is not None:
            span.set_attribute(SCENARIO, self.to.scenario)

    def on_end(self, span: ReadableSpan) -> None:
        if self.to is not None:
            self.to.take(span)


_switches: WeakKeyDictionary[TracerProvider, _Switch] = WeakKeyDictionary()


@pytest.fixture
def toolscore(request: pytest.FixtureRequest) -> Iterator[Captured]:
    """The spans that end during this test, and the calls in them."""
    provider = _provider()
    switch = _switches.get(provider)
    if switch is None:
        switch = _switches[provider] = _Switch()
        provider.add_span_processor(switch)
    captured = Captured(str(request.node.name), provider)
    before, switch.to = switch.to, captured
    yield captured
    switch.to = before


def _provider() -> TracerProvider:
    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        provider = TracerProvider()
        trace.set_tracer_provider(provider)
    return provider
