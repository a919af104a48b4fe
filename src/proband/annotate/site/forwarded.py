"""Behind proxies of our own: who called, and by http or https.

Each proxy adds the address it was called from at the end of X-Forwarded-For. What stands before the entries of our own
proxies was sent by the caller and may be anything, so that entries are counted from the end.
"""

from __future__ import annotations

from typing import Any


def caller(header: str, hops: int) -> str:
    """The address that the first of `hops` proxies saw; empty if there are too few entries.

    >>> caller("6.6.6.6, 203.0.113.9", 1), caller("6.6.6.6, 203.0.113.9, 10.0.0.2", 2), caller("", 1)
    ('203.0.113.9', '203.0.113.9', '')
    """
    entries = [entry.strip() for entry in header.split(",") if entry.strip()]
    return entries[-hops] if len(entries) >= hops else ""


class Forwarded:
    """The app with the caller's own address and scheme, as `hops` trusted proxies say."""

    def __init__(self, app: Any, *, hops: int) -> None:
        self.app, self.hops = app, hops
        self.state = app.state

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            said: dict[bytes, list[str]] = {}
            for name, value in scope["headers"]:
                said.setdefault(name, []).append(value.decode("latin-1"))
            address = caller(",".join(said.get(b"x-forwarded-for", ())), self.hops)
            schemes = [each.strip() for each in ",".join(said.get(b"x-forwarded-proto", ())).split(",")]
            scheme = schemes[-min(self.hops, len(schemes))]
            scope = {
                **scope,
                **({"client": (address, 0)} if address else {}),
                **({"scheme": scheme} if scheme in ("http", "https") else {}),
            }
        await self.app(scope, receive, send)
