"""Chat messages in the shapes of all providers: which tools a message asks for, and which it answers.

A message may be an object, JSON text of one, text in text, or a Python literal. Understood are OpenAI chat messages and
Responses items, Anthropic's, Gemini's and Bedrock's content blocks, the parts of the GenAI conventions, and the messages
of LangChain, the AI SDK, Genkit, Haystack and OpenInference, by what they hold and not by who wrote them: instrumentations
copy one another's shapes.

An answer says how the call ended only where it carries a mark (`is_error`, `status`); its text is no evidence.

Of a message that was cut (`cut`) what stands whole counts. Arguments or a result that may have gone on, or that may have come
after the cut, are truncated. An answer whose id may have come after it is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, structs

from toolscore_otel.conventions import content, literals
from toolscore_otel.conventions.attributes import ITEM_ID
from toolscore_otel.conventions.cut import CutList, CutObject, CutValue
from toolscore_otel.conventions.fields import a_list, an_object, first, first_text, text
from toolscore_otel.model import NOT_OBSERVED, Json, Payload, Status

_MODEL_ROLES = frozenset({"assistant", "model", "ai", "AIMessage", "AIMessageChunk"})
_ANSWER_ROLES = frozenset({"tool", "function", "ToolMessage"})
_ASKING = frozenset({"tool_call", "tool_use", "tool-call", "function_call", "function"})
_ANSWERING = frozenset({"tool_call_response", "tool_result", "tool-result", "function_call_output"})
_PART_OF_A_TURN = frozenset({"function_call", "reasoning"})
"""Items of OpenAI's Responses that are no message and come from the model."""
_WRAPPED_ASKING = ("functionCall", "function_call", "toolUse", "toolRequest", "tool_call")
_WRAPPED_ANSWER = (
    "functionResponse",
    "function_response",
    "toolResult",
    "toolResponse",
    "tool_call_result",
)
_ENVELOPES = ("message", "data", "kwargs")
"""Around a message: choices and OpenInference, LangChain, LangChain's serialisation."""

_ASKED_IDS = ("call_id", "id", "toolCallId", "tool_call_id", "toolUseId", "ref")
_ANSWERED_IDS = ("tool_call_id", "call_id", "tool_use_id", "toolUseId", "toolCallId", "id", "ref")
_NAMES = ("name", "toolName", "tool_name")
_ARGUMENTS = ("arguments", "args", "input")
_RESULTS = ("response", "result", "output", "content")
QUOTED = r"""(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
"""A text as Python prints it."""
_PRINTED = re.compile(
    rf"ResponseFunctionToolCall\(arguments=({QUOTED}), call_id=({QUOTED}), name=({QUOTED})",
    re.DOTALL,
)
_ENDS = {"error": Status.ERROR, "success": Status.OK}
_OUTPUT_ENDS = {
    "error-text": Status.ERROR,
    "error-json": Status.ERROR,
    "text": Status.OK,
    "json": Status.OK,
    "content": Status.OK,
    "execution-denied": Status.UNKNOWN,
}
"""What the type of an AI SDK output says."""
_DENIED = "execution-denied"


class Asked(Struct, frozen=True):
    """A tool that a message asks for."""

    name: str | None
    args: Payload
    call_id: str | None = None


class Answered(Struct, frozen=True):
    """What a message says came of a call.

    Attributes:
        was_denied: a human did not let it run.
    """

    call_id: str | None
    name: str | None
    result: Payload
    status: Status = Status.UNKNOWN
    was_denied: bool = False


class Message(Struct, frozen=True):
    """One message, as far as it is about tools.

    Attributes:
        from_model: whether the model said it.
        text: all that it says in words, where it is about no tool.
    """

    from_model: bool = False
    asked: tuple[Asked, ...] = ()
    answered: tuple[Answered, ...] = ()
    text: str = ""


_NOTHING = Message()


def message(recorded: Json) -> Message:
    """Read one message; what is none says nothing."""
    whole = an_object(content.unpacked_or_cut(recorded))
    if not whole:
        return _NOTHING
    said = _unwrapped(whole)
    inner = an_object(said.get("content")) or {}
    role = text(said, "role") or first_text(whole, ("role", "type")) or text(inner, "role") or ""
    from_model = role in _MODEL_ROLES or role in _PART_OF_A_TURN
    parts = _parts(said)
    is_answer = role in _ANSWER_ROLES or (not from_model and said.get("tool_call_id") is not None)
    if is_answer and not any(_is_answer(part) for part in parts):
        return Message(answered=tuple(_answer(said, _lone_text(said, parts))))
    asked = tuple(_each_once([*_asked_in(parts), *_called(said)]))
    return Message(
        from_model=from_model,
        asked=tuple(map(_streamed, asked)) if whole.get("finish_reason") == "" else asked,
        answered=tuple(_answered_in(parts)),
        text=_words(said, parts),
    )


def _streamed(asked: Asked) -> Asked:
    """Traceloop's Anthropic for JavaScript writes neither the arguments nor the end of a streamed message."""
    return structs.replace(asked, args=NOT_OBSERVED) if asked.args.value == {} else asked


