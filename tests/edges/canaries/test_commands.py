"""No output of a command shows six characters in a row of any secret, of whatever kind, wherever in a trace it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.edges.canaries import planted
from tests.edges.canaries.canary import CONTRACT, Turns, sample, shown
from toolscore_otel.cli.commands import cli
from toolscore_otel.errors import ContractError
from toolscore_otel.secrets import KINDS
from toolscore_otel.wire.json_to_proto import json_to_proto


def run(folder: Path, command: str) -> Result:
    """A command, as users run it, in a folder."""
    words = [str(folder / word[1:]) if word.startswith("@") else word for word in command.split()]
    return CliRunner().invoke(cli, words)


def told(result: Result) -> str:
    """All that it printed, what a bug would say too."""
    return f"{result.output}{result.stderr}{result.exception!r}"


SCORE = "score {} --contracts @contract.json --format"
RECORDINGS = ("@made.jsonl", "@recorded.jsonl")
COMMANDS = [
    *(
        f"{SCORE.format(recording)} {form}"
        for recording in RECORDINGS
        for form in ("json", "console", "html", "junit", "markdown")
    ),
    *(f"{SCORE.format(one)} json" for one in ("@whole.json", "@traces.pb", "@logs.pb")),
    f"{SCORE.format('@made.jsonl')} console --each",
    *(f"calls {recording} --format {f}" for recording in RECORDINGS for f in ("jsonl", "table")),
    *(f"doctor {one} --contracts @contract.json --format {f}" for one in RECORDINGS for f in ("json", "table")),
    *(f"secrets {recording}" for recording in RECORDINGS),
    *(f"learn {recording} --min-traces 1" for recording in RECORDINGS),
    *(f"diff {one} {other} --format {f}" for one, other in (RECORDINGS, RECORDINGS[::-1]) for f in ("json", "console", "markdown")),
    *(f"gate {one} --contracts @contract.json --baseline @none.json --release r --format {f}" for one in RECORDINGS for f in ("json", "console", "junit", "markdown")),
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_shows_nothing_of_a_secret(files: Path, command: str) -> None:
    result = run(files, command)
    assert result.exception is None
    assert len(result.output) > 100
    assert shown(told(result)) == {}


def test_a_baseline_holds_nothing_of_a_secret(files: Path, tmp_path: Path) -> None:
    words = "--contracts @contract.json --release r --accept --baseline"
    for recording in RECORDINGS:
        run(files, f"gate {recording} {words} {tmp_path / 'gate.json'}")
    kept = (tmp_path / "gate.json").read_text()
    assert len(kept) > 100
    assert shown(kept) == {}


def test_what_is_looked_for_would_be_seen(files: Path) -> None:
    assert set(shown(run(files, "calls @made.jsonl --format jsonl --raw").output)) == set(KINDS)


def test_every_kind_is_a_finding_in_every_place(files: Path) -> None:
    """What a call has in its arguments is not told once more from an event of its span, so events are not asked for."""
    found = json.loads(run(files, f"{SCORE.format('@made.jsonl')} json").output)["findings"]
    places: dict[str, set[str]] = {}
    for one in found:
        if one["secret_kind"] and one["label"] == "fail":
            places.setdefault(one["path"].split(".")[0], set()).add(one["secret_kind"])
    everywhere = ("args", "result", "error", "attributes")
    lacking = {place: set(KINDS) - places.get(place, set()) for place in everywhere}
    assert lacking == {place: set() for place in everywhere}


WITHOUT_CONTENT = {
    "mcp2-memory__sdk-builtin-default__2.3.0",
    "mcp2-stdio__openinference-default__2.0.13",
}
"""Recordings that hold no content at all, so that nothing can be planted."""


def test_there_are_canaries_in_the_recordings_of_frameworks() -> None:
    bare = {name for name, lines in planted.recorded().items() if not shown(json.dumps(lines))}
    assert bare <= WITHOUT_CONTENT


CASES = """\
- case: what a case tells
  calls:
    - {{tool: http, args: {{q: {canary}, n: 1}}, result: {canary}}}
    - {{tool: http, args_text: "cut {canary}"}}
    - {{tool: {canary}, error: {canary}}}
