"""Mutual authentication, byte by byte as in docs/callers/authentication.md."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import struct
import time
from collections.abc import Callable
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from ._options import Authentication, read_source

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

#: Returns why a response is not trusted, of status, body and Signing-Response-Auth; None if it is.
VerifyResponse = Callable[[int, bytes, "str | None"], "str | None"]

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
HEX_KEY = re.compile(r"[0-9a-fA-F]{64}")
EXPIRATION = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{3})?Z")


def decode_base58(text: str) -> bytes | None:
    """Bitcoin's alphabet, no checksum; None if malformed or longer than any key or signature."""
    number = 0
    if len(text) > 128:
        return None
    for character in text:
        digit = BASE58.find(character)
        if digit < 0:
            return None
        number = number * 58 + digit
    zeros = len(text) - len(text.lstrip("1"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def decode_base64(text: str) -> bytes | None:
    """RFC 4648 §4 in canonical form; None if malformed."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return decoded if text != "" and base64.b64encode(decoded).decode() == text else None


def read_public_key(text: str) -> bytes | None:
    """The 32 bytes of a public key in base58 or 64 hex digits; None if malformed."""
    text = text.strip()
    key = bytes.fromhex(text) if HEX_KEY.fullmatch(text) else decode_base58(text)
    return key if key is not None and len(key) == 32 else None


def has_ed25519() -> bool:
    """Whether the optional package ``cryptography`` is installed."""
    try:
        import cryptography.hazmat.primitives.asymmetric.ed25519  # noqa: F401
    except ImportError:
        return False
    return True


def is_ed25519_signature(public_key: bytes, content: bytes, signature: bytes) -> bool:
    """Verifies an Ed25519 signature (RFC 8032 §5.1)."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, content)
    except (InvalidSignature, ValueError):
        return False
    return True


class MutualAuthentication:
    """Signs requests and verifies responses."""

    def __init__(self, options: Authentication) -> None:
        if not has_ed25519():
            raise ImportError("authentication needs the package cryptography: pip install 'signing-client[auth]'")
        if isinstance(options.authority_keys, str) or not options.authority_keys:
            raise ValueError("authentication.authority_keys must be a list of at least one key.")
        self._key = _open_private_key(read_source(options.private_key).strip())
        self._token = _read_token(read_source(options.token).strip(), self._key)
        self._service_key = _require_key(options.service_key, "service_key")
        self._authorities = [_require_key(key, "authority_keys") for key in options.authority_keys]

    def sign_request(self, method: str, target: str, body: bytes) -> tuple[str, VerifyResponse]:
        """Value of Signing-Request-Auth, and the check of its response; both for one attempt."""
        nonce = os.urandom(16)
        claims = encode_request_claims(self._token, self._service_key, time.time(), nonce)
        content = request_content(claims, method, target, body)
        message = claims + bytes_field(5, self._key.sign(content))

        def verify(status: int, response: bytes, header: str | None) -> str | None:
            return self._verify_response(message, nonce, status, response, header)

        return base64.b64encode(message).decode(), verify

    def _verify_response(
        self, message: bytes, nonce: bytes, status: int, body: bytes, header: str | None
    ) -> str | None:
        if not header:
            return "UNSIGNED"
        info = read_fields(decode_base64(header), 3)
        token = None if info is None else read_fields(info[0], 4)
        if info is None or token is None:
            return "MALFORMED"
        token_content = _domain("access-token") + b"".join(bytes_field(n + 1, token[n]) for n in range(3))
        if not any(is_ed25519_signature(key, token_content, token[3]) for key in self._authorities):
            return "UNKNOWN_AUTHORITY"
        if token[1] != self._service_key:
            return "WRONG_SERVICE"
        if time.time() >= _seconds(token[2]):
            return "TOKEN_EXPIRED"
        if info[1] != nonce:
            return "WRONG_NONCE"
        claims = bytes_field(1, info[0]) + bytes_field(2, info[1])
        content = response_content(claims, message, status, body)
        return None if is_ed25519_signature(self._service_key, content, info[2]) else "INVALID_SIGNATURE"


def encode_request_claims(token: bytes, service_key: bytes, seconds: float, nonce: bytes) -> bytes:
    """Fields 1 to 4 of a RequestAuthInfo."""
    double = bytes([3 * 8 + 1]) + struct.pack("<d", seconds)
    return bytes_field(1, token) + bytes_field(2, service_key) + double + bytes_field(4, nonce)


def request_content(claims: bytes, method: str, target: str, body: bytes) -> bytes:
    """The bytes that a client signs."""
    parts = (claims, method.encode(), target.encode())
    return _domain("request") + b"".join(map(_with_length, parts)) + _sha256(body)


def response_content(claims: bytes, message: bytes, status: int, body: bytes) -> bytes:
    """The bytes that the service signs."""
    head = _domain("response") + _with_length(claims) + _sha256(message)
    return head + struct.pack(">I", status) + _sha256(body)


def bytes_field(number: int, value: bytes) -> bytes:
    """A length-delimited field of protocol buffers."""
    return bytes([number * 8 + 2]) + _varint(len(value)) + value


def read_fields(message: bytes | None, count: int) -> list[bytes] | None:
    """Fields 1 to ``count``, none empty; None if the message is anything else or not canonical."""
    values: list[bytes] = []
    at = 0
    for number in range(1, count + 1):
        if message is None or message[at : at + 1] != bytes([number * 8 + 2]):
            return None
        size, at, shift = 0, at + 1, 0
        # At most three bytes: more than any header holds.
        while shift < 21 and at < len(message):
            byte = message[at]
            size, at, shift = size | (byte & 127) << shift, at + 1, shift + 7
            if byte < 128:
                break
        values.append(message[at : at + size])
        at += size
    written = b"".join(bytes_field(n + 1, value) for n, value in enumerate(values))
    return values if written == message and all(values) else None


def _open_private_key(text: str) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    if HEX_KEY.fullmatch(text):
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(text))
    try:
        key = load_pem_private_key(text.encode(), None)
    except Exception:
        key = None
    if isinstance(key, Ed25519PrivateKey):
        return key
    raise ValueError(
        "authentication.private_key must be an Ed25519 private key: 64 hex digits, or PKCS#8 PEM without a"
        " passphrase; pass a file as pathlib.Path."
    ) from None


def _read_token(text: str, key: Ed25519PrivateKey) -> bytes:
    encoded = decode_base64(text)
    token = read_fields(encoded, 4)
    if encoded is None or token is None:
        raise ValueError("authentication.token must be an access token in base64; pass a file as pathlib.Path.")
    if token[1] != key.public_key().public_bytes_raw():
        raise ValueError("authentication.token does not match authentication.private_key.")
    return encoded


def _require_key(text: str, option: str) -> bytes:
    key = read_public_key(text)
    if key is None:
        raise ValueError(f"authentication.{option} must be an Ed25519 public key in base58 or 64 hex digits.")
    return key


def _seconds(expiration: bytes) -> float:
    """Unix time; 0, which is in the past, for an invalid one."""
    match = EXPIRATION.fullmatch(expiration.decode("latin-1"))
    try:
        if match is None:
            return 0.0
        whole = datetime.strptime(match[1], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    except ValueError:
        return 0.0
    return whole.timestamp() + float(match[2] or 0)


def _varint(value: int) -> bytes:
    digits = bytearray()
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes(digits) + bytes([value])


def _domain(kind: str) -> bytes:
    return f"signing-service/v1/{kind}\0".encode()


def _with_length(value: bytes) -> bytes:
    return struct.pack(">I", len(value)) + value


def _sha256(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()
