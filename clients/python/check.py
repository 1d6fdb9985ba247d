"""Uses the client, as it waits or with asyncio, against the product, and prints what it saw as JSON: clients/python.test.ts compares it.

Standard input: the URLs, the credentials, and a webhook that was received.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from typing import Any

from storefront_client import (
    AsyncBackOffice,
    AsyncStorefront,
    BackOffice,
    Storefront,
    StorefrontError,
    WebhookError,
    verify_webhook,
)

given = json.load(sys.stdin)
PAST = datetime(1970, 1, 1, tzinfo=timezone.utc)


def told(error: StorefrontError) -> dict[str, object]:
    names = ("code", "status", "request_id", "param", "doc")
    return {name: getattr(error, name) for name in names} | {"message": error.message}


def failure(call: Callable[[], object]) -> dict[str, object]:
    try:
        call()
    except StorefrontError as error:
        return told(error)
    raise AssertionError


async def async_failure(call: Awaitable[object]) -> dict[str, object]:
    try:
        await call
    except StorefrontError as error:
        return told(error)
    raise AssertionError


def waiting() -> dict[str, object]:
    with (
        Storefront(given["url"], given["key"]) as shop,
        BackOffice(given["office"], given["token"]) as office,
        Storefront(given["broken"], "key") as broken,
        Storefront(given["url"], given["spent"]) as spent,
    ):
        began = time.monotonic()
        answers = [spent.shop.get() for _ in range(5)]
        waited = time.monotonic() - began
        orders = list(shop.orders.list(limit=2))
        events = shop.events.follow(cursor=given["cursor"])
        placed = office.orders.place(given["shop"], given["order"], idempotency_key="python")
        saved = shop.contacts.save(email="grace@example.com", tags=["one"])
        return {
            "orders": [order["id"] for order in orders],
            "pages": [len(page["data"]) for page in shop.orders.list(limit=2, created_before=PAST).pages()],
            "filtered": len(list(shop.orders.list(status=["new", "shipped"], updated_after=PAST))),
            "one": shop.orders.get(orders[0]["id"]) == orders[0],
            "followed": next(event["data"]["id"] for event in events) == placed["id"],
            "placedTwice": office.orders.place(given["shop"], given["order"], idempotency_key="python") == placed,
            "confirmed": office.orders.confirm(given["shop"], placed["id"])["status"],
            "tags": shop.contacts.change_tags(saved["id"], add=["two"])["tags"],
            "missing": failure(lambda: shop.orders.get("nothing")),
            "spent": [len({answer["id"] for answer in answers}), waited >= 1],  # The least Retry-After.
            "broken": [
                broken.shop.get()["id"],
                failure(lambda: broken.contacts.save(email="ada@example.com", name=None)),
                failure(lambda: broken.contacts.save({"email": "b"}, email="c@example.com", idempotency_key="one")),
            ],
        }


async def with_asyncio() -> dict[str, object]:
    async with (
        AsyncStorefront(given["url"], given["key"]) as shop,
        AsyncBackOffice(given["office"], given["token"]) as office,
        AsyncStorefront(given["broken"], "key") as broken,
        AsyncStorefront(given["url"], given["spent"]) as spent,
    ):
        began = time.monotonic()
        answers = await asyncio.gather(*(spent.shop.get() for _ in range(5)))
        waited = time.monotonic() - began
        orders = [order async for order in shop.orders.list(limit=2)]
        events = shop.events.follow(cursor=given["cursor"])
        placed = await office.orders.place(given["shop"], given["order"], idempotency_key="python")
        saved = await shop.contacts.save({"email": "grace@example.com", "tags": ["one"]})
        return {
            "orders": [order["id"] for order in orders],
            "pages": [len(page["data"]) async for page in shop.orders.list(limit=2, created_before=PAST).pages()],
            "filtered": len([one async for one in shop.orders.list(status=["new", "shipped"], updated_after=PAST)]),
            "one": await shop.orders.get(orders[0]["id"]) == orders[0],
            "followed": (await anext(aiter(events)))["data"]["id"] == placed["id"],
            "placedTwice": await office.orders.place(given["shop"], given["order"], idempotency_key="python") == placed,
            "confirmed": (await office.orders.confirm(given["shop"], placed["id"]))["status"],
            "tags": (await shop.contacts.change_tags(saved["id"], {"add": ["two"]}))["tags"],
            "missing": await async_failure(shop.orders.get("nothing")),
            "spent": [len({answer["id"] for answer in answers}), waited >= 1],  # The least Retry-After.
            "broken": [
                (await broken.shop.get())["id"],
                await async_failure(broken.contacts.save(email="ada@example.com", name=None)),
                await async_failure(broken.contacts.save({"email": "b"}, email="c@example.com", idempotency_key="one")),
            ],
        }


def verified(secret: Any, **changes: Any) -> str:
    sent = given["webhook"] | changes
    try:
        event = verify_webhook(sent["headers"], sent["body"], secret)
    except WebhookError as error:
        return error.code
    return event["data"]["total"]["currency"] if event["type"] == "order.paid" else event["type"]


def webhooks() -> dict[str, object]:
    sent, fresh = given["webhook"], given["secrets"][1]
    return {
        "rotated": [verified(secret) for secret in given["secrets"]],
        "several": verified(["whsec_b3RoZXI=", fresh]),
        "bytes": verified(fresh, body=sent["body"].encode()),
        "otherSecret": verified("whsec_b3RoZXI="),
        "otherBody": verified(fresh, body=sent["body"] + " "),
        "old": verified(fresh, headers=given["old"]),
        "missing": verified(fresh, headers={}),
    }


modes: dict[str, Callable[[], dict[str, object]]] = {
    "waiting": waiting,
    "asyncio": lambda: asyncio.run(with_asyncio()),
    "webhooks": webhooks,
}
json.dump(modes[sys.argv[1]](), sys.stdout)
