"""Spans of the SDK, made to order."""

from itertools import count

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanContext, TraceFlags

from toolscore_otel import Contract
from toolscore_otel.sdk import SdkConfig
from toolscore_otel.sdk.scoring import Scoring
from toolscore_otel.testing import FakeClock

RESOURCE = Resource({"service.name": "shop"})


@pytest.fixture
def made():
    """Make an ended span: of a tool, of an agent, or of nothing in particular."""
    numbers = count(1)

    def make(tool=None, *, agent=None, parent=None, trace=None, remote=False, **fields):
        number = next(numbers)
        trace = trace or (parent.context.trace_id if parent else number)
        attributes = fields.pop("attributes", {})
        if tool:
            attributes |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
        if agent:
            attributes |= {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent}
        above = None
        if parent is not None:
            above = SpanContext(trace, parent.context.span_id, is_remote=remote)
        known = {
            "name": f"span {number}",
            "context": SpanContext(trace, number, is_remote=False, trace_flags=TraceFlags(1)),
            "parent": above,
            "attributes": attributes,
            "resource": RESOURCE,
            "start_time": 1000 * number,
            "end_time": 1000 * number + 500,
        }
        return ReadableSpan(**(known | fields))

    return make


@pytest.fixture
def contract():
    """Forbids `rm`, and asks for `log_case`."""
    return Contract.from_dict(
        {
            "contract": "support",
            "language": 1,
            "forbid": [{"tool": "rm"}],
            "require": [{"tool": "log_case"}],
        }
    )


@pytest.fixture
def clock():
    """Time that stands still."""
    return FakeClock()


@pytest.fixture
def scoring(contract, clock):
    """A scoring of that contract."""
    return Scoring([contract], SdkConfig(), clock=clock)
