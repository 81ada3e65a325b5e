"""What a contract says of itself, read; its clauses are read elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolscore_otel.contracts.decode import decode, shown
from toolscore_otel.contracts.language import ID_PATTERN, LANGUAGE, AppliesTo, AppliesToEntry, Head
from toolscore_otel.contracts.notes import Notes
from toolscore_otel.matchers import Matcher, MatcherError, parse
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json

_ID = re.compile(ID_PATTERN, re.ASCII)


def is_readable(data: Json, notes: Notes) -> bool:
    """Whether it is a contract in a language that is known; else that is noted."""
    if not is_mapping(data):
        notes.error((), f"a contract is a mapping of keys, not {shown(data)}")
        return False
    language = data.get("language")
    if not isinstance(language, int) or isinstance(language, bool) or language <= LANGUAGE:
        return True
    message = f"the contract is written in language {language}, and this version reads {LANGUAGE}"
    notes.error(("language",), message)
    return False


def read_head(data: Mapping[str, Json], notes: Notes) -> Head:
    """What a contract says of itself; where that is wrong, something to go on with."""
    if "language" not in data and "contract" in data:
        notes.warn((), f"`language` is left out: write `language: {LANGUAGE}`")
    given = {key: data[key] for key in Head.__struct_fields__ if key in data}
    if isinstance(name := given.get("contract"), str) and not _ID.fullmatch(name):
        message = "`contract` is an id of small letters, digits, `.`, `_` and `-`, not "
        notes.error(("contract",), message + shown(name))
    head = decode(Head, given, (), notes, called="a contract")
    if head is None:
        tools = given.get("tools")
        return Head(contract="", tools=dict(tools) if is_mapping(tools) else {})
    if head.language < 1:
        notes.error(("language",), f"`language` is {LANGUAGE}")
    for key in ("service", "agent", "environment"):
        globs: object = getattr(head.applies_to, key)
        if not globs or (is_list(globs) and "" in globs):
            notes.error(("applies_to", key), f"`{key}` holds nothing, so that nothing is seen")
    return head


def applies_to(entry: AppliesToEntry, notes: Notes) -> AppliesTo:
    """What a contract sees; matchers that are none are noted."""
    matchers: dict[str, Matcher] = {}
    for key, written in entry.attributes.items():
        if written == "*":  # whatever it is, or none
            continue
        try:
            matchers[key] = parse(written)
        except MatcherError as error:
            notes.error(("applies_to", "attributes", key, *error.path), str(error.below(key)))
    return AppliesTo(
        service=entry.service,
        agent=entry.agent,
        environment=entry.environment,
        attributes=matchers,
    )
