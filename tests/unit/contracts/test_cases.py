"""Cases as written, to calls."""

from pathlib import Path
from textwrap import dedent

import pytest
from inline_snapshot import snapshot

from toolscore_otel.contracts import cases_beside, load_cases
from toolscore_otel.contracts.cases import BEGIN_NS
from toolscore_otel.errors import ContractError, Location
from toolscore_otel.model import CallKind, ContentState, CostSource, Stage, Status


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Loads cases from a text that stands in the file `a.cases.yaml`."""
    monkeypatch.chdir(tmp_path)

    def read(text):
        (tmp_path / "a.cases.yaml").write_text(dedent(text))
        return load_cases("a.cases.yaml")

    return read


@pytest.fixture
def calls(cases):
    """Loads the calls of one case, given as the text of its list."""

    def read(text):
        (case,) = cases(
            "- case: a\n  calls:\n" + "".join(f"    {x}\n" for x in dedent(text).splitlines())
        )
        return case.calls

    return read


def ms(call):
    return (call.start_ns - BEGIN_NS) / 1e6, (call.end_ns - BEGIN_NS) / 1e6


def test_a_case_has_its_name_its_place_and_what_must_be_found(cases):
    first, second = cases(
        """\
        # comment
        - case: refund without identity check
          calls: [refund]
          fails: [order.1, forbid.2]
          cannot_check: [secrets]
        - case: fine
          calls: []
        """
    )
    assert (
        "refund without identity check",
        Location("a.cases.yaml", 2),
        ("order.1", "forbid.2"),
        ("secrets",),
    ) == (first.name, first.where, first.fails, first.cannot_check)
    assert (
        second.name,
        second.where.line,
        second.calls,
        second.fails,
        second.cannot_check,
    ) == ("fine", 6, (), (), ())


def test_a_name_alone_is_a_call_of_which_nothing_was_observed(calls):
    (call,) = calls("- refund")
    assert (
        call.tool,
        call.args,
        call.args_state,
        call.result_state,
        call.status,
        call.stage,
        call.kind,
    ) == (
        "refund",
        None,
        ContentState.NOT_OBSERVED,
        ContentState.NOT_OBSERVED,
        Status.OK,
        Stage.EXECUTED,
        CallKind.TOOL,
    )


def test_arguments_left_out_are_not_those_that_are_empty(calls):
    short, empty, left_out, given = calls(
        """\
        - refund: {amount: 3}
        - refund: {}
        - {tool: refund}
        - {tool: refund, args: {}}
        """
    )
    assert [c.args for c in (short, empty, left_out, given)] == [{"amount": 3}, {}, None, {}]
    assert [c.args_state is ContentState.OBSERVED for c in (short, empty, left_out, given)] == [
        True,
        True,
        False,
        True,
    ]


def test_a_result_of_null_was_observed(calls):
    (call,) = calls("- {tool: x, result: null}")
    assert (call.result, call.result_state) == (None, ContentState.OBSERVED)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ((ContentState.TRUNCATED, None, '{"a": "x'), '{"a": "x'),
        ((ContentState.UNPARSABLE, None, "{a: 1}"), "{a: 1}"),
        ((ContentState.OBSERVED, {"a": 1}, None), '{"a": 1}'),
    ],
)
def test_raw_arguments_are_read_as_recorded_ones_are(calls, expected, text):
    (call,) = calls(f"- {{tool: x, args_text: '{text}'}}")
    assert expected == (call.args_state, call.args, call.args_text)


def test_each_call_begins_100_ms_after_the_one_above_and_takes_100_ms(calls):
    assert [
        ms(call)
        for call in calls(
            """\
            - a
            - a
            - {tool: a, at_ms: 500, took_ms: 80}
            - {tool: a, took_ms: 0.5}
            - a
            - {tool: a, at_ms: 0}
            - a
            """
        )
    ] == [(0, 100), (200, 300), (500, 580), (680, 680.5), (780.5, 880.5), (0, 100), (200, 300)]


def test_a_call_only_requested_is_an_instant_of_unknown_status(calls):
    asked, ran = calls("- {tool: a, stage: requested}\n- a")
    assert (asked.stage, asked.status, ms(asked)) == (Stage.REQUESTED, Status.UNKNOWN, (0, 0))
    assert ms(ran) == (200, 300)


def test_status_is_ok_unless_something_says_otherwise(calls):
    assert [
        call.status
        for call in calls(
            "- a\n- {tool: a, status: error}\n- {tool: a, status: unknown}\n- {tool: a, error: boom}"
        )
    ] == [Status.OK, Status.ERROR, Status.UNKNOWN, Status.ERROR]


def test_everything_else_is_as_given(calls):
    (call,) = calls(
        """\
        - tool: ask
          kind: agent
          call_id: c1
          conversation: conv
          service: desk
          environment: prod
          cost_usd: 0.02
          error: boom
        """
    )
    assert (
        call.kind,
        call.call_id,
        call.key,
        call.conversation_id,
        call.service,
        call.environment,
        call.cost_usd,
        call.cost_source,
        call.error_message,
    ) == (CallKind.AGENT, "c1", "c1", "conv", "desk", "prod", 0.02, CostSource.REPORTED, "boom")


def test_an_invocation_is_an_agent_in_a_trace_and_what_tells_it_from_another(calls):
    a, same, other, second, elsewhere, nobody = calls(
        """\
        - {tool: x, agent: desk}
        - {tool: x, agent: desk}
        - {tool: x, agent: billing}
        - {tool: x, agent: desk, invocation: 2}
        - {tool: x, agent: desk, trace: other}
        - x
        """
    )
    assert a.invocation_id == same.invocation_id
    ids = [call.invocation_id for call in (a, other, second, elsewhere)]
    assert all(isinstance(one, str) and len(one) == 16 for one in ids)
    assert len(set(ids)) == 4
    assert (nobody.agent, nobody.invocation_id) == (None, None)


def test_a_parent_is_the_invocation_of_the_agent_that_called(cases):
    (case,) = cases(
        """\
        - case: a
          calls:
            - {tool: x, agent: desk}
            - {tool: x, agent: billing, parent: desk}
        """
    )
    desk, billing = case.calls
    assert {billing.invocation_id: desk.invocation_id} == case.parents


def test_ids_are_the_same_each_time_and_differ_between_cases(cases):
    text = "- {case: a, calls: [x, {tool: x, trace: 2}]}\n- {case: a, calls: [x]}\n"
    first, second = cases(text)
    assert (first, second) == cases(text)
    traces = {call.trace_id for case in (first, second) for call in case.calls}
    assert len(traces) == 3
    assert {32} == set(map(len, traces))
    assert (
        len({(call.trace_id, call.span_id) for case in (first, second) for call in case.calls}) == 3
    )


def test_calls_that_share_an_id_are_named_apart_by_start(calls):
    text = """\
        - {tool: x, call_id: c, at_ms: 500}
        - {tool: x, call_id: c, at_ms: 0}
        - {tool: x, call_id: d}
        - {tool: x, call_id: c, trace: other}
        - x
        """
    *named, last = calls(text)
    assert [call.key for call in named] == ["c#2", "c#1", "d", "c"]
    assert last.span_id == last.key


def test_a_recording_is_named_beside_the_file(cases):
    (case,) = cases("- {case: a, spans: run.jsonl, fails: [x]}")
    assert (Path("run.jsonl"), ()) == (case.spans, case.calls)


def test_all_problems_of_a_file_are_said_at_once(cases):
    text = """\
        - case: a
          calls:
            - refund:
            - refund: 5
            - {refund: {}, agent: b}
            - 5
            - {tool: x, statusx: ok}
            - {tool: x, status: okay, kind: tol}
            - {tool: x, at_ms: -3, took_ms: soon}
            - {tool: x, took_ms: -3}
            - {tool: x, args: {}, args_text: '{}'}
            - {tool: x, scenario: y}
            - {tool: x, args: [1]}
        - calls: []
        - case: b
        - case: c
          calls: [x]
          spans: y
        - {case: d, calls: [x], fails: forbid.1, cannot_chek: []}
        - text
        - {case: e, calls: x}
        """
    with pytest.raises(ContractError) as caught:
        cases(text)
    assert str(caught.value) == snapshot("""\
