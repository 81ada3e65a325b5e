"""What a scan tells of a secret: everything but the secret."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Confidence = Literal["high", "medium", "low"]
"""How sure a finding is.

`high`: the form alone tells, by a checksum, a structure or a prefix nobody else uses. `medium`: the name it stands under
or the words around it tell. `low`: only its beginning was seen, because the text was cut there.
"""


class SecretHit(Struct, frozen=True, gc=False):
    """One secret that was found. It holds no character of it.

    Attributes:
        kind: name of the kind, one of `KINDS` or of the caller's own patterns.
        path: where in a JSON value, dotted (`env.0.token`); empty for a bare text. A key that is itself a secret stands
            as `<key:KIND>`. A text that is JSON again is gone into, and the path goes on there.
        start: first code point of the secret: in the text, where a text was scanned; in the string at `path` (the
            outermost one, where JSON stands in a string), where a JSON value was.
        end: one past its last code point.
        fingerprint: keyed hash of the secret, where the scan was given `Fingerprints`.
    """

    kind: str
    path: str
    start: int
    end: int
    confidence: Confidence
    fingerprint: str | None = None
