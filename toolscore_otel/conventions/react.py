"""Calls in the text of agents that have no calls but text (ReAct): `Action: NAME`, `Action Input: JSON`, `Observation: ...`.

The framework writes the observation once the tool has run. Only read where the conversation prescribes this format: elsewhere
it is prose.

Source:
    Prompts of CrewAI 0.2 to 1.15, of LangChain's and LlamaIndex's ReAct agents, recorded.
"""

from __future__ import annotations

import re

from toolscore_otel.conventions import content
from toolscore_otel.conventions.messages import Answered, Asked, Message
from toolscore_otel.model import NOT_OBSERVED

_PRESCRIBED = ("Action Input:", "Observation:")
_STEP = re.compile(
    r"^[ \t]*+Action:(?P<name>[^\n]{1,200}+)\n\s*+Action Input:(?P<rest>.*)\Z",
    re.MULTILINE | re.DOTALL,
)
_OBSERVATION = re.compile(r"^[ \t]*+Observation:[ \t]*+", re.MULTILINE)


def is_prescribed(prompt: str) -> bool:
    """Whether a prompt tells the model to answer in this format."""
    return all(word in prompt for word in _PRESCRIBED)


def step(said: Message) -> Message:
    """The call that a model's text asks for, with its observation where that follows; the message itself where it has none."""
    found = _STEP.search(said.text) if said.from_model else None
    if found is None:
        return said
    asked, *observed = _OBSERVATION.split(found["rest"], maxsplit=1)
    call = Asked(found["name"].strip("`*\"' \t\r"), content.arguments(asked.strip() or None))
    answers = (Answered(None, call.name, content.result(observed[0].strip())),) if observed else ()
    return Message(from_model=True, asked=(call,), answered=answers)


def observation(said: Message) -> Message:
    """A message that only brings the observation of the step before it."""
    found = None if said.from_model else _OBSERVATION.match(said.text)
    if found is None:
        return said
    answer = said.text[found.end() :].strip()
    return Message(
        answered=(Answered(None, None, content.result(answer) if answer else NOT_OBSERVED),)
    )
