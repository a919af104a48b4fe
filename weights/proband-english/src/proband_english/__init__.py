"""A small English spaCy pipeline: `spacy.load("proband_english")` or `proband_english.load()`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__version__ = "0.2.0"


def load(**overrides: Any) -> Any:
    """The pipeline; spaCy calls this for `spacy.load("proband_english")`."""
    from spacy.util import load_model_from_path

    import proband_english.parser  # noqa: F401 registers the component

    return load_model_from_path(Path(__file__).parent / "pipeline", **overrides)
