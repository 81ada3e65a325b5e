"""The demo's recording, span by span as it would arrive, held against its contract by a real engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from toolscore_otel.contracts import Contract, load
from toolscore_otel.engine import Engine
from toolscore_otel.model import Finding, Label, Span, Stage, ToolCall
from toolscore_otel.secrets.samples import make_sample
from toolscore_otel.wire import read_bytes

DATA = Path(__file__).parent / "demo_data"
CONTRACT = DATA / "support-desk.yaml"
RECORDING = DATA / "support_desk.otlp.jsonl"

PLACEHOLDER = b"@@DEMO_TOKEN@@"
"""Stands in the recording where a credential was sent."""

FINGERPRINT_KEY = b"the demo keeps no secret"
"""Fixed, so that the demo shows the same fingerprint every time."""


class Recorded(Struct, frozen=True):
    """What the demo replays.

    Attributes:
        contract: to hold against it.
        spans: in the order in which they ended and so would arrive.
        begin_ns: when the first of them started.
    """

    contract: Contract
    spans: tuple[Span, ...]
    begin_ns: int

    @property
    def parents(self) -> Mapping[str, str | None]:
        """Span id -> parent span id."""
        return {span.span_id: span.parent_span_id for span in self.spans}


class Step(Struct, frozen=True):
    """What one span brought, or the end of the recording.

    Attributes:
        after_s: seconds from the beginning to its arrival.
        call: the call that ended with it.
        findings: those that are new.
    """

    after_s: float
    call: ToolCall | None = None
    findings: tuple[Finding, ...] = ()


def fake_token() -> str:
    """The credential of the demo: it looks like one and opens nothing."""
    return make_sample("jwt", 7)


def recorded() -> Recorded:
    """The recording, with a fake credential where one was sent."""
    (contract,) = load([str(CONTRACT)])
    data = RECORDING.read_bytes().replace(PLACEHOLDER, fake_token().encode())
    found = (span for span in read_bytes(data, where=RECORDING.name) if isinstance(span, Span))
    spans = tuple(sorted(found, key=lambda span: span.end_ns or 0))
    return Recorded(contract, spans, min(span.start_ns or 0 for span in spans))


def new_engine(contract: Contract) -> Engine:
    """An engine as any other, that says at once what it sees."""
    return Engine([contract], fingerprint_key=FINGERPRINT_KEY)


def replay(what: Recorded, engine: Engine) -> Iterator[Step]:
    """Feed the spans one by one, then end the input."""
    said: set[str] = set()
    after_s = 0.0
    for span in what.spans:
        now = span.end_ns or 0
        after_s = (now - what.begin_ns) / 1e9
        findings = engine.feed(span, now)
        yield Step(after_s, _ended(engine, span), tuple(_new(findings, said)))
    findings = engine.close()
    yield Step(after_s, findings=tuple(_new(findings, said)))


def _ended(engine: Engine, span: Span) -> ToolCall | None:
    calls = engine.assembler.trajectory(span.trace_id).calls
    ran = (call for call in calls if call.stage is Stage.EXECUTED)
    return next((call for call in ran if call.span_id == span.span_id), None)


def _new(findings: list[Finding], said: set[str]) -> Iterator[Finding]:
    """Of what one span brought: the findings that stand after it, and did not before."""
    for finding in {finding.id: finding for finding in findings}.values():
        if finding.label is Label.FAIL and finding.id not in said:
            said.add(finding.id)
            yield finding
