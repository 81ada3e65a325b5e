"""Findings as JSON to an address of the user's own."""

from __future__ import annotations

from collections.abc import Sequence

from toolscore_otel.emit.finding_json import finding_object
from toolscore_otel.model import Finding, Json
from toolscore_otel.server.config import Webhook
from toolscore_otel.server.deliveries import Delivery
from toolscore_otel.server.reply import OK, Reply
from toolscore_otel.server.sinks.posting import Poster

VERSION = 1
"""Of the body; it grows when something in it changes its meaning or goes."""


class Hook:
    """`{"version": 1, "findings": [...]}`: each finding as `score --format json` writes it, and four keys more.

    These are `time_unix_nano`, `resource` (its attributes), `contract_hash` and `close_reason`. The same finding may come
    again: `id` and `revision` together tell.
    """

    name = "webhook"

    def __init__(self, config: Webhook) -> None:
        self._poster = Poster(config.url.reveal(), config.headers)
        self.close = self._poster.close

    def send(self, deliveries: Sequence[Delivery]) -> Reply:
        """One request; scores are left out."""
        findings: list[Json] = [
            _object(delivery.finding, delivery)
            for delivery in deliveries
            if delivery.finding is not None
        ]
        return self._poster.post({"version": VERSION, "findings": findings}) if findings else OK


def _object(finding: Finding, delivery: Delivery) -> dict[str, Json]:
    return finding_object(finding) | {
        "time_unix_nano": delivery.time_ns,
        "resource": dict(delivery.resource.attributes),
        "contract_hash": delivery.contract_hash,
        "close_reason": delivery.closed_by.value if delivery.closed_by else None,
    }
