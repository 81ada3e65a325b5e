"""The HTML report in a real browser."""

from tests.parts.fixtures import page

__all__ = ["page"]
