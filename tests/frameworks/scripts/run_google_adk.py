"""Google ADK with a Gemini model, instrumented by itself."""

import asyncio
import os

from google.adk.agents import LlmAgent
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from recording import recorded
from story import AGENT, INSTRUCTIONS, QUESTION, delete_user, lookup_order, send_receipt
from stub import served


async def run(address: str) -> None:
    """Ask the question in a new session."""
    agent = LlmAgent(
        name=AGENT,
        model=Gemini(model="gemini-2.5-flash", base_url=address),
        instruction=INSTRUCTIONS,
        tools=[lookup_order, delete_user, send_receipt],
    )
    async with InMemoryRunner(agent=agent, app_name="desk") as runner:
        await runner.run_debug(QUESTION, quiet=True)


os.environ["GOOGLE_API_KEY"] = "none"
with recorded(), served() as address:
    asyncio.run(run(address))
