import json
import os
from typing import Any

import msgspec
import pytest
from msgspec import structs

from tests.unit.server.state_made import NOW, SECOND, TRACE
from toolscore_otel.emit.registry import telemetry
from toolscore_otel.model import (
    ClosedBy,
    Finding,
    FindingKind,
    Label,
    LogRecord,
    Resource,
    Severity,
    Span,
)
from toolscore_otel.server.config import FindingsAs, default_config
from toolscore_otel.server.config.keys import (
    Alertmanager,
    Findings,
    Mode,
    NextHopConfig,
    Webhook,
)
from toolscore_otel.server.deliveries import Delivery
from toolscore_otel.server.next_hop import NextHop
from toolscore_otel.server.reply import OK, Outcome, Reply, Signal
from toolscore_otel.server.secret_text import SecretText
from toolscore_otel.server.sinks.alertmanager import FIRING_S, Alerts, labels_of
from toolscore_otel.server.sinks.chosen import sinks_of
from toolscore_otel.server.sinks.file import FindingsFile
from toolscore_otel.server.sinks.otlp import OtlpLogs, OtlpSpans
from toolscore_otel.server.sinks.records import log_record_of, span_id_of, span_of
from toolscore_otel.server.sinks.stderr import Lines, line_of
from toolscore_otel.wire.files import read_file
from toolscore_otel.wire.marks import is_marked
from toolscore_otel.wire.otlp_proto import read_request
from toolscore_otel.wire.stats import ReadStats

SPAN = "2".zfill(16)
FINDING = Finding(
    id="f" * 32,
    rule="forbid[0]",
    kind=FindingKind.FORBIDDEN_CALL,
    severity=Severity.CRITICAL,
    contract="desk",
    label=Label.FAIL,
    explanation="`rm` was called, which is forbidden",
    trace_id=TRACE,
    span_id=SPAN,
    call_id="call-1",
    tool="rm",
    agent="desk",
    service="shop",
    labels={"team": "a", "on-call": "b", "tool": "hidden"},
    runbook="https://example.org/runbook",
)
DELIVERY = Delivery(
    finding=FINDING,
    time_ns=NOW,
    resource=Resource({"service.name": "shop", "host.name": "h1"}),
    span_id=SPAN,
    at_ns=NOW - SECOND,
    contract_hash="abc",
    closed_by=ClosedBy.IDLE,
)
CORRECTED = structs.replace(
    DELIVERY,
    finding=structs.replace(FINDING, label=Label.PASS, revision=2),
    time_ns=NOW + SECOND,
)


def with_finding(**fields: Any) -> Delivery:
    return structs.replace(DELIVERY, finding=structs.replace(FINDING, **fields))


class Sent:
    """Takes exports."""

    def __init__(self) -> None:
        self.exports: list[tuple[Signal, bytes]] = []

    def __call__(self, signal: Signal, data: bytes) -> Reply:
        self.exports.append((signal, data))
        return OK


def test_a_log_record_stands_under_its_span_and_its_resource():
    record = log_record_of(DELIVERY)
    assert (record.trace_id, record.span_id, record.time_ns) == (TRACE, SPAN, NOW)
    assert (
        record.event_name,
        record.severity_number,
        record.severity_text,
    ) == ("gen_ai.evaluation.result", 21, "CRITICAL")
    assert DELIVERY.resource == record.resource
    assert record.attributes["toolscore.close.reason"] == "idle"
    assert record.attributes["toolscore.contract.hash"] == "abc"
    known = telemetry()
    assert [name for name in record.attributes if known.attribute(name) is None] == []


@pytest.mark.parametrize("trace_id", ["", "t", "0" * 32, TRACE.upper() + "G"])
def test_ids_that_otlp_does_not_know_are_left_out(trace_id):
    odd = with_finding(trace_id=trace_id, span_id="x")
    record = log_record_of(odd)
    assert (record.trace_id, record.span_id, span_of(odd)) == (None, None, None)


def test_a_span_has_no_duration_and_an_id_that_follows_from_the_finding():
    span = span_of(DELIVERY)
    assert span is not None
    assert (span.parent_span_id, span.start_ns, span.end_ns) == (SPAN, NOW - SECOND, NOW - SECOND)
    assert span.span_id == span_id_of(structs.replace(DELIVERY, time_ns=NOW + 1))
    assert span.span_id != span_id_of(CORRECTED)
    assert log_record_of(DELIVERY).attributes == span.attributes
    assert is_marked(span)


def test_a_finding_about_a_whole_trace_hangs_on_its_first_span():
    span = span_of(structs.replace(with_finding(span_id=None), span_id="3".zfill(16)))
    assert span is not None
    assert "3".zfill(16) == span.parent_span_id


