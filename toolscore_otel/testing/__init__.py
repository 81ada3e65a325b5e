"""For users' own tests: hold what an agent did against a contract, and say well what was wrong.

    assert_contract   spans or calls against contracts
    make_call         a call                  make_span   a span of a tool, a model or an agent
    FakeClock         time that moves when it is told to

The fixture `toolscore` is in `toolscore_otel.testing.plugin`: name that in `pytest_plugins`.
"""

from __future__ import annotations

from toolscore_otel.testing.assertion import assert_contract
from toolscore_otel.testing.made import FakeClock, make_call, make_span

__all__ = ["FakeClock", "assert_contract", "make_call", "make_span"]
