# Made of the OpenAPI documents by `npm run generate`; changes by hand are lost.
from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Dict, List, Literal, NotRequired, TypedDict, Union, cast, overload

from .compare import AsyncCopy, Copy, Difference, compare, compare_async
from .connection import ABSENT, Absent, AsyncConnection, AsyncRows, CallOptions, Connection, Rows, Unpack, body_of, quoted


class FailureError(TypedDict):
    code: str
    message: str
    param: str | None
    requestId: str
    doc: str


class Failure(TypedDict):
    error: FailureError


class OrderCustomer(TypedDict):
    clientId: str | None
    name: str | None
    email: str | None
    phone: str | None


class OrderDelivery(TypedDict):
    method: str | None
    label: str | None
    pickupLocation: str | None
    trackingCarrier: str | None
    trackingNumber: str | None
    trackingUrl: str | None
    shippedAt: str | None


class OrderBooking(TypedDict):
    scheduledFor: str | None
    serviceMode: str | None
    serviceLocation: str | None


class OrderCoupon(TypedDict):
    code: str


class OrderAffiliate(TypedDict):
    code: str


class Order(TypedDict):
    id: str
    object: Literal["order"]
    status: str
    paymentStatus: str
    paymentMethod: str
    currency: str
    subtotal: Money
    discount: Money
    deliveryFee: Money
    tax: Money
    total: Money
    refunded: Money
    itemCount: int
    customer: OrderCustomer
    address: Address
    delivery: OrderDelivery
    booking: OrderBooking | None
    coupon: OrderCoupon | None
    affiliate: OrderAffiliate | None
    note: str | None
    items: List[OrderLine]
    createdAt: str | None
    updatedAt: str | None


class Money(TypedDict):
    cents: int
    amount: str
    currency: str


class Address(TypedDict):
    line1: str | None
    line2: str | None
    city: str | None
    region: str | None
    postalCode: str | None
    country: str | None


class OrderLine(TypedDict):
    id: str
    productId: str | None
    variantId: str | None
    title: str
    variantLabel: str | None
    sku: str | None
    kind: str
    quantity: int
    unitPrice: Money
    subtotal: Money


class Stamp(TypedDict):
    id: str
    updatedAt: str


class ProductBooking(TypedDict):
    durationMinutes: int | None
    serviceMode: str | None
    leadHours: int | None


class ProductEvent(TypedDict):
    startsAt: str | None


class ProductMembership(TypedDict):
    interval: str | None
    trialDays: int | None


class Product(TypedDict):
    id: str
    object: Literal["product"]
    title: str
    slug: str
    description: str | None
    kind: str
    tags: List[str]
    price: Money
    compareAt: Money | None
    trackInventory: bool
    stock: int | None
    inStock: bool
    isPublished: bool
    isFeatured: bool
    booking: ProductBooking | None
    event: ProductEvent | None
    membership: ProductMembership | None
    variants: List[Variant]
    createdAt: str | None
    updatedAt: str | None


class Variant(TypedDict):
    id: str
    sku: str | None
    options: Dict[str, object]
    price: Money
    stock: int | None
    isAvailable: bool


class Contact(TypedDict):
    id: str
    object: Literal["contact"]
    name: str | None
    email: str | None
    phone: str | None
    tags: List[str]
    source: str
    marketingConsentAt: str | None
    address: Address
    createdAt: str
    updatedAt: str


class SavedContact(TypedDict):
    id: str
    object: Literal["contact"]
    name: str | None
    email: str | None
    phone: str | None
    tags: List[str]
    source: str
    marketingConsentAt: str | None
    address: Address
    createdAt: str
    updatedAt: str
    optInSent: bool
    droppedTags: List[str]
    ignored: List[str]


class Event(TypedDict):
    id: str
    object: Literal["event"]
    type: str
    version: Literal[1]
    apiVersion: str
    timestamp: str
    shopId: str
    sequence: int
    epoch: NotRequired[int]
    test: bool
    data: Order | Subscription


class Subscription(TypedDict):
    id: str
    object: Literal["subscription"]
    status: str
    productId: str | None
    clientId: str | None
    price: Money
    currency: str
    interval: str
    billingMode: str
    paymentMethod: str | None
    currentPeriodEnd: str | None
    cancelAtPeriodEnd: bool
    canceledAt: str | None
    trialEndsAt: str | None
    startedAt: str | None
    createdAt: str | None
    updatedAt: str | None


class Shop(TypedDict):
    id: str
    object: Literal["shop"]
    handle: str
    name: str
    currency: str
    timeZone: str
    country: str | None
    createdAt: str
    updatedAt: str


