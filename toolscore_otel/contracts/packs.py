"""Contracts that are shipped with the package, by name."""

from __future__ import annotations

from pathlib import Path

from toolscore_otel.contracts.notes import unknown

PACK = "pack:"
"""Stands before the name of one wherever a path can."""

_FOLDER = Path(__file__).parent / "packs"
_NO_PACK = ".cases"


def pack_file(name: str) -> Path | None:
    """The file of a pack.

    Args:
        name: with `pack:` in front.
    """
    return _files().get(name.removeprefix(PACK))


def no_pack(name: str) -> str:
    """The message for a name that is none."""
    return unknown("pack", name.removeprefix(PACK), _files())


def _files() -> dict[str, Path]:
    files = sorted(_FOLDER.glob("*.yaml"))
    return {file.stem: file for file in files if not file.stem.endswith(_NO_PACK)}
