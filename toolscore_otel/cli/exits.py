"""Exit codes, and errors as one paragraph on stderr, without the secrets that somebody may have typed."""

from __future__ import annotations

import sys
import textwrap
from enum import IntEnum

from toolscore_otel.errors import ContractError, Problem, ToolscoreError


class Exit(IntEnum):
    """What a command ended with."""

    PASS = 0
    FINDINGS = 1
    """Findings at or above `--fail-on`, or a case that differs."""
    USAGE = 2
    """Usage, contract or input that cannot be used, or output that cannot be written."""
    NOT_JUDGED = 3
    """Nothing could be judged, or a bug of ours ended it."""
    INTERRUPTED = 130
    """By the keyboard; as shells have it."""
    PIPE_CLOSED = 141
    """Whoever read the output wants no more of it; as shells have it."""


def explain(error: ToolscoreError) -> str:
    """An error for people: what, where and what to do, wrapped to 80 columns."""
    if isinstance(error, ContractError):
        count = len(error.problems)
        head = "1 problem" if count == 1 else f"{count} problems"
        lines = [f"toolscore-otel: {head} in the contracts:"]
        lines += [wrapped(str(problem), "  ") for problem in error.problems]
        return "\n".join(lines)
    if len(lines := str(error).split("\n")) > 1:
        head = f"toolscore-otel: {len(lines)} problems in the configuration:"
        return "\n".join([head, *(wrapped(line, "  ") for line in lines)])
    return wrapped(f"toolscore-otel: {error}", "")


def wrapped(text: str, indent: str) -> str:
    """Text without secrets, wrapped at 80 columns for a person; words (paths above all) are never broken.

    Where nobody looks, it stays on one line, so that a search finds a message with its file and line.
    """
    from toolscore_otel.secrets.messages import hidden

    text = hidden(text)
    if not sys.stderr.isatty():
        return f"{indent}{text}"
    return textwrap.fill(
        text,
        width=80,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def warn(problem: Problem) -> None:
    """A warning about a contract, on stderr."""
    complain(wrapped(f"warning: {problem}", ""))


def complain(text: str) -> None:
    """Write to stderr."""
    print(text, file=sys.stderr)
