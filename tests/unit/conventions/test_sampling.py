import pytest

from toolscore_otel.conventions.sampling import Sampled, sampled
from toolscore_otel.model import LogRecord, Span


def span(trace_state: str = "", **attributes: object) -> Span:
    return Span(trace_id="t", span_id="s", trace_state=trace_state, attributes=attributes)


@pytest.mark.parametrize(
    ("trace_state", "kept"),
    [
        ("ot=th:8", 0.5),
        ("ot=rv:123;th:c", 0.25),
        ("vendor=th:8, ot=th:e", 0.125),
        ("ot=th:ffffffffffffff", 2**-56),
    ],
)
def test_a_threshold_says_which_share_was_kept(trace_state, kept):
    assert sampled(span(trace_state)) == Sampled("ot=th", kept)


@pytest.mark.parametrize(
    "trace_state",
    ["", "ot=th:0", "vendor=th:8", "ot=rv:8", "ot=th:", "ot=th:xyz", "ot=th:000000000000001"],
)
def test_what_is_no_threshold_or_keeps_all_says_nothing(trace_state):
    assert sampled(span(trace_state)) is None


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("sampling.threshold", "c", 0.25),
        ("sampling.probability", 0.1, 0.1),
        ("microsoft.sample_rate", "12.5", 0.125),
        ("SampleRate", 4, 0.25),
        ("meta.refinery.reason", "rules/errors", None),
        ("tailsampling.policy", "slow", None),
    ],
)
def test_an_attribute_says_it_too(name, value, kept):
    assert sampled(span(**{name: value})) == Sampled(name, kept)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sampling.threshold", 8),
        ("sampling.threshold", "0"),
        ("sampling.probability", 1),
        ("sampling.probability", -1),
        ("sampling.probability", True),
        ("sampling.probability", 10**400),
        ("microsoft.sample_rate", 100),
        ("microsoft.sample_rate", "all"),
        ("microsoft.sample_rate", ["12.5"]),
        ("SampleRate", 1),
        ("SampleRate", 0),
        ("SampleRate", "x"),
    ],
)
def test_an_attribute_that_says_no_share_of_less_than_all_says_nothing(name, value):
    assert sampled(span(**{name: value})) is None


def test_a_log_record_says_it_by_its_attributes():
    record = LogRecord(attributes={"sampling.threshold": "8"})

    assert sampled(record) == Sampled("sampling.threshold", 0.5)
