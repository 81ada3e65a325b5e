"""Files of secret patterns, as gitleaks has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolscore_otel.contracts import load, load_text
from toolscore_otel.contracts.pattern_files import read_pattern_file
from toolscore_otel.contracts.secret_patterns import scanner_of
from toolscore_otel.contracts.source import MAX_BYTES
from toolscore_otel.errors import ContractError
from toolscore_otel.matchers import MatcherError
from toolscore_otel.rules.secrets import Secrets
from toolscore_otel.secrets.patterns import FIRST_GROUP, Exempt, OwnPattern

WHOLE = """
[[rules]]
id = "badge"
regex = '''badge-([a-z0-9]{12})'''
entropy = 2
keywords = ["badge"]

[[rules.allowlists]]
condition = "AND"
regexTarget = "line"
regexes = ["nosec"]
stopwords = ["TEST"]

[[rules]]
id = "jwt"
regex = "j(w)(t)"
secretGroup = 2
[rules.allowlist]
paths = ["go.sum"]

[rules.unread]
description = "nothing reads this"

[[rules]]
id = "plain"
regex = "plain-[0-9]{4}"

[[allowlists]]
condition = "AND"
paths = ["x"]
regexes = ["y"]

[[allowlists]]
stopwords = ["example"]

[[allowlists]]
targetRules = ["plain"]
condition = "||"
stopwords = ["dummy"]

