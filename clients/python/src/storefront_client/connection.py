"""Calls over HTTP with their retries, for programs that wait and for asyncio.

A 429 is repeated after ``Retry-After``. What may be repeated without harm (a read, and a write with an Idempotency-Key) is also repeated
after a 5xx and where no answer came. Three times at most.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from enum import Enum
from itertools import count
from types import TracebackType
from typing import Dict, Generic, List, Self, TypedDict, TypeVar, Unpack, cast
from urllib.parse import quote

import httpx

from .errors import StorefrontError

__all__ = [
    "ABSENT",
    "Absent",
    "AsyncConnection",
    "AsyncRows",
    "CallOptions",
    "Connection",
    "Page",
    "Rows",
    "Unpack",
    "body_of",
    "quoted",
]

PAGE_ROWS = 100
PAGE_STAMPS = 5_000
RETRIES = 3
FIRST_WAIT_S = 0.5
JITTER_S = 0.25
WAIT_MAX_S = 120  # A longer Retry-After is raised as the error.
EVENT_WAIT_S = 25

Row = TypeVar("Row")
Query = Mapping[str, object]


class Absent(Enum):
    """The type of a field that is not sent; None is sent as null."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


class CallOptions(TypedDict, total=False):
    """``timeout``: seconds that one attempt may take. ``idempotency_key``: within 24 hours the same key with the same request gets the
    first answer again."""

    timeout: float
    idempotency_key: str


class Page(TypedDict, Generic[Row]):
    data: List[Row]
    has_more: bool
    next_cursor: str | None


class Connection:
    """The connection of a client; closes with ``with`` or ``close()``."""

    def __init__(self, url: str, credential: str, timeout: float) -> None:
        self._http = httpx.Client(base_url=url, headers=_headers(credential), timeout=timeout)

    def call(self, method: str, path: str, query: Query, body: object, options: CallOptions) -> object:
        """The ``data`` of an answer."""
        return self.answer(method, path, query, body, options)["data"]

    def rows(self, path: str, query: Query, options: CallOptions) -> Rows[Row]:
        return Rows(self, path, query, options, endless=False)

    def follow(self, path: str, query: Query, options: CallOptions) -> Rows[Row]:
        return Rows(self, path, query, options, endless=True)

    def answer(self, method: str, path: str, query: Query, body: object, options: CallOptions) -> Dict[str, object]:
        for attempt in count():
            try:
                with _unreachable():
                    return _answer_of(self._http.send(_request(self._http, method, path, query, body, options)))
            except StorefrontError as error:
                wait = _wait_before_retry(method, options, attempt, error)
                if wait is None:
                    raise
            time.sleep(wait)
        raise AssertionError

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Rows(Generic[Row]):
    """The rows of a list, read page by page."""

    def __init__(self, connection: Connection, path: str, query: Query, options: CallOptions, *, endless: bool) -> None:
        self._connection, self._path, self._options = connection, path, options
        self._query, self._endless = query, endless

    def pages(self) -> Iterator[Page[Row]]:
        """The same page by page, for a caller that keeps the cursor."""
        query = _first_query(self._path, self._query)
        if self._endless:
            if query["cursor"] is None:
                query["cursor"] = self._page({**query, "limit": 1})["next_cursor"]
            query["wait"] = EVENT_WAIT_S
        while True:
            page = self._page(query)
            yield page
            if _is_last(page, self._endless):
                return
            query["cursor"] = page["next_cursor"]

    def __iter__(self) -> Iterator[Row]:
        for page in self.pages():
            yield from page["data"]

    def _page(self, query: Query) -> Page[Row]:
        return cast(Page[Row], self._connection.answer("GET", self._path, query, None, self._options))


class AsyncConnection:
    """The connection of a client for asyncio; closes with ``async with`` or ``aclose()``."""

    def __init__(self, url: str, credential: str, timeout: float) -> None:
        self._http = httpx.AsyncClient(base_url=url, headers=_headers(credential), timeout=timeout)

    async def call(self, method: str, path: str, query: Query, body: object, options: CallOptions) -> object:
        """The ``data`` of an answer."""
        return (await self.answer(method, path, query, body, options))["data"]

    def rows(self, path: str, query: Query, options: CallOptions) -> AsyncRows[Row]:
        return AsyncRows(self, path, query, options, endless=False)

    def follow(self, path: str, query: Query, options: CallOptions) -> AsyncRows[Row]:
        return AsyncRows(self, path, query, options, endless=True)

    async def answer(
        self, method: str, path: str, query: Query, body: object, options: CallOptions
    ) -> Dict[str, object]:
        for attempt in count():
            try:
                with _unreachable():
                    return _answer_of(await self._http.send(_request(self._http, method, path, query, body, options)))
            except StorefrontError as error:
                wait = _wait_before_retry(method, options, attempt, error)
                if wait is None:
                    raise
            await asyncio.sleep(wait)
        raise AssertionError

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class AsyncRows(Generic[Row]):
    """The rows of a list, read page by page."""

    def __init__(
        self, connection: AsyncConnection, path: str, query: Query, options: CallOptions, *, endless: bool
    ) -> None:
        self._connection, self._path, self._options = connection, path, options
        self._query, self._endless = query, endless

    async def pages(self) -> AsyncIterator[Page[Row]]:
        """The same page by page, for a caller that keeps the cursor."""
        query = _first_query(self._path, self._query)
        if self._endless:
            if query["cursor"] is None:
                query["cursor"] = (await self._page({**query, "limit": 1}))["next_cursor"]
            query["wait"] = EVENT_WAIT_S
        while True:
            page = await self._page(query)
            yield page
            if _is_last(page, self._endless):
                return
            query["cursor"] = page["next_cursor"]

    async def __aiter__(self) -> AsyncIterator[Row]:
        async for page in self.pages():
            for row in page["data"]:
                yield row

    async def _page(self, query: Query) -> Page[Row]:
        return cast(Page[Row], await self._connection.answer("GET", self._path, query, None, self._options))


