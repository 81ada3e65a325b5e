"""What happens to one export."""

import json
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.unit.server.pipeline_made import (
    FORBIDS,
    TRACE,
    Made,
    Next,
    agent,
    event_names,
    export,
    pair,
    rules,
    span,
    state_in,
    tool,
)
from toolscore_otel.contracts import Contract
from toolscore_otel.errors import StateError
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.server.deliveries import Batch
from toolscore_otel.server.no_state import NoState
from toolscore_otel.server.reply import Outcome, Reply, Signal

REDACTS = {"contract": "safe", "language": 1, "secrets": {"in": ["arguments"], "action": "redact"}}


def test_an_export_in_which_nothing_is_found_goes_on_as_the_bytes_it_came_as() -> None:
    made = Made(send=(hop := Next()))
    data = export(agent(1), tool(2, parent=1), span(3, parent=1, http__route="/"))

    assert made.pipeline.handle(Signal.TRACES, data, {}).outcome is Outcome.OK
    assert hop.sent == [(Signal.TRACES, data)]
    assert hop.sent[0][1] is data


def test_a_forbidden_call_goes_on_with_the_finding_on_its_span() -> None:
    made = Made(send=(hop := Next()))
    made.take(agent(1), tool(2, "delete_user", parent=1), tool(3, parent=1))

    assert event_names(hop.spans()) == {1: [], 2: ["toolscore.forbidden_call"], 3: []}
    assert made.said() == [("forbid.1", "fail", 1)]
    assert made.woken == 1


def test_a_span_that_is_sent_again_is_annotated_again_and_counted_once() -> None:
    made = Made(send=(hop := Next()))
    for _ in range(3):
        made.take(agent(1), tool(2, "delete_user", parent=1))
    made.close()

    assert [len(s.events) for s in hop.spans()] == [0, 1] * 3
    assert made.said() == [("forbid.1", "fail", 1)]
    assert made.counted("toolscore.findings") == 1
    assert made.counted("toolscore.tool.calls") == 1


def test_what_the_next_hop_answers_is_what_the_sender_is_told() -> None:
    slow = Reply(outcome=Outcome.RETRY, message="busy", retry_after_s=3)
    made = Made(send=Next(slow))
    data = export(tool(2))

    assert made.pipeline.handle(Signal.TRACES, data, {}) == Reply(
        outcome=Outcome.RETRY, message="busy", retry_after_s=3, items=1
    )


@pytest.mark.parametrize("signal", list(Signal))
def test_bytes_that_are_no_export_are_bad(signal: Signal) -> None:
    hop = Next()
    reply = Made(send=hop).pipeline.handle(signal, b"\xff" * 9, {})

    assert reply.outcome is Outcome.BAD
    assert signal.value in reply.message
    assert hop.sent == []


@pytest.mark.parametrize("signal", list(Signal))
def test_an_empty_export_is_fine(signal: Signal) -> None:
    assert Made().pipeline.handle(signal, b"", {}).outcome is Outcome.OK


def test_a_span_without_ids_is_refused_and_does_not_go_on() -> None:
    nameless = tool(2)
    nameless.span_id = bytes(8)
    made = Made(send=(hop := Next()))

    assert Made().take(nameless, tool(3)).rejected == 1
    assert made.take(nameless, tool(3)) == Reply(outcome=Outcome.OK, rejected=1, items=2)
    assert list(event_names(hop.spans())) == [3]


def test_what_cannot_be_kept_is_not_acknowledged_and_not_sent_on() -> None:
    class Full(NoState):
        is_full = False

        def commit(self, batch: Batch) -> None:
            if self.is_full:
                raise StateError("the disk is full")
            super().commit(batch)

    state = Full(b"key")
    made = Made(send=(hop := Next()), state=state)
    state.is_full = True

    assert made.take(tool(2)).outcome is Outcome.RETRY
    assert hop.sent == []
    made.close()  # time goes on all the same
    state.is_full = False
    assert made.take(tool(2)).outcome is Outcome.OK


def test_spans_that_carry_our_findings_go_on_unjudged_and_are_counted() -> None:
    made = Made(send=(first := Next()))
    made.take(tool(2, "delete_user"))
    other = Made(send=(second := Next()))
    other.pipeline.handle(Signal.TRACES, first.sent[0][1], {})

    assert second.sent == first.sent
    assert other.said() == []
    assert other.pipeline.counters()["marked"] == 1


def test_a_secret_does_not_go_on_and_the_rest_of_its_span_does() -> None:
    secret = make_sample("github_token_classic", 3)
    made = Made(REDACTS, send=(hop := Next()))
    made.take(tool(2, args='{"token": "' + secret + '"}'), tool(3))

    assert secret.encode() not in hop.sent[0][1]
    assert event_names(hop.spans()) == {2: ["toolscore.secret_exposed"], 3: []}


