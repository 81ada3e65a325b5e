"""The clauses of a contract, one file each.

A new clause is one file with a record (fields = YAML keys, `compile()`), a function `items` that splits the clause as
written into rule items, and one line here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from msgspec import Struct

from toolscore_otel.rules import (
    allow_only,
    arguments,
    budget,
    expect,
    forbid,
    limit,
    loop,
    order,
    require,
    secrets,
)
from toolscore_otel.rules.shape import (
    TRAJECTORY,
    CallRule,
    Changes,
    Common,
    Compiled,
    Item,
    RuleFields,
    RuleState,
    RunContext,
    Totals,
    Verdict,
    key_in,
)


class RuleRecord(Protocol):
    """A rule as written: a `Common` that can be compiled."""

    def compile(self) -> Compiled:
        """Ready to run."""
        ...


class Clause(Struct, frozen=True):
    """One clause of the contract language.

    Attributes:
        key: its YAML key.
        record: the class of its rules.
        items: splits the clause as written.
    """

    key: str
    record: type[RuleFields]
    items: Callable[[object], Iterator[Item]]


CLAUSES: tuple[Clause, ...] = (
    Clause("allow_only", allow_only.AllowOnly, allow_only.items),
    Clause("forbid", forbid.Forbid, forbid.items),
    Clause("require", require.Require, require.items),
    Clause("order", order.Order, order.items),
    Clause("limit", limit.Limit, limit.items),
    Clause("loop", loop.Loop, loop.items),
    Clause("budget", budget.Budget, budget.items),
    Clause("arguments", arguments.Arguments, arguments.items),
    Clause("secrets", secrets.Secrets, secrets.items),
    Clause("expect", expect.Expect, expect.items),
)

__all__ = [
    "CLAUSES",
    "TRAJECTORY",
    "CallRule",
    "Changes",
    "Clause",
    "Common",
    "Compiled",
    "Item",
    "RuleFields",
    "RuleRecord",
    "RuleState",
    "RunContext",
    "Totals",
    "Verdict",
    "key_in",
]
