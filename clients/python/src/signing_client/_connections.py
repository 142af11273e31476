"""HTTP/1.1 over reused connections, with deadlines, on http.client."""

from __future__ import annotations

import errno
import http.client
import io
import os
import re
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ._options import Tls

#: Transient connection errors; wrong certificates or unknown hosts stay wrong.
TRANSIENT_ERRORS = (
    *(errno.ECONNREFUSED, errno.ECONNRESET, errno.EPIPE, errno.ETIMEDOUT),
    *(errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ECONNABORTED),
)

CHUNK_BYTES = 65_536


class TransportError(Exception):
    """No complete response: ``disconnected``, ``connect-timeout``, ``too-long`` or ``late``."""

    def __init__(self, kind: str, *, was_sent: bool, status: int = 0, cause: Exception | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        #: Whether the service may have received the request.
        self.was_sent = was_sent
        self.status = status
        self.cause = cause

    @property
    def is_transient(self) -> bool:
        """Whether another attempt to connect may succeed."""
        cause = self.cause
        if self.kind == "connect-timeout" or isinstance(cause, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
            return True
        if isinstance(cause, socket.gaierror):
            return cause.errno == socket.EAI_AGAIN
        return isinstance(cause, OSError) and cause.errno in TRANSIENT_ERRORS


@dataclass(frozen=True)
class Response:
    """A complete HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class WireLimits:
    """``deadline`` is a time of ``time.monotonic``; ``connect`` is in seconds."""

    deadline: float
    connect: float
    max_bytes: int


class _DeadlineStream(io.RawIOBase):
    """A socket for http.client, whose timeouts are for single reads, with a deadline for all."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__()
        self.sock = sock
        self.deadline = 0.0
        self.has_rest = False

    def set_timeout(self) -> None:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self.sock.settimeout(left)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.set_timeout()
        return self.sock.recv_into(buffer)

    def sendall(self, data: Any) -> None:
        rest = memoryview(data)
        while rest:
            self.set_timeout()
            rest = rest[self.sock.send(rest) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        return _ResponseFile(_Unclosed(self), CHUNK_BYTES)

    def close(self) -> None:
        """Nothing: http.client calls it before it reads the body of the last response."""


class _Unclosed(io.RawIOBase):
    """The reader of a response closes its file; the connection stays open."""

    def __init__(self, stream: _DeadlineStream) -> None:
        super().__init__()
        self.stream = stream
        self.is_complete = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        return None if self.is_complete else self.stream.readinto(buffer)


class _ResponseFile(io.BufferedReader):
    """Notes bytes after the response, which must not be taken as the next one."""

    def close(self) -> None:
        raw = self.raw
        if not self.closed and isinstance(raw, _Unclosed):
            raw.is_complete = True
            raw.stream.has_rest = bool(self.peek(1))
        super().close()


@dataclass
class _Connection:
    http: http.client.HTTPConnection
    stream: _DeadlineStream
    idle_until: float = 0.0

    def close(self) -> None:
        self.http.close()
        self.stream.sock.close()

    def is_usable(self) -> bool:
        """Not when readable: then it was closed, or has bytes of no request."""
        pending = self.stream.sock.pending() if isinstance(self.stream.sock, ssl.SSLSocket) else 0
        if pending > 0 or time.monotonic() >= self.idle_until:
            return False
        if not hasattr(select, "poll"):
            return not select.select([self.stream.sock], [], [], 0)[0]
        poll = select.poll()
        poll.register(self.stream.sock, select.POLLIN)
        return not poll.poll(0)


class Endpoint:
    """A listener of the service and its connections. Threads may share it."""

    def __init__(self, url: str, name: str, *, tls: Tls | None, max_connections: int, idle_timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{name} must be a URL that starts with https: or http:.")
        if "@" in parts.netloc:
            raise ValueError(f"{name} must not contain a user or password.")
        if parts.query or parts.fragment:
            raise ValueError(f"{name} must not have a query or fragment.")
        self.is_secure = parts.scheme == "https"
        #: Precedes ``/api/v1``.
        self.prefix = parts.path.rstrip("/")
        self._host = parts.hostname
        self._port = parts.port or (443 if self.is_secure else 80)
        self._context = _tls_context(tls or Tls()) if self.is_secure else None
        self._server_name = (tls and tls.server_name) or self._host
        self._idle_timeout = idle_timeout
        self._max_connections = max_connections
        self._is_closed = False
        self._reset()

    def _reset(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []
        self._free = threading.BoundedSemaphore(self._max_connections)

    def exchange(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes, limits: WireLimits
    ) -> Response:
        """Sends a request once and reads the response; TransportError without a complete one."""
        if self._process != os.getpid():
            # After a fork, the connections belong to the parent process.
            self._reset()
        free = self._free
        if not free.acquire(timeout=max(0.0, limits.deadline - time.monotonic())):
            raise TransportError("late", was_sent=False)
        try:
            connection = self._take() or self._connect(limits)
            kept = False
            try:
                response, idle = self._send(connection, method, target, headers, body, limits)
                kept = idle > 0 and self._give(connection, idle)
                return response
            finally:
                if not kept:
                    connection.close()
        finally:
            free.release()

    def close(self) -> None:
        """Closes idle connections now, others after their calls."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> _Connection | None:
        """The idle connection that was used last; closes those that ended."""
        taken: _Connection | None = None
        ended: list[_Connection] = []
        with self._lock:
            while self._idle and self._idle[0].idle_until <= time.monotonic():
                ended.append(self._idle.pop(0))
            while self._idle and taken is None:
                connection = self._idle.pop()
                if connection.is_usable():
                    taken = connection
                else:
                    ended.append(connection)
        for connection in ended:
            connection.close()
        return taken

    def _give(self, connection: _Connection, idle: float) -> bool:
        with self._lock:
            if self._is_closed or self._process != os.getpid():
                return False
            connection.idle_until = time.monotonic() + idle
            self._idle.append(connection)
            return True

    def _connect(self, limits: WireLimits) -> _Connection:
        until = min(limits.deadline, time.monotonic() + limits.connect)
        kind = "connect-timeout" if until < limits.deadline else "late"
        try:
            sock = self._open(until)
        except (OSError, UnicodeError) as cause:
            failure = kind if _is_deadline(cause) else "disconnected"
            raise TransportError(failure, was_sent=False, cause=cause) from None
        stream = _DeadlineStream(sock)
        connection = http.client.HTTPConnection(self._host, self._port)
        if self.is_secure:
            connection.default_port = 443
        connection.sock = stream
        # Never reconnects: each connection is opened above.
        connection.auto_open = 0
        return _Connection(connection, stream)

    def _open(self, until: float) -> socket.socket:
        problem: OSError = OSError("The host has no address.")
        for family, kind, protocol, _, address in socket.getaddrinfo(self._host, self._port, 0, socket.SOCK_STREAM):
            sock = socket.socket(family, kind, protocol)
            try:
                _limit(sock, until)
                sock.connect(address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._context is None:
                    return sock
                _limit(sock, until)
                return self._context.wrap_socket(sock, server_hostname=self._server_name)
            except OSError as error:
                sock.close()
                problem = error
                if isinstance(error, (TimeoutError, ssl.SSLError)):
                    break
            except BaseException:
                sock.close()
                raise
        raise problem

    def _send(
        self,
        connection: _Connection,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: bytes,
        limits: WireLimits,
    ) -> tuple[Response, float]:
        """The response, and the seconds that the connection may be idle."""
        connection.stream.deadline = limits.deadline
        status = 0
        try:
            connection.http.request(method, target, body or None, dict(headers))
            response = connection.http.getresponse()
            status = response.status
            content = bytearray()
            while chunk := response.read(CHUNK_BYTES):
                content += chunk
                if len(content) > limits.max_bytes:
                    raise TransportError("too-long", was_sent=True, status=status)
            if response.length:
                raise http.client.IncompleteRead(bytes(0), response.length)
        except (OSError, http.client.HTTPException, ValueError) as cause:
            failure = "late" if _is_deadline(cause) else "disconnected"
            raise TransportError(failure, was_sent=True, status=status, cause=cause) from None
        received: dict[str, str] = {}
        for name, value in response.getheaders():
            name = name.lower()
            received[name] = f"{received[name]}, {value}" if name in received else value
        # http.client passes other interim responses than 100 on: the response follows, and must not
        # become that of the next request (RFC 9110 §15.2).
        is_over = response.will_close or connection.stream.has_rest or response.status < 200
        idle = 0.0 if is_over else min(self._idle_timeout, _keep_alive(received.get("keep-alive", "")))
        return Response(status, received, bytes(content)), idle


def _is_deadline(error: Exception) -> bool:
    """Whether a timeout of the client passed, not one of the system (ETIMEDOUT)."""
    return isinstance(error, TimeoutError) and error.errno is None


def _limit(sock: socket.socket, until: float) -> None:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    sock.settimeout(left)


def _keep_alive(header: str) -> float:
    """Seconds that the service keeps the connection, less one for the way."""
    match = re.search(r"timeout=(\d{1,6})", header)
    return max(0.0, int(match[1]) - 1.0) if match else float("inf")


def _tls_context(tls: Tls) -> ssl.SSLContext:
    if (tls.cert is None) != (tls.key is None):
        raise ValueError("tls.cert and tls.key must be set together.")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    _load(lambda: context.load_default_certs() if tls.ca is None else context.load_verify_locations(tls.ca), "ca")
    cert, key = tls.cert, tls.key
    if cert is not None:
        # The empty password keeps OpenSSL from asking for one on the terminal.
        _load(lambda: context.load_cert_chain(cert, key, password=""), "cert or tls.key")
    return context


def _load(load: Callable[[], None], name: str) -> None:
    try:
        load()
    except ssl.SSLError as error:
        reason = error.reason or "no PEM"
        raise ValueError(f"OpenSSL rejects tls.{name}: {reason}.") from None
