"""What is wrong in one configuration, each with its place, its keys and what to do; never with a secret."""

from __future__ import annotations

from collections.abc import Sequence

from toolscore_otel.contracts.notes import Notes
from toolscore_otel.contracts.tree import Document
from toolscore_otel.errors import ConfigError, clip
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.matchers.value import is_list
from toolscore_otel.model import Json
from toolscore_otel.server.config.environment import Written


class ConfigNotes(Notes):
    """Gathers problems. What came from the environment is named as it stands in the file, not by what it holds."""

    def error(self, path: Sequence[str | int], message: str) -> None:
        """Something is wrong at a path.

        Args:
            path: keys and indices from the top.
            message: what, and what to do.
        """
        value = _at(self.document.data, path)
        if isinstance(value, Written):
            message = message.replace(f"`{clip(value[:])}`", f"`{value}`")
        keys = ".".join(map(str, path))
        message = message.replace("SecretText", "a text")
        super().error(path, f"{keys}: {message}" if keys else message)

    def stop(self) -> None:
        """Go on only if nothing was wrong.

        Raises:
            ConfigError: with everything that was, one line each.
        """
        if self.problems:
            ordered = sorted(self.problems, key=lambda problem: problem.where.line or 0)
            raise ConfigError("\n".join(str(problem) for problem in ordered))


def without_file() -> ConfigNotes:
    """Notes on a configuration that stands in no file."""
    return ConfigNotes(Document({}, "configuration"))


def _at(data: Json, path: Sequence[str | int]) -> Json:
    for step in path:
        if is_mapping(data) and isinstance(step, str):
            data = data.get(step)
        elif is_list(data) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data
