"""The way in through the OpenTelemetry SDK: an application's own spans, scored as they end.

attach     one line: processor, exporter where given, and a handle on what was found
processor  scores                    exporter   findings onto spans, secrets out of them
sampler    rules see what a sampler drops       log_exporter   secrets out of log records
hooks      the same without code
"""

from __future__ import annotations

try:
    from toolscore_otel.sdk.attach import Attached, attach
    from toolscore_otel.sdk.config import SdkConfig
    from toolscore_otel.sdk.exporter import ToolscoreSpanExporter
    from toolscore_otel.sdk.log_exporter import ToolscoreLogRecordExporter
    from toolscore_otel.sdk.log_processor import ToolscoreLogProcessor
    from toolscore_otel.sdk.processor import ToolscoreSpanProcessor
    from toolscore_otel.sdk.sampler import ToolscoreSampler
except ModuleNotFoundError as error:
    if not (error.name or "").startswith("opentelemetry"):
        raise
    raise ImportError(
        "toolscore_otel.sdk needs opentelemetry-sdk 1.36 or later: "
        "pip install 'opentelemetry-sdk>=1.36'"
    ) from error

__all__ = [
    "Attached",
    "SdkConfig",
    "ToolscoreLogProcessor",
    "ToolscoreLogRecordExporter",
    "ToolscoreSampler",
    "ToolscoreSpanExporter",
    "ToolscoreSpanProcessor",
    "attach",
]
