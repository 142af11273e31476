"""What the contract of all clients cannot reach: forks, interim and last responses, integers."""

import http.server
import json
import os
import pathlib
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "src"))

from signing_client import ProtocolError, ServiceError, SigningClient  # noqa: E402


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


def response_of(total: int) -> bytes:
    body = json.dumps({"success": True, "data": {"accounts": [], "total": total}}).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class InterimResponse(unittest.TestCase):
    """RFC 8297: 103 precedes the response to the same request, here until the next one arrives."""

    def test_is_not_followed_by_another_request(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    if connection.recv(65_536):
                        connection.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </style>\r\n\r\n")
                    late = response_of(1)
                    if connection.recv(65_536):
                        connection.sendall(late)

        threading.Thread(target=serve, daemon=True).start()
        client = SigningClient(f"http://127.0.0.1:{listener.getsockname()[1]}", retry=None)
        self.addCleanup(client.close)
        for _ in range(2):
            with self.assertRaises(ProtocolError):
                client.accounts()


class LastResponse(unittest.TestCase):
    """RFC 9112 §9.6: the connection ends after the response, whose body comes later than its head."""

    def test_is_read_to_its_end(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                head, _, body = response_of(7).partition(b"\r\n\r\n")
                connection.sendall(head + b"\r\nConnection: close\r\n\r\n")
                time.sleep(0.1)
                connection.sendall(body)

        threading.Thread(target=serve, daemon=True).start()
        client = SigningClient(f"http://127.0.0.1:{listener.getsockname()[1]}", retry=None)
        self.addCleanup(client.close)
        self.assertEqual(client.accounts().total, 7)


class Overloaded(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:  # noqa: N802
        error = {"code": "OVERLOADED", "message": "Busy.", "details": {"retryAfterMs": 10**400}}
        body = json.dumps({"success": False, "error": error}).encode()
        self.send_response(503)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class RetryAfter(unittest.TestCase):
    def test_beyond_any_float_is_an_error_of_the_service(self) -> None:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Overloaded)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = SigningClient(f"http://127.0.0.1:{server.server_port}")
        self.addCleanup(client.close)
        with self.assertRaises(ServiceError) as raised:
            client.accounts()
        self.assertEqual(raised.exception.code, "OVERLOADED")


if __name__ == "__main__":
    unittest.main()
