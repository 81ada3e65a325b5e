"""What is said of a contract that cannot be used: all of it, each at its line."""

from textwrap import dedent

import pytest
from inline_snapshot import snapshot

from toolscore_otel.contracts import Contract, load_text
from toolscore_otel.errors import ContractError
from toolscore_otel.matchers import Regex
from toolscore_otel.rules import CLAUSES


def problems(text, *, name="c.yaml"):
    with pytest.raises(ContractError) as caught:
        load_text(dedent(text), name)
    return str(caught.value)


def clause(text):
    """What is said of one clause in an otherwise good contract; lines count from the clause."""
    said = problems(
        f"{{contract: a, language: 1}}\n---\ncontract: b\nlanguage: 1\n{dedent(text).lstrip()}"
    )
    lines = said.splitlines()
    assert lines[0].startswith("c.yaml:1: the contract has no rule")
    return [
        f"{int(where) - 4}: {message}"
        for where, message in (line.removeprefix("c.yaml:").split(": ", 1) for line in lines[1:])
    ]


def test_all_problems_of_a_contract_are_said_at_once_in_order_of_lines():
    text = """\
        contract: Support Desk
        language: 1
        version: 3
        severity: eror
        shadow: no
        labels: {team: payments, floor: 5}
        applies_to: {servce: x, agent: []}
        tools:
          refund: {mutating: maybe, cost_usd: {per_cal: 3}}
        forbid:
          - {tool: shell, args: {command: {$regx: rm}}}
          - {tol: shell}
        forbidden: [x]
        require:
          - {tool: refund, min: many}
        """
    assert problems(text) == snapshot("""\
c.yaml:1: `contract` is an id of small letters, digits, `.`, `_` and `-`, not `Support Desk`
c.yaml:3: `version` must be a text, not `3`: put it in quotes
c.yaml:4: `severity` must be one of `info`, `warning`, `error`, `critical`, not `eror`; did you mean `error`?
c.yaml:5: `shadow` must be true or false, not `no`
c.yaml:6: `floor` must be a text, not `5`: put it in quotes
c.yaml:7: unknown key `servce` in `applies_to`; did you mean `service`?
c.yaml:9: `mutating` must be true or false, not `maybe`
c.yaml:9: unknown key `per_cal` in `cost_usd`; did you mean `per_call`?
c.yaml:11: `args.command.$regx`: unknown operator `$regx`; did you mean `$regex`?
c.yaml:12: unknown key `tol` in `forbid`; did you mean `tool`?
c.yaml:13: unknown key `forbidden` in a contract; did you mean `forbid`?
c.yaml:15: `min` must be a whole number, not `many`\
""")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("forbid: []", snapshot(["1: `forbid` is an empty list: leave it out, or give a rule"])),
        ("forbid: shell", snapshot(["1: `forbid` takes a list of rules"])),
        ("forbid:", snapshot(["1: `forbid` takes a list of rules"])),
        (
            "forbid: [5, [shell], '']",
            snapshot(
                [
                    "1: a rule of `forbid` is a tool's name or a mapping",
                    "1: `forbid`: must be a text, or a list of texts with something in it",
                ]
            ),
        ),
        (
            "forbid: [{}]",
            snapshot(['1: a selector needs at least one key; `tool: "*"` is every tool']),
        ),
        (
            "forbid: [{reason: never}]",
            snapshot(['1: a selector needs at least one key; `tool: "*"` is every tool']),
        ),
        (
            "allow_only: []",
            snapshot(["1: `allow_only`: lists nothing: name the tools that may be called"]),
        ),
        (
            "allow_only: {tool: x}",
            snapshot(
                [
                    "1: unknown key `tool` in `allow_only`; did you mean `tools`?",
                    "1: `allow_only` needs the key `tools`",
                ]
            ),
        ),
        (
            "allow_only:\n  - x\n  - {tol: y}\n",
            snapshot(["3: `1.tol`: unknown key `tol`; did you mean `tool`?"]),
        ),
        (
            "loop: {}",
            snapshot(
                [
                    "1: `loop` has no rule: give `same_call`, `retry_after_error`, `no_progress`, `cycle`"
                ]
            ),
        ),
        (
            "loop: {same_cal: 3}",
            snapshot(
                [
                    "1: unknown key `same_cal` in `loop`: it takes `same_call`, `retry_after_error`, `no_progress`, `cycle`, `window`, `ignore`, `only`, `unless`"
                ]
            ),
        ),
        (
            "loop: {same_call: 1}",
            snapshot(["1: `loop`: `same_call` is a number of calls, at least 2"]),
        ),
        (
            "loop:\n  same_call: 3\n  window: 1\n",
            snapshot(["3: `window` is a number of calls, at least 2"]),
        ),
        (
            "loop:\n  same_call: 3\n  ignore:\n    - poll\n    - {tol: x}\n",
            snapshot(["5: `ignore.1.tol`: unknown key `tol`; did you mean `tool`?"]),
        ),
        (
            "limit: [{tool: x}, {tool: x, max: 2.5}, {tool: x, max: -1}]",
            snapshot(
                [
                    "1: `limit` needs the key `max`",
                    "1: `max` is a number of calls, a whole one",
                    "1: `max` is a number of calls, 0 or more",
                ]
            ),
        ),
        ("require: [{tool: x, min: 3, max: 2}]", snapshot(["1: `max: 2` is below `min: 3`"])),
        (
            "budget: [{of: call, tool: x, latency_ms: fast}]",
            snapshot(["1: `latency_ms` must be a number, not `fast`"]),
        ),
        (
            f"budget: [{{of: call, latency_ms: {10**400}}}]",
            snapshot(["1: `latency_ms`: Number out of range"]),
        ),
        (
            "secrets:\n  allow: [{path: a.b}]\n  patterns: [{name: a, regex: x}, {name: b, regex: '('}]\n",
            snapshot(
                ["3: `patterns.1.name`: the secret pattern `b` is no RE2 expression: missing ): ("]
            ),
        ),
        ("budget: [{latency_ms: 3}]", snapshot(["1: `budget` needs the key `of`"])),
        (
            "budget: [{of: calls, latency_ms: 3}]",
            snapshot(
                [
                    "1: `of` must be one of `call`, `tool`, `agent`, `trace`, `session`, not `calls`; did you mean `call`?"
                ]
            ),
        ),
        (
            "secrets: []",
            snapshot(["1: `secrets` takes a mapping, such as `{in: [arguments, result]}`"]),
        ),
        (
            "secrets: {in: [arguments, argments], action: redakt}",
            snapshot(
                [
                    "1: `in` must be one of `arguments`, `result`, `error`, `messages`, `attributes`, not `argments`; did you mean `arguments`?",
                    "1: `action` must be one of `redact`, `hash`, `drop`, `flag`, not `redakt`; did you mean `redact`?",
                ]
            ),
        ),
        (
            "secrets:\n  kinds:\n    - qqqq\n",
            snapshot(["3: `kinds.0`: unknown kind of secret `qqqq`; see `KINDS` for all"]),
        ),
        (
            "secrets:\n  patterns:\n    - {name: a, regex: '('}\n    - {nme: b, regex: x}\n",
            snapshot(
                [
                    "4: unknown key `nme` in an entry of `patterns`; did you mean `name`?",
                    "4: an entry of `patterns` needs the key `name`",
                ]
            ),
        ),
        (
            "secrets: {allow: [{}]}",
            snapshot(["1: `allow.0`: an empty entry would allow every secret everywhere"]),
        ),
    ],
)
def test_a_clause_that_says_nothing_usable_is_said_to(text, expected):
    assert clause(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "forbid:\n  - tool: x\n    args:\n      a: {$gtt: 1}\n      b: [{c: {$lenn: 1}}]\n",
            snapshot(
                [
                    "4: `args.a.$gtt`: unknown operator `$gtt`; did you mean `$gt`?",
                    "5: `args.b.0.c.$lenn`: unknown operator `$lenn`; did you mean `$len`?",
                ]
            ),
        ),
        (
            "forbid: [{tool: x, args: {a: {$regex: '('}}}]",
            snapshot(
                ["1: `args.a.$regex`: `(` is no regular expression in RE2 syntax: missing ): ("]
            ),
        ),
        (
            "forbid: [{tool: x, args: {a: {$gt: 1, b: 2}}}]",
            snapshot(["1: `args.a`: operators (`$gt`) and plain keys cannot stand in one mapping"]),
        ),
        (
            "forbid: [{tool: x, args: {a: {$not: {$one_off: [1]}}}}]",
            snapshot(
                ["1: `args.a.$not.$one_off`: unknown operator `$one_off`; did you mean `$one_of`?"]
            ),
        ),
        (
            "forbid: [{tool: x, latency_ms: 5}]",
            snapshot(["1: `latency_ms`: must be a mapping of operators, such as {$gt: 100}"]),
        ),
        (
            "forbid: [{tool: x, status: failed, stage: never, kind: tol}]",
            snapshot(
                [
                    "1: `status`: unknown status `failed`; known are error, ok, unknown",
                    "1: `stage`: unknown stage `never`; known are any, executed, requested",
                    "1: `kind`: unknown kind `tol`; did you mean `tool`?",
                ]
            ),
        ),
        (
            "forbid: [{tool: x, unless: {agnt: y}}]",
            snapshot(["1: `unless.agnt`: unknown key `agnt`; did you mean `agent`?"]),
        ),
        (
            "forbid: [{tool: x, args: {a: {$schema: other.json}}}]",
            snapshot(["1: `$schema`: a schema file cannot be read here: write the schema itself"]),
        ),
    ],
)
def test_a_matcher_that_is_none_is_said_with_its_path(text, expected):
    assert clause(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "require: [{tool: x, unless: {tool: y}}]",
            snapshot(
                [
                    "1: `unless` goes with rules that judge or count single calls, and `require` does not"
                ]
            ),
        ),
        (
            "budget: [{of: trace, cost_usd: 1, unless: {tool: y}}]",
            snapshot(["1: `unless` excuses calls: it goes with `of: call` and `of: tool`"]),
        ),
    ],
)
def test_unless_where_no_single_call_is_judged_is_an_error(text, expected):
    assert clause(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "judge: {}",
        "judge: [{question: x}]",
    ],
)
def test_a_word_of_the_language_that_is_not_read_yet_is_said_to_be_that(text):
    said = clause(text)
    assert any("not supported by this version" in line for line in said)
    assert not any("unknown" in line for line in said)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "{contract: a, language: 2, forbidd: x}",
            snapshot("c.yaml:1: the contract is written in language 2, and this version reads 1"),
        ),
        ("{contract: a, language: 0, forbid: [x]}", snapshot("c.yaml:1: `language` is 1")),
        (
            "{contract: a, language: '1', forbid: [x]}",
            snapshot("c.yaml:1: `language` must be a whole number, not `1`: leave the quotes out"),
        ),
        ("{language: 1, forbid: [x]}", snapshot("c.yaml:1: a contract needs the key `contract`")),
        (
            "{contract: A, language: 1, forbid: [x]}",
            snapshot(
                "c.yaml:1: `contract` is an id of small letters, digits, `.`, `_` and `-`, not `A`"
            ),
        ),
        (
            "{contract: 'ok\n', language: 1, forbid: [x]}",
            snapshot(
                "c.yaml:1: `contract` is an id of small letters, digits, `.`, `_` and `-`, not `ok`"
            ),
        ),
        (
            "{contract: a, language: 1}",
            "c.yaml:1: the contract has no rule: give one of "
            + ", ".join(f"`{clause.key}`" for clause in CLAUSES),
        ),
        ("[forbid]", snapshot("c.yaml:1: a contract is a mapping of keys, not a list")),
        (
            "{contract: , language: 1, scope: session, forbid: [x]}",
            snapshot("c.yaml:1: `contract` must be a text, not nothing"),
        ),
        (
            "{contract: a, language: 1, applies_to: {agent: []}, forbid: [x]}",
            snapshot("c.yaml:1: `agent` holds nothing, so that nothing is seen"),
        ),
        ("forbid", snapshot("c.yaml:1: a contract is a mapping of keys, not `forbid`")),
        ("", snapshot("c.yaml: holds no contract")),
        ("# only a comment", snapshot("c.yaml: holds no contract")),
    ],
)
def test_a_contract_without_a_usable_head_is_said_to_be_that(text, expected):
    assert problems(text) == expected


