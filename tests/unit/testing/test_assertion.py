"""Assertions about what an agent did."""

import pytest
from inline_snapshot import snapshot
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from toolscore_otel import Contract, ContractError, Severity
from toolscore_otel.model import Stage, Status
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.testing import FakeClock, assert_contract, make_call, make_span

CONTRACT = Contract.from_dict(
    {
        "contract": "support",
        "language": 1,
        "runbook": "ask the desk",
        "forbid": [
            {
                "tool": "delete_user",
                "severity": "critical",
                "reason": "support never deletes accounts",
            },
            {"tool": "shell", "args": {"command": {"$contains": "rm"}}},
        ],
    }
)


def said(told, contract=CONTRACT, **options):
    """What a failing assertion says."""
    with pytest.raises(AssertionError) as caught:
        assert_contract(told, contract, **options)
    return str(caught.value)


def test_what_keeps_the_contract_passes():
    assert_contract([make_call("search", {"q": "chairs"})], CONTRACT)


def test_a_failure_says_what_was_wrong_where_and_what_was_called():
    calls = [
        make_call("search", {"q": "chairs"}, start_ns=0, end_ns=120_000_000),
        make_call("delete_user", {"id": "u-42", "force": True}, call_id="c2"),
        make_call("shell"),
        make_call("log_case", {}, status=Status.ERROR),
        make_call("refund", {"amount": 3}, stage=Stage.REQUESTED),
    ]
    assert said(calls) == snapshot("""\
`support` does not hold: 1 finding

  CRITICAL  forbid.1  forbidden call
    `delete_user` was called, which is forbidden: support never deletes accounts
    what to do: ask the desk

what was called
     1  search(q="chairs")                  ok 0.12 s
>    2  delete_user(id="u-42", force=true)  ok          forbid.1
     3  shell(?)                            ok
     4  log_case()                          error
     5  refund(amount=3)                    not seen to run

could not be checked
  forbid.2: whether this call of `shell` is a forbidden one cannot be checked: arguments not observed (switch on content capture of the instrumentation to record arguments)\
""")


def test_what_could_not_be_checked_fails_only_a_strict_assertion():
    calls = [make_call("shell")]
    assert_contract(calls, CONTRACT)
    assert "could not be checked" in said(calls, strict=True)


def test_what_is_less_severe_than_asked_for_passes():
    calls = [make_call("shell", {"command": "rm x"})]
    assert_contract(calls, CONTRACT, fail_on=Severity.CRITICAL)
    assert "forbid.2" in said(calls)


def test_a_rule_in_shadow_fails_nothing():
    shadow = Contract.from_dict(
        {"contract": "s", "language": 1, "shadow": True, "forbid": ["delete_user"]}
    )
    assert_contract([make_call("delete_user")], shadow, strict=True)


@pytest.mark.parametrize("told", [[], [make_span()]])
def test_an_assertion_about_nothing_does_not_hold(told):
    assert said(told).startswith("`support` was not judged: no tool call")


def test_an_assertion_about_calls_that_a_contract_does_not_apply_to_does_not_hold():
    bank = Contract.from_dict(
        {"contract": "b", "language": 1, "applies_to": {"service": "bank"}, "forbid": ["x"]}
    )
    assert "applies to none of these calls" in said([make_call("x", service="shop")], bank)
    assert "applies to none of these calls" in said([make_span("x")], bank)


def test_no_secret_stands_in_a_message():
    secret = make_sample("aws_access_key_id", 1)
    text = said([make_call("delete_user", {"key": secret}), make_call("x", args_text=secret)])
    assert secret not in text
    assert "[REDACTED:aws_access_key_id]" in text


def test_a_kind_of_the_contracts_own_is_redacted_too():
    contract = Contract.from_dict(
        {
            "contract": "s",
            "language": 1,
            "forbid": ["x"],
            "secrets": {"patterns": [{"name": "customer", "regex": r"KD-\d{5}"}]},
        }
    )
    assert "KD-12345" not in said([make_call("x", {"who": "KD-12345"})], contract)


def test_of_many_calls_those_around_what_was_wrong_are_shown():
    calls = [make_call(f"t{number}", call_id=f"c{number}") for number in range(100)]
    calls[50] = make_call("delete_user", call_id="c50")
    shown = [
        line.split()[1 if ">" in line else 0] for line in said(calls).splitlines() if "(?)" in line
    ]
    assert shown == ["49", "50", "51", "52", "53"]


def test_spans_are_held_against_a_contract():
    root = make_span(agent="ops")
    assert_contract([root, make_span("search", parent=root)], CONTRACT)
    text = said([root, make_span("delete_user", {"id": 1}, parent=root, error="timeout")])
    assert "agent `ops` called `delete_user`" in text
    assert ">    1  delete_user(id=1)" in text


def test_spans_of_the_sdk_are_held_against_a_contract():
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    provider.get_tracer("app").start_span("execute_tool delete_user").end()
    assert "delete_user" in said(exporter.get_finished_spans())


def test_a_contract_may_be_a_file(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("contract: c\nlanguage: 1\nforbid: [delete_user]\n")
    assert said([make_call("delete_user")], path).startswith("`c` does not hold: 1 finding\n")


def test_a_contract_that_cannot_be_loaded_is_no_assertion(tmp_path):
    with pytest.raises(ContractError):
        assert_contract([make_call("x")], tmp_path / "none.yaml")


def test_what_is_neither_calls_nor_spans_is_refused():
    with pytest.raises(TypeError, match="neither calls nor spans: str among them"):
        assert_contract(["delete_user"], CONTRACT)


def test_a_clock_moves_when_it_is_told_to():
    clock = FakeClock(5)
    clock.advance(1.5)
    assert (clock(), clock.now) == (1_500_000_005, 1_500_000_005)


def test_made_up_spans_have_ids_of_their_own():
    first, second = make_span("a"), make_span("b")
    assert first.span_id != second.span_id
    assert first.trace_id != second.trace_id
    assert make_span("c", parent=first).trace_id == first.trace_id
