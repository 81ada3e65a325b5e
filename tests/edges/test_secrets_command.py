"""`toolscore-otel secrets`, run as a user runs it, in this process."""

from __future__ import annotations

import gzip
import io
import json
import sys
from typing import Any

import pytest
from click.testing import CliRunner

from toolscore_otel.cli import secrets as command
from toolscore_otel.cli.commands import cli, run as program
from toolscore_otel.secrets.samples import make_sample

TOKEN = make_sample("github_token_classic", 1)


def run(*words: str, given: bytes | None = None):
    return CliRunner().invoke(cli, ["secrets", *words], input=given, standalone_mode=False)


def told(result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_each_line_is_told_with_what_stands_in_it(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [
        json.dumps({"text": f"é {TOKEN}", "n": TOKEN}),
        "plain",
        "",
        json.dumps({"a": {TOKEN: 1}}),
    ]
    path.write_text("\n".join(lines))
    result = run(str(path), "--key", "k")
    assert result.return_value == 1
    first, *others = told(result)
    (hit,) = first["findings"]
    assert first["line"] == 1
    assert list(hit) == ["kind", "path", "start", "end", "confidence", "fingerprint"]
    assert (hit["kind"], hit["path"], hit["start"], hit["end"]) == (
        "github_token_classic", "", 2, 2 + len(TOKEN)
    )  # fmt: skip
    assert [each["findings"] for each in others[:2]] == [[], []]
    (key,) = others[2]["findings"]
    assert key["path"] == "a.<key:github_token_classic>"
    assert key["fingerprint"] == hit["fingerprint"]
    assert not any(TOKEN[at : at + 6] in result.output for at in range(len(TOKEN) - 5))


def test_clean_lines_pass(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": 5}\n[1]\n')
    result = run(str(path))
    assert result.return_value == 0
    assert told(result) == [{"line": 1, "findings": []}, {"line": 2, "findings": []}]


@pytest.mark.parametrize("pack", [gzip.compress, bytes])
def test_standard_input_and_gzip_are_read(pack):
    result = run("-", given=pack(f"x\n{TOKEN}\r\n".encode()))
    assert [len(each["findings"]) for each in told(result)] == [0, 1]


def test_an_empty_file_has_no_lines():
    assert run("-", given=b"").stdout == ""


def test_what_cannot_be_read_is_told(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["toolscore-otel", "secrets", "/no"])
    with pytest.raises(SystemExit) as ended:
        program()
    assert ended.value.code == 2
    assert "/no: there is no" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("before", "shift"),
    [
        (b"\xff ", 2),
        (b"\x00\x01 ", 3),
        (b'{"text": "\xc3( ', 13),
        (b'{"text": "\\ud800", "b": "', 25),
        (b"[" * 100_000, 100_000),
        (b"x" * 3_000_000 + b" ", 3_000_001),
        (b'{"text": ' * 9, 81),
    ],
)
def test_hostile_lines_are_searched_like_any_other(before, shift):
    result = run("-", given=b"ok\n" + before + TOKEN.encode() + b"\nend " + TOKEN.encode())
    assert result.return_value == 1
    first, hostile, last = told(result)
    assert first["findings"] == []
    assert [hit["start"] for hit in hostile["findings"]] == [shift]
    assert [hit["start"] for hit in last["findings"]] == [4]


def test_kinds_of_contracts_are_looked_for_too(tmp_path):
    contract = tmp_path / "c.yaml"
    contract.write_text(
        "contract: c\nlanguage: 1\nsecrets: {patterns: [{name: badge, regex: 'BDG-[0-9]{6}'}]}\n"
    )
    result = run("-", "--contracts", str(contract), given=b"BDG-123456\n")
    assert [hit["kind"] for hit in told(result)[0]["findings"]] == ["badge"]


class Screen(io.StringIO):
    """Standard error of a person."""

    def isatty(self) -> bool:
        return True


def test_long_input_shows_its_progress_to_a_person(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_text("x\n" * 10)
    monkeypatch.setattr(command, "_WORTH_SHOWING", 5)
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    assert len(list(command._texts(str(path), lambda _count: None))) == 10
    with command._progress(str(path)) as advance:
        advance(5)
    assert "searching" in screen.getvalue()


@pytest.mark.parametrize(("installed", "engine"), [(True, "hyperscan"), (False, "re2")])
def test_the_version_tells_what_finds_secrets(monkeypatch, installed, engine):
    if not installed:
        monkeypatch.setitem(sys.modules, "hyperscan", None)
    shown = CliRunner().invoke(cli, ["version"], standalone_mode=False).stdout
    assert f"secrets are found by {engine}" in shown
    assert ("quicker" in shown) is not installed
