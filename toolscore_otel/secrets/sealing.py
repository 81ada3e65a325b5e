"""Takes secrets out of what is kept, so that the same scanners find the same in it later."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise

from toolscore_otel.model import Json
from toolscore_otel.secrets.fingerprint import Fingerprints
from toolscore_otel.secrets.hit import SecretHit
from toolscore_otel.secrets.patterns import Described, described
from toolscore_otel.secrets.redaction import distinct, redact_json, redact_text
from toolscore_otel.secrets.scanner import Scanner
from toolscore_otel.secrets.seals import sealed_mark

_Hits = list[tuple[SecretHit, str]]


class Sealer:
    """Replaces secrets by sealed marks (`seals`).

    Args:
        patterns: of each contract that describes kinds of its own; scanners without any are always served.
        fingerprints: with the key that those scanners are given.
    """

    def __init__(self, patterns: Sequence[Sequence[Described]], fingerprints: Fingerprints) -> None:
        distinct_patterns = dict.fromkeys(((), *map(described, patterns)))
        self._scanners = [Scanner(patterns=own) for own in distinct_patterns]
        self._fingerprints = fingerprints

    def holds_secret(self, value: Json) -> bool:
        """Whether a JSON value has one; a text in it that was cut is not looked at as such."""
        return any(scanner.scan_json(value) for scanner in self._scanners)

    def text(self, text: str, *, cut: bool = False) -> str:
        """A text without its secrets; JSON stays valid JSON.

        Args:
            text: anything.
            cut: as for `Scanner.scan_text`.
        """
        hits: _Hits = [
            (hit, scanner.family)
            for scanner in self._scanners
            for hit in scanner.scan_text(text, cut=cut, fingerprints=self._fingerprints)
        ]
        if not hits:
            return text
        sealed = "".join(self._parts(text, hits))
        for scanner in self._scanners:  # what comes to light only beside a mark
            sealed = redact_text(sealed, scanner, cut=cut)
        return sealed

    def value(self, value: Json) -> Json:
        """A JSON value without its secrets, keys included; the same object where there is none."""
        if not self.holds_secret(value):
            return value
        text = self.text(json.dumps(value, ensure_ascii=False))
        return json.loads(text, object_pairs_hook=distinct)

    def plain(self, value: Json) -> Json:
        """The same with plain marks, for what no rule scans."""
        for scanner in self._scanners:
            value = redact_json(value, scanner)
        return value

    def _parts(self, text: str, hits: _Hits) -> Iterator[str]:
        """The text in pieces, a mark for each stretch that secrets take up."""
        stretches = _stretches(sorted(hits, key=lambda hit: (hit[0].start, hit[0].end)))
        edges = [0, *(edge for found in stretches for edge in _extent(found)), len(text)]
        marks = [sealed_mark(found, self._fingerprints) for found in stretches]
        for number, (start, end) in enumerate(pairwise(edges)):
            yield marks[number // 2] if number % 2 else text[start:end]


def _stretches(hits: _Hits) -> list[_Hits]:
    """Hits that overlap, together."""
    found: list[_Hits] = []
    for hit in hits:
        if found and hit[0].start < _extent(found[-1])[1]:
            found[-1].append(hit)
        else:
            found.append([hit])
    return found


def _extent(hits: _Hits) -> tuple[int, int]:
    return min(hit.start for hit, _ in hits), max(hit.end for hit, _ in hits)
