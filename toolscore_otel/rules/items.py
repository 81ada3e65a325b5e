"""From a clause as written to its rule items, and from a rule record to its selector."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from toolscore_otel.matchers import SELECTOR_KEYS, MatcherError, Selector, SelectorFields
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.rules.shape import Item


def selector_items(clause: str, data: object) -> Iterator[Item]:
    """The items of a clause that is a list of selectors with keys; a text is short for `{tool: TEXT}`.

    Raises:
        MatcherError: the clause is no list, or empty, or an item is neither text nor mapping.
    """
    if not is_list(data):
        raise MatcherError((), f"`{clause}` takes a list of rules")
    if not data:
        raise MatcherError((), f"`{clause}` is an empty list: leave it out, or give a rule")
    for number, entry in enumerate(data, start=1):
        item: object = {"tool": entry} if isinstance(entry, str) else entry
        if not is_mapping(item):
            raise MatcherError((number - 1,), f"a rule of `{clause}` is a tool's name or a mapping")
        yield Item(f"{clause}.{number}", (number - 1,), item)


def selector_keys(record: SelectorFields, but: tuple[str, ...] = ()) -> dict[str, object]:
    """The selector keys that a record gives."""
    pairs = ((key, getattr(record, key)) for key in SELECTOR_KEYS if key not in but)
    return {key: value for key, value in pairs if value is not UNSET}


def selectors_of(entries: list[object], *, default_stage: str) -> list[Selector]:
    """Selectors of a list.

    Raises:
        MatcherError: an entry that is none; its path begins with the entry's place.
    """
    found: list[Selector] = []
    for number, entry in enumerate(entries):
        try:
            found.append(Selector.of(entry, default_stage=default_stage))  # type: ignore[arg-type]
        except MatcherError as error:
            raise error.below(number) from error
    return found


def selector_of(
    record: SelectorFields, *, default_stage: str, but: tuple[str, ...] = ()
) -> Selector:
    """The selector of a record's own keys.

    Raises:
        MatcherError: no key at all, or a key that says nothing, with its path.
    """
    return Selector.of(selector_keys(record, but), default_stage=default_stage)
