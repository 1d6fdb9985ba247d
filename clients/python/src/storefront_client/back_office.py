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


class Operator(TypedDict):
    id: str
    object: Literal["operator"]
    name: str
    email: str | None
    role: str
    shops: List[str] | None
    createdAt: str | None
    disabledAt: str | None
    lastSeenAt: str | None


class ShopRecord(TypedDict):
    id: str
    object: Literal["shop"]
    handle: str
    name: str
    currency: str
    timeZone: str
    country: str | None
    createdAt: str
    updatedAt: str
    ownerEmail: str | None
    plan: str
    mode: str


class Deleted(TypedDict):
    id: str
    object: str
    deleted: Literal[True]


class NewApiKey(TypedDict):
    id: str
    object: Literal["api_key"]
    name: str
    access: str
    prefix: str
    lastFour: str
    lastUsedAt: str | None
    createdAt: str
    revokedAt: str | None
    expiresAt: str | None
    allowedSources: List[str] | None
    resources: List[Literal["orders", "products", "contacts", "shop"]] | None
    secret: str


class ApiKey(TypedDict):
    id: str
    object: Literal["api_key"]
    name: str
    access: str
    prefix: str
    lastFour: str
    lastUsedAt: str | None
    createdAt: str
    revokedAt: str | None
    expiresAt: str | None
    allowedSources: List[str] | None
    resources: List[Literal["orders", "products", "contacts", "shop"]] | None


class AgentAuthorizationClient(TypedDict):
    id: str
    name: str
    registration: str
    redirectHost: str
    host: str | None
    isLoopback: bool


class AgentAuthorization(TypedDict):
    id: str
    object: Literal["agent_authorization"]
    client: AgentAuthorizationClient
    access: str
    createdAt: str
    expiresAt: str


class AgentDecision(TypedDict):
    object: Literal["agent_decision"]
    redirectTo: str


class AgentGrantClient(TypedDict):
    id: str
    name: str
    registration: str
    redirectHost: str


class AgentGrant(TypedDict):
    id: str
    object: Literal["agent_grant"]
    shopId: str
    client: AgentGrantClient
    access: str
    resources: List[Literal["orders", "products", "contacts", "shop"]] | None
    operatorId: str
    createdAt: str
    expiresAt: str
    lastUsedAt: str | None
    endedAt: str | None
    endedReason: str | None


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


class Money(TypedDict):
    cents: int
    amount: str
    currency: str


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


class Address(TypedDict):
    line1: str | None
    line2: str | None
    city: str | None
    region: str | None
    postalCode: str | None
    country: str | None


class PersonDataContact(TypedDict):
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
    privateNote: str | None


class PersonDataConsentsItem(TypedDict):
    id: str
    kind: str
    email: str | None
    at: str
    address: str | None
    agent: str | None
    textVersion: str | None
    source: str


class PersonDataOptInMailsItem(TypedDict):
    id: str
    email: str
    shopName: str
    source: str
    createdAt: str
    expiresAt: str
    sentAt: str | None
    confirmedAt: str | None
    voidedAt: str | None


class PersonDataSuppressedMailbox(TypedDict):
    since: str


class PersonDataImportsItem(TypedDict):
    source: str
    key: str
    result: Dict[str, object] | None


class PersonDataOrdersItemDisputesItem(TypedDict):
    id: str
    amount: Money
    reason: str | None
    state: str
    openedAt: str
    closedAt: str | None


class PersonDataOrdersItemImportsItem(TypedDict):
    source: str
    key: str
    result: Dict[str, object] | None


class PersonDataOrdersItem(TypedDict):
    order: Order
    privateNote: str | None
    disputes: List[PersonDataOrdersItemDisputesItem]
    history: List[OrderMove]
    imports: List[PersonDataOrdersItemImportsItem]
    events: List[Event]


class PersonDataSubscriptionsItem(TypedDict):
    subscription: Subscription
    history: List[SubscriptionMove]
    events: List[Event]


class PersonData(TypedDict):
    object: Literal["person_data"]
    contactId: str
    takenAt: str
    erasure: str
    contact: PersonDataContact | None
    consents: List[PersonDataConsentsItem]
    optInMails: List[PersonDataOptInMailsItem]
    suppressedMailbox: PersonDataSuppressedMailbox | None
    imports: List[PersonDataImportsItem]
    orders: List[PersonDataOrdersItem]
    subscriptions: List[PersonDataSubscriptionsItem]
    auditEntries: List[AuditEntry]


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


class OrderMove(TypedDict):
    object: Literal["order_move"]
    orderId: str
    number: int
    at: str
    who: str
    move: str
    fromStatus: str | None
    toStatus: str
    fromPaymentStatus: str | None
    toPaymentStatus: str
    amount: Money | None


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


class SubscriptionMove(TypedDict):
    object: Literal["subscription_move"]
    subscriptionId: str
    number: int
    at: str
    who: str
    move: str
    fromStatus: str | None
    toStatus: str


class AuditEntryOperator(TypedDict):
    id: str
    name: str
    via: str


class AuditEntry(TypedDict):
    id: str
    object: Literal["audit_entry"]
    at: str
    operator: AuditEntryOperator | None
    source: str
    requestId: str | None
    action: str
    method: str
    route: str
    shopId: str | None
    objectType: str
    objectId: str | None
    outcome: str
    code: NotRequired[str]
    changes: Dict[str, object]


class ErasedContact(TypedDict):
    id: str
    object: Literal["contact"]
    erased: Literal[True]


class SubscriptionSettings(TypedDict):
    object: Literal["subscription_settings"]
    unrecovered: str


class ExportedOrderCustomer(TypedDict):
    clientId: str | None
    name: str | None
    email: str | None
    phone: str | None


class ExportedOrderDelivery(TypedDict):
    method: str | None
    label: str | None
    pickupLocation: str | None
    trackingCarrier: str | None
    trackingNumber: str | None
    trackingUrl: str | None
    shippedAt: str | None


class ExportedOrderBooking(TypedDict):
    scheduledFor: str | None
    serviceMode: str | None
    serviceLocation: str | None


class ExportedOrderCoupon(TypedDict):
    code: str


class ExportedOrderAffiliate(TypedDict):
    code: str


class ExportedOrder(TypedDict):
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
    customer: ExportedOrderCustomer
    address: Address
    delivery: ExportedOrderDelivery
    booking: ExportedOrderBooking | None
    coupon: ExportedOrderCoupon | None
    affiliate: ExportedOrderAffiliate | None
    note: str | None
    items: List[OrderLine]
    createdAt: str | None
    updatedAt: str | None
    privateNote: str | None


class ExportedProductBooking(TypedDict):
    durationMinutes: int | None
    serviceMode: str | None
    leadHours: int | None


class ExportedProductEvent(TypedDict):
    startsAt: str | None


class ExportedProductMembership(TypedDict):
    interval: str | None
    trialDays: int | None


class ExportedProduct(TypedDict):
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
    booking: ExportedProductBooking | None
    event: ExportedProductEvent | None
    membership: ExportedProductMembership | None
    variants: List[ExportedVariant]
    createdAt: str | None
    updatedAt: str | None
    sku: str | None
    continueSelling: bool
    soldOut: bool


class ExportedVariant(TypedDict):
    id: str
    sku: str | None
    options: Dict[str, object]
    price: Money
    stock: int | None
    isAvailable: bool
    inheritsPrice: bool
    continueSelling: bool
    soldOut: bool


class ExportedContact(TypedDict):
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
    privateNote: str | None
    consents: List[Consent]


class Consent(TypedDict):
    kind: str
    at: str
    email: str | None
    address: str | None
    agent: str | None
    textVersion: str | None
    source: str


class ExportedSubscription(TypedDict):
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
    anchorAt: str | None
    periods: int


class WebhookEndpointWithSecret(TypedDict):
    id: str
    object: Literal["webhook_endpoint"]
    url: str
    events: List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]]
    description: str | None
    enabled: bool
    disabledReason: str | None
    disabledAt: str | None
    failingSince: str | None
    lastError: str | None
    pausedUntil: str | None
    waiting: int
    secretLastFour: str
    previousSecretUntil: str | None
    createdAt: str
    updatedAt: str
    secret: str


class WebhookEndpoint(TypedDict):
    id: str
    object: Literal["webhook_endpoint"]
    url: str
    events: List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]]
    description: str | None
    enabled: bool
    disabledReason: str | None
    disabledAt: str | None
    failingSince: str | None
    lastError: str | None
    pausedUntil: str | None
    waiting: int
    secretLastFour: str
    previousSecretUntil: str | None
    createdAt: str
    updatedAt: str


class EndpointHealth(TypedDict):
    object: Literal["endpoint_health"]
    endpointId: str
    since: str
    attempts: int
    succeeded: int
    p95Ms: float | None
    oldestUndeliveredAt: str | None


class WebhookAttemptRequest(TypedDict):
    headers: Dict[str, object]
    body: str | None


class WebhookAttempt(TypedDict):
    object: Literal["webhook_attempt"]
    number: int
    reason: str
    at: str
    durationMs: int
    status: int | None
    error: str | None
    excerpt: str
    request: WebhookAttemptRequest | None


class WebhookDelivery(TypedDict):
    id: str
    object: Literal["webhook_delivery"]
    endpointId: str
    eventId: str
    event: str
    sequence: int
    status: str
    attemptCount: int
    attempts: List[WebhookAttempt]
    nextAttemptAt: str | None
    happenedAt: str
    link: str


WebhookReplay = TypedDict("WebhookReplay", {"id": "str", "object": "Literal[\"webhook_replay\"]", "endpointId": "str", "status": "str", "from": "str", "to": "str", "events": "List[Literal[\"*\", \"order.*\", \"booking.*\", \"subscription.*\", \"order.created\", \"order.paid\", \"order.confirmed\", \"order.shipped\", \"order.completed\", \"order.cancelled\", \"order.refunded\", \"order.disputed\", \"order.dispute_closed\", \"order.updated\", \"booking.confirmed\", \"booking.rescheduled\", \"booking.cancelled\", \"subscription.created\", \"subscription.renewed\", \"subscription.payment_failed\", \"subscription.cancelled\", \"subscription.resumed\", \"subscription.ended\", \"subscription.updated\"]]", "which": "Literal[\"failed\", \"held\", \"missed\", \"all\"]", "count": "int", "queued": "int", "createdAt": "str", "finishedAt": "str | None"})


class ReplayPreview(TypedDict):
    object: Literal["replay_preview"]
    events: int
    delivered: int


class ImportErrorsItem(TypedDict):
    line: int | None
    record: int | None
    key: str | None
    column: str | None
    code: str
    value: str | None
    message: str | None
    severity: Literal["error", "warning"]


class Import(TypedDict):
    id: str
    object: Literal["import"]
    format: str | None
    status: str
    phase: str
    dryRun: bool
    processed: int
    created: int
    updated: int
    unchanged: int
    skipped: int
    failed: int
    total: int | None
    records: int
    blankRecords: int
    ignoredRecords: int
    recordsPerSecond: float | None
    etaSeconds: int | None
    ignoredColumns: List[str]
    problemCounts: Dict[str, object]
    errors: List[ImportErrorsItem]
    createdAt: str
    updatedAt: str
    finishedAt: str | None


UsageAnswers = TypedDict("UsageAnswers", {"429": "int", "2xx": "int", "4xx": "int", "5xx": "int"})


class Usage(TypedDict):
    object: Literal["usage"]
    keyId: str
    grantId: NotRequired[str]
    minute: str
    calls: int
    mcpCalls: int
    refused: int
    p50Ms: float | None
    p95Ms: float | None
    answers: UsageAnswers


class Request(TypedDict):
    id: str
    object: Literal["request"]
    at: str
    keyId: str
    grantId: NotRequired[str]
    method: str
    route: str | None
    tool: str | None
    status: int
    code: str | None
    message: str | None
    durationMs: int
    source: str | None


class SignInLink(TypedDict):
    object: Literal["sign_in_link"]
    url: str
    code: str
    expiresAt: str


class NewOperatorToken(TypedDict):
    id: str
    object: Literal["operator_token"]
    name: str
    prefix: str
    lastFour: str
    expiresAt: str | None
    createdAt: str
    lastUsedAt: str | None
    revokedAt: str | None
    secret: str


class OperatorToken(TypedDict):
    id: str
    object: Literal["operator_token"]
    name: str
    prefix: str
    lastFour: str
    expiresAt: str | None
    createdAt: str
    lastUsedAt: str | None
    revokedAt: str | None


class View(TypedDict):
    id: str
    object: Literal["view"]
    name: str
    path: str
    createdAt: str
    updatedAt: str


class OutboxMessage(TypedDict):
    id: str
    object: Literal["outbox_message"]
    schema: str
    topic: str
    shopId: str
    objectId: str
    failures: int
    lastError: str
    createdAt: str
    firstFailedAt: str
    parkedAt: str | None


class SecretKeyPreviousUsesItem(TypedDict):
    purpose: str
    uses: int
    lastUsedAt: str | None


class SecretKey(TypedDict):
    object: Literal["secret_key"]
    keyId: str
    nextKeyId: str | None
    previousKeyId: str | None
    previousSince: str | None
    answersUntil: str | None
    storedUnderPrevious: int | None
    previousLastUsedAt: str | None
    previousUses: List[SecretKeyPreviousUsesItem]
    mayForgetPrevious: bool


class Restore(TypedDict):
    id: str
    object: Literal["restore"]
    status: str
    shopId: str
    handle: str
    archive: str
    newIds: bool
    events: bool
    parts: Dict[str, object]
    createdAt: str
    updatedAt: str
    finishedAt: str | None


class RestorePreview(TypedDict):
    object: Literal["restore_preview"]
    handle: str
    newIds: bool
    neededBytes: int
    freeBytes: int | None


class RestoreBatch(TypedDict):
    object: Literal["restore_batch"]
    part: str
    position: int


class LiveDelivery(TypedDict):
    object: Literal["webhook_attempt"]
    number: int
    reason: str
    at: str
    durationMs: int
    status: int | None
    error: str | None
    deliveryId: str | None
    endpointId: str
    eventId: str
    event: str


class Skipped(TypedDict):
    count: int


class SessionsCreateBody(TypedDict):
    token: NotRequired[str]
    code: NotRequired[str]


class OperatorsCreateBody(TypedDict):
    id: NotRequired[object]
    object: NotRequired[object]
    createdAt: NotRequired[object]
    disabledAt: NotRequired[object]
    lastSeenAt: NotRequired[object]
    name: str
    email: str
    role: Literal["owner", "manager", "viewer", "support"]
    shops: NotRequired[List[str] | None]


class OperatorsChangeBody(TypedDict):
    id: NotRequired[object]
    object: NotRequired[object]
    createdAt: NotRequired[object]
    disabledAt: NotRequired[object]
    lastSeenAt: NotRequired[object]
    name: NotRequired[str]
    email: NotRequired[str]
    role: NotRequired[Literal["owner", "manager", "viewer", "support"]]
    shops: NotRequired[List[str] | None]


class OperatorsDisableBody(TypedDict):
    pass


class OperatorsCreateLinkBody(TypedDict):
    pass


class ShopsCreateBody(TypedDict):
    id: NotRequired[object]
    object: NotRequired[object]
    createdAt: NotRequired[object]
    updatedAt: NotRequired[object]
    handle: str
    name: str
    currency: str
    timeZone: str
    country: NotRequired[str | None]
    ownerEmail: NotRequired[str | None]
    plan: NotRequired[Literal["basic", "pro"]]
    mode: NotRequired[Literal["live", "test"]]


class ShopsChangeBody(TypedDict):
    id: NotRequired[object]
    object: NotRequired[object]
    createdAt: NotRequired[object]
    updatedAt: NotRequired[object]
    handle: NotRequired[str]
    name: NotRequired[str]
    currency: NotRequired[str]
    timeZone: NotRequired[str]
    country: NotRequired[str | None]
    ownerEmail: NotRequired[str | None]
    plan: NotRequired[Literal["basic", "pro"]]
    mode: NotRequired[Literal["live", "test"]]


class ShopsDeleteBody(TypedDict):
    handle: str


class KeysCreateBody(TypedDict):
    id: NotRequired[object]
    object: NotRequired[object]
    prefix: NotRequired[object]
    lastFour: NotRequired[object]
    lastUsedAt: NotRequired[object]
    createdAt: NotRequired[object]
    revokedAt: NotRequired[object]
    secret: NotRequired[object]
    name: str
    access: Literal["read", "write"]
    expiresAt: NotRequired[str | None]
    allowedSources: NotRequired[List[str] | None]
    resources: NotRequired[List[Literal["orders", "products", "contacts", "shop"]] | None]


class KeysRollBody(TypedDict):
    overlapSeconds: NotRequired[int]


class AgentApproveBody(TypedDict):
    shop: str
    access: Literal["read", "write"]
    resources: NotRequired[List[Literal["orders", "products", "contacts", "shop"]] | None]
    expiresInDays: NotRequired[Literal[1, 7, 30, 90]]


