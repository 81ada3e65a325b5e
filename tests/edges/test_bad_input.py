"""Bad input of every kind: one paragraph on stderr that says what, where and what to do, and the right exit code."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

CONTRACT = """\
contract: desk
language: 1
forbid: [{tool: delete_user, reason: support never deletes accounts}]
"""


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


def run(*words: str, stdin: bytes | None = None) -> Ended:
    """Run the command line in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "toolscore_otel.cli", *words],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def span(**more: object) -> dict[str, object]:
    return {
        "traceId": "a" * 32,
        "spanId": "b" * 16,
        "name": "execute_tool delete_user",
        "startTimeUnixNano": "1000000000",
        "endTimeUnixNano": "2000000000",
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
            {"key": "gen_ai.tool.name", "value": {"stringValue": "delete_user"}},
        ],
        **more,
    }


def request(*spans: dict[str, object]) -> str:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})


@pytest.fixture
def contract(tmp_path: Path) -> str:
    path = tmp_path / "desk.yaml"
    path.write_text(CONTRACT)
    return str(path)


@pytest.fixture
def traces(tmp_path: Path) -> str:
    path = tmp_path / "traces.jsonl"
    path.write_text(request(span()) + "\n")
    return str(path)


def paragraph(ended: Ended) -> str:
    """Its stderr as one line, without a traceback."""
    assert "Traceback" not in ended.err
    return " ".join(ended.err.split())


def test_a_forbidden_call_ends_with_1(traces: str, contract: str) -> None:
    ended = run("score", traces, "--contracts", contract)
    assert ended.code == 1
    assert "delete_user" in ended.out


def test_a_recording_without_findings_ends_with_0(tmp_path: Path, traces: str) -> None:
    path = tmp_path / "other.yaml"
    path.write_text("contract: other\nlanguage: 1\nforbid: [drop_database]\n")
    assert run("score", traces, "--contracts", str(path)).code == 0


def test_standard_input_is_read(traces: str, contract: str) -> None:
    ended = run("score", "-", "--contracts", contract, stdin=Path(traces).read_bytes())
    assert ended.code == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"hello, world\n", "OTLP", id="a text"),
        pytest.param(b'{"hello": "world"}\n', "OTLP", id="json of another shape"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "OTLP", id="a picture"),
        pytest.param(b"", "nothing is in it", id="nothing"),
    ],
)
def test_a_file_that_is_not_otlp_is_said_to_be_none(
    tmp_path: Path, contract: str, content: bytes, said: str
) -> None:
    path = tmp_path / "strange.bin"
    path.write_bytes(content)
    for words in (("calls", str(path)), ("score", str(path), "--contracts", contract)):
        ended = run(*words)
        assert ended.code == 2
        assert str(path) in paragraph(ended)
        assert said in paragraph(ended)


def test_a_truncated_gzip_is_said_to_be_cut(tmp_path: Path, traces: str, contract: str) -> None:
    path = tmp_path / "traces.jsonl.gz"
    path.write_bytes(gzip.compress(Path(traces).read_bytes() * 50)[:-20])
    ended = run("score", str(path), "--contracts", contract)
    assert ended.code == 2
    assert str(path) in paragraph(ended)
    assert "gzip" in paragraph(ended)


def test_a_directory_is_not_a_file(tmp_path: Path, contract: str) -> None:
    ended = run("score", str(tmp_path), "--contracts", contract)
    assert ended.code == 2
    assert "directory" in paragraph(ended)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    ended = run("calls", str(tmp_path / "none.jsonl"))
    assert ended.code == 2
    assert "none.jsonl" in paragraph(ended)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_an_unreadable_file_is_named(traces: str) -> None:
    """Root reads everything, so the command runs as nobody, and once before as itself: nobody may not load its modules."""
    os.chmod(traces, 0o600)  # noqa: PTH101
    for folder in list(Path(traces).parents)[:-2]:
        folder.chmod(0o755)
    code = f"""
import os, sys
from contextlib import suppress
from toolscore_otel.cli.commands import run
sys.argv = ["x", "calls", {traces!r}]
with suppress(SystemExit):
    run()
os.setgid(65534)
os.setuid(65534)
run()
"""
    unmeasured = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    done = subprocess.run(
        [sys.executable, "-c", code], env=unmeasured, capture_output=True, check=False, timeout=60
    )
    ended = Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert ended.code == 2
    assert "permission" in paragraph(ended).lower()


def test_no_span_of_interest_ends_with_3(tmp_path: Path, contract: str) -> None:
    path = tmp_path / "http.jsonl"
    path.write_text(request(span(name="GET /", attributes=[])) + "\n")
    scored, called = run("score", str(path), "--contracts", contract), run("calls", str(path))
    assert (scored.code, called.code) == (3, 3)
    assert "no agent, model or tool span in 1 spans" in paragraph(scored)
    assert "no tool call in 1 spans" in paragraph(called)
    assert "instrumentation may be missing" in paragraph(called)


