"""Runs every program, or those named, and writes the tables of the pages: `python -m tests.frameworks.write_tables [NAME...]`.

What stands around the tables, and the shown output, is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.frameworks import seen
from tests.frameworks.catalogue import FRAMEWORKS
from tests.frameworks.environments import python_of
from tests.frameworks.page import INDEX, Page
from tests.frameworks.runs import run_all

_ROWS = re.compile(r"(?<=---\|\n)(?:\|.*\n)+")


def main(names: list[str]) -> None:
    """Write the tables of these frameworks; of all where none is named."""
    for framework in FRAMEWORKS:
        if names and framework.name not in names:
            continue
        page = Page(framework.name)
        with TemporaryDirectory() as folder:
            runs = run_all(python_of(framework.name), page, Path(folder))
        tables = iter([seen.observed_rows(runs), seen.place_rows(runs)])
        page.path.write_text(_with_tables(page.path.read_text(), tables))
        head = f"| [{framework.title}](frameworks/{framework.name}.md)"
        lines = INDEX.read_text().splitlines()
        row = seen.index_row(framework, runs)
        INDEX.write_text("".join(f"{row if line.startswith(head) else line}\n" for line in lines))


def _with_tables(text: str, tables: Iterator[list[str]]) -> str:
    return _ROWS.sub(lambda _: "".join(f"{row}\n" for row in next(tables)), text)


if __name__ == "__main__":
    main(sys.argv[1:])
