from io import StringIO

import pytest
from rich.console import Console


class Shown:
    """A console of 80 columns, and what was printed on it."""

    def __init__(self) -> None:
        self.file = StringIO()
        self.console = Console(
            file=self.file, width=80, highlight=False, markup=False, emoji=False, color_system=None
        )

    @property
    def lines(self) -> list[str]:
        return self.file.getvalue().splitlines()

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines)


@pytest.fixture
def shown() -> Shown:
    return Shown()