def test_tools_that_a_model_asked_for_and_nothing_names_are_said_to_be_there(
    tmp_path: Path,
) -> None:
    path = tmp_path / "silent.jsonl"
    asked = {"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": "tool_calls"}
    attributes = [{"key": k, "value": {"stringValue": v}} for k, v in asked.items()]
    path.write_text(request(span(name="chat", attributes=attributes)) + "\n")
    called = run("calls", str(path))
    assert called.code == 3
    assert "A model asked for tools" in paragraph(called)


def test_a_contract_that_applies_to_nothing_ends_with_3(tmp_path: Path, traces: str) -> None:
    path = tmp_path / "elsewhere.yaml"
    path.write_text(CONTRACT + "applies_to: {service: billing}\n")
    ended = run("score", traces, "--contracts", str(path))
    assert ended.code == 3
    assert "no contract applies" in paragraph(ended)


def test_rules_that_lack_their_evidence_end_with_3(tmp_path: Path, traces: str) -> None:
    path = tmp_path / "args.yaml"
    path.write_text("contract: a\nlanguage: 1\nforbid: [{tool: delete_user, args: {id: 7}}]\n")
    ended = run("score", traces, "--contracts", str(path))
    assert ended.code == 3
    assert "lacks the evidence" in paragraph(ended)


def test_strict_ends_with_3_where_one_rule_could_not_be_checked(
    tmp_path: Path, traces: str
) -> None:
    path = tmp_path / "args.yaml"
    path.write_text(
        "contract: a\nlanguage: 1\nforbid: [{tool: delete_user, args: {id: 7}}, drop_database]\n"
    )
    assert run("score", traces, "--contracts", str(path)).code == 0
    assert run("score", traces, "--contracts", str(path), "--strict").code == 3


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        pytest.param(
            "contract: a\nlanguage: 1\nforbid:\n  - {tool: x, args: {path: {$regx: a}}}\n",
            4,
            "$regex",
            id="a misspelt operator",
        ),
        pytest.param(
            "contract: a\nlanguage: 1\nforbit: [x]\n", 3, "`forbid`", id="an unknown clause"
        ),
        pytest.param(
            "contract: a\nlanguage: 1\nlimit:\n  - {tool: x, max: many}\n",
            4,
            "max",
            id="a text for a number",
        ),
        pytest.param("contract: a\nlanguage: 1\nforbid: []\n", 3, "empty", id="an empty list"),
        pytest.param(
            "contract: a\nlanguage: 1\nforbid: [x]\nforbid: [y]\n", 4, "twice", id="a key twice"
        ),
        pytest.param("contract: a\n\tlanguage: 1\n", 2, "tab", id="a tab"),
    ],
)
def test_a_contract_with_a_mistake_is_refused_with_file_and_line(
    tmp_path: Path, traces: str, text: str, line: int, said: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    for words in (("score", traces, "--contracts", str(path)), ("check", str(path))):
        ended = run(*words)
        assert ended.code == 2
        assert f"{path}:{line}" in paragraph(ended)
        assert said in paragraph(ended)


def test_all_mistakes_of_all_contracts_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("contract: a\nlanguage: 1\nforbit: [x]\n")
    (tmp_path / "b.yaml").write_text("contract: b\nlanguage: 1\nforbid: [{tol: x}]\n")
    said = paragraph(run("check", str(tmp_path)))
    assert "2 problems" in said
    assert "a.yaml:3" in said
    assert "b.yaml:3" in said


def test_a_folder_without_contracts_is_an_error(tmp_path: Path, traces: str) -> None:
    empty = tmp_path / "contracts"
    empty.mkdir()
    ended = run("score", traces, "--contracts", str(empty))
    assert ended.code == 2
    assert str(empty) in paragraph(ended)


def test_a_missing_contract_is_an_error(tmp_path: Path, traces: str) -> None:
    ended = run("score", traces, "--contracts", str(tmp_path / "none.yaml"))
    assert ended.code == 2
    assert "none.yaml" in paragraph(ended)


def test_an_unknown_option_is_a_usage_error() -> None:
    ended = run("score", "--contract", "x")
    assert ended.code == 2
    assert "--contracts" in ended.err


def test_a_case_that_differs_ends_with_1_and_is_named_in_one_line(
    tmp_path: Path, contract: str
) -> None:
    beside = Path(contract).with_suffix(".cases.yaml")
    beside.write_text("- case: deletes a user\n  calls: [{delete_user: {id: 7}}]\n")
    ended = run("check", contract)
    assert ended.code == 1
    assert f"{beside}:1" in ended.err
    assert "no rule should fail, `forbid.1` did" in paragraph(ended)


def test_cases_that_hold_end_with_0(contract: str) -> None:
    beside = Path(contract).with_suffix(".cases.yaml")
    beside.write_text(
        "- case: deletes a user\n  calls: [{delete_user: {id: 7}}]\n  fails: [forbid.1]\n"
        "- case: looks one up\n  calls: [{lookup_user: {id: 7}}]\n"
    )
    ended = run("check", contract)
    assert (ended.code, ended.err) == (0, "")


def test_a_reader_that_has_seen_enough_ends_quietly(traces: str) -> None:
    code = (
        f"{sys.executable} -m toolscore_otel.cli calls --format jsonl {traces} {traces} | head -c 1"
    )
    done = subprocess.run(code, shell=True, capture_output=True, check=False, timeout=60)  # noqa: S602
    assert done.stderr == b""
