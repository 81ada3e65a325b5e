"""The nouns of a comparison: differences, each with how sure it is, by scenario."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


def share(some: int, runs: int) -> str:
    """How many of how many runs: "1 of 2 runs"."""
    return f"{some} of 1 run" if runs == 1 else f"{some} of {runs} runs"


class Kind(StrEnum):
    """What is different, what weighs most first."""

    SCENARIO = "scenario"
    """One side has no run of it."""
    OUTCOME = "outcome"
    """How whole runs end."""
    STATUS = "status"
    """How the calls of a tool end."""
    TOOL_GONE = "tool_gone"
    TOOL_APPEARED = "tool_appeared"
    ARGUMENT_GONE = "argument_gone"
    ARGUMENT_APPEARED = "argument_appeared"
    ARGUMENT_TYPE = "argument_type"
    ARGUMENT_GIVEN = "argument_given"
    """How many calls give an argument, that some on both sides do."""
    ORDER = "order"
    PARALLEL = "parallel"
    """How many calls of one agent ran at once, at most."""
    CALLS = "calls"
    """How often a tool is called in a run."""
    COST = "cost"
    LATENCY = "latency"
    TOKENS = "tokens"


class State(StrEnum):
    """What is known of a difference."""

    CHANGED = "changed"
    FLAPS = "flaps"
    """The old runs differ in it among themselves: no change."""
    NOT_OBSERVED = "not_observed"
    """One side does not show it, or not often enough: whether it changed is not known."""


class Difference(Struct, frozen=True, kw_only=True):
    """One difference.

    Attributes:
        tool: that it is about; of an order, the one that came first in the old runs.
        path: of an argument; of an order, the other tool.
        old: what the old runs show, in words.
        new: what the new runs show.
    """

    kind: Kind
    state: State
    tool: str | None = None
    path: str | None = None
    old: str
    new: str


class Side(Struct, frozen=True, kw_only=True):
    """The runs of one scenario on one side.

    Attributes:
        runs: how many.
        calls: over all of them.
        latency_s: median of those of which it is known.
        cost_usd: likewise.
    """

    runs: int
    calls: int
    latency_s: float | None = None
    cost_usd: float | None = None


class ScenarioDiff(Struct, frozen=True, kw_only=True):
    """One scenario, compared.

    Attributes:
        scenario: its name; empty where none is known.
    """

    scenario: str
    old: Side
    new: Side
    differences: tuple[Difference, ...]

    @property
    def changed(self) -> tuple[Difference, ...]:
        """Those that are changes."""
        return tuple(one for one in self.differences if one.state is State.CHANGED)
