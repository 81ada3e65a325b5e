"""Log records with secrets taken out of them."""

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from toolscore_otel import model
from toolscore_otel.secrets import Cleaner, Fingerprints, Measure, Scanner
from toolscore_otel.secrets.cleaner import Action
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.wire.editing import UNREADABLE
from toolscore_otel.wire.log_editing import cleaned_logs, edited_log
from toolscore_otel.wire.proto_fields import varint

SECRET = make_sample("github_token_classic", 3)


def cleaner(action: Action = "redact") -> Cleaner:
    return Cleaner([Measure(Scanner(), action)], Fingerprints(b"key"))


def export(*records: LogRecord) -> bytes:
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    group.resource.attributes.add(key="service.name", value=AnyValue(string_value="desk"))
    group.scope_logs.add(log_records=records).scope.name = "agents"
    return request.SerializeToString()


def record(body: str = "hello", attribute: str = "x") -> LogRecord:
    return LogRecord(
        span_id=b"s" * 8,
        trace_id=b"t" * 16,
        body=AnyValue(string_value=body),
        attributes=[KeyValue(key="a", value=AnyValue(string_value=attribute))],
    )


def records(data: bytes) -> list[LogRecord]:
    request = ExportLogsServiceRequest.FromString(data)
    return list(request.resource_logs[0].scope_logs[0].log_records)


@pytest.mark.parametrize("place", ["body", "attribute"])
def test_a_secret_goes_and_everything_else_stays(place: str) -> None:
    data = export(record(), record(**{place: f"it is {SECRET}"}))
    clean = cleaned_logs(data, lambda _: cleaner())
    first, second = records(clean)

    assert SECRET.encode() not in clean
    assert first == record()
    assert (second.trace_id, second.span_id) == (b"t" * 16, b"s" * 8)
    assert "[REDACTED" in second.body.string_value + second.attributes[0].value.string_value


def test_an_event_name_leaves_without_it() -> None:
    named = record()
    named.event_name = f"at {SECRET}"
    (clean,) = records(cleaned_logs(export(named), lambda _: cleaner("drop")))

    assert clean.event_name == "at [REDACTED:github_token_classic]"
    assert clean.body == named.body


def test_an_export_without_secrets_is_the_same_object() -> None:
    data = export(record())

    assert cleaned_logs(data, lambda _: cleaner()) is data


def test_a_record_that_no_clause_is_about_stays_and_is_told_with_its_resource() -> None:
    data = export(record(body=SECRET))
    asked: list[model.LogRecord] = []

    assert cleaned_logs(data, asked.append) is data
    assert [(one.resource.service, one.scope.name) for one in asked] == [("desk", "agents")]


def test_a_record_with_an_impossible_id_does_not_go_on() -> None:
    broken = record()
    broken.span_id = b"short"

    assert records(cleaned_logs(export(broken, record()), lambda _: cleaner())) == [record()]


def test_a_body_of_which_nothing_may_stay_is_empty() -> None:
    raw = record(body=SECRET).SerializeToString()
    dropped = LogRecord.FromString(edited_log(raw, cleaner("drop")))

    assert dropped.body == AnyValue()


def test_a_structured_body_is_searched_all_through() -> None:
    inner = ArrayValue(values=[AnyValue(string_value=SECRET), AnyValue(int_value=1)])
    pairs = [KeyValue(key="k", value=AnyValue(array_value=inner))]
    given = LogRecord(body=AnyValue(kvlist_value=KeyValueList(values=pairs)))
    clean = LogRecord.FromString(edited_log(given.SerializeToString(), cleaner()))
    values = clean.body.kvlist_value.values[0].value.array_value.values

    assert "[REDACTED" in values[0].string_value
    assert values[1].int_value == 1


def test_a_body_that_nests_too_deeply_to_be_searched_does_not_go_on() -> None:
    body = AnyValue(string_value=SECRET).SerializeToString()
    for _ in range(110):  # deeper than protobuf's own parser goes
        array = b"\x0a" + varint(len(body)) + body
        body = b"\x2a" + varint(len(array)) + array
    raw = b"\x2a" + varint(len(body)) + body
    clean = edited_log(raw, cleaner())

    assert SECRET.encode() not in clean
    assert LogRecord.FromString(clean).body.string_value == UNREADABLE
