"""`openai:MODEL` at the public service, or `openai:MODEL@BASE_URL` at any other: which server, which key, and whether
it gives log-probabilities of texts.

A key goes to the server that it is for, and nowhere but into the request's header: OPENAI_API_KEY to the public
service alone, PROBAND_API_KEY_HOST to the server of that name, PROBAND_API_KEY to every other.
"""

from __future__ import annotations

import os
import re

from proband.core.errors import ProbandError
from proband.core.protocols import ModelKind
from proband.models.remote.chat_model import Remote, RemoteOptions, ScoringRemote
from proband.models.remote.endpoint import Endpoint
from proband.models.remote.policy import read_prices
from proband.models.remote.text_scores import gives_log_probabilities

PUBLIC = "https://api.openai.com/v1"


def load(rest: str, *, options: RemoteOptions) -> Remote:
    """The model at an endpoint; where `scores` is not given, the server is asked once."""
    name = f"openai:{rest}"
    model, url = _parts(rest)
    prices = read_prices(options.prices, name)
    if options.max_cost is not None and prices is None:
        raise ProbandError(f"{name}: --max-cost needs the prices per million tokens (--prices IN,OUT)")
    endpoint = Endpoint(
        url, name=name, key=_key(url), key_from=" or ".join(key_names(url)), policy=options, prices=prices
    )
    endpoint.needs_key = public = url == PUBLIC  # which gives no log-probabilities of texts
    scores = not public and gives_log_probabilities(endpoint, model) if options.scores is None else options.scores
    return (ScoringRemote if scores else Remote)(endpoint, name=name, model=model, options=options)


def _parts(rest: str) -> tuple[str, str]:
    if rest.strip() and "@" not in rest and "://" not in rest:
        return rest, PUBLIC
    match = re.fullmatch(r"(.+?)@(https?://[^\s@?#]+)", rest)
    if match is None:
        raise ProbandError(
            "an endpoint is named openai:MODEL@BASE_URL (no user or password in it), as in openai:m@http://localhost:8000/v1"
        )
    return match[1], match[2].rstrip("/")


def key_names(url: str) -> tuple[str, ...]:
    """The environment variables that may hold the key of a server.

    >>> key_names("https://openrouter.ai/api/v1"), key_names("http://localhost:8000/v1")[0], key_names(PUBLIC)
    (('PROBAND_API_KEY_OPENROUTER_AI', 'PROBAND_API_KEY'), 'PROBAND_API_KEY_LOCALHOST_8000', ('OPENAI_API_KEY',))
    """
    if url == PUBLIC:
        return ("OPENAI_API_KEY",)
    server = url.split("/")[2]
    return (f"PROBAND_API_KEY_{re.sub(r'[^A-Za-z0-9]+', '_', server).strip('_').upper()}", "PROBAND_API_KEY")


def _key(url: str) -> str | None:
    for name in key_names(url):
        key = os.environ.get(name, "").strip()
        if not key.isascii() or not key.isprintable():
            raise ProbandError(f"the API key in {name} contains characters that a key cannot have")
        if key:
            return key
    return None


KIND = ModelKind(
    name="openai",
    help="OpenAI (openai:MODEL) or any compatible endpoint (openai:MODEL@BASE_URL)",
    options=RemoteOptions,
    load=load,
    asks=lambda rest: "scores" if _parts(rest)[1] != PUBLIC else "",
)
