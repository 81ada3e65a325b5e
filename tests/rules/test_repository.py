"""What must stand nowhere in the repository."""

import gzip
import re
import subprocess
from pathlib import Path

import pytest

CREDENTIALS = re.compile(
    rb"""
      \bgh[pousr]_[A-Za-z0-9]{36}
    | \bgithub_pat_[A-Za-z0-9_]{22,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
    | \bxox[abeprs]-[A-Za-z0-9-]{10,}
    | \bsk-ant-[A-Za-z0-9_-]{16,}
    | \bsk-(?:proj-)?[A-Za-z0-9_]{40,}
    | \b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}
    | \bAIza[A-Za-z0-9_-]{35}
    | -----BEGIN[ ](?:[A-Z]+[ ])?PRIVATE[ ]KEY-----\s*[A-Za-z0-9+/=]{16,}
    """,
    re.VERBOSE,
)
MACHINE_PATHS = re.compile(rb"(?<![\w.])/(?:root|work|Users|home(?!/dev\b|/user\b))/[\w.]+")
"""A folder of the machine on which somebody worked. Recordings were made in neutral ones."""


@pytest.fixture(scope="module")
def files(root: Path) -> dict[str, bytes]:
    """Every file of the repository that is not ignored, unpacked where it is packed."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=root, capture_output=True, text=True, check=True).stdout
    paths = [root / name for name in names.split("\0") if name]
    return {str(path.relative_to(root)): content(path) for path in paths if path.is_file()}


def content(path: Path) -> bytes:
    """The bytes of a file, unpacked."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def test_the_listing_sees_the_repository(files: dict[str, bytes]) -> None:
    assert {"README.md", "pyproject.toml", "toolscore_otel/errors.py"} <= files.keys()


def test_no_credential_look_alike_stands_in_the_repository(files: dict[str, bytes]) -> None:
    assert [name for name, data in files.items() if CREDENTIALS.search(data)] == []


def test_no_path_of_a_machine_stands_in_the_repository(files: dict[str, bytes]) -> None:
    found = {
        name: match[0] for name, data in files.items() if (match := MACHINE_PATHS.search(data))
    }
    assert found == {}


@pytest.mark.parametrize(
    "parts",
    [
        ("ghp", "_", "a1" * 18),
        ("AKIA", "Z7" * 8),
        ("xoxb", "-1234567890", "-abc"),
        ("sk-ant", "-api03-", "x" * 20),
    ],
    ids=lambda parts: parts[0],
)
def test_a_credential_look_alike_would_be_seen(parts: tuple[str, ...]) -> None:
    assert CREDENTIALS.search(f'token="{"".join(parts)}"'.encode())


def test_a_path_of_a_machine_would_be_seen() -> None:
    assert MACHINE_PATHS.search(f"see /{'root'}/notes".encode())
