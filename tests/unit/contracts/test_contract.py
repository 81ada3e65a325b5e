"""A contract that can be used: what stands in it, what was filled in, and what it applies to."""

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from toolscore_otel.contracts import AppliesTo, Contract, load_text
from toolscore_otel.model import Scope, Severity, ToolCall


def contract(text, **how):
    (found,) = load_text(dedent(text), **how)
    return found


def written(**keys):
    return Contract.from_dict({"contract": "a", "language": 1, "forbid": ["x"], **keys})


def test_a_contract_has_what_is_written():
    found = contract(
        """\
        contract: support-desk
        language: 1
        version: "3"
        description: what may happen
        runbook: https://example.com/run
        labels: {team: payments}
        severity: warning
        scope: agent
        shadow: true
        tools: {refund: {mutating: true}}
        forbid: [shell]
        """,
        name="support.yaml",
    )
    assert (
        found.id,
        found.language,
        found.version,
        found.description,
        found.runbook,
        found.labels,
        found.severity,
        found.scope,
        found.shadow,
        list(found.tools),
        found.path,
    ) == (
        "support-desk",
        1,
        "3",
        "what may happen",
        "https://example.com/run",
        {"team": "payments"},
        Severity.WARNING,
        Scope.AGENT,
        True,
        ["refund"],
        "support.yaml",
    )


def test_what_is_left_out_has_its_default():
    found = written()
    assert (
        found.version,
        found.labels,
        found.severity,
        found.scope,
        found.shadow,
        found.tools,
    ) == (None, {}, Severity.ERROR, Scope.TRACE, False, {})


def test_rules_take_what_they_leave_out_from_the_contract():
    found = written(
        severity="info",
        scope="agent",
        shadow=True,
        forbid=["x", {"tool": "y", "severity": "critical", "scope": "trace", "shadow": False}],
    )
    assert [(r.record.severity, r.record.scope, r.record.shadow) for r in found.rules] == [
        (Severity.INFO, Scope.AGENT, True),
        (Severity.CRITICAL, Scope.TRACE, False),
    ]


def test_an_id_left_out_is_clause_and_number_or_clause_and_key():
    found = written(
        allow_only=["x"],
        forbid=["x", {"tool": "y", "id": "mine"}, "z"],
        require=["x"],
        limit=[{"tool": "x", "max": 1}],
        loop={"same_call": 3, "retry_after_error": {"n": 2}},
        budget=[{"of": "trace", "calls": 3}],
        secrets={},
    )
    assert {
        "allow_only",
        "forbid.1",
        "mine",
        "forbid.3",
        "require.1",
        "limit.1",
        "loop.same_call",
        "loop.retry_after_error",
        "budget.1",
        "secrets",
    } == {rule.record.id for rule in found.rules}


def test_python_and_yaml_make_the_same_contract():
    text = "contract: a\nlanguage: 1\nforbid: [{tool: x, args: {n: {$gt: 3}}}]\n"
    from_python = Contract.from_dict(
        {"contract": "a", "language": 1, "forbid": ({"tool": "x", "args": {"n": {"$gt": 3}}},)}
    )
    assert contract(text).hash == from_python.hash


def test_the_hash_stands_for_the_content_and_not_for_how_it_is_written():
    one = contract("contract: a\nlanguage: 1\nforbid: [x, y]\n")
    same = contract("# a comment\n{language: 1, forbid: [x, 'y'], contract: a}\n", name="b.yaml")
    other = contract("contract: a\nlanguage: 1\nforbid: [y, x]\n")
    assert one.hash == same.hash
    assert one.hash != other.hash
    assert len(one.hash) == 16


def test_the_hash_changes_with_a_schema_file(tmp_path: Path):
    text = "contract: a\nlanguage: 1\nforbid: [x]\ntools: {x: {parameters: x.json}}\n"
    hashes = []
    for schema in ('{"type": "object"}', '{"type": "object", "required": ["a"]}'):
        (tmp_path / "x.json").write_text(schema)
        hashes.append(contract(text, folder=tmp_path).hash)
    assert hashes[0] != hashes[1]


