"""`secrets: {in: [messages]}` on one trajectory: which model call a finding sits on, and what could not be looked through."""

from itertools import permutations
from typing import Any

import pytest
from msgspec import structs

from toolscore_otel.conventions.reading import Heard
from toolscore_otel.engine.presenting import Presenting
from toolscore_otel.matchers import JudgedCall, MatcherError
from toolscore_otel.model import Exposed, FindingKind, Gap, Severity
from toolscore_otel.rules import RunContext
from toolscore_otel.rules.model_calls import ModelCall
from toolscore_otel.rules.secrets import Allowed, Pattern, Secrets
from toolscore_otel.secrets import Fingerprints, Scanner

FAMILY = Scanner().family
INPUT = "gen_ai.input.messages.0.content"


def exposed(
    fingerprint: str = "f1", path: str = INPUT, kind: str = "jwt", family: str = FAMILY
) -> Exposed:
    return Exposed(family, kind, path, fingerprint)


def model_call(key: str, *found: Exposed, at: int | None = 0, **fields: Any) -> ModelCall:
    """One of which all messages were looked through, unless told otherwise."""
    heard = fields.pop("heard", Heard((FAMILY,), content=True, exposed=found))
    return ModelCall(trace_id="t", span_id=key, start_ns=at, heard=heard, **fields)


def told(watched: Any) -> list[tuple[str, str | None]]:
    return sorted((v.model_call.span_id, v.path) for v in watched.fails)


@pytest.fixture
def heard(watch):
    """A rule that was told of these model calls, one after another."""

    def make(*calls: ModelCall, **fields: Any) -> Any:
        watched = watch(Secrets(**{"places": ["messages"], **fields}))
        for call in calls:
            watched.state.hear(call.span_id, call)
            watched.note(watched.state.changes())
        return watched

    return make


def test_a_secret_is_a_finding_on_the_model_call(heard):
    (verdict,) = heard(model_call("s1", exposed(), agent="desk"), reason="leak").fails
    assert (
        verdict.kind,
        verdict.secret_kind,
        verdict.path,
    ) == (FindingKind.SECRET_EXPOSED, "jwt", INPUT)
    text = f"a model call of agent `desk` has a secret of kind `jwt` at `{INPUT}`: leak"
    assert text == verdict.explanation
    assert verdict.fingerprint is None  # without a key


def test_nobody_is_named_where_no_agent_is(heard):
    (verdict,) = heard(model_call("s1", exposed())).fails
    assert verdict.explanation.startswith("a model call has a secret")


def test_a_fingerprint_is_told_where_there_is_a_key():
    state = (
        Secrets(places=["messages"]).compile().start(RunContext(Fingerprints(b"k"), Presenting([])))
    )
    state.hear("s1", model_call("s1", exposed()))
    assert [verdict.fingerprint for verdict in state.changes().values() if verdict] == ["f1"]


def test_a_secret_is_told_once_where_it_stands_first(heard):
    calls = [
        model_call("s1", exposed("f1"), at=5),
        model_call("s2", exposed("f1"), exposed("f2", "m.1"), at=6),
        model_call("s3", exposed("f1"), exposed("f2", "m.9"), at=7),
        model_call("s4", exposed("f2"), at=None),
    ]
    for order in permutations(calls):
        assert told(heard(*order)) == [("s1", INPUT), ("s2", "m.1")]


def test_where_that_is_gone_it_is_told_on_the_next_one(heard):
    watched = heard(model_call("s1", exposed(), at=1), model_call("s2", exposed(), at=2))
    watched.state.hear("s1", None)
    assert told(watched.note(watched.state.changes())) == [("s2", INPUT)]
    watched.state.hear("s2", None)
    assert told(watched.note(watched.state.changes())) == []


def test_what_is_known_of_the_later_ones_changes_nothing(heard):
    watched = heard(model_call("s1", exposed(), at=1), model_call("s2", exposed(), at=2))
    watched.state.hear("s2", model_call("s2", exposed(), at=2, agent="desk"))
    assert watched.state.changes() == {}
    watched.state.hear("s1", model_call("s1", exposed(), at=1, agent="desk"))
    (verdict,) = watched.state.changes().values()
    assert verdict.model_call.agent == "desk"


def test_two_secrets_of_a_kind_at_one_place_are_one_finding(heard):
    watched = heard(model_call("s1", exposed("f1"), exposed("f2"), at=2))
    assert told(watched) == [("s1", INPUT)]
    watched.state.hear("s0", model_call("s0", exposed("f1"), at=1))
    assert told(watched.note(watched.state.changes())) == [("s0", INPUT), ("s1", INPUT)]


def test_only_what_the_rule_looks_for_is_told(heard):
    call = model_call("s1", exposed(), exposed("f2", kind="npm_token"), exposed("f3", family="x"))
    assert len(heard(call).fails) == 2
    assert [v.secret_kind for v in heard(call, kinds=["jwt"]).fails] == ["jwt"]
    assert [v.secret_kind for v in heard(call, not_kinds=["jwt"]).fails] == ["npm_token"]
    rule = Secrets(
        places=["messages"], patterns=[Pattern(name="b", regex="B[0-9]", severity=Severity.INFO)]
    )
    assert rule.compile().hears
    assert heard(call, patterns=rule.patterns).fails == []


