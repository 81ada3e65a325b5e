"""Plain lists of forbidden calls: `[{tool, args, reason}]`, as the field writes them.

A rule is about one tool (a name, or a glob; an MCP prefix `mcp__SERVER__` of the called name may be left out) and holds each
listed argument against the call: equal, loosely, or taken by a matcher. All that are listed must be there. The rules of a
contract (`forbid`) say more; these load what is there already.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from toolscore_otel.errors import InputError, Location, clip
from toolscore_otel.matchers import Answer, Matcher, MatcherError, all_of, any_of
from toolscore_otel.matchers.globs import compile_glob
from toolscore_otel.matchers.path import match_at, steps_of
from toolscore_otel.matchers.value import Value, is_list, is_object
from toolscore_otel.metrics.arguments import arguments_of
from toolscore_otel.metrics.given_calls import checked, without_circles
from toolscore_otel.metrics.likeness import Same, decoded, expectation
from toolscore_otel.metrics.rule_operators import condition
from toolscore_otel.metrics.safety import redacted
from toolscore_otel.model import ToolCall


def check_forbidden_calls(
    trace_calls: Sequence[ToolCall], rules: list[dict[str, Any]]
) -> dict[str, Any]:
    """Every call that a rule forbids, under the first rule that does.

    Returns:
        `violation_count`, `rule_count`, and `violations`: for each the `index` of the call, its `tool`, its `args` without
        secrets, the index of the `rule` and its `reason`. Beside them `cannot_check`: `index`, `tool` and `rule` of calls of which
        the arguments that would decide were not observed.

    Raises:
        TypeError: `rules` is no list.
        ValueError: a rule that is none.
    """
    compiled = _compiled(rules)
    violations: list[dict[str, Any]] = []
    unsure: list[dict[str, Any]] = []
    for index, call in enumerate(checked(trace_calls)):
        args = arguments_of(call)
        answers = [rule.match(call.tool, args) for rule in compiled]
        if Answer.YES in answers:
            number = answers.index(Answer.YES)
            told = {"args": redacted(call.args), "reason": rules[number].get("reason")}
            violations.append({"index": index, "tool": call.tool, "rule": number, **told})
        elif Answer.UNKNOWN in answers:
            number = answers.index(Answer.UNKNOWN)
            unsure.append({"index": index, "tool": call.tool, "rule": number})
    return {
        "violation_count": len(violations),
        "rule_count": len(rules),
        "violations": violations,
        "cannot_check": unsure,
    }


def call_matches_rule(
    call_tool: str, call_args: Mapping[str, Any] | list[Any] | str | None, rule: Mapping[str, Any]
) -> bool:
    """Whether one call matches one rule.

    Args:
        call_tool: the name that was called.
        call_args: None: none. A list, or JSON text, as some models send them, is looked at as well.
        rule: `tool`, and `args` where it lists some.

    Raises:
        ValueError: the rule is none.
    """
    told = dict(call_args) if isinstance(call_args, Mapping) else call_args
    args: Value = {} if told is None else without_circles(told)
    return _Rule.of(without_circles(rule), 0).match(call_tool, args) is Answer.YES


def rules_from_json(data: Any) -> list[dict[str, Any]]:
    """Rules from JSON: mappings of `$` operators become matchers, on every level.

    `$regex` is found anywhere, on any line; `$contains` in a text, as an element, or in the texts of a list or an object;
    `$one_of` compares as loosely as a literal does. The operators of contracts may stand there, too.

    Raises:
        TypeError: no list.
        ValueError: a rule that is none, an unknown operator, or one that makes no sense.
    """
    rules: list[dict[str, Any]] = []
    for number, rule in enumerate(_list_of(data)):
        _Rule.of(rule, number)
        args: dict[str, Any] = rule.get("args") or {}
        made = {name: condition(args[name], f"rule {number}, `{clip(name)}`") for name in args}
        rules.append({**rule, "args": made} if "args" in rule else dict(rule))
    return rules


def load_forbidden_rules(path: str | Path) -> list[dict[str, Any]]:
    """Rules from a JSON file; see `rules_from_json`.

    Raises:
        InputError: the file cannot be read, or is no JSON.
        TypeError: it holds no list.
        ValueError: a rule that is none.
    """
    where = Location(str(path))
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(where, f"cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(where, f"is no JSON: {clip(error)}") from error
    return rules_from_json(data)


class _Rule(Struct, frozen=True):
    name: str
    glob: Any
    args: Mapping[str, Matcher]

    @classmethod
    def of(cls, rule: object, number: int) -> _Rule:
        """A rule, ready to be asked."""
        if not is_object(rule):
            raise ValueError(f"rule {number} is no mapping with a `tool`")
        tool, args = rule.get("tool"), rule.get("args")
        if not isinstance(tool, str) or not tool:
            raise ValueError(f"rule {number} names no `tool`")
        if args is not None and not (is_object(args) and all(map(_is_text, args))):
            raise ValueError(f"`args` of rule {number} is no mapping of names")
        try:
            asked = {name: _matcher(value) for name, value in (args or {}).items()}
        except MatcherError as error:
            raise ValueError(f"rule {number}: {error}") from error
        return cls(tool, compile_glob(tool), asked)

    def match(self, tool: str, args: Value) -> Answer:
        """Whether it forbids a call."""
        plain = (
            tool.split("__", 2)[2] if tool.startswith("mcp__") and tool.count("__") > 1 else tool
        )
        if not any(self.name == one or self.glob.match(one) for one in (tool, plain)):
            return Answer.NO
        args = decoded(args) if isinstance(args, str) else args
        return all_of(_holds(args, name, matcher) for name, matcher in self.args.items())


def _holds(args: Value, name: str, matcher: Matcher) -> Answer:
    """Arguments without names, as some models send them, are each held against the condition."""
    if is_list(args):
        return any_of(matcher.match(one) for one in args)
    return match_at(args, steps_of(name), matcher)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _matcher(value: object) -> Matcher:
    return expectation(value) or Same(value, strict=False)


def _compiled(rules: object) -> list[_Rule]:
    return [_Rule.of(rule, number) for number, rule in enumerate(_list_of(rules))]


def _list_of(rules: object) -> list[Any]:
    if isinstance(rules, tuple) or not is_list(rules):
        raise TypeError("forbidden rules are a list of mappings")
    safe: list[Any] = without_circles(rules)
    return safe
