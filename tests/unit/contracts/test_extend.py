"""A contract on top of others: what it takes over, what wins, what is said of mistakes."""

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from inline_snapshot import snapshot

from toolscore_otel.contracts import Contract, load, load_text
from toolscore_otel.errors import ContractError
from toolscore_otel.model import Scope, Severity


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which the test stands, so that messages hold short paths."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        file = folder / f"{name}.yaml"
        file.write_text(f"contract: {name}\nlanguage: 1\n{dedent(text)}")


def loaded(name: str, warn: Any = None) -> Contract:
    (contract,) = load([f"{name}.yaml"], warn=warn)
    return contract


def problems(*names: str) -> list[str]:
    with pytest.raises(ContractError) as caught:
        load([f"{name}.yaml" for name in names])
    return str(caught.value).splitlines()


def rules(contract: Contract) -> dict[str | None, Any]:
    return {rule.record.id: rule.record for rule in contract.rules}


def test_own_rules_follow_on_inherited_ones_and_count_on(folder: Path):
    write(
        folder,
        base="forbid: [a, {tool: b, id: mine}]\nrequire: [r]\n",
        own="extends: base.yaml\nforbid: [c]\nlimit: [{tool: d, max: 1}]\n",
    )
    found = {name: record.tool for name, record in rules(loaded("own")).items()}
    assert found == {
        "forbid.1": "a",
        "mine": "b",
        "forbid.3": "c",
        "require.1": "r",
        "limit.1": "d",
    }


def test_own_values_win_and_others_are_inherited(folder: Path):
    write(
        folder,
        base="""\
            version: "1"
            runbook: base
            labels: {team: a, floor: b}
            severity: warning
            scope: agent
            shadow: true
            applies_to: {service: a}
            forbid: [x, {tool: y, severity: info}]
            """,
        own="extends: base.yaml\nrunbook: own\nlabels: {team: c}\nseverity: critical\n",
    )
    found = loaded("own")
    assert (
        found.id,
        found.version,
        found.runbook,
        found.labels,
        found.severity,
        found.scope,
        found.shadow,
        found.applies_to.service,
    ) == ("own", "1", "own", {"team": "c"}, Severity.CRITICAL, Scope.AGENT, True, "a")
    assert [r.record.severity for r in found.rules] == [Severity.CRITICAL, Severity.INFO]


def test_tools_are_joined_key_by_key_and_own_ones_come_first(folder: Path):
    write(
        folder,
        base="tools: {a: {mutating: true, cost_usd: 1}, b: {aliases: 'x*'}, n: }\n",
        own="extends: base.yaml\nforbid: [a]\ntools: {c: {aliases: 'x?'}, a: {cost_usd: 2}, n: {polling: true}}\n",
    )
    tools = loaded("own").tools
    assert list(tools) == ["c", "a", "n", "b"]
    assert (tools["a"].mutating, tools["a"].cost_per_call_usd) == (True, 2.0)
    assert tools["n"].polling


def test_a_registry_without_rules_can_be_extended(folder: Path):
    write(folder, base="tools: {a: {labels: [egress]}}\n", own="extends: base.yaml\nforbid: [a]\n")
    assert frozenset({"egress"}) == loaded("own").tools["a"].labels
    assert [line.partition(": give")[0] for line in problems("base")] == [
        "base.yaml:1: the contract has no rule"
    ]


def test_a_contract_may_say_nothing_but_what_it_extends(folder: Path):
    write(folder, own="extends: pack:loops\n")
    (pack,) = load(["pack:loops"])
    assert rules(loaded("own")).keys() == rules(pack).keys()


def test_what_is_allowed_is_allowed_beside_what_was(folder: Path):
    write(
        folder,
        base="allow_only: [a]\n",
        own="extends: base.yaml\nallow_only: {tools: [b], reason: only these}\n",
        top="extends: own.yaml\nallow_only: [c]\n",
    )
    (rule,) = loaded("top").rules
    record: Any = rule.record
    assert (record.tools, record.reason) == (["a", "b", "c"], "only these")