[[rules]]
id = "part"
regex = "part"
skipReport = true
"""
FOR_PLAIN = Exempt(stopwords=("dummy",))
FOR_ALL = Exempt(stopwords=("example",))


def read(tmp_path: Path, text: str | bytes) -> tuple[OwnPattern, ...]:
    path = tmp_path / "kinds.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_pattern_file(path, "kinds.toml")


def test_rules_are_kinds_with_what_narrows_them(tmp_path):
    badge, jwt, plain = read(tmp_path, WHOLE)
    assert badge == OwnPattern(
        "badge",
        "badge-([a-z0-9]{12})",
        group=FIRST_GROUP,
        keywords=("badge",),
        entropy=2,
        exempt=(Exempt(("nosec",), ("test",), target="line", all_of=True), FOR_ALL),
    )
    assert (jwt.name, jwt.group, jwt.exempt) == ("kinds.jwt", 2, (Exempt(), FOR_ALL))
    assert (plain.group, plain.keywords, plain.exempt) == (FIRST_GROUP, (), (FOR_ALL, FOR_PLAIN))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "kinds.toml: holds no `[[rules]]`"),
        ("rules = 5", "kinds.toml: holds no `[[rules]]`"),
        ("a = \nb", "kinds.toml:1: is no TOML: Invalid value"),
        ("a = [", "kinds.toml: is no TOML: Invalid value"),
        (b"a = 1\nb = '\xff'", "kinds.toml:2: is not UTF-8 text"),
        ("x" * (MAX_BYTES + 1), f"kinds.toml: is larger than {MAX_BYTES} bytes"),
        ("[extend]\nuseDefault = true\n[[rules]]\nid = 'a'\nregex = 'b'", "kinds.toml: `extend` is not read"),
        ("\n[[rules]]\nid = 'a'\n", "kinds.toml:2: a rule needs the key `regex`, a text"),
        ("[[rules]]\nregex = 'x'", "kinds.toml:1: a rule needs the key `id`, a text"),
        ("rules = [5]", "kinds.toml: a rule needs the key `id`, a text"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\n[[rules]]\nid = 'b'\nregex = '(?=x)'", "kinds.toml:4: the secret pattern `b` is no RE2 expression"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\n[[rules]]\nid = 'a'\nregex = 'y'", "kinds.toml:4: the rule `a` stands twice"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\nkeywords = 'b'", "kinds.toml:1: `keywords` must be a list of texts"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\nentropy = 'b'", "kinds.toml:1: `entropy` must be a number"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\nsecretGroup = 3", "kinds.toml:1: the secret pattern `a` has no group 3"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\nallowlist = 5", "kinds.toml:1: `allowlist` is a table"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\n[[rules.required]]\nid = 'b'", "kinds.toml:1: `required` is not read"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\n[rules.allowlist]\ncondition = 'XOR'\nregexes = ['y']", "kinds.toml:1: `condition` is one of `or`, `and`"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\n[rules.allowlist]\nregexTarget = 'file'\nregexes = ['y']", "kinds.toml:1: `regexTarget` is one of `secret`, `match`, `line`"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\n[rules.allowlist]\ndescription = 'y'", "kinds.toml:1: an allow list needs `regexes` or `stopwords`"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\n[rules.allowlist]\nregexes = ['y']\n[[rules.allowlists]]\nregexes = ['z']", "kinds.toml:1: `allowlist` and `allowlists` do not go together"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\n[[allowlists]]\ntargetRules = ['b']\nregexes = ['y']", "kinds.toml: `targetRules` names `b`, which is no rule here"),
        ("[[rules]]\nid = 'a'\nregex = 'x'\n[rules.allowlist]\nregexes = ['(']", "kinds.toml:1: the secret pattern `allowlist` is no RE2"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_at_its_line(tmp_path, text, said):
    with pytest.raises(ContractError) as caught:
        read(tmp_path, text)
    assert [str(problem) for problem in caught.value.problems if str(problem).startswith(said)]


def test_a_rule_about_paths_alone_is_passed_over(tmp_path):
    text = "[[rules]]\nid = 'a'\npath = 'x'\n[[rules]]\nid = 'b'\nregex = 'y'\npath = 'x'\n"
    assert [own.name for own in read(tmp_path, text)] == ["b"]


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ContractError, match=r"no\.toml: cannot be read: no such file"):
        read_pattern_file(tmp_path / "no.toml", "no.toml")


def test_a_contract_names_files_beside_it_and_one_that_it_extends_beside_that(tmp_path):
    (tmp_path / "base").mkdir()
    for folder, kind in ((tmp_path, "outer"), (tmp_path / "base", "inner")):
        (folder / "own.toml").write_text(f"[[rules]]\nid = '{kind}'\nregex = '{kind}-[0-9]{{6}}'\n")
    (tmp_path / "base" / "b.yaml").write_text(
        "contract: b\nlanguage: 1\nsecrets: {pattern_files: [own.toml]}\n"
    )
    (tmp_path / "a.yaml").write_text(
        "contract: a\nlanguage: 1\nextends: base/b.yaml\nseverity: info\n"
    )
    (tmp_path / "c.yaml").write_text(
        "contract: c\nlanguage: 1\nsecrets: {pattern_files: [own.toml]}\n"
    )
    contracts = load([tmp_path / "a.yaml", tmp_path / "c.yaml"])
    hits = scanner_of(contracts).scan_text("inner-123456 outer-123456")
    assert [hit.kind for hit in hits] == ["inner", "outer"]
    assert contracts[0].hash != load(tmp_path / "base" / "b.yaml")[0].hash


def test_what_a_file_holds_is_part_of_the_hash(tmp_path):
    (tmp_path / "c.yaml").write_text(
        "contract: c\nlanguage: 1\nsecrets: {pattern_files: [o.toml]}\n"
    )
    hashes: set[str] = set()
    for kind in ("x", "y"):
        (tmp_path / "o.toml").write_text(f"[[rules]]\nid = '{kind}'\nregex = 'x1'\n")
        hashes.add(load(tmp_path / "c.yaml")[0].hash)
    assert len(hashes) == 2


def test_a_broken_file_is_told_at_its_own_line(tmp_path):
    (tmp_path / "o.toml").write_text("\n[[rules]]\nid = 'x'\nregex = '('\n")
    text = "contract: c\nlanguage: 1\nsecrets: {pattern_files: [o.toml]}\n"
    with pytest.raises(
        ContractError, match=r"o.toml:2: the secret pattern `x` is no RE2 expression"
    ):
        load_text(text, folder=tmp_path)


def test_a_file_that_is_not_there_is_told_where_the_contract_names_it(tmp_path):
    text = "contract: c\nlanguage: 1\nsecrets:\n  pattern_files: [o.toml]\n"
    said = r"c\.yaml:4: the file of patterns o\.toml: cannot be read: no such file"
    with pytest.raises(ContractError, match=said):
        load_text(text, "c.yaml", folder=tmp_path)


def test_a_rule_made_by_hand_reads_no_file():
    with pytest.raises(MatcherError, match="is read where a contract is loaded"):
        Secrets(pattern_files=["o.toml"]).compile()