def _headers(credential: str) -> Dict[str, str]:
    return {"authorization": f"Bearer {credential}", "accept": "application/json"}


def _request(
    http: httpx.Client | httpx.AsyncClient, method: str, path: str, query: Query, body: object, options: CallOptions
) -> httpx.Request:
    key = options.get("idempotency_key")
    headers = {} if key is None else {"idempotency-key": key}
    if isinstance(body, bytes):
        headers["content-type"] = "application/octet-stream"
    return http.build_request(
        method,
        path,
        params=_wire(query),
        headers=headers,
        content=body if isinstance(body, bytes) else None,
        json=None if isinstance(body, bytes) else body,
        timeout=options.get("timeout", http.timeout),
    )


def _answer_of(response: httpx.Response) -> Dict[str, object]:
    status = response.status_code
    if status == 204:
        return {"data": None}
    try:
        body = response.json()
    except ValueError:
        body = None  # As from a proxy.
    if response.is_success and isinstance(body, dict) and "data" in body:
        return body
    request_id = response.headers.get("x-request-id")
    after = response.headers.get("retry-after", "")
    retry_after = float(after) if after.isdecimal() else 0.0
    refusal = body.get("error") if isinstance(body, dict) else None
    if not isinstance(refusal, dict) or not isinstance(refusal.get("code"), str):
        message = f"Something that is not the API answered with {status}."
        raise StorefrontError(
            "unexpected_answer", message, status=status, request_id=request_id, retry_after=retry_after
        )
    raise StorefrontError(
        refusal["code"],
        str(refusal.get("message", "")),
        status=status,
        request_id=refusal.get("requestId", request_id),
        param=refusal.get("param"),
        doc=refusal.get("doc"),
        retry_after=retry_after,
    )


@contextmanager
def _unreachable() -> Iterator[None]:
    try:
        yield
    except (httpx.TransportError, httpx.DecodingError) as cause:
        raise StorefrontError("unreachable", f"No answer: {cause!r}", status=None) from cause


def _wait_before_retry(method: str, options: CallOptions, attempt: int, error: StorefrontError) -> float | None:
    """Seconds, or None where the call is not repeated."""
    is_repeatable = method == "GET" or "idempotency_key" in options
    status, after_s = error.status, error.retry_after
    is_retried = status == 429 or (is_repeatable and (status is None or status >= 500))
    if not is_retried or attempt == RETRIES or after_s > WAIT_MAX_S:
        return None
    # Half of the wait is chance, so that clients which failed together do not come back together.
    backoff_s = FIRST_WAIT_S * 2**attempt * (0.5 + random.random() / 2)
    return after_s + random.random() * JITTER_S if after_s > 0 else backoff_s


def _first_query(path: str, query: Query) -> Dict[str, object]:
    limit = query.get("limit")
    usual = PAGE_STAMPS if path.endswith("/stamps") else PAGE_ROWS
    return {**query, "limit": usual if limit is None else limit}


def _is_last(page: Page[Row], endless: bool) -> bool:
    return page["next_cursor"] is None or not (page["has_more"] or endless)


def _wire(query: Query) -> Dict[str, str]:
    return {name: _text(value) for name, value in query.items() if value is not None}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(str, value))
    return str(value)


def body_of(body: Mapping[str, object] | None, fields: Mapping[str, object]) -> Dict[str, object] | None:
    """The fields that were given by keyword, laid over those of the dictionary; None where there is neither."""
    given = {
        name: _text(value) if isinstance(value, datetime) else value
        for name, value in fields.items()
        if value is not ABSENT
    }
    return None if body is None and not given else {**(body or {}), **given}


def quoted(part: str) -> str:
    """A part of a path; an empty one, or one of dots, would lead to another path."""
    if part in ("", ".", ".."):
        raise ValueError("A part of the path is missing.")
    return quote(part, safe="")
