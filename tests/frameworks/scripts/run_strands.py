"""Strands Agents, instrumented by itself."""

from recording import recorded
from story import AGENT, INSTRUCTIONS, QUESTION, delete_user, lookup_order, send_receipt
from strands import Agent, tool
from strands.models.openai import OpenAIModel
from stub import served

with recorded(), served() as address:
    model = OpenAIModel(
        client_args={"base_url": f"{address}/v1", "api_key": "none"}, model_id="gpt-4o"
    )
    agent = Agent(
        name=AGENT,
        model=model,
        system_prompt=INSTRUCTIONS,
        tools=[tool(lookup_order), tool(delete_user), tool(send_receipt)],
        callback_handler=None,
    )
    agent(QUESTION)
