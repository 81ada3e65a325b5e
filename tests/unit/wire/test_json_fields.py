import base64

import pytest

from toolscore_otel.model import SpanKind, SpanStatus
from toolscore_otel.wire import json_fields as fields
from toolscore_otel.wire.fields import Unreadable

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
WRONG = [
    True,
    [],
    {},
    "x",
    "1.5",
    1.5,
    "",
    "\N{ARABIC-INDIC DIGIT ONE}",
    " 1",
    "1_000",
    float("inf"),
]


@pytest.mark.parametrize("written", [101, "101", 101.0], ids=repr)
def test_an_integer_is_a_number_or_a_text(written):
    assert fields.integer(written) == 101


def test_an_integer_may_be_larger_than_64_bits():
    assert fields.integer("-36893488147419103232") == -(2**65)


@pytest.mark.parametrize("written", [*WRONG, "9" * 5000], ids=lambda written: repr(written)[:12])
def test_what_is_no_integer_is_unreadable(written):
    with pytest.raises(Unreadable):
        fields.integer(written)


@pytest.mark.parametrize(
    ("written", "number"),
    [(2, 2.0), (0.5, 0.5), ("0.5", 0.5), ("Infinity", float("inf")), ("-Infinity", float("-inf"))],
    ids=repr,
)
def test_a_double_is_a_number_or_a_text(written, number):
    assert fields.number(written) == number
    assert isinstance(fields.number(written), float)


def test_a_double_may_be_no_number():
    assert str(fields.number("NaN")) == "nan"


@pytest.mark.parametrize("written", [True, None, [], "", "one", 10**400])
def test_what_is_no_double_is_unreadable(written):
    with pytest.raises(Unreadable):
        fields.number(written)


@pytest.mark.parametrize("written", [None, 0, "0"], ids=repr)
def test_a_time_that_is_absent_or_zero_is_not_observed(written):
    assert fields.nanoseconds(written) is None


@pytest.mark.parametrize("written", ["1700000000000000001", 1_700_000_000_000_000_001], ids=repr)
def test_a_time_keeps_every_nanosecond(written):
    assert fields.nanoseconds(written) == 1_700_000_000_000_000_001


@pytest.mark.parametrize("written", [-1, "-1", 2**64, "now", True], ids=repr)
def test_a_time_that_no_clock_shows_is_unreadable(written):
    with pytest.raises(Unreadable):
        fields.nanoseconds(written)


def test_a_count_is_zero_where_absent_and_never_negative():
    assert fields.count(None) == 0
    assert fields.count("7") == 7
    for written in (-1, 2**32):
        with pytest.raises(Unreadable):
            fields.count(written)


def test_an_id_is_lower_case_hex():
    assert fields.identifier(TRACE_ID.upper(), 16) == TRACE_ID


@pytest.mark.parametrize("size", [8, 16])
def test_an_id_in_base64_is_the_same_id(size):
    raw = bytes(range(250, 250 - size, -1))
    encoded = base64.b64encode(raw).decode()
    for written in (encoded, encoded.rstrip("="), base64.urlsafe_b64encode(raw).decode()):
        assert fields.identifier(written, size) == raw.hex()


@pytest.mark.parametrize("written", [None, "", "0" * 32, "AAAAAAAAAAAAAAAAAAAAAA=="])
def test_an_id_of_nothing_is_none(written):
    assert fields.identifier(written, 16) is None


@pytest.mark.parametrize(
    "written",
    ["0af7", "g" * 32, TRACE_ID + "00", f"{TRACE_ID[:8]}-{TRACE_ID[9:]}", "é" * 32, 7, []],
)
def test_an_id_of_another_shape_is_unreadable(written):
    with pytest.raises(Unreadable):
        fields.identifier(written, 16)


def test_an_id_that_must_be_there_is_unreadable_where_it_is_not():
    assert fields.required_identifier(TRACE_ID, 16) == TRACE_ID
    for written in (None, "0" * 32):
        with pytest.raises(Unreadable):
            fields.required_identifier(written, 16)


@pytest.mark.parametrize("written", [3, "3", "SPAN_KIND_CLIENT"], ids=repr)
def test_a_kind_is_a_number_or_a_name(written):
    assert fields.kind(written) is SpanKind.CLIENT


@pytest.mark.parametrize("written", [None, 0, 6, -1, "SPAN_KIND_AGENT"])
def test_a_kind_that_nobody_knows_is_unspecified(written):
    assert fields.kind(written) is SpanKind.UNSPECIFIED


@pytest.mark.parametrize("written", [2, "2", "STATUS_CODE_ERROR"], ids=repr)
def test_a_status_is_a_number_or_a_name(written):
    assert fields.status_code(written) is SpanStatus.ERROR


@pytest.mark.parametrize("written", [None, 0, 3, "STATUS_CODE_BAD"])
def test_a_status_that_nobody_knows_is_unset(written):
    assert fields.status_code(written) is SpanStatus.UNSET


@pytest.mark.parametrize(
    ("written", "number"),
    [
        (None, 0),
        (9, 9),
        ("17", 17),
        ("SEVERITY_NUMBER_TRACE", 1),
        ("SEVERITY_NUMBER_INFO2", 10),
        ("SEVERITY_NUMBER_FATAL4", 24),
        ("SEVERITY_NUMBER_LOUD", 0),
    ],
)
def test_a_severity_is_a_number_or_a_name(written, number):
    assert fields.severity(written) == number


@pytest.mark.parametrize("read", [fields.text, fields.as_object, fields.as_list])
def test_a_number_is_no_text_object_or_list(read):
    with pytest.raises(Unreadable):
        read(5)


def test_an_absent_text_or_list_is_empty_and_an_absent_object_is_not():
    assert fields.text(None) == ""
    assert fields.as_list(None) == []
    with pytest.raises(Unreadable):
        fields.as_object(None)
