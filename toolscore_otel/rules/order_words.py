"""What a rule of order waits for: a selector, and what a call that was only asked for must match to be such a one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from toolscore_otel.matchers import Answer, JudgedCall, Selector
from toolscore_otel.matchers.parse import is_mapping
from toolscore_otel.model import Stage


class Wanted(Struct, frozen=True):
    """Calls of which one can be lacking.

    Attributes:
        selector: these calls.
        had_it_run: the same of whatever stage; None where calls that were only asked for count by themselves.
        keys: of the selector, as written.
    """

    selector: Selector
    had_it_run: Selector | None
    keys: Mapping[str, Any]

    def could_have_run(self, call: JudgedCall) -> bool:
        """Whether a call that was only asked for may be one of these: it may have run, and not been seen to."""
        return (
            self.had_it_run is not None
            and call.call.stage is Stage.REQUESTED
            and self.had_it_run.match(call) is not Answer.NO
        )


def wanted(written: Any, *, default_stage: str) -> Wanted:
    """Compile a selector.

    Args:
        written: its keys; a text is short for `{tool: TEXT}`.
        default_stage: where it gives none.

    Raises:
        MatcherError: it is no selector.
    """
    selector = Selector.of(written, default_stage=default_stage)
    keys: Mapping[str, Any] = written if is_mapping(written) else {"tool": written}
    if keys.get("stage", default_stage) != Stage.EXECUTED.value:
        return Wanted(selector, None, keys)
    return Wanted(selector, Selector.of({**keys, "stage": "any"}), keys)
