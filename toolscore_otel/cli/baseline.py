"""The baseline of a gate as a file."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from toolscore_otel.errors import ConfigError
from toolscore_otel.gate import Entry, Store, accepted, read_store, write_store


def load_baseline(path: Path) -> Store:
    """The store in a file; an empty one where there is no file yet.

    Raises:
        ConfigError: a file that cannot be read, or that is no store.
    """
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return Store()
    except OSError as error:
        raise ConfigError(f"cannot read the baseline `{path}`: {error.strerror}") from error
    return read_store(text, str(path))


def accept_into(path: Path, release: str, entries: Iterable[Entry]) -> None:
    """Add runs to the store in a file, which is written whole or not at all.

    Whoever reads it meanwhile, or after a crash, finds the old one; of several who accept at once each finds what the others
    wrote.

    Raises:
        ConfigError: it cannot be read or written.
    """
    target = path.resolve()  # what a link leads to is replaced, not the link
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target.parent):
            _replace(target, write_store(accepted(load_baseline(path), release, entries)))
    except OSError as error:
        raise ConfigError(f"cannot write the baseline `{path}`: {error.strerror}") from error


def _replace(target: Path, text: str) -> None:
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


@contextmanager
def _alone(folder: Path) -> Generator[None]:
    """Nobody else accepts into this folder meanwhile, where the system has such locks."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows
        yield
        return
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
