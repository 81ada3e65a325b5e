"""A virtual environment for each framework, and for each peer of a benchmark, built by uv where it is missing and kept for the next time.

Frameworks of different makers cannot share one: they pin each other's libraries apart.
"""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

REQUIREMENTS = Path(__file__).parent / "requirements"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
ENVIRONMENTS = CACHE / "toolscore-otel" / "frameworks"


class NoEnvironmentError(Exception):
    """uv is missing, or could not build it (no network, a version that is gone)."""


def python_of(name: str, folder: Path = REQUIREMENTS) -> Path:
    """The interpreter of the environment that a folder pins, which is built where it is missing or not as pinned now."""
    requirements = folder / f"{name}.txt"
    digest = sha256(f"{sys.version}\0{requirements.read_text()}".encode()).hexdigest()
    home = ENVIRONMENTS / f"{name}-{sys.version_info.major}.{sys.version_info.minor}"
    mark = home / "built-from"
    python = home / "bin" / "python"
    if not mark.is_file() or mark.read_text() != digest:
        _uv("venv", "--clear", "--python", sys.executable, str(home))
        _uv("pip", "sync", "--python", str(python), str(requirements))
        mark.write_text(digest)
    return python


def pins(name: str) -> dict[str, str]:
    """Each package of a framework's environment, with its version."""
    lines = (REQUIREMENTS / f"{name}.txt").read_text().splitlines()
    pairs = (line.split(";")[0].strip().split("==") for line in lines if "==" in line)
    return {package: version for package, version in pairs if not package.startswith("#")}


def _uv(*arguments: str) -> None:
    command = ["uv", "--quiet", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoEnvironmentError(f"`{' '.join(command)}`: {error}") from error
    if done.returncode != 0:
        raise NoEnvironmentError(f"`{' '.join(command)}` ended with\n{done.stderr}")
