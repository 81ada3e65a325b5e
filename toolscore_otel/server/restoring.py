"""An engine goes on from what the state kept: open trajectories at start, closed ones when something late comes.

A trace that is replayed says what it said before, so that nothing of it is handed on again. Where secrets were taken out
of it, a rule that looked at one may say something else; then what was said stands, and nothing more is said under that
id. What comes later of such a trace has its secrets taken out first, so that a secret is compared with its like, and a
span that comes again is known again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field, structs

from toolscore_otel.assembly import Place
from toolscore_otel.contracts import Contract
from toolscore_otel.conventions.reading import SpanReading
from toolscore_otel.emit.metrics import Sums
from toolscore_otel.emit.score_store import Said
from toolscore_otel.engine import Engine, replay
from toolscore_otel.model import Finding, Label
from toolscore_otel.server.deliveries import KeptTrace
from toolscore_otel.server.fault import told
from toolscore_otel.server.kept import sealed, sealed_place, without_secrets_of
from toolscore_otel.server.no_state import NoState
from toolscore_otel.server.room import SPAN_BYTES
from toolscore_otel.server.state import State

_LOG = logging.getLogger(__name__)

CLOSED_IN_MEMORY = 1_000
"""How many closed trajectories stay in memory although they are on disk: most late spans come soon."""


class Recalled(Struct, kw_only=True):
    """What was replayed.

    Attributes:
        kept: the last revision of each finding that was said before: known, and not to be said again.
        scores: what was said of the scores of each trace.
        findings: to be said where they differ from `kept`; of other traces, too, that were closed to make room.
        sizes: about how much memory each trace takes.
    """

    kept: list[Finding] = field(default_factory=list[Finding])
    scores: dict[str, Said] = field(default_factory=dict[str, Said])
    findings: list[Finding] = field(default_factory=list[Finding])
    sizes: dict[str, int] = field(default_factory=dict[str, int])


class Restoring:
    """Brings traces back into an engine.

    Args:
        state: where they are kept.
        sums: restored from it.
        contracts: in use now.
        before: hash of each contract that was in use last, by id (`Kept.contracts`).
    """

    def __init__(
        self,
        state: State | NoState,
        sums: Sums,
        contracts: Sequence[Contract],
        before: Mapping[str, str],
    ) -> None:
        self._state = state
        self._sums = sums
        self._before = dict(before)
        self._sealed: set[str] = set()
        self._settled: dict[str, set[str]] = {}
        self.use(contracts)

    def use(self, contracts: Sequence[Contract]) -> None:
        """Contracts are in use from now on."""
        self._same = {c.id for c in contracts if self._before.setdefault(c.id, c.hash) == c.hash}

    def start(self, engine: Engine, now: int) -> Recalled:
        """Replay all open trajectories, and all traces of open sessions; while nobody listened, none was silent.

        Args:
            engine: new.
            now: nanoseconds.

        Raises:
            StateError: the state cannot be read.
        """
        recalled = Recalled()
        for trace_id in self._state.traces_to_replay():
            self._recall(engine, trace_id, recalled)
        engine.resume(now)
        last = {finding.id: finding for finding in recalled.findings}
        recalled.findings = list(last.values())  # of a session, once all of its traces are there
        return recalled

    def recall(self, engine: Engine, trace_id: str) -> Recalled | None:
        """Replay a trace that an engine does not know, before something is added to it; None where nothing is kept.

        Raises:
            StateError: the state cannot be read.
        """
        if engine.knows(trace_id):
            return None
        recalled = Recalled()
        return recalled if self._recall(engine, trace_id, recalled) else None

    def as_kept(
        self, place: Place, reading: SpanReading | None
    ) -> tuple[Place, SpanReading | None]:
        """What has just come, as the rest of its trace is known: without secrets where those were taken out of it."""
        if place.trace_id not in self._sealed:
            return place, reading
        sealer = self._state.sealer
        resource = without_secrets_of(place.resource, sealer)
        place = structs.replace(sealed_place(place, sealer), resource=resource)
        return place, None if reading is None else sealed(reading, sealer)

    def may_be_said(self, finding: Finding) -> bool:
        """Whether a finding is more than what the lack of a secret made of one."""
        return finding.id not in self._settled.get(finding.trace_id, ())

    def unload(self, engine: Engine, keep: int = CLOSED_IN_MEMORY) -> None:
        """Let closed trajectories go from memory, if they are on disk; to be called when all was committed."""
        if isinstance(self._state, NoState):
            return
        for trace_id in engine.unload(keep):
            self._sealed.discard(trace_id)
            self._settled.pop(trace_id, None)

    def _recall(self, engine: Engine, trace_id: str, recalled: Recalled) -> bool:
        kept = self._state.load(trace_id)
        if kept is None:
            return False
        replayed = replay(engine, trace_id, kept.entries)
        for error in replayed.errors:
            _LOG.error("a span that was kept cannot be judged, and is left out: %s", told(error))
        if replayed.closed:
            self._sums.was_counted(replayed.closed[-1])
        else:
            self._sums.was_said(kept.findings)
        last = {finding.id: finding for finding in replayed.findings}
        if kept.sealed:
            self._sealed.add(trace_id)
            self._settled[trace_id] = settled = self._differing(kept, last.values())
            last = {key: finding for key, finding in last.items() if key not in settled}
        recalled.kept += kept.findings
        if kept.scores:
            recalled.scores[trace_id] = kept.scores
        recalled.sizes[trace_id] = len(kept.entries) * SPAN_BYTES + kept.content_bytes
        known = {finding.id for finding in kept.findings}
        recalled.findings += (
            finding
            for finding in last.values()
            if finding.label is not Label.PASS or finding.id in known
        )
        recalled.findings += replayed.others
        return True

    def _differing(self, kept: KeptTrace, findings: Iterable[Finding]) -> set[str]:
        """Ids under which a contract that is still the same now says something else than before."""
        said = {finding.id: finding for finding in kept.findings}
        return {
            finding.id
            for finding in findings
            if finding.contract in self._same and not _agree(finding, said.get(finding.id))
        }


def _agree(finding: Finding, said: Finding | None) -> bool:
    if said is None:
        return finding.label is Label.PASS
    return structs.replace(finding, revision=said.revision) == said
