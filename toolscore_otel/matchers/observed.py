"""From what was recorded of arguments or a result to the value that matchers look at."""

from __future__ import annotations

from toolscore_otel.matchers.cut import read_cut, read_cut_text
from toolscore_otel.matchers.value import UNKNOWN, Value
from toolscore_otel.model import ContentState, Json, Payload

_OBSERVED = ContentState.OBSERVED


def observed(payload: Payload) -> Value:
    """What is known of arguments or a result.

    Returns:
        The value where it was observed; what a cut text still shows; else UNKNOWN. Text that is whole and no JSON
        keeps nothing.
    """
    return observed_parts(payload.state, payload.value, payload.text)


def observed_parts(state: ContentState, value: Json, text: str | None) -> Value:
    """The same, from the parts of a payload as a `ToolCall` holds them."""
    if state is _OBSERVED:
        return value
    if state is ContentState.TRUNCATED and text is not None:
        return read_cut(text)
    return UNKNOWN


def observed_result(state: ContentState, value: Json, text: str | None) -> Value:
    """As `observed_parts`, of a result: what is no JSON is a text."""
    if state is ContentState.TRUNCATED and text is not None:
        return read_cut_text(text)
    return observed_parts(state, value, text)
