"""Compares copies with the product, as the client waits or with asyncio, and prints the differences as JSON: clients/compare.test.ts checks them.

Standard input: the URL, the key, and the copies, each as rows in the form that it is to have.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

from storefront_client import AsyncCopy, AsyncStorefront, Copy, Difference, Storefront

given = json.load(sys.stdin)


def copy_of(case: dict[str, Any]) -> Copy:
    rows = [(id, updated_at) for id, updated_at in case["rows"]]
    if case["form"] == "map":
        return {id: datetime.fromisoformat(updated_at) for id, updated_at in rows}
    return iter(rows)


def async_copy_of(case: dict[str, Any]) -> AsyncCopy:
    if case["form"] != "async":
        return copy_of(case)

    async def rows() -> AsyncIterator[tuple[str, str]]:
        for id, updated_at in case["rows"]:
            await asyncio.sleep(0)
            yield id, updated_at

    return rows()


def waiting() -> list[Difference]:
    with Storefront(given["url"], given["key"]) as shop:
        apis = {"orders": shop.orders, "products": shop.products, "contacts": shop.contacts}
        return [
            apis[case["list"]].compare(copy_of(case), updated_after=case.get("updatedAfter")) for case in given["cases"]
        ]


async def with_asyncio() -> list[Difference]:
    async with AsyncStorefront(given["url"], given["key"]) as shop:
        apis = {"orders": shop.orders, "products": shop.products, "contacts": shop.contacts}
        return [
            await apis[case["list"]].compare(async_copy_of(case), updated_after=case.get("updatedAfter"))
            for case in given["cases"]
        ]


json.dump(waiting() if sys.argv[1] == "waiting" else asyncio.run(with_asyncio()), sys.stdout)
