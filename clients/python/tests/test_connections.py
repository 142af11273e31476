"""What the contract of all clients cannot reach: forks."""

import http.server
import json
import os
import pathlib
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "src"))

from signing_client import SigningClient  # noqa: E402


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:  # noqa: N802
        page = {"accounts": [], "total": self.client_address[1]}
        body = json.dumps({"success": True, "data": page}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class Fork(unittest.TestCase):
    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_child_opens_its_own_connection(self) -> None:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = SigningClient(f"http://127.0.0.1:{server.server_port}")
        self.addCleanup(client.close)
        own = client.accounts().total
        self.assertEqual(client.accounts().total, own)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writer, str(client.accounts().total).encode())
            os._exit(0)
        os.waitpid(child, 0)
        self.assertNotEqual(os.read(reader, 16).decode(), str(own))
        self.assertEqual(client.accounts().total, own)
        os.close(reader)
        os.close(writer)


if __name__ == "__main__":
    unittest.main()