def test_logs_and_spans_go_out_as_otlp():
    sent = Sent()
    assert OtlpLogs(sent).send([DELIVERY, CORRECTED]) == OK
    assert OtlpSpans(sent).send([DELIVERY, with_finding(trace_id="")]) == OK
    (logs, log_data), (traces, trace_data) = sent.exports
    assert (logs, traces) == (Signal.LOGS, Signal.TRACES)
    assert [log_record_of(DELIVERY), log_record_of(CORRECTED)] == list(
        read_request(log_data, ReadStats())
    )
    assert [span_of(DELIVERY)] == list(read_request(trace_data, ReadStats()))


def test_nothing_is_sent_where_no_finding_makes_a_span():
    sent = Sent()
    assert OtlpSpans(sent).send([with_finding(trace_id="")]) == OK
    assert sent.exports == []


def test_a_file_has_one_export_a_line_that_can_be_read_again(tmp_path):
    path = tmp_path / "findings.jsonl"
    sink = FindingsFile(path)
    assert sink.send([DELIVERY]) == OK
    assert FindingsFile(path).send([CORRECTED, DELIVERY]) == OK
    lines = path.read_text().splitlines()
    assert [
        sum(len(s["logRecords"]) for r in json.loads(line)["resourceLogs"] for s in r["scopeLogs"])
        for line in lines
    ] == [1, 2]
    found = [item for item in read_file(path) if isinstance(item, LogRecord)]
    assert [log_record_of(d) for d in (DELIVERY, CORRECTED, DELIVERY)] == found
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_line_that_was_broken_off_spoils_no_other(tmp_path):
    path = tmp_path / "findings.jsonl"
    path.write_text('{"resourceLogs": [')
    FindingsFile(path).send([DELIVERY])
    broken, whole = path.read_text().splitlines()
    assert broken == '{"resourceLogs": ['
    assert "resourceLogs" in json.loads(whole)


def test_a_file_that_was_moved_away_is_made_again(tmp_path):
    path = tmp_path / "findings.jsonl"
    sink = FindingsFile(path)
    sink.send([DELIVERY])
    path.rename(tmp_path / "old")
    sink.send([DELIVERY])
    assert (tmp_path / "old").read_text() == path.read_text()


def test_a_file_that_cannot_be_written_is_tried_again(tmp_path):
    reply = FindingsFile(tmp_path / "missing" / "f").send([DELIVERY])
    assert Outcome.RETRY is reply.outcome
    assert "no such file or directory" in reply.message


def test_a_full_disk_leaves_no_part_of_a_line(tmp_path, monkeypatch):
    path = tmp_path / "findings.jsonl"
    sink = FindingsFile(path)
    sink.send([DELIVERY])
    before = path.read_bytes()
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:10]))
    assert Outcome.RETRY is sink.send([DELIVERY]).outcome
    assert before == path.read_bytes()


def test_people_read_one_line_each():
    written: list[str] = []
    assert Lines(written.append).send([DELIVERY, CORRECTED]) == OK
    assert (
        "2023-11-14T22:13:20.000Z critical desk/forbid[0]: `rm` was called, which is forbidden "
        f"[tool=rm agent=desk service=shop trace={TRACE} span={SPAN} finding={'f' * 32}]"
    ) == written[0].splitlines()[0]
    assert " pass desk/forbid[0]: " in written[0].splitlines()[1]


def test_a_line_stays_one_line():
    odd = structs.replace(FINDING, explanation="a\nb", tool="x\ny", shadow=True)
    line = line_of(odd, NOW)
    assert len(line.splitlines()) == 1
    assert " critical (shadow) " in line


def test_lines_go_to_stderr(capsys):
    Lines().send([DELIVERY])
    assert "desk/forbid[0]" in capsys.readouterr().err


def test_a_stderr_that_is_gone_holds_nothing_up():
    def closed(text: str) -> None:
        raise ValueError(text)

    assert Outcome.REFUSED is Lines(closed).send([DELIVERY]).outcome


@pytest.fixture
def alerts(monkeypatch):
    """An Alertmanager sink and what it posts."""
    sink = Alerts(Alertmanager(url="http://127.0.0.1:9093/"), clock=lambda: NOW + SECOND)
    posted: list[list[dict[str, Any]]] = []

    def post(body: Any) -> Reply:
        posted.append(msgspec.to_builtins(body))
        return OK

    monkeypatch.setattr(sink._poster, "post", post)
    yield sink, posted
    sink.close()


