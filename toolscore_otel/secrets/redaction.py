"""Takes secrets out: each is replaced as a whole by `[REDACTED:kind]`, or `[REDACTED:kind.fingerprint]`; all else stays as it was.

Doing it twice changes nothing more: a mark is never a secret, and what comes to light only beside a mark is taken out
in the same go.
"""

from __future__ import annotations

import json
import re

from msgspec import structs

from toolscore_otel.model import Json
from toolscore_otel.secrets.fingerprint import Fingerprints
from toolscore_otel.secrets.hit import SecretHit
from toolscore_otel.secrets.scanner import Scanner

_ROUNDS = 3
"""Of marking, each of which may bring more to light; behind them, whole words go."""

_APART = re.compile(r"[\s\"'`\\\[\]]")
_UNICODE_ESCAPE = 5


def redact_text(
    text: str, scanner: Scanner, *, cut: bool = False, fingerprints: Fingerprints | None = None
) -> str:
    """A text without its secrets.

    Args:
        text: anything; JSON stays valid JSON, and stays as it was written.
        scanner: whose kinds are taken out.
        cut: as for `Scanner.scan_text`.
        fingerprints: puts one into each mark.
    """
    rounds = 0
    while hits := scanner.scan_text(text, cut=cut, fingerprints=fingerprints):
        rounds += 1
        text = _without(text, hits if rounds <= _ROUNDS else _with_what_adjoins(text, hits))
    return text


def redact_json(value: Json, scanner: Scanner, *, fingerprints: Fingerprints | None = None) -> Json:
    """A JSON value without its secrets, keys included; the same object where there is none.

    Keys that become the same are numbered.

    Args:
        value: lists keep their length, objects their number and order of keys.
        scanner: whose kinds are taken out.
        fingerprints: as for `redact_text`.
    """
    if not scanner.scan_json(value):
        return value
    text = json.dumps(value, ensure_ascii=False)
    text = redact_text(text, scanner, fingerprints=fingerprints)
    return json.loads(text, object_pairs_hook=distinct)


def _with_what_adjoins(text: str, hits: tuple[SecretHit, ...]) -> tuple[SecretHit, ...]:
    """Hits that take in all that they run together with: of beginnings in a row, each mark would bring only one to light."""
    wide: list[SecretHit] = []
    done = 0
    for hit, end in zip(hits, (*(hit.start for hit in hits[1:]), len(text)), strict=True):
        start = hit.start - len(_run(text[done : hit.start][::-1]))
        if start < hit.start and text[max(0, start - 1)] == "\\":  # the rest of an escape stays
            start = min(hit.start, start + (_UNICODE_ESCAPE if text[start] == "u" else 1))
        done = hit.end + len(_run(text[hit.end : end]))
        wide.append(structs.replace(hit, start=start, end=done))
    return tuple(wide)


def _run(text: str) -> str:
    """How far it goes on without a blank, a quote, an escape or a mark."""
    return _APART.split(text, maxsplit=1)[0]


def _without(text: str, hits: tuple[SecretHit, ...]) -> str:
    parts: list[str] = []
    done = 0
    for hit in hits:
        which = f"{hit.kind}.{hit.fingerprint}" if hit.fingerprint else hit.kind
        parts += (text[done : hit.start], f"[REDACTED:{which}]")
        done = hit.end
    return "".join((*parts, text[done:]))


def distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """A JSON object of these members; names that stand there already are numbered."""
    told: dict[str, Json] = {}
    for key, value in pairs:
        name, number = key, 1
        while name in told:
            number += 1
            name = f"{key} {number}"
        told[name] = value
    return told