class AgentRefuseBody(TypedDict):
    pass


class ProductsCreateBodyPrice(TypedDict):
    cents: int
    amount: NotRequired[object]
    currency: NotRequired[str]


class ProductsCreateBodyCompareAt(TypedDict):
    cents: int
    amount: NotRequired[object]
    currency: NotRequired[str]


class ProductsCreateBodyBooking(TypedDict):
    durationMinutes: NotRequired[int | None]
    serviceMode: NotRequired[Literal["in_person", "online"] | None]
    leadHours: NotRequired[int | None]


class ProductsCreateBodyEvent(TypedDict):
    startsAt: NotRequired[str | None]


class ProductsCreateBodyMembership(TypedDict):
    interval: NotRequired[Literal["month", "year"] | None]
    trialDays: NotRequired[int | None]


class ProductsCreateBodyVariantsItemPrice(TypedDict):
    cents: int
    amount: NotRequired[object]
    currency: NotRequired[str]


class ProductsCreateBodyVariantsItem(TypedDict):
    id: NotRequired[str | None]
    sku: NotRequired[str | None]
    options: NotRequired[Dict[str, object]]
    price: NotRequired[ProductsCreateBodyVariantsItemPrice | None]
    stock: NotRequired[int | None]
    isAvailable: NotRequired[object]


class ProductsCreateBody(TypedDict):
    title: str
    slug: NotRequired[str | None]
    description: NotRequired[str | None]
    kind: NotRequired[Literal["physical", "digital", "service", "event", "membership"]]
    tags: NotRequired[List[str]]
    price: ProductsCreateBodyPrice
    compareAt: NotRequired[ProductsCreateBodyCompareAt | None]
    trackInventory: NotRequired[bool]
    stock: NotRequired[int | None]
    isPublished: NotRequired[bool]
    isFeatured: NotRequired[bool]
    booking: NotRequired[ProductsCreateBodyBooking | None]
    event: NotRequired[ProductsCreateBodyEvent | None]
    membership: NotRequired[ProductsCreateBodyMembership | None]
    variants: NotRequired[List[ProductsCreateBodyVariantsItem]]
    id: NotRequired[object]
    object: NotRequired[object]
    inStock: NotRequired[object]
    updatedAt: NotRequired[object]
    createdAt: NotRequired[str | None]


ProductsListKind = Literal["physical", "digital", "service", "event", "membership"]


class ProductsChangeBodyPrice(TypedDict):
    cents: int
    amount: NotRequired[object]
    currency: NotRequired[str]


class ProductsChangeBodyCompareAt(TypedDict):
    cents: int
    amount: NotRequired[object]
    currency: NotRequired[str]


class ProductsChangeBodyBooking(TypedDict):
    durationMinutes: NotRequired[int | None]
    serviceMode: NotRequired[Literal["in_person", "online"] | None]
    leadHours: NotRequired[int | None]


class ProductsChangeBodyEvent(TypedDict):
    startsAt: NotRequired[str | None]


class ProductsChangeBodyMembership(TypedDict):
    interval: NotRequired[Literal["month", "year"] | None]
    trialDays: NotRequired[int | None]


class ProductsChangeBodyVariantsItemPrice(TypedDict):
    cents: int
    amount: NotRequired[object]
    currency: NotRequired[str]


class ProductsChangeBodyVariantsItem(TypedDict):
    id: NotRequired[str | None]
    sku: NotRequired[str | None]
    options: NotRequired[Dict[str, object]]
    price: NotRequired[ProductsChangeBodyVariantsItemPrice | None]
    stock: NotRequired[int | None]
    isAvailable: NotRequired[object]


class ProductsChangeBody(TypedDict):
    title: NotRequired[str]
    slug: NotRequired[str]
    description: NotRequired[str | None]
    kind: NotRequired[Literal["physical", "digital", "service", "event", "membership"]]
    tags: NotRequired[List[str]]
    price: NotRequired[ProductsChangeBodyPrice]
    compareAt: NotRequired[ProductsChangeBodyCompareAt | None]
    trackInventory: NotRequired[bool]
    stock: NotRequired[int | None]
    isPublished: NotRequired[bool]
    isFeatured: NotRequired[bool]
    booking: NotRequired[ProductsChangeBodyBooking | None]
    event: NotRequired[ProductsChangeBodyEvent | None]
    membership: NotRequired[ProductsChangeBodyMembership | None]
    variants: NotRequired[List[ProductsChangeBodyVariantsItem]]
    id: NotRequired[object]
    object: NotRequired[object]
    inStock: NotRequired[object]
    updatedAt: NotRequired[object]
    createdAt: NotRequired[object]


ProductsExportKind = Literal["physical", "digital", "service", "event", "membership"]


class ContactsSaveBodyAddress(TypedDict):
    line1: NotRequired[str | None]
    line2: NotRequired[str | None]
    city: NotRequired[str | None]
    region: NotRequired[str | None]
    postalCode: NotRequired[str | None]
    country: NotRequired[str | None]


class ContactsSaveBody(TypedDict):
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    name: NotRequired[str | None]
    tags: NotRequired[List[str] | None]
    source: NotRequired[str | None]
    marketingConsentAt: NotRequired[str | None]
    address: NotRequired[ContactsSaveBodyAddress | None]
    privateNote: NotRequired[str | None]
    createdAt: NotRequired[str | None]
    id: NotRequired[object]
    object: NotRequired[object]
    updatedAt: NotRequired[object]
    optInSent: NotRequired[object]


class ContactsEraseBody(TypedDict):
    pass


class ContactsRetryParkedBody(TypedDict):
    pass


class OrdersPlaceBodyCustomer(TypedDict):
    clientId: NotRequired[object]
    name: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]


class OrdersPlaceBodyAddress(TypedDict):
    line1: NotRequired[str | None]
    line2: NotRequired[str | None]
    city: NotRequired[str | None]
    region: NotRequired[str | None]
    postalCode: NotRequired[str | None]
    country: NotRequired[str | None]


class OrdersPlaceBodyDelivery(TypedDict):
    method: NotRequired[Literal["shipping", "collection"] | None]
    label: NotRequired[str | None]
    pickupLocation: NotRequired[str | None]
    trackingCarrier: NotRequired[object]
    trackingNumber: NotRequired[object]
    trackingUrl: NotRequired[object]
    shippedAt: NotRequired[object]


class OrdersPlaceBodyBooking(TypedDict):
    scheduledFor: NotRequired[str | None]
    serviceMode: NotRequired[Literal["in_person", "online"] | None]
    serviceLocation: NotRequired[str | None]


class OrdersPlaceBodyCoupon(TypedDict):
    code: str


class OrdersPlaceBodyAffiliate(TypedDict):
    code: str


class OrdersPlaceBodyDiscount(TypedDict):
    cents: int
    amount: NotRequired[object]
    currency: NotRequired[str | None]


class OrdersPlaceBodyDeliveryFee(TypedDict):
    cents: int
    amount: NotRequired[object]
    currency: NotRequired[str | None]


class OrdersPlaceBodyTax(TypedDict):
    cents: int
    amount: NotRequired[object]
    currency: NotRequired[str | None]


class OrdersPlaceBodyItemsItem(TypedDict):
    id: NotRequired[object]
    subtotal: NotRequired[object]
    productId: str
    variantId: NotRequired[str | None]
    quantity: int
    title: NotRequired[object]
    variantLabel: NotRequired[object]
    sku: NotRequired[object]
    kind: NotRequired[object]
    unitPrice: NotRequired[object]


class OrdersPlaceBodyItemsItem1UnitPrice(TypedDict):
    cents: int
    amount: NotRequired[object]
    currency: NotRequired[str | None]


class OrdersPlaceBodyItemsItem1(TypedDict):
    id: NotRequired[object]
    subtotal: NotRequired[object]
    productId: NotRequired[None]
    variantId: NotRequired[None]
    title: str
    variantLabel: NotRequired[str | None]
    sku: NotRequired[str | None]
    kind: Literal["physical", "digital", "service", "event", "membership"]
    quantity: int
    unitPrice: OrdersPlaceBodyItemsItem1UnitPrice


class OrdersPlaceBody(TypedDict):
    paymentMethod: Literal["card", "bank_transfer", "cod", "paypal", "venmo", "whatsapp", "telegram", "instagram", "email", "phone"]
    paymentStatus: NotRequired[object]
    customer: NotRequired[OrdersPlaceBodyCustomer | None]
    address: NotRequired[OrdersPlaceBodyAddress | None]
    delivery: NotRequired[OrdersPlaceBodyDelivery | None]
    booking: NotRequired[OrdersPlaceBodyBooking | None]
    coupon: NotRequired[OrdersPlaceBodyCoupon | None]
    affiliate: NotRequired[OrdersPlaceBodyAffiliate | None]
    note: NotRequired[str | None]
    privateNote: NotRequired[str | None]
    discount: NotRequired[OrdersPlaceBodyDiscount | None]
    deliveryFee: NotRequired[OrdersPlaceBodyDeliveryFee | None]
    tax: NotRequired[OrdersPlaceBodyTax | None]
    items: List[OrdersPlaceBodyItemsItem | OrdersPlaceBodyItemsItem1]
    createdAt: NotRequired[str | None]
    currency: NotRequired[str | None]
    id: NotRequired[object]
    object: NotRequired[object]
    status: NotRequired[object]
    subtotal: NotRequired[object]
    total: NotRequired[object]
    refunded: NotRequired[object]
    itemCount: NotRequired[object]
    updatedAt: NotRequired[object]


OrdersListStatus = Literal["new", "confirmed", "shipped", "completed", "cancelled", "refunded"]


OrdersListPaymentStatus = Literal["unpaid", "pending", "paid", "refunded", "disputed"]


class OrdersChangeBodyAddress(TypedDict):
    line1: NotRequired[str | None]
    line2: NotRequired[str | None]
    city: NotRequired[str | None]
    region: NotRequired[str | None]
    postalCode: NotRequired[str | None]
    country: NotRequired[str | None]


class OrdersChangeBodyCustomer(TypedDict):
    clientId: NotRequired[object]
    name: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]


class OrdersChangeBody(TypedDict):
    address: NotRequired[OrdersChangeBodyAddress | None]
    customer: NotRequired[OrdersChangeBodyCustomer | None]
    privateNote: NotRequired[str | None]
    id: NotRequired[object]
    object: NotRequired[object]
    status: NotRequired[object]
    paymentStatus: NotRequired[object]
    paymentMethod: NotRequired[object]
    currency: NotRequired[object]
    subtotal: NotRequired[object]
    discount: NotRequired[object]
    deliveryFee: NotRequired[object]
    tax: NotRequired[object]
    total: NotRequired[object]
    refunded: NotRequired[object]
    itemCount: NotRequired[object]
    delivery: NotRequired[object]
    booking: NotRequired[object]
    coupon: NotRequired[object]
    affiliate: NotRequired[object]
    note: NotRequired[object]
    items: NotRequired[object]
    createdAt: NotRequired[object]
    updatedAt: NotRequired[object]


class OrdersConfirmBody(TypedDict):
    pass


class OrdersMarkPaidBody(TypedDict):
    pass


class OrdersPaymentPendingBody(TypedDict):
    pass


class OrdersPaymentFailedBody(TypedDict):
    pass


class OrdersShipBody(TypedDict):
    trackingCarrier: NotRequired[str | None]
    trackingNumber: NotRequired[str | None]
    trackingUrl: NotRequired[str | None]


class OrdersCompleteBody(TypedDict):
    pass


class OrdersCancelBody(TypedDict):
    refund: NotRequired[bool | None]


class OrdersRefundBodyAmount(TypedDict):
    cents: int
    amount: NotRequired[object]
    currency: NotRequired[str | None]


class OrdersRefundBody(TypedDict):
    amount: NotRequired[OrdersRefundBodyAmount | None]


class OrdersDisputeBodyAmount(TypedDict):
    cents: int
    amount: NotRequired[object]
    currency: NotRequired[str | None]


class OrdersDisputeBody(TypedDict):
    amount: NotRequired[OrdersDisputeBodyAmount | None]
    reason: NotRequired[str | None]


class OrdersResolveDisputeBody(TypedDict):
    outcome: Literal["won", "lost"]


class OrdersRescheduleBody(TypedDict):
    scheduledFor: NotRequired[str | None]
    serviceMode: NotRequired[Literal["in_person", "online"] | None]
    serviceLocation: NotRequired[str | None]


OrdersExportStatus = Literal["new", "confirmed", "shipped", "completed", "cancelled", "refunded"]


OrdersExportPaymentStatus = Literal["unpaid", "pending", "paid", "refunded", "disputed"]


class OrdersRetryParkedBody(TypedDict):
    pass


class SubscriptionsCreateBody(TypedDict):
    productId: str
    clientId: str
    billingMode: Literal["processor", "manual"]
    paymentMethod: NotRequired[Literal["bank_transfer", "cod", "paypal", "venmo", "whatsapp", "telegram", "instagram", "email", "phone"] | None]
    trialDays: NotRequired[int | None]
    firstPayment: NotRequired[Literal["paid", "open"]]
    createdAt: NotRequired[str | None]
    id: NotRequired[object]
    object: NotRequired[object]
    status: NotRequired[object]
    price: NotRequired[object]
    currency: NotRequired[object]
    interval: NotRequired[object]
    currentPeriodEnd: NotRequired[object]
    cancelAtPeriodEnd: NotRequired[object]
    canceledAt: NotRequired[object]
    trialEndsAt: NotRequired[object]
    startedAt: NotRequired[object]
    updatedAt: NotRequired[object]


SubscriptionsListStatus = Literal["trialing", "active", "past_due", "canceled", "incomplete", "unpaid"]


class SubscriptionsRenewBody(TypedDict):
    pass


class SubscriptionsPaymentFailedBody(TypedDict):
    lastAttempt: NotRequired[bool]


class SubscriptionsCancelBody(TypedDict):
    pass


class SubscriptionsResumeBody(TypedDict):
    pass


class SubscriptionsEndBody(TypedDict):
    pass


class SubscriptionsChangeSettingsBody(TypedDict):
    unrecovered: NotRequired[Literal["canceled", "unpaid"]]
    object: NotRequired[object]


SubscriptionsExportStatus = Literal["trialing", "active", "past_due", "canceled", "incomplete", "unpaid"]


class SubscriptionsRetryParkedBody(TypedDict):
    pass


EventsListType = Literal["order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated", "order.*", "booking.*", "subscription.*"]


class EndpointsCreateBody(TypedDict):
    id: NotRequired[object]
    object: NotRequired[object]
    disabledReason: NotRequired[object]
    disabledAt: NotRequired[object]
    failingSince: NotRequired[object]
    lastError: NotRequired[object]
    pausedUntil: NotRequired[object]
    waiting: NotRequired[object]
    secret: NotRequired[object]
    secretLastFour: NotRequired[object]
    previousSecretUntil: NotRequired[object]
    createdAt: NotRequired[object]
    updatedAt: NotRequired[object]
    url: str
    events: NotRequired[List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]]]
    description: NotRequired[str | None]
    enabled: NotRequired[bool]


class EndpointsChangeBody(TypedDict):
    id: NotRequired[object]
    object: NotRequired[object]
    disabledReason: NotRequired[object]
    disabledAt: NotRequired[object]
    failingSince: NotRequired[object]
    lastError: NotRequired[object]
    pausedUntil: NotRequired[object]
    waiting: NotRequired[object]
    secret: NotRequired[object]
    secretLastFour: NotRequired[object]
    previousSecretUntil: NotRequired[object]
    createdAt: NotRequired[object]
    updatedAt: NotRequired[object]
    url: NotRequired[str]
    events: NotRequired[List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]]]
    description: NotRequired[str | None]
    enabled: NotRequired[bool]
    held: NotRequired[Literal["deliver", "skip"]]


class EndpointsRotateSecretBody(TypedDict):
    overlapSeconds: NotRequired[int]


