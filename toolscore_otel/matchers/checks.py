"""One check per key of a selector: from what the contract says to a question on a call.

A builder takes the key's value and raises `MatcherError` where it makes no sense; what it returns is a small closure,
so that matching a call costs no look at the contract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from toolscore_otel.matchers.answer import NO, UNSURE, YES, Answer, yes_if
from toolscore_otel.matchers.error import MatcherError, unknown_word
from toolscore_otel.matchers.fields import KINDS, STAGES, STATUSES
from toolscore_otel.matchers.globs import compile_glob, is_glob, possible_from
from toolscore_otel.matchers.judged import JudgedCall
from toolscore_otel.matchers.matcher import Matcher
from toolscore_otel.matchers.value import UNKNOWN
from toolscore_otel.model import CallKind, Stage, Status

Check = Callable[[JudgedCall], Answer]

_EXECUTED = Stage.EXECUTED
_UNKNOWN_STATUS = Status.UNKNOWN


def words_of(value: object) -> tuple[str, ...]:
    """A word, or a list of at least one."""
    words: list[Any] = (
        list(cast("list[Any]", value)) if isinstance(value, (list, tuple)) else [value]
    )
    if not words or not all(isinstance(word, str) and word for word in words):
        raise MatcherError((), "must be a text, or a list of texts with something in it")
    return tuple(words)


def _known_words(what: str, value: object, known: tuple[str, ...]) -> tuple[str, ...]:
    words = words_of(value)
    for word in words:
        if word not in known:
            raise MatcherError((), unknown_word(what, word, known))
    return words


def literal_names(patterns: Iterable[str]) -> frozenset[str] | None:
    """The only tool names that can match; None where a glob can match others."""
    names = frozenset(patterns)
    return None if any(map(is_glob, names)) else names


def tool_check(patterns: tuple[str, ...]) -> Check:
    """Whether one of the call's names is one of these, or is like one of these globs."""
    names = frozenset(patterns)
    globs = tuple(compile_glob(pattern) for pattern in patterns if is_glob(pattern))

    def check(call: JudgedCall) -> Answer:
        for name in call.names:
            if name in names:
                return YES
        for name in call.names if globs else ():
            if any(glob.match(name) for glob in globs):
                return YES
        if call.dispatcher is not None:
            return _as_some_sub_command(patterns, call.dispatcher)
        return NO if call.call.tool else UNSURE  # no name was recorded: it may be any tool

    return check


def _as_some_sub_command(patterns: tuple[str, ...], dispatcher: str) -> Answer:
    """Whether the sub-command that was not observed could make it one of these names."""
    prefix = f"{dispatcher}:"
    possible = (pattern != prefix and possible_from(pattern, prefix) for pattern in patterns)
    return UNSURE if any(possible) else NO


def label_check(labels: tuple[str, ...]) -> Check:
    """Whether the registry gives it one of these labels."""
    wanted = frozenset(labels)

    def check(call: JudgedCall) -> Answer:
        if not wanted.isdisjoint(call.labels):
            return YES
        return NO if wanted.isdisjoint(call.maybe_labels) else UNSURE

    return check


def mutating_check(value: object) -> Check:
    """Whether the registry says that it changes something, or that it does not."""
    if not isinstance(value, bool):
        raise MatcherError((), "must be true or false")
    return lambda call: UNSURE if call.mutating is None else yes_if(call.mutating is value)


def stage_of(value: object) -> Stage | None:
    """How far it came; None where any stage will do."""
    if not isinstance(value, str):
        raise MatcherError((), f"must be one of {', '.join(STAGES)}")
    (word,) = _known_words("stage", value, STAGES)
    return None if word == "any" else Stage(word)


def kinds_of(value: object) -> tuple[CallKind, ...]:
    """Which sorts of tool it may have called."""
    return tuple(map(CallKind, _known_words("kind", value, KINDS)))


def status_check(value: object) -> Check:
    """How it ended; whether a call of unknown status is one of the other two is open."""
    wanted = tuple(map(Status, _known_words("status", value, STATUSES)))
    or_else = YES if _UNKNOWN_STATUS in wanted else UNSURE

    def check(call: JudgedCall) -> Answer:
        status = call.call.status
        if call.call.stage is _EXECUTED and status is not _UNKNOWN_STATUS:
            return YES if status in wanted else NO
        return or_else

    return check


def agent_check(value: object) -> Check | None:
    """Which agent called it; None for `*`, which every call matches.

    A call without an agent is unknown where its trace names none at all, and no where it names others.
    """
    if not isinstance(value, str) or not value:
        raise MatcherError((), "must be a text")
    if value == "*":
        return None
    pattern = compile_glob(value)

    def check(call: JudgedCall) -> Answer:
        agent = call.call.agent
        if agent is None:
            return NO if call.agents_named else UNSURE
        return yes_if(agent == value or pattern.match(agent) is not None)

    return check


def latency_check(matcher: Matcher) -> Check:
    """How long it took, in milliseconds."""

    def check(call: JudgedCall) -> Answer:
        one = call.call
        if one.stage is Stage.REQUESTED or one.start_ns is None or one.end_ns is None:
            return matcher.match(UNKNOWN)
        return matcher.match(max(0, one.end_ns - one.start_ns) / 1_000_000)

    return check


def cost_check(matcher: Matcher) -> Check:
    """What it cost, in USD."""

    def check(call: JudgedCall) -> Answer:
        cost = call.call.cost_usd
        return matcher.match(UNKNOWN if cost is None else cost)

    return check


def args_check(matcher: Matcher) -> Check:
    """What it was called with."""
    return lambda call: matcher.match(call.args)


def result_check(matcher: Matcher) -> Check:
    """What it gave back; a call that was only asked for has not given back anything yet."""
    return lambda call: matcher.match(call.result)