def test_a_rule_id_that_comes_twice_is_said_where_it_comes_again():
    text = """\
        contract: a
        language: 1
        forbid:
          - {tool: x, id: mine}
          - tool: y
            id: mine
        limit:
          - {tool: x, max: 3, id: forbid.3}
          - {tool: x, max: 3, id: ' '}
          - {tool: x, max: 3, id: "a\\nb"}
        require: [{tool: z, id: mine}]
        """
    assert problems(text) == snapshot("""\
c.yaml:6: the rule id `mine` stands twice in this contract, first on line 4
c.yaml:9: a rule's `id` is a word or a few, on one line
c.yaml:10: a rule's `id` is a word or a few, on one line
c.yaml:11: the rule id `mine` stands twice in this contract, first on line 4\
""")


def test_an_id_that_was_left_out_counts_too():
    assert clause("forbid: [x, {tool: y, id: forbid.1}]") == snapshot(
        ["1: the rule id `forbid.1` stands twice in this contract, first on line 5"]
    )


def test_a_contract_id_that_comes_twice_is_said_where_it_comes_again():
    one = "contract: a\nlanguage: 1\nforbid: [x]\n"
    assert problems(f"{one}---\n{one}") == snapshot(
        "c.yaml:5: the contract id `a` is taken by c.yaml:1"
    )


