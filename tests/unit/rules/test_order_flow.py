import pytest
from msgspec import structs

from toolscore_otel.matchers import JudgedCall
from toolscore_otel.model import FindingKind, Gap
from toolscore_otel.rules.order import Order

FLOW = Order(never="mail", after="read", until="ask", reason="leaks")
NO_END = Order(never="mail", after="read")


def test_a_call_after_what_it_must_not_come_after_is_a_finding_on_it(made, watch):
    (verdict,) = watch(FLOW, made("read"), made("mail")).fails
    assert FindingKind.ORDER_VIOLATED is verdict.kind
    assert verdict.call.key == "c2"
    text = "`mail` was called after tool read, with no tool ask since: leaks"
    assert text == verdict.explanation
    (verdict,) = watch(NO_END, made("read"), made("mail", agent="desk")).fails
    assert verdict.explanation == "agent `desk` called `mail` after tool read"


@pytest.mark.parametrize(
    ("calls", "failing"),
    [
        (["mail"], []),
        (["mail", "read"], []),
        (["read", "mail", "mail"], ["c2", "c3"]),
        (["read", "ask", "mail"], []),
        (["ask", "read", "mail"], ["c3"]),
        (["read", "ask", "read", "mail"], ["c4"]),
        (["read", "mail", "ask", "mail"], ["c2"]),
    ],
)
def test_what_was_done_since_makes_it_possible_again(calls, failing, made, watch):
    assert failing == watch(FLOW, *map(made, calls)).failing


@pytest.mark.parametrize(
    ("calls", "fails"),
    [
        ({"read": (0, 50), "mail": (20, 5)}, False),
        ({"read": (0, 20), "mail": (20, 5)}, True),
        ({"read": (0, 20), "ask": (10, 15), "mail": (30, 5)}, True),
        ({"read": (0, 20), "ask": (20, 5), "mail": (30, 5)}, False),
        ({"read": (0, 20), "ask": (20, 10), "mail": (30, 5)}, False),
        ({"read": (0, 20), "ask": (20, 15), "mail": (30, 5)}, True),
        ({"read": (30, 0), "mail": (30, 0)}, False),
        ({"read": (30, 0), "mail": (30, 5)}, True),
        ({"read": (30, 0), "ask": (30, 0), "mail": (30, 5)}, True),
    ],
)
def test_what_overlaps_is_not_after(calls, fails, made, watch):
    put = [made(tool, at=at, took=took) for tool, (at, took) in calls.items()]
    assert bool(watch(FLOW, *put).fails) is fails
    assert bool(watch(FLOW, *put[::-1]).fails) is fails


def test_of_several_the_last_to_end_counts(made, watch):
    reads = [made("read", at=0, took=50), made("read", at=10, took=1)]
    assert watch(FLOW, *reads, made("ask", at=20), made("mail", at=60)).fails
    assert watch(FLOW, *reads, made("ask", at=50), made("mail", at=60)).silent


def test_a_source_that_overlaps_does_not_count(made, watch):
    late = made("read", at=55, took=20)
    assert watch(FLOW, made("read"), made("ask", at=30), late, made("mail", at=60)).silent


def test_calls_that_come_late_turn_what_was_said(made, watch):
    watched = watch(FLOW, made("mail", at=90), made("mail", at=50))
    assert watched.silent
    assert watched.put(made("read", at=10)).failing == ["c1", "c2"]
    assert watched.put(made("ask", at=60)).failing == ["c2"]
    assert watched.drop("c4").failing == ["c1", "c2"]
    assert watched.put(made("ask", at=20), made("read", at=70)).failing == ["c1"]
    assert watched.drop("c3", "c6").silent
    assert watched.drop("c1", "never seen").silent


def test_a_sure_source_outweighs_those_that_may_be(made, watch):
    rule = Order(never="mail", after={"tool": "read", "args": {"id": 1}}, until="ask")
    assert watch(rule, made("read", {"id": 1}), made("read"), made("mail")).fails
    assert watch(rule, made("read", {"id": 2}), made("mail")).silent
    watched = watch(rule, made("read", key="open"), made("mail"))
    assert {"arguments"} == watched.lacks
    assert watched.drop("open").silent
    calls = [made("read", {"id": 1}), made("ask"), made("read"), made("mail")]
    (verdict,) = watch(rule, *calls).unsure
    text = "whether this call of `mail` is one that may not come after tool read, args id is 1"
    assert text == verdict.explanation


def test_what_may_have_made_it_possible_again_leaves_it_open(made, watch):
    rule = Order(never="mail", after="read", until={"tool": "ask", "args": {"ok": True}})
    watched = watch(rule, made("read"), made("ask"), made("mail"))
    assert {"arguments"} == watched.lacks
    assert watched.put(made("ask", {"ok": True}, at=25)).silent
    assert watch(rule, made("ask"), made("read"), made("mail")).fails


def test_whether_it_is_such_a_call_may_be_open(made, watch):
    rule = Order(never={"tool": "mail", "args": {"to": 1}}, after="read", until="ask")
    assert {"arguments"} == watch(rule, made("read"), made("mail")).lacks
    assert watch(rule, made("read"), made("ask"), made("mail")).silent


