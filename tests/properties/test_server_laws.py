"""Laws of the server: however spans are cut into exports, sent again or met by a restart, the same is said and counted."""

import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings, strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.unit.server.pipeline_made import Made, Next, agent, span, state_in, tool
from toolscore_otel.model import Finding, Label
from toolscore_otel.testing.made import FakeClock

CONTRACT = {
    "contract": "laws",
    "language": 1,
    "forbid": [{"tool": "delete", "severity": "critical"}, {"tool": "shell", "unless": {"agent": "b"}}],
    "require": [{"tool": "log", "min": 1}],
    "limit": [{"tool": "search", "max": 2}],
    "loop": {"same_call": 3},
}  # fmt: skip

TOOLS = st.sampled_from(["delete", "shell", "log", "search", "read"])
ARGS = st.sampled_from(["{}", '{"q": 1}', '{"q": 2}'])


@st.composite
def traces(draw: st.DrawFn) -> list[Span]:
    """One trace: agents under a root, calls and plain spans under them."""
    spans = [agent(1, "a"), agent(2, "b", parent=1), span(3, parent=2, http__route="/")]
    for number in range(4, 4 + draw(st.integers(1, 8))):
        parent = draw(st.sampled_from([1, 2, 3]))
        spans.append(tool(number, draw(TOOLS), draw(ARGS), parent=parent))
    return spans


@st.composite
def deliveries(draw: st.DrawFn) -> tuple[list[Span], list[list[Span]]]:
    """A trace, and exports in which each of its spans comes at least once, in any order."""
    spans = draw(traces())
    again = draw(st.lists(st.sampled_from(spans), max_size=6))
    order = draw(st.permutations(spans + again))
    cuts = sorted(draw(st.lists(st.integers(0, len(order)), max_size=4)))
    bounds = [0, *cuts, len(order)]
    return spans, [order[a:b] for a, b in pairwise(bounds)]


def standing(made: Made) -> set[tuple[str, ...]]:
    """What stands in the end, without the numbers of revisions."""
    last: dict[str, Finding] = {finding.id: finding for finding in made.findings()}
    return {
        (f.id, f.rule, f.label, f.explanation, f.span_id or "", f.agent or "")
        for f in last.values()
        if f.label is not Label.PASS
    }


def of_one_export(spans: list[Span]) -> Made:
    made = Made(CONTRACT)
    made.take(*spans)
    made.close()
    return made


CALLS = "toolscore.tool.calls"


@given(deliveries())
def test_exports_may_be_cut_reordered_and_sent_again(
    given_deliveries: tuple[list[Span], list[list[Span]]],
) -> None:
    spans, exports = given_deliveries
    made = Made(CONTRACT, send=(hop := Next()))
    for export in exports:
        made.take(*export)
    made.close()
    once = of_one_export(spans)

    assert standing(made) == standing(once)
    assert made.counted(CALLS) == once.counted(CALLS)
    assert_nothing_lost([s for export in exports for s in export], hop.spans())


@given(deliveries(), st.sets(st.integers(0, 4)))
@settings(max_examples=40)
def test_a_restart_between_any_two_exports_changes_nothing(
    given_deliveries: tuple[list[Span], list[list[Span]]], restarts: set[int]
) -> None:
    spans, exports = given_deliveries
    clock = FakeClock()
    with tempfile.TemporaryDirectory() as folder:
        made = Made(CONTRACT, state=state_in(Path(folder)), clock=clock)
        for number, export in enumerate(exports):
            made.take(*export)
            if number in restarts:
                made.pipeline.close()
                made.state.close()
                made = Made(CONTRACT, state=state_in(Path(folder)), clock=clock)
        made.close()
        once = of_one_export(spans)

        assert standing(made) == standing(once)
        assert made.counted(CALLS) == once.counted(CALLS)
        made.state.close()


def assert_nothing_lost(came: list[Span], went: list[Span]) -> None:
    """Each span goes on as often as it came, and only events are added."""

    def known(span: Span) -> bytes:
        bare = Span()
        bare.CopyFrom(span)
        del bare.events[:]
        return bare.SerializeToString(deterministic=True)

    assert Counter(map(known, went)) == Counter(map(known, came))
