"""Options of a client. Their repr never shows key material."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

#: A text, or a file of it as ``pathlib.Path``, read when the client is created.
Source = Union[str, "os.PathLike[str]"]


def read_source(source: Source) -> str:
    """The text."""
    return source if isinstance(source, str) else Path(source).read_text("utf-8")


@dataclass(frozen=True)
class Tls:
    """TLS and mutual TLS. Files in PEM."""

    #: Trusted CA certificates; default: the system's.
    ca: str | os.PathLike[str] | None = None
    #: Client certificate chain; requires ``key``.
    cert: str | os.PathLike[str] | None = None
    key: str | os.PathLike[str] | None = None
    #: Name in the service's certificate if it differs from the URL's host.
    server_name: str | None = None

    def __post_init__(self) -> None:
        for name, file in (("ca", self.ca), ("cert", self.cert), ("key", self.key)):
            if isinstance(file, str) and "-----BEGIN " in file:
                raise ValueError(f"tls.{name} must be the name of a file, not its content.")


@dataclass(frozen=True)
class Authentication:
    """Mutual authentication (docs/callers/authentication.md); needs ``signing-client[auth]``."""

    #: The client's Ed25519 key: 64 hex digits, or unencrypted PKCS#8 in PEM.
    private_key: Source = field(repr=False)
    #: The client's access token, base64.
    token: Source = field(repr=False)
    #: The service's public key, base58 or 64 hex digits.
    service_key: str
    #: Public keys of trusted authorities, base58 or 64 hex digits.
    authority_keys: tuple[str, ...] | list[str]


@dataclass(frozen=True)
class Retry:
    """Retries of failed calls (docs/callers/clients.md#retries)."""

    #: Maximum attempts of a call, 1 to 10; 1 disables retries.
    attempts: int = 3
    #: Seconds before the second attempt; doubles each time, with jitter.
    base_delay: float = 0.1
    #: Maximum such delay, seconds. Retry-After may exceed it.
    max_delay: float = 2.0
    #: Whether sign, verify and reload calls are retried after a broken connection, although the
    #: first attempt may have succeeded: the same signature, two audit records.
    when_unanswered: bool = False

    def __post_init__(self) -> None:
        whole_number(self.attempts, "retry.attempts", 1, 10)
        seconds(self.base_delay, "retry.base_delay", 0, 60)
        seconds(self.max_delay, "retry.max_delay", 0, 60)


def whole_number(value: int, name: str, minimum: int, maximum: int) -> int:
    """The integer; ValueError outside the bounds."""
    if type(value) is int and minimum <= value <= maximum:
        return value
    raise ValueError(f"{name} must be an integer from {minimum} to {maximum}.")


def seconds(value: float, name: str, minimum: float, maximum: float) -> float:
    """The number of seconds; ValueError outside the bounds."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if is_number and minimum <= value <= maximum:
        return float(value)
    raise ValueError(f"{name} must be a number of seconds from {minimum:g} to {maximum:g}.")
