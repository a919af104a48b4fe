"""Prolific's API as far as Proband asks it, after its published reference: what was paid, approved and sent is counted.
Paying a batch twice pays twice, as there. `fault` is what happens to the next request that pays."""

from __future__ import annotations

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "recorded-token"


class Prolific:
    def __init__(self, participants: list[str], *, status: str = "AWAITING REVIEW", currency: str = "USD") -> None:
        self.submissions = [
            {"id": f"submission-{name}", "participant_id": name, "status": status, "study_id": "study-1"}
            for name in participants
        ]
        self.currency, self.batches = currency, dict[str, str]()
        self.paid, self.messages = Counter[str](), list[tuple[str, str]]()
        self.fault = ""  # refused | moved | lost before | lost after | no JSON after
        self.requests: list[str] = []
        prolific = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer("GET")

            def do_POST(self) -> None:
                self.answer("POST")

            def answer(self, method: str) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
                prolific.requests.append(f"{method} {urlsplit(self.path).path}")
                if self.headers.get("authorization") != f"Token {TOKEN}":
                    made: tuple[int, Any] = (401, {"error": {"title": "Unauthorised"}})
                else:
                    made = prolific.reply(method, self.path, json.loads(raw or b"{}"))
                status, reply = made
                if not status:
                    self.close_connection = True  # nothing comes back
                    return
                body = b"" if status == 204 else reply if isinstance(reply, bytes) else json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def reply(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        place, query = urlsplit(path).path.removeprefix("/api/v1"), parse_qs(urlsplit(path).query)
        if (method, place) == ("GET", "/submissions/"):
            page, size = int(query["page"][0]), int(query["page_size"][0])
            found = self.submissions[(page - 1) * size : page * size]
            return 200, {"results": found, "meta": {"count": len(self.submissions)}}
        if (method, place) == ("GET", "/studies/study-1/"):
            return 200, {"id": "study-1", "status": "ACTIVE", "presentment_currency_code": self.currency}
        if place.endswith("/transition/"):
            mine = next(each for each in self.submissions if each["id"] == place.split("/")[2])
            mine["status"] = {"APPROVE": "APPROVED"}[body["action"]]
            return 200, mine
        if place == "/messages/":
            self.messages.append((body["recipient_id"], body["body"]))
            return 204, None
        if place == "/submissions/bonus-payments/":
            name = f"batch-{len(self.batches) + 1}"
            self.batches[name] = body["csv_bonuses"]
            return 201, {"id": name, "study": body["study_id"], "amount": 0, "total_amount": 0}
        if place.startswith("/bulk-bonus-payments/"):
            return self.pay(place.split("/")[2])
        return 404, {"error": {"title": "Not found"}}

    def pay(self, batch: str) -> tuple[int, Any]:
        fault, self.fault = self.fault, ""
        if fault == "refused":
            return 400, {"error": {"title": "Not enough balance"}}
        if fault == "moved":
            return 302, {}
        if fault == "lost before":
            return 0, None
        for line in self.batches[batch].splitlines():
            name, amount = line.split(",")
            self.paid[name] += round(100 * float(amount))  # cents
        return {"lost after": (0, None), "no JSON after": (202, b"Accepted")}.get(fault, (202, {}))
