"""What is built holds what it must, and installs without its extras."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.wheel

HEAVY = ["opentelemetry", "grpc", "google.protobuf", "genai_prices", "hyperscan", "rich", "click"]
WHEEL_BYTES = 2_000_000


@pytest.fixture(scope="module")
def built(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist."""
    folder = tmp_path_factory.mktemp("built")
    uv(root, "build", "--quiet", "--out-dir", str(folder))
    return folder


@pytest.fixture(scope="module")
def installed(root: Path, built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment into which the wheel went, with its plain dependencies as locked."""
    folder = tmp_path_factory.mktemp("installed")
    locked = folder / "locked.txt"
    uv(
        root, "export", "--quiet", "--frozen", "--no-default-groups", "--no-emit-project", "--no-hashes",
        "--output-file", str(locked),
    )  # fmt: skip
    uv(folder, "venv", "--quiet", "--python", sys.executable, "venv")
    python = folder / "venv" / "bin" / "python"
    (wheel,) = built.glob("*.whl")
    uv(
        folder,
        "pip",
        "install",
        "--quiet",
        "--python",
        str(python),
        "--constraint",
        str(locked),
        str(wheel),
    )
    return python.parent


def uv(folder: Path, *arguments: str) -> None:
    """Run uv in a folder; what it says is shown where it fails."""
    program = os.environ.get("UV") or shutil.which("uv") or "uv"
    subprocess.run([program, *arguments], cwd=folder, check=True)


def test_the_wheel_holds_the_whole_package_and_nothing_else(built: Path, package: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = {
        path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == {str(path.relative_to(package.parent)) for path in files}
    assert "toolscore_otel/py.typed" in names
    assert wheel.stat().st_size < WHEEL_BYTES


def test_the_sdist_holds_package_and_licence_and_no_tests(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        tops = {Path(name).parts[1] for name in archive.getnames() if len(Path(name).parts) > 1}
    assert {"LICENSE", "README.md", "pyproject.toml", "toolscore_otel"} <= tops
    assert "tests" not in tops


def test_a_plain_installation_imports_light(installed: Path, tmp_path: Path) -> None:
    program = f"import json, sys, toolscore_otel; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    done = subprocess.run(
        [str(installed / "python"), "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == []


def test_without_its_extra_the_command_says_what_to_install(
    installed: Path, tmp_path: Path
) -> None:
    command = [str(installed / "toolscore-otel"), "version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    said = done.stderr.splitlines()
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(said) == 1
    assert "toolscore-otel[cli]" in said[0]