def test_what_is_wrong_with_what_is_allowed_is_said_where_it_stands(folder: Path):
    write(folder, base="allow_only:\n  - a\n  - {tol: b}\n")
    write(folder, own="extends: base.yaml\nallow_only: {severity: info}\n")
    assert [line.partition(": ")[0] for line in problems("own")] == ["base.yaml:5"]
    write(folder, base="allow_only: [a]\n")
    (rule,) = loaded("own").rules
    record: Any = rule.record
    assert (record.tools, record.severity) == (["a"], Severity.INFO)


@pytest.mark.parametrize("allowed", ["{tools: x}", "x", "{tools: }"])
def test_what_allows_nothing_that_can_be_read_is_said_to(folder: Path, allowed):
    write(folder, base="allow_only: [a]\n", own=f"extends: base.yaml\nallow_only: {allowed}\n")
    (said,) = problems("own")
    assert said.startswith("own.yaml:4: ")


def test_keys_of_a_clause_that_is_a_mapping_win(folder: Path):
    write(
        folder,
        base="loop: {same_call: 3, retry_after_error: 2, window: 9}\nsecrets: {in: [error], action: drop}\n",
        own="extends: base.yaml\nloop: {same_call: {n: 5}}\nsecrets: {in: [result]}\n",
    )
    found = rules(loaded("own"))
    assert (found["loop.same_call"].n, found["loop.same_call"].window) == (5, 9)
    assert (found["loop.retry_after_error"].n, found["loop.retry_after_error"].window) == (2, 9)
    assert (found["secrets"].places, found["secrets"].action) == (["result"], "drop")


def test_several_are_extended_the_later_on_top_of_the_earlier(folder: Path):
    write(
        folder,
        a="severity: info\nforbid: [x]\n",
        b="severity: warning\nforbid: [y]\n",
        own="extends: [a.yaml, b.yaml]\nforbid: [z]\n",
    )
    found = loaded("own")
    assert {name: record.tool for name, record in rules(found).items()} == {
        "forbid.1": "x",
        "forbid.2": "y",
        "forbid.3": "z",
    }
    assert Severity.WARNING is found.severity


def test_files_are_named_from_where_their_contract_stands(folder: Path):
    (folder / "sub").mkdir()
    (folder / "sub" / "s.json").write_text('{"type": "string"}')
    write(
        folder / "sub",
        base="tools: {x: {parameters: s.json}}\nforbid: [{tool: x, args: {a: {$schema: s.json}}}]\n",
    )
    write(folder, own="extends: sub/base.yaml\n")
    assert loaded("own").tools["x"].parameters == {"type": "string"}


def test_the_hash_stands_for_what_is_extended_too(folder: Path):
    write(folder, base="forbid: [a]\n", own="extends: base.yaml\n")
    before = loaded("own").hash
    write(folder, base="forbid: [b]\n")
    assert before != loaded("own").hash


def test_an_inherited_rule_is_changed_by_its_id(folder: Path):
    write(
        folder,
        base="forbid: [a, {tool: b, unless: {agent: x}, reason: r}, c]\n",
        own="""\
            extends: base.yaml
            override:
              forbid.1: {severity: critical, shadow: true, reason: ours}
              forbid.2: {unless: [{agent: y}, {before: z}]}
              forbid.3: {disabled: true}
            forbid: [d]
            """,
    )
    found = rules(loaded("own"))
    assert list(found) == ["forbid.1", "forbid.2", "forbid.4"]
    first, second = found["forbid.1"], found["forbid.2"]
    assert (first.severity, first.shadow, first.reason) == (Severity.CRITICAL, True, "ours")
    assert (
        second.unless,
        second.reason,
    ) == ([{"agent": "x"}, {"agent": "y"}, {"before": "z"}], "r")


