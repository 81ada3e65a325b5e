"""Calls, errors, times, tokens and cost, by tool and by agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from statistics import median

from rich.table import Table
from rich.text import Text

from toolscore_otel.assembly.node import Node
from toolscore_otel.engine import Engine
from toolscore_otel.model import Status, ToolCall, Trajectory
from toolscore_otel.report.terminal import UNKNOWN, money, number, plain, took


def tools_table(calls: Sequence[ToolCall]) -> Table:
    """One row per tool, in order of first call."""
    table = _table("by tool", "calls", "errors", "median", "longest", "cost")
    by_tool: dict[str, list[ToolCall]] = {}
    for call in calls:
        by_tool.setdefault(call.tool, []).append(call)
    for tool, made in by_tool.items():
        times = [call.duration_s for call in made if call.duration_s is not None]
        table.add_row(
            plain(tool),
            number(len(made)),
            _errors(made),
            took(median(times) if times else None),
            took(max(times, default=None)),
            _cost(call.cost_usd for call in made),
        )
    return table


def agents_table(trajectory: Trajectory, engine: Engine) -> Table:
    """One row per agent: its own calls and model calls, not those of the agents that it called; and the whole."""
    table = _table("by agent", "calls", "errors", "tokens in", "tokens out", "cost")
    models = engine.assembler.trace(trajectory.trace_id).spending.counted()
    agents = [_agent(node) for node in models] + [call.agent for call in trajectory.calls]
    for agent in dict.fromkeys(agents):
        own = [node for node in models if _agent(node) == agent]
        made = [call for call in trajectory.calls if call.agent == agent]
        table.add_row(
            plain(agent or UNKNOWN),
            number(len(made)),
            _errors(made),
            _tokens(node.model.input_tokens for node in own if node.model),
            _tokens(node.model.output_tokens for node in own if node.model),
            _cost(node.usage.own.usd for node in own if node.usage),
        )
    tokens = trajectory.tokens
    whole = [
        "all",
        number(len(trajectory.calls)),
        _errors(trajectory.calls),
        number(tokens.input),
        number(tokens.output),
        money(trajectory.cost_usd),
    ]
    table.add_row(*(Text(text, "bold") for text in whole))
    return table


def _table(*names: str) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=17, no_wrap=True)
    for _ in names[1:]:
        table.add_column(justify="right", min_width=8, no_wrap=True)
    table.add_row(
        Text(names[0], "bold underline"), *(Text(name, "underline") for name in names[1:])
    )
    return table


def _agent(node: Node) -> str | None:
    around = node.agent_node
    return around.agent.name if around is not None and around.agent is not None else None


def _errors(calls: Iterable[ToolCall]) -> str:
    return number(sum(call.status is Status.ERROR for call in calls))


def _tokens(values: Iterable[int | None]) -> str:
    known = [value for value in values if value is not None]
    return number(sum(known) if known else None)


def _cost(values: Iterable[float | None]) -> str:
    known = [value for value in values if value is not None]
    return money(fsum(known) if known else None)
