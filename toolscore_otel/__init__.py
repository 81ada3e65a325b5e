"""What agents really did with their tools, held against contracts.

Spans of any agent framework come in, the tool calls are rebuilt, and every contract is held against them:

    read_file      a recording -> spans and log records
    load           contract files -> contracts
    score          spans and contracts -> a report, all at once
    Engine         the same, span by span: findings at the moment they fire
    judge_calls    calls that are there already, without any span
    attach         the same in an application, on the spans of its own tracer
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolscore_otel.assembly import Limits
    from toolscore_otel.contracts import Contract, load
    from toolscore_otel.engine import Engine, Report, judge_calls, score
    from toolscore_otel.errors import ContractError, InputError, ToolscoreError
    from toolscore_otel.model import Finding, LogRecord, Severity, Span, ToolCall, Trajectory
    from toolscore_otel.sdk import attach
    from toolscore_otel.wire import read_file

__all__ = [
    "Contract",
    "ContractError",
    "Engine",
    "Finding",
    "InputError",
    "Limits",
    "LogRecord",
    "Report",
    "Severity",
    "Span",
    "ToolCall",
    "ToolscoreError",
    "Trajectory",
    "attach",
    "judge_calls",
    "load",
    "read_file",
    "score",
]

_WHERE = {
    "assembly": ("Limits",),
    "contracts": ("Contract", "load"),
    "engine": ("Engine", "Report", "judge_calls", "score"),
    "errors": ("ContractError", "InputError", "ToolscoreError"),
    "model": ("Finding", "LogRecord", "Severity", "Span", "ToolCall", "Trajectory"),
    "sdk": ("attach",),
    "wire": ("read_file",),
}
"""What each part gives. It is loaded when that is asked for: who uses one part waits for no other."""


def __getattr__(name: str) -> object:
    for part, given in _WHERE.items():
        if name in given:
            return getattr(import_module(f"{__name__}.{part}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
