"""Pydantic AI, instrumented by itself. `CONTENT=off` is this script's own: the switch is an argument in the code."""

import os

from pydantic_ai import Agent, InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from recording import recorded
from story import AGENT, INSTRUCTIONS, QUESTION, delete_user, lookup_order, send_receipt
from stub import served

with recorded() as provider, served() as address:
    Agent.instrument_all(
        InstrumentationSettings(
            tracer_provider=provider, include_content=os.environ.get("CONTENT") != "off"
        )
    )
    model = OpenAIChatModel(
        "gpt-4o", provider=OpenAIProvider(base_url=f"{address}/v1", api_key="none")
    )
    tools = [lookup_order, delete_user, send_receipt]
    agent = Agent(model, name=AGENT, instructions=INSTRUCTIONS, tools=tools)
    agent.run_sync(QUESTION)
