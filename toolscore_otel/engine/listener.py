"""Looks for secrets in the messages of model calls, and beside them, when they are read; only what it finds is kept.

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
from toolscore_otel.conventions.reading import CallReading, Heard, SpanReading
from toolscore_otel.engine.beside import Beside
from toolscore_otel.model import Exposed, LogRecord, Span
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
        contracts: whose rules ask what stands in messages, and beside them; where none does, it is false.
        fingerprints: of secrets; None: findings carry none.

    Attributes:
        asks_records: whether some of them asks for what stands in log records of any sort.
    """

    def __init__(self, contracts: Iterable[Contract], fingerprints: Fingerprints | None) -> None:
        rules = [rule for contract in contracts for rule in contract.rules]
        self._fingerprints = fingerprints or _UNNAMED
        self._known: OrderedDict[tuple[bytes, bool], _Found] = OrderedDict()
        self._scanners, errors, rest = (
            {s.family: s for rule in rules if (s := rule.searches.get(place)) is not None}
            for place in ("messages", "error", "attributes")
        )
        self._beside = Beside(errors, rest, self._fingerprints)
        self.asks_records = bool(rest)

    def __bool__(self) -> bool:
        return bool(self._scanners or self._beside)

    def __call__(self, item: Span | LogRecord, reading: SpanReading | None) -> SpanReading | None:
        """The reading, with the secrets that were found (`SpanReading.heard`, `CallReading.exposed`)."""
        pieces = self._pieces(item, reading)
        if pieces is not None:
            reading = structs.replace(reading or SpanReading(), heard=self._heard(pieces))
        return self._with_rest(item, reading) if self._beside else reading

    def _pieces(self, item: Span | LogRecord, reading: SpanReading | None) -> list[Piece] | None:
        """The messages of a model call; None for what can hold none."""
        if not self._scanners:
            return None
        if isinstance(item, LogRecord):
            return list(prompts.of_log(item)) or None
        if reading is None or reading.model is None:
            return None
        return list(prompts.of_span(item))

    def _with_rest(self, item: Span | LogRecord, reading: SpanReading | None) -> SpanReading | None:
        """The reading, with what stands beside its messages: on its call, else on its span."""
        call = _own_call(reading)
        if call is None and not _stands(item, reading):
            return reading
        found = self._beside.exposed(item, reading, call)
        if not found:
            return reading
        reading = reading or SpanReading()
        if call is not None:
            calls = (
                structs.replace(one, exposed=found) if one is call else one for one in reading.calls
            )
            return structs.replace(reading, calls=tuple(calls))
        heard = reading.heard or Heard(looked_for=tuple(sorted(self._scanners)))
        exposed = by_path((*heard.exposed, *found))
        return structs.replace(reading, heard=structs.replace(heard, exposed=exposed))

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


def _own_call(reading: SpanReading | None) -> CallReading | None:
    """The call that a span or a log record is of; one that it only tells more of stands on the span."""
    calls = reading.calls if reading is not None else ()
    return next((one for one in calls if one.what in ("span", "log") and not one.fills), None)


def _stands(item: Span | LogRecord, reading: SpanReading | None) -> bool:
    """Whether it is of an agent or a model, or a log record on some span."""
    if isinstance(item, LogRecord):
        return item.span_id is not None
    return reading is not None and (reading.agent is not None or reading.model is not None)


def _below(path: str, exposed: Exposed) -> Exposed:
    inner = exposed.path
    return structs.replace(exposed, path=f"{path}.{inner}" if inner else path)
