"""Input of the commands: recordings from files or stdin, with progress on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from toolscore_otel.errors import InputError, Location
from toolscore_otel.model import LogRecord, Span
from toolscore_otel.wire import ReadStats, group_recordings, read_file

WORTH_SHOWING = 5_000_000
"""From how many bytes of input on progress is shown."""

each_option = click.option(
    "--each",
    is_flag=True,
    help="Each recording by itself: files that share their name up to the first dot.",
)


def recordings(paths: Iterable[str], *, each: bool) -> dict[str, list[Path]]:
    """Name -> files: one recording per name up to the first dot, or all files as one under ""."""
    if each:
        return group_recordings(paths)
    return {"": [Path(path) for path in paths]}


class Reader:
    """Reads files and counts what was in them.

    Attributes:
        stats: of everything read so far.

    Raises:
        InputError: an address is given in the place of a file.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        paths = tuple(paths)
        for path in paths:
            if "://" in path:  # a path of it would no longer show that a password stands in it
                raise InputError(Location(path), "this is no file: fetch it first")
        self.stats = ReadStats()
        self._total = sum(_size(path) for path in paths)
        self._advance: Callable[[int], None] | None = None

    @property
    def has_much(self) -> bool:
        """Whether the input is much, as far as that is known before it is read."""
        return self._total >= WORTH_SHOWING

    @contextmanager
    def progress(self) -> Generator[None]:
        """Show a bar on stderr while reading, where there is much to read and a person to see it."""
        if not self.has_much or not sys.stderr.isatty():
            yield
            return
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("reading", total=self._total)
            self._advance = lambda count: bar.advance(task, count)
            yield
            self._advance = None

    def read(self, paths: Iterable[Path]) -> Iterator[Span | LogRecord]:
        """All spans and log records of these files, in file order."""
        for path in paths:
            yield from read_file(path, stats=self.stats, on_bytes=self._advance)


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0  # stdin, or a file whose reading will say what is wrong
