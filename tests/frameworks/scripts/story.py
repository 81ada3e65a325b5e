"""What happens in every run: a support agent looks up an order, deletes a user and fails to send a receipt.

`TURNS` is what the model says. The tools note what really ran in `RAN`: that is the truth the telemetry is held against.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import time_ns  # noqa: TID251 - the truth tells the time by the clock of the spans
from typing import Any

AGENT = "support"
INSTRUCTIONS = "Help the customer with the tools you have."
QUESTION = "Where is order O-1042? Then delete my account C-77 and send me the receipt."
ANSWER = "Order O-1042 is delivered and your account is gone. The receipt could not be sent."

REASON = "asked to be removed"
DELETED = "deleted, 2 orders too"
FAILURE = "mail server is down"


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
    Turn(412, 19, "lookup_order", {"order_id": "O-1042"}),
    Turn(468, 27, "delete_user", {"user_id": "C-77", "reason": REASON}),
    Turn(519, 24, "send_receipt", {"order_id": "O-1042", "copies": 2}),
    Turn(571, 31),
)

RAN: list[dict[str, Any]] = []
"""Tool, arguments, when it ran in nanoseconds, its result (None: it failed), and what had been found by then; in order."""

found_so_far: Callable[[], list[str]] = list
"""The rules that stand broken at this moment; `recording` knows."""


def lookup_order(order_id: str) -> str:
    """Look an order up.

    Args:
        order_id: its number.
    """
    return _ran("lookup_order", {"order_id": order_id}, "delivered, parcel 784")


def delete_user(user_id: str, reason: str) -> str:
    """Delete a user and all that belongs to them.

    Args:
        user_id: whom.
        reason: why.
    """
    return _ran("delete_user", {"user_id": user_id, "reason": reason}, DELETED)


def send_receipt(order_id: str, copies: int) -> str:
    """Send the receipt of an order by mail.

    Args:
        order_id: of which order.
        copies: how many.
    """
    _ran("send_receipt", {"order_id": order_id, "copies": copies}, None)
    raise ConnectionError(FAILURE)


def _ran(tool: str, args: dict[str, Any], result: str | None) -> str:
    at = {"at_ns": time_ns(), "found": found_so_far()}
    RAN.append({"tool": tool, "args": args, "result": result} | at)
    return result or ""
