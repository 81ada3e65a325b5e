"""The MCP Python SDK, client and server over streamable HTTP, instrumented by itself.

There is no agent and no model: the client calls the tools itself. Each call is a trace of its own, with a span of either side.
"""

import asyncio

from desk import desk
from mcp import Client
from recording import recorded
from story import TURNS


async def run() -> None:
    """Call what the model would have called."""
    async with desk() as address, Client(address) as client:
        for turn in TURNS:
            if turn.tool:
                await client.call_tool(turn.tool, turn.args)


with recorded():
    asyncio.run(run())