def test_what_is_wrong_in_the_registry_is_said_at_its_key():
    text = """\
        contract: a
        language: 1
        forbid: [x]
        tools:
          a: {aliases: 5, labels: egress, timeout_ms: -1}
          b: {cost_usd: -1}
          c: {cost_usd: {per_second: -0.5}}
          d: {name_from: command}
          e: {name_from: args.items.*.name}
          f: {fails_when: {$regx: x}}
          g: {parameters: {type: 5}}
          h: {parameters: h.schema.json}
          i: {parameters: [a]}
          j: {alias: k}
          k: yes
          l: {timeout_ms: -1}
        """
    assert problems(text) == snapshot("""\
c.yaml:5: `aliases` must be a text or a list, not `5`
c.yaml:5: `labels` must be a list, not `egress`
c.yaml:6: `cost_usd` is a number of USD, 0 or more
c.yaml:7: `cost_usd` is a number of USD, 0 or more
c.yaml:8: `name_from` is the path of one argument, such as `args.command`
c.yaml:9: `name_from` is the path of one argument, such as `args.command`
c.yaml:10: `fails_when`: `$regx`: unknown operator `$regx`; did you mean `$regex`?
c.yaml:11: `parameters`: is no JSON Schema of draft 2020-12: 5 is not valid under any of the schemas listed in the 'anyOf' keyword Failed validating "anyOf" in …
c.yaml:12: `parameters`: a schema file cannot be read here: write the schema itself
c.yaml:13: `parameters` must be a text or a mapping, not a list
c.yaml:14: unknown key `alias` in the tool `j`; did you mean `aliases`?
c.yaml:15: the tool `k` must be a mapping, not `yes`
c.yaml:16: `timeout_ms` is a time, 0 or more\
""")


