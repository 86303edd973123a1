"""A real HTTP server that speaks POST /v1/embeddings and goes wrong as it is told.

Its vectors are a function of the text, so a test can tell whose vector a row got. `script` holds
one reply for each of the next requests; after that `rule` looks at the texts of every request, and
where it has nothing to say the answer is right.
"""

from __future__ import annotations

import hashlib
import json
import math
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

DIMENSIONS = 8


def vector_of(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """Return the right vector of a text: the same everywhere, and another for another text."""
    seed = hashlib.sha256(text.encode()).digest()
    values = [seed[place % 32] - 127.5 + place // 32 for place in range(dimensions)]
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]


@dataclass(frozen=True)
class Request:
    """What one request asked, and with which headers."""

    body: dict[str, Any]
    headers: dict[str, str]
    at: float

    @property
    def texts(self) -> list[str]:
        return list(self.body["input"])


class Exchange:
    """One request that waits for its reply."""

    def __init__(self, handler: BaseHTTPRequestHandler, server: FaultServer, request: Request):
        self.handler = handler
        self.server = server
        self.request = request

    def data(self) -> list[dict[str, Any]]:
        """Return the right answer's vectors."""
        dimensions = self.request.body.get("dimensions", self.server.dimensions)
        return [
            {"object": "embedding", "index": index, "embedding": vector_of(text, dimensions)}
            for index, text in enumerate(self.request.texts)
        ]

    def answer(self, data: list[dict[str, Any]]) -> None:
        """Send vectors; ten tokens a text are billed."""
        tokens = 10 * len(self.request.texts)
        body = {
            "object": "list",
            "data": data,
            "model": self.request.body["model"],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }
        self.send(200, json.dumps(body).encode())

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.handler.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.handler.send_header(name, value)
        self.handler.send_header("Content-Length", str(len(body)))
        self.handler.end_headers()
        self.handler.wfile.write(body)


Reply = Callable[[Exchange], None]
Rule = Callable[[list[str]], Reply | None]


def right(exchange: Exchange) -> None:
    exchange.answer(exchange.data())


def error(
    status: int,
    *,
    code: str | None = None,
    message: str = "no",
    headers: dict[str, str] | None = None,
) -> Reply:
    """Reply with an error in OpenAI's shape."""
    body = {"error": {"message": message, "type": code, "param": None, "code": code}}
    return lambda exchange: exchange.send(status, json.dumps(body).encode(), headers)


def rate_limit(headers: dict[str, str] | None = None) -> Reply:
    return error(429, code="rate_limit_exceeded", message="slow down", headers=headers)


def no_quota() -> Reply:
    return error(429, code="insufficient_quota", message="You exceeded your current quota")


def raw(status: int, body: bytes, content_type: str = "application/json") -> Reply:
    return lambda exchange: exchange.send(status, body, {"Content-Type": content_type})


def slow(seconds: float) -> Reply:
    """Answer right, but late; at once when the server closes."""

    def reply(exchange: Exchange) -> None:
        exchange.server.closing.wait(seconds)
        right(exchange)

    return reply


def held(arrived: threading.Event, go_on: threading.Event) -> Reply:
    """Say that the request has arrived, and answer when told to."""

    def reply(exchange: Exchange) -> None:
        arrived.set()
        go_on.wait(10)
        right(exchange)

    return reply


def reset_in_mid_body(exchange: Exchange) -> None:
    handler = exchange.handler
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')
    handler.wfile.flush()
    # Lingering for no time at all sends a reset instead of a proper end.
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def changed(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Reply:
    """Answer with the right vectors after something was done to them."""
    return lambda exchange: exchange.answer(change(exchange.data()))


short = changed(lambda data: data[:-1])
long = changed(lambda data: [*data, {**data[-1], "index": len(data)}])
shuffled = changed(lambda data: data[::-1])
no_index = changed(lambda data: [{k: v for k, v in item.items() if k != "index"} for item in data])
same_index = changed(lambda data: [{**item, "index": 0} for item in data])
empty = changed(lambda data: [])
wrong_dimension = changed(lambda data: [{**item, "embedding": [0.5, 0.5]} for item in data])
one_dimension_off = changed(
    lambda data: [{**data[0], "embedding": data[0]["embedding"][:-1]}, *data[1:]]
)
too_large = changed(lambda data: [{**item, "embedding": [0.1] * 3072} for item in data])
not_a_number = changed(lambda data: [{**item, "embedding": [math.nan] * 8} for item in data])
infinite = changed(lambda data: [{**item, "embedding": [math.inf] * 8} for item in data])
zeros = changed(lambda data: [{**item, "embedding": [0.0] * 8} for item in data])
no_vector = changed(lambda data: [{**item, "embedding": None} for item in data])


def poison(text: str, reply: Reply) -> Rule:
    """Reply so to every request that holds this text."""
    return lambda texts: reply if text in texts else None


@dataclass
class FaultServer:
    """The server; use it in a with statement."""

    script: deque[Reply] = field(default_factory=deque)
    rule: Rule = lambda texts: None
    dimensions: int = DIMENSIONS
    requests: list[Request] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def plan(self, *replies: Reply) -> None:
        """Reply so to the next requests, one each."""
        self.script.extend(replies)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def texts(self) -> list[str]:
        """Every text of every request."""
        return [text for request in self.requests for text in request.texts]

    def sizes(self) -> list[int]:
        """How many texts each request had."""
        return [len(request.texts) for request in self.requests]

    def reply_to(self, exchange: Exchange) -> None:
        with self._lock:
            self.requests.append(exchange.request)
            reply = self.script.popleft() if self.script else None
        (reply or self.rule(exchange.request.texts) or right)(exchange)

    def __enter__(self) -> FaultServer:
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for every request, so that no socket is left open
    owner: FaultServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that give up in the middle belong to the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5
    disable_nagle_algorithm = True  # headers and body go out in two pieces
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/embeddings":
            self.send_error(404)
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(body, headers, time.monotonic())
        self.server.owner.reply_to(Exchange(self, self.server.owner, request))

    def log_message(self, format: str, *args: Sequence[object]) -> None:
        """Say nothing."""
