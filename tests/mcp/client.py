"""Two worlds at once with the official client, in each revision of the protocol. Prints one JSON line for each.

Usage: client.py TOKEN URL TOOL ARGUMENTS URL TOOL ARGUMENTS
"""

import asyncio
import json
import sys
from contextlib import AsyncExitStack

import httpx2
import mcp.client.session
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS


async def look(token: str, worlds: list[tuple[str, str, dict]], mode: str, offered: str) -> dict:
    # The client offers the latest revision that it knows; the older ones are offered by older releases.
    mcp.client.session.LATEST_HANDSHAKE_VERSION = offered
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}))
        clients = [
            await stack.enter_async_context(Client(streamable_http_client(url, http_client=http), mode=mode))
            for url, _, _ in worlds
        ]
        lists = await asyncio.gather(*(client.list_tools() for client in clients))
        calls = await asyncio.gather(
            *(client.call_tool(tool, arguments) for client, (_, tool, arguments) in zip(clients, worlds))
        )
        return {
            "mode": mode,
            "offered": offered,
            "revisions": [client.protocol_version for client in clients],
            "tools": [sorted(tool.name for tool in tools.tools) for tools in lists],
            "answers": [[part.text for part in call.content] for call in calls],
            "errors": [bool(call.is_error) for call in calls],
        }


async def main() -> None:
    token, *rest = sys.argv[1:]
    worlds = [(url, tool, json.loads(arguments)) for url, tool, arguments in zip(rest[::3], rest[1::3], rest[2::3])]
    for revision in HANDSHAKE_PROTOCOL_VERSIONS:
        print(json.dumps(await look(token, worlds, "legacy", revision)))
    # As clients of today begin: they ask for the revision without sessions first, and fall back.
    print(json.dumps(await look(token, worlds, "auto", HANDSHAKE_PROTOCOL_VERSIONS[-1])))


asyncio.run(main())
