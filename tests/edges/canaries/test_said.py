"""What somebody types, names a file by, or writes into a configuration is repeated without the secrets in it; so is a bug."""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

import click
import pytest

from tests.edges.canaries.canary import sample, shown
from toolscore_otel.cli import commands
from toolscore_otel.contracts import Contract
from toolscore_otel.errors import ContractError
from toolscore_otel.secrets import KINDS

TOKENS = ("github_token_classic", "anthropic_api_key", "aws_access_key_id", "jwt")
"""Kinds that fit into a file's name."""

FOLLOWED_BY = {
    "calls": "@no-{}.jsonl",
    "score": "@in.jsonl --contracts @no-{}.yaml",
    "run": "--contracts @fine-{}.yaml -- no-{}",
    "gate": "@in.jsonl --contracts @fine-{}.yaml --baseline @bad-{}.json --release {}",
    "diff": "@no-{}.jsonl @in.jsonl",
    "check": "@broken-{}.yaml",
    "learn": "@in.jsonl --min-traces {}",
    "doctor": "@no-{}.jsonl",
    "secrets": "@no-{}.jsonl",
    "serve": "--config @server-{}.yaml",
    "validate": "--config @server-{}.yaml",
    "print-config": "--config @server-{}.yaml",
    "demo": "{}",
    "schema": "{}",
    "version": "--{}",
}
"""Command -> what is wrong behind it."""

MORE = [
    "{}",
    "--{} calls",
    "score @in.jsonl --contracts @fine-{}.yaml --format {}",
    "score @in.jsonl --contracts @fine-{}.yaml --fail-on {}",
    "score @in.jsonl --contracts pack:{}",
    "score @dir-{} --contracts @fine-{}.yaml",
    "calls https://desk:{}@example.com/traces.jsonl",
    "secrets @in.jsonl --key {} --contracts @no-{}.yaml",
    "run --contracts @fine-{}.yaml --keep @no/{} -- true",
    "run --contracts @fine-{}.yaml --keep @fine-{}.yaml -- true",
    "serve --config @typed-{}.yaml --log {}",
    "validate --config @typed-{}.yaml",
]

REPEATED = [
    "check @fine-{}.yaml",
    "calls @fine-{}.jsonl @in.jsonl --each --format jsonl",
    "calls @fine-{}.jsonl @in.jsonl --each --format table",
    *(f"score @fine-{{}}.jsonl @in.jsonl --each --contracts @fine-{{}}.yaml --format {form}" for form in ("json", "console", "html", "junit", "markdown")),
    *(f"diff @dir-{{}} @dir-{{}} --format {form}" for form in ("json", "console", "markdown")),
    "doctor @fine-{}.jsonl --contracts @fine-{}.yaml",
    "gate @fine-{}.jsonl --contracts @fine-{}.yaml --baseline @new-{}.json --release {} --accept",
    "print-config --contracts @fine-{}.yaml",
    "print-config --contracts @fine-{}.yaml --format json",
]  # fmt: skip
"""What is right, and told of under its name."""


def span(tool: str) -> dict[str, Any]:
    told = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
    pairs = [{"key": key, "value": {"stringValue": value}} for key, value in told.items()]
    ids = {"traceId": "1" * 32, "spanId": "2" * 16}
    times = {"startTimeUnixNano": "1000", "endTimeUnixNano": "2000"}
    return {"name": "execute_tool", "attributes": pairs, **ids, **times}


@pytest.fixture(params=TOKENS)
def canary(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A secret, and files that are named by it."""
    text = sample(request.param)
    line = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span("http")]}]}]})
    contract = "contract: c\nlanguage: 1\nforbid: [http]\n"
    (tmp_path / f"dir-{text}").mkdir()
    for name, content in {
        "in.jsonl": line,
        f"fine-{text}.jsonl": line,
        f"dir-{text}/a-{text}.jsonl": line,
        f"fine-{text}.yaml": contract,
        f"fine-{text}.cases.yaml": "- {case: c, calls: [http], fails: [forbid.1]}\n",
        f"broken-{text}.yaml": f"{contract}{text}: 1\n",
        f"bad-{text}.json": json.dumps({text: [text]}),
        f"server-{text}.yaml": f"contracts: [no-{text}.yaml]\nmode: {text}\n{text}: 1\n",
        f"typed-{text}.yaml": f"contracts: [x]\nadmin: {{endpoint: '{text}'}}\n",
    }.items():
        (tmp_path / name).write_text(content)
    return text


class Said:
    """Runs a command line as the program does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, folder: Path, command: str, canary: str = "") -> tuple[object, str]:
        """How it ended, and all that it printed."""
        words = [word.replace("{}", canary) for word in command.split()]
        words = [str(folder / word[1:]) if word.startswith("@") else word for word in words]
        self._monkeypatch.setattr(sys, "argv", ["toolscore-otel", *words])
        with pytest.raises(SystemExit) as ended:
            commands.run()
        said = self._capsys.readouterr()
        return ended.value.code, said.out + said.err


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    return Said(monkeypatch, capsys)


@pytest.mark.parametrize("command", [*(f"{name} {rest}" for name, rest in FOLLOWED_BY.items()), *MORE])  # fmt: skip
def test_what_is_wrong_is_told_without_the_secret_in_it(
    tmp_path: Path, canary: str, said: Said, command: str
) -> None:
    code, told = said(tmp_path, command, canary)
    assert code == 2
    assert len(told) > 20
    assert shown(told) == {}


@pytest.mark.parametrize("command", REPEATED)
def test_what_is_right_is_told_under_a_name_without_the_secret_in_it(
    tmp_path: Path, canary: str, said: Said, command: str
) -> None:
    code, told = said(tmp_path, command, canary)
    assert code in (0, 1, 3)
    assert len(told) > 20
    assert shown(told) == {}
    assert shown("".join(file.read_text() for file in tmp_path.glob("new-*.json"))) == {}


def test_every_command_is_tried() -> None:
    assert set(FOLLOWED_BY) == set(commands.COMMANDS)


@pytest.mark.parametrize("command", commands.COMMANDS)
def test_a_bug_in_a_command_is_told_by_its_place_and_shows_no_value(
    said: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    everything = "\n".join(map(sample, KINDS))

    def broken(*_: object) -> NoReturn:
        held = {"telemetry": everything}
        raise ValueError(f"cannot read {everything}: {held}")

    monkeypatch.setattr(type(commands.loaded(command)), "make_context", click.Command.make_context)
    monkeypatch.setattr(click.Command, "make_context", broken)
    monkeypatch.setattr(type(commands.cli), "make_context", click.Group.make_context)
    code, told = said(tmp_path, command)
    assert code == 3
    assert "ValueError" in told
    assert "in broken" in told
    assert "telemetry" not in told
    assert shown(told) == {}


def test_errors_of_the_package_show_nothing_of_a_secret_in_any_of_their_causes() -> None:
    """A traceback of an application shows those as well."""
    for kind in TOKENS:
        text = sample(kind)
        wrong: list[dict[str, Any]] = [
            {"forbid": [{"tool": "x", "args": {"a": {"$regex": f"({text}"}}}]},
            {"limit": [{"tool": "x", "max": text}]},
            {"secrets": {"kinds": [text]}},
            {"secrets": {"patterns": [{"name": "n", "regex": f"({text}"}]}},
            {text: 1},
        ]
        for clause in wrong:
            with pytest.raises(ContractError) as raised:
                Contract.from_dict({"contract": "c", "language": 1, **clause})
            assert shown("".join(traceback.format_exception(raised.value, limit=0))) == {}
