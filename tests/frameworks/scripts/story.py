"""What happens in every run: a support agent looks up an order, deletes a user and fails to send a receipt.

`TURNS` is what the model says. What really ran is noted in `RAN`: that is the truth the telemetry is held against.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from inspect import isfunction, signature
from time import time_ns  # noqa: TID251 - the truth tells the time by the clock of the spans
from types import ModuleType
from typing import Any

from toolscore_otel.secrets.samples import make_sample

ANSWER = "Order O-1042 is delivered and your account is gone. The receipt could not be sent."
TOKEN = make_sample("github_token_classic", 1)
"""A fake credential, pasted where it does not belong: the first call has it among its arguments and in its result."""


@dataclass(frozen=True)
class Turn:
    """One answer of the model: a tool to call, or its last words.

    Attributes:
        prompt_tokens: those of the whole history, as a provider counts them.
    """

    prompt_tokens: int
    completion_tokens: int
    tool: str | None = None
    args: dict[str, Any] = field(default_factory=dict)


TURNS = (
    Turn(412, 19, "lookup_order", {"order_id": f"O-1042 {TOKEN}"}),
    Turn(468, 27, "delete_user", {"user_id": "C-77", "reason": "asked to be removed"}),
    Turn(519, 24, "send_receipt", {"order_id": "O-1042", "copies": 2}),
    Turn(571, 31),
)

RAN: list[dict[str, Any]] = []
"""Tool, arguments, when it ran in nanoseconds, its result (None: it failed), its error, and what had been found by then."""


def note_what_runs(shop: ModuleType) -> None:
    """From here on, the tools of the shop note each run of theirs in `RAN`."""
    for name, tool in vars(shop).copy().items():
        if isfunction(tool):
            setattr(shop, name, _noting(tool))


def _noting(tool: Callable[..., str]) -> Callable[..., str]:
    @wraps(tool)
    def noted(*args: Any, **kwargs: Any) -> str:
        given = signature(tool).bind(*args, **kwargs).arguments
        note = {"tool": tool.__name__, "args": given, "at_ns": time_ns(), "found": _found_so_far()}
        RAN.append(note | {"result": None, "error": None})
        try:
            result = tool(*args, **kwargs)
        except Exception as error:
            RAN[-1]["error"] = str(error)
            raise
        RAN[-1]["result"] = result
        return result

    return noted


def _found_so_far() -> list[str]:
    """The rules that stand broken at this moment, by what the running program attached."""
    program: Any = sys.modules["__main__"]
    return [finding.rule for finding in program.found.findings() if finding.label == "fail"]
