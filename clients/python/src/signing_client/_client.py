"""The client."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, TypeVar
from urllib.parse import quote, urlencode

from ._authentication import MutualAuthentication
from ._calls import Caller, CallOptions, check_signable
from ._connections import Endpoint
from ._options import Authentication, Retry, Tls, seconds, whole_number
from ._results import (
    Account,
    AccountList,
    AccountPage,
    BatchFailure,
    BatchRequest,
    BatchResult,
    BatchSuccess,
    ListedAccount,
    ReloadResult,
    Signature,
    StatusReport,
    Verification,
    read,
    read_account,
    read_batch,
    read_signature,
)
from ._signature_check import SignatureCheck

Value = TypeVar("Value")
Data = Mapping[str, Any]

MAX_TIMEOUT = 3600.0


class SigningClient:
    """A client of the signing service (docs/callers/clients.md).

    Create one per service and share it among threads: it keeps connections open. Calls raise a
    TypeError or ValueError for invalid arguments before anything is sent, or a SigningClientError.
    No retry signs twice unless ``Retry.when_unanswered`` allows it. Times are in seconds.

    :param url: URL of the service or its proxy; a path precedes ``/api/v1``
    :param admin_url: URL of the operators' listener, for ``reload`` and ``status``; default ``url``
    :param timeout: of a call with all its retries; name resolution is not limited
    :param connect_timeout: of a connection and its TLS handshake
    :param max_connections: further calls wait, within their timeout
    :param idle_timeout: after which an idle connection is not used again
    :param retry: None for no retries
    :param pinned_keys: public keys as the service shows them, by ``platformId/accountId``
    :param pinned_keys_only: rejects signatures of accounts without a pinned key
    :param verify_signatures: verifies Ed25519 signatures over the payload that the service reports;
        default ``where-possible`` with ``pinned_keys``, else ``never``. ``always`` rejects what
        cannot be verified
    """

    def __init__(
        self,
        url: str,
        *,
        admin_url: str | None = None,
        tls: Tls | None = None,
        authentication: Authentication | None = None,
        timeout: float = 10.0,
        connect_timeout: float = 2.0,
        max_connections: int = 64,
        idle_timeout: float = 30.0,
        max_response_bytes: int = 67_108_864,
        retry: Retry | None = Retry(),
        pinned_keys: Mapping[str, str] | None = None,
        pinned_keys_only: bool = False,
        verify_signatures: Literal["never", "where-possible", "always"] | None = None,
    ) -> None:
        max_connections = whole_number(max_connections, "max_connections", 1, 65_536)
        idle = seconds(idle_timeout, "idle_timeout", 0.001, MAX_TIMEOUT)
        self._timeout = seconds(timeout, "timeout", 0.001, MAX_TIMEOUT)
        self._url = url
        self._endpoint = Endpoint(url, "url", tls=tls, max_connections=max_connections, idle_timeout=idle)
        self._admin = self._endpoint
        if admin_url is not None:
            self._admin = Endpoint(admin_url, "admin_url", tls=tls, max_connections=max_connections, idle_timeout=idle)
        if tls is not None and not self._endpoint.is_secure and not self._admin.is_secure:
            raise ValueError("tls is set, but the URL is not https.")
        self._check = SignatureCheck(pinned_keys or {}, pinned_keys_only, verify_signatures)
        self._caller = Caller(
            retry=retry or Retry(attempts=1),
            authentication=None if authentication is None else MutualAuthentication(authentication),
            connect_timeout=seconds(connect_timeout, "connect_timeout", 0.001, MAX_TIMEOUT),
            max_response_bytes=whole_number(max_response_bytes, "max_response_bytes", 1, 536_870_912),
        )
        self._is_closed = False

    def __repr__(self) -> str:
        return f"SigningClient({self._url!r})"

    def __enter__(self) -> SigningClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def sign(
        self,
        platform_id: str,
        account_id: str,
        data: Data,
        *,
        rule: str | None = None,
        include_payload: bool = False,
        include_request: bool = False,
        timeout: float | None = None,
        request_id: str | None = None,
        traceparent: str | None = None,
    ) -> Signature:
        """Signs one data object, by one of the platform's named rules if ``rule`` is given.

        ``include_request`` returns the request as the venue takes it, for ``send_request``.
        """
        content = _content(platform_id, account_id, data, rule, "data")
        included = self._included(include_payload, include_request)
        path = "/sign" + _query(included)
        options = self._options(timeout, request_id, traceparent)
        signed, service_id = self._call("POST", path, content, options, lambda given: read_signature(given, included))
        return self._check.check(platform_id, account_id, signed, service_id)

    def sign_batch(
        self,
        requests: Sequence[BatchRequest],
        *,
        include_payload: bool = False,
        include_request: bool = False,
        timeout: float | None = None,
        request_id: str | None = None,
        traceparent: str | None = None,
    ) -> BatchResult:
        """Signs many in one call; items succeed or fail independently."""
        sent = list(requests)
        items = [
            {"requestId": one.request_id, **_content(one.platform_id, one.account_id, one.data, one.rule, name)}
            for one, name in ((one, f"requests[{index}].data") for index, one in enumerate(sent))
        ]
        included = self._included(include_payload, include_request)
        path = "/sign/batch" + _query(included)
        options = self._options(timeout, request_id, traceparent)
        batch, service_id = self._call(
            "POST", path, {"requests": items}, options, lambda given: read_batch(given, sent, included)
        )
        results: list[BatchSuccess | BatchFailure] = []
        for one, result in zip(sent, batch.results):
            if isinstance(result, BatchSuccess):
                result = self._check.check(one.platform_id, one.account_id, result, service_id)
            results.append(result)
        return BatchResult(tuple(results), batch.summary)

    def verify(
        self,
        platform_id: str,
        account_id: str,
        data: Data,
        signature: str,
        *,
        rule: str | None = None,
        include_payload: bool = False,
        timeout: float | None = None,
        request_id: str | None = None,
        traceparent: str | None = None,
    ) -> Verification:
        """Verifies a signature with the service."""
        content = {**_content(platform_id, account_id, data, rule, "data"), "signature": signature}
        path = "/verify?include=payload" if include_payload else "/verify"
        options = self._options(timeout, request_id, traceparent)
        return self._call("POST", path, content, options, lambda given: read(Verification, given))[0]

    def accounts(
        self,
        *,
        platform_id: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
        traceparent: str | None = None,
    ) -> AccountList:
        """All accounts that the caller may read, in one response; for many, use ``each_account``."""
        path = _accounts_path({"platform": platform_id})
        options = self._options(timeout, request_id, traceparent)
        return self._call("GET", path, None, options, lambda given: read(AccountList, given))[0]

    def account_page(
        self,
        *,
        platform_id: str | None = None,
        limit: int = 1000,
        cursor: str | None = None,
        timeout: float | None = None,
        request_id: str | None = None,
        traceparent: str | None = None,
    ) -> AccountPage:
        """One page of accounts; ``limit`` is at most 1000."""
        path = _accounts_path({"platform": platform_id, "limit": str(limit), "cursor": cursor})
        options = self._options(timeout, request_id, traceparent)
        return self._call("GET", path, None, options, lambda given: read(AccountPage, given))[0]

    def each_account(
        self, *, platform_id: str | None = None, limit: int = 1000, timeout: float | None = None
    ) -> Iterator[ListedAccount]:
        """All accounts, page by page; ``timeout`` applies to each page."""
        cursor: str | None = None
        while True:
            page = self.account_page(platform_id=platform_id, limit=limit, cursor=cursor, timeout=timeout)
            yield from page.accounts
            cursor = page.next_cursor
            if cursor is None:
                return

    def account(
        self,
        platform_id: str,
        account_id: str,
        *,
        timeout: float | None = None,
        request_id: str | None = None,
        traceparent: str | None = None,
    ) -> Account:
        """One account; a VerificationError if another key is pinned."""
        path = f"/accounts/{quote(platform_id, safe='')}/{quote(account_id, safe='')}"
        options = self._options(timeout, request_id, traceparent)
        account, service_id = self._call(
            "GET", path, None, options, lambda given: read_account(given, platform_id, account_id)
        )
        self._check.check_key(platform_id, account_id, account.public_key, service_id)
        return account

    def reload(
        self, *, timeout: float | None = None, request_id: str | None = None, traceparent: str | None = None
    ) -> ReloadResult:
        """Reloads the credentials, through ``admin_url`` if set."""
        options = self._options(timeout, request_id, traceparent)
        return self._call(
            "POST", "/config/reload", None, options, lambda given: read(ReloadResult, given), self._admin
        )[0]

    def status(
        self, *, timeout: float | None = None, request_id: str | None = None, traceparent: str | None = None
    ) -> StatusReport:
        """Status of the service, through ``admin_url`` if set."""
        options = self._options(timeout, request_id, traceparent)
        return self._call("GET", "/status", None, options, lambda given: read(StatusReport, given), self._admin)[0]

    def close(self) -> None:
        """Closes idle connections now, others after their calls; later calls are a ValueError."""
        self._is_closed = True
        self._endpoint.close()
        self._admin.close()

    def _included(self, payload: bool, request: bool) -> list[str]:
        wanted = {"payload": payload or self._check.needs_payload, "request": request}
        return [name for name, is_wanted in wanted.items() if is_wanted]

    def _options(self, timeout: float | None, request_id: str | None, traceparent: str | None) -> CallOptions:
        limit = self._timeout if timeout is None else seconds(timeout, "timeout", 0.001, MAX_TIMEOUT)
        return CallOptions(limit, request_id, traceparent)

    def _call(
        self,
        method: str,
        path: str,
        content: object,
        options: CallOptions,
        reader: Callable[[Mapping[str, Any]], Value],
        endpoint: Endpoint | None = None,
    ) -> tuple[Value, str]:
        if self._is_closed:
            raise ValueError("The client is closed.")
        return self._caller.call(endpoint or self._endpoint, method, path, content, options, reader)


def _content(platform_id: str, account_id: str, data: Data, rule: str | None, name: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise TypeError(f"{name} must be a dictionary.")
    check_signable(data, name)
    content = {"platformId": platform_id, "accountId": account_id, "data": data}
    return content if rule is None else {**content, "rule": rule}


def _query(included: Sequence[str]) -> str:
    return f"?include={','.join(included)}" if included else ""


def _accounts_path(parameters: Mapping[str, str | None]) -> str:
    query = urlencode({name: value for name, value in parameters.items() if value is not None})
    return f"/accounts?{query}" if query else "/accounts"
