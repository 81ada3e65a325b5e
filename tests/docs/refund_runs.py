"""The recordings of the page about gates: three releases of an agent, twelve runs of each of three scenarios.

`python -m tests.docs.refund_runs` writes them anew.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from toolscore_otel.model import Json, Span
from toolscore_otel.testing.made import make_span
from toolscore_otel.wire.write_json import to_otlp_json

FOLDER = Path(__file__).parent.parent.parent / "docs" / "examples" / "recordings"
RUNS = 12
LOOKUP, OTHER = ("lookup_order", {"order": "O-17"}), ("lookup_order", {"order": "17"})
REFUND = ("refund", {"order": "O-17", "amount": 30})
SEARCH = ("search_policy", {"query": "refund"})

Calls = list[tuple[str, dict[str, Json]]]


def calls(release: str, scenario: str, number: int) -> Calls:
    """What the agent does in one run: now and then a wrong order, and in release 1.2 a search before every refund."""
    if scenario == "smalltalk":
        return []
    first = OTHER if number in {"1.0": (3,), "1.1": (5, 8), "1.2": (2,)}[release] else LOOKUP
    if scenario == "status":
        return [first]
    return [SEARCH, LOOKUP, REFUND] if release == "1.2" else [LOOKUP, REFUND]


def spans(release: str) -> Iterator[Span]:
    """All runs of a release."""
    for scenario in ("refund", "status", "smalltalk"):
        for number in range(RUNS):
            digits = sha256(f"{release} {scenario} {number}".encode()).hexdigest()
            ids = iter(digits[32:][at : at + 8] + digits[:8] for at in range(0, 32, 8))
            start_s = 60.0 * number
            root = make_span(
                agent="refund_desk",
                trace_id=digits[:32],
                span_id=next(ids),
                start_s=start_s,
                took_s=5,
                attributes={"toolscore.scenario": scenario},
            )
            chat: dict[str, Json] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5-mini"}  # fmt: skip
            yield root
            yield make_span(parent=root, span_id=next(ids), start_s=start_s, attributes=chat)
            for place, (tool, args) in enumerate(calls(release, scenario, number)):
                yield make_span(
                    tool,
                    args,
                    parent=root,
                    span_id=f"{digits[8:22]}{place:02}",
                    start_s=start_s + 1 + place,
                    result="done",
                )


def recording(release: str) -> bytes:
    """The recording of a release: OTLP JSON, one line."""
    return json.dumps(to_otlp_json(list(spans(release)))).encode() + b"\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in ("1.0", "1.1", "1.2"):
        (FOLDER / f"{name}.jsonl.gz").write_bytes(gzip.compress(recording(name), mtime=0))
