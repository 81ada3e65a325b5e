"""Secrets found and taken out; none is ever shown."""

from __future__ import annotations

import json

import pytest

from toolscore_otel.metrics import find_secrets, redact_secrets
from toolscore_otel.metrics.safety import scanner
from toolscore_otel.metrics.token_forms import field_kind
from toolscore_otel.model import ContentState, ToolCall
from toolscore_otel.secrets import KINDS, Fingerprints
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.testing import make_call

TOKEN = make_sample(next(kind for kind in KINDS if "github" in kind), 1)
KEYED = Fingerprints(b"a key for tests")


def found(*calls: ToolCall) -> list[tuple[object, ...]]:
    told = find_secrets(calls, fingerprints=KEYED)
    assert told["secret_count"] == len(told["secrets"])
    assert TOKEN not in repr(told)
    return [(one["index"], one["tool"], one["part"], one["path"]) for one in told["secrets"]]


def test_a_secret_is_told_by_its_place_kind_and_fingerprint():
    (one,) = find_secrets([make_call("t", {"k": TOKEN})], fingerprints=KEYED)["secrets"]
    (hit,) = scanner(TOKEN.encode()).scan_text(TOKEN)
    assert one == {
        "index": 0,
        "tool": "t",
        "path": "k",
        "kind": field_kind(hit.kind),
        "preview": KEYED.of(TOKEN),
        "part": "arguments",
    }


def test_paths_have_positions_in_brackets_and_keys_as_they_are():
    args = {"files": [{"content": TOKEN}], "a.b": {"0": TOKEN}, "deep": json.dumps({"k": [TOKEN]})}
    assert [path for *_, path in found(make_call("t", args))] == [
        "files[0].content",
        "a.b.0",
        "deep.k[0]",
    ]
    assert found(make_call("t", TOKEN)) == [(0, "t", "arguments", "")]


def test_a_key_that_is_a_secret_is_found_and_not_shown():
    ((*_, path),) = found(make_call("t", {"env": {TOKEN: 1}}))
    assert str(path).startswith("env.<key:")


def test_results_errors_and_cut_texts_are_scanned():
    calls = [
        make_call("r", {}, result={"out": TOKEN}),
        make_call("e", error_message=f"no access with {TOKEN}"),
        make_call("c", args_text='{"k": "' + TOKEN, args_state=ContentState.TRUNCATED),
        make_call("n"),
    ]
    assert [(tool, part) for _, tool, part, _ in found(*calls)] == [
        ("r", "result"),
        ("e", "error"),
        ("c", "arguments"),
    ]


def test_values_nested_without_end_are_scanned():
    args: dict[str, object] = {"k": TOKEN}
    args["self"] = [args, 1]
    assert found(make_call("t", args)) == [(0, "t", "arguments", "k")]


def test_a_deep_secret_is_found():
    args: object = TOKEN
    for _ in range(3000):
        args = [args]
    assert len(found(make_call("t", args))) == 1


@pytest.mark.parametrize("text", ["", "nothing here", f"a {TOKEN} b {TOKEN}"])
def test_a_text_without_its_secrets_stays_as_it_is(text):
    (hit,) = scanner(TOKEN.encode()).scan_text(TOKEN)
    mark = f"[REDACTED {field_kind(hit.kind)}: {KEYED.of(TOKEN)}]"
    once = redact_secrets(text, fingerprints=KEYED)
    assert text.replace(TOKEN, mark) == once
    assert redact_secrets(once, fingerprints=KEYED) == once


def test_within_one_process_a_secret_has_one_fingerprint():
    first, second = redact_secrets(TOKEN), redact_secrets(TOKEN)
    assert first == second
    assert TOKEN not in first


LETTERS = "aZ3kQ9xW7bN2mR5tY8uP4sD6fG1hJ0LcVeBi"
"""Of a token that nobody issued: no checksum fits."""


@pytest.mark.parametrize(
    ("begin", "body", "kind"),
    [
        ("sk-" + "ant-", LETTERS, "anthropic_api_key"),
        ("sk-" + "proj-", LETTERS, "openai_api_key"),
        ("sk-", LETTERS, "openai_api_key"),
        ("ghp" + "_", LETTERS, "github_token"),
        ("github" + "_pat_", LETTERS * 2, "github_token"),
        ("AKIA", "1234567890ABCDEF", "aws_access_key_id"),
        ("AIza", LETTERS[:35], "google_api_key"),
        ("xoxb" + "-", LETTERS[:12], "slack_token"),
        ("sk_" + "live_", LETTERS[:24], "stripe_secret_key"),
    ],
)
def test_what_has_the_form_of_a_token_is_told_by_the_name_that_the_field_has_for_it(
    begin, body, kind
):
    for text in (
        begin + body,
        f"key {begin}{body}, then",
        f"line\\n{begin}{body}",
        f"鍵{begin}{body}",
    ):
        (one,) = find_secrets([make_call("t", {"q": text})])["secrets"]
        assert (one["path"], one["kind"]) == ("q", kind)
        assert begin + body not in redact_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "sk-" + "ant-" + "YOUR-ANTHROPIC-KEY-HERE-0",
        "sk-" + "a" * 20 + "1" * 20,
        "ghp" + "_" + "a" * 36,
        "ASIA" + "PACIFICSALES2024",
        "xoxb" + "-some-bot-of-ours",
        "sk_" + "live_" + "X" * 24,
        "task-brief-of-the-day-for-the-whole-of-the-team",
        "sk-" + "ThisIsAVeryLongNameWithoutDigitsInIt",
    ],
)
def test_what_is_plainly_made_up_or_a_name_is_no_token(text):
    assert find_secrets([make_call("t", {"q": text})])["secret_count"] == 0


def test_a_private_key_is_told_by_the_name_that_the_field_has_for_it():
    (one,) = find_secrets([make_call("t", {"q": make_sample("private_key_pem", 1)})])["secrets"]
    assert one["kind"] == "private_key"
