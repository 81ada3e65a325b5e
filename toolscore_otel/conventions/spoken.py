"""Where the messages of a model call stand on its span, by convention.

Only spans that are a model call are looked at: frameworks repeat messages on the spans around it, and on tool spans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from toolscore_otel.conventions import (
    attributes as names,
    braintrust,
    content,
    haystack,
    langfuse,
    misreported,
    mlflow,
    old_messages,
)
from toolscore_otel.conventions.cut import CutList
from toolscore_otel.conventions.fields import a_list, an_object, first, text
from toolscore_otel.conventions.flattened import Flattened
from toolscore_otel.conventions.messages import Message, calls
from toolscore_otel.conventions.reading import CallReading, ModelReading
from toolscore_otel.conventions.turns import Recorded, Turn, listed, messages, readings
from toolscore_otel.model import Json, Span


class Place(NamedTuple):
    """Where messages may stand.

    Attributes:
        read: what stands there.
        marks: attributes; without any of them nothing does. None: no attribute tells.
    """

    read: Callable[[Span], Turn]
    marks: frozenset[str] | None = None


_FLAT = (*names.FLAT_INPUTS, *names.FLAT_OUTPUTS)
_MESSAGE_EVENTS = frozenset({names.ASSISTANT_EVENT, names.TOOL_MESSAGE_EVENT, *names.SYSTEM_EVENTS})


_OUT_OF_ORDER = (
    "opentelemetry.instrumentation.openai_agents",
    "openinference.instrumentation.openai_agents",
)
"""Of openai-agents, where a call that waited for approval is answered after those that did not."""


def read(span: Span, model: ModelReading) -> tuple[CallReading, ...]:
    """The calls that a model call asks for, and those of which it hears the answer.

    Args:
        span: of a model call.
        model: what is read of it already; the readings have its convention.

    Returns:
        What the first place gives that holds input, and the first that holds output. Where the model asks for tools and
        that output does not (LiteLLM leaves its calls out there), the first that does.
    """
    if span.scope.name in names.MODELS_APART or _is_overwritten(span):
        return ()
    heard: Turn | None = None
    said: Turn | None = None
    for place in _PLACES:
        if place.marks is not None and place.marks.isdisjoint(span.attributes):
            continue
        turn = place.read(span)
        heard = heard or (turn if turn.heard else None)
        if turn.said and (said is None or (model.asks and _asks(turn) and not _asks(said))):
            said = turn
        if heard and said and (_asks(said) or not model.asks):
            break
    if heard is None and said is None:
        return ()
    turn = Turn(
        heard.heard if heard else (),
        said.said if said else (),
        in_order=span.scope.name not in _OUT_OF_ORDER,
    )
    return readings(model.convention, turn)


def _is_overwritten(span: Span) -> bool:
    """Whether each model call of an agent left its messages on the agent's own span, in part over those of the one before.

    OpenInference does so with ADK 2: the arguments of one call then stand beside the name of another.
    """
    is_agent = span.name.startswith(names.AGENT_SPAN_PREFIX)
    return is_agent and span.attributes.get(names.OI_KIND) == "LLM"


def _asks(turn: Turn) -> bool:
    return any(each.asked for each in turn.said)


def turn_in(attributes: Mapping[str, Json]) -> Turn:
    """The messages of the GenAI conventions in the attributes of a span, an event or a log record."""
    said = messages(listed(attributes.get(names.OUTPUT_MESSAGES)))
    return Turn(
        listed(attributes.get(names.INPUT_MESSAGES)),
        said if any(each.asked or each.text for each in said) else (),
    )


def _attributes(span: Span) -> Turn:
    return misreported.mended(span, turn_in(span.attributes))


def _details(span: Span) -> Turn:
    for event in span.events:
        if event.name == names.DETAILS_EVENT:
            return turn_in(event.attributes)
    return Turn()


def _flattened(span: Span) -> Turn:
    if not any(name.startswith(_FLAT) for name in span.attributes):
        return Turn()
    said = messages(_first(span, names.FLAT_OUTPUTS))
    return misreported.mended(span, Turn(_first(span, names.FLAT_INPUTS), said))


def _first(span: Span, prefixes: Sequence[str]) -> Sequence[Json]:
    """The messages under the first of these prefixes that has any."""
    found = (Flattened(span.attributes, prefix) for prefix in prefixes)
    return next(filter(None, found), ())


def _ai_sdk(span: Span) -> Turn:
    asked = calls(content.unpacked_or_cut(span.attributes.get(names.AI_ASKED)))
    return Turn(
        listed(span.attributes.get(names.AI_PROMPT)),
        (Message(from_model=True, asked=asked),) if asked else (),
    )


def _event_list(span: Span) -> Turn:
    """One JSON list; what the model says comes last, as a choice or (logfire's openai-agents) as its own messages."""
    recorded = listed(span.attributes.get(names.MESSAGE_EVENTS))
    if isinstance(recorded, CutList):  # what comes last is not there
        return Turn(recorded)
    heard = list(recorded)
    said: list[Message] = []
    while heard:
        last = messages(heard[-1:])[0]
        if not last.from_model:
            break
        said.append(last)
        heard.pop()
    return Turn(heard, said[::-1])


def _events(span: Span) -> Turn:
    """One span event a message (Strands, Azure)."""
    heard: list[Recorded] = []
    said: list[Message] = []
    for event in span.events:
        if event.name == names.CHOICE_EVENT:
            said.append(old_messages.choice(dict(old_messages.body(event))))
        elif event.name in _MESSAGE_EVENTS:
            heard.append(old_messages.heard(event))
    return Turn(heard, said)


def _content_events(span: Span) -> Turn:
    """All messages of either side in one span event (Langtrace)."""
    told = {event.name: event.attributes for event in span.events}
    heard, said = (listed(told.get(event, {}).get(name)) for event, name in names.CONTENT_EVENTS)
    return Turn(heard, messages(said))


def _genkit(span: Span) -> Turn:
    if text(span.attributes, names.GENKIT_SUBTYPE) != names.GENKIT_MODEL:
        return Turn()
    asked = content.fields(content.unpacked_or_cut(span.attributes.get(names.GENKIT_INPUT)))
    answered = content.fields(content.unpacked_or_cut(span.attributes.get(names.GENKIT_OUTPUT)))
    reply = an_object(answered.get("message"))
    return Turn(a_list(asked.get("messages")) or (), messages([reply] if reply else ()))


def _haystack(span: Span) -> Turn:
    recorded = first(span.attributes, (names.HAYSTACK_REPLY, names.HAYSTACK_COMPONENT_OUTPUT))
    return Turn((), messages(haystack.replies(content.unpacked_or_cut(recorded))))


def _langfuse(span: Span) -> Turn:
    heard, said = langfuse.turn(span)
    return Turn(heard, messages(said))


def _mlflow(span: Span) -> Turn:
    heard, said = mlflow.turn(span)
    return Turn(heard, messages(said))


def _braintrust(span: Span) -> Turn:
    heard, said = braintrust.turn(span)
    return Turn(heard, messages(said))


_PLACES: tuple[Place, ...] = (
    Place(_attributes, frozenset({names.INPUT_MESSAGES, names.OUTPUT_MESSAGES})),
    Place(_flattened),
    Place(_ai_sdk, frozenset({names.AI_PROMPT, names.AI_ASKED})),
    Place(_event_list, frozenset({names.MESSAGE_EVENTS})),
    Place(_details),
    Place(_events),
    Place(_content_events),
    Place(_genkit, frozenset({names.GENKIT_INPUT, names.GENKIT_OUTPUT})),
    Place(_haystack, frozenset({names.HAYSTACK_REPLY, names.HAYSTACK_COMPONENT_OUTPUT})),
    Place(_langfuse, frozenset({names.LANGFUSE_INPUT, names.LANGFUSE_OUTPUT})),
    Place(_mlflow, frozenset({names.MLFLOW_INPUTS, names.MLFLOW_OUTPUTS})),
    Place(_braintrust, frozenset({*names.BRAINTRUST_INPUTS, *names.BRAINTRUST_OUTPUTS})),
)
