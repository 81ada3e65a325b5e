"""AutoGen AgentChat, instrumented by itself and by OpenInference: two spans a call."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openinference.instrumentation.autogen_agentchat import AutogenAgentChatInstrumentor
from recording import recorded
from story import AGENT, INSTRUCTIONS, QUESTION, delete_user, lookup_order, send_receipt
from stub import served

with recorded() as provider, served() as address:
    AutogenAgentChatInstrumentor().instrument(tracer_provider=provider)
    client = OpenAIChatCompletionClient(
        model="gpt-4o", base_url=f"{address}/v1", api_key="none", max_retries=0
    )
    agent = AssistantAgent(
        AGENT,
        client,
        tools=[lookup_order, delete_user, send_receipt],
        system_message=INSTRUCTIONS,
        max_tool_iterations=5,
    )
    asyncio.run(agent.run(task=QUESTION))
