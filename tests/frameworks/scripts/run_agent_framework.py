"""Microsoft Agent Framework over the Responses API, instrumented by itself."""

import asyncio

from agent_framework import Agent
from agent_framework.openai import OpenAIChatClient
from recording import recorded
from story import AGENT, INSTRUCTIONS, QUESTION, delete_user, lookup_order, send_receipt
from stub import served

with recorded(), served() as address:
    client = OpenAIChatClient(model="gpt-4o", base_url=f"{address}/v1", api_key="none")
    agent = Agent(
        client=client,
        name=AGENT,
        instructions=INSTRUCTIONS,
        tools=[lookup_order, delete_user, send_receipt],
    )
    asyncio.run(agent.run(QUESTION))
