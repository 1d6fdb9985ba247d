"""The official MCP client of Python with its OAuth provider, for oauth/client-programs.test.ts. Reads one JSON object a line, what to do,
and answers each with one; between them it writes an address to open, and reads what the redirect of the browser said."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from client import attempt


def write(answer):
    print(json.dumps(answer), flush=True)


async def read():
    line = await asyncio.to_thread(sys.stdin.readline)
    return json.loads(line) if line else None


class Storage:
    """Keeps the tokens while the program runs."""

    tokens = None
    client_info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        self.client_info = client_info


async def open_address(address):
    write({"open": address})


async def come_back():
    said = await read()
    if "error" in said:
        raise RuntimeError(said["error"])
    return AuthorizationCodeResult(code=said["code"], state=said["state"], iss=said["iss"])


async def run(url, redirect, document):
    storage = Storage()
    metadata = OAuthClientMetadata(client_name="Test agent", redirect_uris=[redirect], token_endpoint_auth_method="none")
    auth = OAuthClientProvider(url, metadata, storage, open_address, come_back, client_metadata_url=document)
    async with httpx2.AsyncClient(auth=auth) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            write({"version": client.protocol_version})
            while (asked := await read()) is not None:
                if asked["do"] == "pass an hour":
                    auth.context.token_expiry_time = 1  # The client refreshes by its own clock alone.
                    write({})
                    continue
                call = client.list_tools() if asked["do"] == "list" else client.call_tool(asked["name"], asked["arguments"])
                write({**await attempt(call), "token": storage.tokens.access_token if storage.tokens else None})


try:
    asyncio.run(run(**json.loads(sys.stdin.readline())))
except Exception as error:  # What the provider raises ends the whole session of the client.
    write({"failed": repr(error)})
