"""Text before it is read: one spelling of quotation marks, the ends of sentences, letters of other scripts.

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
LAST_LATIN: Final = 0x24F  # letters beyond are of other scripts


class NotRead(Exception):
    """Why a text is not read, as a sentence for its author; and the sentence of the text, where it is one."""

    def __init__(self, reason: str, sentence: str = "") -> None:
        super().__init__(reason)
        self.sentence = sentence


def normalised(text: str) -> str:
    """One spelling of quotation marks and spaces; letters with their accents as one character."""
    return " ".join(unicodedata.normalize("NFC", text).translate(QUOTES).split())


def sentences(text: str) -> list[str]:
    """The sentences of a text; the full stop of a title (*Mr.*) ends none."""
    return [part.strip() for part in END.split(ABBREVIATED.sub(r"\1", normalised(text))) if part.strip()]


def foreign_letter(text: str) -> str:
    """The first letter that is not Latin: a Cyrillic *а* in a name makes another name."""
    return next((letter for letter in text if letter.isalpha() and ord(letter) > LAST_LATIN), "")