def test_a_pattern_has_its_own_severity(heard):
    patterns = [Pattern(name="b", regex="B[0-9]", severity=Severity.INFO)]
    family = Scanner(patterns=[("b", "B[0-9]")]).family
    call = model_call("s1", exposed(kind="b", family=family))
    (verdict,) = heard(call, patterns=patterns).fails
    assert verdict.severity is Severity.INFO


@pytest.mark.parametrize(
    ("entry", "is_told"),
    [
        (Allowed(path=INPUT), False),
        (Allowed(path="gen_ai.input.messages.*.content"), False),
        (Allowed(path="messages.gen_ai.input"), False),
        (Allowed(path="gen_ai.output"), True),
        (Allowed(tool="http", path=INPUT), True),
        (Allowed(tool="*"), True),
    ],
)
def test_a_path_alone_allows_what_stands_there(heard, entry, is_told):
    assert bool(heard(model_call("s1", exposed()), allow=[entry]).fails) is is_told


def test_where_one_place_is_allowed_another_one_counts(heard):
    calls = [
        model_call("s1", exposed(path="system.0"), at=1),
        model_call("s2", exposed(path="system.0"), exposed(path="user.1"), at=2),
    ]
    assert told(heard(*calls, allow=[Allowed(path="system")])) == [("s2", "user.1")]


def test_messages_that_were_not_recorded_are_said_once(heard):
    calls = [
        model_call("s1", heard=Heard((FAMILY,)), at=3),
        model_call("s2", heard=None, at=2),
        model_call("s3", heard=Heard((FAMILY,), content=True, cut=True), at=None),
        model_call("s4", heard=Heard(("other",), content=True), at=None),
        model_call("s5"),
    ]
    watched = heard(*calls)
    assert watched.silent
    (verdict,) = watched.close().unsure
    assert (
        verdict.model_call.span_id,
        verdict.count,
        verdict.missing,
    ) == ("s2", 4, ("messages",))
    assert verdict.explanation == "whether a secret stands in the messages of 4 model calls"
    for call in calls[:4]:
        watched.state.hear(call.span_id, None)
    assert watched.close().silent


def test_of_one_model_call_it_is_said_as_of_one(heard):
    (verdict,) = heard(model_call("s1", heard=None)).close().unsure
    assert verdict.explanation == "whether a secret stands in the messages of this model call"


def test_without_a_model_call_there_is_nothing_to_look_at(heard):
    assert heard().close().silent
    assert heard().close([Gap.SPAN_LIMIT]).silent


def test_what_several_spans_tell_of_one_model_call_need_stand_on_one_of_them(heard):
    outer = model_call("s1", heard=None)
    inner = model_call("s2", heard=None, around="s1")
    innermost = model_call("s3", around="s2")
    for order in permutations([outer, inner, innermost]):
        assert heard(*order).close().silent
    silent = model_call("s3", heard=None, around="s2")
    for order in permutations([outer, inner, silent]):
        (verdict,) = heard(*order).close().unsure
        assert (verdict.count, verdict.model_call.span_id) == (1, "s1")


def test_a_record_that_tells_of_its_own_span_is_one_model_call_with_it(heard):
    span = model_call("s1")
    record = model_call("s1", heard=None, around="s1")
    for order in permutations([("s1", span), ("a record", record)]):
        watched = heard()
        for key, call in order:
            watched.state.hear(key, call)
        assert watched.close().silent


def test_records_on_another_span_tell_what_they_tell(heard):
    other = model_call(
        "s1", exposed(), heard=Heard((FAMILY,), exposed=(exposed(),)), is_model=False
    )
    watched = heard(other)
    assert told(watched) == [("s1", INPUT)]
    assert watched.close().unsure == []


def test_past_the_limit_of_spans_it_cannot_be_checked(heard):
    (verdict,) = heard(model_call("s1")).close([Gap.SPAN_LIMIT]).unsure
    assert (verdict.missing, verdict.count) == (("spans",), 1)


def test_calls_are_looked_at_beside_messages(heard, made):
    watched = heard(model_call("s1", exposed()), places=["arguments", "messages"])
    call = made("http", {"a": "x"})
    watched.put(call, made("vault"))
    assert len(watched.unsure) == 1
    watched.state.renew(JudgedCall(structs.replace(call, key="c2")))
    watched.drop("c2", "c9")
    assert len(watched.fails) == 1
    assert watched.unsure == []


def test_messages_alone_ask_for_no_call(heard, made):
    assert Secrets(places=["messages"]).compile().tools == frozenset()
    assert heard().put(made("http")).silent
    with pytest.raises(MatcherError):
        Secrets(places=[]).compile()
