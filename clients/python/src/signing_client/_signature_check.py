"""Compares pinned keys and verifies Ed25519 signatures before they are returned."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import NoReturn, TypeVar

from ._authentication import decode_base58, decode_base64, has_ed25519, is_ed25519_signature, read_public_key
from ._errors import VerificationError
from ._results import BatchSuccess, Signature

Signed = TypeVar("Signed", Signature, BatchSuccess)

MODES = ("never", "where-possible", "always")
BASE58_KEY = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")


class SignatureCheck:
    """Rejects signatures by other keys than pinned, and Ed25519 signatures that do not verify."""

    def __init__(self, pinned_keys: Mapping[str, str], pinned_keys_only: bool, mode: str | None) -> None:
        for name, key in pinned_keys.items():
            if "/" not in name or not isinstance(key, str) or not key:
                raise ValueError(f"pinned_keys[{name!r}] must be a public key, named platformId/accountId.")
        if mode is not None and mode not in MODES:
            raise ValueError(f"verify_signatures must be one of {', '.join(MODES)}.")
        if mode == "always" and not has_ed25519():
            raise ImportError("verify_signatures needs the package cryptography: pip install 'signing-client[auth]'")
        self._pinned_keys = dict(pinned_keys)
        self._pinned_keys_only = pinned_keys_only
        self._mode = mode or ("where-possible" if pinned_keys else "never")

    @property
    def needs_payload(self) -> bool:
        """Whether responses must include the payload."""
        return self._mode != "never"

    def check_key(self, platform_id: str, account_id: str, received: str, request_id: str) -> None:
        """VerificationError if another key is pinned for the account."""
        pinned = self._pinned_keys.get(f"{platform_id}/{account_id}")
        if pinned is not None and pinned != received:
            raise VerificationError(
                "KEY_CHANGED",
                f"the account's key is {received}, but {pinned} is pinned.",
                platform_id=platform_id,
                account_id=account_id,
                pinned_key=pinned,
                received_key=received,
                request_id=request_id,
            )

    def check(self, platform_id: str, account_id: str, signed: Signed, request_id: str) -> Signed:
        """The result with ``verified``; VerificationError if the signature must not be used."""
        received = signed.public_key if isinstance(signed, Signature) else None
        pinned = self._pinned_keys.get(f"{platform_id}/{account_id}")

        def reject(reason: str, message: str) -> NoReturn:
            raise VerificationError(
                reason,
                message,
                platform_id=platform_id,
                account_id=account_id,
                pinned_key=pinned,
                received_key=received,
                request_id=request_id,
            )

        if received is not None:
            self.check_key(platform_id, account_id, received, request_id)
        if pinned is None and self._pinned_keys_only:
            reject("KEY_NOT_PINNED", "no key is pinned for the account.")
        is_ed25519 = signed.algorithm == "ed25519"
        # Otherwise an attacker could claim an algorithm that is not verifiable for a pinned key.
        if pinned is not None and not _matches(pinned, signed.algorithm):
            reject("WRONG_ALGORITHM", f"the pinned key is not a key of {signed.algorithm}.")
        if self._mode == "never":
            return signed
        key = pinned or received
        if key is None or not is_ed25519 or not has_ed25519():
            if self._mode == "where-possible":
                return signed
            why = f"its algorithm is {signed.algorithm}" if key else "a batch has no public keys, and none is pinned"
            reject("NOT_VERIFIABLE", f"the client cannot verify the signature: {why}.")
        payload = _decode_payload(signed)
        if payload is None:
            reject("WRONG_PAYLOAD", "the payload is missing or cannot be decoded.")
        public_key = read_public_key(key)
        if public_key is None or not any(
            is_ed25519_signature(public_key, payload, candidate) for candidate in _candidates(signed)
        ):
            reject("WRONG_SIGNATURE", "the signature is not the key's signature over the payload.")
        return dataclasses.replace(signed, verified=True)


def _matches(key: str, algorithm: str) -> bool:
    """Whether the key has the notation of the algorithm: base58 of 32 bytes for Ed25519 only."""
    is_ed25519_key = BASE58_KEY.fullmatch(key) is not None and read_public_key(key) is not None
    if algorithm == "cosmos" and is_ed25519_key:
        # A compressed point in base64 may look like base58 of 32 bytes.
        point = decode_base64(key)
        return point is not None and len(point) == 33 and point[0] in (2, 3)
    return is_ed25519_key == (algorithm == "ed25519")


def _decode_payload(signed: Signed) -> bytes | None:
    if signed.payload is None:
        return None
    if signed.payload_encoding is None:
        return signed.payload.encode("utf-8", "surrogatepass")
    return _decode(signed.payload, signed.payload_encoding)


def _candidates(signed: Signed) -> list[bytes]:
    """The signature by its encoding; batches name none, so by all."""
    text = signed.signature
    if signed.payload and text.startswith(f"{signed.payload}."):
        text, encodings = text[len(signed.payload) + 1 :], ["base64url"]
    elif isinstance(signed, Signature):
        encodings = [signed.encoding]
    else:
        encodings = ["base58", "base64", "base64url", "base64url-padded", "hex", "0x-hex"]
    decoded = [_decode(text, encoding) for encoding in encodings]
    return [signature for signature in decoded if signature is not None and len(signature) == 64]


def _decode(text: str, encoding: str) -> bytes | None:
    if encoding == "base58":
        return decode_base58(text)
    if encoding == "base64":
        return decode_base64(text)
    if encoding in ("base64url", "base64url-padded"):
        padding = "=" * (-len(text) % 4) if encoding == "base64url" else ""
        standard = (text + padding).replace("-", "+").replace("_", "/")
        return None if re.search(r"[+/]", text) else decode_base64(standard)
    if encoding in ("hex", "0x-hex"):
        digits = text[2:] if encoding == "0x-hex" and text.startswith("0x") else text
        return bytes.fromhex(digits) if re.fullmatch(r"(?:[0-9a-f]{2})+", digits) else None
    return None
