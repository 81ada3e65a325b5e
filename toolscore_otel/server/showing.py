"""What a server has in hand, for people: flat, bounded, and nothing of arguments or results."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from toolscore_otel.model import Finding
from toolscore_otel.server.judging import Judging

TRAJECTORIES = 200
"""How many open trajectories are shown, those that were silent longest first."""


def shown(judging: Judging) -> dict[str, list[dict[str, Any]]]:
    """Open trajectories, contracts in use, and the last findings with the last at the end."""
    return {
        "trajectories": list(_trajectories(judging)),
        "contracts": [
            {
                "contract": contract.id,
                "version": contract.version,
                "hash": contract.hash,
                "rules": len(contract.rules),
                "file": str(contract.path or ""),
            }
            for contract in judging.rules.contracts
        ],
        "findings": [_finding(finding) for finding in judging.last],
    }


def _trajectories(judging: Judging) -> Iterator[dict[str, Any]]:
    for trace_id, trace in islice(judging.open_traces(), TRAJECTORIES):
        services = {node.place.resource.service for node in trace.nodes.values()}
        yield {
            "trace_id": trace_id,
            "service": ", ".join(sorted(service for service in services if service)),
            "spans": len(trace),
            "calls": len(trace.calls),
        }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "contract": finding.contract,
        "rule": finding.rule,
        "kind": finding.kind.value,
        "severity": finding.severity.value,
        "label": finding.label.value,
        "tool": finding.tool,
        "agent": finding.agent,
        "service": finding.service,
        "trace_id": finding.trace_id,
        "span_id": finding.span_id,
        "explanation": finding.explanation,
        "revision": finding.revision,
    }
