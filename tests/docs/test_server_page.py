"""The page about the server lists every key of its configuration, with its default."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from msgspec import Struct, structs

from toolscore_otel.contracts import source, tree
from toolscore_otel.server import app, building, codes, http_connection, logs, stalls
from toolscore_otel.server.config import NextHopConfig, ServerConfig

PAGES = Path(__file__).parent.parent.parent / "docs" / "pages"
PAGE = PAGES / "server.md"
ROW = re.compile(r"^\| `([a-z_.]+)` \| (.+?) \| (.+) \|$", re.MULTILINE)
NOT_REPEATED = {("findings", "otlp"), ("metrics", "otlp")}
"""Records that take the keys of `next_hop`."""
IN_WORDS = {10: "ten", 100: "hundredth"}
SAID = [
    ("server.md", f"has to have come in after {http_connection.REQUEST_S:.0f} s over HTTP"),
    ("server.md", f"over gRPC {stalls.PATIENCE_S:.0f} s after its call was opened"),
    ("server.md", f"holds {http_connection.MOST_CONNECTIONS:,} connections, or a fourth of the files"),
    ("server.md", f"open ones end ({app.GRACE_S:.0f} s)"),
    ("server.md", f"delivered ({building.DELIVER_S:.0f} s each for findings and metrics)"),
    ("server.md", f"is shown {IN_WORDS[logs.FIRST]} times in {IN_WORDS[int(logs.INTERVAL_S)]} seconds"),
    ("server.md", f"then every {IN_WORDS[logs.EVERY]} time"),
    ("contracts.md", f"may have {source.MAX_BYTES / 1e6:.0f} MB"),
    ("contracts.md", f"{tree.MAX_DEPTH} levels and {tree.MAX_VALUES:,} values"),
]  # fmt: skip
"""Page -> what it says of a number of the code."""


@pytest.fixture(scope="module")
def rows():
    """Key -> its default as the page has it."""
    found = [(key, default) for key, default, _ in ROW.findall(PAGE.read_text())]
    assert len(dict(found)) == len(found)
    return dict(found)


def keys(kind: type[Struct], given: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Each key that is no group of others, and its default; `given` is the default record, or None."""
    for field in structs.fields(kind):
        key = (*path, field.encode_name)
        inner = record_in(field.type)
        default = getattr(given, field.name) if given is not None else default_of(field)
        if inner is None or key in NOT_REPEATED:
            yield ".".join(key), written(default)
        else:
            yield from keys(inner, default if isinstance(default, Struct) else None, key)


def record_in(kind: Any) -> type[Struct] | None:
    """The record that a key takes."""
    options = get_args(kind) or (kind,)
    return next((o for o in options if isinstance(o, type) and issubclass(o, Struct)), None)


def default_of(field: structs.FieldInfo) -> Any:
    """The default of a key that stands in no default record."""
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def written(default: Any) -> str:
    """A default as the page writes it."""
    if default is msgspec.NODEFAULT:
        return "needed"
    if default is None or default in ([], {}):
        return "none"
    plain = msgspec.to_builtins(default)
    return f"`{str(plain).lower() if isinstance(plain, bool) else plain}`"


def test_every_key_stands_in_the_table_with_its_default(rows):
    assert rows == dict(keys(ServerConfig, ServerConfig()))


def test_the_keys_that_are_not_repeated_are_those_of_the_next_hop():
    for group, name in NOT_REPEATED:
        kind = next(f.type for f in structs.fields(ServerConfig) if f.name == group)
        inner: Any = record_in(next(f.type for f in structs.fields(kind) if f.name == name))
        assert issubclass(inner, NextHopConfig)


@pytest.mark.parametrize(("page", "said"), SAID)
def test_a_number_on_a_page_is_that_of_the_code(page, said):
    assert said in " ".join((PAGES / page).read_text().split())


def test_every_code_stands_on_the_page():
    text = PAGE.read_text()
    assert [c.name for c in codes.GRPC.values() if c.name not in text and c.name != "PERMISSION_DENIED"] == []  # fmt: skip
    assert [c for c in codes.HTTP.values() if str(c) not in text and c != 403] == []
