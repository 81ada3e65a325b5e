"""Files of secret patterns, as gitleaks has them (docs/pages/clauses/secrets.md): TOML -> plain data.

Read of a rule: `id`, `regex`, `secretGroup`, `entropy`, `keywords`, and `allowlist` or `allowlists`, of which there may be
some for all rules or for those that `targetRules` names. What looks at files and commits (`path`, `paths`, `commits`) has no
meaning in a tool call: a rule that is about nothing else is passed over, as is one that reports nothing (`skipReport`); an
allow list simply never holds for it. What would find more without being read is refused: `extend`, `required`.

Source:
    gitleaks, README, "Configuration"; `config/config.go` and `detect/detect.go` for what the README leaves open.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from msgspec import structs

from toolscore_otel.contracts.source import MAX_BYTES
from toolscore_otel.contracts.telling import problem
from toolscore_otel.errors import ConfigError, ContractError, Location, Problem, clip
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.secrets import KINDS
from toolscore_otel.secrets.patterns import FIRST_GROUP, Exempt, OwnPattern, Patterns

_RULE = re.compile(r"^[ \t]*\[\[\s*rules\s*\]\]", re.MULTILINE)
_AT_LINE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_Meaning = TypeVar("_Meaning")
_TARGETS: Mapping[str, Literal["secret", "match", "line"]] = {
    "": "secret",
    "secret": "secret",
    "match": "match",
    "line": "line",
}
_CONDITIONS: Mapping[str, bool] = {"": False, "or": False, "||": False, "and": True, "&&": True}
_EXTEND = "`extend` is not read: save the rules that it names, also those of gitleaks itself, and name all files in `pattern_files`"
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
    return ContractError([problem(Location(name, line), message)])


class _Reading:
    """Reads one file."""

    def __init__(self, text: str, name: str, stem: str) -> None:
        self._name = name
        self._stem = _NOT_IN_NAME.sub("_", stem)
        self._lines = [text.count("\n", 0, at.start()) + 1 for at in _RULE.finditer(text)]
        self._problems: list[Problem] = []

    def patterns(self, data: Mapping[str, Any]) -> tuple[OwnPattern, ...]:
        if "extend" in data:
            self._wrong(None, _EXTEND)
        rules = data.get("rules")
        if not is_list(rules) or not rules:
            self._wrong(None, "holds no `[[rules]]`")
            rules = []
        targeted = list(self._exempts(data, None))
        found: dict[str, OwnPattern] = {}
        for number, rule in enumerate(rules):
            line = self._lines[number] if number < len(self._lines) else None
            pattern = self._pattern(rule, line)
            if pattern is None:
                continue
            if pattern.name in found:
                self._wrong(line, f"the rule `{pattern.name}` stands twice")
            exempt = [each for names, each in targeted if not names or rule["id"] in names]
            found[pattern.name] = structs.replace(pattern, exempt=(*pattern.exempt, *exempt))
        ids = {rule.get("id") for rule in rules if is_mapping(rule)}
        for name in (name for names, _ in targeted for name in names):
            if name not in ids:
                self._wrong(None, f"`targetRules` names `{clip(name)}`, which is no rule here")
        if self._problems:
            raise ContractError(self._problems)
        return tuple(found.values())

    def _pattern(self, rule: Any, line: int | None) -> OwnPattern | None:
        if is_mapping(rule) and (
            ("path" in rule and "regex" not in rule) or rule.get("skipReport")
        ):
            return None
        if is_mapping(rule) and "required" in rule:
            self._wrong(line, "`required` is not read: a rule stands for itself")
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
            group=self._number(rule, "secretGroup", line, int) or FIRST_GROUP,
            keywords=self._texts(rule, "keywords", line),
            entropy=self._number(rule, "entropy", line, int | float),
            exempt=tuple(each for _, each in self._exempts(rule, line)),
        )
        try:
            Patterns([pattern])
        except ConfigError as error:
            self._wrong(line, str(error))
            return None
        return pattern

    def _exempts(
        self, holder: Mapping[str, Any], line: int | None
    ) -> Iterator[tuple[tuple[str, ...], Exempt]]:
        """The allow lists of a rule or of the file, each with the rules that it is for; none: for all."""
        lists = holder.get("allowlists", [])
        if "allowlist" in holder:
            if lists:
                self._wrong(line, "`allowlist` and `allowlists` do not go together")
            lists = [holder["allowlist"]]
        if not is_list(lists) or not all(map(is_mapping, lists)):
            self._wrong(line, "`allowlist` is a table, `allowlists` are `[[...]]` of them")
            return
        for each in lists:
            every = self._word(each, "condition", line, _CONDITIONS)
            if every and ("paths" in each or "commits" in each):
                continue
            exempt = Exempt(
                regexes=self._texts(each, "regexes", line),
                stopwords=tuple(w.lower() for w in self._texts(each, "stopwords", line)),
                target=self._word(each, "regexTarget", line, _TARGETS),
                all_of=every,
            )
            if not any(key in each for key in ("regexes", "stopwords", "paths", "commits")):
                self._wrong(line, "an allow list needs `regexes` or `stopwords`")
            elif self._compiles(exempt, line):
                yield self._texts(each, "targetRules", line), exempt

    def _word(
        self, holder: Mapping[str, Any], key: str, line: int | None, words: Mapping[str, _Meaning]
    ) -> _Meaning:
        said = str(holder.get(key, "")).lower()
        if said not in words:
            known = ", ".join(f"`{word}`" for word in words if word.isalpha())
            self._wrong(line, f"`{key}` is one of {known}")
        return words.get(said, words[""])

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
        self._problems.append(problem(Location(self._name, line), message))
