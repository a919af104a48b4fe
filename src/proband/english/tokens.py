"""Normalising a text: quotation marks, sentence ends, letters of other scripts.

>>> sentences("Ann met Mr. Bo.  They left!")
['Ann met Mr Bo.', 'They left!']
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

ABBREVIATED: Final = re.compile(r"\b(Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr)\.(?=\s)")
END: Final = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=\S)")
QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})
LAST_LATIN: Final = 0x24F  # later letters belong to other scripts


class NotRead(Exception):
    """Why a text is unread, as a sentence for its author, and the sentence of the text, if there is one."""

    def __init__(self, reason: str, sentence: str = "") -> None:
        super().__init__(reason)
        self.sentence = sentence


def normalised(text: str) -> str:
    """The text with uniform quotation marks and spaces; accented letters are one character."""
    return " ".join(unicodedata.normalize("NFC", text).translate(QUOTES).split())


def sentences(text: str) -> list[str]:
    """The sentences of a text; the full stop of a title (*Mr.*) does not end one."""
    return [part.strip() for part in END.split(ABBREVIATED.sub(r"\1", normalised(text))) if part.strip()]


def foreign_letter(text: str) -> str:
    """The first letter that is not Latin: a Cyrillic *а* makes a different name."""
    return next((letter for letter in text if letter.isalpha() and ord(letter) > LAST_LATIN), "")