def calls(recorded: Json) -> tuple[Asked, ...]:
    """Read a list of calls without a message around it."""
    found = (an_object(each) for each in a_list(recorded) or ())
    return tuple(_each_once(_asking(call) for call in found if call is not None))


def _unwrapped(whole: dict[str, Json]) -> dict[str, Json]:
    for envelope in _ENVELOPES:
        inner = an_object(whole.get(envelope))
        if inner is not None and "role" not in whole:
            return inner
    return whole


def _parts(said: dict[str, Json]) -> list[dict[str, Json]]:
    """The parts of a message; a message that is one itself has itself."""
    if text(said, "type") in _ASKING | _ANSWERING and "tool_calls" not in said:
        return [said]
    for name in ("parts", "content", "contents"):
        value = said.get(name)
        inner = an_object(value)
        if inner is not None:  # Gemini's content in a message of ADK
            value = inner.get("parts")
        listed = a_list(content.unpacked_or_cut(value))
        if listed:
            found = [part for part in map(_part, listed) if part]
            return _cut_after(found, listed.text) if isinstance(listed, CutList) else found
    return []


def _cut_after(parts: list[dict[str, Json]], text: str) -> CutList:
    whole = CutList(text)
    whole += parts
    return whole


def _part(recorded: Json) -> dict[str, Json]:
    part = an_object(recorded) or {}
    inner = an_object(part.get("message_content"))  # OpenInference
    return {**part, **inner} if inner else part


def _asked_in(parts: Iterable[dict[str, Json]]) -> Iterator[Asked]:
    for part in parts:
        kind = text(part, "type")
        wrapped = next((o for k in _WRAPPED_ASKING if (o := an_object(part.get(k)))), None)
        if wrapped is not None:
            yield _asking(wrapped)
        elif (printed := _printed(part)) is not None:
            yield printed
        elif kind in _ASKING or (kind is None and _names_a_call(part)):
            yield _asking(part)


def _printed(part: Mapping[str, Json]) -> Asked | None:
    """A call of OpenAI's Responses as Python prints the object (openai-agents-v2)."""
    found = _PRINTED.match(first_text(part, ("content", "text")) or "")
    if found is None:
        return None
    try:
        args, call_id, name = (literals.decode(quoted) for quoted in found.groups())
    except ValueError:
        return None
    return Asked(str(name), content.arguments(args), str(call_id))


def _names_a_call(part: Mapping[str, Json]) -> bool:
    if first_text(part, _NAMES) is None or _is_answer(part):
        return False
    return any(name in part for name in _ARGUMENTS)


def _called(said: Mapping[str, Json]) -> Iterator[Asked]:
    """Calls that stand beside the content, as OpenAI writes them."""
    for recorded in a_list(content.unpacked_or_cut(said.get("tool_calls"))) or ():
        call = an_object(recorded)
        if call is not None:
            yield _asking(an_object(call.get("tool_call")) or call)
    legacy = an_object(said.get("function_call"))
    if legacy is not None and text(said, "type") is None and "parts" not in said:
        yield _asking(legacy)


