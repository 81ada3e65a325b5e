"""Findings as alerts, straight to a Prometheus Alertmanager.

An alert is a state and a finding is an event, so an alert fires for `FIRING_S` after its last finding was handed over,
and ends by itself: `endsAt` goes with every alert, and `resolve_timeout` of the Alertmanager does not matter. Findings with equal labels are
one alert; its annotations are those of the last one. A correction ends an alert at once where no other finding that is
known to this process stands behind it.

Violations alone make alerts; what could not be checked, rules in shadow, and scores do not.
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from toolscore_otel.emit.log_events import name_of
from toolscore_otel.model import Finding, Json, Label
from toolscore_otel.server.config import Alertmanager
from toolscore_otel.server.deliveries import Delivery
from toolscore_otel.server.reply import OK, Outcome, Reply
from toolscore_otel.server.sinks.posting import Poster

FIRING_S = 3600
"""How long an alert fires."""

PATH = "/api/v2/alerts"

REMEMBERED = 10_000
"""Of how many findings it is known which alert they stand behind."""

_NO_NAME = re.compile(r"[^A-Za-z0-9_]")

Labels = tuple[tuple[str, str], ...]


class Alerts:
    """Posts alerts.

    Args:
        config: where the Alertmanager is.
        clock: nanoseconds since the epoch. What waited through an outage fires as long as anything else.
    """

    name = "alertmanager"

    def __init__(self, config: Alertmanager, *, clock: Callable[[], int] = time.time_ns) -> None:
        self._clock = clock
        self._poster = Poster(config.url.rstrip("/") + PATH, config.headers)
        self._behind: OrderedDict[str, Labels] = OrderedDict()
        self.close = self._poster.close

    def send(self, deliveries: Sequence[Delivery]) -> Reply:
        """One request, with the alerts that begin, go on and end."""
        before = self._behind.copy()
        alerts = [alert for delivery in deliveries for alert in self._alerts(delivery)]
        reply = self._poster.post(alerts) if alerts else OK
        if reply.outcome is not Outcome.OK:
            self._behind = before  # these deliveries come again
        return reply

    def _alerts(self, delivery: Delivery) -> list[Json]:
        """What a delivery means: the alert that it stands behind, and the one that nothing stands behind any longer."""
        finding, now_ns = delivery.finding, self._clock()
        if finding is None:
            return []
        before = self._behind.pop(finding.id, None)
        labels = None
        alerts: list[Json] = []
        if finding.label is Label.FAIL and not finding.shadow:
            labels = self._behind[finding.id] = labels_of(finding)
            while len(self._behind) > REMEMBERED:
                self._behind.popitem(last=False)
            ends_ns = now_ns + FIRING_S * 1_000_000_000
            alerts.append(_alert(labels, finding, delivery.time_ns, ends_ns))
        if before not in (None, labels) and before not in self._behind.values():
            alerts.append(_alert(before or (), finding, None, now_ns))
        return alerts


def labels_of(finding: Finding) -> Labels:
    """The labels of a finding's alert; the contract's own go first, and hide none of ours.

    An agent is often known only a moment later, and another label would be another alert: it stands in the annotations.
    """
    ours = {
        "alertname": "Toolscore" + finding.kind.value.title().replace("_", ""),
        "severity": finding.severity.value,
        "contract": finding.contract,
        "rule": finding.rule,
        "kind": finding.kind.value,
        "tool": finding.tool,
        "service": finding.service,
    }
    theirs = {_label(name): value for name, value in finding.labels.items()}
    return tuple(sorted((name, value) for name, value in (theirs | ours).items() if value))


def _label(name: str) -> str:
    """A label name as Prometheus takes it."""
    plain = _NO_NAME.sub("_", name)
    return f"_{plain}" if plain[:1].isdigit() else plain


def _alert(labels: Labels, finding: Finding, starts_ns: int | None, ends_ns: int) -> Json:
    annotations = {
        "summary": name_of(finding),
        "description": finding.explanation,
        "agent": finding.agent,
        "trace_id": finding.trace_id,
        "span_id": finding.span_id,
        "finding_id": finding.id,
        "runbook_url": finding.runbook,
    }
    alert: dict[str, Json] = {
        "labels": dict(labels),
        "annotations": {name: value for name, value in annotations.items() if value},
        "endsAt": _time(ends_ns),
    }
    return alert if starts_ns is None else alert | {"startsAt": _time(starts_ns)}


def _time(time_ns: int) -> str:
    return datetime.fromtimestamp(time_ns / 1e9, UTC).isoformat(timespec="milliseconds")
