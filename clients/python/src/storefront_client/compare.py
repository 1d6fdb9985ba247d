"""Compares a copy of a shop's orders, products or contacts with the stamps of the shop. docs/spec/sync.md#compare

The copy stands at a position: it has what polls with ``updated_after`` have shown up to that instant, its newest stamp. Judged is what was
stamped before it; the rest is what the next poll brings. Why a writer beside the comparison makes no false difference:

- An id never changes and pages are in the order of ids, so an object that is there all the time is shown exactly once.
- What is created or changed after the copy was taken has a stamp at or after the position (docs/spec/sync.md#promise), and is left out.
- An object that is shown with an earlier stamp was shown by the polls up to the position, with this stamp. A copy without it has lost it,
  and a copy with another stamp has lost a change: also one with a later stamp, since each change of an object moves its stamp forward, so
  that the shop was restored from a backup.
- An object of the copy that is not shown was deleted, before the comparison or during it; a deleted object does not come back.

No poll is needed, because the stamps say themselves what it would name. Rows of the copy and stamps are matched as they come, and only what
has no match yet is kept: a page where both are in the order of ids.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Dict, List, Tuple, TypedDict, Union

from .connection import AsyncRows, Rows

if TYPE_CHECKING:
    from .storefront import Stamp

Instant = Union[str, datetime]
Entry = Tuple[str, Instant]
Copy = Union[Mapping[str, Instant], Iterable[Entry]]
"""The ``updatedAt`` of each object by its id, as of one moment: a mapping, or rows of a query, best in the order of ids."""
AsyncCopy = Union[Copy, AsyncIterable[Entry]]

END = datetime.max.replace(tzinfo=timezone.utc)


class Difference(TypedDict):
    """Ids that the copy lacks, that the shop does not have any more, and that have another ``updatedAt`` in the shop; each in order."""

    missing: List[str]
    gone: List[str]
    stale: List[str]


class _Comparison:
    def __init__(self, updated_after: Instant | None) -> None:
        self._given = None if updated_after is None else _instant(updated_after)
        self._newest: datetime | None = None
        self._in_shop: Dict[str, datetime] = {}
        self._in_copy: Dict[str, datetime] = {}
        self._differing: List[Tuple[str, datetime, datetime]] = []

    def read_shop(self, id: str, updated_at: str) -> None:
        of_shop = _instant(updated_at)
        of_copy = self._in_copy.pop(id, None)
        if of_copy is None:
            self._in_shop[id] = of_shop
        elif of_shop != of_copy:
            self._differing.append((id, of_shop, of_copy))

    def read_copy(self, entry: Entry) -> str:
        """Returns the id."""
        id, updated_at = entry
        of_copy = _instant(updated_at)
        if self._newest is None or of_copy > self._newest:
            self._newest = of_copy
        of_shop = self._in_shop.pop(id, None)
        if of_shop is None:
            self._in_copy[id] = of_copy
        elif of_shop != of_copy:
            self._differing.append((id, of_shop, of_copy))
        return id

    def result(self) -> Difference:
        position = self._given or self._newest or END
        # A row with a later stamp than a given position was read after the polls up to it, maybe after the page of the shop.
        return {
            "missing": sorted(id for id, of_shop in self._in_shop.items() if of_shop < position),
            "gone": sorted(id for id, of_copy in self._in_copy.items() if of_copy <= position),
            "stale": sorted(id for id, of_shop, of_copy in self._differing if of_shop < position and of_copy <= position),
        }


def compare(stamps: Rows[Stamp], copy: Copy, updated_after: Instant | None) -> Difference:
    """The stamps are those of the whole list, in the order of ids."""
    comparison, rows = _Comparison(updated_after), iter(_entries(copy))
    last_read = ""
    for page in stamps.pages():
        for stamp in page["data"]:
            comparison.read_shop(stamp["id"], stamp["updatedAt"])
        last = page["data"][-1]["id"] if page["data"] else ""
        while last_read <= last and (entry := next(rows, None)) is not None:
            last_read = comparison.read_copy(entry)
    for entry in rows:
        comparison.read_copy(entry)
    return comparison.result()


async def compare_async(stamps: AsyncRows[Stamp], copy: AsyncCopy, updated_after: Instant | None) -> Difference:
    """As ``compare``, for asyncio."""
    comparison = _Comparison(updated_after)
    rows = aiter(copy) if isinstance(copy, AsyncIterable) else _in_turn(_entries(copy))
    last_read = ""
    async for page in stamps.pages():
        for stamp in page["data"]:
            comparison.read_shop(stamp["id"], stamp["updatedAt"])
        last = page["data"][-1]["id"] if page["data"] else ""
        while last_read <= last and (entry := await anext(rows, None)) is not None:
            last_read = comparison.read_copy(entry)
    async for entry in rows:
        comparison.read_copy(entry)
    return comparison.result()


def _entries(copy: Copy) -> Iterable[Entry]:
    if not isinstance(copy, Mapping):
        return copy
    # As it is now: the mapping may change while pages are read.
    ids = sorted(copy)
    return zip(ids, [copy[id] for id in ids])


async def _in_turn(entries: Iterable[Entry]) -> AsyncIterator[Entry]:
    for entry in entries:
        yield entry


def _instant(text: Instant) -> datetime:
    instant = datetime.fromisoformat(text) if isinstance(text, str) else text
    if instant.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone.")
    return instant
