"""A server on 127.0.0.1 that speaks the OpenAI protocol, and misbehaves on demand."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from string import ascii_uppercase
from types import TracebackType
from typing import Any

from proband.core.protocols import Chat
from proband.core.types import Answer, Item
from proband.models import load
from proband.solvers.choose import CHOOSE, ChooseOptions

# Decides about each request: (path, body, how often this very body came before) -> a trouble, or None.
Trouble = Callable[[str, dict[str, Any], int], str | None]
Reply = Callable[[str, dict[str, Any]], dict[str, Any]]

USAGE = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
BROKEN = ("429", "500", "503", "hang", "truncated", "reset", "html", "two choices", "no choices", "empty", "list")


def chat(text: str | None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop", **more}
    return {"object": "chat.completion", "choices": [choice], "usage": USAGE}


def options(body: dict[str, Any]) -> dict[str, str]:
    """letter -> choice, as a model would read them off the prompt."""
    return dict(re.findall(r"^([A-Z])\. (.*)$", body["messages"][-1]["content"], re.MULTILINE))


def right(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """A model that knows: the right choice is the one spelt in capitals."""
    return chat(next(letter for letter, choice in options(body).items() if choice.isupper()))


class Stub:
    """`with Stub(right, trouble) as stub:` serves at stub.url until the end of the block."""

    def __init__(self, reply: Reply = right, trouble: Trouble = lambda path, body, n: None) -> None:
        self.reply, self.trouble = reply, trouble
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.seen: Counter[str] = Counter()
        self.in_flight = self.most_in_flight = self.served = 0
        self.lock, self.closing = threading.Lock(), threading.Event()
        self.retry_after = "0"
        self.models: list[Any] | None = None  # what /models lists; None: no such path

    def __enter__(self) -> Stub:
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # headers and body in one packet

            def do_POST(self) -> None:
                stub.handle(self)

            def do_GET(self) -> None:
                raw = json.dumps({"object": "list", "data": stub.models}).encode()
                stub.send(self, 404 if stub.models is None else 200, raw)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # a client that gave up is no error of the server

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        path = request.path.removeprefix("/v1")
        with self.lock:
            key = path + json.dumps(body, sort_keys=True)
            before = self.seen[key]
            self.seen[key] += 1
            self.bodies.append(body)
            self.headers.append(dict(request.headers))
            self.times.append(time.monotonic())
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            self.misbehave(request, path, body, self.trouble(path, body, before))
        finally:
            with self.lock:
                self.in_flight -= 1

    def misbehave(self, request: BaseHTTPRequestHandler, path: str, body: dict[str, Any], trouble: str | None) -> None:
        if trouble == "hang":
            self.closing.wait(20)
            request.close_connection = True
        elif trouble == "reset":
            linger = struct.pack("ii", 1, 0)  # close with a reset
            request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            request.close_connection = True
            request.connection.close()
        elif trouble == "html":
            self.send(request, 200, b"<html><body>Bad gateway</body></html>", kind="text/html")
        elif trouble is not None and trouble[:3].isdigit():
            status, _, message = trouble.partition(" ")
            error = {"error": {"message": message or "try later", "type": "stub", "code": None}}
            self.send(request, int(status), json.dumps(error).encode())
        else:
            self.send_reply(request, path, body, trouble)

    def send_reply(self, request: BaseHTTPRequestHandler, path: str, body: dict[str, Any], trouble: str | None) -> None:
        answer: Any = self.reply(path, body)
        if trouble == "two choices":
            answer = {**answer, "choices": answer["choices"] * 2}
        elif trouble == "no choices":
            answer = {**answer, "choices": []}
        elif trouble == "no usage":
            answer = {field: value for field, value in answer.items() if field != "usage"}
        elif trouble == "list":
            answer = [answer]
        raw = b"" if trouble == "empty" else json.dumps(answer).encode()
        self.send(request, 200, raw[: len(raw) // 2] if trouble == "truncated" else raw)
        with self.lock:
            self.served += trouble is None

    def send(self, request: BaseHTTPRequestHandler, status: int, raw: bytes, *, kind: str = "application/json") -> None:
        request.send_response(status)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(raw)))
        if status == 429:
            request.send_header("Retry-After", self.retry_after)
        request.end_headers()
        request.wfile.write(raw)


# ---- a model at the server ------------------------------------------------------------------------------------------

QUICK = {"first_wait": 0.005, "longest_wait": 0.5, "timeout": 20.0, "scores": False}


def model_at(stub: Stub, **settings: Any) -> Any:
    return load(f"openai:some/model@{stub.url}", {**QUICK, **settings})


def question(number: int, *, choices: int = 4) -> Item:
    """The right choice is in capitals, at a place that depends on the number."""
    names = [f"no {number} {i}" for i in range(choices)]
    names[number % choices] = f"YES {number}"
    return Item(id=f"q{number}", suite="any", prompt=f"Question {number}?", choices=tuple(names))


def in_letters(item: Item) -> Chat:
    """A question as `options` reads it."""
    lines = [f"{letter}. {choice}" for letter, choice in zip(ascii_uppercase, item.choices, strict=False)]
    return (("user", "\n".join((item.prompt, *lines))),)


def choose(model: Any, items: Sequence[Item], **settings: Any) -> list[Answer]:
    """The answers by solver `choose`."""
    return list(CHOOSE.solve(items, model, seed=0, options=ChooseOptions(**settings)))


def best(answer: Answer) -> int:
    return max(range(len(answer.scores)), key=answer.scores.__getitem__)
