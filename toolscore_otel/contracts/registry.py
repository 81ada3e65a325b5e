"""What a contract's registry makes of a call: its name, whether it failed, what it cost, what is known of its tool.

A recorded name that equals a tool's name is that tool; else the first tool in file order of which an alias matches is
it. A dispatcher's call is named by the first word of one of its arguments (`exec` with `command: "git push"` is
`exec:git`). This runs on every call: what a recorded name means is looked up once.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

from msgspec import structs

from toolscore_otel.contracts.tools import ToolSpec
from toolscore_otel.matchers import ABSENT, UNKNOWN, Answer, CutText, JudgedCall, observed
from toolscore_otel.matchers.observed import observed_result
from toolscore_otel.matchers.path import match_at
from toolscore_otel.matchers.value import HIDDEN, Value, seen
from toolscore_otel.model import (
    CostSource,
    Gap,
    Payload,
    Stage,
    Status,
    ToolCall,
    ToolSchema,
)

KNOWN_NAMES = 10_000
"""Recorded names of which the meaning is kept; they come from outside."""

_UNSEEN = (UNKNOWN, HIDDEN)


class Registry:
    """Looks calls up in the `tools` of one contract. Safe to share between threads: it only ever remembers."""

    def __init__(self, tools: Mapping[str, ToolSpec]) -> None:
        """A registry.

        Args:
            tools: by canonical name, in file order; the first whose alias matches wins.
        """
        self._tools = tools
        self._schemas = {
            name: ToolSchema(spec.parameters)
            for name, spec in tools.items()
            if spec.parameters is not None
        }
        self._known: dict[str, ToolSpec | None] = {}

    def judge(self, call: ToolCall) -> JudgedCall:
        """The call as the contract sees it; without a registry entry, the call as it is."""
        if not self._tools:
            return JudgedCall(call)
        recorded = call.recorded_name or call.tool
        spec = self._spec(recorded)
        if spec is None:
            return JudgedCall(call)
        word = _first_word(call, spec) if spec.name_from is not None else None
        names = dict.fromkeys((spec.name, recorded))
        if isinstance(word, str):
            dispatched = f"{spec.name}:{word}"
            names = {dispatched: None, **names}
            spec = self._tools.get(dispatched, spec)
        sure, maybe, mutating = (
            self._whatever_it_ran(spec)
            if word is UNKNOWN
            else (spec.labels, frozenset[str](), spec.mutating)
        )
        return JudgedCall(
            _changed(call, next(iter(names)), recorded, spec),
            names=tuple(names),
            dispatcher=spec.name if word is UNKNOWN else None,
            dispatches=word is not None,
            parameters=self._schemas.get(spec.name),
            labels=sure,
            maybe_labels=maybe,
            mutating=mutating,
            polling=spec.polling,
            timeout_ms=spec.timeout_ms,
        )

    def _whatever_it_ran(
        self, spec: ToolSpec
    ) -> tuple[frozenset[str], frozenset[str], bool | None]:
        """What is so whichever sub-command ran, and what may be so: sure labels, possible ones, mutating."""
        prefix = f"{spec.name}:"
        entries = [spec, *(tool for name, tool in self._tools.items() if name.startswith(prefix))]
        sure, maybe = spec.labels, spec.labels
        for entry in entries:
            sure, maybe = sure & entry.labels, maybe | entry.labels
        marks = {entry.mutating for entry in entries}
        return sure, maybe, marks.pop() if len(marks) == 1 else None

    def _spec(self, recorded: str) -> ToolSpec | None:
        if recorded in self._known:
            return self._known[recorded]
        found = self._tools.get(recorded)
        if found is None:
            tools = self._tools.values()
            found = next(
                (s for s in tools if any(fnmatchcase(recorded, a) for a in s.aliases)), None
            )
        if len(self._known) < KNOWN_NAMES:
            self._known[recorded] = found
        return found


def _changed(call: ToolCall, tool: str, recorded: str, spec: ToolSpec) -> ToolCall:
    """The call with what the registry says of it; the same object where it says nothing new."""
    changes: dict[str, object] = {}
    if tool != call.tool:
        changes |= {"tool": tool, "recorded_name": recorded}
    if spec.fails_when is not None and call.status is not Status.ERROR:
        result = observed_result(call.result_state, call.result, call.result_text)
        if spec.fails_when.match(result) is Answer.YES:
            changes["status"] = Status.ERROR
    if (cost := _cost(call, spec)) is not None:
        gaps = tuple(gap for gap in call.gaps if gap is not Gap.COST_NOT_KNOWN)
        changes |= {"cost_usd": cost, "cost_source": CostSource.CONTRACT, "gaps": gaps}
    return structs.replace(call, **changes) if changes else call


def _cost(call: ToolCall, spec: ToolSpec) -> float | None:
    """What the registry says that it cost; None where it says nothing, or the telemetry knows better."""
    is_reported = call.cost_usd is not None and call.cost_source is not CostSource.PRICED
    if spec.cost_per_call_usd is None or is_reported or call.stage is not Stage.EXECUTED:
        return None
    if not spec.cost_per_second_usd:
        return spec.cost_per_call_usd
    duration = call.duration_s
    if duration is None:
        return None
    return spec.cost_per_call_usd + spec.cost_per_second_usd * duration


class _Pick:
    """A matcher that only remembers what it was shown."""

    def __init__(self) -> None:
        self.value: Value = UNKNOWN

    def match(self, value: Value) -> Answer:
        """Remembers."""
        self.value = value
        return Answer.YES

    def describe(self) -> str:  # pragma: no cover - part of every matcher
        """Never asked for."""
        return "is anything"


def _first_word(call: ToolCall, spec: ToolSpec) -> Value:
    """The sub-command: a text; UNKNOWN where it was not observed; None where there is known to be none."""
    pick = _Pick()
    args = observed(Payload(call.args_state, call.args, call.args_text))
    match_at(args, spec.name_from or (), pick)
    value = seen(pick.value)
    if isinstance(value, CutText):
        words = value.prefix.split(maxsplit=1)
        is_whole = len(words) > 1 or (words and value.prefix[-1].isspace())
        return words[0] if is_whole else UNKNOWN
    if value in _UNSEEN or value is ABSENT:
        return None if value is ABSENT else UNKNOWN
    words = value.split(maxsplit=1) if isinstance(value, str) else []
    return words[0] if words else None
