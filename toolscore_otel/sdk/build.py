"""What a scoring is made of, read when a way in is set up and put together when its provider is known."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

from toolscore_otel.contracts import Contract, load
from toolscore_otel.emit import ScoresAs
from toolscore_otel.errors import Problem, clip
from toolscore_otel.sdk.config import SdkConfig
from toolscore_otel.sdk.log_events import LogEvents
from toolscore_otel.sdk.metering import metered
from toolscore_otel.sdk.scoring import LOG, Scoring
from toolscore_otel.sdk.scorings import scoring_of


class Ingredients(Struct, frozen=True, kw_only=True):
    """Contracts, settings and ways out.

    Attributes:
        given: whether contracts were given in code; else they are those of the environment.
        logger_provider: None: the global one, when a finding comes.
        meter_provider: None: the global one.
    """

    contracts: tuple[Contract, ...]
    config: SdkConfig
    given: bool
    logger_provider: Any = None
    meter_provider: Any = None

    @classmethod
    def of(
        cls,
        contracts: Iterable[str | Path | Contract] | None,
        *,
        logger_provider: Any = None,
        meter_provider: Any = None,
        **settings: Any,
    ) -> Ingredients:
        """Read contracts and settings.

        Args:
            contracts: files, folders, `pack:NAME`, or contracts; None: those of `TOOLSCORE_CONTRACTS`.
            logger_provider: where findings go as log events.
            meter_provider: where sums go.
            settings: of `SdkConfig`; None counts as left out.

        Raises:
            ContractError: with everything that is wrong in the contracts.
            ConfigError: a setting that makes no sense.
        """
        config = SdkConfig.from_environment(**settings)
        wanted = list(config.contracts if contracts is None else _several(contracts))
        files = [part for part in wanted if not isinstance(part, Contract)]
        ready = [part for part in wanted if isinstance(part, Contract)]
        return cls(
            contracts=(*(load(files, warn=_warn) if files else ()), *ready),
            config=config,
            given=contracts is not None,
            logger_provider=logger_provider,
            meter_provider=meter_provider,
        )

    def scoring(self, resource: Any, provider: Any = None, *, also_over: bool = False) -> Scoring:
        """The scoring of a provider, as `scoring_of`: its own where it has one, else one of these."""
        found = scoring_of(resource, self._made, provider=provider, also_over=also_over)
        ours, theirs = (
            {c.hash for c in contracts} for contracts in (self.contracts, found.contracts)
        )
        if self.given and ours != theirs:
            LOG.warning(
                "this tracer provider is scored already, with other contracts: those stay in use"
            )
        return found

    def _made(self) -> Scoring:
        scoring = Scoring(self.contracts, self.config)
        events = LogEvents(scoring.contracts, scoring.count, self.logger_provider)
        scoring.listeners.append(events.tell)
        if scoring.config.scores == ScoresAs.EVENTS:
            scoring.score_listeners.append(events.tell_score)
        try:
            metered(scoring, self.meter_provider)
        except Exception as error:  # noqa: BLE001 - of the application's meter provider
            LOG.warning("there are no metrics of findings: %s", type(error).__name__)
        return scoring


def _several(
    contracts: Iterable[str | Path | Contract] | str | Path | Contract,
) -> Iterable[str | Path | Contract]:
    return [contracts] if isinstance(contracts, str | Path | Contract) else contracts


def _warn(problem: Problem) -> None:
    LOG.warning("%s", clip(problem, 500))