"""


def test_cases_that_differ_show_nothing_of_a_secret(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(json.dumps(CONTRACT))
    cases = "".join(CASES.format(canary=json.dumps(sample(kind))) for kind in KINDS)
    (tmp_path / "c.cases.yaml").write_text(cases.replace('"cut "', '"cut ').replace('""', '"'))
    result = run(tmp_path, f"check {tmp_path}")
    assert f"{len(KINDS)} cases not as expected" in told(result)
    assert shown(told(result)) == {}


BROKEN_CONTRACTS = [
    '{{"contract": "c", "language": 1, "forbid": [{{"tool": {canary}, "args": {{"a": {{"$regexp": {canary}}}}}}}]}}',
    '{{"contract": "c", "language": 1, {canary}: 1}}',
    '{{"contract": {canary}, "language": 1, "forbid": ["x"]}}',
    '{{"contract": "c", "language": {canary}, "forbid": ["x"]}}',
    '{{"contract": "c", "language": 1, "secrets": {{"kinds": [{canary}], "action": {canary}}}}}',
    '{{"contract": "c", "language": 1, "secrets": {{"patterns": [{{"name": "n", "regex": "("}}, {canary}]}}}}',
    '{{"contract": "c", "language": 1, "forbid": [{{"tool": "x", {canary}: {canary}}}]}}',
    '{{"contract": "c", "language": 1, "extends": {canary}}}',
    '{{"contract": "c", "language": 1, "forbid": [{canary} {canary}]}}',
    "contract: c\nlanguage: 1\nforbid: [{canary}\n",
]


@pytest.mark.parametrize("contract", BROKEN_CONTRACTS)
def test_a_contract_that_is_wrong_shows_nothing_of_a_secret_in_it(
    files: Path, tmp_path: Path, contract: str
) -> None:
    turns = Turns()
    for number in range(0, len(KINDS), 9):
        canary = json.dumps([turns() for _ in range(number + 1)][-1])
        (tmp_path / f"{number}.yaml").write_text(contract.format(canary=canary))
    for command in (f"score @whole.json --contracts {tmp_path}", f"check {tmp_path}"):
        result = run(files, command)
        assert isinstance(result.exception, ContractError), told(result)
        assert shown(f"{told(result)}{result.exception}") == {}


def _damaged(form: str, canary: str) -> bytes:
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": planted.trace(1, canary)}]}]}
    whole = json.dumps(spans)
    forms = {
        "cut": whole[: len(whole) // 2].encode(),
        "no JSON": f"{canary} {whole}".encode(),
        "odd": json.dumps({"resourceSpans": canary}).encode(),
        "odd span": json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [canary]}]}]}).encode(),
        "odd id": whole.replace("0" * 31 + "1", canary.replace('"', "").replace("\n", "")).encode(),
        "odd time": whole.replace('"11000000000"', json.dumps(canary)).encode(),
        "odd key": json.dumps({canary: [canary]}).encode(),
        "no UTF-8": whole.encode("utf-16"),
        "cut protobuf": json_to_proto(whole.encode(), "traces")[:-9],
        "text": canary.encode(),
    }
    return forms[form]


@pytest.mark.parametrize(
    "form",
    ["cut", "no JSON", "odd", "odd span", "odd id", "odd time", "odd key", "no UTF-8", "cut protobuf", "text"],
)  # fmt: skip
def test_input_that_is_damaged_shows_nothing_of_a_secret_in_it(tmp_path: Path, form: str) -> None:
    (tmp_path / "contract.json").write_text(json.dumps(CONTRACT))
    for kind in KINDS[::5]:
        (tmp_path / "damaged.jsonl").write_bytes(_damaged(form, sample(kind)))
        for command in ("calls @damaged.jsonl", f"{SCORE.format('@damaged.jsonl')} console"):
            assert shown(told(run(tmp_path, command))) == {}
