"""What model calls used and cost, as plain data: each by itself, and by agent and by model. What is not known is null."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import structs

from toolscore_otel.assembly.spent import Spent
from toolscore_otel.model import AgentTotal, CostSource, Json, Tokens, Turn


def spending_object(turns: Iterable[Turn], totals: Iterable[AgentTotal]) -> dict[str, Json]:
    """What model calls used and cost.

    Args:
        turns: each model call once.
        totals: what runs of agents add up, where no model call tells it.

    Returns:
        `turns`, one object each, and the sums `by_agent` and `by_model`, in order of first use. In a sum, `turns` is how
        many there are, and `tokens_unknown` and `cost_unknown` of how many of them these are not known: then there was at
        least as much as the sum says. What calls themselves report to cost (a paid search, say) is no part of it.
        `agent_totals`, one object each; these stand in no sum.
    """
    turns = tuple(turns)
    return {
        "turns": [_object(turn) for turn in turns],
        "agent_totals": [structs.asdict(total) for total in totals],
        "by_agent": _sums("agent", turns, lambda turn: turn.agent),
        "by_model": _sums("model", turns, lambda turn: turn.model),
    }


def _object(turn: Turn) -> dict[str, Json]:
    found = structs.asdict(turn)
    found["start_unix_nano"], found["end_unix_nano"] = found.pop("start_ns"), found.pop("end_ns")
    return found


def _sums(
    name: str, turns: Sequence[Turn], of: Callable[[Turn], str | None]
) -> list[dict[str, Json]]:
    groups: dict[str | None, list[Turn]] = {}
    for turn in turns:
        groups.setdefault(of(turn), []).append(turn)
    return [{name: key, **_sum(each)} for key, each in groups.items()]


def _sum(turns: Sequence[Turn]) -> dict[str, Json]:
    spent = Spent()
    for turn in turns:
        spent = spent.plus(_spent(turn))
    return {
        "turns": len(turns),
        "tokens": _tokens(turns),
        "tokens_unknown": sum(turn.tokens == _NO_TOKENS for turn in turns),
        "cost_usd": spent.usd,
        "cost_source": spent.source,
        "cost_unknown": spent.blind,
    }


def _spent(turn: Turn) -> Spent:
    if turn.cost_usd is None:
        return Spent(blind=1)
    is_listed = turn.cost_source is CostSource.PRICED
    return Spent.listed(turn.cost_usd) if is_listed else Spent.reported(turn.cost_usd)


_NO_TOKENS = Tokens()


def _tokens(turns: Sequence[Turn]) -> Tokens:
    parts: dict[str, int | None] = {}
    for part in Tokens.__struct_fields__:
        known = [n for turn in turns if (n := getattr(turn.tokens, part)) is not None]
        parts[part] = sum(known) if known else None
    return Tokens(**parts)
