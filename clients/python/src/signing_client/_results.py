"""Results, validated against the API. Members that are unknown here are ignored."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, Union

Result = TypeVar("Result")
Signed = TypeVar("Signed", "Signature", "BatchSuccess")


@dataclass(frozen=True)
class BatchRequest:
    """One request of a batch. ``request_id`` is unique in the batch and repeated in its result."""

    request_id: str
    platform_id: str
    account_id: str
    data: Mapping[str, Any]
    #: One of the platform's named rules; None: its default rule.
    rule: str | None = None


@dataclass(frozen=True, kw_only=True)
class PayloadParts:
    """The texts that were signed, each exactly as signed; a body before it is hashed."""

    timestamp: str | None = None
    #: In upper or lower case as signed.
    method: str | None = None
    path: str | None = None
    #: Without the leading ``?``.
    query: str | None = None
    body: str | None = None
    #: Other members of ``data`` that are signed as texts of their own, such as a nonce.
    data: Mapping[str, str] | None = None
    #: Fixed values of the account or the rule; ``passphrase`` is returned but not signed.
    values: Mapping[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class RequestToSend:
    """A signed request as the venue takes it; ``fill_request`` and ``send_request`` complete it.

    It is either an HTTP request or, for a WebSocket, ``message``, JSON. What the service does not
    hold, such as a passphrase, stands as ``{name}`` in its texts.
    """

    #: The names of what the service does not hold.
    missing: tuple[str, ...]
    message: str | None = None
    #: In upper case.
    method: str | None = None
    url: str | None = None
    headers: Mapping[str, str] | None = None
    #: None for no body.
    body: str | None = None


@dataclass(frozen=True, kw_only=True)
class SignedPayload:
    """What was signed; present with ``include_payload`` and when signatures are verified."""

    #: The exact text, or hex or base64 of binary data.
    payload: str | None = None
    #: ``hex`` or ``base64``; None if ``payload`` is the text itself.
    payload_encoding: str | None = None
    payload_parts: PayloadParts | None = None


@dataclass(frozen=True, kw_only=True)
class Signature(SignedPayload):
    """A signature, in ``encoding``."""

    signature: str
    algorithm: str
    encoding: str
    public_key: str
    #: ISO 8601 UTC.
    signed_at: str
    #: Present with ``include_request``.
    request: RequestToSend | None = None
    #: Whether this client verified the signature (``verify_signatures``).
    verified: bool = False


@dataclass(frozen=True, kw_only=True)
class BatchSuccess(SignedPayload):
    """One signature of a batch."""

    request_id: str
    status: str
    signature: str
    algorithm: str
    #: Present with ``include_request``.
    request: RequestToSend | None = None
    verified: bool = False


@dataclass(frozen=True)
class ItemError:
    """Why an item of a batch failed."""

    code: str
    message: str
    details: Mapping[str, Any]


@dataclass(frozen=True)
class BatchFailure:
    """A failed item of a batch."""

    request_id: str
    status: str
    error: ItemError


@dataclass(frozen=True)
class BatchSummary:
    total: int
    successful: int
    failed: int


@dataclass(frozen=True)
class BatchResult:
    """Results in request order."""

    results: tuple[BatchSuccess | BatchFailure, ...]
    summary: BatchSummary


@dataclass(frozen=True, kw_only=True)
class Verification(SignedPayload):
    """Result of verifying a signature."""

    valid: bool


@dataclass(frozen=True)
class Usage:
    total_signs: int
    #: ISO 8601 UTC; None before the first signature.
    last_sign_at: str | None
    #: Failed attempts, refused ones included.
    error_count: int


@dataclass(frozen=True)
class ListedAccount:
    """An account in a list."""

    account_id: str
    platform_id: str
    alias: str
    #: ``active`` or ``disabled``: the account's own.
    status: str
    environment: str
    usage: Usage
    #: ``disabled`` if the platform is disabled.
    platform_status: str | None = None
    #: EIP-55 address of an Ethereum account.
    address: str | None = None


@dataclass(frozen=True)
class AccountList:
    accounts: tuple[ListedAccount, ...]
    total: int


@dataclass(frozen=True)
class AccountPage:
    accounts: tuple[ListedAccount, ...]
    total: int
    #: ``cursor`` of the next page; None on the last.
    next_cursor: str | None


@dataclass(frozen=True)
class Account:
    """One account."""

    account_id: str
    platform_id: str
    alias: str
    status: str
    environment: str
    algorithm: str
    public_key: str
    #: ISO 8601 UTC.
    created_at: str
    last_used: str | None
    key_id: str | None = None
    platform_status: str | None = None
    address: str | None = None


@dataclass(frozen=True)
class Changes:
    added: int
    updated: int
    removed: int


@dataclass(frozen=True)
class ReloadResult:
    reloaded_at: str
    changes: Changes
    account_count: int
    platform_count: int
    #: Everything that the service sent (docs/callers/api.md).
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class StatusReport:
    """Status of the service. Groups are passed on as sent (docs/callers/api.md)."""

    #: ``healthy`` or ``degraded``.
    status: str
    uptime: str
    config: Mapping[str, Any]
    accounts: Mapping[str, Any]
    performance: Mapping[str, Any]
    #: Everything that the service sent.
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


class InvalidResponseError(Exception):
    """The data of a response does not match the API."""


def camel(name: str) -> str:
    """``public_key`` as the API writes it: ``publicKey``."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def read(cls: type[Result], data: Mapping[str, Any]) -> Result:
    """Makes a result of the API's data; InvalidResponseError names the wrong member."""
    hints: dict[str, Any] = _hints(cls)  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for item in dataclasses.fields(cls):  # type: ignore[arg-type]
        if item.name == "raw":
            values["raw"] = data
            continue
        if item.name == "verified":
            continue
        name = camel(item.name)
        has_default = item.default is not dataclasses.MISSING
        if name in data:
            values[item.name] = _convert(hints[item.name], data[name], name)
        elif not has_default:
            raise InvalidResponseError(f"The response is invalid: {name} is missing.")
    return cls(**values)


