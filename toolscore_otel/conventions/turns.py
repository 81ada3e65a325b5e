"""What a model call's messages say of tool calls: the answers that it is the first to hear, and what it asks for.

Every model call repeats all that went before. New in its input is what follows the last words of the model, so only that is
read, from the end: older answers were told by an earlier model call, in this trace or another one. Whatever the length of a
conversation, a model call costs what is new in it.

Of a history that a length limit has cut the end is not there, and with it what is new; the rest of it is read in the same way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct, structs

from toolscore_otel.conventions import content, react
from toolscore_otel.conventions.cut import CutList
from toolscore_otel.conventions.envelopes import lines_in, messages_in, text_in
from toolscore_otel.conventions.handoffs import is_handed_back
from toolscore_otel.conventions.messages import Answered, Asked, Message, message
from toolscore_otel.conventions.reading import CallReading, Layer
from toolscore_otel.model import NOT_OBSERVED, Gap, Json, Stage

Recorded = Json | msgspec.Raw
"""A message as recorded, or its JSON text inside a list that was only split."""

_SPLIT = msgspec.json.Decoder(list[msgspec.Raw])


class Turn(Struct, frozen=True):
    """The messages of one model call.

    Attributes:
        heard: its input, in order, the whole history.
        said: its output.
        in_order: whether answers stand in the order of the calls that they answer.
    """

    heard: Sequence[Recorded] = ()
    said: Sequence[Message] = ()
    in_order: bool = True


def listed(recorded: Json) -> Sequence[Recorded]:
    """The messages of a list, whether it is one or stands in a text; the text is split, and nothing in it unpacked.

    Also where something stands around them (`envelopes`).
    """
    if isinstance(recorded, str):
        try:
            return _SPLIT.decode(recorded)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            recorded = _in_text(recorded)
    return messages_in(recorded)


def _in_text(recorded: str) -> Json:
    text = text_in(recorded)
    return lines_in(text) or content.unpacked_or_cut(text)


def messages(recorded: Iterable[Recorded]) -> tuple[Message, ...]:
    """Read messages one by one, all of them."""
    return tuple(message(_text(each)) for each in recorded)


def readings(convention: str, turn: Turn) -> tuple[CallReading, ...]:
    """The calls that a model call asks for, and those of which it hears the answer.

    Args:
        convention: of the readings.
        turn: its messages.
    """
    heard, said = _new(turn.heard), turn.said
    if any(react.step(each) is not each for each in (*heard, *said)) and _is_react(turn.heard):
        heard = _since_last_step([react.observation(react.step(each)) for each in heard])
        said = [react.step(each) for each in said]
    if isinstance(turn.heard, CutList):
        heard = [_by_id(each) for each in heard]
    asked = [call for each in said for call in each.asked]
    requests = (request(convention, call, number) for number, call in enumerate(asked))
    return (*requests, *_responses(convention, heard, in_order=turn.in_order))


def request(convention: str, call: Asked, position: int = 0) -> CallReading:
    """The reading of one call that is asked for."""
    return CallReading(
        convention=convention,
        layer=Layer.MESSAGE,
        what="request",
        stage=Stage.REQUESTED,
        name=call.name,
        args=call.args,
        call_id=call.call_id,
        position=position,
        fills=call.name is None,
    )


def response(convention: str, answer: Answered) -> CallReading:
    """The reading of one answer; without a name it only adds to the call that it answers."""
    return CallReading(
        convention=convention,
        layer=Layer.MESSAGE,
        what="response",
        stage=Stage.REQUESTED if answer.was_denied else Stage.EXECUTED,
        name=answer.name,
        args=NOT_OBSERVED,
        result=answer.result,
        call_id=answer.call_id,
        status=answer.status,
        fills=answer.name is None,
    )


def _text(recorded: Recorded) -> Json:
    return bytes(recorded).decode() if isinstance(recorded, msgspec.Raw) else recorded


def _new(history: Sequence[Recorded]) -> list[Message]:
    """From the model's last words on."""
    found: list[Message] = []
    spoken = False
    for recorded in reversed(history):
        said = message(_text(recorded))
        if spoken and not said.from_model:
            break
        spoken = spoken or said.from_model
        found.append(said)
    return found[::-1]


