import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "src"))

import signing_client as sc  # noqa: E402


class Transport(unittest.TestCase):
    def test_gets_the_filled_request(self):
        request = sc.RequestToSend(
            missing=("key",), method="POST", url="https://venue/orders", headers={"X-Key": "{key}"}, body="é"
        )
        sent = sc.send_request(request, {"key": "k"}, transport=lambda *given: given)
        self.assertEqual(sent, ("POST", "https://venue/orders", {"X-Key": "k"}, "é".encode()))


if __name__ == "__main__":
    unittest.main()