@pytest.mark.parametrize(
    ("when", "stands"),
    [
        ({"at": None}, "unsure"),
        ({"at": 0, "took": None}, "unsure"),
        ({"at": 80, "took": None}, "silent"),
        ({"at": 0}, "fails"),
    ],
)
def test_a_source_of_unknown_times_may_be_before(when, stands, made, watch):
    watched = watch(FLOW, made("read", **when), made("mail", at=50))
    assert getattr(watched, stands)
    assert watched.lacks in (set(), {"times"})


def test_a_call_of_unknown_begin_may_be_after(made, watch):
    mail = structs.replace(made("mail", at=50), start_ns=None)
    watched = watch(FLOW, made("read", at=0), mail)
    assert {"times"} == watched.lacks
    assert watched.put(made("ask", at=10)).unsure
    assert watched.drop("c2").silent
    late = watch(FLOW, made("read", at=60), mail)
    assert late.silent
    assert late.put(made("read", at=0)).unsure


def test_an_end_of_unknown_times_leaves_it_open(made, watch):
    calls = made("read", at=0), made("ask", at=None), made("mail", at=50)
    assert {"times"} == watch(FLOW, *calls).lacks


def test_a_call_is_not_before_itself(made, watch):
    both = Order(never="*", after={"tool": "read"}, until={"tool": "ask"})
    assert watch(both, made("read", at=None)).silent
    assert watch(both, made("read", took=None), made("ask", at=None)).unsure
    assert watch(Order(never="read", after="read"), made("read", took=None)).silent
    assert watch(Order(never="read", after="read"), made("read"), made("read")).failing == ["c6"]


def test_the_call_that_decides_may_not_be_the_one_that_is_asked_about(made, watch):
    rule = Order(never="read", after="read", until="ask")
    first, second = made("read", at=0, took=None), made("read", at=None)
    assert {"times"} == watch(rule, first, second).lacks


def test_calls_that_only_were_asked_for(made, watch):
    assert watch(FLOW, made("read"), made("mail", stage="requested")).fails
    assert watch(FLOW, made("read", stage="requested", took=0), made("mail")).silent
    assert watch(FLOW, made("read"), made("ask", stage="requested", took=0), made("mail")).fails


def test_what_fails_because_of_something_seen_fails_in_an_incomplete_trajectory(made, watch):
    assert watch(FLOW, made("read"), made("mail")).close([Gap.FRAGMENT]).fails


def test_excused_calls_are_not_judged(made, watch):
    rule = Order(never="mail", after="read", unless={"before": "ok"})
    assert watch(rule, made("ok"), made("read"), made("mail")).silent
    watched = watch(rule, made("read"), made("mail"))
    assert watched.fails
    assert watched.put(made("ok", at=0, took=1)).silent
    assert watched.drop("c6").fails
    assert {"times"} == watched.put(made("ok", at=0, took=None)).lacks
    here = Order(never="mail", after="read", unless={"args": {"to": "me"}})
    assert watch(here, made("read"), made("mail", {"to": "me"})).silent
    assert {"arguments"} == watch(here, made("read"), made("mail")).lacks


def test_a_finding_says_who_called_as_it_is_known_now(made, watch):
    judged, other = JudgedCall(made("mail")), JudgedCall(made("read", at=0))
    watched = watch(FLOW, other, judged)
    judged.call = structs.replace(judged.call, agent="desk")
    watched.state.renew(other)
    assert not watched.state.changes()
    watched.state.renew(judged)
    (verdict,) = watched.note(watched.state.changes()).fails
    assert verdict.explanation.startswith("agent `desk` called `mail`")


def test_calls_in_order_are_looked_at_once_however_many_there_are(made, watch):
    watched = watch(FLOW)
    for number in range(300):
        tool = ("read", "ask", "mail", "read", "mail", "other")[number % 6]
        watched.state.put(JudgedCall(made(tool)))
        assert len(watched.state.changes()) <= 1
    assert watched.silent


def test_one_more_of_what_decides_nothing_is_not_looked_into(made, watch):
    watched = watch(FLOW, *(made("mail") for _ in range(5)))
    watched.put(*(made("read", at=None, key=f"r{number}") for number in range(4)))
    watched.state.put(JudgedCall(made("read", at=None, key="a last one")))
    assert not watched.state.changes()
    watched.state.drop("a last one")
    assert not watched.state.changes()


def test_of_those_that_may_end_it_the_last_to_begin_counts(made, watch):
    asks = [made("ask", at=30 - 10 * n, took=10 + 20 * n) for n in range(3)]
    watched = watch(FLOW, made("read", at=0, took=25), *asks, made("mail", at=90))
    assert watched.silent
    assert watched.drop("c1").fails


def test_what_starts_it_anew_ends_nothing(made, watch):
    read = {"tool": "read", "args": {"id": 1}}
    rule = Order(never="mail", after=read, until=read)
    calls = [made("read", {"id": 1}), made("read"), made("mail")]
    assert watch(rule, *calls).fails
    wide = Order(never="mail", after="read", until=read)
    assert watch(wide, *calls).fails
