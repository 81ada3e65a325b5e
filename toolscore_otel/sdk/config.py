"""Settings of the way in through the SDK. Each has one environment variable; `VARIABLES` lists them all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from toolscore_otel.assembly import Limits
from toolscore_otel.emit import ScoresAs
from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.secrets.messages import hidden

MS = 1_000_000
"""Nanoseconds."""

_SESSION_CALLS = 50_000
"""How many calls the sessions of an application hold together."""


class SdkConfig(Struct, frozen=True, kw_only=True):
    """How spans are scored inside an application.

    Attributes:
        contracts: files, folders and `pack:NAME`.
        exporter: name of the exporter behind ours where none is given in code: `otlp`, `console`, or any that is
            installed as `opentelemetry_traces_exporter`.
        log_exporter: the same of log records, of those installed as `opentelemetry_logs_exporter`.
        secret_key: of secrets' fingerprints; left out: random, so that fingerprints differ between processes.
        settle_ms: how long after its root's end a trace is closed.
        idle_ms: how long after its last span a trace is closed.
        max_age_ms: how long after its first span a trace is closed.
        lateness_ms: how long a verdict waits that a span still to come could turn.
        open_trajectories: how many are held open; also how many sessions are remembered.
        closed_trajectories: how many closed ones are remembered, so that late spans re-open them.
        spans_per_trajectory: past it only rules about single calls go on.
        findings: how many are kept readable; past it the oldest traces' are forgotten (counter `findings_forgotten`).
        scores: of closed traces: `events` beside the findings and in the metric, or in the `metric` alone.
        names_per_label: of tools, agents and services on metrics; past it they fold into `_other`.

    Raises:
        ConfigError: a number that makes no sense.
    """

    contracts: tuple[str, ...] = ()
    exporter: str = "otlp"
    log_exporter: str = "otlp"
    secret_key: str = field(default_factory=lambda: secrets.token_hex(16))
    settle_ms: int = 2_000
    idle_ms: int = 60_000
    max_age_ms: int = 3_600_000
    lateness_ms: int = 0
    open_trajectories: int = 2_000
    closed_trajectories: int = 2_000
    spans_per_trajectory: int = 10_000
    findings: int = 10_000
    scores: str = ScoresAs.EVENTS
    names_per_label: int = 100

    def __post_init__(self) -> None:
        for name in ("lateness_ms", "findings", "names_per_label"):
            if getattr(self, name) < 0:
                raise ConfigError(f"`{name}` must be 0 or more, and is {getattr(self, name)}")
        if self.scores not in tuple(ScoresAs):
            known = " or ".join(f"`{word}`" for word in ScoresAs)
            raise ConfigError(hidden(f"`scores` must be {known}, and is `{clip(self.scores)}`"))
        if not self.secret_key:
            raise ConfigError("`secret_key` is empty; give at least 16 random characters")
        self.limits()

    def __repr__(self) -> str:
        told = {name: getattr(self, name) for name in self.__struct_fields__} | {"secret_key": ...}
        return f"SdkConfig({', '.join(f'{name}={value!r}' for name, value in told.items())})"

    def limits(self) -> Limits:
        """The limits of assembly."""
        return Limits(
            settle_ns=self.settle_ms * MS,
            idle_ns=self.idle_ms * MS,
            max_age_ns=self.max_age_ms * MS,
            open_trajectories=self.open_trajectories,
            closed_trajectories=self.closed_trajectories,
            spans_per_trajectory=self.spans_per_trajectory,
            sessions=self.open_trajectories,
            session_calls=_SESSION_CALLS,
        )

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str] | None = None, **given: Any
    ) -> SdkConfig:
        """The settings of the environment; what is given in code goes first.

        Args:
            environment: left out: the process's own.
            given: settings by name; None counts as left out.

        Raises:
            ConfigError: a setting that does not exist, or a value that makes no sense.
        """
        variables = os.environ if environment is None else environment
        known = {name: value for name, value in given.items() if value is not None}
        for name in known:
            if name not in VARIABLES:
                raise ConfigError(
                    hidden(f"there is no setting `{clip(name)}`; there are {_listed()}")
                )
        for name, variable in VARIABLES.items():
            if name not in known and (text := variables.get(variable, "").strip()):
                known[name] = _value(name, variable, text)
        return cls(**known)


VARIABLES: Mapping[str, str] = {
    name: "TOOLSCORE_" + name.upper() for name in SdkConfig.__struct_fields__
}
"""Setting -> its environment variable."""

CONTRACTS = VARIABLES["contracts"]
"""Switches the hooks on that need no code."""


def _listed() -> str:
    return ", ".join(f"`{name}`" for name in VARIABLES)


def _value(name: str, variable: str, text: str) -> Any:
    if name == "contracts":
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if name in ("exporter", "log_exporter", "secret_key", "scores"):
        return text
    try:
        return int(text)
    except ValueError:
        message = f"`{variable}` must be a whole number, and is `{clip(text)}`"
        raise ConfigError(hidden(message)) from None  # whose text has it, too
