"""Messages that an instrumentation is known to lose part of: told from elsewhere on the span, else not observed.

Source:
    Recorded telemetry: @traceloop/instrumentation-anthropic and -openai 0.27, @arizeai/openinference-instrumentation-anthropic
    0.2; netra-sdk 1.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from msgspec import structs

from toolscore_otel.conventions import attributes as names, content
from toolscore_otel.conventions.cut import CutList
from toolscore_otel.conventions.fields import an_object
from toolscore_otel.conventions.flattened import Flattened
from toolscore_otel.conventions.messages import Asked
from toolscore_otel.conventions.turns import Recorded, Turn, listed, messages
from toolscore_otel.model import NOT_OBSERVED, Json, Span

_COMPLETIONS = "gen_ai.completion."


def mended(span: Span, turn: Turn) -> Turn:
    """The messages as they were, as far as the span holds them.

    Args:
        span: of a model call.
        turn: what is read of it by its convention.
    """
    mend = _MENDED.get(span.scope.name)
    return turn if mend is None else mend(span, turn)


def _without_lost_arguments(span: Span, turn: Turn) -> Turn:
    """Of an answer that came as a stream, which has no finish reason here, all arguments are written as `{}`."""
    if any(name in span.attributes for name in names.FINISH_REASONS):
        return turn
    said = [
        structs.replace(each, asked=tuple(_unless_empty(call) for call in each.asked))
        for each in turn.said
    ]
    return structs.replace(turn, said=said)


def _unless_empty(call: Asked) -> Asked:
    return structs.replace(call, args=NOT_OBSERVED) if call.args.value == {} else call


def _with_items(span: Span, turn: Turn) -> Turn:  # noqa: ARG001 - as the others
    """The input of Responses is one message of the user here, with all items in its text."""
    only = messages(turn.heard) if len(turn.heard) == 1 else ()
    items = listed(only[0].text) if only else ()
    return structs.replace(turn, heard=items) if items else turn


def _with_all_answers(span: Span, turn: Turn) -> Turn:
    """Of several answers in one message only the last is written; the request beside it has all."""
    asked = listed(span.attributes.get(names.OI_INPUT))
    is_whole = asked and not isinstance(asked, CutList)
    return structs.replace(turn, heard=asked) if is_whole else turn


def _with_calls(span: Span, turn: Turn) -> Turn:
    """A call that was asked for is the text of a message of its own here, and its id stands beside it."""
    said = messages(map(_call_in, Flattened(span.attributes, _COMPLETIONS)))
    return Turn([_call_in(each) for each in turn.heard], said or turn.said)


def _call_in(recorded: Recorded) -> Recorded:
    whole = {} if isinstance(recorded, msgspec.Raw) else an_object(recorded) or {}
    if whole.get("role") != "assistant" or "tool_call_id" not in whole:
        return recorded
    call: Json = {"id": whole["tool_call_id"], "function": content.fields(whole.get("content"))}
    return {"role": "assistant", "tool_calls": [call]}


_MENDED: Mapping[str, Callable[[Span, Turn], Turn]] = {
    "@traceloop/instrumentation-anthropic": _without_lost_arguments,
    "@traceloop/instrumentation-openai": _with_items,
    f"{names.OI_JS_SCOPE}anthropic": _with_all_answers,
    "netra.instrumentation.openai": _with_calls,
}
"""By instrumentation scope."""
