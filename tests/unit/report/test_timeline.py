from typing import Any

from hypothesis import given, strategies as st
from inline_snapshot import snapshot
from rich.cells import cell_len

from tests.unit.report.conftest import Shown
from toolscore_otel.model import (
    Finding,
    FindingKind,
    Label,
    Severity,
    Stage,
    Status,
    ToolCall,
)
from toolscore_otel.report.timeline import timeline

S = 1_000_000_000


def made(tool: str, span: str, at: float, lasts: float, **given: Any) -> ToolCall:
    known: dict[str, Any] = {"agent": "desk", "invocation_id": "a", "status": Status.OK} | given
    return ToolCall(
        tool=tool, span_id=span, start_ns=int(at * S), end_ns=int((at + lasts) * S), **known
    )


def found(
    span: str | None, severity: Severity = Severity.ERROR, label: Label = Label.FAIL
) -> Finding:
    return Finding(
        id="f", rule="r", kind=FindingKind.RETRY_LOOP, severity=severity, contract="c",
        label=label, explanation="e", span_id=span,
    )  # fmt: skip


CALLS = [
    made("ask", "1", 0, 6, cost_usd=0.5),
    made("search", "2", 1, 2, agent="researcher", invocation_id="b"),
    made("pay", "3", 7, 1, status=Status.ERROR),
    made("pay", "4", 8.5, 1, status=Status.ERROR),
    made("pay", "5", 9, 3, status=Status.UNKNOWN),
]


def test_calls_stand_under_their_agents_and_agents_under_the_calls_that_started_them(shown):
    findings = [found("4"), found("2", Severity.WARNING), found("4", Severity.CRITICAL)]

    shown.console.print(timeline(CALLS, findings, 80, parents={"b": "x", "x": "1"}))

    assert shown.text == snapshot("""\
desk           ········································
  ask          ████████████████████                     ✓  6.00 s  $0.5000
    researcher    ·······
      search      ▐██████                               ✓  2.00 s        ? ◄2
  pay                                 ▐██▌              ✗  1.00 s        ?
  pay                                      ▐██▌         ✗  1.00 s        ? ◄1,3
  pay                                        ██████████ ?  3.00 s        ?
               └─────┴──────┴──────┴─────┴──────┴─────┘
               0     2      4      6     8      10    12 s\
""")


def test_where_nesting_is_not_known_no_agent_stands_inside_another(shown):
    shown.console.print(timeline(CALLS, [], 80))

    assert [line.split()[0] for line in shown.lines if line[0] != " "] == ["desk", "researcher"]


def test_parents_that_run_in_a_circle_end(shown):
    shown.console.print(timeline(CALLS, [], 80, parents={"b": "x", "x": "b"}))

    assert "researcher" in shown.text


def test_a_call_without_times_has_no_bar_and_no_duration(shown):
    calls = [CALLS[0], ToolCall(tool="log", agent="desk", invocation_id="a")]

    shown.console.print(timeline(calls, [], 80))

    assert shown.text == snapshot("""\
desk  ·················································
  ask █████████████████████████████████████████████████ ✓  6.00 s  $0.5000
  log times not recorded                                ?       ?        ?
      └───────┴───────┴───────┴───────┴────────┴──────┘
      0       1       2       3       4        5      6 s\
""")


def test_a_call_that_was_not_seen_to_end_has_only_a_beginning(shown):
    calls = [CALLS[0], ToolCall(tool="log", agent="desk", invocation_id="a", start_ns=3 * S)]

    shown.console.print(timeline(calls, [], 80))

    row = next(line for line in shown.lines if "log" in line)
    assert row.split() == ["log", "▌?", "?", "?", "?"]


def test_a_call_only_asked_for_has_its_own_sign(shown):
    shown.console.print(timeline([ToolCall(tool="log", stage=Stage.REQUESTED)], [], 80))

    assert "○" in shown.text
    assert "agent not recorded" in shown.text


def test_only_findings_that_stand_are_marked(shown):
    findings = [found("1", label=Label.PASS), found("1", label=Label.CANNOT_CHECK), found("3")]

    shown.console.print(timeline(CALLS, findings, 80))

    assert [line for line in shown.lines if "◄" in line] == [
        line for line in shown.lines if line.endswith("◄3")
    ]
    assert shown.text.count("◄") == 1


def test_without_calls_there_is_no_timeline(shown):
    shown.console.print(timeline([], [], 80))

    assert shown.text.strip() == ""


def test_calls_at_the_same_time_overlap(shown):
    calls = [made("a", "1", 0, 1), made("b", "2", 2, 1), made("b", "3", 2, 1)]

    shown.console.print(timeline(calls, [], 80))

    rows = [line for line in shown.lines if line.startswith("  b")]
    assert len(rows) == 2
    assert rows[0] == rows[1]


TIMES = st.none() | st.integers(0, 10**20)


@given(
    st.lists(
        st.builds(
            ToolCall,
            tool=st.text(max_size=30),
            agent=st.none() | st.text(max_size=30),
            span_id=st.sampled_from("1234"),
            invocation_id=st.none() | st.sampled_from("ab12"),
            status=st.sampled_from(Status),
            start_ns=TIMES,
            end_ns=TIMES,
            cost_usd=st.none() | st.floats(0, 10**6),
        ),
        max_size=6,
    ),
    st.integers(0, 120),
)
def test_no_line_is_wider_than_asked_for_and_no_call_is_left_out(calls, width):
    shown = Shown()
    shown.console.width = 200
    parents = {"a": "1", "b": "2"}
    shown.console.print(timeline(calls, [found(c.span_id) for c in calls], width, parents=parents))

    agents = {call.invocation_id or call.agent or "" for call in calls}
    assert all(cell_len(line) <= max(width, 60) for line in shown.lines)
    assert not calls or len(calls) + len(agents) + 2 == len(shown.lines)
