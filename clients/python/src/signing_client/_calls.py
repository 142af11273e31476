"""Sends calls, retries where that is safe, and reads the envelope of responses."""

from __future__ import annotations

import json
import math
import random
import re
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from ._authentication import MutualAuthentication
from ._connections import Endpoint, Response, TransportError, WireLimits
from ._errors import (
    CallTimeoutError,
    NetworkError,
    ProtocolError,
    ServiceError,
    SigningClientError,
    UntrustedResponseError,
)
from ._options import Retry
from ._results import InvalidResponseError

Value = TypeVar("Value")

#: Refusals after which nothing was executed. Written by `npm run generate`.
RETRYABLE_CODES = ("RATE_LIMITED", "OVERLOADED", "NOT_READY")
REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}")
#: W3C Trace Context §3.2; IDs are not all zeros.
TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
#: Largest integer that JSON readers with doubles keep.
MAX_INTEGER = 2**53 - 1
MAX_DEPTH = 64


@dataclass(frozen=True)
class CallOptions:
    """``timeout`` is in seconds, for a call with all its retries."""

    timeout: float
    request_id: str | None = None
    traceparent: str | None = None


@dataclass
class _Failure(Exception):
    """A failed attempt; ``retry_in`` is None if it must not be repeated."""

    error: SigningClientError
    retry_in: float | None = None


class Caller:
    """Configuration of all calls of a client."""

    def __init__(
        self,
        *,
        retry: Retry,
        authentication: MutualAuthentication | None,
        connect_timeout: float,
        max_response_bytes: int,
    ) -> None:
        self._retry = retry
        self._authentication = authentication
        self._connect_timeout = connect_timeout
        self._max_response_bytes = max_response_bytes

    def call(
        self,
        endpoint: Endpoint,
        method: str,
        path: str,
        content: object,
        options: CallOptions,
        read: Callable[[Mapping[str, Any]], Value],
    ) -> tuple[Value, str]:
        """The result and the service's request ID. ``content`` is sent as JSON; None for no body."""
        request_id = str(uuid.uuid4()) if options.request_id is None else options.request_id
        if not REQUEST_ID.fullmatch(request_id):
            raise ValueError(
                "request_id must be 1 to 128 letters, digits or . _ : @ + -, starting with a letter or digit."
            )
        headers = {"Accept": "application/json", "X-Request-Id": request_id}
        if options.traceparent is not None:
            if not TRACEPARENT.fullmatch(options.traceparent):
                raise ValueError("traceparent must be in W3C Trace Context form.")
            headers["traceparent"] = options.traceparent
        body = b""
        if content is not None:
            body = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
            headers["Content-Type"] = "application/json"
        deadline = time.monotonic() + options.timeout
        limits = WireLimits(deadline, self._connect_timeout, self._max_response_bytes)
        attempt = _Attempt(self._retry, endpoint, method, request_id, options.timeout, limits)
        while True:
            try:
                return attempt.run(self._authentication, path, headers, body, read)
            except _Failure as failure:
                problem, retry_in = failure.error, failure.retry_in
            if retry_in is None or time.monotonic() + retry_in >= deadline:
                raise problem
            attempt.may_have_run = problem.may_have_been_done
            attempt.number += 1
            time.sleep(retry_in)


