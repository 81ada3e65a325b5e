"""Who the server is, in its own telemetry."""

from __future__ import annotations

from importlib.metadata import version

SCOPE = "toolscore_otel"
"""Name of the instrumentation scope."""


def own_resource(instance_id: str) -> dict[str, str]:
    """The resource attributes of this server.

    Args:
        instance_id: the same for as long as its counters go on.
    """
    return {
        "service.name": "toolscore-otel",
        "service.version": version("toolscore-otel"),
        "service.instance.id": instance_id,
    }
