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

from toolscore_otel.assembly import Limits
from toolscore_otel.contracts import Contract, load
from toolscore_otel.engine import Engine, Report, judge_calls, score
from toolscore_otel.errors import ContractError, InputError, ToolscoreError
from toolscore_otel.model import Finding, LogRecord, Severity, Span, ToolCall, Trajectory
from toolscore_otel.wire import read_file

if TYPE_CHECKING:
    from toolscore_otel.sdk import attach

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

_LAZY = {"attach": "toolscore_otel.sdk"}  # loads opentelemetry


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
