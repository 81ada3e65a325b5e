"""Secrets in calls: found and taken out, never shown. What stands where characters would is a keyed fingerprint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from secrets import token_bytes
from typing import Any

import msgspec

from toolscore_otel.matchers import canonical
from toolscore_otel.matchers.value import is_list, is_object
from toolscore_otel.metrics.given_calls import checked, plain, text_of
from toolscore_otel.metrics.likeness import decoded
from toolscore_otel.metrics.token_forms import TOKEN_FORMS, field_kind, may_stand
from toolscore_otel.model import ContentState, Json, ToolCall
from toolscore_otel.secrets import Fingerprints, Scanner, SecretHit, redact_json

_MARK = re.compile(r"\[REDACTED \w+: [0-9a-f]{16}\]")


def find_secrets(
    trace_calls: Sequence[ToolCall], *, fingerprints: Fingerprints | None = None
) -> dict[str, Any]:
    """Find secrets in arguments, results and error texts, names of arguments included.

    Args:
        trace_calls: calls as they were made; text that was cut is scanned as far as it goes.
        fingerprints: whose key they have; left out, one key per process.

    Returns:
        `secret_count`, and `secrets`: for each the `index` of the call, `tool`, `path` (`headers.Authorization`,
        `files[0].content`), `kind`, `preview` (its fingerprint) and `part` (`arguments`, `result` or `error`).
    """
    keyed = fingerprints or _of_this_process()
    found = [
        {
            "index": index,
            "tool": call.tool,
            "path": _path(value, hit.path),
            "kind": field_kind(hit.kind),
            "preview": hit.fingerprint,
            "part": part,
        }
        for index, call in enumerate(checked(trace_calls))
        for part, value, hits in _scanned(call, keyed)
        for hit in hits
    ]
    return {"secret_count": len(found), "secrets": found}


def redact_secrets(text: str, *, fingerprints: Fingerprints | None = None) -> str:
    """A text in which `[REDACTED kind: fingerprint]` stands for each secret, the whole of a private key included."""
    keyed = fingerprints or _of_this_process()
    while hits := _unmarked(text, keyed):
        for hit in reversed(hits):
            text = f"{text[: hit.start]}[REDACTED {field_kind(hit.kind)}: {hit.fingerprint}]{text[hit.end :]}"
    return text


def _unmarked(text: str, keyed: Fingerprints) -> list[SecretHit]:
    """The secrets of a text, but for what looks like one because a mark stands there."""
    marks = [mark.span() for mark in _MARK.finditer(text)]
    return [
        hit
        for hit in _scan(text, keyed)
        if not any(start < hit.end and hit.start < end for start, end in marks)
    ]


def redacted(value: Json) -> Json:
    """A value to be shown: without its secrets, and as JSON."""
    shown = plain(value)
    return redact_json(shown, scanner(canonical(shown)))


def scanner(text: bytes) -> Scanner:
    """For all kinds of secrets, and, where one may stand in a text, for what has the form of one."""
    return _scanner(with_forms=may_stand(text))


@cache
def _scanner(*, with_forms: bool) -> Scanner:
    """Forms are asked in every string, so they cost ten times what all the rest does."""
    return Scanner(patterns=TOKEN_FORMS if with_forms else ())


@cache
def _of_this_process() -> Fingerprints:
    return Fingerprints(token_bytes(32))


def _scanned(
    call: ToolCall, keyed: Fingerprints
) -> Iterator[tuple[str, Json, Sequence[SecretHit]]]:
    parts = (
        ("arguments", call.args_state, call.args, call.args_text),
        ("result", call.result_state, call.result, call.result_text),
        ("error", ContentState.UNPARSABLE, None, call.error_message),
    )
    for name, state, value, text in parts:
        if state is ContentState.OBSERVED and value is not None:
            yield name, value, _hits(value, keyed)
        elif text is not None:
            cut = state is ContentState.TRUNCATED
            yield name, text, _scan(text, keyed, cut=cut)


def _scan(text: str, keyed: Fingerprints, *, cut: bool = False) -> Sequence[SecretHit]:
    text = text_of(text)
    return scanner(text.encode()).scan_text(text, cut=cut, fingerprints=keyed)


def _hits(value: Json, keyed: Fingerprints) -> Sequence[SecretHit]:
    try:
        return scanner(msgspec.json.encode(value)).scan_json(value, fingerprints=keyed)
    except Exception:  # noqa: BLE001 - too deep, in a circle, or somebody's object raised
        return _scanner(with_forms=True).scan_json(plain(_texts(value)), fingerprints=keyed)


def _texts(value: Json) -> dict[str, str]:
    """The texts of a value by their paths; what stands in itself is looked at once."""
    found: dict[str, str] = {}
    pending: list[tuple[str, Json]] = [("", value)]
    seen: set[int] = set()
    while pending:
        path, one = pending.pop()
        if isinstance(one, str):
            found[path] = one
        elif (is_object(one) or is_list(one)) and id(one) not in seen:
            seen.add(id(one))
            items = one.items() if is_object(one) else enumerate(one)
            pending.extend((f"{path}.{text_of(key)}".lstrip("."), item) for key, item in items)
    return found


def _path(value: Json, dotted: str) -> str:
    """A path with its positions in brackets, told from keys that are digits by the value itself."""
    path, steps = "", dotted.split(".") if dotted else []
    while steps:
        value = decoded(value) if isinstance(value, str) else value
        if is_list(value) and steps[0].isdecimal() and int(steps[0]) < len(value):
            path += f"[{steps[0]}]"
            value, steps = value[int(steps[0])], steps[1:]
            continue
        size = next(
            (
                n
                for n in range(len(steps), 0, -1)
                if is_object(value) and ".".join(steps[:n]) in value
            ),
            1,
        )
        key = ".".join(steps[:size])
        path += f".{key}" if path else key
        value, steps = value.get(key) if is_object(value) else None, steps[size:]
    return path
