"""The mark that requests carry through servers like this one, so that none of them goes round in a circle.

Every request that is sent on names, in one header, all servers it came through.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolscore_otel.server.reply import Outcome, Reply

HEADER = "toolscore-instance"
"""Ids of the servers that a request came through, with commas between them."""

MAX_SERVERS = 16
"""That a request may come through."""


def marked(headers: Mapping[str, str], instance: str) -> str:
    """The mark of a request that goes on from here.

    Args:
        headers: it came with; keys in lower case.
        instance: our own id.
    """
    earlier = headers.get(HEADER, "")
    return f"{earlier},{instance}" if earlier else instance


def refusal(headers: Mapping[str, str], instance: str) -> Reply | None:
    """The answer to a request that came through here before; None to any other."""
    servers = [server.strip() for server in headers.get(HEADER, "").split(",")]
    if instance not in servers and len(servers) <= MAX_SERVERS:
        return None
    return Reply(
        outcome=Outcome.REFUSED,
        message=f"this request came through this server before (`{HEADER}`): `next_hop`, or a pipeline behind it, "
        "leads back here",
    )