def test_a_span_that_cannot_be_searched_goes_on_without_what_it_carries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = make_sample("github_token_classic", 3)
    made = Made(REDACTS, send=(hop := Next()))

    def fails(*_: object, **__: object) -> bytes:
        raise ValueError(secret)

    monkeypatch.setattr("toolscore_otel.server.annotating.without_secrets", fails)
    reply = made.take(tool(2, args='{"token": "' + secret + '"}'), tool(3))

    assert reply.outcome is Outcome.OK
    assert [len(s.attributes) for s in hop.spans()] == [0, 3]
    assert secret.encode() not in hop.sent[0][1]
    errors = made.counting.collected("toolscore.emit.errors", is_last=True)
    assert [(dict(s.key), s.value) for s in errors] == [({"output": "spans"}, 1)]


def test_a_root_of_no_interest_also_carries_what_its_trajectory_showed() -> None:
    limit = {"contract": "few", "language": 1, "limit": [{"tool": "search", "max": 1}]}
    made = Made(limit, send=(hop := Next()))
    made.take(tool(2, parent=1), tool(3, parent=1))
    made.take(span(1, http__route="/ask"))

    assert event_names(hop.spans())[3] == ["toolscore.limit_exceeded"]
    assert event_names(hop.spans())[1] == []


def test_traces_without_agents_models_and_tools_open_nothing() -> None:
    made = Made(send=(hop := Next()))
    made.take(*(span(n, trace=f"{n:032x}", http__route="/") for n in range(1, 50)))

    assert made.pipeline.open_trajectories == 0
    assert len(hop.spans()) == 49


def test_a_plain_span_that_came_first_still_connects_a_call_with_its_agent() -> None:
    made = Made()
    made.take(span(5, parent=1, http__route="/"))
    made.take(agent(1, "boss"))
    made.take(tool(2, "delete_user", parent=5))

    assert [finding.agent for finding in made.findings()] == ["boss"]


def test_findings_travel_with_the_resource_of_their_span() -> None:
    made = Made()
    made.take(tool(2, "delete_user"), **{"service.name": "billing"})

    [(_, delivery)] = made.state.pending(0, 10)
    assert delivery.resource.service == "billing"
    assert delivery.contract_hash == Contract.from_dict(FORBIDS).hash


def test_a_finding_made_at_closing_says_why_its_trajectory_was_closed() -> None:
    requires = {"contract": "must", "language": 1, "require": [{"tool": "log_case"}]}
    made = Made(requires)
    made.take(agent(1), tool(2, parent=1))
    made.close()

    [(_, delivery)] = made.state.pending(0, 10)
    assert [finding.rule for finding in made.findings()] == ["require.1"]
    assert delivery.closed_by == "root_ended"


def test_metrics_go_on_as_bytes_and_a_mirror_counts_and_drops_them() -> None:
    data = ExportMetricsServiceRequest()
    gauge = data.resource_metrics.add().scope_metrics.add().metrics.add(name="m").gauge
    gauge.data_points.add(as_int=1)
    gauge.data_points.add(as_int=2)
    raw = data.SerializeToString()
    mirror, inline = Made(), Made(send=(hop := Next()))

    assert mirror.pipeline.handle(Signal.METRICS, raw, {}).items == 2
    assert _dropped(mirror) == [("metrics", 2)]
    assert inline.pipeline.handle(Signal.METRICS, raw, {}) == Reply(outcome=Outcome.OK, items=2)
    assert hop.sent == [(Signal.METRICS, raw)]


def _dropped(made: Made) -> list[tuple[str, float]]:
    shown = made.counting.collected("toolscore.receiver.dropped", is_last=True)
    return [(str(dict(s.key)["signal"]), s.value) for s in shown if s.value]


def test_log_records_are_judged_and_go_on_as_bytes() -> None:
    made = Made(send=(hop := Next()))
    made.take(tool(2))
    logs = ExportLogsServiceRequest()
    record = logs.resource_logs.add().scope_logs.add().log_records.add()
    record.trace_id, record.span_id = bytes.fromhex(TRACE), (2).to_bytes(8)
    record.event_name = "exception"
    data = logs.SerializeToString()

    assert made.pipeline.handle(Signal.LOGS, data, {}) == Reply(outcome=Outcome.OK, items=1)
    assert hop.sent[-1] == (Signal.LOGS, data)


