"""Takes secrets out: each is replaced as a whole by `[REDACTED:kind]`, everything else stays as it was.

Doing it twice changes nothing more: a mark is never a secret, and what comes to light only beside a mark is taken out
in the same go.
"""

from __future__ import annotations

import json

from toolscore_otel.model import Json
from toolscore_otel.secrets.fingerprint import Fingerprints
from toolscore_otel.secrets.hit import SecretHit
from toolscore_otel.secrets.scanner import Scanner


def redact_text(text: str, scanner: Scanner, *, cut: bool = False) -> str:
    """A text without its secrets.

    Args:
        text: anything; JSON stays valid JSON, and stays as it was written.
        scanner: whose kinds are taken out.
        cut: as for `Scanner.scan_text`.
    """
    while hits := scanner.scan_text(text, cut=cut):
        text = _without(text, hits)
    return text


def redact_json(value: Json, scanner: Scanner) -> Json:
    """A JSON value without its secrets, keys included; the same object where there is none.

    Keys that become the same are numbered.
    """
    if not scanner.scan_json(value):
        return value
    text = redact_text(json.dumps(value, ensure_ascii=False), scanner)
    return json.loads(text, object_pairs_hook=distinct)


def hash_json(value: Json, scanner: Scanner, fingerprints: Fingerprints) -> Json:
    """A JSON value with a mark and a fingerprint for each secret; what comes to light only beside a mark stays."""
    text = json.dumps(value, ensure_ascii=False)
    text = _without(text, scanner.scan_text(text, fingerprints=fingerprints))
    return json.loads(text, object_pairs_hook=distinct)


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