def _convert(hint: Any, value: Any, name: str) -> Any:
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in typing.get_args(hint):
            return None
        hint = typing.get_args(hint)[0]
        origin = typing.get_origin(hint)
    if origin is tuple and isinstance(value, list):
        return tuple(_convert(typing.get_args(hint)[0], item, name) for item in value)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type) and isinstance(value, dict):
        return read(hint, value)
    if (hint is str and isinstance(value, str)) or (hint is bool and isinstance(value, bool)):
        return value
    if hint is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if origin is Mapping and isinstance(value, dict):
        return value
    raise InvalidResponseError(f"The response is invalid: {name} has the wrong type.")


def read_signature(data: Mapping[str, Any], included: Collection[str]) -> Signature:
    """A signature, with what the call asked for: ``payload``, ``request``."""
    return _with_included(read(Signature, data), included)


def read_batch(data: Mapping[str, Any], requests: list[BatchRequest], included: Collection[str]) -> BatchResult:
    """One result per request, in order."""
    items = data.get("results")
    if not isinstance(items, list) or len(items) != len(requests):
        raise InvalidResponseError("The response does not have one result per request.")
    results: list[BatchSuccess | BatchFailure] = []
    for request, item in zip(requests, items):
        if not isinstance(item, dict) or item.get("requestId") != request.request_id:
            raise InvalidResponseError("The response is invalid: requestId is not that of the request.")
        if item.get("status") == "success":
            results.append(_with_included(read(BatchSuccess, item), included))
        elif item.get("status") == "failed":
            results.append(read(BatchFailure, item))
        else:
            raise InvalidResponseError("The response is invalid: status is neither success nor failed.")
    given = data.get("summary")
    summary = read(BatchSummary, given if isinstance(given, dict) else {})
    failed = sum(isinstance(result, BatchFailure) for result in results)
    if summary != BatchSummary(len(results), len(results) - failed, failed):
        raise InvalidResponseError("The response is invalid: summary does not match the results.")
    return BatchResult(tuple(results), summary)


def _with_included(signed: Signed, included: Collection[str]) -> Signed:
    for name in included:
        if getattr(signed, name) is None:
            raise InvalidResponseError(f"The response is invalid: {name} is missing.")
    return signed


def read_account(data: Mapping[str, Any], platform_id: str, account_id: str) -> Account:
    """The account that was requested."""
    account = read(Account, data)
    if (account.platform_id, account.account_id) != (platform_id, account_id):
        raise InvalidResponseError("The response is invalid: it is about another account.")
    return account
