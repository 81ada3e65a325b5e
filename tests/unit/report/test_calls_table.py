from typing import Any

from hypothesis import given, strategies as st
from inline_snapshot import snapshot
from rich.cells import cell_len

from tests.unit.report.conftest import Shown
from toolscore_otel.model import ContentState, Stage, Status, Tokens, ToolCall
from toolscore_otel.report.calls_table import print_calls

S = 1_000_000_000
TRACE = "826e4fa5971e24679e6268a0ab2e212a"


def made(tool: str, at: float = 0.0, lasts: float = 0.1, **given: Any) -> ToolCall:
    known: dict[str, Any] = {
        "trace_id": TRACE,
        "agent": "support",
        "service": "desk",
        "status": Status.OK,
    } | given
    return ToolCall(tool=tool, start_ns=int(at * S), end_ns=int((at + lasts) * S), **known)


CALLS = [
    made("lookup_order", args={"order_id": "O-1042"}, result="x"),
    made("web_research", 0.9, 5.0, args={"question": "Is there a recall of the kettle K-7?"}, cost_usd=0.22),
    made("refund_payment", 6.5, 0.3, agent="billing", status=Status.ERROR, error_message="gateway timeout"),
    ToolCall(tool="send_email", trace_id=TRACE, service="desk", args={}, stage=Stage.REQUESTED),
    made("log", 7.0, status=Status.UNKNOWN, args_state=ContentState.TRUNCATED, args_text='{"note": "al'),
]  # fmt: skip


def test_a_trace_is_a_heading_and_a_row_per_call(shown):
    print_calls([("", call) for call in CALLS], each=False, console=shown.console)

    assert shown.text == snapshot("""\
desk, trace 826e4fa5971e24679e6268a0ab2e212a, 5 calls, 1 error
  0.00 s support ✓ lookup_order   order_id="O-1042"             100 ms        ?
  0.90 s support ✓ web_research   question="Is there a recal…   5.00 s  $0.2200
  6.50 s billing ✗ refund_payment not recorded                  300 ms        ?
                   error: gateway timeout
       ? ?       ○ send_email     {}                                 ?        ?
  7.00 s support ? log            cut: {"note": "al             100 ms        ?
not recorded, of 5 calls: arguments 1, results 3, status 1, agent 1, cost 4

✓ ok   ✗ error   ○ asked for, not seen to run   ? not known\
""")


def test_without_any_cost_there_is_no_column_of_costs(shown):
    print_calls([("", CALLS[0])], each=False, console=shown.console)

    assert "$" not in shown.text
    assert "cost 1" in shown.text


def test_what_was_not_observed_is_not_ok_and_not_empty_and_not_zero(shown):
    print_calls([("", ToolCall(tool="search", trace_id=TRACE))], each=False, console=shown.console)

    assert shown.text == snapshot("""\
trace 826e4fa5971e24679e6268a0ab2e212a, 1 call
       ? ? ? search not recorded                                              ?
not recorded, of 1 call: arguments 1, results 1, status 1, agent 1, times 1,
cost 1

? not known\
""")


def test_each_recording_has_its_own_heading(shown):
    print_calls([("one", CALLS[0]), ("two", CALLS[1])], each=True, console=shown.console)

    assert [f"{name}, desk, trace {TRACE}, 1 call" for name in ("one", "two")] == [
        line for line in shown.lines if "trace" in line
    ]


def test_a_narrow_terminal_cuts_and_does_not_wrap(shown):
    shown.console.width = 40
    call = made("a_tool_of_a_long_name", agent="an_agent_of_a_long_name", cost_usd=1.0)

    print_calls([("", call)], each=False, console=shown.console)

    assert sum("a_tool" in line for line in shown.lines) == 1
    assert max(cell_len(line) for line in shown.lines) <= 40


def test_no_call_prints_nothing(shown):
    print_calls([], each=False, console=shown.console)

    assert shown.text == ""


WORDS = st.text(max_size=40)


@given(
    st.lists(
        st.builds(
            ToolCall,
            tool=WORDS,
            agent=st.none() | WORDS,
            args=st.none() | st.dictionaries(WORDS, WORDS, max_size=3),
            error_message=st.none() | WORDS,
            status=st.sampled_from(Status),
            start_ns=st.none() | st.integers(0, 10**20),
            end_ns=st.none() | st.integers(0, 10**20),
            cost_usd=st.none() | st.floats(0, 10**6),
        ),
        max_size=4,
    )
)
def test_no_row_is_wider_than_the_terminal(calls):
    shown = Shown()
    print_calls([("", call) for call in calls], each=False, console=shown.console)

    assert all(cell_len(line) <= 80 for line in shown.lines)


def test_the_turns_that_asked_are_summed_up_each_once(shown):
    known: dict[str, Any] = {
        "model": "large",
        "turn_id": "m1",
        "turn_tokens": Tokens(input=1200, output=30),
    }
    calls = [
        made("a", turn_cost_usd=0.02, **known),
        made("b", turn_cost_usd=0.02, **known),
        made("c", model="small", turn_id="m2", turn_tokens=Tokens(input=300, output=4), turn_cost_usd=0.01),
    ]  # fmt: skip
    print_calls([("", call) for call in calls], each=False, console=shown.console)

    assert (
        "asked for in 2 turns of large, small: tokens in 1,500, out 34, cost $0.0300" in shown.text
    )


def test_what_is_not_known_of_a_turn_is_said(shown):
    calls = [
        made("a", turn_id="m1", turn_tokens=Tokens(input=300), turn_cost_usd=0.01),
        made("b", turn_id="m2"),
    ]
    print_calls([("", call) for call in calls], each=False, console=shown.console)

    assert (
        "asked for in 2 turns of a model not recorded: tokens in at least 300, out ?,\n"
        "cost at least $0.0100" in shown.text
    )
