"""Scores of closed traces, on their way out: once, and again where they have changed."""

from collections import Counter
from pathlib import Path

import pytest

from tests.unit.server.pipeline_made import FORBIDS, TRACE, Made, agent, state_in, tool
from toolscore_otel.contracts import Contract
from toolscore_otel.emit import telemetry
from toolscore_otel.engine import Engine
from toolscore_otel.model import Score, Trajectory
from toolscore_otel.server.config import Findings, ServerConfig, Webhook
from toolscore_otel.server.deliveries import Delivery
from toolscore_otel.server.reply import OK
from toolscore_otel.server.secret_text import SecretText
from toolscore_otel.server.sinks.chosen import sinks_of, takes_scores
from toolscore_otel.server.sinks.otlp import OtlpLogs, OtlpSpans
from toolscore_otel.server.sinks.records import log_record_of, span_id_of, span_of
from toolscore_otel.server.sinks.stderr import Lines
from toolscore_otel.server.sinks.webhook import Hook
from toolscore_otel.server.telling_scores import TellingScores
from toolscore_otel.wire.marks import is_marked

REDUNDANT = "desk/redundant_rate"
ERRORS = "desk/error_rate"
FIRST = [(REDUNDANT, 0.0, 1), (ERRORS, 0.0, 1)]


def closed(state=None, **more) -> Made:
    """A pipeline in which one trace was closed, in which no call repeats."""
    made = Made(state=state, tells_scores=True)
    made.take(agent(1, **more), tool(2, parent=1, args='{"q": 1}'), **{"service.name": "shop"})
    made.close()
    return made


def again(made: Made, number: int = 3) -> None:
    """The call once more, late, and the trace closes again."""
    made.take(tool(number, parent=1, args='{"q": 1}'))
    made.close()
    made.clock.advance(100)
    made.pipeline.tick()


def delivered(made: Made) -> list[Delivery]:
    return [delivery for _, delivery in made.state.pending(0, 1000)]


def test_a_closed_trace_says_the_scores_that_have_a_value() -> None:
    assert closed().said_scores() == FIRST


def test_nothing_is_said_of_scores_unless_it_is_asked_for() -> None:
    made = Made()
    made.take(agent(1), tool(2, parent=1))
    made.close()
    assert delivered(made) == []
    assert len(made.sums.points["toolscore.score"]) == 2


def test_a_score_stands_in_its_trace_under_the_resource_of_its_first_span() -> None:
    delivery = delivered(closed(gen_ai__conversation__id="talk"))[0]
    record = log_record_of(delivery)
    assert (record.trace_id, record.span_id, record.severity_number) == (TRACE, None, 9)
    assert record.resource.service == "shop"
    assert record.attributes["toolscore.contract.hash"] == Contract.from_dict(FORBIDS).hash
    assert record.attributes["toolscore.close.reason"] == "root_ended"
    assert record.attributes["gen_ai.conversation.id"] == "talk"
    assert is_marked(record)
    known = telemetry()
    assert [name for name in record.attributes if known.attribute(name) is None] == []


def test_as_a_span_it_hangs_on_the_first_span_and_has_an_id_of_its_own() -> None:
    one, other = delivered(closed())
    spans = [span for span in map(span_of, (one, other)) if span is not None]
    assert [span.parent_span_id for span in spans] == [f"{1:016x}"] * 2
    assert spans[0].start_ns == spans[0].end_ns == one.at_ns
    assert spans[0].attributes == log_record_of(one).attributes
    assert is_marked(spans[0])
    assert span_id_of(one) == spans[0].span_id != spans[1].span_id


def test_what_a_late_span_changes_is_said_again_and_nothing_else() -> None:
    made = closed()
    again(made)
    assert made.said_scores() == [*FIRST, (REDUNDANT, 0.5, 2)]


def test_after_a_restart_only_what_changes_is_said(tmp_path: Path) -> None:
    first = closed(state_in(tmp_path))
    again(first)
    first.state.close()
    made = Made(state=state_in(tmp_path), clock=first.clock, tells_scores=True)
    assert made.said_scores() == [*FIRST, (REDUNDANT, 0.5, 2)]
    again(made, 4)
    assert made.said_scores()[3:] == [(REDUNDANT, pytest.approx(2 / 3), 3)]


def test_a_trace_that_closes_after_a_restart_says_its_scores_once(tmp_path: Path) -> None:
    first = Made(state=state_in(tmp_path), tells_scores=True)
    first.take(agent(1), tool(2, parent=1))
    first.state.close()
    made = Made(state=state_in(tmp_path), clock=first.clock, tells_scores=True)
    made.close()
    made.state.close()
    last = Made(state=state_in(tmp_path), clock=made.clock, tells_scores=True)
    assert last.said_scores() == FIRST


def test_a_reload_goes_on_telling_scores() -> None:
    made = closed()
    made.pipeline.reload([Contract.from_dict(FORBIDS | {"contract": "other"})])
    made.take(tool(2, trace="b" * 32), agent(1, trace="b" * 32))
    made.close()
    assert [name for name, _, _ in made.said_scores()[2:]] == [
        "other/redundant_rate",
        "other/error_rate",
    ]


def test_people_and_webhooks_are_told_of_findings_alone() -> None:
    deliveries = delivered(closed())
    lines: list[str] = []
    assert Lines(lines.append).send(deliveries).outcome == "ok"
    assert lines == [""]
    hook = Hook(Webhook(url=SecretText("http://127.0.0.1:1/")))  # nobody is asked
    assert hook.send(deliveries).outcome == "ok"
    hook.close()


def test_scores_are_told_where_some_sink_takes_them(tmp_path: Path) -> None:
    file = Findings(file=str(tmp_path / "f.jsonl"))
    webhook = Findings(webhook=Webhook(url=SecretText("http://127.0.0.1:1/")))
    assert takes_scores([OtlpLogs(lambda *_: OK)])
    assert takes_scores([Lines(), OtlpSpans(lambda *_: OK)])
    assert takes_scores(sinks_of(ServerConfig(findings=file), next_hop=None))
    assert not takes_scores(sinks_of(ServerConfig(findings=webhook), next_hop=None))
    assert not takes_scores(sinks_of(ServerConfig(), next_hop=None))


def test_what_was_said_of_a_trace_that_is_none_any_more_is_taken_back() -> None:
    counters = Counter[str]()
    telling, engine = TellingScores(counters), Engine()
    trajectory = Trajectory(trace_id=TRACE)
    telling.closed(engine, trajectory, [Score(name="order", value=0.5, contract="desk")])
    telling.take(0)

    telling.closed(engine, trajectory, ())
    (delivery,) = telling.take(0)
    telling.closed(engine, trajectory, ())

    assert delivery.score is not None
    attributes = delivery.score.attributes
    assert attributes["toolscore.revision"] == 2
    assert "gen_ai.evaluation.score.value" not in attributes
    assert telling.take(0) == []