def test_an_alert_says_what_whose_and_until_when(alerts):
    sink, posted = alerts
    sink.send([DELIVERY])
    ((alert,),) = posted
    assert alert["labels"] == {
        "alertname": "ToolscoreForbiddenCall",
        "severity": "critical",
        "contract": "desk",
        "rule": "forbid[0]",
        "kind": "forbidden_call",
        "tool": "rm",
        "service": "shop",
        "team": "a",
        "on_call": "b",
    }
    assert alert["annotations"]["description"] == "`rm` was called, which is forbidden"
    assert alert["annotations"]["trace_id"] == TRACE
    assert alert["annotations"]["agent"] == "desk"
    assert alert["annotations"]["runbook_url"] == "https://example.org/runbook"
    assert FIRING_S == 3600
    assert (
        alert["startsAt"],
        alert["endsAt"],
    ) == ("2023-11-14T22:13:20.000+00:00", "2023-11-14T23:13:21.000+00:00")


def test_a_correction_ends_its_alert(alerts):
    sink, posted = alerts
    sink.send([DELIVERY])
    sink.send([CORRECTED])
    first, last = posted[0][0], posted[1][0]
    assert first["labels"] == last["labels"]
    assert last["endsAt"] == "2023-11-14T22:13:21.000+00:00"
    assert "startsAt" not in last


def test_an_alert_with_another_finding_behind_it_goes_on(alerts):
    sink, posted = alerts
    sink.send([DELIVERY, with_finding(id="e" * 32)])
    sink.send([CORRECTED])
    assert len(posted) == 1


def test_an_alert_whose_labels_changed_begins_anew_and_ends_the_old_one(alerts):
    sink, posted = alerts
    sink.send([DELIVERY])
    sink.send([with_finding(tool="other", revision=2)])
    new, old = posted[1]
    assert (new["labels"]["tool"], old["labels"]["tool"]) == ("other", "rm")
    assert "startsAt" not in old


def test_an_alert_whose_agent_becomes_known_stays_the_same(alerts):
    sink, posted = alerts
    sink.send([DELIVERY])
    sink.send([with_finding(agent="other", revision=2)])
    ((first,), (second,)) = posted
    assert first["labels"] == second["labels"]
    assert second["annotations"]["agent"] == "other"


@pytest.mark.parametrize("fields", [{"label": Label.CANNOT_CHECK}, {"shadow": True}])
def test_what_is_no_violation_makes_no_alert(alerts, fields):
    sink, posted = alerts
    assert sink.send([with_finding(**fields)]) == OK
    assert posted == []


def test_a_correction_of_what_this_process_never_saw_ends_nothing(alerts):
    sink, posted = alerts
    sink.send([CORRECTED])
    assert posted == []


def test_label_names_are_those_of_prometheus():
    labels = dict(labels_of(structs.replace(FINDING, labels={"1st": "x", "a.b": "y", "c": ""})))
    assert (labels["_1st"], labels["a_b"]) == ("x", "y")
    assert "c" not in labels


def sinks(mode: Mode = Mode.MIRROR, next_hop: NextHop | None = None, **findings: Any) -> list[str]:
    config = structs.replace(
        default_config(["contracts"]), mode=mode, findings=Findings(**findings)
    )
    chosen = sinks_of(config, next_hop=next_hop)
    for sink in chosen:
        sink.close()
    return [sink.name for sink in chosen]


def test_findings_go_to_stderr_where_nothing_else_is_said():
    assert sinks() == ["stderr"]


def test_inline_they_go_where_the_spans_go():
    hop = NextHop(NextHopConfig(endpoint="http://127.0.0.1:1"))
    assert sinks(Mode.INLINE, hop) == ["otlp"]
    assert sinks(Mode.INLINE, hop, as_=FindingsAs.BOTH) == ["otlp", "otlp_spans"]
    assert sinks(Mode.INLINE, hop, file="f.jsonl") == ["file"]
    assert sinks(Mode.MIRROR, hop) == ["stderr"]
    hop.close()


def test_every_sink_that_is_asked_for_is_there():
    names = sinks(
        file="f.jsonl",
        alertmanager=Alertmanager(url="http://127.0.0.1:1"),
        webhook=Webhook(url=SecretText("http://127.0.0.1:1")),
        otlp=NextHopConfig(endpoint="http://127.0.0.1:1"),
        as_=FindingsAs.SPANS,
    )
    assert names == ["file", "alertmanager", "webhook", "otlp_spans"]


def test_a_span_reads_as_a_span():
    assert isinstance(span_of(DELIVERY), Span)


def test_a_correction_that_could_not_be_posted_ends_its_alert_later(monkeypatch):
    sink = Alerts(Alertmanager(url="http://127.0.0.1:9093/"), clock=lambda: NOW)
    answers = [OK, Reply(outcome=Outcome.RETRY), OK]
    posted: list[Any] = []

    def post(body: Any) -> Reply:
        posted.append(body)
        return answers.pop(0)

    monkeypatch.setattr(sink._poster, "post", post)
    told = [sink.send([one]).outcome for one in (DELIVERY, CORRECTED, CORRECTED)]
    sink.close()

    assert told == [Outcome.OK, Outcome.RETRY, Outcome.OK]
    assert posted[1] == posted[2]
