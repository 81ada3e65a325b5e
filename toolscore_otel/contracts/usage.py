"""What a contract's rules and tools were ever about: a rule that no call ever matched proves nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import UNSET, structs

from toolscore_otel.contracts.contract import Contract
from toolscore_otel.contracts.mentions import mentions
from toolscore_otel.contracts.notes import nearest
from toolscore_otel.matchers import Answer, JudgedCall, Selector, SelectorFields
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import CallKind, ToolCall
from toolscore_otel.rules import Compiled
from toolscore_otel.rules.allow_only import AllowOnly

_OWN = {field.name: field.type for field in structs.fields(SelectorFields)}
_ABOUT = ("then", "never", "sequence", "calls", "tools")
"""Keys of a rule, beside those of a selector, that say which calls it judges or expects."""


class Usage:
    """Which rules and tools of one contract calls were matched by.

    Attributes:
        recorded: names under which calls came, with how often each did; those of cases aside.
    """

    def __init__(self, contract: Contract) -> None:
        """Nothing was seen yet."""
        self._contract = contract
        self._rules = {rule.record.id or "": _about(rule) for rule in contract.rules}
        self._unmatched = dict.fromkeys(self._rules)
        self._uncalled = dict.fromkeys(contract.tools)
        self._mentions = [one for rule in contract.rules for one in mentions(rule.record)]
        self._strange: dict[str, bool] = {}
        self._called: set[str] = set()
        self.recorded: dict[str, int] = {}

    def spoke(self, rule: str) -> None:
        """A rule had something to say."""
        self._unmatched.pop(rule, None)

    def see(self, call: ToolCall, *, is_recorded: bool) -> None:
        """A call, of a case or of a recording."""
        if not self._contract.sees_call(call):
            return
        judged = self._contract.judge(call)
        for rule in list(self._unmatched):
            about = self._rules[rule]
            if not about or _is_matched(about, judged):
                del self._unmatched[rule]
        if is_recorded:
            self._called.update(judged.names)
            for name in judged.names:
                self._uncalled.pop(name, None)
            self.recorded[judged.call.tool] = self.recorded.get(judged.call.tool, 0) + 1
            name = judged.call.tool
            if judged.call.kind is CallKind.TOOL and name not in self._strange:
                is_known = name in self._contract.tools
                self._strange[name] = not (is_known or _is_matched(self._mentions, judged))

    def unmatched(self) -> Iterator[tuple[str, str | None]]:
        """Rules that no call ever matched, each with a recorded name that is near to one of its tools."""
        for rule in self._unmatched:
            names = [name for one in self._rules[rule] for name in sorted(one.tools or ())]
            near = (nearest(name, self.recorded) for name in names if name not in self.recorded)
            yield rule, next((name for name in near if name), None)

    def uncalled(self) -> Iterator[tuple[str, str | None]]:
        """Tools of the registry of which no recorded call is, each with a recorded name that is near to it.

        Of names that only stand in rules those of which there is one, where that is not said of the rule.
        """
        strange = self.unknown()
        for name in self._uncalled:
            yield name, nearest(name, strange)
        told = {
            name
            for rule in self._unmatched
            for one in self._rules[rule]
            for name in one.tools or ()
        }
        named = {name for one in self._mentions for name in one.tools or ()}
        for name in sorted(named - told - self._contract.tools.keys() - self._called):
            if (near := nearest(name, strange)) is not None:
                yield name, near

    def unknown(self) -> list[str]:
        """Recorded tools that the contract mentions nowhere; a handoff or an agent is none."""
        return [name for name in self.recorded if self._strange.get(name)]


def _is_matched(about: Iterable[Selector], call: JudgedCall) -> bool:
    return any(one.match(call) is not Answer.NO for one in about)


def _about(rule: Compiled) -> tuple[Selector, ...]:
    """Selectors of the calls that a rule is about; none where it is about whatever there is."""
    record: Any = rule.record
    if isinstance(record, AllowOnly):
        return ()
    found: list[Selector] = []
    fields = {field.name: field.type for field in structs.fields(type(rule.record))}
    own = {
        k: v
        for k, t in _OWN.items()
        if fields.get(k) == t and (v := getattr(record, k)) is not UNSET
    }
    if own:
        found.append(Selector.of(own, default_stage="any"))
    for key in _ABOUT:
        value = getattr(record, key, UNSET)
        entries: list[Any] = list(value) if is_list(value) else [value]
        selectors = (one for one in entries if isinstance(one, str) or is_mapping(one))
        found += (Selector.of(one, default_stage="any") for one in selectors)
    return tuple(found)
