"""An MCP server on 127.0.0.1 with the three tools."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from mcp.server import MCPServer
from story import delete_user, lookup_order, send_receipt


@asynccontextmanager
async def desk() -> AsyncIterator[str]:
    """The address of a running one, over streamable HTTP."""
    mcp = MCPServer("desk")
    for tool in (lookup_order, delete_user, send_receipt):
        mcp.tool()(tool)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(mcp.streamable_http_app(), log_level="error"))
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        await serving
