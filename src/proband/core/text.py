"""Names made safe."""

from __future__ import annotations

import re


def slug(name: str) -> str:
    """A name that is safe as a file name and an anchor.

    >>> slug("Groups × probes / v1"), slug("hf:FacebookAI/roberta-base")
    ('groups-probes-v1', 'hf-facebookai-roberta-base')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "x"
