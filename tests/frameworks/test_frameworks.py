"""The program of each page about a framework, against a scripted model: what it did is seen as it happens."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from tests.frameworks.catalogue import Framework
from tests.frameworks.page import Page
from tests.frameworks.runs import Ran, Run
from toolscore_otel import Engine, Finding, Span, ToolCall
from toolscore_otel.contracts import load_text
from toolscore_otel.model import ContentState, Gap, Label, Stage, Status

pytestmark = pytest.mark.net

CONTRACT = load_text(Page("mcp").files["shop.yaml"])


def test_the_forbidden_call_is_found_when_its_span_arrives(
    framework: Framework, runs: dict[str, Run]
) -> None:
    for word, run in runs.items():
        engine = Engine(CONTRACT)
        before, span, after = around(run.spans, framework.tool_span, "delete_user")
        early = [finding for other in before for finding in fed(engine, other)]
        assert {finding.stage for finding in early} <= {Stage.REQUESTED}, word
        (finding,) = standing(early + fed(engine, span), "no-deletion")
        assert (finding.tool, finding.label) == ("delete_user", Label.FAIL), word
        assert finding.span_id == span.span_id, word
        assert after, word  # the run goes on: nothing had to be closed


def test_attached_in_the_same_process_it_is_found_before_the_next_tool_runs(
    runs: dict[str, Run],
) -> None:
    for word, run in runs.items():
        looked_up, _, receipt = run.ran
        assert looked_up.found == [], word
        assert "no-deletion" in receipt.found, word
        rest = (
            Label.FAIL if run.calls[2].args_state is ContentState.OBSERVED else Label.CANNOT_CHECK
        )
        assert run.found == {"no-deletion": Label.FAIL, "one-receipt": rest}, word
        assert run.errors == 0, word


def test_in_the_end_the_finding_stands_once_and_on_the_right_call(runs: dict[str, Run]) -> None:
    for word, run in runs.items():
        engine = Engine(CONTRACT)
        for span in run.spans:
            engine.feed(span, span.end_ns or 0)
        engine.close()
        (finding,) = standing(engine.report().findings, "no-deletion")
        call = run.calls[1]
        assert (finding.label, finding.stage) == (Label.FAIL, Stage.EXECUTED), word
        assert (finding.span_id, finding.call_id) == (call.span_id, call.call_id), word
        assert finding.severity == "critical", word


def test_a_rule_about_arguments_says_what_was_not_observed(runs: dict[str, Run]) -> None:
    for word, run in runs.items():
        engine = Engine(CONTRACT)
        for span in run.spans:
            engine.feed(span, span.end_ns or 0)
        engine.close()
        (finding,) = standing(engine.report().findings, "one-receipt")
        observed = run.calls[2].args_state is ContentState.OBSERVED
        assert finding.label == (Label.FAIL if observed else Label.CANNOT_CHECK), word


def test_each_call_is_as_it_ran_or_says_what_is_missing(runs: dict[str, Run]) -> None:
    for word, run in runs.items():
        assert [call.tool for call in run.calls] == [ran.tool for ran in run.ran], word
        for number, (call, ran) in enumerate(zip(run.calls, run.ran, strict=True)):
            assert untrue(call, ran, number) == [], (word, ran.tool)


def around(
    spans: tuple[Span, ...], named: str, tool: str
) -> tuple[tuple[Span, ...], Span, tuple[Span, ...]]:
    """The span of a tool's run, and those that arrived before and after it."""
    at = next(
        i
        for i, span in enumerate(spans)
        if span.name == named.format(tool=tool)
        and (tool in span.name or span.attributes.get("tool.name") == tool)
    )
    return spans[:at], spans[at], spans[at + 1 :]


def fed(engine: Engine, span: Span) -> list[Finding]:
    """What the contract's first rule says to one more span."""
    found = engine.feed(span, span.end_ns or 0)
    return [finding for finding in found if finding.rule == "no-deletion"]


def standing(findings: Iterable[Finding], rule: str) -> list[Finding]:
    """The last word on each subject of a rule, where it was not taken back."""
    last = {finding.id: finding for finding in findings if finding.rule == rule}
    return [finding for finding in last.values() if finding.label is not Label.PASS]


def untrue(call: ToolCall, ran: Ran, number: int) -> list[str]:
    """What a call says that is not so, or leaves open without saying so."""
    failed = ran.error is not None
    statements = {
        "args": call.args == ran.args or unsaid(call.args_state, call, Gap.ARGS_NOT_OBSERVED),
        "result": failed
        or (ran.result or "") in json.dumps(call.result)
        or unsaid(call.result_state, call, Gap.RESULT_NOT_OBSERVED),
        "status": call.status is (Status.ERROR if failed else Status.OK),
        "agent": call.agent == "support"
        or (call.agent is None and Gap.AGENT_NOT_OBSERVED in call.gaps),
        "call id": call.call_id in {f"call_{number}", f"toolu_{number}"}
        or (call.call_id is None and Gap.NO_CALL_ID in call.gaps),
        "times": (call.start_ns or 0) <= ran.at_ns <= (call.end_ns or 0),
    }
    return [what for what, holds in statements.items() if not holds]


def unsaid(state: ContentState, call: ToolCall, gap: Gap) -> bool:
    """Whether a call says that this was not observed."""
    return state is ContentState.NOT_OBSERVED and gap in call.gaps
