"""The way in through the OpenTelemetry SDK: an application's own spans, scored as they end.

attach     one line: processor, exporter where given, and a handle on what was found
processor  scores                    exporter   findings onto spans, secrets out of them
sampler    rules see what a sampler drops       hooks      the same without code
"""

from __future__ import annotations

from toolscore_otel.sdk.attach import Attached, attach
from toolscore_otel.sdk.config import SdkConfig
from toolscore_otel.sdk.exporter import ToolscoreSpanExporter
from toolscore_otel.sdk.processor import ToolscoreSpanProcessor
from toolscore_otel.sdk.sampler import ToolscoreSampler

__all__ = [
    "Attached",
    "SdkConfig",
    "ToolscoreSampler",
    "ToolscoreSpanExporter",
    "ToolscoreSpanProcessor",
    "attach",
]
