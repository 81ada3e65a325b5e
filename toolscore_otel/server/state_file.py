"""The file in which a server keeps its state: SQLite with a write-ahead log, for one process at a time.

A commit is safe once it is with the operating system: it outlives a crash of this process, not one of the machine. The
database itself stays whole in both.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from toolscore_otel.errors import StateError

VERSION = 1
"""Of the tables below; a file with a greater one is not touched."""

NAME = "state.db"
"""Of the file in `state_dir`."""

_APPLICATION = 0x746F_6F6C
_HEADER_BYTES = 100
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE resources (number INTEGER PRIMARY KEY, data BLOB NOT NULL UNIQUE);
CREATE TABLE traces (number INTEGER PRIMARY KEY, trace_id TEXT NOT NULL UNIQUE, closed INTEGER);
CREATE INDEX traces_by_closing ON traces (closed) WHERE closed IS NOT NULL;
CREATE INDEX traces_open ON traces (number) WHERE closed IS NULL;
CREATE TABLE entries (trace INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX entries_by_trace ON entries (trace);
CREATE TABLE findings (trace INTEGER NOT NULL, id TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (trace, id)) WITHOUT ROWID;
CREATE TABLE plain (trace_id TEXT NOT NULL, data BLOB NOT NULL);
CREATE INDEX plain_by_trace ON plain (trace_id);
CREATE TABLE sums (metric TEXT NOT NULL, series BLOB NOT NULL, data BLOB NOT NULL, PRIMARY KEY (metric, series)) WITHOUT ROWID;
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE deliveries (number INTEGER PRIMARY KEY AUTOINCREMENT, data BLOB NOT NULL);
CREATE TABLE cursors (sink TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
"""

_SESSION_TRACES = "CREATE TABLE IF NOT EXISTS session_traces (trace INTEGER PRIMARY KEY)"
"""Came later than the first files of this version, which go on without it; as did the next."""

_SCORES = "CREATE TABLE IF NOT EXISTS scores (trace INTEGER PRIMARY KEY, data BLOB NOT NULL)"


def opened(state_dir: Path) -> sqlite3.Connection:
    """The state's file, made where there is none, and locked against other processes.

    Args:
        state_dir: a folder; made where there is none, readable by this user only.

    Raises:
        StateError: it cannot be made or read, is none of ours, is newer, damaged, or in use.
    """
    file = state_dir / NAME
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        is_short = _is_short(file)
    except OSError as error:
        raise StateError(
            f"the state in `{state_dir}` cannot be opened: {error.strerror}; "
            "let this user read and write there, or name another `state_dir`"
        ) from error
    if is_short:
        raise StateError(damaged(file, "it is cut short"))
    database = sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        _prepare(database, file)
    except sqlite3.Error as error:
        database.close()
        raise StateError(_why(error, file)) from error
    except StateError:
        database.close()
        raise
    return database


def damaged(file: Path, how: str) -> str:
    """What to say of a file that cannot be read."""
    return (
        f"the state in `{file}` cannot be read: {how}; put back a copy, or move the file away to begin "
        "anew (open trajectories and findings that were not delivered are lost with it, and counters begin at 0)"
    )


def _is_short(file: Path) -> bool:
    """Whether the file has fewer pages than it says."""
    with file.open("rb") as stream:
        header = stream.read(_HEADER_BYTES)
    if not header.startswith(b"SQLite format 3\x00"):
        return False
    page_bytes = int.from_bytes(header[16:18], "big") or 1
    page_bytes = 65_536 if page_bytes == 1 else page_bytes
    return file.stat().st_size < page_bytes * int.from_bytes(header[28:32], "big")


def _prepare(database: sqlite3.Connection, file: Path) -> None:
    database.execute("PRAGMA locking_mode = EXCLUSIVE")  # the log then needs no shared memory
    database.execute("BEGIN EXCLUSIVE")
    version = _number(database, "user_version")
    is_new = _number(database, "schema_version") == 0
    if not is_new and _number(database, "application_id") != _APPLICATION:
        raise StateError(damaged(file, "it is a database of another program"))
    if version > VERSION:
        raise StateError(
            f"the state in `{file}` was written by a newer version of toolscore-otel (format {version}, "
            f"this one knows {VERSION}); install that version, or name another `state_dir`"
        )
    database.execute("COMMIT")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute("PRAGMA cache_size = -65536")  # KiB
    if is_new:
        database.executescript(
            f"BEGIN; {_TABLES} PRAGMA application_id = {_APPLICATION}; "
            f"PRAGMA user_version = {VERSION}; COMMIT;"
        )
    database.execute(_SESSION_TRACES)
    database.execute(_SCORES)


def _number(database: sqlite3.Connection, pragma: str) -> int:
    found: int = database.execute(f"PRAGMA {pragma}").fetchone()[0]
    return found


def _why(error: sqlite3.Error, file: Path) -> str:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return (
            f"the state in `{file}` is in use by another process; stop that one, "
            "or give each server a `state_dir` of its own"
        )
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return damaged(file, str(error))
    return f"the state in `{file}` cannot be opened: {error}; look at the disk and its permissions"
