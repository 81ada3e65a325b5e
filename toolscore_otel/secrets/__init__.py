"""Secrets: what kinds there are, where they stand, and how to take them out."""

from __future__ import annotations

from toolscore_otel.secrets.cleaner import Cleaner, Measure
from toolscore_otel.secrets.fingerprint import Fingerprints
from toolscore_otel.secrets.hit import Confidence, SecretHit
from toolscore_otel.secrets.kinds import KINDS
from toolscore_otel.secrets.redaction import redact_json, redact_text
from toolscore_otel.secrets.scanner import Scanner
from toolscore_otel.secrets.sealing import Sealer

__all__ = [
    "KINDS",
    "Cleaner",
    "Confidence",
    "Fingerprints",
    "Measure",
    "Scanner",
    "Sealer",
    "SecretHit",
    "redact_json",
    "redact_text",
]
