"""The clauses of a contract as written -> rules, compiled. What a contract leaves out is filled in before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any, cast

from msgspec import structs

from toolscore_otel.contracts.decode import decode
from toolscore_otel.contracts.files import SchemaFiles, with_schemas
from toolscore_otel.contracts.language import Head, later
from toolscore_otel.contracts.notes import Notes
from toolscore_otel.contracts.tree import Path
from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.matchers import MatcherError, Selector, SelectorFields, parse
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json, Scope
from toolscore_otel.rules import CLAUSES, Clause, Compiled, Item, RuleFields, RuleRecord

_SELECTOR_TYPES = {field.name: field.type for field in structs.fields(SelectorFields)}
_MATCHED = frozenset({"args", "result"})


def read_rules(
    data: Mapping[str, Json], head: Head, notes: Notes, files: SchemaFiles
) -> tuple[Compiled, ...]:
    """The rules of all clauses of a contract, in the order of `CLAUSES`; those with a problem are noted."""
    rules: list[Compiled] = []
    ids: dict[str, Path] = {}
    for clause in CLAUSES:
        if clause.key not in data:
            continue
        for item in _items(clause, data[clause.key], notes, files):
            path = (clause.key, *item.path)
            record = decode(clause.record, item.data, path, notes, called=f"`{clause.key}`")
            if record is None:
                continue
            record = _filled(record, item, head)
            _check_id(record, path, ids, notes)
            rules += _compiled(record, item.data, path, notes)
    return tuple(rules)


def _items(clause: Clause, data: Json, notes: Notes, files: SchemaFiles) -> Iterator[Item]:
    try:
        whole = with_schemas(data, files)
    except MatcherError as error:
        notes.error((clause.key, *error.path), str(error))
    else:
        yield from _split(clause, whole, 0, notes)


def _split(clause: Clause, data: Json, skipped: int, notes: Notes) -> Iterator[Item]:
    """The items of a clause, past those that are none: `skipped` entries of the list stand before `data`."""
    try:
        for item in clause.items(data):
            yield structs.replace(item, path=_further(item.path, skipped))
    except MatcherError as error:
        notes.error((clause.key, *_further(error.path, skipped)), error.message)
        bad = error.path[0] if error.path else None
        if isinstance(bad, int) and is_list(data) and (rest := data[bad + 1 :]):
            yield from _split(clause, rest, skipped + bad + 1, notes)


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


def _compiled(record: RuleFields, data: Json, path: Path, notes: Notes) -> Iterator[Compiled]:
    if record.scope is Scope.SESSION:
        notes.error(notes.place_of(path, ("scope",)), later("scope: session"))
        return
    problems = list(_selector_problems(record))
    if not problems:
        try:
            yield cast(RuleRecord, record).compile()
        except MatcherError as error:
            problems = [error]
        except ConfigError as error:
            problems = [MatcherError(_named_in(str(error), data), str(error))]
    for problem in problems:
        place = notes.place_of(path, problem.path)
        notes.error(place, _said(problem, path, place))


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


def _selector_problems(record: RuleFields) -> Iterator[MatcherError]:
    """Everything that is wrong in a rule's own selector; compiling would stop at the first."""
    for field in structs.fields(type(record)):
        value: Any = getattr(record, field.name)
        if _SELECTOR_TYPES.get(field.name) != field.type or value is _unset(field):
            continue
        if field.name in _MATCHED:
            found = [error.below(field.name) for error in _matcher_problems(value)]
            yield from found
            if found:
                continue
        try:
            Selector.of({field.name: value})
        except MatcherError as error:
            yield error


def _unset(field: structs.FieldInfo) -> object:
    return field.default


def _matcher_problems(data: Json) -> Iterator[MatcherError]:
    """Everything that is wrong in a matcher: plain keys and elements are looked at one by one."""
    members: list[tuple[Any, Json]] = []
    if is_mapping(data) and not any(str(key).startswith("$") for key in data):
        members = list(data.items())
    elif is_list(data):
        members = list(enumerate(data))
    if not members:
        try:
            parse(data)
        except MatcherError as error:
            yield error
    for step, value in members:
        for problem in _matcher_problems(value):
            yield problem.below(step)
