"""Every cap of assembly: its name, its default, and the counter that says how often it was reached."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from toolscore_otel.errors import ConfigError

SECOND = 1_000_000_000
"""Nanoseconds."""

HOUR = 3600 * SECOND


class Limits(Struct, frozen=True, kw_only=True):
    """Caps and times of assembly. Times are nanoseconds.

    Attributes:
        settle_ns: how long after its root's end a trace is closed.
        idle_ns: how long after its last span a trace is closed.
        max_age_ns: how long after its first span a trace is closed.
        open_trajectories: how many are held open; past it the one that was silent longest is closed (`evicted`).
        closed_trajectories: how many closed ones are remembered, so that late spans re-open them; past it the oldest is
            forgotten (counter `forgotten`).
        spans_per_trajectory: past it spans are no longer placed: rules about single calls go on, the trajectory is
            incomplete (counter `span_limit`).

        sessions: how many are remembered; past it the one that is over longest is forgotten (`sessions_forgotten`), else the
            one that was silent longest is closed early (`sessions_evicted`).
        session_calls: how many calls all sessions together hold; past it as past `sessions`.
        session_idle_ns: how long after its last span a session is closed.
        session_max_age_ns: how long after its first span a session is closed.

    Raises:
        ConfigError: a number that makes no sense.
    """

    settle_ns: int = 2 * SECOND
    idle_ns: int = 60 * SECOND
    max_age_ns: int = 3600 * SECOND
    open_trajectories: int = 50_000
    closed_trajectories: int = 500_000
    spans_per_trajectory: int = 50_000
    sessions: int = 50_000
    session_calls: int = 500_000
    session_idle_ns: int = 24 * HOUR
    session_max_age_ns: int = 7 * 24 * HOUR

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            least = 0 if name in ("settle_ns", "closed_trajectories") else 1
            if getattr(self, name) < least:
                raise ConfigError(f"`{name}` must be {least} or more, and is {getattr(self, name)}")


COUNTERS = {
    "spans": "spans, messages and log records fed",
    "duplicates": "spans and log records that had come before, with nothing new in them",
    "replaced": "spans that came again with more in them",
    "reused": "span ids that came again for another call",
    "reuse_limit": "records that were not looked at, for too many other calls under their span id",
    "moved": "spans that came again in another place, so that their trace was put together anew",
    "move_limit": "spans that stayed in their first place, for too many others of their trace had moved",
    "calls": "calls that were rebuilt, each when it was first seen",
    "joined": "calls that turned out to be part of another",
    "late": "spans that re-opened a closed trajectory",
    "forgotten": "closed trajectories that were forgotten, past `closed_trajectories`",
    "evicted": "trajectories that were closed early, past `open_trajectories`",
    "sessions_forgotten": "sessions that were over and are forgotten, past `sessions` or `session_calls`",
    "sessions_evicted": "sessions that were closed early and forgotten, past `sessions` or `session_calls`",
    "session_limit": "calls and spans of a session that were not placed, past `spans_per_trajectory`",
    "span_limit": "spans that were not placed, past `spans_per_trajectory`",
    "crowded": "readings, and calls of MCP, not held against all that they may be one with: too many others share their id or call",
    "across_forgotten": "call ids and calls of MCP that are no longer known where another trace tells of the same call, past a cap of `ids` or `served`",
    "twins_forgotten": "spans that are no longer known where another trace tells of the same call, past a cap of `elsewhere`",
    "offer_limit": "lists of tools that were not kept, for too many others of their trace",
    "exposed_limit": "places of secrets in the messages of a model call that were not kept, for too many others of it",
    "shared_id": "call ids under which so many calls stand that they are named by their spans",
    "shared_response": "response ids under which so many model calls stand that each of them is counted",
    "nesting": "sums that were not carried further up, past the deepest nesting of model and tool calls",
}
"""Every counter of assembly, and what it counts."""


def counters() -> Counter[str]:
    """All counters, at 0."""
    return Counter(dict.fromkeys(COUNTERS, 0))