@dataclass
class _Attempt:
    retry: Retry
    endpoint: Endpoint
    method: str
    request_id: str
    timeout: float
    limits: WireLimits
    number: int = 1
    #: Whether an earlier attempt may have been executed.
    may_have_run: bool = False

    def run(
        self,
        authentication: MutualAuthentication | None,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        read: Callable[[Mapping[str, Any]], Value],
    ) -> tuple[Value, str]:
        target = f"{self.endpoint.prefix}/api/v1{path}"
        distrust: str | None = None
        try:
            if authentication is None:
                response = self.endpoint.exchange(self.method, target, headers, body, self.limits)
            else:
                # Nonce and time are single-use, so each attempt is signed again.
                header, verify = authentication.sign_request(self.method, target, body)
                signed = {**headers, "Signing-Request-Auth": header}
                response = self.endpoint.exchange(self.method, target, signed, body, self.limits)
                distrust = verify(response.status, response.body, response.headers.get("signing-response-auth"))
        except TransportError as error:
            self._fail_transport(error)
        return self._read(response, distrust, read)

    def _read(
        self, response: Response, distrust: str | None, read: Callable[[Mapping[str, Any]], Value]
    ) -> tuple[Value, str]:
        given = response.headers
        request_id = given.get("x-request-id") or given.get("x-correlation-id") or self.request_id
        is_from_service = bool(given.get("x-correlation-id"))
        try:
            content = _read_envelope(response)
        except InvalidResponseError as problem:
            if distrust is not None:
                raise _Failure(UntrustedResponseError(distrust, None, request_id=request_id)) from None
            self._fail_protocol(str(problem), response.status, request_id)
        if isinstance(content, _Refusal):
            # A 5xx does not exclude execution, except the service's own 503.
            may_have_run = response.status >= 500 and not (response.status == 503 and is_from_service)
            error = ServiceError(
                content.code,
                content.message,
                status=response.status,
                details=content.details,
                retry_after=content.retry_after,
                request_id=request_id,
                may_have_been_done=may_have_run or self.may_have_run,
            )
            # An unsigned refusal is as trustworthy as its TLS connection.
            is_trusted = distrust is None or (distrust == "UNSIGNED" and self.endpoint.is_secure)
            retry_in = self._after_refusal(error, is_from_service and is_trusted)
            if distrust is not None:
                raise _Failure(UntrustedResponseError(distrust, error, request_id=request_id), retry_in)
            raise _Failure(error, retry_in)
        if distrust is not None:
            raise _Failure(UntrustedResponseError(distrust, None, request_id=request_id))
        try:
            return read(content), request_id
        except InvalidResponseError as problem:
            self._fail_protocol(str(problem), response.status, request_id)

    def _after_refusal(self, error: ServiceError, is_from_service: bool) -> float | None:
        if self.number >= self.retry.attempts or error.code not in RETRYABLE_CODES:
            return None
        if not is_from_service and not self._may_repeat():
            return None
        if error.retry_after is None:
            # No time: the batch exceeds the limit and never fits.
            return None if error.code == "RATE_LIMITED" else self._backoff()
        jitter = min(1.0, max(self.retry.base_delay, error.retry_after))
        return float(error.retry_after * 2 ** (self.number - 1) + random.random() * jitter)

    def _fail_transport(self, error: TransportError) -> NoReturn:
        may_have_been_done = error.was_sent or self.may_have_run
        failure: SigningClientError
        if error.kind in ("late", "connect-timeout"):
            phase, limit = ("call", self.timeout) if error.kind == "late" else ("connect", self.limits.connect)
            failure = CallTimeoutError(phase, limit, request_id=self.request_id, may_have_been_done=may_have_been_done)
        elif error.kind == "too-long":
            message = "The response is larger than max_response_bytes."
            self._fail_protocol(message, error.status, self.request_id)
        else:
            what = "Cannot connect to the service"
            if error.was_sent:
                what = "The connection closed before the response was complete"
            failure = NetworkError(
                f"{what}: {error.cause}", request_id=self.request_id, may_have_been_done=may_have_been_done
            )
        failure.__cause__ = error.cause
        is_safe = self._may_repeat() if error.was_sent else error.is_transient
        is_over = error.kind == "late" or self.number >= self.retry.attempts
        raise _Failure(failure, self._backoff() if is_safe and not is_over else None) from None

    def _fail_protocol(self, message: str, status: int, request_id: str) -> NoReturn:
        error = ProtocolError(message, status, request_id=request_id, may_have_been_done=True)
        raise _Failure(error) from None

    def _may_repeat(self) -> bool:
        return self.method == "GET" or self.retry.when_unanswered

    def _backoff(self) -> float:
        """Jitter between half and all of the delay spreads the callers."""
        wait = min(self.retry.max_delay, self.retry.base_delay * 2 ** (self.number - 1))
        return float(wait / 2 + random.random() * wait / 2)


@dataclass(frozen=True)
class _Refusal:
    code: str
    message: str
    details: Mapping[str, Any]
    retry_after: float | None


def _read_envelope(response: Response) -> Mapping[str, Any] | _Refusal:
    """``{"success":true,"data":{…}}`` with status 200, ``{"success":false,"error":{…}}`` above 399."""
    status = response.status
    if not re.match(r"application/json(;|$)", response.headers.get("content-type", ""), re.IGNORECASE):
        raise InvalidResponseError(f"The response with status {status} is not JSON.")
    try:
        content = json.loads(response.body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InvalidResponseError(f"The response with status {status} is not a valid JSON object.")
    data, error = content.get("data"), content.get("error")
    if status == 200 and content.get("success") is True and isinstance(data, dict):
        return data
    if status < 400 or content.get("success") is not False or not isinstance(error, dict):
        raise InvalidResponseError(f"The response with status {status} does not have the envelope of the service.")
    code, message, details = error.get("code"), error.get("message"), error.get("details")
    if not isinstance(code, str) or not isinstance(message, str) or not isinstance(details, dict):
        raise InvalidResponseError(f"The response with status {status} has no valid error object.")
    exact = details.get("retryAfterMs")
    header = response.headers.get("retry-after", "")
    retry_after: float | None = None
    if isinstance(exact, (int, float)) and not isinstance(exact, bool) and exact >= 0:
        # Division of a larger integer overflows.
        retry_after = min(exact, MAX_INTEGER) / 1000
    elif re.fullmatch(r"[0-9]{1,9}", header):
        retry_after = float(header)
    return _Refusal(code, message, details, retry_after)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON.")


def check_signable(value: object, path: str, level: int = 1) -> None:
    """TypeError or ValueError, with the member's name, where JSON would change the value."""
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        if not _is_unicode(value):
            raise ValueError(f"{path} is not valid Unicode.")
        return
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{path} is {value}, which JSON cannot represent.")
    if isinstance(value, (int, float)):
        if value == int(value) and abs(value) > MAX_INTEGER:
            raise ValueError(
                f"{path} is an integer beyond 2^53 - 1, which may already be rounded; pass it as a string."
            )
        return
    if level > MAX_DEPTH:
        raise ValueError(f"{path} is nested deeper than {MAX_DEPTH} levels.")
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            check_signable(item, f"{path}[{index}]", level + 1)
    elif isinstance(value, dict):
        for name, member in value.items():
            if not isinstance(name, str) or not _is_unicode(name):
                raise TypeError(f"{path} has a name that is not a Unicode string.")
            check_signable(member, f"{path}.{name}", level + 1)
    else:
        kind = type(value).__name__
        raise TypeError(f"{path} is {kind}; pass dictionaries, lists, strings, integers and numbers.")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