def test_long_values_are_cut():
    said = problems(f"contract: a\nlanguage: 1\nseverity: {'x' * 5000}\nforbid: [x]\n")
    assert len(said) < 300


def test_problems_of_a_contract_built_in_python_name_the_path():
    with pytest.raises(ContractError) as caught:
        Contract.from_dict(
            {
                "contract": "support",
                "language": 1,
                "severity": "eror",
                "forbid": [{"tool": "x"}, {"tool": "y", "args": {"a": {"$regx": "b"}}}],
            }
        )
    assert str(caught.value) == snapshot("""\
support at severity: `severity` must be one of `info`, `warning`, `error`, `critical`, not `eror`; did you mean `error`?
support at forbid.1.args.a.$regx: `args.a.$regx`: unknown operator `$regx`; did you mean `$regex`?\
""")


def test_python_data_that_contains_itself_is_an_error():
    data: dict[str, object] = {"contract": "a", "language": 1}
    data["forbid"] = [{"tool": "x", "args": data}]
    with pytest.raises(ContractError, match="nests deeper"):
        Contract.from_dict(data)


def test_a_matcher_may_stand_in_a_contract_built_in_python():
    contract = Contract.from_dict(
        {
            "contract": "a",
            "language": 1,
            "forbid": ({"tool": "shell", "args": {"command": Regex("rm")}},),
        }
    )
    assert [rule.record.id for rule in contract.rules] == ["forbid.1"]
