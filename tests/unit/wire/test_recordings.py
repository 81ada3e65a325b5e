from pathlib import Path

import pytest

from toolscore_otel.wire import group_recordings, recording_name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/refund.otlp.jsonl", "refund"),
        ("refund.logs.jsonl.gz", "refund"),
        ("v1.2/refund", "refund"),
        (".hidden.jsonl", ".hidden"),
        ("-", "-"),
    ],
)
def test_a_recording_is_named_up_to_the_first_dot(path, name):
    assert recording_name(path) == name
    assert recording_name(Path(path)) == name


def test_files_of_one_name_are_one_recording_in_the_order_they_came():
    assert group_recordings(["b.jsonl", "a.jsonl", Path("b.logs.jsonl")]) == {
        "b": [Path("b.jsonl"), Path("b.logs.jsonl")],
        "a": [Path("a.jsonl")],
    }
    assert list(group_recordings(["b", "a", "b"])) == ["b", "a"]
