"""Completes the request that the service returns, and sends it to the venue."""

from __future__ import annotations

import dataclasses
import json
import re
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPResponse
from typing import Any, TypeVar, overload
from urllib.parse import quote

from ._results import RequestToSend

Answer = TypeVar("Answer")
#: Called with method, URL, headers and body, which is None for none.
Transport = Callable[[str, str, Mapping[str, str], bytes | None], Answer]

FORM = "application/x-www-form-urlencoded"


def fill_request(request: RequestToSend, values: Mapping[str, str] | None = None) -> RequestToSend:
    """Puts values in place of ``{name}``.

    They are percent-encoded in the URL and in a form, escaped in JSON, verbatim in headers. One that
    a URL or body begins with is verbatim: an origin, a whole body. ValueError for a value that is
    missing or that the request does not need, and for a header with characters other than printable
    ASCII.
    """
    given = values or {}
    for name in given:
        if name not in request.missing:
            raise ValueError(f"The request has no {{{name}}}.")
    for name in request.missing:
        if not isinstance(given.get(name), str):
            raise ValueError(f"The request needs a value for {{{name}}}.")

    def fill(text: str, encode: Callable[[str], str]) -> str:
        def replace(found: re.Match[str]) -> str:
            if found[1] not in request.missing:
                return found[0]
            value = given[found[1]]
            return value if found.start() == 0 else encode(value)

        return re.sub(r"\{([A-Za-z0-9_.]+)\}", replace, text)

    if request.message is not None:
        return dataclasses.replace(request, message=fill(request.message, _escape_json), missing=())
    headers = {name: fill(value, str) for name, value in (request.headers or {}).items()}
    for name, value in headers.items():
        if not re.fullmatch(r"[\x20-\x7e]*", value):
            raise ValueError(f"The header {name} must be printable ASCII.")
    is_form = any(name.lower() == "content-type" and value.startswith(FORM) for name, value in headers.items())
    return dataclasses.replace(
        request,
        url=fill(request.url or "", _percent_encode),
        headers=headers,
        body=None if request.body is None else fill(request.body, _percent_encode if is_form else _escape_json),
        missing=(),
    )


@overload
def send_request(
    request: RequestToSend, values: Mapping[str, str] | None = None, *, timeout: float = 30.0
) -> HTTPResponse: ...


@overload
def send_request(
    request: RequestToSend, values: Mapping[str, str] | None = None, *, transport: Transport[Answer]
) -> Answer: ...


def send_request(
    request: RequestToSend,
    values: Mapping[str, str] | None = None,
    *,
    timeout: float = 30.0,
    transport: Transport[Any] | None = None,
) -> Any:
    """Fills an HTTP request and sends it, byte for byte as signed.

    Returns the venue's response, of any status; a redirect is not followed, and proxies of the
    environment are not used. ``transport`` replaces urllib.request and must not follow redirects
    either. ValueError like ``fill_request``, for a message, and for a URL that is not a URL's text.

    :param timeout: in seconds, of each step on the network
    """
    filled = fill_request(request, values)
    if filled.message is not None:
        raise ValueError("The request is a message of a WebSocket; use fill_request.")
    method, url, headers = filled.method or "", filled.url or "", filled.headers or {}
    if not re.fullmatch(r"https?://[A-Za-z0-9.:\[\]-]+(?:[/?][!-\"$-~]*)?", url):
        raise ValueError("The URL of the request cannot be sent as it is.")
    body = None if filled.body is None else filled.body.encode()
    if transport is not None:
        return transport(method, url, headers, body)
    # Venues' firewalls refuse the name of urllib.
    named = {"User-Agent": "signing-client", **headers}
    return _OPENER.open(urllib.request.Request(url, body, named, method=method), timeout=timeout)


class _AsReceived(urllib.request.HTTPErrorProcessor):
    """Returns responses of any status; redirects are followed where others are errors."""

    def http_response(self, request: urllib.request.Request, response: HTTPResponse) -> HTTPResponse:
        return response

    https_response = http_response


_OPENER = urllib.request.build_opener(_AsReceived, urllib.request.ProxyHandler({}))


def _escape_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _percent_encode(text: str) -> str:
    """Everything but unreserved characters (RFC 3986 §2.3)."""
    return quote(text, safe="")