def _asking(call: Mapping[str, Json]) -> Asked:
    inner = an_object(call.get("function"))
    told = call if inner is None else inner
    call_id = first_text(call, _ASKED_IDS)
    return Asked(
        _name(told),
        content.arguments(_given(told, _ARGUMENTS)),
        None if call_id is None or call_id.startswith(ITEM_ID) else call_id,
    )


def _name(told: Mapping[str, Json]) -> str | None:
    """The tool's name; a placeholder in its place (Koog) is none."""
    name = first_text(told, _NAMES)
    return None if content.is_hidden(name) else name


def _given(told: Mapping[str, Json], names: Iterable[str]) -> Json:
    """The first value that is there; of what was cut it may have come after the cut."""
    found = first(told, names)
    return CutValue("") if found is None and isinstance(told, CutObject) else found


def _is_answer(part: Mapping[str, Json]) -> bool:
    if text(part, "type") in _ANSWERING:
        return True
    return any(an_object(part.get(name)) is not None for name in _WRAPPED_ANSWER)


def _answered_in(parts: Iterable[dict[str, Json]]) -> Iterator[Answered]:
    for part in parts:
        if _is_answer(part):
            wrapped = next((o for k in _WRAPPED_ANSWER if (o := an_object(part.get(k)))), None)
            told = part if wrapped is None else wrapped
            yield from _answer(told, _given(told, _RESULTS))


def _answer(told: Mapping[str, Json], recorded: Json) -> Iterator[Answered]:
    origin = an_object(told.get("origin")) or told  # Haystack
    call_id, status = first_text(origin, _ANSWERED_IDS), _status(told)
    if call_id is None and isinstance(told, CutObject):
        return
    output = None if isinstance(recorded, CutObject) else an_object(recorded)
    kind = None if output is None else text(output, "type")
    if output is not None and output.keys() <= {"type", "value", "reason", "providerOptions"}:
        end = _OUTPUT_ENDS.get(kind or "")
        if end is not None:
            recorded, status = first(output, ("value", "reason")), end
    yield Answered(
        call_id,
        _name(origin),
        NOT_OBSERVED if recorded is None else content.result(_bedrock(recorded)),
        status,
        kind == _DENIED,
    )


def _status(told: Mapping[str, Json]) -> Status:
    for name in ("is_error", "isError", "error"):
        if isinstance(mark := told.get(name), bool):
            return Status.ERROR if mark else Status.OK
    return _ENDS.get(text(told, "status") or "", Status.UNKNOWN)


def _bedrock(recorded: Json) -> Json:
    """The only block of a list of `{"text": ...}` or `{"json": ...}`."""
    blocks = None if isinstance(recorded, CutList) else a_list(recorded)
    block = an_object(blocks[0]) if blocks is not None and len(blocks) == 1 else None
    if block is not None and len(block) == 1:
        return first(block, ("text", "json")) or recorded
    return recorded


def _lone_text(said: Mapping[str, Json], parts: list[dict[str, Json]]) -> Json:
    """What an answer says: the text of its only part, else all of it."""
    is_lone = len(parts) == 1 and not isinstance(parts, CutList)
    lone = first_text(parts[0], ("content", "text")) if is_lone else None
    return lone or _given(said, _RESULTS)


def _words(said: Mapping[str, Json], parts: list[dict[str, Json]]) -> str:
    whole = said.get("content")
    if isinstance(whole, str) and whole:
        return whole
    return "\n".join(word for part in parts if (word := first_text(part, ("content", "text"))))


def _each_once(asked: Iterable[Asked]) -> Iterator[Asked]:
    """Some instrumentations write each call in two places of one message."""
    ids: set[str] = set()
    for call in asked:
        if call.call_id not in ids and (call.call_id or call.name):
            yield call
        if call.call_id is not None:
            ids.add(call.call_id)
