"""`toolscore-otel score` in every format: the same verdict, the same exit code, no secret."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from click.testing import CliRunner, Result

from toolscore_otel.cli.commands import cli
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.testing.made import make_span
from toolscore_otel.wire.write_json import to_otlp_json

FORMATS = ["console", "json", "junit", "markdown", "html"]
OWN_SECRET = "shop-" + "7" * 12
CONTRACT = """
contract: desk
language: 1
forbid: [{tool: "delete*"}, never]
secrets: {in: [arguments], patterns: [{name: shop-key, regex: 'shop-\\d{12}'}]}
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A recording with secrets wherever one may stand and half a sign, and a contract that it breaks."""
    secret = make_sample("github_token_classic", 3)
    root = make_span(
        agent=f"desk {secret}", attributes={"toolscore.scenario": f"half a sign \ud800 {secret}"}
    )
    call = make_span(f"delete {secret}", {"key": OWN_SECRET}, parent=root, result=[secret, OWN_SECRET])  # fmt: skip
    traces, contract = tmp_path / "traces.jsonl", tmp_path / "desk.yaml"
    traces.write_text(json.dumps(to_otlp_json([root, call])) + "\n")
    contract.write_text(CONTRACT)
    return str(traces), str(contract)


def run(files: tuple[str, str], form: str, *more: str) -> Result:
    words = ["score", files[0], "--contracts", files[1], "--format", form, *more]
    return CliRunner().invoke(cli, words, standalone_mode=False)


@pytest.mark.parametrize("form", FORMATS)
def test_the_exit_code_is_the_same_whatever_the_format(files, form):
    assert run(files, form).return_value == 1
    assert run(files, form, "--fail-on", "critical").return_value == 0


@pytest.mark.parametrize("form", FORMATS)
def test_no_secret_is_shown_also_none_that_a_contract_describes(files, form):
    output = run(files, form).stdout

    assert "REDACTED" in output
    assert OWN_SECRET not in output
    assert make_sample("github_token_classic", 3)[:12] not in output


def test_junit_fails_what_the_exit_code_fails(files):
    suites = fromstring(run(files, "junit").stdout_bytes)  # noqa: S314 - our own

    assert {name: suites.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3",
        "failures": "2",
        "errors": "0",
        "skipped": "0",
    }
