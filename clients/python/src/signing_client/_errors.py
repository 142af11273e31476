"""Errors of calls. Invalid arguments and options are a TypeError or ValueError instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class SigningClientError(Exception):
    """Base of all errors of a call."""

    kind = ""

    def __init__(self, message: str, *, request_id: str, may_have_been_done: bool) -> None:
        super().__init__(message)
        #: X-Request-Id of the call, as in the service log and the audit log.
        self.request_id = request_id
        #: Whether the service may have executed (signed and recorded) the request.
        self.may_have_been_done = may_have_been_done


class ServiceError(SigningClientError):
    """The service refused the request."""

    kind = "service"

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int,
        details: Mapping[str, Any],
        retry_after: float | None,
        request_id: str,
        may_have_been_done: bool,
    ) -> None:
        super().__init__(f"{code}: {message}", request_id=request_id, may_have_been_done=may_have_been_done)
        #: A code of docs/callers/errors.md, or of a later service.
        self.code = code
        #: HTTP status, 400 to 599.
        self.status = status
        self.details = details
        #: Seconds until a retry may succeed; None if the service gives no time.
        self.retry_after = retry_after


class NetworkError(SigningClientError):
    """No complete response: connection refused or broken, untrusted certificate (``__cause__``)."""

    kind = "network"


class CallTimeoutError(SigningClientError):
    """No response in time. ``phase`` is ``connect`` or ``call``."""

    kind = "timeout"

    def __init__(self, phase: str, seconds: float, *, request_id: str, may_have_been_done: bool) -> None:
        what = "connection" if phase == "connect" else "response"
        message = f"No {what} within {seconds:g} s."
        super().__init__(message, request_id=request_id, may_have_been_done=may_have_been_done)
        self.phase = phase


class ProtocolError(SigningClientError):
    """The response is not the service's: not JSON, no envelope, missing fields, or too long."""

    kind = "protocol"

    def __init__(self, message: str, status: int, *, request_id: str, may_have_been_done: bool) -> None:
        super().__init__(message, request_id=request_id, may_have_been_done=may_have_been_done)
        self.status = status


class UntrustedResponseError(SigningClientError):
    """With authentication: the service did not sign the response. 401 responses never are signed."""

    kind = "untrusted"

    def __init__(self, reason: str, claimed: ServiceError | None, *, request_id: str) -> None:
        claim = "" if claimed is None else f" It reports {claimed.status} {claimed}"
        detail = None if claimed is None else claimed.details.get("reason")
        suffix = f" ({detail})" if isinstance(detail, str) else ""
        message = f"The response is not authenticated ({reason}).{claim}{suffix}"
        super().__init__(message, request_id=request_id, may_have_been_done=True)
        #: UNSIGNED, MALFORMED, UNKNOWN_AUTHORITY, WRONG_SERVICE, TOKEN_EXPIRED, WRONG_NONCE or
        #: INVALID_SIGNATURE.
        self.reason = reason
        #: What the response claims, for diagnosis only.
        self.claimed = claimed


class VerificationError(SigningClientError):
    """A signature that must not be used."""

    kind = "verification"

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        platform_id: str,
        account_id: str,
        pinned_key: str | None,
        received_key: str | None,
        request_id: str,
    ) -> None:
        super().__init__(f"{platform_id}/{account_id}: {message}", request_id=request_id, may_have_been_done=True)
        #: KEY_CHANGED, KEY_NOT_PINNED, WRONG_ALGORITHM, WRONG_PAYLOAD, WRONG_SIGNATURE or
        #: NOT_VERIFIABLE.
        self.reason = reason
        self.platform_id = platform_id
        self.account_id = account_id
        self.pinned_key = pinned_key
        self.received_key = received_key
