"""Selectors: what a rule is about, compiled to a short row of checks, the cheap ones first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toolscore_otel.errors import clip
from toolscore_otel.matchers import checks
from toolscore_otel.matchers.answer import NO, UNSURE, YES, Answer
from toolscore_otel.matchers.error import MatcherError, unknown_word
from toolscore_otel.matchers.fields import SELECTOR_KEYS, SelectorFields, keys_given
from toolscore_otel.matchers.judged import JudgedCall
from toolscore_otel.matchers.matcher import Matcher, is_matcher
from toolscore_otel.matchers.parse import ReadSchema, holds_operators, is_mapping, parse
from toolscore_otel.matchers.shape import NoArguments
from toolscore_otel.model import CallKind, Stage

_Built = tuple[checks.Check | None, str]
"""The check of one key (None: all calls pass, or it is asked apart), and what the key asks for, in words."""


class _Part(NamedTuple):
    key: str
    check: checks.Check | None
    says: str


@dataclass(frozen=True, slots=True, eq=False)
class Selector:
    """What a rule is about, ready to be asked about calls.

    Attributes:
        tools: the only tool names it can match, for an index; None where it names no tool, or a glob. A call with a
            `dispatcher` may also answer to any name that begins with that name and a colon.
        needs: the evidence it looks at: some of `args result status agent latency cost`.
    """

    tools: frozenset[str] | None
    needs: frozenset[str]
    _kinds: tuple[CallKind, ...]
    _stage: Stage | None
    _parts: tuple[_Part, ...] = field(repr=False)
    _checks: tuple[checks.Check, ...] = field(repr=False)
    _said: str

    @classmethod
    def of(
        cls,
        source: SelectorFields | str | Mapping[str, Any],
        *,
        default_stage: str = "executed",
        read_schema: ReadSchema | None = None,
    ) -> Selector:
        """Compile a selector.

        Args:
            source: its keys; a text is short for `{tool: TEXT}`. Of a subclass of `SelectorFields` only the keys of a
                selector count.
            default_stage: `executed`, `requested` or `any`, where no `stage` is given.
            read_schema: loads schema files that `$schema` names.

        Raises:
            MatcherError: no key, an unknown one, or a value that makes no sense; its path begins with the key.
        """
        given = _keys_of(source)
        keys = {"kind": "tool", "stage": default_stage} | given
        parts = tuple(_part(key, keys[key], read_schema) for key in _BUILDERS if key in keys)
        asking = {part.key for part in parts if part.check is not None}
        return cls(
            tools=checks.literal_names(checks.words_of(keys["tool"])) if "tool" in keys else None,
            needs=frozenset(need for key, need in _NEEDS.items() if key in asking),
            _kinds=checks.kinds_of(keys["kind"]),
            _stage=checks.stage_of(keys["stage"]),
            _parts=parts,
            _checks=tuple(part.check for part in parts if part.check is not None),
            _said=", ".join(part.says for part in parts if part.key in given),
        )

    def match(self, call: JudgedCall) -> Answer:
        """Whether the rule is about this call. Never raises.

        A matcher that runs out of Python's stack, as deep inside an application it can, has not seen the value: unknown.
        """
        told, stage, answer = call.call, self._stage, YES
        if told.kind not in self._kinds or (stage is not None and told.stage is not stage):
            return NO
        try:
            for check in self._checks:
                one = check(call)
                if one is NO:
                    return NO
                if one is UNSURE:
                    answer = UNSURE
        except RecursionError:
            return UNSURE
        return answer

    @property
    def uses_agent(self) -> bool:
        """Whether its answer may change with the call's agent, or with whether its trace names agents."""
        return "agent" in self.needs

    def missing(self, call: JudgedCall) -> tuple[str, ...]:
        """Which evidence was not observed where `match` said unknown.

        Returns:
            Some of `name arguments result status agent latency cost`, each once.
        """
        unsure = (
            "name" if part.key == "tool" and not call.call.tool else _EVIDENCE[part.key]
            for part in self._parts
            if part.key in _EVIDENCE and part.check is not None and part.check(call) is UNSURE
        )
        return tuple(dict.fromkeys(unsure))

    def describe(self) -> str:
        """What its keys ask for, as in `tool refund, args amount > 100`."""
        return self._said


