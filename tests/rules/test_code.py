"""Size, docstrings and boundaries that no linter looks at."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolscore_otel import errors

FILE_LINES = 400
FUNCTION_LINES = 40
READS_THE_ENVIRONMENT = {"cli", "sdk", "server"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@pytest.fixture(scope="module")
def sources(package: Path) -> dict[str, str]:
    """Every module of the package: its path from there, and its text."""
    return {
        str(path.relative_to(package)): path.read_text() for path in sorted(package.rglob("*.py"))
    }


def test_no_file_is_longer_than_can_be_read_at_once(sources: dict[str, str]) -> None:
    lengths = {name: len(text.splitlines()) for name, text in sources.items()}
    assert {name: lines for name, lines in lengths.items() if lines > FILE_LINES} == {}


def test_no_function_is_longer_than_a_screen(sources: dict[str, str]) -> None:
    lengths = {
        f"{name}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for name, text in sources.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, FUNCTIONS)
    }
    assert {name: lines for name, lines in lengths.items() if lines > FUNCTION_LINES} == {}


def test_everything_public_says_what_it_is(sources: dict[str, str]) -> None:
    silent = [
        f"{name}:{where}"
        for name, text in sources.items()
        if text.strip()
        for where, node in public(ast.parse(text))
        if ast.get_docstring(node) is None
    ]
    assert silent == []


def public(
    node: ast.Module | ast.ClassDef, prefix: str = ""
) -> Iterator[tuple[str, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    """A module with its public classes, functions and methods, by dotted name."""
    yield prefix, node
    for child in node.body:
        if isinstance(child, ast.ClassDef) and not child.name.startswith("_"):
            yield from public(child, f"{prefix}.{child.name}")
        if isinstance(child, FUNCTIONS) and not child.name.startswith("_"):
            yield f"{prefix}.{child.name}", child


def test_only_the_ways_in_know_environment_variables(sources: dict[str, str]) -> None:
    naming = [name for name, text in sources.items() if re.search(r"\bTOOLSCORE_[A-Z]", text)]
    assert [name for name in naming if Path(name).parts[0] not in READS_THE_ENVIRONMENT] == []


def test_the_error_tree_is_drawn_as_it_stands() -> None:
    drawn: dict[str, str] = {}
    above: list[tuple[int, str]] = []
    for indent, name in re.findall(r"^( +)(\w+Error)\b", errors.__doc__ or "", re.MULTILINE):
        above = [(depth, parent) for depth, parent in above if depth < len(indent)]
        drawn[name] = above[-1][1] if above else "Exception"
        above.append((len(indent), name))
    standing = {
        name: kind.__bases__[0].__name__
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, Exception)
    }
    assert drawn == standing
