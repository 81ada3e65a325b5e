"""Which sinks a configuration asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toolscore_otel.server.config import FindingsAs, Mode, ServerConfig
from toolscore_otel.server.next_hop import NextHop
from toolscore_otel.server.outbox import Sink
from toolscore_otel.server.sinks.alertmanager import Alerts
from toolscore_otel.server.sinks.file import FindingsFile
from toolscore_otel.server.sinks.otlp import OtlpLogs, OtlpSpans
from toolscore_otel.server.sinks.stderr import Lines
from toolscore_otel.server.sinks.webhook import Hook


def sinks_of(config: ServerConfig, *, next_hop: NextHop | None, instance: str = "") -> list[Sink]:
    """The sinks of a server; one on stderr where no other is asked for.

    Args:
        config: of the server.
        next_hop: where spans go on to; findings go there, too, where nothing else is said.
        instance: our own id, which marks what we send.

    Raises:
        ConfigError: certificates cannot be used.
    """
    findings = config.findings
    sinks: list[Sink] = []
    if findings.file is not None:
        sinks.append(FindingsFile(Path(findings.file)))
    if findings.alertmanager is not None:
        sinks.append(Alerts(findings.alertmanager))
    if findings.webhook is not None:
        sinks.append(Hook(findings.webhook))
    if findings.otlp is not None:
        hop = NextHop(findings.otlp, instance=instance)
        sinks += _otlp(hop, findings.as_, is_ours=True)
    elif config.mode is Mode.INLINE and next_hop is not None and not sinks:
        sinks += _otlp(next_hop, findings.as_, is_ours=False)
    return sinks or [Lines()]


def takes_scores(sinks: Sequence[Sink]) -> bool:
    """Whether scores reach anybody: people, alerts and webhooks are told of findings alone."""
    return any(isinstance(sink, FindingsFile | OtlpLogs | OtlpSpans) for sink in sinks)


def _otlp(hop: NextHop, as_: FindingsAs, *, is_ours: bool) -> list[Sink]:
    """Logs, spans or both; each has its own cursor, so that none is sent again for the other's sake."""
    sinks: list[Sink] = []
    end = hop.close if is_ours else lambda: None
    if as_ is not FindingsAs.SPANS:
        sinks.append(OtlpLogs(hop.send, end))
    if as_ is not FindingsAs.LOGS:
        sinks.append(OtlpSpans(hop.send, end))
    return sinks