a.cases.yaml:3: arguments are a mapping: `{}` for none, the bare name for what was not observed
a.cases.yaml:4: `args` must be a mapping, not `5`
a.cases.yaml:5: a call is a tool's name, `TOOL: ARGUMENTS`, or a mapping with `tool`, not a mapping
a.cases.yaml:6: a call is a tool's name, `TOOL: ARGUMENTS`, or a mapping with `tool`, not `5`
a.cases.yaml:7: unknown key `statusx` in a call; did you mean `status`?
a.cases.yaml:8: `status` must be one of `ok`, `error`, `unknown`, not `okay`; did you mean `ok`?
a.cases.yaml:8: `kind` must be one of `tool`, `handoff`, `agent`, `output`, not `tol`; did you mean `tool`?
a.cases.yaml:9: `took_ms` must be a number, not `soon`
a.cases.yaml:10: `took_ms` is a time, 0 or more
a.cases.yaml:11: a call has either `args` or `args_text`
a.cases.yaml:13: `args` must be a mapping, not a list
a.cases.yaml:14: a case needs the key `case`
a.cases.yaml:15: a case has either `calls` or `spans`
a.cases.yaml:16: a case has either `calls` or `spans`
a.cases.yaml:19: unknown key `cannot_chek` in a case; did you mean `cannot_check`?
a.cases.yaml:19: `fails` must be a list, not `forbid.1`
a.cases.yaml:20: a case must be a mapping, not `text`
a.cases.yaml:21: `calls` must be a list, not `x`\
""")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", snapshot("a.cases.yaml: a file of cases is one list of cases")),
        ("[]", snapshot("a.cases.yaml:1: a file of cases is one list of cases, not an empty list")),
        (
            "case: a",
            snapshot("a.cases.yaml:1: a file of cases is one list of cases, not a mapping"),
        ),
        (
            "- {case: a, calls: []}\n---\n- {case: b, calls: []}",
            snapshot("a.cases.yaml: a file of cases is one list of cases"),
        ),
        (
            "- case: [\n",
            snapshot(
                "a.cases.yaml:2: is no YAML: expected the node content, but found '<stream end>': something is opened and not closed"
            ),
        ),
    ],
)
def test_a_file_without_a_list_of_cases_is_a_problem(cases, text, expected):
    with pytest.raises(ContractError) as caught:
        cases(text)
    assert str(caught.value) == expected


def test_cases_stand_beside_their_contract(tmp_path: Path):
    for name in ("a.yaml", "a.cases.yaml", "b.json", "b.cases.yml", "c.yaml"):
        (tmp_path / name).touch()
    assert tmp_path / "a.cases.yaml" == cases_beside(tmp_path / "a.yaml")
    assert tmp_path / "b.cases.yml" == cases_beside(str(tmp_path / "b.json"))
    assert cases_beside(tmp_path / "c.yaml") is None


def test_a_pack_that_is_none_has_no_cases():
    assert cases_beside("pack:nothing") is None


def test_a_pack_has_its_cases_beside_it():
    beside = cases_beside("pack:loops")
    assert beside is not None
    assert beside.name == "loops.cases.yaml"
