"""A limit on waiting connections, so that nobody can lock others out.

A connection waits while the server waits for it: nothing was sent yet, or half a request, or the next one has not come.
At most `MOST` wait; the one that has waited longest is closed for a new one, so every request is served.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST = 500


class WaitingProtocol(HttpToolsProtocol):
    waiting: ClassVar[OrderedDict[WaitingProtocol, None]] = OrderedDict()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self.waiting.pop(self, None)
        super().connection_lost(exc)

    def on_message_complete(self) -> None:
        self.waiting.pop(self, None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing():
            self._wait()

    def _wait(self) -> None:
        self.waiting[self] = None
        while len(self.waiting) > MOST:
            self.waiting.popitem(last=False)[0].transport.close()
