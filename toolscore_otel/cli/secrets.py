"""`toolscore-otel secrets`: where secrets stand in the lines of a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import click
import msgspec

from toolscore_otel.cli.exits import Exit
from toolscore_otel.matchers.parse import is_mapping

_WORTH_SHOWING = 5_000_000
"""From how many bytes of input on progress is shown."""

Advance = Callable[[int], None]
"""Told of bytes that were read."""


@click.command(short_help="Find secrets in the lines of a file.")
@click.argument("file", metavar="FILE")
@click.option(
    "--key",
    envvar="TOOLSCORE_SECRET_KEY",
    metavar="TEXT",
    help="Key of the fingerprints; the same key gives the same ones. Left out: a new one each time.",
)
@click.option(
    "--contracts",
    multiple=True,
    metavar="PATH",
    help="Also look for the kinds that these contracts describe.",
)
def secrets(file: str, key: str | None, contracts: tuple[str, ...]) -> int:
    """Find secrets in the lines of FILE (gzip works, - reads stdin), and write per line what was found.

    Of a line that is a JSON object with a text under `text`, that text is searched; of any other line, all of it. Offsets
    count in code points of what was searched; what is no UTF-8 counts as replacement characters. No character of a secret is
    written.

    \b
    Example:
      toolscore-otel secrets arguments.jsonl
    """
    import secrets as random_source  # the standard library's

    from toolscore_otel.contracts import load
    from toolscore_otel.contracts.secret_patterns import scanner_of
    from toolscore_otel.secrets import Fingerprints

    scanner = scanner_of(load(contracts)) if contracts else scanner_of(())
    fingerprints = Fingerprints(key.encode() if key else random_source.token_bytes(32))
    write = sys.stdout.buffer.write
    found = False
    with _progress(file) as advance:
        for number, text in enumerate(_texts(file, advance), start=1):
            hits = scanner.scan_text(text, fingerprints=fingerprints)
            found = found or bool(hits)
            write(msgspec.json.encode({"line": number, "findings": hits}) + b"\n")
    return Exit.FINDINGS if found else Exit.PASS


def _texts(path: str, advance: Advance) -> Iterator[str]:
    """What is searched of each line."""
    name = "<stdin>" if path == "-" else path
    for line in _lines(path, name, advance):
        yield _text_in(line.decode("utf-8", "replace").rstrip("\r\n"))


def _lines(path: str, name: str, advance: Advance) -> Iterator[bytes]:
    from toolscore_otel.wire.sniff import GZIP
    from toolscore_otel.wire.source import file_chunks, inflate, split_lines

    def read() -> Iterator[bytes]:
        for chunk in file_chunks(path):
            advance(len(chunk))
            yield chunk

    chunks = read()
    first = next(chunks, b"")
    whole = chain([first], chunks)
    return split_lines(inflate(whole, name) if first.startswith(GZIP) else whole)


def _text_in(line: str) -> str:
    try:
        told: object = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return line
    text: object = told.get("text") if is_mapping(told) else None
    return text if isinstance(text, str) else line


@contextmanager
def _progress(path: str) -> Generator[Advance]:
    """A bar on stderr, where there is much to read and a person to see it."""
    total = Path(path).stat().st_size if Path(path).is_file() else 0
    if total < _WORTH_SHOWING or not sys.stderr.isatty():
        yield lambda _count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("searching"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("searching", total=total)
        yield lambda count: bar.advance(task, count)
