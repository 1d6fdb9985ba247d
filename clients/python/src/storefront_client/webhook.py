"""Verifies webhooks by Standard Webhooks: docs/spec/webhooks.md#signature"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import cast

from .errors import WebhookError
from .storefront import WebhookEvent


def verify_webhook(
    headers: Mapping[str, str], body: bytes | str, secret: str | Sequence[str], *, tolerance_seconds: float = 300
) -> WebhookEvent:
    """Returns the event of a request; ``event["type"]`` names its kind.

    ``body`` is the body as it came. ``secret`` is that of the endpoint (``whsec_…``), or several of which one has to fit. Raises
    WebhookError where a header is missing, the signature is wrong or the timestamp is too far away.
    """
    given = {name.lower(): value for name, value in headers.items()}
    raw = body.encode() if isinstance(body, str) else body
    event_id, timestamp, signatures = (
        _header(given, name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
    )
    signed = f"{event_id}.{timestamp}.".encode() + raw
    entries = signatures.encode().split(b" ")
    if not any(_fits(signed, entries, one) for one in ([secret] if isinstance(secret, str) else secret)):
        raise WebhookError("wrong_signature", "No signature of the webhook fits the secret.")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise WebhookError("wrong_timestamp", f"The webhook was signed more than {tolerance_seconds} s from now.")
    return cast(WebhookEvent, json.loads(raw))


def _header(headers: Mapping[str, str], name: str) -> str:
    if name not in headers:
        raise WebhookError("missing_header", f"The header {name} is missing.")
    return headers[name]


def _fits(signed: bytes, entries: Sequence[bytes], secret: str) -> bool:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise ValueError("The secret of a webhook endpoint is whsec_ and base64.") from error
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    return any(hmac.compare_digest(expected, entry) for entry in entries)
