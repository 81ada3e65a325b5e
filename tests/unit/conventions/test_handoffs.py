"""Calls named like a handoff, and the answers that show one."""

import pytest

from toolscore_otel.conventions.handoffs import (
    is_handed_back,
    is_said,
    is_told_numbers,
    known_as,
    target_of,
)
from toolscore_otel.conventions.reading import CallReading
from toolscore_otel.model import ContentState, Payload


def named(name, args=None):
    payload = Payload() if args is None else Payload(ContentState.OBSERVED, args)
    return CallReading(convention="genai", name=name, args=payload)


@pytest.mark.parametrize(
    ("name", "args", "target"),
    [
        ("transfer_to_billing", None, "billing"),
        ("transfer_back_to_supervisor", None, "supervisor"),
        ("handoff_to_billing_agent", None, "billing"),
        ("hand_off_to_Billing", None, "billing"),
        ("delegate_to_agent_smith", None, "smith"),
        ("transfer_to_savings_account", None, "savings_account"),
        ("transfer_to_agent", {"agent_name": "Billing Agent"}, "billing"),
        ("transfer_to_agent", None, None),
        ("handoff", {"to_agent": "billing"}, "billing"),
        ("delegate_task_to_member", {"member_id": "billing"}, "billing"),
        ("transfer_to_", None, None),
        ("transfer_funds", None, None),
        ("please_transfer_to_billing", None, None),
        (None, None, None),
    ],
)
def test_the_name_or_an_argument_tells_who_would_take_over(name, args, target):
    assert target_of(named(name, args)) == target


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Billing Agent", "billing"),
        ("billing_agent", "billing"),
        ("agent-billing", "billing"),
        ("agent", "agent"),
        ("Zoë", "zoë"),
        ("--", None),
        ("", None),
        (None, None),
    ],
)
def test_an_agent_is_known_by_its_words(name, known):
    assert known_as(name) == known


@pytest.mark.parametrize(
    "answer",
    [
        "Transferred to billing, adopting the role of billing immediately.",
        "Handing off to billing: Refund please",
        "Agent billing is now handling the request due to the following reason: refund",
        {"assistant": "Billing Agent"},
        '{"assistant": "Billing Agent"}',
        {"graph": "__parent__", "goto": "billing_agent", "update": {}},
        {"output": {"graph": "__parent__", "goto": "billing_agent"}, "kwargs": {}},
    ],
)
def test_frameworks_answer_that_another_agent_takes_over(answer):
    assert is_said("billing", answer, [])
    assert not is_said("savings", answer, [])


@pytest.mark.parametrize("args", [{}, {"reason": "a refund"}])
def test_what_may_be_said_of_money_counts_where_no_amount_was_given(args):
    assert is_said("billing", "Successfully transferred to billing_agent.", [args])
    assert is_said("billing", "Successfully transferred back to billing", [args])


@pytest.mark.parametrize("args", [[], [{"amount": "100 EUR"}], [{}, {"of": [{"sum": 5}]}]])
def test_where_money_may_have_moved_it_does_not_count(args):
    assert not is_said("savings_account", "Successfully transferred to savings_account", args)


@pytest.mark.parametrize(
    "answer",
    [
        "Moved it to billing.",
        "Handing off to billing: " + "x" * 1_000,
        {"graph": "__parent__", "goto": ["billing"]},
        {"graph": None, "goto": "billing"},
        {"assistant": "billing", "user": "x"},
        None,
        5,
    ],
)
def test_other_answers_say_nothing(answer):
    assert not is_said("billing", answer, [{}])


def test_numbers_are_nothing_to_tell_an_agent():
    assert is_told_numbers({"amount": 5, "to": "x"})
    assert not is_told_numbers({"urgent": True, "reason": "5 EUR"})
    assert not is_told_numbers(None)


@pytest.mark.parametrize(
    ("tool", "args", "answer", "expected"),
    [
        ("transfer_back_to_supervisor", {}, "Successfully transferred back to supervisor", True),
        ("transfer_back_to_the_boss", None, "Successfully transferred back to The Boss", True),
        ("transfer_back_to_savings", {"eur": 5}, "Successfully transferred back to savings", False),
        ("transfer_back_to_supervisor", {}, "Successfully transferred back to clerk", False),
        ("transfer_back_to_supervisor", {}, "Successfully transferred to supervisor", False),
        ("transfer_back_to_supervisor", {}, {"goto": "supervisor"}, False),
        ("transfer_to_supervisor", {}, "Successfully transferred back to supervisor", False),
        (None, {}, "Successfully transferred back to supervisor", False),
    ],
)
def test_a_handing_back_that_a_framework_wrote_is_known_by_its_words(tool, args, answer, expected):
    assert is_handed_back(tool, args, answer) is expected
