"""The clauses of a contract as written -> rules, compiled. What a contract leaves out is filled in before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import cast

from msgspec import UNSET, structs

from toolscore_otel.contracts.changes import Changes
from toolscore_otel.contracts.decode import decode
from toolscore_otel.contracts.language import Head, OverrideEntry
from toolscore_otel.contracts.notes import Notes
from toolscore_otel.contracts.selectors import selector_problems
from toolscore_otel.contracts.telling import problem
from toolscore_otel.contracts.tree import Path
from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.matchers import MatcherError
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json
from toolscore_otel.rules import CLAUSES, Clause, Compiled, Item, RuleFields, RuleRecord
from toolscore_otel.rules.waiver import excused, waived


def read_rules(
    data: Mapping[str, Json], head: Head, changes: Changes, notes: Notes
) -> tuple[Compiled, ...]:
    """The rules of all clauses of a contract, in the order of `CLAUSES`; those with a problem are noted."""
    rules: list[Compiled] = []
    ids: dict[str, Path] = {}
    for clause in CLAUSES:
        for item in _split(clause, data[clause.key], 0, notes) if clause.key in data else ():
            path = (clause.key, *item.path)
            record = decode(clause.record, item.data, path, notes, called=f"`{clause.key}`")
            if record is None:
                continue
            record = _filled(record, item, head)
            _check_id(record, path, ids, notes)
            rule = _compiled(record, item.data, path, notes)
            if rule is not None and not changes.is_disabled(path):
                rules.append(_changed(rule, path, changes, notes))
    return tuple(rules)


def _split(clause: Clause, data: Json, skipped: int, notes: Notes) -> Iterator[Item]:
    """The items of a clause, past those that are none: `skipped` entries of the list stand before `data`."""
    try:
        for item in clause.items(data):
            yield _further_on(item, clause.key, skipped)
    except MatcherError as error:
        notes.error((clause.key, *_further(error.path, skipped)), error.message)
        bad = error.path[0] if error.path else None
        if isinstance(bad, int) and is_list(data) and (rest := data[bad + 1 :]):
            yield from _split(clause, rest, skipped + bad + 1, notes)


def _further_on(item: Item, key: str, skipped: int) -> Item:
    if not skipped:
        return item
    path = _further(item.path, skipped)
    return structs.replace(item, path=path, id=f"{key}.{int(path[0]) + 1}")


def _further(path: Path, skipped: int) -> Path:
    if path and isinstance(path[0], int):
        return (path[0] + skipped, *path[1:])
    return path


def _filled(record: RuleFields, item: Item, head: Head) -> RuleFields:
    """The rule with the contract's defaults."""
    return structs.replace(
        record,
        id=item.id if record.id is None else record.id,
        severity=record.severity or head.severity,
        shadow=head.shadow if record.shadow is None else record.shadow,
        scope=record.scope or head.scope,
    )


def _check_id(record: RuleFields, path: Path, ids: dict[str, Path], notes: Notes) -> None:
    rule_id = record.id or ""
    place = notes.place_of(path, ("id",))
    if not rule_id.strip() or not rule_id.isprintable():
        notes.error(place, "a rule's `id` is a word or a few, on one line")
    elif rule_id in ids:
        line = notes.document.where(ids[rule_id]).line
        first = "" if line is None else f", first on line {line}"
        notes.error(place, f"the rule id `{clip(rule_id)}` stands twice in this contract{first}")
    ids.setdefault(rule_id, place)


def _compiled(record: RuleFields, data: Json, path: Path, notes: Notes) -> Compiled | None:
    problems = list(selector_problems(record))
    if not problems:
        try:
            return _compile(record)
        except MatcherError as error:
            problems = [error]
        except ConfigError as error:
            problems = [MatcherError(_named_in(str(error), data), str(error))]
    for one in problems:
        place = notes.place_of(path, one.path)
        notes.error(place, _said(one, path, place))
    return None


def _compile(record: RuleFields) -> Compiled:
    return cast(RuleRecord, record).compile()


def _changed(rule: Compiled, path: Path, changes: Changes, notes: Notes) -> Compiled:
    """The rule as `override` and `waive` have it."""
    for change in changes.overrides.get(path, ()):
        try:
            rule = _overridden(rule.record, change.entry)
        except MatcherError as error:
            notes.problems.append(problem(change.where, f"`unless`: {error.message}"))
    waivers = changes.waivers.get(path, ())
    if not waivers:
        return rule
    try:
        return waived(rule, excused(rule.record, waivers, _compile), waivers)
    except MatcherError as error:
        message = f"`waive` excuses calls as `unless` does: {error.message}"
        notes.problems.append(problem(waivers[-1].where, message))
        return rule


def _overridden(record: RuleFields, entry: OverrideEntry) -> Compiled:
    changed = structs.replace(
        record,
        severity=entry.severity or record.severity,
        shadow=record.shadow if entry.shadow is None else entry.shadow,
        reason=entry.reason or record.reason,
    )
    if entry.unless is UNSET:
        return _compile(changed)
    added: list[object] = entry.unless if is_list(entry.unless) else [entry.unless]
    return excused(changed, added, _compile)


def _said(problem: MatcherError, path: Path, place: Path) -> str:
    """The message, with the steps from the rule to what is wrong unless it names them itself."""
    pairs = zip(path, place, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    steps = place[shared:] or (path[:1] if problem.path else ())
    if not steps or problem.message.startswith(f"`{steps[-1]}"):
        return problem.message
    return str(MatcherError(steps, problem.message))


def _named_in(message: str, data: Json, path: Path = ()) -> Path:
    """Where the text stands that a message names: secrets are compiled by a part that knows no paths."""
    for step, value in data.items() if is_mapping(data) else enumerate(data):
        if isinstance(value, str) and f"`{value}`" in message:
            return (*path, step)
        if isinstance(value, list | Mapping) and (
            found := _named_in(message, value, (*path, step))
        ):
            return found
    return ()
