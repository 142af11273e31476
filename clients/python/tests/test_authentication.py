"""The worked example of docs/callers/authentication.md, byte by byte."""

import base64
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "src"))

from signing_client import _authentication as auth  # noqa: E402

DOCUMENT = pathlib.Path(__file__).parents[3] / "docs/callers/authentication.md"
EXAMPLE = dict(re.findall(r"^([^|\n=]+?) = (.+)$", DOCUMENT.read_text("utf-8"), re.MULTILINE))


class WorkedExample(unittest.TestCase):
    def test_request(self) -> None:
        token = bytes.fromhex(EXAMPLE["client token"])
        service_key = bytes.fromhex(EXAMPLE["service public key"])
        nonce = bytes.fromhex(EXAMPLE["nonce"])
        claims = auth.encode_request_claims(token, service_key, float(EXAMPLE["time"]), nonce)
        content = auth.request_content(claims, EXAMPLE["method"], EXAMPLE["path"], EXAMPLE["body"].encode())
        self.assertEqual(content.hex(), EXAMPLE["signed by the client"])
        self.assertTrue(base64.b64decode(EXAMPLE["Signing-Request-Auth"]).startswith(claims))

    def test_response(self) -> None:
        info = auth.read_fields(auth.decode_base64(EXAMPLE["Signing-Response-Auth"]), 3)
        assert info is not None
        self.assertEqual(info[0].hex(), EXAMPLE["service token"])
        message = base64.b64decode(EXAMPLE["Signing-Request-Auth"])
        claims = auth.bytes_field(1, info[0]) + auth.bytes_field(2, info[1])
        body = EXAMPLE["body of the response"].encode()
        content = auth.response_content(claims, message, int(EXAMPLE["status"]), body)
        self.assertEqual(content.hex(), EXAMPLE["signed by the service"])

    @unittest.skipUnless(auth.has_ed25519(), "needs cryptography")
    def test_signatures(self) -> None:
        for signer, content, message in (
            ("client", "signed by the client", "Signing-Request-Auth"),
            ("service", "signed by the service", "Signing-Response-Auth"),
        ):
            key = bytes.fromhex(EXAMPLE[f"{signer} public key"])
            signature = base64.b64decode(EXAMPLE[message])[-64:]
            self.assertTrue(auth.is_ed25519_signature(key, bytes.fromhex(EXAMPLE[content]), signature))
            changed = bytes([signature[0] ^ 1]) + signature[1:]
            self.assertFalse(auth.is_ed25519_signature(key, bytes.fromhex(EXAMPLE[content]), changed))


class Decoding(unittest.TestCase):
    def test_base58(self) -> None:
        # draft-msporny-base58-03, section 5.
        self.assertEqual(auth.decode_base58("2NEpo7TZRRrLZSi2U"), b"Hello World!")
        self.assertEqual(auth.decode_base58("11233QC4"), bytes.fromhex("0000287fb4cd"))
        self.assertIsNone(auth.decode_base58("0OIl"))

    def test_fields_in_canonical_encoding_only(self) -> None:
        self.assertEqual(auth.read_fields(bytes.fromhex("0a0161120162"), 2), [b"a", b"b"])
        for wrong in ("0a0161", "0a0161120162ff", "120162", "0a00120162", "0a810061120162", "0a05611201", ""):
            self.assertIsNone(auth.read_fields(bytes.fromhex(wrong), 2), wrong)


if __name__ == "__main__":
    unittest.main()
