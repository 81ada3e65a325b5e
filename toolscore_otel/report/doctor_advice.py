"""What to switch on: of an instrumentation for what it does not show, and of those that tell of a rule's calls."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from toolscore_otel.conventions.instrumentations import known_instrumentation
from toolscore_otel.conventions.switches import CONTENT, Instrumentation, Switch
from toolscore_otel.engine.checkable import Missing
from toolscore_otel.engine.observed import Observed
from toolscore_otel.model import Gap

_SWITCHED_AS = {
    "latency": "times",
    "messages": "arguments",
    "dispatch": "arguments",
    "name": "arguments",
    "spans": "arguments",
}
"""Evidence -> what has to be recorded for it; a call of which no message says the name is told by content, too."""


_RARELY_TOLD = ("cost", "model_cost")
"""Few instrumentations tell what anything cost; tokens and contracts do."""


class Advice(Struct, frozen=True):
    """Of one instrumentation.

    Attributes:
        known: what is known of it; None: nothing.
        lacking: facts that are not always there; money aside, which few tell.
        switches: what records more of these.
        never: those of them that it never records.
    """

    known: Instrumentation | None
    lacking: tuple[str, ...]
    switches: tuple[Switch, ...]
    never: tuple[str, ...]


def advice(one: Observed, *, no_calls: bool = False) -> Advice:
    """What to switch on in one instrumentation.

    Args:
        one: what it shows.
        no_calls: whether no instrumentation shows any call: then content is taken to be missing from model calls.
    """
    known = known_instrumentation(one.origin.scope, one.origin.version)
    lacking = [
        name
        for name, fact in one.facts.items()
        if fact.observed < fact.of and name not in _RARELY_TOLD
    ]
    if Gap.TOOL_SPANS_MISSING in one.gaps or (no_calls and one.models):
        lacking += [name for name in CONTENT if name not in lacking]
    switches = known.switches if known else ()
    return Advice(
        known,
        tuple(lacking),
        tuple(switch for switch in switches if not set(switch.records).isdisjoint(lacking)),
        tuple(name for name in lacking if known is not None and name in known.never),
    )


class Turn(Struct, frozen=True):
    """A setting of an instrumentation that tells of a rule's calls.

    Attributes:
        switch: None where it has none for this.
        never: whether it is known never to record this.
        name: of the instrumentation; None where nothing is known of it.
    """

    scope: str
    version: str
    name: str | None
    switch: Switch | None
    never: bool


def turns(missing: Missing) -> Iterator[Turn]:
    """What each of the instrumentations could do about missing evidence."""
    fact = _SWITCHED_AS.get(missing.evidence, missing.evidence)
    seen: set[tuple[str, str]] = set()
    for origin in missing.origins:
        if (origin.scope, origin.version) in seen:
            continue
        seen.add((origin.scope, origin.version))
        known = known_instrumentation(origin.scope, origin.version)
        found = known.switches_for(fact) if known else ()
        for switch in found or (None,):
            yield Turn(
                origin.scope,
                origin.version,
                known.name if known else None,
                switch,
                known is not None
                and fact in known.never
                and missing.evidence != "messages",  # what tells of no tool may tell of those
            )
