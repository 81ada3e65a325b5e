"""`override` and `waive`: what a contract changes of rules, by the path of the rule (docs/pages/clauses/building.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from msgspec import Struct

from toolscore_otel.contracts.language import OverrideEntry, WaiveEntry
from toolscore_otel.contracts.notes import Notes, listed, unknown
from toolscore_otel.contracts.selectors import selector_problems
from toolscore_otel.contracts.tree import Document, Path
from toolscore_otel.errors import Location, clip
from toolscore_otel.matchers import MatcherError, Selector
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.rules import CLAUSES
from toolscore_otel.rules.intake import Excuses
from toolscore_otel.rules.waiver import Waiver

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


class Override(Struct, frozen=True):
    """One entry of `override`, and where it stands."""

    entry: OverrideEntry
    where: Location


class Changes(Struct, frozen=True):
    """What is changed of rules, by their paths.

    Attributes:
        overrides: in the order in which they apply.
        waivers: of one rule, those that it inherited first.
    """

    overrides: Mapping[Path, tuple[Override, ...]] = {}
    waivers: Mapping[Path, tuple[Waiver, ...]] = {}

    def is_disabled(self, rule: Path) -> bool:
        """Whether the rule is left out; the last that says something of it wins."""
        said = [change.entry.disabled for change in self.overrides.get(rule, ())]
        return next((word for word in reversed(said) if word is not None), False)

    def all_waivers(self) -> tuple[Waiver, ...]:
        """Of the rules that are not left out."""
        pairs = self.waivers.items()
        return tuple(one for rule, some in pairs if not self.is_disabled(rule) for one in some)

    def followed_by(self, own: Changes) -> Changes:
        """These, and then those of a contract on top."""
        return Changes(
            {
                rule: (*self.overrides.get(rule, ()), *own.overrides.get(rule, ()))
                for rule in {**self.overrides, **own.overrides}
            },
            {
                rule: (*self.waivers.get(rule, ()), *own.waivers.get(rule, ()))
                for rule in {**self.waivers, **own.waivers}
            },
        )


def rules_of(document: Document) -> dict[str, Path]:
    """Id -> path of every rule of a contract, as far as its clauses can be read."""
    found: dict[str, Path] = {}
    for clause in CLAUSES:
        try:
            for item in (
                clause.items(document.data[clause.key]) if clause.key in document.data else ()
            ):
                given = item.data.get("id")
                found.setdefault(
                    given if isinstance(given, str) else item.id, (clause.key, *item.path)
                )
        except MatcherError:
            continue  # is said where the clause is read
    return found


def is_replaced(rule: Path, own: Document) -> bool:
    """Whether a contract on top writes an inherited rule anew: a key of a clause that is a mapping of rules."""
    return len(rule) > 1 and is_mapping(clause := own.data.get(rule[0])) and rule[1] in clause


class Changing:
    """Reads what one contract changes; what is wrong is noted.

    Args:
        inherited: rules of what it extends, by id, those aside that it writes anew; None where it extends nothing.
        rules: all its rules, by id.
        notes: of its own document.
    """

    def __init__(
        self, inherited: Mapping[str, Path] | None, rules: Mapping[str, Path], notes: Notes
    ) -> None:
        self._inherited = inherited
        self._rules = rules
        self._notes = notes

    def overrides(self, entries: Mapping[str, OverrideEntry]) -> Changes:
        """Those of `override`."""
        if self._inherited is None:
            if entries:
                message = (
                    "`override` changes rules of a contract that is extended: `extends` is missing"
                )
                self._notes.error(("override",), message)
            return Changes()
        found: dict[Path, tuple[Override, ...]] = {}
        for rule_id, entry in entries.items():
            at: Path = ("override", rule_id)
            rule = self._inherited.get(rule_id)
            if rule is None:
                self._notes.error(at, self._no_inherited(rule_id, self._inherited))
            elif self._is_usable(entry, at):
                found[rule] = (Override(entry, self._notes.document.where(at)),)
        return Changes(overrides=found)

    def waivers(self, entries: list[WaiveEntry], known: Changes) -> Changes:
        """Those of `waive`.

        Args:
            entries: as written.
            known: what is changed of the rules already.
        """
        found: dict[Path, tuple[Waiver, ...]] = {}
        for number, entry in enumerate(entries):
            at: Path = ("waive", number)
            rule = self._rules.get(entry.rule)
            waiver = self._waiver(entry, at)
            if rule is None:
                message = unknown("rule", entry.rule, self._rules, where="this contract")
                self._notes.error((*at, "rule"), message)
            elif known.is_disabled(rule):
                message = f"the rule `{clip(entry.rule)}` is disabled: nothing of it can be waived"
                self._notes.error((*at, "rule"), message)
            elif waiver is not None:
                found[rule] = (*found.get(rule, ()), waiver)
        return Changes(waivers=found)

    def _no_inherited(self, rule_id: str, inherited: Mapping[str, Path]) -> str:
        if rule_id in self._rules:
            return f"the rule `{clip(rule_id)}` is this contract's own: change it where it stands"
        return unknown("rule", rule_id, inherited, where="what is extended")

    def _is_usable(self, entry: OverrideEntry, at: Path) -> bool:
        if entry == OverrideEntry():
            keys = listed(OverrideEntry.__struct_fields__)
            self._notes.error(at, f"changes nothing: give one of {keys}")
            return False
        try:
            Excuses(entry.unless)
        except MatcherError as error:
            self._notes.error((*at, *error.path), str(error))
            return False
        return True

    def _waiver(self, entry: WaiveEntry, at: Path) -> Waiver | None:
        before = len(self._notes.problems)
        if not entry.owner.strip():
            self._notes.error((*at, "owner"), "`owner` says who answers for the waiver")
        until = _date(entry.until)
        if until is None:
            message = f"`until` is a date such as `2026-03-31`, not `{clip(entry.until)}`"
            self._notes.error((*at, "until"), message)
        for problem in selector_problems(entry):
            self._notes.error((*at, *problem.path), str(problem))
        if until is None or len(self._notes.problems) > before:
            return None
        try:
            selector = Selector.of(entry, default_stage="any")
        except MatcherError as error:  # no key at all
            self._notes.error(at, error.message)
            return None
        return Waiver(
            rule=entry.rule,
            owner=entry.owner.strip(),
            until=until,
            where=self._notes.document.where(at),
            selector=selector,
            reason=entry.reason,
        )


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:  # 30 February
        return None


def shifted(changes: Changes, offset: Mapping[str, int]) -> Changes:
    """The changes of a contract whose rules now follow on others.

    Args:
        changes: of a contract that stood alone.
        offset: clause -> how many rules stand before its own.
    """
    return Changes(
        {_moved(rule, offset): entries for rule, entries in changes.overrides.items()},
        {_moved(rule, offset): entries for rule, entries in changes.waivers.items()},
    )


def _moved(rule: Path, offset: Mapping[str, int]) -> Path:
    key, *rest = rule
    if rest and isinstance(rest[0], int):
        return (key, rest[0] + offset.get(str(key), 0), *rest[1:])
    return rule
