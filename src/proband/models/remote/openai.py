"""`openai:MODEL` at the public service, or `openai:MODEL@BASE_URL` at any other: which server, which key, and whether
it gives log-probabilities of texts.

The key comes from PROBAND_API_KEY or OPENAI_API_KEY and goes nowhere but into the request's header.
"""

from __future__ import annotations

import os
import re

from proband.core.errors import ProbandError
from proband.models.kind import ModelKind
from proband.models.remote.chat_model import Remote, RemoteOptions, ScoringRemote
from proband.models.remote.endpoint import Endpoint
from proband.models.remote.text_scores import gives_log_probabilities

PUBLIC = "https://api.openai.com/v1"


def load(rest: str, *, options: RemoteOptions) -> Remote:
    """The model at an endpoint; where `scores` is not given, the server is asked once."""
    name = f"openai:{rest}"
    model, url = _parts(rest)
    endpoint = Endpoint(url, name=name, key=_key(), policy=options)
    endpoint.needs_key = public = url == PUBLIC  # which gives no log-probabilities of texts
    scores = not public and gives_log_probabilities(endpoint, model) if options.scores is None else options.scores
    return (ScoringRemote if scores else Remote)(endpoint, name=name, model=model, options=options)


def _parts(rest: str) -> tuple[str, str]:
    if rest.strip() and "@" not in rest and "://" not in rest:
        return rest, PUBLIC
    found = re.fullmatch(r"(.+?)@(https?://[^\s@?#]+)", rest)
    if found is None:
        raise ProbandError(
            "an endpoint is named openai:MODEL@BASE_URL (no user or password in it), as in openai:m@http://localhost:8000/v1"
        )
    return found[1], found[2].rstrip("/")


def _key() -> str | None:
    key = (os.environ.get("PROBAND_API_KEY") or os.environ.get("OPENAI_API_KEY") or "").strip()
    if not key.isascii() or not key.isprintable():
        raise ProbandError("the API key in the environment holds characters that no key has")
    return key or None


KIND = ModelKind(
    name="openai",
    help="OpenAI (openai:MODEL) or any compatible endpoint (openai:MODEL@BASE_URL)",
    options=RemoteOptions,
    load=load,
)
