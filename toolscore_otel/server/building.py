"""What stands behind the receivers, put together from a configuration: state, pipeline, outbox, metrics, next hop."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from msgspec import structs
from starlette.applications import Starlette

from toolscore_otel.assembly import Limits
from toolscore_otel.contracts import Contract
from toolscore_otel.emit import ScoresAs
from toolscore_otel.emit.metrics import Sums
from toolscore_otel.server.admission import Admission
from toolscore_otel.server.config import Mode, ServerConfig, nanoseconds, seconds
from toolscore_otel.server.counting import Counting
from toolscore_otel.server.judging import Rules
from toolscore_otel.server.next_hop import NextHop
from toolscore_otel.server.no_state import NoState
from toolscore_otel.server.otlp_metrics import MetricsPusher
from toolscore_otel.server.outbox import Outbox
from toolscore_otel.server.own_resource import own_resource
from toolscore_otel.server.pipeline import Pipeline, Sends
from toolscore_otel.server.prometheus import metrics_app
from toolscore_otel.server.readings import Readings, tell_contracts, tell_engine
from toolscore_otel.server.reply import Outcome, Reply, Signal
from toolscore_otel.server.room import SPAN_BYTES
from toolscore_otel.server.sinks.chosen import sinks_of, takes_scores
from toolscore_otel.server.state import State

DELIVER_S = 10.0
"""How long the last deliveries may take at the end."""

MIB = 1024 * 1024

_SENT = "toolscore.next_hop.sent"
_FAILED = "toolscore.next_hop.failed"


class Built:
    """A core of real parts; restored once it is made.

    Args:
        config: of the server.
        contracts: in use from the start.
        admission: whose bytes are shown as in flight.
        instance: id of this process, by which requests that come back are known.

    Attributes:
        counting: of the server itself.
        instance: names whose metrics these are, with a `state_dir` over restarts: as long as their sums go on.

    Raises:
        ConfigError: certificates cannot be used.
        StateError: what was kept cannot be read.
    """

    def __init__(
        self,
        config: ServerConfig,
        contracts: Sequence[Contract],
        admission: Admission,
        instance: str,
    ) -> None:
        self.counting = Counting()
        self._admission = admission
        self._loaded_s = time.time()
        with ExitStack() as undoing:
            self._state = _state(config)
            undoing.callback(self._state.close)
            self.instance = self._state.instance
            hop = _next_hop(config, instance)
            if hop is not None:
                undoing.callback(hop.close)
            sinks = sinks_of(config, next_hop=hop, instance=instance)
            self._outbox = Outbox(self._state, sinks, self.counting)
            sums = Sums()
            self._pipeline = Pipeline(
                structs.replace(
                    _rules(config, contracts, self._state.key),
                    tells_scores=config.findings.scores is ScoresAs.EVENTS and takes_scores(sinks),
                ),
                state=self._state,
                sums=sums,
                counting=self.counting,
                send=None if hop is None else _counted(hop.send, self.counting),
                wake=self._outbox.wake,
            )
            self._readings = Readings(
                sums,
                self.counting,
                [self._look],
                start_ns=time.time_ns(),
                sums_start_ns=self._pipeline.began_ns,
            )
            self._push = self._metrics_push(config, instance, undoing)
            self._ending = undoing.pop_all()

    def start(self) -> None:
        """Begin to deliver findings and to push metrics."""
        self._outbox.start()
        if self._push is not None:
            self._push.start()

    def handle(self, signal: Signal, data: bytes, headers: Mapping[str, str]) -> Reply:
        """The answer to one export."""
        return self._pipeline.handle(signal, data, headers)

    def tick(self) -> None:
        """Let time pass."""
        self._pipeline.tick()

    def reload(self, contracts: Sequence[Contract]) -> None:
        """Other contracts are in use from now on.

        Raises:
            StateError: it cannot be kept; what was there stays in use.
        """
        self._pipeline.reload(contracts)
        self._loaded_s = time.time()

    def debug(self) -> Mapping[str, Any]:
        """Open trajectories, contracts and the last findings, for people."""
        return self._pipeline.debug()

    def metrics_app(self, resource: Mapping[str, str]) -> Starlette:
        """What answers `/metrics`."""
        return metrics_app(self._readings, resource)

    def close(self) -> None:
        """Close what is open, deliver what waits, and let go of everything."""
        with self._ending:
            self._pipeline.close()
            self._outbox.stop(DELIVER_S)
            if self._push is not None:
                self._push.stop(DELIVER_S)

    def _metrics_push(
        self, config: ServerConfig, instance: str, undoing: ExitStack
    ) -> MetricsPusher | None:
        if (push := config.metrics.otlp) is None:
            return None
        hop = NextHop(push, instance=instance)
        undoing.callback(hop.close)
        return MetricsPusher(
            self._readings,
            lambda data: hop.send(Signal.METRICS, data),
            self.counting,
            resource=own_resource(self.instance),
            interval_s=seconds(push.interval),
        )

    def _look(self, counting: Counting) -> None:
        """How things stand, at the begin of each collection."""
        pipeline = self._pipeline
        tell_engine(
            counting,
            counters={**pipeline.counters(), **self._state.counters},
            rule_errors=pipeline.rule_errors(),
            open_trajectories=pipeline.open_trajectories,
        )
        tell_contracts(counting, [(contract, self._loaded_s) for contract in pipeline.contracts])
        counting.set("toolscore.receiver.in_flight", self._admission.in_flight_bytes)
        if isinstance(self._state, State):
            counting.set("toolscore.state.size", self._state.size_bytes)


def _state(config: ServerConfig) -> State | NoState:
    key = None if config.secrets.key is None else config.secrets.key.reveal().encode()
    if config.state_dir is None:
        return NoState(key)
    closed = config.limits.closed_trajectories
    return State(Path(config.state_dir), key, closed_trajectories=closed)


def _next_hop(config: ServerConfig, instance: str) -> NextHop | None:
    if config.mode is not Mode.INLINE or config.next_hop is None:
        return None
    return NextHop(config.next_hop, instance=instance)


def _rules(config: ServerConfig, contracts: Sequence[Contract], key: bytes) -> Rules:
    times, caps = config.trajectories, config.limits
    limits = Limits(
        settle_ns=nanoseconds(times.settle),
        idle_ns=nanoseconds(times.idle),
        max_age_ns=nanoseconds(times.max_age),
        open_trajectories=caps.open_trajectories,
        closed_trajectories=caps.closed_trajectories,
        spans_per_trajectory=caps.spans_per_trajectory,
        session_calls=max(1, caps.memory_mib * MIB // (2 * SPAN_BYTES)),
        session_idle_ns=nanoseconds(config.sessions.idle),
        session_max_age_ns=nanoseconds(config.sessions.max_age),
    )
    return Rules(
        contracts=contracts,
        limits=limits,
        lateness_ns=nanoseconds(times.lateness),
        fingerprint_key=key,
        memory_bytes=caps.memory_mib * MIB,
    )


def _counted(send: Sends, counting: Counting) -> Sends:
    """The same, with what became of it counted."""
    for signal in Signal:
        counting.count(_SENT, 0, signal=signal.value)
        for outcome in Outcome:
            if outcome is not Outcome.OK:
                counting.count(_FAILED, 0, signal=signal.value, outcome=outcome.value)

    def counted(signal: Signal, data: bytes, headers: Mapping[str, str]) -> Reply:
        reply = send(signal, data, headers)
        if reply.outcome is Outcome.OK:
            counting.count(_SENT, signal=signal.value)
        else:
            counting.count(_FAILED, signal=signal.value, outcome=reply.outcome.value)
        return reply

    return counted
