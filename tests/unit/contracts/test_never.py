"""Rules that cannot mean what they say are warned of, and only what is certain."""

from textwrap import dedent
from typing import Any

import pytest
from inline_snapshot import snapshot

from toolscore_otel.contracts import load_text

HEAD = "contract: a\nlanguage: 1\n"
TOOLS = "tools: {a: {labels: [egress]}, b: {}, c: {}}\n"


def warnings(text: str, tools: str = "") -> list[str]:
    said: list[Any] = []
    load_text(HEAD + tools + dedent(text), "c.yaml", warn=said.append)
    before = (HEAD + tools).count("\n")
    return [f"{(problem.where.line or 0) - before}: {problem.message}" for problem in said]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "require: [{tool: x, min: 0}]",
            snapshot(["1: `require.1` can never fail: it requires 0 calls"]),
        ),
        (
            "order: [{first: x, then: x, id: mine}]",
            snapshot(["1: `mine` fails on the first such call: nothing can stand before it"]),
        ),
        (
            "loop: {same_call: 5, window: 4}",
            snapshot(
                ["1: `loop.same_call` can never fail: it needs 5 calls, and looks at the last 4"]
            ),
        ),
        (
            "loop:\n  retry_after_error: {n: 4}\n  window: 4\n",
            snapshot(
                [
                    "2: `loop.retry_after_error` can never fail: it needs 5 calls, and looks at the last 4"
                ]
            ),
        ),
        (
            "forbid: [{tool: x, agent: y, unless: {agent: y}}]",
            snapshot(
                ["1: `forbid.1` can never fail: its `unless` excuses every call that it is about"]
            ),
        ),
        (
            "forbid: [{tool: x, unless: [y, x]}]",
            snapshot(
                ["1: `forbid.1` can never fail: its `unless` excuses every call that it is about"]
            ),
        ),
        (
            "forbid:\n  - x\n  - {tool: x, severity: info, reason: again}\n",
            snapshot(["3: `forbid.2` says what `forbid.1` says"]),
        ),
        (
            "limit: [{tool: x, max: 3}, {tool: x, max: 3, id: same}]",
            snapshot(["1: `same` says what `limit.1` says"]),
        ),
        (
            "allow_only: [x, y]\nforbid: [y]\n",
            snapshot(["1: `allow_only` allows `y`, and `forbid` always forbids it"]),
        ),
        (
            "allow_only:\n  tools:\n    - x\n    - y\nforbid: [{tool: y, reason: z}]\n",
            snapshot(["4: `allow_only` allows `y`, and `forbid` always forbids it"]),
        ),
        ("forbid: [{label: egres}]", snapshot(["1: no tool of `tools` has the label `egres`"])),
        ("forbid: [{tool: x, mutating: true}]", snapshot(["1: no tool of `tools` is `mutating`"])),
        (
            "forbid: [{tool: x, stage: requested, status: ok}]",
            snapshot(["1: `status` of a call that was only asked for is never known"]),
        ),
        (
            "forbid: [{tool: x, stage: requested, latency_ms: {$gt: 1}}]",
            snapshot(["1: `latency_ms` of a call that was only asked for is never known"]),
        ),
    ],
)
def test_what_can_never_or_only_fail_is_a_warning_at_its_rule(text, expected):
    assert warnings(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "require: [{tool: x, min: 0, max: 3}, {tool: y}]",
        "order: [{first: x, then: y}, {never: x, after: x}]",
        "loop: {same_call: 4, retry_after_error: 3, cycle: 9, window: 4}",
        "loop: {same_call: 40}",
        "secrets: {in: [error], kinds: [jwt]}",
        "forbid: [{tool: x, unless: {agent: y}}, {tool: x, unless: {tool: x, kind: agent}}]",
        "forbid: [{tool: x, unless: {before: x}}, x, {tool: x, stage: requested}]",
        "allow_only: [x, {tool: y}, z]\nforbid: [{tool: x, args: {a: 1}}, 'z*']\n",
        "allow_only: {tools: [x], severity: info}",
        "forbid: [{tool: x, stage: requested, status: [ok, unknown]}, {tool: y, mutating: false}]",
    ],
)
def test_what_may_mean_something_is_no_warning(text):
    assert warnings(text) == []


def test_the_nearest_label_of_the_registry_is_named():
    assert warnings("forbid: [{label: [egres, x]}, {label: [x, egress]}]", TOOLS) == snapshot(
        ["1: no tool of `tools` has the label `egres`; did you mean `egress`?"]
    )


def test_selectors_of_every_clause_are_looked_at():
    text = """\
        order:
          - {first: a, then: bb}
          - {never: a, after: bb, until: c}
          - sequence:
              - a
              - bb
            among: {tool: bb}
        expect:
          - calls: [a, {tool: bb}]
        limit:
          - {tool: bb, max: 1, unless: {before: bb}}
        waive:
          - {rule: limit.1, tool: bb, owner: o, until: 2026-01-01}
        """
    assert warnings(text, TOOLS) == snapshot(
        [
            "2: the tool `bb` does not stand in `tools`; did you mean `b`?",
            "3: the tool `bb` does not stand in `tools`; did you mean `b`?",
            "6: the tool `bb` does not stand in `tools`; did you mean `b`?",
            "7: the tool `bb` does not stand in `tools`; did you mean `b`?",
            "9: the tool `bb` does not stand in `tools`; did you mean `b`?",
            "11: the tool `bb` does not stand in `tools`; did you mean `b`?",
            "13: the tool `bb` does not stand in `tools`; did you mean `b`?",
        ]
    )


def test_selectors_that_are_added_to_inherited_rules_are_looked_at():
    text = "extends: pack:loops\noverride: {loop.same_call: {unless: {tool: bb}}}\n"
    assert warnings(text, TOOLS) == snapshot(
        ["2: the tool `bb` does not stand in `tools`; did you mean `b`?"]
    )


def test_paths_that_a_limit_adds_up_are_looked_at():
    tools = "tools: {a: {parameters: {properties: {amount: {}}}}}\n"
    text = "limit: [{tool: a, sum: amont, max: 3}, {tool: a, distinct: args.amount, max: 3}]"
    assert warnings(text, tools) == snapshot(
        ["1: `a` has no argument `amont` in its `parameters`; did you mean `amount`?"]
    )
