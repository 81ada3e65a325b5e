"""Secrets and state: not on disk, and nothing turns for their lack."""

import json

import pytest
from msgspec import structs

from tests.unit.server.state_made import (
    RULES,
    SECRETS,
    TRACE,
    Inside,
    agent_span,
    contract_of,
    deliver_all,
    model_span,
    tool_span,
)
from toolscore_otel.secrets import KINDS, Scanner
from toolscore_otel.secrets.samples import make_sample


@pytest.mark.parametrize("kind", KINDS)
def test_no_part_of_a_secret_is_on_disk_and_its_findings_stand(tmp_path, kind):
    sample = make_sample(kind, 3)
    before = tmp_path / "before"
    inside = Inside(before, RULES)
    said = inside.feed(
        tool_span(2, args={"command": f"run {sample} now", "env": [sample]}, parent=1),
        tool_span(3, args={"q": json.dumps({"inner": sample})}, result=sample, parent=1),
        tool_span(4, error=f"failed: {sample}", parent=1, resource={"process.command": sample}),
    )
    exposed = [f for f in said if f.kind == "secret_exposed"]
    assert exposed
    inside = inside.killed()
    kept = inside.state.load(TRACE)
    assert kept is not None
    assert {f.id: f.fingerprint for f in exposed} == {
        f.id: f.fingerprint for f in kept.findings if f.secret_kind
    }
    assert inside.feed(agent_span(1, name="")) == []
    assert not [f for f in inside.tick(3) if f.kind == "secret_exposed" and f.secret_kind]
    inside.state.close()
    written = b"".join(file.read_bytes() for file in before.iterdir())
    ours = f"{kind}. service.name secret_exposed".encode()  # words that stand there anyway
    assert [part for part in _parts(sample) if part in written and part not in ours] == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_part_of_a_message_is_on_disk_and_its_findings_stand(tmp_path, kind):
    sample = make_sample(kind, 3)
    inside = Inside(tmp_path, contract_of(secrets={"in": ["messages"]}))
    heard = ("please", sample, json.dumps({"deeper": [sample]}))
    said = inside.feed(model_span(2, *heard, parent=1))
    assert said
    inside = inside.killed()
    assert inside.feed(model_span(2, *heard, parent=1)) == []
    assert inside.feed(model_span(3, *heard, parent=1, at_s=2), agent_span(1, name="")) == []
    (blind,) = inside.feed(model_span(4, parent=1, at_s=5)) + inside.tick(9)
    assert blind.label == "cannot_check"
    inside.state.close()
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"please" not in written
    ours = f"{kind}. service.name secret_exposed".encode()
    assert [part for part in _parts(sample) if part in written and part not in ours] == []


def test_a_message_that_came_before_a_contract_asked_cannot_be_checked(tmp_path):
    inside = Inside(tmp_path, contract_of(secrets={"in": ["arguments"]}))
    inside.feed(model_span(2, SECRETS[0], parent=1))
    inside = inside.killed(contract_of(secrets={"in": ["messages"]}))
    inside.feed(agent_span(1))
    (blind,) = inside.tick(9)
    assert (blind.label, blind.count) == ("cannot_check", 1)


def _parts(sample: str) -> list[bytes]:
    """Every six characters in a row of the secret in a sample."""
    (hit,) = Scanner().scan_text(sample)
    return [sample[at : at + 6].encode() for at in range(hit.start, hit.end - 5)]


def test_two_secrets_are_not_equal_arguments_after_a_restart(tmp_path):
    inside = Inside(tmp_path, contract_of(loop={"same_call": 3}))
    one, two = SECRETS
    inside.feed(*(tool_span(n, args={"t": s}) for n, s in ((2, one), (3, two))))
    inside = inside.killed()
    assert inside.feed(tool_span(4, args={"t": two}, at_s=1)) == []
    (finding,) = inside.feed(tool_span(5, args={"t": two}, at_s=2))
    assert (finding.kind, finding.count) == ("retry_loop", 3)


