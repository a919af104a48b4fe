"""The one exception a user may see: a sentence, with the place."""

from __future__ import annotations


class ProbandError(Exception):
    """Bad input or a missing part, told in one line; the command line prints it and exits with 2.

    >>> str(ProbandError("'gold' is 5 but there are 2 choices", file="items.jsonl", line=17))
    "items.jsonl line 17: 'gold' is 5 but there are 2 choices"
    """

    def __init__(self, message: str, *, file: object = None, line: int | None = None) -> None:
        place = "" if file is None else str(file) + (f" line {line}" if line is not None else "") + ": "
        super().__init__(place + " ".join(message.split()))