def _keys_of(source: object) -> dict[str, Any]:
    if isinstance(source, str):
        return {"tool": source}
    if isinstance(source, SelectorFields):
        keys = keys_given(source)
    elif is_mapping(source):
        keys = dict(source)
    else:
        raise MatcherError((), "a selector must be a tool's name, or a mapping of its keys")
    for key in keys:
        if key not in SELECTOR_KEYS:
            raise MatcherError((clip(key),), unknown_word("key", key, SELECTOR_KEYS))
    if not keys:
        raise MatcherError((), 'a selector needs at least one key; `tool: "*"` is every tool')
    return keys


def _part(key: str, value: Any, read_schema: ReadSchema | None) -> _Part:
    try:
        return _Part(key, *_BUILDERS[key](value, read_schema))
    except MatcherError as problem:
        raise problem.below(key) from problem


def _tool(value: Any, _: ReadSchema | None) -> _Built:
    return checks.tool_check(patterns := checks.words_of(value)), f"tool {_either(patterns)}"


def _label(value: Any, _: ReadSchema | None) -> _Built:
    return checks.label_check(labels := checks.words_of(value)), f"label {_either(labels)}"


def _mutating(value: Any, _: ReadSchema | None) -> _Built:
    return checks.mutating_check(value), "mutating" if value else "not mutating"


def _stage(value: Any, _: ReadSchema | None) -> _Built:
    checks.stage_of(value)
    return None, f"stage {value}"


def _kind(value: Any, _: ReadSchema | None) -> _Built:
    checks.kinds_of(value)
    return None, f"kind {_either(checks.words_of(value))}"


def _status(value: Any, _: ReadSchema | None) -> _Built:
    return checks.status_check(value), f"status {_either(checks.words_of(value))}"


def _agent(value: Any, _: ReadSchema | None) -> _Built:
    return checks.agent_check(value), f"agent {value}"


def _latency(value: Any, read_schema: ReadSchema | None) -> _Built:
    matcher = _operators(value, read_schema)
    return checks.latency_check(matcher), f"latency in ms {matcher.describe()}"


def _cost(value: Any, read_schema: ReadSchema | None) -> _Built:
    matcher = _operators(value, read_schema)
    return checks.cost_check(matcher), f"cost in USD {matcher.describe()}"


def _args(value: Any, read_schema: ReadSchema | None) -> _Built:
    if value is None:
        raise MatcherError((), "is null: leave it out for whatever arguments, `{}` for none")
    if not is_mapping(value) and not is_matcher(value):
        raise MatcherError((), "must be a mapping: names of arguments, or operators")
    is_none = is_mapping(value) and not value
    matcher = NoArguments() if is_none else parse(value, read_schema=read_schema)
    return checks.args_check(matcher), f"args {matcher.describe()}"


def _result(value: Any, read_schema: ReadSchema | None) -> _Built:
    matcher = parse(value, read_schema=read_schema)
    return checks.result_check(matcher), f"result {matcher.describe()}"


def _operators(value: Any, read_schema: ReadSchema | None) -> Matcher:
    if not is_matcher(value) and not holds_operators(value):
        raise MatcherError((), "must be a mapping of operators, such as {$gt: 100}")
    return parse(value, read_schema=read_schema)


def _either(words: tuple[str, ...]) -> str:
    return clip(" or ".join(words))


_BUILDERS: Mapping[str, Callable[[Any, ReadSchema | None], _Built]] = {
    "tool": _tool,
    "kind": _kind,
    "stage": _stage,
    "mutating": _mutating,
    "label": _label,
    "status": _status,
    "agent": _agent,
    "latency_ms": _latency,
    "cost_usd": _cost,
    "args": _args,
    "result": _result,
}
"""One per key, in the order in which they are asked: cheap first, values last."""

_NEEDS = {
    "args": "args",
    "result": "result",
    "status": "status",
    "agent": "agent",
    "latency_ms": "latency",
    "cost_usd": "cost",
}
_EVIDENCE = {
    **_NEEDS,
    "args": "arguments",
    "tool": "arguments",
    "label": "arguments",
    "mutating": "arguments",
}
"""What is missing where a key is unsure; name, labels and marks are, where a dispatcher's arguments would tell them."""
