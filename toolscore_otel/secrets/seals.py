"""Marks of secrets that were taken out for keeping: they tell the scanner that took them out the same again.

Such a mark is `[REDACTED:KIND.FINGERPRINT.FAMILY.SEAL]`, the four as often as scanners found something there. The family
stands for the scanner's own patterns, so that each reads only what it found itself; the seal is a keyed hash of the
others, so that nobody without the key can write one. To matchers it is a placeholder like any other; two different secrets
leave two different marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolscore_otel.secrets.confirm import Found
from toolscore_otel.secrets.fingerprint import Fingerprints
from toolscore_otel.secrets.hit import SecretHit

BEGIN = "[REDACTED:"
"""How every mark begins."""

_PART = r"(?P<kind>[A-Za-z0-9_.-]{1,64}?)\.(?P<fingerprint>%s)\.(?P<family>%s)\.(?P<seal>%s)" % (
    ("[0-9a-f]{16}",) * 3
)
_PARTS = re.compile(rf"{_PART}(?:\.|\Z)")
_PLAIN = re.sub(r"\?P<\w+>", "?:", _PART)
_SEALED = re.compile(rf"\[REDACTED:(?P<parts>{_PLAIN}(?:\.{_PLAIN})*)\]")


def sealed_mark(hits: Iterable[tuple[SecretHit, str]], fingerprints: Fingerprints) -> str:
    """The mark that stands for what was found at one place.

    Args:
        hits: with their fingerprints, each with the family of its scanner; at least one.
        fingerprints: those of the scan.
    """
    told = dict.fromkeys((hit.kind, hit.fingerprint or "", family) for hit, family in hits)
    parts = (
        f"{kind}.{fingerprint}.{family}.{fingerprints.seal(kind, fingerprint, family)}"
        for kind, fingerprint, family in told
    )
    return f"{BEGIN}{'.'.join(parts)}]"


def sealed_in(text: str, family: str) -> Iterator[Found]:
    """What a scanner of this family left in a text; whether to believe it is the question of `is_genuine`."""
    for mark in _SEALED.finditer(text):
        for part in _PARTS.finditer(mark["parts"]):
            if part["family"] == family:
                start, end = mark.span()
                yield Found(part["kind"], start, end, "high", part["seal"], part["fingerprint"])


def is_genuine(found: Found, fingerprints: Fingerprints | None, family: str) -> bool:
    """Whether a find is one: a secret itself, or what a scanner of this family left in its place."""
    if found.fingerprint is None:
        return True
    if fingerprints is None:
        return False
    return found.value == fingerprints.seal(found.kind, found.fingerprint, family)
