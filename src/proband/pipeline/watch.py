"""`proband report --watch RUN`: a page on this machine that shows a running job: its score with the interval so far,
the latest replies, and what they have cost.

The page asks /state every two seconds and nothing else; the run's folder is only read. The server listens on the
loopback address unless another is named, and answers requests for its own address alone, so that no other page in the
browser can read it under another name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import asset, content_hash, dumps, read_items, read_run, render
from proband.core.metrics import chosen_answer
from proband.core.types import Item
from proband.pipeline.asking.items_and_answers import answers_so_far
from proband.pipeline.report import item_sets, score
from proband.reporting.numbers.words import how_asked, run_labels

LATEST = 12  # replies on the page
LONGEST = 600  # characters of each
LOOPBACK = "127.0.0.1"


def watch(run: str | Path, *, host: str = LOOPBACK, port: int = 8737, ready: Callable[[str], None] = print) -> None:
    """Serve the page until interrupted; `ready` is given its address."""
    folder = Path(run)
    if not folder.is_dir():
        raise ProbandError("no such folder; name the folder of a run (`proband run ... -o DIR`)", file=folder)
    try:
        server = ThreadingHTTPServer((host, port), partial(_Handler, folder, host))
    except OSError as error:
        raise ProbandError(f"cannot listen on {host}:{port}: {error.strerror or error}; give another --port") from None
    with server:
        ready(f"http://{host}:{server.server_address[1]}/")
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            return


def state(folder: Path) -> dict[str, Any]:
    """What there is of a run at this moment."""
    if not (folder / "run.json").exists():
        return {"waiting": "the run has not begun"}
    run = read_run(folder / "run.json")
    named = {"model": run_labels([run])[0], "suite": run.suite, "asked": how_asked(run), "usage": run.usage}
    try:
        answers = answers_so_far(folder)
        (items,) = item_sets([folder])
        result = score(folder)
    except ProbandError as error:
        return {**named, "waiting": str(error)}
    latest = list(answers.values())[-LATEST:]
    wanted = {answer.item_id for answer in latest}
    shown = {item.id: item for item in items.items() if item.id in wanted}
    return {
        **named,
        "answered": len(answers),
        "total": _total(run.settings, items.items_from),
        "unfinished": items.answered[0].unfinished,
        "score": {
            name: result[name] for name in ("title", "unit", "mean", "low", "high", "n", "few", "unread", "chance")
        },
        "replies": [_reply(shown[answer.item_id], answer) for answer in reversed(latest) if answer.item_id in shown],
    }


def _total(settings: dict[str, Any], items: Any) -> int:
    total = settings.get("asked")
    return int(total) if total else sum(1 for _ in read_items(items)) if isinstance(items, Path) else len(items)


def _reply(item: Item, answer: Any) -> dict[str, str | None]:
    chosen = chosen_answer(item, answer) or None
    right = None if item.gold is None else item.choices[item.gold]
    return {
        "id": item.id,
        "prompt": item.prompt[-LONGEST:],
        "reply": (answer.text or "")[-LONGEST:],
        "chosen": chosen,
        "right": right,
        "status": answer.status,
    }


class _Handler(BaseHTTPRequestHandler):
    """GET / and GET /state, nothing else."""

    def __init__(self, folder: Path, host: str, *more: Any) -> None:
        self.folder, self.host = folder, host
        super().__init__(*more)

    def do_GET(self) -> None:
        named = self.headers.get("Host", "").rpartition(":")[0]
        if self.host == LOOPBACK and named not in (LOOPBACK, "localhost"):
            self._send(403, "text/plain", "only for this machine")
        elif self.path == "/state":
            self._send(200, "application/json", dumps(state(self.folder)))
        elif self.path == "/":
            self._send(200, "text/html", page(self.folder))
        else:
            self._send(404, "text/plain", "not found")

    def _send(self, code: int, kind: str, text: str) -> None:
        body = text.encode("utf-8")
        self.send_response(code)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *given: Any) -> None:
        """Nothing is printed per request."""


def page(folder: Path) -> str:
    from markupsafe import Markup

    script = asset("proband.web", "watch.js")
    return render(
        "proband.web",
        "watch.html",
        title=f"{folder.name} · Proband",
        run=folder.name,
        style=Markup(asset("proband.web", "page.css")),
        script=Markup(script),
        script_hash=content_hash(script),
    )