def test_a_rule_that_looked_at_a_secret_is_not_turned_by_its_lack(tmp_path):
    prefix = SECRETS[0][:6]
    rules = contract_of(
        forbid=[{"tool": "post", "args": {"body": {"$regex": prefix}}}],
        allow_only=[{"tool": "post", "args": {"body": {"$regex": f"is {prefix}"}}}],
    )
    inside = Inside(tmp_path, rules)
    (finding,) = inside.feed(tool_span(2, "post", {"body": f"it is {SECRETS[0]}"}, parent=1))
    assert finding.label == "fail"
    inside = inside.killed()
    said = [*inside.feed(agent_span(1)), *inside.tick(3)]
    assert [f for f in said if f.label == "pass" or f.rule.startswith("allow_only")] == []


def test_a_delivery_carries_the_resource_of_its_span_without_secrets(tmp_path):
    inside = Inside(tmp_path, RULES)
    resource = {"service.name": "shop", "process.command": make_sample("cli_password_flag", 1)}
    inside.feed(tool_span(2, "rm", resource=resource))
    told = deliver_all(inside.state)[0].resource.attributes
    assert told["service.name"] == "shop"
    assert told["process.command"].endswith("[REDACTED:cli_password_flag]")


def test_a_secret_in_a_tool_name_leaves_with_no_finding(tmp_path):
    inside = Inside(tmp_path, contract_of(allow_only=[{"tool": "search"}]))
    inside.feed(tool_span(2, f"curl {SECRETS[0]}"))
    (delivery,) = deliver_all(inside.state)
    assert SECRETS[0] not in repr(delivery)
    inside.state.close()
    assert all(SECRETS[0].encode() not in file.read_bytes() for file in tmp_path.iterdir())


def test_a_secret_in_a_tool_name_is_in_no_sum_on_disk(tmp_path):
    inside = Inside(tmp_path, RULES)
    inside.feed(tool_span(2, f"curl {SECRETS[0]}", parent=1), agent_span(1))
    inside.tick(3)
    inside = inside.killed()
    tools = {dict(key).get("tool") for metric, key in inside.counted()}
    assert "curl [REDACTED:github_token_classic]" in tools
    inside.state.close()
    assert all(SECRETS[0].encode() not in file.read_bytes() for file in tmp_path.iterdir())


def test_the_key_of_fingerprints_is_kept_where_none_is_given(tmp_path):
    inside = Inside(tmp_path, RULES, key=None)
    said = inside.feed(tool_span(2, args={"t": SECRETS[0]}, parent=1))
    again = inside.killed(key=None)
    assert inside.state.key == again.state.key
    assert again.feed(tool_span(2, args={"t": SECRETS[0]}, parent=1)) == []
    assert said[0].fingerprint


def test_a_secret_at_the_end_of_a_cut_text_is_taken_out_and_found_again(tmp_path):
    cut = '{"token": "' + SECRETS[0][:20]
    span = tool_span(2, parent=1)
    attributes = {**span.attributes, "gen_ai.tool.call.arguments": cut}
    inside = Inside(tmp_path, RULES)
    said = inside.feed(structs.replace(span, attributes=attributes))
    assert [f.path for f in said if f.secret_kind] == ["args"]
    inside = inside.killed()
    assert inside.feed(structs.replace(span, attributes=attributes)) == []
    inside.state.close()
    assert SECRETS[0][:20].encode() not in (tmp_path / "state.db").read_bytes()


def test_what_stands_beside_arguments_is_known_after_a_restart_and_not_on_disk(tmp_path):
    sample = make_sample("github_token_classic", 3)
    clause = {"in": ["error", "attributes"]}
    inside = Inside(tmp_path, contract_of(secrets=clause))
    tool, agent = tool_span(2, parent=1), agent_span(1)
    beside = {"more": f"x {sample}"}
    tool = structs.replace(tool, attributes={**tool.attributes, **beside})
    agent = structs.replace(agent, status_message=f"no {make_sample('npm_token', 3)}")
    said = inside.feed(tool, agent)
    assert {f.path for f in said if f.secret_kind} == {"attributes.more", "error.status"}
    inside = inside.killed()
    assert inside.feed(tool, agent) == []
    assert not [f for f in inside.tick(9) if f.secret_kind]
    inside.state.close()
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert sample[6:16].encode() not in written