class EndpointsTestBody(TypedDict):
    event: NotRequired[Literal["order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]]


DeliveriesListStatus = Literal["pending", "delivered", "failed", "held", "skipped"]


DeliveriesListEvent = Literal["order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated", "order.*", "booking.*", "subscription.*"]


DeliveriesListAllStatus = Literal["pending", "delivered", "failed", "held", "skipped"]


DeliveriesListAllEvent = Literal["order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated", "order.*", "booking.*", "subscription.*"]


class DeliveriesRetryBody(TypedDict):
    pass


ReplaysCreateBody = TypedDict("ReplaysCreateBody", {"from": "str", "to": "NotRequired[str | None]", "events": "NotRequired[List[Literal[\"*\", \"order.*\", \"booking.*\", \"subscription.*\", \"order.created\", \"order.paid\", \"order.confirmed\", \"order.shipped\", \"order.completed\", \"order.cancelled\", \"order.refunded\", \"order.disputed\", \"order.dispute_closed\", \"order.updated\", \"booking.confirmed\", \"booking.rescheduled\", \"booking.cancelled\", \"subscription.created\", \"subscription.renewed\", \"subscription.payment_failed\", \"subscription.cancelled\", \"subscription.resumed\", \"subscription.ended\", \"subscription.updated\"]]]", "which": "NotRequired[Literal[\"failed\", \"held\", \"missed\", \"all\"]]"})


class ImportsCancelBody(TypedDict):
    pass


class OperatorTokensCreateBody(TypedDict):
    name: str
    expiresAt: NotRequired[str | None]


class ViewsSaveBody(TypedDict):
    id: NotRequired[object]
    object: NotRequired[object]
    name: NotRequired[object]
    path: str
    createdAt: NotRequired[object]
    updatedAt: NotRequired[object]


class CatalogRetryParkedBody(TypedDict):
    pass


class WebhooksRetryParkedBody(TypedDict):
    pass


class RestoresBeginBodyShop(TypedDict):
    id: str
    handle: str
    name: str
    currency: str
    time_zone: str
    country: str | None
    owner_email: str | None
    plan: str
    mode: str
    created_at: str
    updated_at: str


class RestoresBeginBody(TypedDict):
    handle: str
    archive: str
    version: int
    newIds: NotRequired[bool]
    events: NotRequired[bool]
    bytes: int
    rows: Dict[str, object]
    shop: RestoresBeginBodyShop


class RestoresAdvanceBody(TypedDict):
    position: int
    rows: List[Dict[str, object]]


class RestoresFinishBody(TypedDict):
    pass


class SessionsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create(
        self,
        body: SessionsCreateBody | None = None,
        *,
        token: str | Absent = ABSENT,
        code: str | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """Signs an operator in by a token or by the code of a link; the answer sets the cookie of the session."""
        return cast("Operator", self._connection.call("POST", "/session", {}, body_of(body or {}, {"token": token, "code": code}), options))

    def end(
        self,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """Ends the session of this call."""
        return cast("Operator", self._connection.call("DELETE", "/session", {}, None, options))


class OperatorsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def me(
        self,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """The operator who calls."""
        return cast("Operator", self._connection.call("GET", "/me", {}, None, options))

    @overload
    def create(
        self,
        body: OperatorsCreateBody,
        **options: Unpack[CallOptions],
    ) -> Operator: ...

    @overload
    def create(
        self,
        *,
        name: str,
        email: str,
        role: Literal["owner", "manager", "viewer", "support"],
        shops: List[str] | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Operator: ...

    def create(
        self,
        body: OperatorsCreateBody | None = None,
        *,
        name: str | Absent = ABSENT,
        email: str | Absent = ABSENT,
        role: Literal["owner", "manager", "viewer", "support"] | Absent = ABSENT,
        shops: List[str] | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """Creates an operator."""
        return cast("Operator", self._connection.call("POST", "/operators", {}, body_of(body or {}, {"name": name, "email": email, "role": role, "shops": shops}), options))

    def list(
        self,
        *,
        email: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[Operator]:
        """Operators, newest first."""
        return self._connection.rows("/operators", {"email": email, "limit": limit, "cursor": cursor}, options)

    def get(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """One operator."""
        return cast("Operator", self._connection.call("GET", f"/operators/{quoted(id)}", {}, None, options))

    def change(
        self,
        id: str,
        body: OperatorsChangeBody | None = None,
        *,
        name: str | Absent = ABSENT,
        email: str | Absent = ABSENT,
        role: Literal["owner", "manager", "viewer", "support"] | Absent = ABSENT,
        shops: List[str] | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """Changes an operator."""
        return cast("Operator", self._connection.call("PATCH", f"/operators/{quoted(id)}", {}, body_of(body or {}, {"name": name, "email": email, "role": role, "shops": shops}), options))

    def disable(
        self,
        id: str,
        body: OperatorsDisableBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """Disables an operator for good."""
        return cast("Operator", self._connection.call("POST", f"/operators/{quoted(id)}/disable", {}, body, options))

    def create_link(
        self,
        id: str,
        body: OperatorsCreateLinkBody | None = None,
        **options: Unpack[CallOptions],
    ) -> SignInLink:
        """Makes a link that signs the operator in once."""
        return cast("SignInLink", self._connection.call("POST", f"/operators/{quoted(id)}/sign-in-links", {}, body, options))

    def end_sessions(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """Ends every session of the operator; of its own each operator may."""
        return cast("Operator", self._connection.call("DELETE", f"/operators/{quoted(id)}/sessions", {}, None, options))


class ShopsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @overload
    def create(
        self,
        body: ShopsCreateBody,
        **options: Unpack[CallOptions],
    ) -> ShopRecord: ...

    @overload
    def create(
        self,
        *,
        handle: str,
        name: str,
        currency: str,
        time_zone: str,
        country: str | None | Absent = ABSENT,
        owner_email: str | None | Absent = ABSENT,
        plan: Literal["basic", "pro"] | Absent = ABSENT,
        mode: Literal["live", "test"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> ShopRecord: ...

    def create(
        self,
        body: ShopsCreateBody | None = None,
        *,
        handle: str | Absent = ABSENT,
        name: str | Absent = ABSENT,
        currency: str | Absent = ABSENT,
        time_zone: str | Absent = ABSENT,
        country: str | None | Absent = ABSENT,
        owner_email: str | None | Absent = ABSENT,
        plan: Literal["basic", "pro"] | Absent = ABSENT,
        mode: Literal["live", "test"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> ShopRecord:
        """Creates a shop."""
        return cast("ShopRecord", self._connection.call("POST", "/shops", {}, body_of(body or {}, {"handle": handle, "name": name, "currency": currency, "timeZone": time_zone, "country": country, "ownerEmail": owner_email, "plan": plan, "mode": mode}), options))

    def list(
        self,
        *,
        handle: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[ShopRecord]:
        """Shops that the operator may see, newest first."""
        return self._connection.rows("/shops", {"handle": handle, "limit": limit, "cursor": cursor}, options)

    def get(
        self,
        shop: str,
        **options: Unpack[CallOptions],
    ) -> ShopRecord:
        """One shop."""
        return cast("ShopRecord", self._connection.call("GET", f"/shops/{quoted(shop)}", {}, None, options))

    def change(
        self,
        shop: str,
        body: ShopsChangeBody | None = None,
        *,
        handle: str | Absent = ABSENT,
        name: str | Absent = ABSENT,
        currency: str | Absent = ABSENT,
        time_zone: str | Absent = ABSENT,
        country: str | None | Absent = ABSENT,
        owner_email: str | None | Absent = ABSENT,
        plan: Literal["basic", "pro"] | Absent = ABSENT,
        mode: Literal["live", "test"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> ShopRecord:
        """Changes a shop; handle and currency never change."""
        return cast("ShopRecord", self._connection.call("PATCH", f"/shops/{quoted(shop)}", {}, body_of(body or {}, {"handle": handle, "name": name, "currency": currency, "timeZone": time_zone, "country": country, "ownerEmail": owner_email, "plan": plan, "mode": mode}), options))

    @overload
    def delete(
        self,
        shop: str,
        body: ShopsDeleteBody,
        **options: Unpack[CallOptions],
    ) -> Deleted: ...

    @overload
    def delete(
        self,
        shop: str,
        *,
        handle: str,
        **options: Unpack[CallOptions],
    ) -> Deleted: ...

    def delete(
        self,
        shop: str,
        body: ShopsDeleteBody | None = None,
        *,
        handle: str | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Deletes a shop with everything in it; the body repeats its handle."""
        return cast("Deleted", self._connection.call("DELETE", f"/shops/{quoted(shop)}", {}, body_of(body or {}, {"handle": handle}), options))


class KeysApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @overload
    def create(
        self,
        shop: str,
        body: KeysCreateBody,
        **options: Unpack[CallOptions],
    ) -> NewApiKey: ...

    @overload
    def create(
        self,
        shop: str,
        *,
        name: str,
        access: Literal["read", "write"],
        expires_at: str | None | datetime | Absent = ABSENT,
        allowed_sources: List[str] | None | Absent = ABSENT,
        resources: List[Literal["orders", "products", "contacts", "shop"]] | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> NewApiKey: ...

    def create(
        self,
        shop: str,
        body: KeysCreateBody | None = None,
        *,
        name: str | Absent = ABSENT,
        access: Literal["read", "write"] | Absent = ABSENT,
        expires_at: str | None | datetime | Absent = ABSENT,
        allowed_sources: List[str] | None | Absent = ABSENT,
        resources: List[Literal["orders", "products", "contacts", "shop"]] | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> NewApiKey:
        """Creates an API key; a shop has at most 5 live ones."""
        return cast("NewApiKey", self._connection.call("POST", f"/shops/{quoted(shop)}/keys", {}, body_of(body or {}, {"name": name, "access": access, "expiresAt": expires_at, "allowedSources": allowed_sources, "resources": resources}), options))

    def list(
        self,
        shop: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[ApiKey]:
        """API keys of the shop, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/keys", {"limit": limit, "cursor": cursor}, options)

    def revoke(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> ApiKey:
        """Revokes an API key; in force within 2 s."""
        return cast("ApiKey", self._connection.call("DELETE", f"/shops/{quoted(shop)}/keys/{quoted(id)}", {}, None, options))

    def roll(
        self,
        shop: str,
        id: str,
        body: KeysRollBody | None = None,
        *,
        overlap_seconds: int | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> NewApiKey:
        """Creates a key that replaces this one; the old one overlaps."""
        return cast("NewApiKey", self._connection.call("POST", f"/shops/{quoted(shop)}/keys/{quoted(id)}/roll", {}, body_of(body, {"overlapSeconds": overlap_seconds}), options))


class AgentApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def authorization(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> AgentAuthorization:
        """What an agent asks for."""
        return cast("AgentAuthorization", self._connection.call("GET", f"/authorizations/{quoted(id)}", {}, None, options))

    @overload
    def approve(
        self,
        id: str,
        body: AgentApproveBody,
        **options: Unpack[CallOptions],
    ) -> AgentDecision: ...

    @overload
    def approve(
        self,
        id: str,
        *,
        shop: str,
        access: Literal["read", "write"],
        resources: List[Literal["orders", "products", "contacts", "shop"]] | None | Absent = ABSENT,
        expires_in_days: Literal[1, 7, 30, 90] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> AgentDecision: ...

    def approve(
        self,
        id: str,
        body: AgentApproveBody | None = None,
        *,
        shop: str | Absent = ABSENT,
        access: Literal["read", "write"] | Absent = ABSENT,
        resources: List[Literal["orders", "products", "contacts", "shop"]] | None | Absent = ABSENT,
        expires_in_days: Literal[1, 7, 30, 90] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> AgentDecision:
        """Gives an agent access to a shop; a shop has at most 10 live grants.

        shop: Id or handle of the shop.
        """
        return cast("AgentDecision", self._connection.call("POST", f"/authorizations/{quoted(id)}/approve", {}, body_of(body, {"shop": shop, "access": access, "resources": resources, "expiresInDays": expires_in_days}), options))

    def refuse(
        self,
        id: str,
        body: AgentRefuseBody | None = None,
        **options: Unpack[CallOptions],
    ) -> AgentDecision:
        """Refuses what an agent asks for."""
        return cast("AgentDecision", self._connection.call("POST", f"/authorizations/{quoted(id)}/refuse", {}, body, options))

    def list(
        self,
        shop: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[AgentGrant]:
        """Agents with access to the shop, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/agents", {"limit": limit, "cursor": cursor}, options)

    def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> AgentGrant:
        """The access of one agent."""
        return cast("AgentGrant", self._connection.call("GET", f"/shops/{quoted(shop)}/agents/{quoted(id)}", {}, None, options))

    def revoke(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> None:
        """Ends the access of an agent; in force within 2 s."""
        return cast("None", self._connection.call("DELETE", f"/shops/{quoted(shop)}/agents/{quoted(id)}", {}, None, options))


class ProductsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @overload
    def create(
        self,
        shop: str,
        body: ProductsCreateBody,
        **options: Unpack[CallOptions],
    ) -> Product: ...

    @overload
    def create(
        self,
        shop: str,
        *,
        title: str,
        slug: str | None | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        kind: Literal["physical", "digital", "service", "event", "membership"] | Absent = ABSENT,
        tags: List[str] | Absent = ABSENT,
        price: ProductsCreateBodyPrice,
        compare_at: ProductsCreateBodyCompareAt | None | Absent = ABSENT,
        track_inventory: bool | Absent = ABSENT,
        stock: int | None | Absent = ABSENT,
        is_published: bool | Absent = ABSENT,
        is_featured: bool | Absent = ABSENT,
        booking: ProductsCreateBodyBooking | None | Absent = ABSENT,
        event: ProductsCreateBodyEvent | None | Absent = ABSENT,
        membership: ProductsCreateBodyMembership | None | Absent = ABSENT,
        variants: List[ProductsCreateBodyVariantsItem] | Absent = ABSENT,
        created_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Product: ...

    def create(
        self,
        shop: str,
        body: ProductsCreateBody | None = None,
        *,
        title: str | Absent = ABSENT,
        slug: str | None | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        kind: Literal["physical", "digital", "service", "event", "membership"] | Absent = ABSENT,
        tags: List[str] | Absent = ABSENT,
        price: ProductsCreateBodyPrice | Absent = ABSENT,
        compare_at: ProductsCreateBodyCompareAt | None | Absent = ABSENT,
        track_inventory: bool | Absent = ABSENT,
        stock: int | None | Absent = ABSENT,
        is_published: bool | Absent = ABSENT,
        is_featured: bool | Absent = ABSENT,
        booking: ProductsCreateBodyBooking | None | Absent = ABSENT,
        event: ProductsCreateBodyEvent | None | Absent = ABSENT,
        membership: ProductsCreateBodyMembership | None | Absent = ABSENT,
        variants: List[ProductsCreateBodyVariantsItem] | Absent = ABSENT,
        created_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Product:
        """Creates a product with its variants."""
        return cast("Product", self._connection.call("POST", f"/shops/{quoted(shop)}/products", {}, body_of(body or {}, {"title": title, "slug": slug, "description": description, "kind": kind, "tags": tags, "price": price, "compareAt": compare_at, "trackInventory": track_inventory, "stock": stock, "isPublished": is_published, "isFeatured": is_featured, "booking": booking, "event": event, "membership": membership, "variants": variants, "createdAt": created_at}), options))

    def list(
        self,
        shop: str,
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
        """Products, newest first; `variants` is empty here."""
        return self._connection.rows(f"/shops/{quoted(shop)}/products", {"kind": kind, "published": published, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Product:
        """One product with its variants."""
        return cast("Product", self._connection.call("GET", f"/shops/{quoted(shop)}/products/{quoted(id)}", {}, None, options))

    def change(
        self,
        shop: str,
        id: str,
        body: ProductsChangeBody | None = None,
        *,
        title: str | Absent = ABSENT,
        slug: str | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        kind: Literal["physical", "digital", "service", "event", "membership"] | Absent = ABSENT,
        tags: List[str] | Absent = ABSENT,
        price: ProductsChangeBodyPrice | Absent = ABSENT,
        compare_at: ProductsChangeBodyCompareAt | None | Absent = ABSENT,
        track_inventory: bool | Absent = ABSENT,
        stock: int | None | Absent = ABSENT,
        is_published: bool | Absent = ABSENT,
        is_featured: bool | Absent = ABSENT,
        booking: ProductsChangeBodyBooking | None | Absent = ABSENT,
        event: ProductsChangeBodyEvent | None | Absent = ABSENT,
        membership: ProductsChangeBodyMembership | None | Absent = ABSENT,
        variants: List[ProductsChangeBodyVariantsItem] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Product:
        """Changes a product; `variants` replaces the list."""
        return cast("Product", self._connection.call("PATCH", f"/shops/{quoted(shop)}/products/{quoted(id)}", {}, body_of(body or {}, {"title": title, "slug": slug, "description": description, "kind": kind, "tags": tags, "price": price, "compareAt": compare_at, "trackInventory": track_inventory, "stock": stock, "isPublished": is_published, "isFeatured": is_featured, "booking": booking, "event": event, "membership": membership, "variants": variants}), options))

    def delete(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Deletes a product; order lines keep what was sold."""
        return cast("Deleted", self._connection.call("DELETE", f"/shops/{quoted(shop)}/products/{quoted(id)}", {}, None, options))

    def export(
        self,
        shop: str,
        *,
        kind: ProductsExportKind | Sequence[ProductsExportKind] | None = None,
        published: bool | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        updated_after: str | datetime | None = None,
        updated_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[ExportedProduct]:
        """Products with their variants as they can be imported again, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/exports/products", {"kind": kind, "published": published, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)


class ContactsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def save(
        self,
        shop: str,
        body: ContactsSaveBody | None = None,
        *,
        email: str | None | Absent = ABSENT,
        phone: str | None | Absent = ABSENT,
        name: str | None | Absent = ABSENT,
        tags: List[str] | None | Absent = ABSENT,
        source: str | None | Absent = ABSENT,
        marketing_consent_at: str | None | datetime | Absent = ABSENT,
        address: ContactsSaveBodyAddress | None | Absent = ABSENT,
        private_note: str | None | Absent = ABSENT,
        created_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Contact:
        """Creates a contact, or updates the one with that email or phone."""
        return cast("Contact", self._connection.call("POST", f"/shops/{quoted(shop)}/contacts", {}, body_of(body or {}, {"email": email, "phone": phone, "name": name, "tags": tags, "source": source, "marketingConsentAt": marketing_consent_at, "address": address, "privateNote": private_note, "createdAt": created_at}), options))

    def list(
        self,
        shop: str,
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
        """Contacts, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/contacts", {"tag": tag, "email": email, "consented": consented, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Contact:
        """One contact."""
        return cast("Contact", self._connection.call("GET", f"/shops/{quoted(shop)}/contacts/{quoted(id)}", {}, None, options))

    def data(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> PersonData:
        """Everything that is held about one person, as one document."""
        return cast("PersonData", self._connection.call("GET", f"/shops/{quoted(shop)}/contacts/{quoted(id)}/data", {}, None, options))

    def erase(
        self,
        shop: str,
        id: str,
        body: ContactsEraseBody | None = None,
        **options: Unpack[CallOptions],
    ) -> ErasedContact:
        """Erases a person for good."""
        return cast("ErasedContact", self._connection.call("POST", f"/shops/{quoted(shop)}/contacts/{quoted(id)}/erase", {}, body, options))

    def export(
        self,
        shop: str,
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
    ) -> Rows[ExportedContact]:
        """Contacts with their consents as they can be imported again, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/exports/contacts", {"tag": tag, "email": email, "consented": consented, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    def list_parked(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[OutboxMessage]:
        """Parked messages of contacts, the last parked first."""
        return self._connection.rows("/outbox/contacts", {"limit": limit, "cursor": cursor}, options)

    def retry_parked(
        self,
        id: str,
        body: ContactsRetryParkedBody | None = None,
        **options: Unpack[CallOptions],
    ) -> OutboxMessage:
        """Tries a parked message again."""
        return cast("OutboxMessage", self._connection.call("POST", f"/outbox/contacts/{quoted(id)}/retry", {}, body, options))

    def drop_parked(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Drops a parked message for good. An audit entry is 409 `conflict`: it can only be retried."""
        return cast("Deleted", self._connection.call("DELETE", f"/outbox/contacts/{quoted(id)}", {}, None, options))


class OrdersApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @overload
    def place(
        self,
        shop: str,
        body: OrdersPlaceBody,
        **options: Unpack[CallOptions],
    ) -> Order: ...

    @overload
    def place(
        self,
        shop: str,
        *,
        payment_method: Literal["card", "bank_transfer", "cod", "paypal", "venmo", "whatsapp", "telegram", "instagram", "email", "phone"],
        customer: OrdersPlaceBodyCustomer | None | Absent = ABSENT,
        address: OrdersPlaceBodyAddress | None | Absent = ABSENT,
        delivery: OrdersPlaceBodyDelivery | None | Absent = ABSENT,
        booking: OrdersPlaceBodyBooking | None | Absent = ABSENT,
        coupon: OrdersPlaceBodyCoupon | None | Absent = ABSENT,
        affiliate: OrdersPlaceBodyAffiliate | None | Absent = ABSENT,
        note: str | None | Absent = ABSENT,
        private_note: str | None | Absent = ABSENT,
        discount: OrdersPlaceBodyDiscount | None | Absent = ABSENT,
        delivery_fee: OrdersPlaceBodyDeliveryFee | None | Absent = ABSENT,
        tax: OrdersPlaceBodyTax | None | Absent = ABSENT,
        items: List[OrdersPlaceBodyItemsItem | OrdersPlaceBodyItemsItem1],
        created_at: str | None | datetime | Absent = ABSENT,
        currency: str | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order: ...

    def place(
        self,
        shop: str,
        body: OrdersPlaceBody | None = None,
        *,
        payment_method: Literal["card", "bank_transfer", "cod", "paypal", "venmo", "whatsapp", "telegram", "instagram", "email", "phone"] | Absent = ABSENT,
        customer: OrdersPlaceBodyCustomer | None | Absent = ABSENT,
        address: OrdersPlaceBodyAddress | None | Absent = ABSENT,
        delivery: OrdersPlaceBodyDelivery | None | Absent = ABSENT,
        booking: OrdersPlaceBodyBooking | None | Absent = ABSENT,
        coupon: OrdersPlaceBodyCoupon | None | Absent = ABSENT,
        affiliate: OrdersPlaceBodyAffiliate | None | Absent = ABSENT,
        note: str | None | Absent = ABSENT,
        private_note: str | None | Absent = ABSENT,
        discount: OrdersPlaceBodyDiscount | None | Absent = ABSENT,
        delivery_fee: OrdersPlaceBodyDeliveryFee | None | Absent = ABSENT,
        tax: OrdersPlaceBodyTax | None | Absent = ABSENT,
        items: List[OrdersPlaceBodyItemsItem | OrdersPlaceBodyItemsItem1] | Absent = ABSENT,
        created_at: str | None | datetime | Absent = ABSENT,
        currency: str | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Places an order."""
        return cast("Order", self._connection.call("POST", f"/shops/{quoted(shop)}/orders", {}, body_of(body or {}, {"paymentMethod": payment_method, "customer": customer, "address": address, "delivery": delivery, "booking": booking, "coupon": coupon, "affiliate": affiliate, "note": note, "privateNote": private_note, "discount": discount, "deliveryFee": delivery_fee, "tax": tax, "items": items, "createdAt": created_at, "currency": currency}), options))

    def list(
        self,
        shop: str,
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
        """Orders, newest first, each with its items."""
        return self._connection.rows(f"/shops/{quoted(shop)}/orders", {"status": status, "payment_status": payment_status, "email": email, "client_id": client_id, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Order:
        """One order."""
        return cast("Order", self._connection.call("GET", f"/shops/{quoted(shop)}/orders/{quoted(id)}", {}, None, options))

    def change(
        self,
        shop: str,
        id: str,
        body: OrdersChangeBody | None = None,
        *,
        address: OrdersChangeBodyAddress | None | Absent = ABSENT,
        customer: OrdersChangeBodyCustomer | None | Absent = ABSENT,
        private_note: str | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Corrects the address, the buyer or the private note."""
        return cast("Order", self._connection.call("PATCH", f"/shops/{quoted(shop)}/orders/{quoted(id)}", {}, body_of(body or {}, {"address": address, "customer": customer, "privateNote": private_note}), options))

    def history(
        self,
        shop: str,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[OrderMove]:
        """What was done to the order, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/orders/{quoted(id)}/history", {"limit": limit, "cursor": cursor}, options)

    def confirm(
        self,
        shop: str,
        id: str,
        body: OrdersConfirmBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Confirms an order."""
        return cast("Order", self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/confirm", {}, body, options))

    def mark_paid(
        self,
        shop: str,
        id: str,
        body: OrdersMarkPaidBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Order:
        """The money has arrived."""
        return cast("Order", self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/mark-paid", {}, body, options))

    def payment_pending(
        self,
        shop: str,
        id: str,
        body: OrdersPaymentPendingBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Order:
        """A payment is under way."""
        return cast("Order", self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/payment-pending", {}, body, options))

    def payment_failed(
        self,
        shop: str,
        id: str,
        body: OrdersPaymentFailedBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Order:
        """A payment has failed."""
        return cast("Order", self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/payment-failed", {}, body, options))

    def ship(
        self,
        shop: str,
        id: str,
        body: OrdersShipBody | None = None,
        *,
        tracking_carrier: str | None | Absent = ABSENT,
        tracking_number: str | None | Absent = ABSENT,
        tracking_url: str | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """The parcel has left."""
        return cast("Order", self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/ship", {}, body_of(body, {"trackingCarrier": tracking_carrier, "trackingNumber": tracking_number, "trackingUrl": tracking_url}), options))

    def complete(
        self,
        shop: str,
        id: str,
        body: OrdersCompleteBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Completes an order."""
        return cast("Order", self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/complete", {}, body, options))

    def cancel(
        self,
        shop: str,
        id: str,
        body: OrdersCancelBody | None = None,
        *,
        refund: bool | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Cancels an order, with or without a refund."""
        return cast("Order", self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/cancel", {}, body_of(body, {"refund": refund}), options))

    def refund(
        self,
        shop: str,
        id: str,
        body: OrdersRefundBody | None = None,
        *,
        amount: OrdersRefundBodyAmount | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Refunds money; without an amount all that is left."""
        return cast("Order", self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/refund", {}, body_of(body, {"amount": amount}), options))

    def dispute(
        self,
        shop: str,
        id: str,
        body: OrdersDisputeBody | None = None,
        *,
        amount: OrdersDisputeBodyAmount | None | Absent = ABSENT,
        reason: str | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """The buyer disputes the payment."""
        return cast("Order", self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/dispute", {}, body_of(body, {"amount": amount, "reason": reason}), options))

    @overload
    def resolve_dispute(
        self,
        shop: str,
        id: str,
        body: OrdersResolveDisputeBody,
        **options: Unpack[CallOptions],
    ) -> Order: ...

    @overload
    def resolve_dispute(
        self,
        shop: str,
        id: str,
        *,
        outcome: Literal["won", "lost"],
        **options: Unpack[CallOptions],
    ) -> Order: ...

    def resolve_dispute(
        self,
        shop: str,
        id: str,
        body: OrdersResolveDisputeBody | None = None,
        *,
        outcome: Literal["won", "lost"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """A dispute was won or lost."""
        return cast("Order", self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/resolve-dispute", {}, body_of(body, {"outcome": outcome}), options))

    def reschedule(
        self,
        shop: str,
        id: str,
        body: OrdersRescheduleBody | None = None,
        *,
        scheduled_for: str | None | datetime | Absent = ABSENT,
        service_mode: Literal["in_person", "online"] | None | Absent = ABSENT,
        service_location: str | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Moves an appointment."""
        return cast("Order", self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/reschedule", {}, body_of(body, {"scheduledFor": scheduled_for, "serviceMode": service_mode, "serviceLocation": service_location}), options))

    def export(
        self,
        shop: str,
        *,
        status: OrdersExportStatus | Sequence[OrdersExportStatus] | None = None,
        payment_status: OrdersExportPaymentStatus | Sequence[OrdersExportPaymentStatus] | None = None,
        email: str | None = None,
        client_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        updated_after: str | datetime | None = None,
        updated_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[ExportedOrder]:
        """Orders as they can be imported again, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/exports/orders", {"status": status, "payment_status": payment_status, "email": email, "client_id": client_id, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    def list_parked(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[OutboxMessage]:
        """Parked messages of orders, the last parked first."""
        return self._connection.rows("/outbox/orders", {"limit": limit, "cursor": cursor}, options)

    def retry_parked(
        self,
        id: str,
        body: OrdersRetryParkedBody | None = None,
        **options: Unpack[CallOptions],
    ) -> OutboxMessage:
        """Tries a parked message again."""
        return cast("OutboxMessage", self._connection.call("POST", f"/outbox/orders/{quoted(id)}/retry", {}, body, options))

    def drop_parked(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Drops a parked message for good. An audit entry is 409 `conflict`: it can only be retried."""
        return cast("Deleted", self._connection.call("DELETE", f"/outbox/orders/{quoted(id)}", {}, None, options))


class SubscriptionsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @overload
    def create(
        self,
        shop: str,
        body: SubscriptionsCreateBody,
        **options: Unpack[CallOptions],
    ) -> Subscription: ...

    @overload
    def create(
        self,
        shop: str,
        *,
        product_id: str,
        client_id: str,
        billing_mode: Literal["processor", "manual"],
        payment_method: Literal["bank_transfer", "cod", "paypal", "venmo", "whatsapp", "telegram", "instagram", "email", "phone"] | None | Absent = ABSENT,
        trial_days: int | None | Absent = ABSENT,
        first_payment: Literal["paid", "open"] | Absent = ABSENT,
        created_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Subscription: ...

    def create(
        self,
        shop: str,
        body: SubscriptionsCreateBody | None = None,
        *,
        product_id: str | Absent = ABSENT,
        client_id: str | Absent = ABSENT,
        billing_mode: Literal["processor", "manual"] | Absent = ABSENT,
        payment_method: Literal["bank_transfer", "cod", "paypal", "venmo", "whatsapp", "telegram", "instagram", "email", "phone"] | None | Absent = ABSENT,
        trial_days: int | None | Absent = ABSENT,
        first_payment: Literal["paid", "open"] | Absent = ABSENT,
        created_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """Starts a membership."""
        return cast("Subscription", self._connection.call("POST", f"/shops/{quoted(shop)}/subscriptions", {}, body_of(body or {}, {"productId": product_id, "clientId": client_id, "billingMode": billing_mode, "paymentMethod": payment_method, "trialDays": trial_days, "firstPayment": first_payment, "createdAt": created_at}), options))

    def list(
        self,
        shop: str,
        *,
        status: SubscriptionsListStatus | Sequence[SubscriptionsListStatus] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[Subscription]:
        """Memberships, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/subscriptions", {"status": status, "limit": limit, "cursor": cursor}, options)

    def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """One membership."""
        return cast("Subscription", self._connection.call("GET", f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}", {}, None, options))

    def history(
        self,
        shop: str,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[SubscriptionMove]:
        """What was done to the membership, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}/history", {"limit": limit, "cursor": cursor}, options)

    def renew(
        self,
        shop: str,
        id: str,
        body: SubscriptionsRenewBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """An interval was paid."""
        return cast("Subscription", self._connection.call("POST", f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}/renew", {}, body, options))

    def payment_failed(
        self,
        shop: str,
        id: str,
        body: SubscriptionsPaymentFailedBody | None = None,
        *,
        last_attempt: bool | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """A payment has failed."""
        return cast("Subscription", self._connection.call("POST", f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}/payment-failed", {}, body_of(body, {"lastAttempt": last_attempt}), options))

    def cancel(
        self,
        shop: str,
        id: str,
        body: SubscriptionsCancelBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """The member stops at the end of the period."""
        return cast("Subscription", self._connection.call("POST", f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}/cancel", {}, body, options))

    def resume(
        self,
        shop: str,
        id: str,
        body: SubscriptionsResumeBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """The member stays after all."""
        return cast("Subscription", self._connection.call("POST", f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}/resume", {}, body, options))

    def end(
        self,
        shop: str,
        id: str,
        body: SubscriptionsEndBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """Ends a membership now."""
        return cast("Subscription", self._connection.call("POST", f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}/end", {}, body, options))

    def settings(
        self,
        shop: str,
        **options: Unpack[CallOptions],
    ) -> SubscriptionSettings:
        """What the shop has set for memberships."""
        return cast("SubscriptionSettings", self._connection.call("GET", f"/shops/{quoted(shop)}/subscription-settings", {}, None, options))

    def change_settings(
        self,
        shop: str,
        body: SubscriptionsChangeSettingsBody | None = None,
        *,
        unrecovered: Literal["canceled", "unpaid"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> SubscriptionSettings:
        """Changes the settings for memberships."""
        return cast("SubscriptionSettings", self._connection.call("PATCH", f"/shops/{quoted(shop)}/subscription-settings", {}, body_of(body or {}, {"unrecovered": unrecovered}), options))

    def export(
        self,
        shop: str,
        *,
        status: SubscriptionsExportStatus | Sequence[SubscriptionsExportStatus] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[ExportedSubscription]:
        """Memberships as they can be imported again, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/exports/subscriptions", {"status": status, "limit": limit, "cursor": cursor}, options)

    def list_parked(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[OutboxMessage]:
        """Parked messages of subscriptions, the last parked first."""
        return self._connection.rows("/outbox/subscriptions", {"limit": limit, "cursor": cursor}, options)

    def retry_parked(
        self,
        id: str,
        body: SubscriptionsRetryParkedBody | None = None,
        **options: Unpack[CallOptions],
    ) -> OutboxMessage:
        """Tries a parked message again."""
        return cast("OutboxMessage", self._connection.call("POST", f"/outbox/subscriptions/{quoted(id)}/retry", {}, body, options))

    def drop_parked(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Drops a parked message for good. An audit entry is 409 `conflict`: it can only be retried."""
        return cast("Deleted", self._connection.call("DELETE", f"/outbox/subscriptions/{quoted(id)}", {}, None, options))


class EventsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        shop: str,
        *,
        type: EventsListType | Sequence[EventsListType] | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[Event]:
        """Every event of the shop with its body, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/events", {"type": type, "object_id": object_id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)

    def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Event:
        """One event."""
        return cast("Event", self._connection.call("GET", f"/shops/{quoted(shop)}/events/{quoted(id)}", {}, None, options))


class EndpointsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @overload
    def create(
        self,
        shop: str,
        body: EndpointsCreateBody,
        **options: Unpack[CallOptions],
    ) -> WebhookEndpointWithSecret: ...

    @overload
    def create(
        self,
        shop: str,
        *,
        url: str,
        events: List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]] | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        enabled: bool | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> WebhookEndpointWithSecret: ...

    def create(
        self,
        shop: str,
        body: EndpointsCreateBody | None = None,
        *,
        url: str | Absent = ABSENT,
        events: List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]] | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        enabled: bool | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> WebhookEndpointWithSecret:
        """Creates a webhook endpoint; a shop has at most 5."""
        return cast("WebhookEndpointWithSecret", self._connection.call("POST", f"/shops/{quoted(shop)}/webhook-endpoints", {}, body_of(body or {}, {"url": url, "events": events, "description": description, "enabled": enabled}), options))

    def list(
        self,
        shop: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[WebhookEndpoint]:
        """Webhook endpoints, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/webhook-endpoints", {"limit": limit, "cursor": cursor}, options)

    def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> WebhookEndpoint:
        """One webhook endpoint."""
        return cast("WebhookEndpoint", self._connection.call("GET", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}", {}, None, options))

    def change(
        self,
        shop: str,
        id: str,
        body: EndpointsChangeBody | None = None,
        *,
        url: str | Absent = ABSENT,
        events: List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]] | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        enabled: bool | Absent = ABSENT,
        held: Literal["deliver", "skip"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> WebhookEndpoint:
        """Changes a webhook endpoint, or turns it on or off."""
        return cast("WebhookEndpoint", self._connection.call("PATCH", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}", {}, body_of(body or {}, {"url": url, "events": events, "description": description, "enabled": enabled, "held": held}), options))

    def delete(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Deletes a webhook endpoint; what it was owed is skipped."""
        return cast("Deleted", self._connection.call("DELETE", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}", {}, None, options))

    def health(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> EndpointHealth:
        """How the attempts of the last day ended, and the oldest event that is not delivered."""
        return cast("EndpointHealth", self._connection.call("GET", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/health", {}, None, options))

    def rotate_secret(
        self,
        shop: str,
        id: str,
        body: EndpointsRotateSecretBody | None = None,
        *,
        overlap_seconds: int | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> WebhookEndpointWithSecret:
        """Creates a new secret; the old one overlaps."""
        return cast("WebhookEndpointWithSecret", self._connection.call("POST", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/rotate-secret", {}, body_of(body, {"overlapSeconds": overlap_seconds}), options))

    def test(
        self,
        shop: str,
        id: str,
        body: EndpointsTestBody | None = None,
        *,
        event: Literal["order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> WebhookAttempt:
        """Sends a test event now and answers the attempt."""
        return cast("WebhookAttempt", self._connection.call("POST", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/test", {}, body_of(body, {"event": event}), options))


class DeliveriesApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        shop: str,
        id: str,
        *,
        status: DeliveriesListStatus | Sequence[DeliveriesListStatus] | None = None,
        event: DeliveriesListEvent | Sequence[DeliveriesListEvent] | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[WebhookDelivery]:
        """Deliveries of an endpoint, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/deliveries", {"status": status, "event": event, "object_id": object_id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)

    def list_all(
        self,
        shop: str,
        *,
        endpoint: str | None = None,
        status: DeliveriesListAllStatus | Sequence[DeliveriesListAllStatus] | None = None,
        event: DeliveriesListAllEvent | Sequence[DeliveriesListAllEvent] | None = None,
        event_id: str | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[WebhookDelivery]:
        """Deliveries of all endpoints, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/deliveries", {"endpoint": endpoint, "status": status, "event": event, "event_id": event_id, "object_id": object_id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)

    def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> WebhookDelivery:
        """One delivery with its attempts."""
        return cast("WebhookDelivery", self._connection.call("GET", f"/shops/{quoted(shop)}/deliveries/{quoted(id)}", {}, None, options))

    def retry(
        self,
        shop: str,
        id: str,
        body: DeliveriesRetryBody | None = None,
        **options: Unpack[CallOptions],
    ) -> WebhookAttempt:
        """Makes one attempt now, in any state, and answers it."""
        return cast("WebhookAttempt", self._connection.call("POST", f"/shops/{quoted(shop)}/deliveries/{quoted(id)}/retry", {}, body, options))


class ReplaysApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @overload
    def create(
        self,
        shop: str,
        id: str,
        body: ReplaysCreateBody,
        *,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> ReplayPreview | WebhookReplay: ...

    @overload
    def create(
        self,
        shop: str,
        id: str,
        *,
        from_: str | datetime,
        to: str | None | datetime | Absent = ABSENT,
        events: List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]] | Absent = ABSENT,
        which: Literal["failed", "held", "missed", "all"] | Absent = ABSENT,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> ReplayPreview | WebhookReplay: ...

    def create(
        self,
        shop: str,
        id: str,
        body: ReplaysCreateBody | None = None,
        *,
        from_: str | datetime | Absent = ABSENT,
        to: str | None | datetime | Absent = ABSENT,
        events: List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]] | Absent = ABSENT,
        which: Literal["failed", "held", "missed", "all"] | Absent = ABSENT,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> ReplayPreview | WebhookReplay:
        """Queues the events of a time range again."""
        return cast("ReplayPreview | WebhookReplay", self._connection.call("POST", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/replay", {"dry_run": dry_run}, body_of(body, {"from": from_, "to": to, "events": events, "which": which}), options))

    def list(
        self,
        shop: str,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[WebhookReplay]:
        """Replays of an endpoint, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/replays", {"limit": limit, "cursor": cursor}, options)

    def get(
        self,
        shop: str,
        id: str,
        replay: str,
        **options: Unpack[CallOptions],
    ) -> WebhookReplay:
        """One replay with its progress."""
        return cast("WebhookReplay", self._connection.call("GET", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/replays/{quoted(replay)}", {}, None, options))

    def cancel(
        self,
        shop: str,
        id: str,
        replay: str,
        **options: Unpack[CallOptions],
    ) -> WebhookReplay:
        """Stops a replay."""
        return cast("WebhookReplay", self._connection.call("DELETE", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/replays/{quoted(replay)}", {}, None, options))


class ImportsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(
        self,
        shop: str,
        body: bytes,
        *,
        format: Literal["shopify-products", "shopify-orders", "shopify-customers", "woocommerce-products", "spree-products", "spree-customers", "retail", "storefront-orders", "storefront-products", "storefront-contacts", "storefront-subscriptions"] | None = None,
        dry_run: bool | None = None,
        background: bool | None = None,
        create_contacts: bool | None = None,
        default_payment_method: Literal["card", "bank_transfer", "cod", "paypal", "venmo", "whatsapp", "telegram", "instagram", "email", "phone"] | None = None,
        **options: Unpack[CallOptions],
    ) -> Import:
        """Imports a file; answers when it is finished, in the background when it has arrived."""
        return cast("Import", self._connection.call("POST", f"/shops/{quoted(shop)}/imports", {"format": format, "dry_run": dry_run, "background": background, "create_contacts": create_contacts, "default_payment_method": default_payment_method}, body, options))

    def list(
        self,
        shop: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[Import]:
        """Imports, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/imports", {"limit": limit, "cursor": cursor}, options)

    def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Import:
        """One import with its progress."""
        return cast("Import", self._connection.call("GET", f"/shops/{quoted(shop)}/imports/{quoted(id)}", {}, None, options))

    def cancel(
        self,
        shop: str,
        id: str,
        body: ImportsCancelBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Import:
        """Cancels an import; what it has written stays."""
        return cast("Import", self._connection.call("POST", f"/shops/{quoted(shop)}/imports/{quoted(id)}/cancel", {}, body, options))


class UsageApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        shop: str,
        *,
        minutes: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Sequence[Usage]:
        """Calls and refusals of each key by the minute, oldest first."""
        return cast("Sequence[Usage]", self._connection.call("GET", f"/shops/{quoted(shop)}/usage", {"minutes": minutes}, None, options))


class RequestsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        shop: str,
        *,
        key: str | None = None,
        status: int | None = None,
        id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[Request]:
        """Requests of the keys that were not answered 2xx, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/requests", {"key": key, "status": status, "id": id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)


class AuditApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        shop: str,
        *,
        operator: str | None = None,
        action: str | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[AuditEntry]:
        """What operators changed or tried to change in the shop, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/audit", {"operator": operator, "action": action, "object_id": object_id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)

    def list_all(
        self,
        *,
        operator: str | None = None,
        action: str | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[AuditEntry]:
        """What operators changed or tried to change, and every sign-in, newest first."""
        return self._connection.rows("/audit", {"operator": operator, "action": action, "object_id": object_id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)


class OperatorTokensApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @overload
    def create(
        self,
        id: str,
        body: OperatorTokensCreateBody,
        **options: Unpack[CallOptions],
    ) -> NewOperatorToken: ...

    @overload
    def create(
        self,
        id: str,
        *,
        name: str,
        expires_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> NewOperatorToken: ...

    def create(
        self,
        id: str,
        body: OperatorTokensCreateBody | None = None,
        *,
        name: str | Absent = ABSENT,
        expires_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> NewOperatorToken:
        """Creates a token; an operator has at most 5 live ones."""
        return cast("NewOperatorToken", self._connection.call("POST", f"/operators/{quoted(id)}/tokens", {}, body_of(body or {}, {"name": name, "expiresAt": expires_at}), options))

    def list(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[OperatorToken]:
        """Tokens of the operator, newest first."""
        return self._connection.rows(f"/operators/{quoted(id)}/tokens", {"limit": limit, "cursor": cursor}, options)

    def revoke(
        self,
        id: str,
        token: str,
        **options: Unpack[CallOptions],
    ) -> OperatorToken:
        """Revokes a token."""
        return cast("OperatorToken", self._connection.call("DELETE", f"/operators/{quoted(id)}/tokens/{quoted(token)}", {}, None, options))


class ViewsApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[View]:
        """Views of the console that the caller has named, newest first."""
        return self._connection.rows("/me/views", {"limit": limit, "cursor": cursor}, options)

    @overload
    def save(
        self,
        name: str,
        body: ViewsSaveBody,
        **options: Unpack[CallOptions],
    ) -> View: ...

    @overload
    def save(
        self,
        name: str,
        *,
        path: str,
        **options: Unpack[CallOptions],
    ) -> View: ...

    def save(
        self,
        name: str,
        body: ViewsSaveBody | None = None,
        *,
        path: str | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> View:
        """Keeps a path of the console under a name; at most 50."""
        return cast("View", self._connection.call("PUT", f"/me/views/{quoted(name)}", {}, body_of(body or {}, {"path": path}), options))

    def delete(
        self,
        name: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Deletes a view."""
        return cast("Deleted", self._connection.call("DELETE", f"/me/views/{quoted(name)}", {}, None, options))


class CatalogApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list_parked(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[OutboxMessage]:
        """Parked messages of catalog, the last parked first."""
        return self._connection.rows("/outbox/catalog", {"limit": limit, "cursor": cursor}, options)

    def retry_parked(
        self,
        id: str,
        body: CatalogRetryParkedBody | None = None,
        **options: Unpack[CallOptions],
    ) -> OutboxMessage:
        """Tries a parked message again."""
        return cast("OutboxMessage", self._connection.call("POST", f"/outbox/catalog/{quoted(id)}/retry", {}, body, options))

    def drop_parked(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Drops a parked message for good. An audit entry is 409 `conflict`: it can only be retried."""
        return cast("Deleted", self._connection.call("DELETE", f"/outbox/catalog/{quoted(id)}", {}, None, options))


class WebhooksApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list_parked(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Rows[OutboxMessage]:
        """Parked messages of webhooks, the last parked first."""
        return self._connection.rows("/outbox/webhooks", {"limit": limit, "cursor": cursor}, options)

    def retry_parked(
        self,
        id: str,
        body: WebhooksRetryParkedBody | None = None,
        **options: Unpack[CallOptions],
    ) -> OutboxMessage:
        """Tries a parked message again."""
        return cast("OutboxMessage", self._connection.call("POST", f"/outbox/webhooks/{quoted(id)}/retry", {}, body, options))

    def drop_parked(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Drops a parked message for good. An audit entry is 409 `conflict`: it can only be retried."""
        return cast("Deleted", self._connection.call("DELETE", f"/outbox/webhooks/{quoted(id)}", {}, None, options))


class SecretKeyApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(
        self,
        **options: Unpack[CallOptions],
    ) -> SecretKey:
        """How a rotation of `SECRET_KEY` stands, and whether the previous key can be removed."""
        return cast("SecretKey", self._connection.call("GET", "/secret-key", {}, None, options))


class RestoresApi:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @overload
    def begin(
        self,
        body: RestoresBeginBody,
        *,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Restore | RestorePreview: ...

    @overload
    def begin(
        self,
        *,
        handle: str,
        archive: str,
        version: int,
        new_ids: bool | Absent = ABSENT,
        events: bool | Absent = ABSENT,
        bytes: int,
        rows: Dict[str, object],
        shop: RestoresBeginBodyShop,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Restore | RestorePreview: ...

    def begin(
        self,
        body: RestoresBeginBody | None = None,
        *,
        handle: str | Absent = ABSENT,
        archive: str | Absent = ABSENT,
        version: int | Absent = ABSENT,
        new_ids: bool | Absent = ABSENT,
        events: bool | Absent = ABSENT,
        bytes: int | Absent = ABSENT,
        rows: Dict[str, object] | Absent = ABSENT,
        shop: RestoresBeginBodyShop | Absent = ABSENT,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Restore | RestorePreview:
        """Begins to restore an archive (201), or finds the restore of it that is there (200). A dry run checks only. Owners only.

        handle: Handle of the shop that the restore makes.

        archive: SHA-256 of `manifest.json` in the archive, in hex.

        version: Version of the format of the archive.

        new_ids: Every id becomes another one. Absent: where the shop of the archive is in this installation.

        events: Restored events are sent to the webhook endpoints.

        bytes: Bytes of all parts.

        rows: How many rows each part of the archive has.

        shop: The row of the part `shop`.
        """
        return cast("Restore | RestorePreview", self._connection.call("POST", "/restores", {"dry_run": dry_run}, body_of(body or {}, {"handle": handle, "archive": archive, "version": version, "newIds": new_ids, "events": events, "bytes": bytes, "rows": rows, "shop": shop}), options))

    def get(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Restore:
        """One restore with how many rows of each part are stored. Owners only."""
        return cast("Restore", self._connection.call("GET", f"/restores/{quoted(id)}", {}, None, options))

    @overload
    def advance(
        self,
        id: str,
        part: str,
        body: RestoresAdvanceBody,
        **options: Unpack[CallOptions],
    ) -> RestoreBatch: ...

    @overload
    def advance(
        self,
        id: str,
        part: str,
        *,
        position: int,
        rows: List[Dict[str, object]],
        **options: Unpack[CallOptions],
    ) -> RestoreBatch: ...

    def advance(
        self,
        id: str,
        part: str,
        body: RestoresAdvanceBody | None = None,
        *,
        position: int | Absent = ABSENT,
        rows: List[Dict[str, object]] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> RestoreBatch:
        """Stores rows of a part; those that are stored already stay as they are. Owners only.

        position: How many rows of the part come before these.
        """
        return cast("RestoreBatch", self._connection.call("POST", f"/restores/{quoted(id)}/parts/{quoted(part)}", {}, body_of(body or {}, {"position": position, "rows": rows}), options))

    def finish(
        self,
        id: str,
        body: RestoresFinishBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Restore:
        """Makes the shop when all rows are stored. Owners only."""
        return cast("Restore", self._connection.call("POST", f"/restores/{quoted(id)}/finish", {}, body, options))


class BackOffice(Connection):
    """A client of the back office."""

    def __init__(self, base_url: str, token: str, *, timeout: float = 60.0) -> None:
        super().__init__(base_url.rstrip("/") + "/admin/v1", token, timeout)
        self.sessions = SessionsApi(self)
        self.operators = OperatorsApi(self)
        self.shops = ShopsApi(self)
        self.keys = KeysApi(self)
        self.agent = AgentApi(self)
        self.products = ProductsApi(self)
        self.contacts = ContactsApi(self)
        self.orders = OrdersApi(self)
        self.subscriptions = SubscriptionsApi(self)
        self.events = EventsApi(self)
        self.endpoints = EndpointsApi(self)
        self.deliveries = DeliveriesApi(self)
        self.replays = ReplaysApi(self)
        self.imports = ImportsApi(self)
        self.usage = UsageApi(self)
        self.requests = RequestsApi(self)
        self.audit = AuditApi(self)
        self.operator_tokens = OperatorTokensApi(self)
        self.views = ViewsApi(self)
        self.catalog = CatalogApi(self)
        self.webhooks = WebhooksApi(self)
        self.secret_key = SecretKeyApi(self)
        self.restores = RestoresApi(self)


class AsyncSessionsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(
        self,
        body: SessionsCreateBody | None = None,
        *,
        token: str | Absent = ABSENT,
        code: str | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """Signs an operator in by a token or by the code of a link; the answer sets the cookie of the session."""
        return cast("Operator", await self._connection.call("POST", "/session", {}, body_of(body or {}, {"token": token, "code": code}), options))

    async def end(
        self,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """Ends the session of this call."""
        return cast("Operator", await self._connection.call("DELETE", "/session", {}, None, options))


class AsyncOperatorsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def me(
        self,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """The operator who calls."""
        return cast("Operator", await self._connection.call("GET", "/me", {}, None, options))

    @overload
    async def create(
        self,
        body: OperatorsCreateBody,
        **options: Unpack[CallOptions],
    ) -> Operator: ...

    @overload
    async def create(
        self,
        *,
        name: str,
        email: str,
        role: Literal["owner", "manager", "viewer", "support"],
        shops: List[str] | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Operator: ...

    async def create(
        self,
        body: OperatorsCreateBody | None = None,
        *,
        name: str | Absent = ABSENT,
        email: str | Absent = ABSENT,
        role: Literal["owner", "manager", "viewer", "support"] | Absent = ABSENT,
        shops: List[str] | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """Creates an operator."""
        return cast("Operator", await self._connection.call("POST", "/operators", {}, body_of(body or {}, {"name": name, "email": email, "role": role, "shops": shops}), options))

    def list(
        self,
        *,
        email: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[Operator]:
        """Operators, newest first."""
        return self._connection.rows("/operators", {"email": email, "limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """One operator."""
        return cast("Operator", await self._connection.call("GET", f"/operators/{quoted(id)}", {}, None, options))

    async def change(
        self,
        id: str,
        body: OperatorsChangeBody | None = None,
        *,
        name: str | Absent = ABSENT,
        email: str | Absent = ABSENT,
        role: Literal["owner", "manager", "viewer", "support"] | Absent = ABSENT,
        shops: List[str] | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """Changes an operator."""
        return cast("Operator", await self._connection.call("PATCH", f"/operators/{quoted(id)}", {}, body_of(body or {}, {"name": name, "email": email, "role": role, "shops": shops}), options))

    async def disable(
        self,
        id: str,
        body: OperatorsDisableBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """Disables an operator for good."""
        return cast("Operator", await self._connection.call("POST", f"/operators/{quoted(id)}/disable", {}, body, options))

    async def create_link(
        self,
        id: str,
        body: OperatorsCreateLinkBody | None = None,
        **options: Unpack[CallOptions],
    ) -> SignInLink:
        """Makes a link that signs the operator in once."""
        return cast("SignInLink", await self._connection.call("POST", f"/operators/{quoted(id)}/sign-in-links", {}, body, options))

    async def end_sessions(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Operator:
        """Ends every session of the operator; of its own each operator may."""
        return cast("Operator", await self._connection.call("DELETE", f"/operators/{quoted(id)}/sessions", {}, None, options))


class AsyncShopsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    @overload
    async def create(
        self,
        body: ShopsCreateBody,
        **options: Unpack[CallOptions],
    ) -> ShopRecord: ...

    @overload
    async def create(
        self,
        *,
        handle: str,
        name: str,
        currency: str,
        time_zone: str,
        country: str | None | Absent = ABSENT,
        owner_email: str | None | Absent = ABSENT,
        plan: Literal["basic", "pro"] | Absent = ABSENT,
        mode: Literal["live", "test"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> ShopRecord: ...

    async def create(
        self,
        body: ShopsCreateBody | None = None,
        *,
        handle: str | Absent = ABSENT,
        name: str | Absent = ABSENT,
        currency: str | Absent = ABSENT,
        time_zone: str | Absent = ABSENT,
        country: str | None | Absent = ABSENT,
        owner_email: str | None | Absent = ABSENT,
        plan: Literal["basic", "pro"] | Absent = ABSENT,
        mode: Literal["live", "test"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> ShopRecord:
        """Creates a shop."""
        return cast("ShopRecord", await self._connection.call("POST", "/shops", {}, body_of(body or {}, {"handle": handle, "name": name, "currency": currency, "timeZone": time_zone, "country": country, "ownerEmail": owner_email, "plan": plan, "mode": mode}), options))

    def list(
        self,
        *,
        handle: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[ShopRecord]:
        """Shops that the operator may see, newest first."""
        return self._connection.rows("/shops", {"handle": handle, "limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        shop: str,
        **options: Unpack[CallOptions],
    ) -> ShopRecord:
        """One shop."""
        return cast("ShopRecord", await self._connection.call("GET", f"/shops/{quoted(shop)}", {}, None, options))

    async def change(
        self,
        shop: str,
        body: ShopsChangeBody | None = None,
        *,
        handle: str | Absent = ABSENT,
        name: str | Absent = ABSENT,
        currency: str | Absent = ABSENT,
        time_zone: str | Absent = ABSENT,
        country: str | None | Absent = ABSENT,
        owner_email: str | None | Absent = ABSENT,
        plan: Literal["basic", "pro"] | Absent = ABSENT,
        mode: Literal["live", "test"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> ShopRecord:
        """Changes a shop; handle and currency never change."""
        return cast("ShopRecord", await self._connection.call("PATCH", f"/shops/{quoted(shop)}", {}, body_of(body or {}, {"handle": handle, "name": name, "currency": currency, "timeZone": time_zone, "country": country, "ownerEmail": owner_email, "plan": plan, "mode": mode}), options))

    @overload
    async def delete(
        self,
        shop: str,
        body: ShopsDeleteBody,
        **options: Unpack[CallOptions],
    ) -> Deleted: ...

    @overload
    async def delete(
        self,
        shop: str,
        *,
        handle: str,
        **options: Unpack[CallOptions],
    ) -> Deleted: ...

    async def delete(
        self,
        shop: str,
        body: ShopsDeleteBody | None = None,
        *,
        handle: str | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Deletes a shop with everything in it; the body repeats its handle."""
        return cast("Deleted", await self._connection.call("DELETE", f"/shops/{quoted(shop)}", {}, body_of(body or {}, {"handle": handle}), options))


class AsyncKeysApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    @overload
    async def create(
        self,
        shop: str,
        body: KeysCreateBody,
        **options: Unpack[CallOptions],
    ) -> NewApiKey: ...

    @overload
    async def create(
        self,
        shop: str,
        *,
        name: str,
        access: Literal["read", "write"],
        expires_at: str | None | datetime | Absent = ABSENT,
        allowed_sources: List[str] | None | Absent = ABSENT,
        resources: List[Literal["orders", "products", "contacts", "shop"]] | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> NewApiKey: ...

    async def create(
        self,
        shop: str,
        body: KeysCreateBody | None = None,
        *,
        name: str | Absent = ABSENT,
        access: Literal["read", "write"] | Absent = ABSENT,
        expires_at: str | None | datetime | Absent = ABSENT,
        allowed_sources: List[str] | None | Absent = ABSENT,
        resources: List[Literal["orders", "products", "contacts", "shop"]] | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> NewApiKey:
        """Creates an API key; a shop has at most 5 live ones."""
        return cast("NewApiKey", await self._connection.call("POST", f"/shops/{quoted(shop)}/keys", {}, body_of(body or {}, {"name": name, "access": access, "expiresAt": expires_at, "allowedSources": allowed_sources, "resources": resources}), options))

    def list(
        self,
        shop: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[ApiKey]:
        """API keys of the shop, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/keys", {"limit": limit, "cursor": cursor}, options)

    async def revoke(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> ApiKey:
        """Revokes an API key; in force within 2 s."""
        return cast("ApiKey", await self._connection.call("DELETE", f"/shops/{quoted(shop)}/keys/{quoted(id)}", {}, None, options))

    async def roll(
        self,
        shop: str,
        id: str,
        body: KeysRollBody | None = None,
        *,
        overlap_seconds: int | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> NewApiKey:
        """Creates a key that replaces this one; the old one overlaps."""
        return cast("NewApiKey", await self._connection.call("POST", f"/shops/{quoted(shop)}/keys/{quoted(id)}/roll", {}, body_of(body, {"overlapSeconds": overlap_seconds}), options))


class AsyncAgentApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def authorization(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> AgentAuthorization:
        """What an agent asks for."""
        return cast("AgentAuthorization", await self._connection.call("GET", f"/authorizations/{quoted(id)}", {}, None, options))

    @overload
    async def approve(
        self,
        id: str,
        body: AgentApproveBody,
        **options: Unpack[CallOptions],
    ) -> AgentDecision: ...

    @overload
    async def approve(
        self,
        id: str,
        *,
        shop: str,
        access: Literal["read", "write"],
        resources: List[Literal["orders", "products", "contacts", "shop"]] | None | Absent = ABSENT,
        expires_in_days: Literal[1, 7, 30, 90] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> AgentDecision: ...

    async def approve(
        self,
        id: str,
        body: AgentApproveBody | None = None,
        *,
        shop: str | Absent = ABSENT,
        access: Literal["read", "write"] | Absent = ABSENT,
        resources: List[Literal["orders", "products", "contacts", "shop"]] | None | Absent = ABSENT,
        expires_in_days: Literal[1, 7, 30, 90] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> AgentDecision:
        """Gives an agent access to a shop; a shop has at most 10 live grants.

        shop: Id or handle of the shop.
        """
        return cast("AgentDecision", await self._connection.call("POST", f"/authorizations/{quoted(id)}/approve", {}, body_of(body, {"shop": shop, "access": access, "resources": resources, "expiresInDays": expires_in_days}), options))

    async def refuse(
        self,
        id: str,
        body: AgentRefuseBody | None = None,
        **options: Unpack[CallOptions],
    ) -> AgentDecision:
        """Refuses what an agent asks for."""
        return cast("AgentDecision", await self._connection.call("POST", f"/authorizations/{quoted(id)}/refuse", {}, body, options))

    def list(
        self,
        shop: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[AgentGrant]:
        """Agents with access to the shop, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/agents", {"limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> AgentGrant:
        """The access of one agent."""
        return cast("AgentGrant", await self._connection.call("GET", f"/shops/{quoted(shop)}/agents/{quoted(id)}", {}, None, options))

    async def revoke(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> None:
        """Ends the access of an agent; in force within 2 s."""
        return cast("None", await self._connection.call("DELETE", f"/shops/{quoted(shop)}/agents/{quoted(id)}", {}, None, options))


class AsyncProductsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    @overload
    async def create(
        self,
        shop: str,
        body: ProductsCreateBody,
        **options: Unpack[CallOptions],
    ) -> Product: ...

    @overload
    async def create(
        self,
        shop: str,
        *,
        title: str,
        slug: str | None | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        kind: Literal["physical", "digital", "service", "event", "membership"] | Absent = ABSENT,
        tags: List[str] | Absent = ABSENT,
        price: ProductsCreateBodyPrice,
        compare_at: ProductsCreateBodyCompareAt | None | Absent = ABSENT,
        track_inventory: bool | Absent = ABSENT,
        stock: int | None | Absent = ABSENT,
        is_published: bool | Absent = ABSENT,
        is_featured: bool | Absent = ABSENT,
        booking: ProductsCreateBodyBooking | None | Absent = ABSENT,
        event: ProductsCreateBodyEvent | None | Absent = ABSENT,
        membership: ProductsCreateBodyMembership | None | Absent = ABSENT,
        variants: List[ProductsCreateBodyVariantsItem] | Absent = ABSENT,
        created_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Product: ...

    async def create(
        self,
        shop: str,
        body: ProductsCreateBody | None = None,
        *,
        title: str | Absent = ABSENT,
        slug: str | None | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        kind: Literal["physical", "digital", "service", "event", "membership"] | Absent = ABSENT,
        tags: List[str] | Absent = ABSENT,
        price: ProductsCreateBodyPrice | Absent = ABSENT,
        compare_at: ProductsCreateBodyCompareAt | None | Absent = ABSENT,
        track_inventory: bool | Absent = ABSENT,
        stock: int | None | Absent = ABSENT,
        is_published: bool | Absent = ABSENT,
        is_featured: bool | Absent = ABSENT,
        booking: ProductsCreateBodyBooking | None | Absent = ABSENT,
        event: ProductsCreateBodyEvent | None | Absent = ABSENT,
        membership: ProductsCreateBodyMembership | None | Absent = ABSENT,
        variants: List[ProductsCreateBodyVariantsItem] | Absent = ABSENT,
        created_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Product:
        """Creates a product with its variants."""
        return cast("Product", await self._connection.call("POST", f"/shops/{quoted(shop)}/products", {}, body_of(body or {}, {"title": title, "slug": slug, "description": description, "kind": kind, "tags": tags, "price": price, "compareAt": compare_at, "trackInventory": track_inventory, "stock": stock, "isPublished": is_published, "isFeatured": is_featured, "booking": booking, "event": event, "membership": membership, "variants": variants, "createdAt": created_at}), options))

    def list(
        self,
        shop: str,
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
        """Products, newest first; `variants` is empty here."""
        return self._connection.rows(f"/shops/{quoted(shop)}/products", {"kind": kind, "published": published, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Product:
        """One product with its variants."""
        return cast("Product", await self._connection.call("GET", f"/shops/{quoted(shop)}/products/{quoted(id)}", {}, None, options))

    async def change(
        self,
        shop: str,
        id: str,
        body: ProductsChangeBody | None = None,
        *,
        title: str | Absent = ABSENT,
        slug: str | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        kind: Literal["physical", "digital", "service", "event", "membership"] | Absent = ABSENT,
        tags: List[str] | Absent = ABSENT,
        price: ProductsChangeBodyPrice | Absent = ABSENT,
        compare_at: ProductsChangeBodyCompareAt | None | Absent = ABSENT,
        track_inventory: bool | Absent = ABSENT,
        stock: int | None | Absent = ABSENT,
        is_published: bool | Absent = ABSENT,
        is_featured: bool | Absent = ABSENT,
        booking: ProductsChangeBodyBooking | None | Absent = ABSENT,
        event: ProductsChangeBodyEvent | None | Absent = ABSENT,
        membership: ProductsChangeBodyMembership | None | Absent = ABSENT,
        variants: List[ProductsChangeBodyVariantsItem] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Product:
        """Changes a product; `variants` replaces the list."""
        return cast("Product", await self._connection.call("PATCH", f"/shops/{quoted(shop)}/products/{quoted(id)}", {}, body_of(body or {}, {"title": title, "slug": slug, "description": description, "kind": kind, "tags": tags, "price": price, "compareAt": compare_at, "trackInventory": track_inventory, "stock": stock, "isPublished": is_published, "isFeatured": is_featured, "booking": booking, "event": event, "membership": membership, "variants": variants}), options))

    async def delete(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Deletes a product; order lines keep what was sold."""
        return cast("Deleted", await self._connection.call("DELETE", f"/shops/{quoted(shop)}/products/{quoted(id)}", {}, None, options))

    def export(
        self,
        shop: str,
        *,
        kind: ProductsExportKind | Sequence[ProductsExportKind] | None = None,
        published: bool | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        updated_after: str | datetime | None = None,
        updated_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[ExportedProduct]:
        """Products with their variants as they can be imported again, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/exports/products", {"kind": kind, "published": published, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)


class AsyncContactsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def save(
        self,
        shop: str,
        body: ContactsSaveBody | None = None,
        *,
        email: str | None | Absent = ABSENT,
        phone: str | None | Absent = ABSENT,
        name: str | None | Absent = ABSENT,
        tags: List[str] | None | Absent = ABSENT,
        source: str | None | Absent = ABSENT,
        marketing_consent_at: str | None | datetime | Absent = ABSENT,
        address: ContactsSaveBodyAddress | None | Absent = ABSENT,
        private_note: str | None | Absent = ABSENT,
        created_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Contact:
        """Creates a contact, or updates the one with that email or phone."""
        return cast("Contact", await self._connection.call("POST", f"/shops/{quoted(shop)}/contacts", {}, body_of(body or {}, {"email": email, "phone": phone, "name": name, "tags": tags, "source": source, "marketingConsentAt": marketing_consent_at, "address": address, "privateNote": private_note, "createdAt": created_at}), options))

    def list(
        self,
        shop: str,
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
        """Contacts, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/contacts", {"tag": tag, "email": email, "consented": consented, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Contact:
        """One contact."""
        return cast("Contact", await self._connection.call("GET", f"/shops/{quoted(shop)}/contacts/{quoted(id)}", {}, None, options))

    async def data(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> PersonData:
        """Everything that is held about one person, as one document."""
        return cast("PersonData", await self._connection.call("GET", f"/shops/{quoted(shop)}/contacts/{quoted(id)}/data", {}, None, options))

    async def erase(
        self,
        shop: str,
        id: str,
        body: ContactsEraseBody | None = None,
        **options: Unpack[CallOptions],
    ) -> ErasedContact:
        """Erases a person for good."""
        return cast("ErasedContact", await self._connection.call("POST", f"/shops/{quoted(shop)}/contacts/{quoted(id)}/erase", {}, body, options))

    def export(
        self,
        shop: str,
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
    ) -> AsyncRows[ExportedContact]:
        """Contacts with their consents as they can be imported again, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/exports/contacts", {"tag": tag, "email": email, "consented": consented, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    def list_parked(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[OutboxMessage]:
        """Parked messages of contacts, the last parked first."""
        return self._connection.rows("/outbox/contacts", {"limit": limit, "cursor": cursor}, options)

    async def retry_parked(
        self,
        id: str,
        body: ContactsRetryParkedBody | None = None,
        **options: Unpack[CallOptions],
    ) -> OutboxMessage:
        """Tries a parked message again."""
        return cast("OutboxMessage", await self._connection.call("POST", f"/outbox/contacts/{quoted(id)}/retry", {}, body, options))

    async def drop_parked(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Drops a parked message for good. An audit entry is 409 `conflict`: it can only be retried."""
        return cast("Deleted", await self._connection.call("DELETE", f"/outbox/contacts/{quoted(id)}", {}, None, options))


class AsyncOrdersApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    @overload
    async def place(
        self,
        shop: str,
        body: OrdersPlaceBody,
        **options: Unpack[CallOptions],
    ) -> Order: ...

    @overload
    async def place(
        self,
        shop: str,
        *,
        payment_method: Literal["card", "bank_transfer", "cod", "paypal", "venmo", "whatsapp", "telegram", "instagram", "email", "phone"],
        customer: OrdersPlaceBodyCustomer | None | Absent = ABSENT,
        address: OrdersPlaceBodyAddress | None | Absent = ABSENT,
        delivery: OrdersPlaceBodyDelivery | None | Absent = ABSENT,
        booking: OrdersPlaceBodyBooking | None | Absent = ABSENT,
        coupon: OrdersPlaceBodyCoupon | None | Absent = ABSENT,
        affiliate: OrdersPlaceBodyAffiliate | None | Absent = ABSENT,
        note: str | None | Absent = ABSENT,
        private_note: str | None | Absent = ABSENT,
        discount: OrdersPlaceBodyDiscount | None | Absent = ABSENT,
        delivery_fee: OrdersPlaceBodyDeliveryFee | None | Absent = ABSENT,
        tax: OrdersPlaceBodyTax | None | Absent = ABSENT,
        items: List[OrdersPlaceBodyItemsItem | OrdersPlaceBodyItemsItem1],
        created_at: str | None | datetime | Absent = ABSENT,
        currency: str | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order: ...

    async def place(
        self,
        shop: str,
        body: OrdersPlaceBody | None = None,
        *,
        payment_method: Literal["card", "bank_transfer", "cod", "paypal", "venmo", "whatsapp", "telegram", "instagram", "email", "phone"] | Absent = ABSENT,
        customer: OrdersPlaceBodyCustomer | None | Absent = ABSENT,
        address: OrdersPlaceBodyAddress | None | Absent = ABSENT,
        delivery: OrdersPlaceBodyDelivery | None | Absent = ABSENT,
        booking: OrdersPlaceBodyBooking | None | Absent = ABSENT,
        coupon: OrdersPlaceBodyCoupon | None | Absent = ABSENT,
        affiliate: OrdersPlaceBodyAffiliate | None | Absent = ABSENT,
        note: str | None | Absent = ABSENT,
        private_note: str | None | Absent = ABSENT,
        discount: OrdersPlaceBodyDiscount | None | Absent = ABSENT,
        delivery_fee: OrdersPlaceBodyDeliveryFee | None | Absent = ABSENT,
        tax: OrdersPlaceBodyTax | None | Absent = ABSENT,
        items: List[OrdersPlaceBodyItemsItem | OrdersPlaceBodyItemsItem1] | Absent = ABSENT,
        created_at: str | None | datetime | Absent = ABSENT,
        currency: str | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Places an order."""
        return cast("Order", await self._connection.call("POST", f"/shops/{quoted(shop)}/orders", {}, body_of(body or {}, {"paymentMethod": payment_method, "customer": customer, "address": address, "delivery": delivery, "booking": booking, "coupon": coupon, "affiliate": affiliate, "note": note, "privateNote": private_note, "discount": discount, "deliveryFee": delivery_fee, "tax": tax, "items": items, "createdAt": created_at, "currency": currency}), options))

    def list(
        self,
        shop: str,
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
        """Orders, newest first, each with its items."""
        return self._connection.rows(f"/shops/{quoted(shop)}/orders", {"status": status, "payment_status": payment_status, "email": email, "client_id": client_id, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Order:
        """One order."""
        return cast("Order", await self._connection.call("GET", f"/shops/{quoted(shop)}/orders/{quoted(id)}", {}, None, options))

    async def change(
        self,
        shop: str,
        id: str,
        body: OrdersChangeBody | None = None,
        *,
        address: OrdersChangeBodyAddress | None | Absent = ABSENT,
        customer: OrdersChangeBodyCustomer | None | Absent = ABSENT,
        private_note: str | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Corrects the address, the buyer or the private note."""
        return cast("Order", await self._connection.call("PATCH", f"/shops/{quoted(shop)}/orders/{quoted(id)}", {}, body_of(body or {}, {"address": address, "customer": customer, "privateNote": private_note}), options))

    def history(
        self,
        shop: str,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[OrderMove]:
        """What was done to the order, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/orders/{quoted(id)}/history", {"limit": limit, "cursor": cursor}, options)

    async def confirm(
        self,
        shop: str,
        id: str,
        body: OrdersConfirmBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Confirms an order."""
        return cast("Order", await self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/confirm", {}, body, options))

    async def mark_paid(
        self,
        shop: str,
        id: str,
        body: OrdersMarkPaidBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Order:
        """The money has arrived."""
        return cast("Order", await self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/mark-paid", {}, body, options))

    async def payment_pending(
        self,
        shop: str,
        id: str,
        body: OrdersPaymentPendingBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Order:
        """A payment is under way."""
        return cast("Order", await self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/payment-pending", {}, body, options))

    async def payment_failed(
        self,
        shop: str,
        id: str,
        body: OrdersPaymentFailedBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Order:
        """A payment has failed."""
        return cast("Order", await self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/payment-failed", {}, body, options))

    async def ship(
        self,
        shop: str,
        id: str,
        body: OrdersShipBody | None = None,
        *,
        tracking_carrier: str | None | Absent = ABSENT,
        tracking_number: str | None | Absent = ABSENT,
        tracking_url: str | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """The parcel has left."""
        return cast("Order", await self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/ship", {}, body_of(body, {"trackingCarrier": tracking_carrier, "trackingNumber": tracking_number, "trackingUrl": tracking_url}), options))

    async def complete(
        self,
        shop: str,
        id: str,
        body: OrdersCompleteBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Completes an order."""
        return cast("Order", await self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/complete", {}, body, options))

    async def cancel(
        self,
        shop: str,
        id: str,
        body: OrdersCancelBody | None = None,
        *,
        refund: bool | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Cancels an order, with or without a refund."""
        return cast("Order", await self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/cancel", {}, body_of(body, {"refund": refund}), options))

    async def refund(
        self,
        shop: str,
        id: str,
        body: OrdersRefundBody | None = None,
        *,
        amount: OrdersRefundBodyAmount | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Refunds money; without an amount all that is left."""
        return cast("Order", await self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/refund", {}, body_of(body, {"amount": amount}), options))

    async def dispute(
        self,
        shop: str,
        id: str,
        body: OrdersDisputeBody | None = None,
        *,
        amount: OrdersDisputeBodyAmount | None | Absent = ABSENT,
        reason: str | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """The buyer disputes the payment."""
        return cast("Order", await self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/dispute", {}, body_of(body, {"amount": amount, "reason": reason}), options))

    @overload
    async def resolve_dispute(
        self,
        shop: str,
        id: str,
        body: OrdersResolveDisputeBody,
        **options: Unpack[CallOptions],
    ) -> Order: ...

    @overload
    async def resolve_dispute(
        self,
        shop: str,
        id: str,
        *,
        outcome: Literal["won", "lost"],
        **options: Unpack[CallOptions],
    ) -> Order: ...

    async def resolve_dispute(
        self,
        shop: str,
        id: str,
        body: OrdersResolveDisputeBody | None = None,
        *,
        outcome: Literal["won", "lost"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """A dispute was won or lost."""
        return cast("Order", await self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/resolve-dispute", {}, body_of(body, {"outcome": outcome}), options))

    async def reschedule(
        self,
        shop: str,
        id: str,
        body: OrdersRescheduleBody | None = None,
        *,
        scheduled_for: str | None | datetime | Absent = ABSENT,
        service_mode: Literal["in_person", "online"] | None | Absent = ABSENT,
        service_location: str | None | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Order:
        """Moves an appointment."""
        return cast("Order", await self._connection.call("POST", f"/shops/{quoted(shop)}/orders/{quoted(id)}/reschedule", {}, body_of(body, {"scheduledFor": scheduled_for, "serviceMode": service_mode, "serviceLocation": service_location}), options))

    def export(
        self,
        shop: str,
        *,
        status: OrdersExportStatus | Sequence[OrdersExportStatus] | None = None,
        payment_status: OrdersExportPaymentStatus | Sequence[OrdersExportPaymentStatus] | None = None,
        email: str | None = None,
        client_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        updated_after: str | datetime | None = None,
        updated_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[ExportedOrder]:
        """Orders as they can be imported again, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/exports/orders", {"status": status, "payment_status": payment_status, "email": email, "client_id": client_id, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "updated_before": updated_before, "limit": limit, "cursor": cursor}, options)

    def list_parked(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[OutboxMessage]:
        """Parked messages of orders, the last parked first."""
        return self._connection.rows("/outbox/orders", {"limit": limit, "cursor": cursor}, options)

    async def retry_parked(
        self,
        id: str,
        body: OrdersRetryParkedBody | None = None,
        **options: Unpack[CallOptions],
    ) -> OutboxMessage:
        """Tries a parked message again."""
        return cast("OutboxMessage", await self._connection.call("POST", f"/outbox/orders/{quoted(id)}/retry", {}, body, options))

    async def drop_parked(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Drops a parked message for good. An audit entry is 409 `conflict`: it can only be retried."""
        return cast("Deleted", await self._connection.call("DELETE", f"/outbox/orders/{quoted(id)}", {}, None, options))


class AsyncSubscriptionsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    @overload
    async def create(
        self,
        shop: str,
        body: SubscriptionsCreateBody,
        **options: Unpack[CallOptions],
    ) -> Subscription: ...

    @overload
    async def create(
        self,
        shop: str,
        *,
        product_id: str,
        client_id: str,
        billing_mode: Literal["processor", "manual"],
        payment_method: Literal["bank_transfer", "cod", "paypal", "venmo", "whatsapp", "telegram", "instagram", "email", "phone"] | None | Absent = ABSENT,
        trial_days: int | None | Absent = ABSENT,
        first_payment: Literal["paid", "open"] | Absent = ABSENT,
        created_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Subscription: ...

    async def create(
        self,
        shop: str,
        body: SubscriptionsCreateBody | None = None,
        *,
        product_id: str | Absent = ABSENT,
        client_id: str | Absent = ABSENT,
        billing_mode: Literal["processor", "manual"] | Absent = ABSENT,
        payment_method: Literal["bank_transfer", "cod", "paypal", "venmo", "whatsapp", "telegram", "instagram", "email", "phone"] | None | Absent = ABSENT,
        trial_days: int | None | Absent = ABSENT,
        first_payment: Literal["paid", "open"] | Absent = ABSENT,
        created_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """Starts a membership."""
        return cast("Subscription", await self._connection.call("POST", f"/shops/{quoted(shop)}/subscriptions", {}, body_of(body or {}, {"productId": product_id, "clientId": client_id, "billingMode": billing_mode, "paymentMethod": payment_method, "trialDays": trial_days, "firstPayment": first_payment, "createdAt": created_at}), options))

    def list(
        self,
        shop: str,
        *,
        status: SubscriptionsListStatus | Sequence[SubscriptionsListStatus] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[Subscription]:
        """Memberships, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/subscriptions", {"status": status, "limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """One membership."""
        return cast("Subscription", await self._connection.call("GET", f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}", {}, None, options))

    def history(
        self,
        shop: str,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[SubscriptionMove]:
        """What was done to the membership, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}/history", {"limit": limit, "cursor": cursor}, options)

    async def renew(
        self,
        shop: str,
        id: str,
        body: SubscriptionsRenewBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """An interval was paid."""
        return cast("Subscription", await self._connection.call("POST", f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}/renew", {}, body, options))

    async def payment_failed(
        self,
        shop: str,
        id: str,
        body: SubscriptionsPaymentFailedBody | None = None,
        *,
        last_attempt: bool | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """A payment has failed."""
        return cast("Subscription", await self._connection.call("POST", f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}/payment-failed", {}, body_of(body, {"lastAttempt": last_attempt}), options))

    async def cancel(
        self,
        shop: str,
        id: str,
        body: SubscriptionsCancelBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """The member stops at the end of the period."""
        return cast("Subscription", await self._connection.call("POST", f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}/cancel", {}, body, options))

    async def resume(
        self,
        shop: str,
        id: str,
        body: SubscriptionsResumeBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """The member stays after all."""
        return cast("Subscription", await self._connection.call("POST", f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}/resume", {}, body, options))

    async def end(
        self,
        shop: str,
        id: str,
        body: SubscriptionsEndBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Subscription:
        """Ends a membership now."""
        return cast("Subscription", await self._connection.call("POST", f"/shops/{quoted(shop)}/subscriptions/{quoted(id)}/end", {}, body, options))

    async def settings(
        self,
        shop: str,
        **options: Unpack[CallOptions],
    ) -> SubscriptionSettings:
        """What the shop has set for memberships."""
        return cast("SubscriptionSettings", await self._connection.call("GET", f"/shops/{quoted(shop)}/subscription-settings", {}, None, options))

    async def change_settings(
        self,
        shop: str,
        body: SubscriptionsChangeSettingsBody | None = None,
        *,
        unrecovered: Literal["canceled", "unpaid"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> SubscriptionSettings:
        """Changes the settings for memberships."""
        return cast("SubscriptionSettings", await self._connection.call("PATCH", f"/shops/{quoted(shop)}/subscription-settings", {}, body_of(body or {}, {"unrecovered": unrecovered}), options))

    def export(
        self,
        shop: str,
        *,
        status: SubscriptionsExportStatus | Sequence[SubscriptionsExportStatus] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[ExportedSubscription]:
        """Memberships as they can be imported again, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/exports/subscriptions", {"status": status, "limit": limit, "cursor": cursor}, options)

    def list_parked(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[OutboxMessage]:
        """Parked messages of subscriptions, the last parked first."""
        return self._connection.rows("/outbox/subscriptions", {"limit": limit, "cursor": cursor}, options)

    async def retry_parked(
        self,
        id: str,
        body: SubscriptionsRetryParkedBody | None = None,
        **options: Unpack[CallOptions],
    ) -> OutboxMessage:
        """Tries a parked message again."""
        return cast("OutboxMessage", await self._connection.call("POST", f"/outbox/subscriptions/{quoted(id)}/retry", {}, body, options))

    async def drop_parked(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Drops a parked message for good. An audit entry is 409 `conflict`: it can only be retried."""
        return cast("Deleted", await self._connection.call("DELETE", f"/outbox/subscriptions/{quoted(id)}", {}, None, options))


class AsyncEventsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        shop: str,
        *,
        type: EventsListType | Sequence[EventsListType] | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[Event]:
        """Every event of the shop with its body, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/events", {"type": type, "object_id": object_id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Event:
        """One event."""
        return cast("Event", await self._connection.call("GET", f"/shops/{quoted(shop)}/events/{quoted(id)}", {}, None, options))


class AsyncEndpointsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    @overload
    async def create(
        self,
        shop: str,
        body: EndpointsCreateBody,
        **options: Unpack[CallOptions],
    ) -> WebhookEndpointWithSecret: ...

    @overload
    async def create(
        self,
        shop: str,
        *,
        url: str,
        events: List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]] | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        enabled: bool | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> WebhookEndpointWithSecret: ...

    async def create(
        self,
        shop: str,
        body: EndpointsCreateBody | None = None,
        *,
        url: str | Absent = ABSENT,
        events: List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]] | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        enabled: bool | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> WebhookEndpointWithSecret:
        """Creates a webhook endpoint; a shop has at most 5."""
        return cast("WebhookEndpointWithSecret", await self._connection.call("POST", f"/shops/{quoted(shop)}/webhook-endpoints", {}, body_of(body or {}, {"url": url, "events": events, "description": description, "enabled": enabled}), options))

    def list(
        self,
        shop: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[WebhookEndpoint]:
        """Webhook endpoints, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/webhook-endpoints", {"limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> WebhookEndpoint:
        """One webhook endpoint."""
        return cast("WebhookEndpoint", await self._connection.call("GET", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}", {}, None, options))

    async def change(
        self,
        shop: str,
        id: str,
        body: EndpointsChangeBody | None = None,
        *,
        url: str | Absent = ABSENT,
        events: List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]] | Absent = ABSENT,
        description: str | None | Absent = ABSENT,
        enabled: bool | Absent = ABSENT,
        held: Literal["deliver", "skip"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> WebhookEndpoint:
        """Changes a webhook endpoint, or turns it on or off."""
        return cast("WebhookEndpoint", await self._connection.call("PATCH", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}", {}, body_of(body or {}, {"url": url, "events": events, "description": description, "enabled": enabled, "held": held}), options))

    async def delete(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Deletes a webhook endpoint; what it was owed is skipped."""
        return cast("Deleted", await self._connection.call("DELETE", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}", {}, None, options))

    async def health(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> EndpointHealth:
        """How the attempts of the last day ended, and the oldest event that is not delivered."""
        return cast("EndpointHealth", await self._connection.call("GET", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/health", {}, None, options))

    async def rotate_secret(
        self,
        shop: str,
        id: str,
        body: EndpointsRotateSecretBody | None = None,
        *,
        overlap_seconds: int | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> WebhookEndpointWithSecret:
        """Creates a new secret; the old one overlaps."""
        return cast("WebhookEndpointWithSecret", await self._connection.call("POST", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/rotate-secret", {}, body_of(body, {"overlapSeconds": overlap_seconds}), options))

    async def test(
        self,
        shop: str,
        id: str,
        body: EndpointsTestBody | None = None,
        *,
        event: Literal["order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> WebhookAttempt:
        """Sends a test event now and answers the attempt."""
        return cast("WebhookAttempt", await self._connection.call("POST", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/test", {}, body_of(body, {"event": event}), options))


class AsyncDeliveriesApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        shop: str,
        id: str,
        *,
        status: DeliveriesListStatus | Sequence[DeliveriesListStatus] | None = None,
        event: DeliveriesListEvent | Sequence[DeliveriesListEvent] | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[WebhookDelivery]:
        """Deliveries of an endpoint, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/deliveries", {"status": status, "event": event, "object_id": object_id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)

    def list_all(
        self,
        shop: str,
        *,
        endpoint: str | None = None,
        status: DeliveriesListAllStatus | Sequence[DeliveriesListAllStatus] | None = None,
        event: DeliveriesListAllEvent | Sequence[DeliveriesListAllEvent] | None = None,
        event_id: str | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[WebhookDelivery]:
        """Deliveries of all endpoints, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/deliveries", {"endpoint": endpoint, "status": status, "event": event, "event_id": event_id, "object_id": object_id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> WebhookDelivery:
        """One delivery with its attempts."""
        return cast("WebhookDelivery", await self._connection.call("GET", f"/shops/{quoted(shop)}/deliveries/{quoted(id)}", {}, None, options))

    async def retry(
        self,
        shop: str,
        id: str,
        body: DeliveriesRetryBody | None = None,
        **options: Unpack[CallOptions],
    ) -> WebhookAttempt:
        """Makes one attempt now, in any state, and answers it."""
        return cast("WebhookAttempt", await self._connection.call("POST", f"/shops/{quoted(shop)}/deliveries/{quoted(id)}/retry", {}, body, options))


class AsyncReplaysApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    @overload
    async def create(
        self,
        shop: str,
        id: str,
        body: ReplaysCreateBody,
        *,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> ReplayPreview | WebhookReplay: ...

    @overload
    async def create(
        self,
        shop: str,
        id: str,
        *,
        from_: str | datetime,
        to: str | None | datetime | Absent = ABSENT,
        events: List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]] | Absent = ABSENT,
        which: Literal["failed", "held", "missed", "all"] | Absent = ABSENT,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> ReplayPreview | WebhookReplay: ...

    async def create(
        self,
        shop: str,
        id: str,
        body: ReplaysCreateBody | None = None,
        *,
        from_: str | datetime | Absent = ABSENT,
        to: str | None | datetime | Absent = ABSENT,
        events: List[Literal["*", "order.*", "booking.*", "subscription.*", "order.created", "order.paid", "order.confirmed", "order.shipped", "order.completed", "order.cancelled", "order.refunded", "order.disputed", "order.dispute_closed", "order.updated", "booking.confirmed", "booking.rescheduled", "booking.cancelled", "subscription.created", "subscription.renewed", "subscription.payment_failed", "subscription.cancelled", "subscription.resumed", "subscription.ended", "subscription.updated"]] | Absent = ABSENT,
        which: Literal["failed", "held", "missed", "all"] | Absent = ABSENT,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> ReplayPreview | WebhookReplay:
        """Queues the events of a time range again."""
        return cast("ReplayPreview | WebhookReplay", await self._connection.call("POST", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/replay", {"dry_run": dry_run}, body_of(body, {"from": from_, "to": to, "events": events, "which": which}), options))

    def list(
        self,
        shop: str,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[WebhookReplay]:
        """Replays of an endpoint, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/replays", {"limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        shop: str,
        id: str,
        replay: str,
        **options: Unpack[CallOptions],
    ) -> WebhookReplay:
        """One replay with its progress."""
        return cast("WebhookReplay", await self._connection.call("GET", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/replays/{quoted(replay)}", {}, None, options))

    async def cancel(
        self,
        shop: str,
        id: str,
        replay: str,
        **options: Unpack[CallOptions],
    ) -> WebhookReplay:
        """Stops a replay."""
        return cast("WebhookReplay", await self._connection.call("DELETE", f"/shops/{quoted(shop)}/webhook-endpoints/{quoted(id)}/replays/{quoted(replay)}", {}, None, options))


class AsyncImportsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def begin(
        self,
        shop: str,
        body: bytes,
        *,
        format: Literal["shopify-products", "shopify-orders", "shopify-customers", "woocommerce-products", "spree-products", "spree-customers", "retail", "storefront-orders", "storefront-products", "storefront-contacts", "storefront-subscriptions"] | None = None,
        dry_run: bool | None = None,
        background: bool | None = None,
        create_contacts: bool | None = None,
        default_payment_method: Literal["card", "bank_transfer", "cod", "paypal", "venmo", "whatsapp", "telegram", "instagram", "email", "phone"] | None = None,
        **options: Unpack[CallOptions],
    ) -> Import:
        """Imports a file; answers when it is finished, in the background when it has arrived."""
        return cast("Import", await self._connection.call("POST", f"/shops/{quoted(shop)}/imports", {"format": format, "dry_run": dry_run, "background": background, "create_contacts": create_contacts, "default_payment_method": default_payment_method}, body, options))

    def list(
        self,
        shop: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[Import]:
        """Imports, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/imports", {"limit": limit, "cursor": cursor}, options)

    async def get(
        self,
        shop: str,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Import:
        """One import with its progress."""
        return cast("Import", await self._connection.call("GET", f"/shops/{quoted(shop)}/imports/{quoted(id)}", {}, None, options))

    async def cancel(
        self,
        shop: str,
        id: str,
        body: ImportsCancelBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Import:
        """Cancels an import; what it has written stays."""
        return cast("Import", await self._connection.call("POST", f"/shops/{quoted(shop)}/imports/{quoted(id)}/cancel", {}, body, options))


class AsyncUsageApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def list(
        self,
        shop: str,
        *,
        minutes: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Sequence[Usage]:
        """Calls and refusals of each key by the minute, oldest first."""
        return cast("Sequence[Usage]", await self._connection.call("GET", f"/shops/{quoted(shop)}/usage", {"minutes": minutes}, None, options))


class AsyncRequestsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        shop: str,
        *,
        key: str | None = None,
        status: int | None = None,
        id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[Request]:
        """Requests of the keys that were not answered 2xx, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/requests", {"key": key, "status": status, "id": id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)


class AsyncAuditApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        shop: str,
        *,
        operator: str | None = None,
        action: str | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[AuditEntry]:
        """What operators changed or tried to change in the shop, newest first."""
        return self._connection.rows(f"/shops/{quoted(shop)}/audit", {"operator": operator, "action": action, "object_id": object_id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)

    def list_all(
        self,
        *,
        operator: str | None = None,
        action: str | None = None,
        object_id: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[AuditEntry]:
        """What operators changed or tried to change, and every sign-in, newest first."""
        return self._connection.rows("/audit", {"operator": operator, "action": action, "object_id": object_id, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)


class AsyncOperatorTokensApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    @overload
    async def create(
        self,
        id: str,
        body: OperatorTokensCreateBody,
        **options: Unpack[CallOptions],
    ) -> NewOperatorToken: ...

    @overload
    async def create(
        self,
        id: str,
        *,
        name: str,
        expires_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> NewOperatorToken: ...

    async def create(
        self,
        id: str,
        body: OperatorTokensCreateBody | None = None,
        *,
        name: str | Absent = ABSENT,
        expires_at: str | None | datetime | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> NewOperatorToken:
        """Creates a token; an operator has at most 5 live ones."""
        return cast("NewOperatorToken", await self._connection.call("POST", f"/operators/{quoted(id)}/tokens", {}, body_of(body or {}, {"name": name, "expiresAt": expires_at}), options))

    def list(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[OperatorToken]:
        """Tokens of the operator, newest first."""
        return self._connection.rows(f"/operators/{quoted(id)}/tokens", {"limit": limit, "cursor": cursor}, options)

    async def revoke(
        self,
        id: str,
        token: str,
        **options: Unpack[CallOptions],
    ) -> OperatorToken:
        """Revokes a token."""
        return cast("OperatorToken", await self._connection.call("DELETE", f"/operators/{quoted(id)}/tokens/{quoted(token)}", {}, None, options))


class AsyncViewsApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[View]:
        """Views of the console that the caller has named, newest first."""
        return self._connection.rows("/me/views", {"limit": limit, "cursor": cursor}, options)

    @overload
    async def save(
        self,
        name: str,
        body: ViewsSaveBody,
        **options: Unpack[CallOptions],
    ) -> View: ...

    @overload
    async def save(
        self,
        name: str,
        *,
        path: str,
        **options: Unpack[CallOptions],
    ) -> View: ...

    async def save(
        self,
        name: str,
        body: ViewsSaveBody | None = None,
        *,
        path: str | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> View:
        """Keeps a path of the console under a name; at most 50."""
        return cast("View", await self._connection.call("PUT", f"/me/views/{quoted(name)}", {}, body_of(body or {}, {"path": path}), options))

    async def delete(
        self,
        name: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Deletes a view."""
        return cast("Deleted", await self._connection.call("DELETE", f"/me/views/{quoted(name)}", {}, None, options))


class AsyncCatalogApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list_parked(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[OutboxMessage]:
        """Parked messages of catalog, the last parked first."""
        return self._connection.rows("/outbox/catalog", {"limit": limit, "cursor": cursor}, options)

    async def retry_parked(
        self,
        id: str,
        body: CatalogRetryParkedBody | None = None,
        **options: Unpack[CallOptions],
    ) -> OutboxMessage:
        """Tries a parked message again."""
        return cast("OutboxMessage", await self._connection.call("POST", f"/outbox/catalog/{quoted(id)}/retry", {}, body, options))

    async def drop_parked(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Drops a parked message for good. An audit entry is 409 `conflict`: it can only be retried."""
        return cast("Deleted", await self._connection.call("DELETE", f"/outbox/catalog/{quoted(id)}", {}, None, options))


class AsyncWebhooksApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list_parked(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncRows[OutboxMessage]:
        """Parked messages of webhooks, the last parked first."""
        return self._connection.rows("/outbox/webhooks", {"limit": limit, "cursor": cursor}, options)

    async def retry_parked(
        self,
        id: str,
        body: WebhooksRetryParkedBody | None = None,
        **options: Unpack[CallOptions],
    ) -> OutboxMessage:
        """Tries a parked message again."""
        return cast("OutboxMessage", await self._connection.call("POST", f"/outbox/webhooks/{quoted(id)}/retry", {}, body, options))

    async def drop_parked(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Deleted:
        """Drops a parked message for good. An audit entry is 409 `conflict`: it can only be retried."""
        return cast("Deleted", await self._connection.call("DELETE", f"/outbox/webhooks/{quoted(id)}", {}, None, options))


class AsyncSecretKeyApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(
        self,
        **options: Unpack[CallOptions],
    ) -> SecretKey:
        """How a rotation of `SECRET_KEY` stands, and whether the previous key can be removed."""
        return cast("SecretKey", await self._connection.call("GET", "/secret-key", {}, None, options))


class AsyncRestoresApi:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    @overload
    async def begin(
        self,
        body: RestoresBeginBody,
        *,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Restore | RestorePreview: ...

    @overload
    async def begin(
        self,
        *,
        handle: str,
        archive: str,
        version: int,
        new_ids: bool | Absent = ABSENT,
        events: bool | Absent = ABSENT,
        bytes: int,
        rows: Dict[str, object],
        shop: RestoresBeginBodyShop,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Restore | RestorePreview: ...

    async def begin(
        self,
        body: RestoresBeginBody | None = None,
        *,
        handle: str | Absent = ABSENT,
        archive: str | Absent = ABSENT,
        version: int | Absent = ABSENT,
        new_ids: bool | Absent = ABSENT,
        events: bool | Absent = ABSENT,
        bytes: int | Absent = ABSENT,
        rows: Dict[str, object] | Absent = ABSENT,
        shop: RestoresBeginBodyShop | Absent = ABSENT,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Restore | RestorePreview:
        """Begins to restore an archive (201), or finds the restore of it that is there (200). A dry run checks only. Owners only.

        handle: Handle of the shop that the restore makes.

        archive: SHA-256 of `manifest.json` in the archive, in hex.

        version: Version of the format of the archive.

        new_ids: Every id becomes another one. Absent: where the shop of the archive is in this installation.

        events: Restored events are sent to the webhook endpoints.

        bytes: Bytes of all parts.

        rows: How many rows each part of the archive has.

        shop: The row of the part `shop`.
        """
        return cast("Restore | RestorePreview", await self._connection.call("POST", "/restores", {"dry_run": dry_run}, body_of(body or {}, {"handle": handle, "archive": archive, "version": version, "newIds": new_ids, "events": events, "bytes": bytes, "rows": rows, "shop": shop}), options))

    async def get(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Restore:
        """One restore with how many rows of each part are stored. Owners only."""
        return cast("Restore", await self._connection.call("GET", f"/restores/{quoted(id)}", {}, None, options))

    @overload
    async def advance(
        self,
        id: str,
        part: str,
        body: RestoresAdvanceBody,
        **options: Unpack[CallOptions],
    ) -> RestoreBatch: ...

    @overload
    async def advance(
        self,
        id: str,
        part: str,
        *,
        position: int,
        rows: List[Dict[str, object]],
        **options: Unpack[CallOptions],
    ) -> RestoreBatch: ...

    async def advance(
        self,
        id: str,
        part: str,
        body: RestoresAdvanceBody | None = None,
        *,
        position: int | Absent = ABSENT,
        rows: List[Dict[str, object]] | Absent = ABSENT,
        **options: Unpack[CallOptions],
    ) -> RestoreBatch:
        """Stores rows of a part; those that are stored already stay as they are. Owners only.

        position: How many rows of the part come before these.
        """
        return cast("RestoreBatch", await self._connection.call("POST", f"/restores/{quoted(id)}/parts/{quoted(part)}", {}, body_of(body or {}, {"position": position, "rows": rows}), options))

    async def finish(
        self,
        id: str,
        body: RestoresFinishBody | None = None,
        **options: Unpack[CallOptions],
    ) -> Restore:
        """Makes the shop when all rows are stored. Owners only."""
        return cast("Restore", await self._connection.call("POST", f"/restores/{quoted(id)}/finish", {}, body, options))


class AsyncBackOffice(AsyncConnection):
    """A client of the back office."""

    def __init__(self, base_url: str, token: str, *, timeout: float = 60.0) -> None:
        super().__init__(base_url.rstrip("/") + "/admin/v1", token, timeout)
        self.sessions = AsyncSessionsApi(self)
        self.operators = AsyncOperatorsApi(self)
        self.shops = AsyncShopsApi(self)
        self.keys = AsyncKeysApi(self)
        self.agent = AsyncAgentApi(self)
        self.products = AsyncProductsApi(self)
        self.contacts = AsyncContactsApi(self)
        self.orders = AsyncOrdersApi(self)
        self.subscriptions = AsyncSubscriptionsApi(self)
        self.events = AsyncEventsApi(self)
        self.endpoints = AsyncEndpointsApi(self)
        self.deliveries = AsyncDeliveriesApi(self)
        self.replays = AsyncReplaysApi(self)
        self.imports = AsyncImportsApi(self)
        self.usage = AsyncUsageApi(self)
        self.requests = AsyncRequestsApi(self)
        self.audit = AsyncAuditApi(self)
        self.operator_tokens = AsyncOperatorTokensApi(self)
        self.views = AsyncViewsApi(self)
        self.catalog = AsyncCatalogApi(self)
        self.webhooks = AsyncWebhooksApi(self)
        self.secret_key = AsyncSecretKeyApi(self)
        self.restores = AsyncRestoresApi(self)
