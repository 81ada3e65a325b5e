from typing import Any

import pytest
from msgspec import structs

from toolscore_otel.engine.presenting import Presenting
from toolscore_otel.errors import ConfigError
from toolscore_otel.matchers import JudgedCall, MatcherError
from toolscore_otel.model import ContentState, FindingKind, Severity
from toolscore_otel.rules import RunContext
from toolscore_otel.rules.secrets import Allowed, Pattern, Secrets, items
from toolscore_otel.secrets import Fingerprints
from toolscore_otel.secrets.samples import make_sample

KIND = "github_token_classic"
TOKEN = make_sample(KIND, 1)
OTHER = make_sample(KIND, 2)
JWT = make_sample("jwt", 1)
FINE = {"args": {"q": "x"}, "result": "ok"}


def found(watched):
    return sorted((v.secret_kind, v.path) for v in watched.fails)


def test_a_secret_in_arguments_is_a_finding(made, watch):
    watched = watch(
        Secrets(reason="leak"), made("http", {"h": {"auth": TOKEN}}, result=1, agent="desk")
    )
    (verdict,) = watched.fails
    assert FindingKind.SECRET_EXPOSED is verdict.kind
    assert (verdict.secret_kind, verdict.path) == (KIND, "args.h.auth")
    text = f"agent `desk` called `http` with a secret of kind `{KIND}` at `args.h.auth`: leak"
    assert text == verdict.explanation
    assert TOKEN not in repr([structs.replace(v, call=None) for v in watched.fails])


def test_a_secret_in_a_result_is_a_finding(made, watch):
    (verdict,) = watch(Secrets(), made("vault", {}, result={"t": [TOKEN]})).fails
    assert verdict.path == "result.t.0"
    assert f"`vault` was called and it returned a secret of kind `{KIND}` at `result.t.0`" == (
        verdict.explanation
    )


def test_a_secret_in_an_error_is_one_where_it_is_looked_for(made, watch):
    call = made("http", {}, status="error", error_message=f"bad token {TOKEN}")
    assert watch(Secrets(), call).silent
    (verdict,) = watch(Secrets(places=["error"]), call).fails
    assert verdict.path == "error"
    assert "and it failed with a secret" in verdict.explanation


def test_only_the_places_that_are_named_are_scanned(made, watch):
    call = made("http", {"a": TOKEN}, result=TOKEN)
    assert found(watch(Secrets(), call)) == [(KIND, "args.a"), (KIND, "result")]
    assert found(watch(Secrets(places=["result"]), call)) == [(KIND, "result")]
    assert found(watch(Secrets(places=["arguments"]), call)) == [(KIND, "args.a")]


def test_one_finding_per_call_kind_and_path(made, watch):
    args = {"a": f"{TOKEN} {OTHER}", "b": TOKEN, "c": f"{TOKEN} {JWT}"}
    watched = watch(Secrets(), made("http", args, result=1), made("http", {"a": TOKEN}, result=1))
    once = [(KIND, "args.a"), (KIND, "args.a"), (KIND, "args.b"), (KIND, "args.c")]
    assert [*once, ("jwt", "args.c")] == found(watched)
    assert watched.failing == ["c1"] * 4 + ["c2"]


@pytest.mark.parametrize("kind", ["tool", "handoff", "agent", "output"])
@pytest.mark.parametrize("stage", ["requested", "executed"])
def test_every_call_of_whatever_kind_and_stage_is_looked_at(kind, stage, made, watch):
    assert watch(Secrets(), made("t", {"a": TOKEN}, kind=kind, stage=stage)).fails


def test_kinds_can_be_chosen(made, watch):
    call = made("http", {"a": TOKEN, "b": JWT}, result=1)
    assert found(watch(Secrets(kinds=["jwt"]), call)) == [("jwt", "args.b")]
    assert found(watch(Secrets(not_kinds=[KIND]), call)) == [("jwt", "args.b")]


def test_patterns_are_further_kinds(made, watch):
    rule = Secrets(patterns=[Pattern(name="badge", regex=r"BADGE-\d{6}")])
    assert found(watch(rule, made("t", {"a": "BADGE-123456"}, result=1))) == [("badge", "args.a")]