def test_what_was_changed_below_may_be_changed_again(folder: Path):
    write(
        folder,
        base="forbid: [a, b]\nloop: {same_call: 3}\n",
        middle="""\
            extends: base.yaml
            override:
              forbid.1: {disabled: true, reason: m}
              forbid.2: {severity: info, unless: {agent: x}}
              loop.same_call: {severity: info}
            """,
        other="forbid: [o]\n",
        top="""\
            extends: [other.yaml, middle.yaml]
            loop: {same_call: 5}
            override:
              forbid.2: {disabled: false}
              forbid.3: {unless: y}
            """,
    )
    found = rules(loaded("top"))
    assert {
        name: record.tool for name, record in found.items() if str(name).startswith("forbid")
    } == {
        "forbid.1": "o",
        "forbid.2": "a",
        "forbid.3": "b",
    }
    assert found["forbid.2"].reason == "m"
    assert (
        found["forbid.3"].severity,
        found["forbid.3"].unless,
    ) == (Severity.INFO, [{"agent": "x"}, "y"])
    assert (found["loop.same_call"].n, found["loop.same_call"].severity) == (5, Severity.ERROR)


def test_what_cannot_be_changed_is_said_with_the_nearest_id(folder: Path):
    write(
        folder,
        base="forbid: [a]\nrequire: [b]\nbudget: [{of: trace, calls: 3}]\nloop: {same_call: 3}\n",
        own="""\
            extends: base.yaml
            forbid: [c]
            loop: {same_call: 4}
            override:
              forbid.3: {severity: info}
              forbid.2: {severity: info}
              loop.same_call: {severity: info}
              require.1: {unless: c}
              budget.1: {unless: c}
              forbid.1: {unless: {agnt: x}, severty: info}
            """,
    )
    assert problems("own") == snapshot(
        [
            "own.yaml:12: unknown key `severty` in `forbid.1`; did you mean `severity`?",
        ]
    )
    text = (folder / "own.yaml").read_text().replace(", severty: info", "")
    (folder / "own.yaml").write_text(text)
    assert problems("own") == snapshot(
        [
            "own.yaml:7: unknown rule `forbid.3` in what is extended; did you mean `forbid.1`?",
            "own.yaml:8: the rule `forbid.2` is this contract's own: change it where it stands",
            "own.yaml:9: the rule `loop.same_call` is this contract's own: change it where it stands",
            "own.yaml:10: `unless`: rules that judge or count single calls can excuse some, not this",
            "own.yaml:11: `unless`: `unless` excuses calls: it goes with `of: call` and `of: tool`",
            "own.yaml:12: `unless.agnt`: unknown key `agnt`; did you mean `agent`?",
        ]
    )


def test_an_override_needs_something_to_change_and_something_to_say(folder: Path):
    write(folder, own="forbid: [a]\noverride: {forbid.1: {shadow: true}}\n")
    assert problems("own") == snapshot(
        [
            "own.yaml:4: `override` changes rules of a contract that is extended: `extends` is missing"
        ]
    )
    write(folder, own="extends: pack:loops\noverride: {loop.same_call: {}}\n")
    assert problems("own") == snapshot(
        [
            "own.yaml:4: changes nothing: give one of `severity`, `shadow`, `reason`, `disabled`, `unless`"
        ]
    )


def test_a_contract_of_which_every_rule_is_disabled_has_none(folder: Path):
    write(
        folder,
        base="forbid: [a]\n",
        own="extends: base.yaml\noverride: {forbid.1: {disabled: true}}\n",
    )
    assert problems("own") == ["own.yaml:1: the contract has no rule: all of them are disabled"]


def test_what_is_wrong_below_is_said_once_where_it_stands(folder: Path):
    write(
        folder,
        base="severity: eror\nforbid: [a, {tol: b}]\nforbidd: [c]\n",
        own="extends: base.yaml\nseverity: info\nforbid: [{tol: c}]\n",
    )
    assert problems("own", "base") == snapshot(
        [
            "base.yaml:3: `severity` must be one of `info`, `warning`, `error`, `critical`, not `eror`; did you mean `error`?",
            "base.yaml:4: unknown key `tol` in `forbid`; did you mean `tool`?",
            "base.yaml:5: unknown key `forbidd` in a contract; did you mean `forbid`?",
            "own.yaml:5: unknown key `tol` in `forbid`; did you mean `tool`?",
        ]
    )


