"""The contracts of a configuration, and whether the routing before this server gives them what they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolscore_otel.contracts import Contract, load
from toolscore_otel.contracts.load import Warn
from toolscore_otel.errors import ConfigError
from toolscore_otel.model import Scope
from toolscore_otel.server.config import Affinity, ServerConfig


def load_contracts(config: ServerConfig, warn: Warn | None = None) -> tuple[Contract, ...]:
    """Load them.

    Args:
        config: names them.
        warn: told of what looks wrong and is no error.

    Raises:
        ContractError: with everything that is wrong in them.
        ConfigError: a contract needs more kept together than `affinity` promises.
    """
    contracts = load(config.contracts, warn=warn)
    if wrong := list(_apart(contracts, config.affinity)):
        raise ConfigError("\n".join(wrong))
    return contracts


def _apart(contracts: Sequence[Contract], affinity: Affinity) -> Iterator[str]:
    if affinity is Affinity.SESSION:
        return
    for contract in contracts:
        if any(rule.scope is Scope.SESSION for rule in contract.rules):
            yield (
                f"{contract.path}: the contract `{contract.id}` has scope `session`, and `affinity: {affinity}` does not "
                "promise that a session's spans reach one server: route by session and set `affinity: session`"
            )
