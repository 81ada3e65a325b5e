"""What `toolscore_otel` offers, and what importing it costs."""

import subprocess
import sys
from types import ModuleType

import toolscore_otel

HEAVY = {"opentelemetry", "grpc", "google.protobuf", "genai_prices", "hyperscan", "rich", "click"}
PLUMBING = {"TYPE_CHECKING", "annotations", "import_module"}
"""What the package's module needs for itself."""


def test_the_list_of_public_names_is_what_is_public() -> None:
    bound = {
        name for name, value in vars(toolscore_otel).items() if not isinstance(value, ModuleType)
    }
    given = vars(toolscore_otel)["_WHERE"]
    lazy = {name for names in given.values() for name in names}
    public = {name for name in bound | lazy if not name.startswith("_")} - PLUMBING
    assert set(toolscore_otel.__all__) - {"__version__"} == public


def test_public_names_are_sorted_and_come_once() -> None:
    assert list(toolscore_otel.__all__) == sorted(set(toolscore_otel.__all__))


def test_every_public_name_is_there() -> None:
    assert [name for name in toolscore_otel.__all__ if not hasattr(toolscore_otel, name)] == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = "import sys, toolscore_otel; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "toolscore_otel" in loaded
    assert HEAVY & loaded == set()
