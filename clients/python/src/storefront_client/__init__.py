"""The clients of the public API and of the back office. docs/spec/clients.md#python-client"""

from .back_office import AsyncBackOffice, BackOffice
from .compare import AsyncCopy, Copy, Difference
from .connection import AsyncRows, CallOptions, Page, Rows
from .errors import StorefrontError, WebhookError
from .storefront import AsyncStorefront, Storefront, WebhookEvent
from .webhook import verify_webhook

__all__ = [
    "AsyncBackOffice",
    "AsyncCopy",
    "AsyncRows",
    "AsyncStorefront",
    "BackOffice",
    "CallOptions",
    "Copy",
    "Difference",
    "Page",
    "Rows",
    "Storefront",
    "StorefrontError",
    "WebhookError",
    "WebhookEvent",
    "verify_webhook",
]
