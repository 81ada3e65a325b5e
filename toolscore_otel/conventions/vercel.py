"""AI SDK 4 to 7 with `experimental_telemetry` (in 7: the legacy integration).

`ai.telemetry.functionId` is the only name an agent has; it stands on every span of a run, the tool's too. Model calls
are the `do*` spans: the span around them repeats their tokens, as a sum or those of the last step.

Source:
    AI SDK documentation, "Telemetry", "Collected data"; recorded.
"""

from __future__ import annotations

from toolscore_otel.conventions import attributes as names, content, usage, usage_names
from toolscore_otel.conventions.counts import Cached
from toolscore_otel.conventions.evidence import Outcome, mastra_failure, message_in, outcome
from toolscore_otel.conventions.fields import first, first_text, text
from toolscore_otel.conventions.genai import own_agent
from toolscore_otel.conventions.producers import cached_by_api
from toolscore_otel.conventions.reading import AgentReading, CallReading, ModelReading, SpanReading
from toolscore_otel.model import Payload, Span, SpanStatus, Status

CONVENTION = "vercel"


def read(span: Span) -> SpanReading | None:
    """Read a span by its operation id; None for steps, embeddings and what is not the AI SDK's."""
    operation = text(span.attributes, names.AI_OPERATION)
    if operation is None:
        return None
    if operation == names.AI_TOOL_CALL:
        return SpanReading(calls=(_call(span),))
    if operation.startswith("ai.") and operation.endswith(names.AI_MODEL_ENDINGS):
        return SpanReading(model=_model(span))
    name = own_agent(span, names.AI_FUNCTION)
    if operation in names.AI_AGENT_OPERATIONS and name is not None:
        return SpanReading(agent=AgentReading(convention=CONVENTION, name=name))
    return None


def _model(span: Span) -> ModelReading:
    """Version 6 counts cached tokens in for every provider, older ones as the provider's API does."""
    provider, model = (
        first_text(span.attributes, of) for of in (names.AI_PROVIDERS, names.AI_MODELS)
    )
    is_newer = any(name.startswith(usage_names.AI_DETAILS) for name in span.attributes)
    how = Cached.WITHIN if is_newer else cached_by_api(provider, model)
    return usage.model_call(CONVENTION, span, usage.VERCEL, how)


def _call(span: Span) -> CallReading:
    arguments, answer = (
        first(span.attributes, of) for of in (names.AI_ARGUMENTS, names.AI_RESULTS)
    )
    result = content.result(answer)
    end = _end(span, result, is_without_answer=arguments is not None and answer is None)
    return CallReading(
        convention=CONVENTION,
        name=text(span.attributes, names.AI_TOOL_NAME),
        args=content.arguments(arguments),
        result=result,
        call_id=text(span.attributes, names.AI_CALL_ID),
        status=end.status,
        error_type=end.error_type,
        error_message=end.error_message,
        agent=own_agent(span, names.AI_FUNCTION),
    )


def _end(span: Span, result: Payload, *, is_without_answer: bool) -> Outcome:
    """How the call ended.

    An answer is written when the tool has returned, so it outweighs a status: the processor of OpenInference carries the
    one of a failed call over to all that end later. Streams of version 4 and before leave failures unmarked.
    """
    if (failure := mastra_failure(result)) is not None:
        return outcome(span, failed=True, message=message_in(failure))
    if span.status is SpanStatus.ERROR and result.value is not None and not span.events:
        return Outcome(Status.OK)
    return outcome(span, unmarked=is_without_answer)