def test_a_schema_file_in_a_matcher_is_read(tmp_path: Path):
    (tmp_path / "order.json").write_text('{"type": "string", "pattern": "^O-"}')
    text = "contract: a\nlanguage: 1\nforbid: [{tool: x, args: {id: {$schema: order.json}}}]\n"
    assert len(contract(text, folder=tmp_path).rules) == 1


def test_two_tools_may_name_one_schema_file(tmp_path: Path):
    (tmp_path / "x.json").write_text('{"type": "object"}')
    text = "contract: a\nlanguage: 1\nforbid: [x]\ntools: {x: {parameters: x.json}, y: {parameters: x.json}}\n"
    tools = contract(text, folder=tmp_path).tools
    assert [tools["x"].parameters, tools["y"].parameters] == [{"type": "object"}] * 2


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "`parameters`: the schema file x.json: cannot be read: there is no such file"),
        ("[1]", "`parameters`: the schema file `x.json` holds no JSON Schema"),
        ('{"a": }', "`parameters`: the schema file x.json:1: is no JSON: invalid character"),
    ],
)
def test_a_schema_file_that_cannot_be_used_is_said_at_the_key(tmp_path: Path, content, expected):
    if content is not None:
        (tmp_path / "x.json").write_text(content)
    text = "contract: a\nlanguage: 1\nforbid: [x]\ntools: {x: {parameters: x.json}}\n"
    with pytest.raises(Exception, match=r"c\.yaml:4: ") as caught:
        contract(text, name="c.yaml", folder=tmp_path)
    assert f"c.yaml:4: {expected}" == str(caught.value)


SEEN: dict[str, Any] = {"service": "support-eu", "agent": "desk", "environment": "prod"}


@pytest.mark.parametrize(
    ("expected", "applies_to"),
    [
        (True, {}),
        (True, {"service": "support*"}),
        (True, {"service": ["billing", "support-??"], "agent": "desk", "environment": "prod"}),
        (False, {"service": "Support*"}),
        (False, {"service": "support*", "environment": "staging"}),
        (False, {"agent": ["a", "b"]}),
    ],
)
def test_a_contract_sees_what_all_its_globs_match(expected, applies_to):
    found = written(applies_to=applies_to)
    assert expected is found.sees(**SEEN)
    call = ToolCall(tool="x", service="support-eu", agent="desk", environment="prod")
    assert expected is found.sees_call(call)


@pytest.mark.parametrize(
    ("expected", "matcher", "attributes"),
    [
        (True, "*", {}),
        (True, "a", {"k": "a"}),
        (True, {"$regex": "^a"}, {"k": "ab", "l": 1}),
        (True, {"$exists": False}, {"l": 1}),
        (False, "a", {"k": "b"}),
        (False, "a", {"l": "a"}),
        (False, {"$not": "a"}, {}),
        (False, {"$exists": False}, {"k": 1}),
    ],
)
def test_a_contract_sees_what_its_matchers_of_attributes_match(expected, matcher, attributes):
    found = written(applies_to={"attributes": {"k": matcher}})
    assert expected is found.sees(**SEEN, attributes=attributes)
    assert found.sees_everything is (matcher == "*")


@pytest.mark.parametrize(
    ("expected", "agent"), [(True, "*"), (True, ["a", "*"]), (False, "**"), (False, "?*")]
)
def test_an_absent_value_matches_only_a_star(expected, agent):
    assert expected is AppliesTo(agent=agent).sees(
        service="x", agent=None, environment=None, attributes={}
    )


def test_warnings_do_not_stop_loading():
    said: list[Any] = []
    (found,) = load_text(
        "contract: a\nforbid: [x]\n", "c.yaml", warn=lambda problem: said.append(str(problem))
    )
    assert found.id == "a"
    assert said == ["c.yaml:1: `language` is left out: write `language: 1`"]