def test_a_span_that_breaks_the_engine_goes_on_as_it_came(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = Made(send=(hop := Next()))
    data = export(tool(2, args='{"q": "private words"}'))

    def fails(*_: object) -> None:
        raise RuntimeError("private words")

    monkeypatch.setattr("toolscore_otel.engine.Engine.add_all", fails)

    assert made.pipeline.handle(Signal.TRACES, data, {}).outcome is Outcome.OK
    assert made.pipeline.handle(Signal.TRACES, data, {}).outcome is Outcome.OK
    assert hop.sent == [(Signal.TRACES, data)] * 2
    assert made.pipeline.counters()["errors"] == 2
    assert len(caplog.records) == 1
    assert "private words" not in caplog.text


def test_after_a_reload_what_is_open_keeps_its_contracts_and_what_is_new_has_the_new_ones() -> None:
    made = Made()
    other = "b" * 32
    made.take(agent(1), tool(2, "search", parent=1))
    made.pipeline.reload(rules({**FORBIDS, "contract": "new", "forbid": ["search"]}).contracts)
    made.take(tool(3, "delete_user", parent=1), tool(4, "search", parent=1))
    made.take(tool(5, "search", trace=other), tool(6, "delete_user", trace=other))
    found = [(finding.contract, finding.tool) for finding in made.findings()]

    assert found == [("desk", "delete_user"), ("new", "search")]
    assert [c.id for c in made.pipeline.contracts] == ["new"]
    assert made.pipeline.open_trajectories == 2
    assert len(made.pipeline.debug()["trajectories"]) == 2

    made.clock.advance(100)
    made.pipeline.tick()
    assert made.pipeline.open_trajectories == 0
    assert made.counted("toolscore.tool.calls") == 5
    assert made.pipeline.counters()["spans"] == 6
    assert made.pipeline.rule_errors() == {}


def test_the_same_contracts_again_say_nothing_again() -> None:
    made = Made()
    made.take(agent(1), tool(2, "delete_user", parent=1))
    before = made.pipeline.counters()
    made.pipeline.reload(rules(FORBIDS).contracts)
    made.close()

    assert made.said() == [("forbid.1", "fail", 1)]
    assert made.pipeline.counters()["spans"] == before["spans"]


def test_a_server_in_memory_ends_what_is_open_and_one_with_state_goes_on_later(
    tmp_path: Path,
) -> None:
    requires = {"contract": "must", "language": 1, "require": [{"tool": "log_case"}]}
    in_memory, on_disk = Made(requires), Made(requires, state=state_in(tmp_path))
    for made in (in_memory, on_disk):
        made.take(agent(1, parent=9), tool(2, parent=1))
        made.pipeline.close()

    assert in_memory.said() == [("require.1", "fail", 1)]
    assert on_disk.said() == []


def test_after_a_restart_nothing_is_said_again_and_no_counter_moves(tmp_path: Path) -> None:
    first = Made(state=state_in(tmp_path))
    first.take(agent(1), tool(2, "delete_user", parent=1))
    first.pipeline.close()
    first.state.close()

    second = Made(state=state_in(tmp_path), send=(hop := Next()), clock=first.clock)
    second.take(agent(1), tool(2, "delete_user", parent=1))
    second.take(tool(3, "delete_user", parent=1))
    second.close()

    assert event_names(hop.spans()) == {
        1: [],
        2: ["toolscore.forbidden_call"],
        3: ["toolscore.forbidden_call"],
    }
    assert second.counted("toolscore.findings") == 2
    assert second.counted("toolscore.tool.calls") == 2
    assert second.said() == [("forbid.1", "fail", 1)] * 2
    second.state.close()


def test_a_closed_trace_is_known_again_after_a_restart(tmp_path: Path) -> None:
    first = Made(state=state_in(tmp_path))
    first.take(agent(1), tool(2, "delete_user", parent=1))
    first.close()
    first.state.close()

    second = Made(state=state_in(tmp_path), clock=first.clock)
    assert second.pipeline.open_trajectories == 0
    second.take(tool(2, "delete_user", parent=1))
    second.close()

    assert second.said() == [("forbid.1", "fail", 1)]
    assert second.counted("toolscore.findings") == 1
    second.state.close()


def test_what_is_shown_to_people_has_no_arguments() -> None:
    made = Made()
    made.take(agent(1), tool(2, "delete_user", args='{"id": "private words"}', parent=1))
    shown = made.pipeline.debug()

    assert [t["trace_id"] for t in shown["trajectories"]] == [TRACE]
    assert [c["contract"] for c in shown["contracts"]] == ["desk"]
    assert [f["tool"] for f in shown["findings"]] == ["delete_user"]
    assert "private words" not in repr(shown)


def test_time_never_goes_backwards() -> None:
    made = Made()
    made.take(tool(2))
    made.clock.advance(-100)
    made.take(tool(3))
    made.clock.advance(90)
    made.pipeline.tick()

    assert made.pipeline.open_trajectories == 1


@pytest.mark.parametrize("where", ["on a span", "of an agent", "neither"])
def test_log_records_of_spans_and_of_agents_go_on_without_secrets(where: str) -> None:
    secret = make_sample("github_token_classic", 3)
    made = Made(REDACTS, send=(hop := Next()))
    logs = ExportLogsServiceRequest()
    record = logs.resource_logs.add().scope_logs.add().log_records.add()
    record.body.string_value = f"it was {secret}"
    if where == "on a span":
        record.trace_id, record.span_id = bytes.fromhex(TRACE), (2).to_bytes(8)
    elif where == "of an agent":
        record.event_name = "gen_ai.choice"
    made.pipeline.handle(Signal.LOGS, logs.SerializeToString(), {})

    assert (secret.encode() in hop.sent[0][1]) is (where == "neither")


def test_a_reload_takes_back_no_error_of_a_rule() -> None:
    made = Made()
    made.take(tool(2))
    made.pipeline._judging.engine.rule_errors["desk/forbid.1: KeyError"] += 3
    made.pipeline.reload(rules(FORBIDS).contracts)
    made.clock.advance(100)
    made.pipeline.tick()

    assert made.pipeline.open_trajectories == 0
    assert made.pipeline.rule_errors() == {"desk/forbid.1: KeyError": 3}


def test_after_a_reload_an_event_names_the_contract_that_judged_as_its_log_record_does() -> None:
    made = Made(send=(hop := Next()))
    made.take(agent(1), tool(2, parent=1))
    made.pipeline.reload(rules({**FORBIDS, "version": "2"}).contracts)
    made.take(tool(3, "delete_user", parent=1))
    (event,) = next(span.events for span in hop.spans() if span.events)
    named = {pair.key: pair.value.string_value for pair in event.attributes}
    [(_, delivery)] = made.state.pending(0, 10)

    assert delivery.contract_hash == Contract.from_dict(FORBIDS).hash
    assert named["toolscore.contract.hash"] == delivery.contract_hash


def test_a_reload_that_cannot_be_kept_leaves_what_was_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Made()

    def fails(*_: object) -> None:
        raise StateError("the disk is full")

    monkeypatch.setattr(made.state, "use", fails)
    with pytest.raises(StateError):
        made.pipeline.reload(rules({**FORBIDS, "contract": "new"}).contracts)

    assert [contract.id for contract in made.pipeline.contracts] == ["desk"]


HEARS = {"contract": "hears", "language": 1, "secrets": {"in": ["messages"]}}


def chat(number: int, *, text: str = "", **more: Any) -> Span:
    """A span of a model call."""
    if text:
        messages = json.dumps([{"role": "user", "content": text}])
        more["gen_ai__input__messages"] = messages
    return span(number, gen_ai__operation__name="chat", **more)


@pytest.mark.parametrize(
    ("action", "left"),
    [("redact", "use [REDACTED:"), ("hash", "use [REDACTED:"), ("drop", None), ("flag", "use ")],
)
def test_a_secret_in_a_message_is_a_finding_and_does_not_go_on(action: str, left: str) -> None:
    secret = make_sample("github_token_classic", 3)
    clause = {"in": ["messages"], "action": action}
    made = Made({**HEARS, "secrets": clause}, send=(hop := Next()))
    made.take(chat(2, text=f"use {secret}"), chat(3, text="Hi"))

    assert event_names(hop.spans()) == {2: ["toolscore.secret_exposed"], 3: []}
    told = [each.value.string_value for each in hop.spans()[0].attributes]
    assert any(left in text for text in told) if left else len(told) == 1
    assert (secret in "".join(told)) is (action == "flag")


def test_log_records_with_the_messages_of_a_model_call_are_looked_through() -> None:
    secret = make_sample("github_token_classic", 3)
    made = Made(HEARS, send=(hop := Next()))
    logs = ExportLogsServiceRequest()
    records = logs.resource_logs.add().scope_logs.add().log_records
    for event, text in (("gen_ai.system.message", secret), ("gen_ai.user.message", "Hi")):
        record = records.add()
        record.trace_id, record.span_id = bytes.fromhex(TRACE), (2).to_bytes(8)
        record.event_name = event
        record.body.kvlist_value.values.append(pair("content", text))
    made.pipeline.handle(Signal.LOGS, logs.SerializeToString(), {})
    assert made.said() == [("secrets", "fail", 1)]
    made.take(chat(2))
    made.close()

    # Told again of the model call, whose span was not known before.
    assert made.said() == [("secrets", "fail", 1), ("secrets", "fail", 2)]
    assert secret.encode() not in hop.sent[0][1]


def test_after_a_reload_messages_are_looked_through_for_what_is_open() -> None:
    secret = make_sample("github_token_classic", 3)
    made = Made(HEARS)
    made.take(chat(2, text="Hi"))
    made.pipeline.reload(rules(FORBIDS).contracts)
    made.take(chat(3, text=secret), chat(4, text=secret, trace="b" * 32))
    made.close()

    assert made.said() == [("secrets", "fail", 1)]
