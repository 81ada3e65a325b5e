"""Files of secret patterns, as gitleaks has them (contract language, section 13): TOML -> plain data.

Read of a rule: `id`, `regex`, `secretGroup`, `entropy`, `keywords`, and `allowlist` or `allowlists`, of which there may be
some for all rules. What looks at files and commits (`path`, `paths`, `commits`) has no meaning in a tool call: a rule that
is about nothing else is passed over, an allow list simply never holds for it.

Source:
    gitleaks, README, "Configuration".
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from msgspec import structs

from toolscore_otel.contracts.source import MAX_BYTES
from toolscore_otel.errors import ConfigError, ContractError, Location, Problem, clip
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.secrets import KINDS
from toolscore_otel.secrets.patterns import Exempt, OwnPattern, Patterns

_RULE = re.compile(r"^[ \t]*\[\[\s*rules\s*\]\]", re.MULTILINE)
_AT_LINE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_TARGETS: dict[str, Literal["match", "line"]] = {"match": "match", "line": "line"}
_NAME_CHARS = 64


def read_pattern_file(path: Path, name: str) -> tuple[OwnPattern, ...]:
    """The patterns of a file.

    Args:
        path: where it is.
        name: as the user named it, for messages.

    Returns:
        One for each rule, called by its `id`; where that is a kind of ours, by `FILE.ID`.

    Raises:
        ContractError: it cannot be read, or holds what cannot be used; every problem has its line.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise _error(name, None, f"cannot be read: {why}") from error
    if len(content) > MAX_BYTES:
        raise _error(name, None, f"is larger than {MAX_BYTES} bytes")
    try:
        text = content.decode("utf-8-sig")
        data = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise _error(name, content.count(b"\n", 0, error.start) + 1, "is not UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = int(found[1]) if found and found[1] else None
        raise _error(name, line, f"is no TOML: {clip(_AT_LINE.sub('', str(error)))}") from error
    return _Reading(text, name, path.stem).patterns(data)


def _error(name: str, line: int | None, message: str) -> ContractError:
    return ContractError([Problem(Location(name, line), message)])


class _Reading:
    """Reads one file."""

    def __init__(self, text: str, name: str, stem: str) -> None:
        self._name = name
        self._stem = _NOT_IN_NAME.sub("_", stem)
        self._lines = [text.count("\n", 0, at.start()) + 1 for at in _RULE.finditer(text)]
        self._problems: list[Problem] = []

    def patterns(self, data: Mapping[str, Any]) -> tuple[OwnPattern, ...]:
        if "extend" in data:
            self._wrong(None, "`extend` is not read: name all files in `pattern_files`")
        rules = data.get("rules")
        if not is_list(rules) or not rules:
            self._wrong(None, "holds no `[[rules]]`")
            rules = []
        for_all = tuple(self._exempts(data, None))
        found: dict[str, OwnPattern] = {}
        for number, rule in enumerate(rules):
            line = self._lines[number] if number < len(self._lines) else None
            pattern = self._pattern(rule, line)
            if pattern is None:
                continue
            if pattern.name in found:
                self._wrong(line, f"the rule `{pattern.name}` stands twice")
            found[pattern.name] = structs.replace(pattern, exempt=(*pattern.exempt, *for_all))
        if self._problems:
            raise ContractError(self._problems)
        return tuple(found.values())

    def _pattern(self, rule: Any, line: int | None) -> OwnPattern | None:
        if is_mapping(rule) and "path" in rule and "regex" not in rule:
            return None
        before = len(self._problems)
        name = self._text(rule, "id", line)
        regex = self._text(rule, "regex", line)
        if len(self._problems) > before:
            return None
        if name in KINDS:
            name = f"{self._stem}.{name}"
        pattern = OwnPattern(
            name=name[:_NAME_CHARS],
            regex=regex,
            group=self._number(rule, "secretGroup", line, int),
            keywords=self._texts(rule, "keywords", line),
            entropy=self._number(rule, "entropy", line, int | float),
            exempt=tuple(self._exempts(rule, line)),
        )
        try:
            Patterns([pattern])
        except ConfigError as error:
            self._wrong(line, str(error))
            return None
        if not pattern.group and "secretGroup" not in rule and _has_group(pattern):
            return structs.replace(pattern, group=1)
        return pattern

    def _exempts(self, holder: Mapping[str, Any], line: int | None) -> Iterator[Exempt]:
        lists = holder.get("allowlists", [])
        if "allowlist" in holder:
            lists = [holder["allowlist"]]
        if not is_list(lists) or not all(map(is_mapping, lists)):
            self._wrong(line, "`allowlist` is a table, `allowlists` are `[[...]]` of them")
            return
        for each in lists:
            every = str(each.get("condition", "OR")).upper() in {"AND", "&&"}
            if every and ("paths" in each or "commits" in each):
                continue
            exempt = Exempt(
                regexes=self._texts(each, "regexes", line),
                stopwords=tuple(w.lower() for w in self._texts(each, "stopwords", line)),
                target=_TARGETS.get(str(each.get("regexTarget")), "secret"),
                all_of=every,
            )
            if self._compiles(exempt, line):
                yield exempt

    def _compiles(self, exempt: Exempt, line: int | None) -> bool:
        try:
            Patterns([OwnPattern("allowlist", "x", exempt=(exempt,))])
        except ConfigError as error:
            self._wrong(line, str(error))
            return False
        return True

    def _text(self, rule: Any, key: str, line: int | None) -> str:
        value = rule.get(key) if is_mapping(rule) else None
        if isinstance(value, str) and value:
            return value
        self._wrong(line, f"a rule needs the key `{key}`, a text")
        return ""

    def _texts(self, holder: Mapping[str, Any], key: str, line: int | None) -> tuple[str, ...]:
        value = holder.get(key, [])
        if is_list(value) and all(isinstance(each, str) for each in value):
            return tuple(value)
        self._wrong(line, f"`{key}` must be a list of texts")
        return ()

    def _number(self, rule: Mapping[str, Any], key: str, line: int | None, kind: Any) -> Any:
        value = rule.get(key, 0)
        if isinstance(value, kind) and not isinstance(value, bool) and value >= 0:
            return value
        self._wrong(line, f"`{key}` must be a number, 0 or more")
        return 0

    def _wrong(self, line: int | None, message: str) -> None:
        self._problems.append(Problem(Location(self._name, line), message))


def _has_group(pattern: OwnPattern) -> bool:
    """Whether its expression has any group, of which the first is then the secret."""
    try:
        Patterns([structs.replace(pattern, group=1)])
    except ConfigError:
        return False
    return True
