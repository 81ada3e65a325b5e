"""What the benchmark of the server sends to: programs of their own process, each with the same far end behind it."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.parts.ports import free_address, free_port
from tests.parts.process import Running
from tests.parts.programs import ROOT

Start = Callable[..., Running]

SCANNED = (
    r"\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    r"\bgh[pousr]_[0-9A-Za-z]{36}\b",
    r"\bxox[baprs]-[0-9A-Za-z-]{10,48}\b",
    r"\b[rs]k_(?:live|test)_[0-9A-Za-z]{10,99}\b",
    r"\bAIza[0-9A-Za-z_-]{35}\b",
    r"\beyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}\b",
    r"-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----",
    r"\bsk-(?:proj|ant)-[0-9A-Za-z_-]{40,}\b",
    r"\b[a-z][a-z0-9+.-]{1,15}://[^\s/:@]{0,80}:[^\s/:@]{3,160}@",
    r"(?i)(?:password|passwd|secret|token|api[_-]?key)[\"'\s]{0,3}[:=][\"'\s]{0,3}[^\s\"']{6,150}",
)
"""As scanners publish such patterns: ends of words are looked for, and values by their names."""

PREFIXES = (
    "AKIA[A-Z2-7]{16}",
    "ghp_[0-9A-Za-z]{36}",
    "xoxb-[0-9A-Za-z-]{10,48}",
    "sk_live_[0-9A-Za-z]{10,99}",
    "AIza[0-9A-Za-z_-]{35}",
    r"eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}",
    "-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY",
    "sk-proj-[0-9A-Za-z_-]{40,}",
    "sk-ant-[0-9A-Za-z_-]{40,}",
    "glpat-[0-9A-Za-z_-]{20}",
)
"""The cheapest there are: each begins with fixed characters, so that Go searches for those alone."""

STATEMENTS = (
    'set(span.attributes["forbidden"], true) where span.attributes["gen_ai.tool.name"] == "delete_user"',
    'set(span.attributes["suspicious"], true) where IsMatch(span.attributes["gen_ai.tool.call.arguments"], "DROP TABLE")',
)
REDACTING = {"contract": "redacting", "language": 1, "secrets": {"action": "redact"}}
"""What the Collector does with secrets; and with its two statements:"""
SMALL = REDACTING | {
    "forbid": [
        "delete_user",
        {"tool": "*", "args": {"query": {"$regex": "DROP TABLE"}}},
    ]
}
RULES = 20
TWENTY = REDACTING | {
    "allow_only": ["search_*", "lookup_*"],
    "forbid": [
        *({"tool": f"tool_{n}", "args": {"path": {"$regex": "^/etc"}}} for n in range(11)),
        {"tool": "search_orders", "args": {"query": {"$regex": "DROP TABLE"}}},
        {"tool": "search_orders", "args": {"limit": {"$gt": 100}}},
    ],
    "require": ["search_orders"],
    "limit": [{"tool": "search_orders", "max": 1000}],
    "loop": {"same_call": 1000, "retry_after_error": 3},
    "budget": [{"of": "trace", "latency_ms": 1_000_000_000}],
}


@dataclass(frozen=True)
class Candidate:
    """One that takes exports and hands them on.

    Attributes:
        address: where it listens.
        running: its process, which stands still but in `its_turn`.
    """

    address: str
    running: Running

    @contextmanager
    def its_turn(self) -> Generator[None]:
        """While it may run."""
        self.running.process.send_signal(signal.SIGCONT)
        try:
            yield
        finally:
            self.running.process.send_signal(signal.SIGSTOP)

    def cpu_s(self) -> float:
        """Seconds of processor time that it took since it began."""
        stat = Path(f"/proc/{self.running.process.pid}/stat").read_text()
        ticks = stat.rpartition(")")[2].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def far_end(start: Start, next_hop: str | None = None) -> Candidate:
    """One that hands bytes on and does nothing else; without a next hop, where all of them send to."""
    port = free_port()
    command = [sys.executable, "-m", "tests.bench.far_end", str(port), *filter(None, [next_hop])]
    running = start(command, f"far-end-{port}", {"PYTHONPATH": str(ROOT)})
    return Candidate(f"127.0.0.1:{port}", running)


def collector(
    start: Start, otelcol: Path, file: Path, patterns: Sequence[str], next_hop: str
) -> Candidate:
    """A Collector with redaction and transform, and no queue: the next hop answers first, as inline."""
    address, health = free_address(), free_address()
    exporter = {
        "endpoint": next_hop,
        "tls": {"insecure": True},
        "compression": "none",
        "sending_queue": {"enabled": False},
        "retry_on_failure": {"enabled": False},
    }
    config = {
        "receivers": {
            "otlp": {"protocols": {"grpc": {"endpoint": address, "max_recv_msg_size_mib": 64}}}
        },
        "processors": {
            "redaction": {
                "allow_all_keys": True,
                "summary": "silent",
                "blocked_values": [pattern.replace("$", "$$") for pattern in patterns],
            },
            "transform": {"error_mode": "ignore", "trace_statements": STATEMENTS},
        },
        "exporters": {"otlp_grpc": exporter},
        "extensions": {"health_check": {"endpoint": health}},
        "service": {
            "extensions": ["health_check"],
            "telemetry": {"metrics": {"level": "none"}},
            "pipelines": {
                "traces": {
                    "receivers": ["otlp"],
                    "processors": ["redaction", "transform"],
                    "exporters": ["otlp_grpc"],
                }
            },
        },
    }
    file.write_text(json.dumps(config))
    running = start([str(otelcol), "--config", str(file)], file.stem)
    running.wait_until_ready(f"http://{health}")
    return Candidate(address, running)


def server(
    start: Start, folder: Path, contract: dict[str, Any], next_hop: str, **settings: Any
) -> Candidate:
    """A `toolscore-otel serve`, inline."""
    address, admin = free_address(), free_address()
    folder.mkdir()
    (folder / "contract.yaml").write_text(json.dumps(contract))
    config = {
        "mode": "inline",
        "contracts": ["contract.yaml"],
        "receivers": {"otlp": {"protocols": {"grpc": {"endpoint": address}}}},
        "next_hop": {"endpoint": next_hop, "tls": {"insecure": True}, "compression": "none"},
        "metrics": {"prometheus": None},
        "admin": {"endpoint": admin},
        **settings,
    }
    file = folder / "toolscore.yaml"
    file.write_text(json.dumps(config))
    command = [sys.executable, "-m", "toolscore_otel.cli", "serve", "--config", str(file)]
    running = start(command, folder.name)
    running.wait_until_ready(f"http://{admin}/readyz")
    return Candidate(address, running)