def test_a_finding_carries_a_keyed_fingerprint(made):
    state = Secrets().compile().start(RunContext(Fingerprints(b"key"), Presenting([])))
    state.put(JudgedCall(made("http", {"a": TOKEN}, result=1)))
    (verdict,) = state.changes().values()
    assert verdict is not None
    assert verdict.fingerprint
    assert TOKEN not in verdict.fingerprint


@pytest.mark.parametrize(
    ("fields", "lacks"),
    [
        ({"result": 1}, {"arguments"}),
        ({"args": {}}, {"result"}),
        ({}, {"arguments", "result"}),
        ({"args": {}, "status": "error"}, set()),
        ({"args": {}, "status": "unknown"}, {"result"}),
        ({"args": {}, "stage": "requested"}, set()),
        ({"stage": "requested"}, {"arguments"}),
        ({"args": {}, "result": None}, set()),
    ],
)
def test_where_a_secret_could_stand_unseen_it_cannot_be_checked(fields, lacks, made, watch):
    watched = watch(Secrets(), made("t", **fields))
    assert lacks == watched.lacks
    assert not watched.fails


@pytest.mark.parametrize(
    ("fields", "lacks"),
    [
        ({"status": "ok"}, set()),
        ({"status": "error"}, {"error"}),
        ({"status": "error", "error_message": "x"}, set()),
        ({"status": "unknown"}, {"error"}),
        ({"status": "unknown", "stage": "requested"}, set()),
    ],
)
def test_only_a_call_that_may_have_failed_has_an_error(fields, lacks, made, watch):
    assert lacks == watch(Secrets(places=["error"]), made("t", **fields)).lacks


def test_a_cut_text_is_scanned_as_far_as_it_goes(made, watch):
    text = f'{{"a": "{TOKEN}", "b": "cut he'
    call = made("t", args_state=ContentState.TRUNCATED, args_text=text, result=1)
    watched = watch(Secrets(), call)
    assert [verdict.secret_kind for verdict in watched.fails] == [KIND]
    assert {"arguments"} == watched.lacks


def test_a_secret_at_the_cut_is_found_by_its_beginning(made, watch):
    text = f'{{"a": "{TOKEN[:-9]}'
    cut = made("t", args_state=ContentState.TRUNCATED, args_text=text, result=1)
    whole = made("t", args_state=ContentState.UNPARSABLE, args_text=text, result=1)
    assert watch(Secrets(), cut).failing == ["c1"]
    assert watch(Secrets(), whole).silent


def test_a_text_that_is_no_json_is_scanned_whole(made, watch):
    broken = {"args_state": ContentState.UNPARSABLE, "result": 1}
    assert watch(Secrets(), made("t", **broken, args_text="{]")).silent
    assert watch(Secrets(), made("t", **broken, args_text=f"{{] {TOKEN}")).fails
    assert {"arguments"} == watch(Secrets(), made("t", **broken)).lacks


@pytest.mark.parametrize(
    ("allow", "is_allowed"),
    [
        ({"tool": "http"}, True),
        ({"tool": "https"}, False),
        ({"tool": "http", "path": "headers.auth"}, True),
        ({"path": "headers.auth"}, True),
        ({"path": "args.headers.auth"}, True),
        ({"path": "headers"}, True),
        ({"path": "headers.*"}, True),
        ({"path": "*.auth"}, True),
        ({"path": "headers.auth.x"}, False),
        ({"path": "auth"}, False),
        ({"path": "result.headers.auth"}, False),
        ({"tool": "https", "path": "headers.auth"}, False),
    ],
)
def test_a_secret_may_be_allowed_where_it_stands(allow, is_allowed, made, watch):
    rule = Secrets(allow=[Allowed(tool="other"), Allowed(**allow)])
    call = made("http", {"headers": {"auth": TOKEN}}, result=1)
    assert is_allowed is watch(rule, call).silent