@pytest.mark.parametrize(
    ("extends", "expected"),
    [
        ("none.yaml", "own.yaml:3: `extends`: none.yaml: cannot be read: there is no such file"),
        ("sub", "own.yaml:3: `extends`: sub: cannot be read: it is a folder"),
        ("pack:loop", "own.yaml:3: unknown pack `loop`; did you mean `loops`?"),
        (
            "two.yaml",
            "own.yaml:3: `two.yaml` holds 2 contracts: one that is extended stands alone in its file",
        ),
        ("empty.yaml", "own.yaml:3: `empty.yaml` holds no contract"),
        ("broken.yaml", "broken.yaml:2: is no YAML"),
        ("list.yaml", "list.yaml:1: a contract is a mapping of keys, not a list"),
        (
            "newer.yaml",
            "newer.yaml:2: the contract is written in language 2, and this version reads 1",
        ),
        ("own.yaml", "own.yaml:3: `extends` goes in a circle: `own.yaml` extends this contract"),
        (
            "round.yaml",
            "own.yaml:3: `extends` goes in a circle: `round.yaml` extends this contract",
        ),
        ("[pack:loops, pack:loops]", "own.yaml:3: `pack:loops` is extended twice"),
        ("[]", "own.yaml:3: `extends` is empty: leave it out"),
        ("''", "own.yaml:3: `extends` is empty: leave it out"),
        ("5", "own.yaml:3: `extends` must be a text or a list, not `5`"),
        ("[5]", "own.yaml:3: `extends` must be a text, not `5`: put it in quotes"),
    ],
)
def test_what_cannot_be_extended_is_said_where_it_is_asked_for(folder: Path, extends, expected):
    (folder / "sub").mkdir()
    (folder / "two.yaml").write_text(
        "contract: a\nlanguage: 1\nforbid: [x]\n---\ncontract: b\nlanguage: 1\nforbid: [x]\n"
    )
    (folder / "empty.yaml").write_text("# nothing\n")
    (folder / "broken.yaml").write_text("contract: [\n")
    (folder / "list.yaml").write_text("[1]\n")
    (folder / "newer.yaml").write_text("contract: n\nlanguage: 2\nforbid: [x]\n")
    write(folder, round="extends: own.yaml\n", own=f"extends: {extends}\nforbid: [x]\n")
    (said,) = problems("own")
    assert said.startswith(expected)


def test_where_something_that_is_extended_is_missing_the_rest_is_still_looked_at(folder: Path):
    write(
        folder, own="extends: none.yaml\noverride: {forbid.1: {shadow: true}}\nforbid: [{tol: x}]\n"
    )
    assert [line.partition(": ")[0] for line in problems("own")] == ["own.yaml:3", "own.yaml:5"]
    write(folder, own="extends: none.yaml\n")
    assert len(problems("own")) == 1


def test_no_file_can_be_extended_by_a_contract_that_stands_in_none():
    with pytest.raises(ContractError, match="no file can be read here"):
        Contract.from_dict({"contract": "a", "language": 1, "extends": "b.yaml"})
    found = Contract.from_dict({"contract": "a", "language": 1, "extends": "pack:loops"})
    assert "loop.same_call" in rules(found)


def test_warnings_of_what_is_extended_are_told_once(folder: Path):
    (folder / "base.yaml").write_text("contract: base\nforbid: [x]\n")
    write(folder, own="extends: base.yaml\n")
    said: list[Any] = []
    load(["own.yaml", "base.yaml"], warn=said.append)
    assert list(map(str, said)) == ["base.yaml:1: `language` is left out: write `language: 1`"]


def test_a_clause_that_is_no_list_here_is_said_to_be_that(folder: Path):
    write(folder, base="forbid: [x]\nallow_only: [y]\ntools: {a: {}}\n")
    write(folder, own="extends: base.yaml\nforbid: {tool: y}\nallow_only: y\ntools: [a]\n")
    assert [line.partition(": ")[0] for line in problems("own")] == [
        "own.yaml:4",
        "own.yaml:5",
        "own.yaml:6",
    ]


def test_a_text_has_no_folder_unless_it_is_given_one(folder: Path):
    write(folder, base="forbid: [x]\n")
    (found,) = load_text("contract: a\nlanguage: 1\nextends: base.yaml\n", folder=folder)
    assert list(rules(found)) == ["forbid.1"]
