"""Names in rules that the registry does not know."""

from textwrap import dedent
from typing import Any

import pytest
from inline_snapshot import snapshot

from toolscore_otel.contracts import load_text

TOOLS = """\
contract: a
language: 1
tools:
  refund:
    aliases: "pay_*"
    parameters:
      properties:
        amount: {}
        user: {properties: {id: {}, name: {}}, additionalProperties: false}
        free: {type: object}
        any: {properties: {a: {}}, additionalProperties: true}
        tags: {items: {type: string}}
  lookup: {}
  exec: {name_from: args.command}
"""
BEGIN = TOOLS.count("\n")


def warnings(text, tools=TOOLS):
    said: list[Any] = []
    load_text(tools + dedent(text), "c.yaml", warn=said.append)
    return [f"{(problem.where.line or 0) - BEGIN}: {problem.message}" for problem in said]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "forbid: [refnd]",
            snapshot(["1: the tool `refnd` does not stand in `tools`; did you mean `refund`?"]),
        ),
        (
            "forbid:\n  - tool: x\n    reason: y\n  - unless: zz\n    tool: [refund, y]\n",
            snapshot(
                [
                    "2: the tool `x` does not stand in `tools`",
                    "4: the tool `zz` does not stand in `tools`",
                    "5: the tool `y` does not stand in `tools`",
                ]
            ),
        ),
        (
            "allow_only: [refund, lokup]",
            snapshot(["1: the tool `lokup` does not stand in `tools`; did you mean `lookup`?"]),
        ),
        (
            "allow_only:\n  tools:\n    - {tool: lokup}\n",
            snapshot(["3: the tool `lokup` does not stand in `tools`; did you mean `lookup`?"]),
        ),
        (
            "require: [{tool: refun, min: 2}]",
            snapshot(["1: the tool `refun` does not stand in `tools`; did you mean `refund`?"]),
        ),
        (
            "limit: [{tool: refun, max: 2}]",
            snapshot(["1: the tool `refun` does not stand in `tools`; did you mean `refund`?"]),
        ),
        (
            "loop:\n  same_call: 3\n  ignore:\n    - lokup\n    - {tool: exc}\n",
            snapshot(
                [
                    "4: the tool `lokup` does not stand in `tools`; did you mean `lookup`?",
                    "5: the tool `exc` does not stand in `tools`; did you mean `exec`?",
                ]
            ),
        ),
        (
            "loop:\n  same_call: {n: 3, only: [lokup]}\n",
            snapshot(["2: the tool `lokup` does not stand in `tools`; did you mean `lookup`?"]),
        ),
        (
            "budget: [{of: call, tool: lokup, latency_ms: 5}]",
            snapshot(["1: the tool `lokup` does not stand in `tools`; did you mean `lookup`?"]),
        ),
        (
            "secrets:\n  allow:\n    - {tool: lokup, path: token}\n",
            snapshot(["3: the tool `lokup` does not stand in `tools`; did you mean `lookup`?"]),
        ),
        (
            "forbid:\n  - tool: refund\n    unless:\n      before: lokup\n",
            snapshot(["4: the tool `lokup` does not stand in `tools`; did you mean `lookup`?"]),
        ),
    ],
)
def test_a_tool_that_stands_in_no_registry_is_a_warning_with_the_nearest_name(text, expected):
    assert warnings(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "forbid: [refund, lookup, pay_back, 'exec:git', '*', 're*']",
        "forbid: [{agent: nobody, tool: refund}]",
        "forbid: [{tool: refund, args: {amount: 3, user: {id: {$any: true}}, user.name: x}}]",
        "forbid: [{tool: refund, args: {free: {x: 1}, any.b: 1, tags.0: x, amount: {a: 1}}}]",
        "forbid: [{tool: lookup, args: {whatever: 1}}, {args: {whatever: 1}}]",
        "forbid: [{tool: [refund, lookup], args: {whatever: 1}}]",
        "forbid: [{tool: 're*', args: {whatever: 1}}]",
        "loop: {same_call: {n: 3, reason: lokup}}",
    ],
)
def test_what_the_registry_knows_or_cannot_know_is_no_warning(text):
    assert warnings(text) == []


def test_without_a_registry_nothing_is_misspelt():
    assert warnings("forbid: [{tool: x, args: {y: 1}}]", "contract: a\nlanguage: 1\n") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "forbid: [{tool: refund, args: {amountx: 3}}]",
            snapshot(
                [
                    "1: `refund` has no argument `amountx` in its `parameters`; did you mean `amount`?"
                ]
            ),
        ),
        (
            "forbid:\n  - tool: pay_back\n    args:\n      user: {namex: x}\n",
            snapshot(
                [
                    "4: `refund` has no argument `user.namex` in its `parameters`; did you mean `user.name`?"
                ]
            ),
        ),
        (
            "forbid: [{tool: refund, args: {user.mail.host: x}}]",
            snapshot(["1: `refund` has no argument `user.mail` in its `parameters`"]),
        ),
        (
            "forbid: [{tool: refund, args: {user: {$not: {x: 1}}, zzz: {$gt: 1}}}]",
            snapshot(["1: `refund` has no argument `zzz` in its `parameters`"]),
        ),
    ],
)
def test_an_argument_that_the_schema_does_not_have_is_a_warning(text, expected):
    assert warnings(text) == expected


def test_a_dispatcher_whose_path_its_schema_does_not_have_is_a_warning():
    text = """\
        contract: a
        language: 1
        tools: {exec: {name_from: args.commandx, parameters: {properties: {command: {}}}}}
        forbid: [exec]
        """
    said: list[Any] = []
    load_text(dedent(text), "c.yaml", warn=lambda problem: said.append(str(problem)))
    assert said == snapshot(
        ["c.yaml:3: `exec` has no argument `commandx` in its `parameters`; did you mean `command`?"]
    )
