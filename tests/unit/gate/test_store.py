import json

import pytest
from hypothesis import given, strategies as st

from tests.unit.gate.conftest import entry, store_of
from toolscore_otel.errors import ConfigError
from toolscore_otel.gate import Entry, Release, Run, Store, accepted, read_store, write_store

names = st.sampled_from(["a", "b", "c"])
scores = st.dictionaries(names, st.none() | st.floats(0, 1), max_size=3)
runs = st.lists(st.builds(Run, run=names, scores=scores), min_size=1, max_size=3)
entries = st.lists(
    st.builds(
        Entry,
        contract=names,
        expectations=names,
        model=names,
        scenario=st.text(max_size=3),
        runs=runs.map(tuple),
    ),
    max_size=4,
)
acts = st.lists(st.tuples(names, entries), max_size=6)


def built(steps):
    store = Store()
    for release, some in steps:
        store = accepted(store, release, some)
    return store


def places(store):
    return {
        (release.release, *one.key, run.run)
        for release in store.releases
        for one in release.entries
        for run in one.runs
    }


@given(acts, names, entries)
def test_accepting_never_deletes_a_run(steps, release, more):
    before = built(steps)
    after = accepted(before, release, more)

    assert places(before) <= places(after)
    assert {(release, *one.key, run.run) for one in more for run in one.runs} <= places(after)


@given(acts)
def test_what_is_written_is_read_again(steps):
    store = built(steps)
    assert read_store(write_store(store), "gate.json") == store


@given(acts, names, entries)
def test_accepting_twice_is_accepting_once(steps, release, more):
    once = accepted(built(steps), release, more)
    assert accepted(once, release, more) == once


@given(acts, names, entries)
def test_releases_stand_in_the_order_of_their_first_acceptance(steps, release, more):
    before = [one.release for one in built(steps).releases]
    after = [one.release for one in accepted(built(steps), release, more).releases]
    assert after == list(dict.fromkeys([*before, release]))


def test_each_run_stands_on_a_line_of_its_own():
    store = store_of(v1=[entry(right_tool=[1.0, None])])
    assert write_store(store) == (
        '{\n "format": "toolscore-otel-gate",\n "version": 1,\n "releases": [\n'
        '  {"release": "v1", "entries": [\n'
        '   {"contract": "desk", "expectations": "e1", "model": "m1", "scenario": "refund", "runs": [\n'
        '    {"run": "refund0", "scores": {"right_tool": 1.0}},\n'
        '    {"run": "refund1", "scores": {"right_tool": null}}\n'
        "   ]}\n  ]}\n ]\n}\n"
    )
    assert json.loads(write_store(Store())) == {
        "format": "toolscore-otel-gate",
        "version": 1,
        "releases": [],
    }


def test_a_run_that_is_there_gets_its_scores_of_now():
    store = accepted(store_of(v1=[entry(x=[0.0, 0.5])]), "v1", [entry(x=[1.0])])
    (one,) = store.releases[0].entries
    assert [run.scores for run in one.runs] == [{"x": 1.0}, {"x": 0.5}]


def test_a_release_is_compared_with_those_accepted_before_it():
    store = store_of(v1=[], v2=[], v3=[])
    assert [one.release for one in store.before("dev")] == ["v1", "v2", "v3"]


def test_what_a_release_has_itself_counts_least():
    store = store_of(v1=[], v2=[], v3=[])
    assert [one.release for one in store.before("v3")] == ["v3", "v1", "v2"]
    assert [one.release for one in store.before("v1")] == ["v1"]


GOOD = {"format": "toolscore-otel-gate", "version": 1, "releases": []}
BROKEN = [
    ("", "is no JSON"),
    ("[" * 100_000, "is no JSON"),
    ("[]", '`"format": "toolscore-otel-gate"` is missing'),
    ("{}", '`"format": "toolscore-otel-gate"` is missing'),
    (json.dumps(GOOD | {"version": 2}), "is of version 2 of its format; this program knows 1"),
    (json.dumps(GOOD | {"version": True}), "is of version True"),
    ('{"format": "toolscore-otel-gate"}', "is of version None"),
    (json.dumps(GOOD | {"more": 1}), "unknown field `more`"),
    (
        json.dumps(GOOD | {"releases": [{"release": "v1", "entries": [{}]}]}),
        "at `$.releases[0].entries[0]`",
    ),
    (
        write_store(store_of(v1=[entry(x=[1.0])])).replace("1.0}", "9" * 400 + "}"),
        "is not as `gate` writes it",
    ),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_a_file_that_is_no_store_is_an_error_with_its_name_and_place(text, said):
    with pytest.raises(ConfigError) as error:
        read_store(text, "gate.json")
    assert "`gate.json`" in str(error.value)
    assert said in str(error.value)


def test_bytes_that_are_no_text_are_no_json():
    with pytest.raises(ConfigError, match="is no JSON"):
        read_store(b"\xff\xfe\xfa", "gate.json")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_baseline_is_made_of_what_is_no_number(value):
    with pytest.raises(ConfigError, match="the score `x` of run refund1 under `desk`"):
        accepted(Store(), "v1", [entry(x=[1.0, value])])


def test_a_release_needs_a_name():
    with pytest.raises(ConfigError, match="needs a name"):
        accepted(Store(), "", [])


def test_nan_of_another_program_is_read_so_that_it_can_be_refused_with_its_place():
    text = write_store(store_of(v1=[entry(x=[1.0])])).replace("1.0}", "NaN}")
    (release,) = read_store(text, "gate.json").releases
    assert str(release.entries[0].runs[0].scores["x"]) == "nan"
    assert isinstance(release, Release)