class OrderEvent(TypedDict):
    id: str
    object: Literal["event"]
    type: Literal["order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled"]
    version: Literal[1]
    apiVersion: str
    timestamp: str
    shopId: str
    sequence: int
    epoch: NotRequired[int]
    test: bool
    data: Order


class SubscriptionEvent(TypedDict):
    id: str
    object: Literal["event"]
    type: Literal["subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]
    version: Literal[1]
    apiVersion: str
    timestamp: str
    shopId: str
    sequence: int
    epoch: NotRequired[int]
    test: bool
    data: Subscription


OrdersListStatus = Literal["new", "confirmed", "shipped", "completed", "cancelled", "refunded"]


OrdersListPaymentStatus = Literal["unpaid", "pending", "paid", "refunded", "disputed"]


ProductsListKind = Literal["physical", "digital", "service", "event", "membership"]


class ContactsSaveBody(TypedDict):
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    name: NotRequired[str | None]
    tags: NotRequired[List[str] | None]
    sendOptIn: NotRequired[bool | None]


class ContactsChangeTagsBody(TypedDict):
    add: NotRequired[List[str] | None]
    remove: NotRequired[List[str] | None]


EventsListType = Literal["order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated", "order.*", "booking.*", "subscription.*"]


WebhookEvent = Union[OrderEvent, SubscriptionEvent]


class OrdersApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        status: OrdersListStatus | Sequence[OrdersListStatus] | None = None,
        payment_status: OrdersListPaymentStatus | Sequence[OrdersListPaymentStatus] | None = None,
        email: str | None = None,
        client_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        updated_after: str | datetime | None = None,
        updated_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[Order]:
        """List orders"""
        return self._connection.rows("/orders", {"status": status, "payment_status": payment_status, "email": email, "client_id": client_id, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    def list_stamps(
        self,
        *,
        prefix: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[Stamp]:
        """List order stamps"""
        return self._connection.rows("/orders/stamps", {"prefix": prefix, "limit": limit, "cursor": cursor}, options)

    def get(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Get order"""
        return cast("Order", self._connection.call("GET", f"/orders/{quoted(id)}", {}, None, options))

    def compare(
        self,
        copy: Copy,
        *,
        updated_after: str | datetime | None = None,
        **options: Unpack[CallOptions],
    ) -> Difference:
        """Compares a copy, the `updatedAt` of each object by its id, with the shop. Polls beside it do no harm.

        updated_after: Where the next poll of the copy goes on; the newest stamp of the copy by default. What has changed since is left out.
        """
        return compare(self.list_stamps(**options), copy, updated_after)


class ProductsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        kind: ProductsListKind | Sequence[ProductsListKind] | None = None,
        published: bool | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        updated_after: str | datetime | None = None,
        updated_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[Product]:
        """List products"""
        return self._connection.rows("/products", {"kind": kind, "published": published, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    def list_stamps(
        self,
        *,
        prefix: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[Stamp]:
        """List product stamps"""
        return self._connection.rows("/products/stamps", {"prefix": prefix, "limit": limit, "cursor": cursor}, options)

    def get(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Product:
        """Get product"""
        return cast("Product", self._connection.call("GET", f"/products/{quoted(id)}", {}, None, options))

    def compare(
        self,
        copy: Copy,
        *,
        updated_after: str | datetime | None = None,
        **options: Unpack[CallOptions],
    ) -> Difference:
        """Compares a copy, the `updatedAt` of each object by its id, with the shop. Polls beside it do no harm.

        updated_after: Where the next poll of the copy goes on; the newest stamp of the copy by default. What has changed since is left out.
        """
        return compare(self.list_stamps(**options), copy, updated_after)


class ContactsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        tag: str | None = None,
        email: str | None = None,
        consented: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        updated_after: str | datetime | None = None,
        updated_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[Contact]:
        """List contacts"""
        return self._connection.rows("/contacts", {"tag": tag, "email": email, "consented": consented, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    def save(
        self,
        body: ContactsSaveBody | None = None,
        *,
        email: str | None | Absent = ABSENT,
        phone: str | None | Absent = ABSENT,
        name: str | None | Absent = ABSENT,
        tags: List[str] | None | Absent = ABSENT,
        send_opt_in: bool | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> SavedContact:
        """Save contact

        email: Email address; needed unless `phone` is given.

        phone: Phone number, with its country code unless it is one of the country of the shop; needed unless `email` is given.

        name: Fills a gap only; a name that the contact has stays.

        tags: Added to the tags that the contact has; at most 20 are kept, the others are named in `droppedTags`. A tag has 1 to 64 characters.

        send_opt_in: Whether to send the mail that asks the person to confirm; needs an email address.
        """
        return cast("SavedContact", self._connection.call("POST", "/contacts", {}, body_of(body or {}, {"email": email, "phone": phone, "name": name, "tags": tags, "sendOptIn": send_opt_in}), options))

    def list_stamps(
        self,
        *,
        prefix: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[Stamp]:
        """List contact stamps"""
        return self._connection.rows("/contacts/stamps", {"prefix": prefix, "limit": limit, "cursor": cursor}, options)

    def get(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Contact:
        """Get contact"""
        return cast("Contact", self._connection.call("GET", f"/contacts/{quoted(id)}", {}, None, options))

    def change_tags(
        self,
        id: str,
        body: ContactsChangeTagsBody | None = None,
        *,
        add: List[str] | None | Absent = ABSENT,
        remove: List[str] | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Contact:
        """Change contact tags

        add: Tags to add, each of 1 to 64 characters; one that is there already is no error. Needed unless `remove` is given.

        remove: Tags to take off; one that is not there is no error. Needed unless `add` is given.
        """
        return cast("Contact", self._connection.call("POST", f"/contacts/{quoted(id)}/tags", {}, body_of(body or {}, {"add": add, "remove": remove}), options))

    def compare(
        self,
        copy: Copy,
        *,
        updated_after: str | datetime | None = None,
        **options: Unpack[CallOptions],
    ) -> Difference:
        """Compares a copy, the `updatedAt` of each object by its id, with the shop. Polls beside it do no harm.

        updated_after: Where the next poll of the copy goes on; the newest stamp of the copy by default. What has changed since is left out.
        """
        return compare(self.list_stamps(**options), copy, updated_after)


class EventsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        type: EventsListType | Sequence[EventsListType] | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        wait: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[WebhookEvent]:
        """List events"""
        return self._connection.rows("/events", {"type": type, "object_id": object_id, "created_after": created_after, "created_before": created_before, "wait": wait, "limit": limit, "cursor": cursor}, options)

    def follow(
        self,
        *,
        type: EventsListType | Sequence[EventsListType] | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[WebhookEvent]:
        """As they happen, without an end: those behind `cursor`, or from now on."""
        return self._connection.follow("/events", {"type": type, "object_id": object_id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)


class ShopApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(
        self,
        **options: Unpack[CallOptions],
    ) -> Shop:
        """Get shop"""
        return cast("Shop", self._connection.call("GET", "/shop", {}, None, options))


class Storefront(Connection):
    """A client of the public API, for one shop."""

    def __init__(self, base_url: str, key: str, *, timeout: float = 60.0) -> None:
        super().__init__(base_url.rstrip("/") + "/api/v1", key, timeout)
        self.orders = OrdersApi(self)
        self.products = ProductsApi(self)
        self.contacts = ContactsApi(self)
        self.events = EventsApi(self)
        self.shop = ShopApi(self)


class AsyncOrdersApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        status: OrdersListStatus | Sequence[OrdersListStatus] | None = None,
        payment_status: OrdersListPaymentStatus | Sequence[OrdersListPaymentStatus] | None = None,
        email: str | None = None,
        client_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        updated_after: str | datetime | None = None,
        updated_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[Order]:
        """List orders"""
        return self._connection.rows("/orders", {"status": status, "payment_status": payment_status, "email": email, "client_id": client_id, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    def list_stamps(
        self,
        *,
        prefix: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[Stamp]:
        """List order stamps"""
        return self._connection.rows("/orders/stamps", {"prefix": prefix, "limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Get order"""
        return cast("Order", await self._connection.call("GET", f"/orders/{quoted(id)}", {}, None, options))

    async def compare(
        self,
        copy: AsyncCopy,
        *,
        updated_after: str | datetime | None = None,
        **options: Unpack[CallOptions],
    ) -> Difference:
        """Compares a copy, the `updatedAt` of each object by its id, with the shop. Polls beside it do no harm.

        updated_after: Where the next poll of the copy goes on; the newest stamp of the copy by default. What has changed since is left out.
        """
        return await compare_async(self.list_stamps(**options), copy, updated_after)


class AsyncProductsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        kind: ProductsListKind | Sequence[ProductsListKind] | None = None,
        published: bool | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        updated_after: str | datetime | None = None,
        updated_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[Product]:
        """List products"""
        return self._connection.rows("/products", {"kind": kind, "published": published, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    def list_stamps(
        self,
        *,
        prefix: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[Stamp]:
        """List product stamps"""
        return self._connection.rows("/products/stamps", {"prefix": prefix, "limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Product:
        """Get product"""
        return cast("Product", await self._connection.call("GET", f"/products/{quoted(id)}", {}, None, options))

    async def compare(
        self,
        copy: AsyncCopy,
        *,
        updated_after: str | datetime | None = None,
        **options: Unpack[CallOptions],
    ) -> Difference:
        """Compares a copy, the `updatedAt` of each object by its id, with the shop. Polls beside it do no harm.

        updated_after: Where the next poll of the copy goes on; the newest stamp of the copy by default. What has changed since is left out.
        """
        return await compare_async(self.list_stamps(**options), copy, updated_after)


class AsyncContactsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        tag: str | None = None,
        email: str | None = None,
        consented: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        updated_after: str | datetime | None = None,
        updated_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[Contact]:
        """List contacts"""
        return self._connection.rows("/contacts", {"tag": tag, "email": email, "consented": consented, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    async def save(
        self,
        body: ContactsSaveBody | None = None,
        *,
        email: str | None | Absent = ABSENT,
        phone: str | None | Absent = ABSENT,
        name: str | None | Absent = ABSENT,
        tags: List[str] | None | Absent = ABSENT,
        send_opt_in: bool | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> SavedContact:
        """Save contact

        email: Email address; needed unless `phone` is given.

        phone: Phone number, with its country code unless it is one of the country of the shop; needed unless `email` is given.

        name: Fills a gap only; a name that the contact has stays.

        tags: Added to the tags that the contact has; at most 20 are kept, the others are named in `droppedTags`. A tag has 1 to 64 characters.

        send_opt_in: Whether to send the mail that asks the person to confirm; needs an email address.
        """
        return cast("SavedContact", await self._connection.call("POST", "/contacts", {}, body_of(body or {}, {"email": email, "phone": phone, "name": name, "tags": tags, "sendOptIn": send_opt_in}), options))

    def list_stamps(
        self,
        *,
        prefix: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[Stamp]:
        """List contact stamps"""
        return self._connection.rows("/contacts/stamps", {"prefix": prefix, "limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Contact:
        """Get contact"""
        return cast("Contact", await self._connection.call("GET", f"/contacts/{quoted(id)}", {}, None, options))

    async def change_tags(
        self,
        id: str,
        body: ContactsChangeTagsBody | None = None,
        *,
        add: List[str] | None | Absent = ABSENT,
        remove: List[str] | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Contact:
        """Change contact tags

        add: Tags to add, each of 1 to 64 characters; one that is there already is no error. Needed unless `remove` is given.

        remove: Tags to take off; one that is not there is no error. Needed unless `add` is given.
        """
        return cast("Contact", await self._connection.call("POST", f"/contacts/{quoted(id)}/tags", {}, body_of(body or {}, {"add": add, "remove": remove}), options))

    async def compare(
        self,
        copy: AsyncCopy,
        *,
        updated_after: str | datetime | None = None,
        **options: Unpack[CallOptions],
    ) -> Difference:
        """Compares a copy, the `updatedAt` of each object by its id, with the shop. Polls beside it do no harm.

        updated_after: Where the next poll of the copy goes on; the newest stamp of the copy by default. What has changed since is left out.
        """
        return await compare_async(self.list_stamps(**options), copy, updated_after)


class AsyncEventsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        type: EventsListType | Sequence[EventsListType] | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        wait: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[WebhookEvent]:
        """List events"""
        return self._connection.rows("/events", {"type": type, "object_id": object_id, "created_after": created_after, "created_before": created_before, "wait": wait, "limit": limit, "cursor": cursor}, options)

    def follow(
        self,
        *,
        type: EventsListType | Sequence[EventsListType] | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[WebhookEvent]:
        """As they happen, without an end: those behind `cursor`, or from now on."""
        return self._connection.follow("/events", {"type": type, "object_id": object_id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)


class AsyncShopApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(
        self,
        **options: Unpack[CallOptions],
    ) -> Shop:
        """Get shop"""
        return cast("Shop", await self._connection.call("GET", "/shop", {}, None, options))


class AsyncStorefront(AsyncConnection):
    """A client of the public API, for one shop."""

    def __init__(self, base_url: str, key: str, *, timeout: float = 60.0) -> None:
        super().__init__(base_url.rstrip("/") + "/api/v1", key, timeout)
        self.orders = AsyncOrdersApi(self)
        self.products = AsyncProductsApi(self)
        self.contacts = AsyncContactsApi(self)
        self.events = AsyncEventsApi(self)
        self.shop = AsyncShopApi(self)