def _by_id(said: Message) -> Message:
    """A message of a history that was cut: later model calls repeat it as it is, so only an id tells which call is answered."""
    return structs.replace(said, answered=tuple(a for a in said.answered if a.call_id))


def _since_last_step(heard: list[Message]) -> list[Message]:
    """From the last step that stands there with its observation: those before it were heard by earlier model calls."""
    steps = [place for place, each in enumerate(heard) if each.asked and each.answered]
    return heard[steps[-1] :] if steps else heard


def _is_react(history: Sequence[Recorded]) -> bool:
    return any(react.is_prescribed(said.text) for said in messages(history[:2]))


def _responses(
    convention: str, heard: Sequence[Message], *, in_order: bool
) -> Iterator[CallReading]:
    asked = [call for said in heard for call in said.asked]
    answers = [answer for said in heard for answer in said.answered]
    for number, (answer, position, is_guess) in enumerate(
        _matched(answers, asked, in_order=in_order)
    ):
        call = None if position is None else asked[position]
        reading = response(convention, answer)
        if call is None:
            yield structs.replace(reading, position=number)
            continue
        name = call.name or answer.name
        if is_handed_back(name, call.args.value, answer.result.value):
            continue
        yield structs.replace(
            reading,
            name=name,
            args=call.args,
            call_id=answer.call_id or call.call_id,
            position=position,
            fills=name is None,
            gaps=(Gap.AMBIGUOUS_PAIRING,) if is_guess else (),
        )


def _matched(
    answers: Sequence[Answered], asked: Sequence[Asked], *, in_order: bool
) -> Iterator[tuple[Answered, int | None, bool]]:
    """Each answer with the place of what it answers: by id, else by name or in order among those that no id names.

    The last says whether it may be that of another one as well. One that has an id is then left to it, unless there are as
    many of these as calls without one.
    """
    by_id = {call.call_id: place for place, call in enumerate(asked) if call.call_id}
    named = {by_id[answer.call_id] for answer in answers if answer.call_id in by_id}
    unnamed = [place for place in range(len(asked)) if place not in named]
    strangers = [answer for answer in answers if answer.call_id not in by_id]
    idless = [place for place in unnamed if asked[place].call_id is None]
    every, left = _Open(asked, unnamed, idless), _Open(asked, unnamed, idless)
    is_even = in_order and len(strangers) == len(idless)
    taken: set[int] = set()
    for answer in answers:
        if answer.call_id in by_id:
            yield answer, by_id[answer.call_id], False
            continue
        is_guess = len(every.fitting(answer)) > 1
        is_short = answer.name is None and len(strangers) > len(idless)
        if answer.call_id is not None and (is_guess or is_short) and not is_even:
            yield answer, None, False
            continue
        same = left.fitting(answer, taken)
        if same:
            taken.add(same[0])
        yield answer, same[0] if same else None, is_guess


class _Open:
    """The places that may be answered by what has no id of any of them: by name, so that each is looked up."""

    def __init__(
        self, asked: Sequence[Asked], unnamed: Sequence[int], idless: Sequence[int]
    ) -> None:
        self._by_id = {True: deque(unnamed), False: deque(idless)}
        """By whether an answer has no id."""
        self._by_name: dict[tuple[bool, str | None], deque[int]] = {}
        for has_none, places in self._by_id.items():
            for place in places:
                self._by_name.setdefault((has_none, asked[place].name), deque()).append(place)

    def fitting(self, answer: Answered, taken: Collection[int] = ()) -> Sequence[int]:
        """Those of its name, where there are any; else all that may have it, in order. The first one is not taken."""
        has_none = answer.call_id is None
        same = _without(taken, self._by_name.get((has_none, answer.name), _NONE))
        if same:
            return same
        if answer.name is None:
            return _without(taken, self._by_id[has_none])
        return _without(taken, self._by_name.get((has_none, None), _NONE))


_NONE: deque[int] = deque()


def _without(taken: Collection[int], places: deque[int]) -> deque[int]:
    while places and places[0] in taken:
        places.popleft()
    return places
