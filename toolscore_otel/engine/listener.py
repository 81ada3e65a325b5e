"""Looks through the messages of model calls for secrets, when they are read; only what it finds is kept.

Each model call repeats the conversation: a message that was looked through is known again by a digest of its text, and costs
no more than that.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from msgspec import Struct, structs

from toolscore_otel.assembly.hearing import MOST_EXPOSED, by_path
from toolscore_otel.contracts import Contract
from toolscore_otel.conventions import prompts
from toolscore_otel.conventions.prompts import Piece
from toolscore_otel.conventions.reading import Exposed, Heard, SpanReading
from toolscore_otel.model import LogRecord, Span
from toolscore_otel.secrets import Fingerprints

KNOWN_MESSAGES = 16_384
"""Past so many messages that were looked through, those that were repeated least lately are looked through again."""

_UNNAMED = Fingerprints(b"messages")
"""Tells secrets apart where findings carry no fingerprint; leaves the process in nothing."""


class _Found(Struct, frozen=True, gc=False):
    """What one piece holds.

    Attributes:
        exposed: paths begin below where it stands.
    """

    says: bool
    cut: bool
    exposed: tuple[Exposed, ...] = ()


_FINE = _Found(says=True, cut=False)


class Listener:
    """Called with each span and log record, and with what it says.

    Args:
        contracts: whose rules ask what stands in messages; where none does, it is false.
        fingerprints: of secrets; None: findings carry none.
    """

    def __init__(self, contracts: Iterable[Contract], fingerprints: Fingerprints | None) -> None:
        asked = (rule.hears for contract in contracts for rule in contract.rules)
        self._scanners = {scanner.family: scanner for scanner in asked if scanner is not None}
        self._fingerprints = fingerprints or _UNNAMED
        self._known: OrderedDict[tuple[bytes, bool], _Found] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._scanners)

    def __call__(self, item: Span | LogRecord, reading: SpanReading | None) -> SpanReading | None:
        """The reading, with what was found in the messages of a model call (`SpanReading.heard`)."""
        if isinstance(item, Span):
            if reading is None or reading.model is None:
                return reading
            return structs.replace(reading, heard=self._heard(prompts.of_span(item)))
        pieces = list(prompts.of_log(item))
        if not pieces:
            return reading
        return structs.replace(reading or SpanReading(), heard=self._heard(pieces))

    def _heard(self, pieces: Iterable[Piece]) -> Heard:
        says = cut = False
        exposed: list[Exposed] = []
        for path, text in pieces:
            found = self._found(text, may_be_cut=prompts.may_be_cut(path))
            says = says or (found.says and not prompts.is_instruction(path))
            cut = cut or found.cut
            exposed += (_below(path, one) for one in found.exposed)
        all_of_them = by_path(exposed)
        return Heard(
            looked_for=tuple(sorted(self._scanners)),
            content=says,
            cut=cut,
            exposed=all_of_them[:MOST_EXPOSED],
            beyond=max(0, len(all_of_them) - MOST_EXPOSED),
        )

    def _found(self, text: str, *, may_be_cut: bool) -> _Found:
        data = text.encode("utf-8", "surrogatepass")
        known_as = (blake2b(data, digest_size=16).digest(), may_be_cut)
        found = self._known.get(known_as)
        if found is not None:
            self._known.move_to_end(known_as)
            return found
        cut = may_be_cut and prompts.is_cut(text)
        found = self._known[known_as] = self._looked_through(text, cut=cut)
        if len(self._known) > KNOWN_MESSAGES:
            self._known.popitem(last=False)
        return found

    def _looked_through(self, text: str, *, cut: bool) -> _Found:
        found = _Found(prompts.says_something(text), cut, tuple(self._exposed(text, cut=cut)))
        return _FINE if found == _FINE else found

    def _exposed(self, text: str, *, cut: bool) -> Sequence[Exposed]:
        return [
            Exposed(family, hit.kind, hit.path, hit.fingerprint or "")
            for family, scanner in self._scanners.items()
            for hit in scanner.scan_text(text, cut=cut, fingerprints=self._fingerprints)
        ]


def _below(path: str, exposed: Exposed) -> Exposed:
    inner = exposed.path
    return structs.replace(exposed, path=f"{path}.{inner}" if inner else path)
