"""The official MCP client of Python for clients.test.ts: runs the session on its standard input and prints what came back."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def attempt(call):
    try:
        result = await call
    except Exception as error:
        return {"failed": str(error)}
    if hasattr(result, "tools"):
        return {"tools": [tool.name for tool in result.tools]}
    return {
        "isError": bool(result.is_error),
        "text": result.content[0].text,
        "structured": result.structured_content,
    }


async def run(url, key, mode, calls):
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            return {
                "version": client.protocol_version,
                "server": {"name": client.server_info.name, "version": client.server_info.version},
                "listed": await attempt(client.list_tools()),
                "called": [await attempt(client.call_tool(call["name"], call["arguments"])) for call in calls],
            }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(**json.load(sys.stdin)))))