def test_a_place_in_a_result_is_named_as_the_finding_names_it(made, watch):
    call = made("vault", {}, result={"token": TOKEN})
    assert watch(Secrets(allow=[Allowed(path="result.token")]), call).silent
    assert watch(Secrets(allow=[Allowed(path="args.token")]), call).fails


def test_whether_a_secret_is_allowed_may_be_open(made, watch):
    rule = Secrets(allow=[Allowed(path="a", agent="vault"), Allowed(tool="x")])
    watched = watch(rule, made("t", {"a": TOKEN}, result=1))
    assert {"agent"} == watched.lacks
    (verdict,) = watched.unsure
    assert f"whether a secret of kind `{KIND}` at `args.a` of `t` is allowed there" == (
        verdict.explanation
    )
    assert rule.compile().uses_agent


def test_excused_calls_may_hold_secrets(made, watch):
    rule = Secrets(unless={"agent": "vault"})
    assert watch(rule, made("t", {"a": TOKEN}, result=1, agent="vault")).silent
    assert {"agent"} == watch(rule, made("t", {"a": TOKEN}, result=1)).lacks
    assert watch(rule, made("t", agent="vault")).silent
    assert rule.compile().uses_agent


def test_a_finding_goes_when_its_call_does(made, watch):
    assert watch(Secrets(), made("t", {"a": TOKEN})).drop("c1").silent


def test_a_rule_runs_past_every_cap_unless_others_decide():
    assert Secrets().compile().per_call
    assert not Secrets().compile().uses_agent
    late = Secrets(unless={"before": "ask"}).compile()
    assert (late.per_call, late.deferred) == (False, True)


def test_the_clause_is_a_mapping():
    (item,) = items({"in": ["result"]})
    assert (item.id, item.data) == ("secrets", {"in": ["result"]})
    with pytest.raises(MatcherError, match="takes a mapping"):
        list(items(["arguments"]))


@pytest.mark.parametrize(
    ("allow", "path"),
    [(Allowed(), ("allow", 1)), (Allowed(agent=3, path="x"), ("allow", 1, "agent"))],  # type: ignore[arg-type]
)
def test_entries_of_allow_that_make_no_sense_are_errors(allow, path):
    with pytest.raises(MatcherError) as caught:
        Secrets(allow=[Allowed(path="x"), allow]).compile()
    assert path == caught.value.path


def test_unknown_kinds_and_broken_patterns_are_errors():
    with pytest.raises(ConfigError):
        Secrets(kinds=["jwtt"]).compile()
    with pytest.raises(ConfigError):
        Secrets(patterns=[Pattern(name="x", regex="(")]).compile()


def test_a_pattern_has_a_severity_of_its_own(made, watch):
    patterns = [Pattern(name="badge", regex="BDG-[0-9]{6}", severity=Severity.CRITICAL), Pattern(name="t", regex="TCK-[0-9]{6}")]  # fmt: skip
    watched = watch(Secrets(patterns=patterns), made("a", {"x": "BDG-123456 TCK-123456"}, result=1))
    assert {("badge", Severity.CRITICAL), ("t", None)} == {
        (verdict.secret_kind, verdict.severity) for verdict in watched.fails
    }


def test_what_a_file_of_patterns_holds_is_looked_for(made, watch):
    files: list[str | dict[str, Any]] = [
        {"own.toml": [{"name": "badge", "regex": "BDG-([0-9]{6})", "group": 1}]}
    ]
    (verdict,) = watch(Secrets(pattern_files=files), made("a", {"x": "BDG-123456"}, result=1)).fails
    assert (verdict.secret_kind, verdict.path) == ("badge", "args.x")


@pytest.mark.parametrize("empty", [{"places": []}, {"kinds": []}])
def test_an_empty_list_is_refused(empty):
    with pytest.raises(MatcherError, match="is empty, so nothing is looked for"):
        Secrets(**empty).compile()


def test_a_file_of_patterns_that_nobody_read_is_refused():
    with pytest.raises(MatcherError, match="is read where a contract is loaded"):
        Secrets(pattern_files=["ours.toml"]).compile()
