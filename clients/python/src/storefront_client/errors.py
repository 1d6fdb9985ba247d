"""The errors that a call or the verification of a webhook raises."""

from __future__ import annotations

from typing import Literal


class StorefrontError(Exception):
    """A call that was refused, or that got no answer of the API.

    ``code`` is that of the API, such as ``invalid_request``, ``not_found`` or ``rate_limited``; ``unreachable`` where no answer came,
    and ``unexpected_answer`` where something else answered. ``status`` is None where no answer came. ``request_id`` names the call in
    the logs of the service, ``param`` is the field or query parameter at fault, ``doc`` the path of the page that explains it,
    and ``retry_after`` the seconds that the service asks to wait.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None,
        request_id: str | None = None,
        param: str | None = None,
        doc: str | None = None,
        retry_after: float = 0.0,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.param = param
        self.doc = doc
        self.retry_after = retry_after


class WebhookError(Exception):
    """A webhook that must not be trusted."""

    def __init__(self, code: Literal["missing_header", "wrong_timestamp", "wrong_signature"], message: str) -> None:
        super().__init__(message)
        self.code = code
