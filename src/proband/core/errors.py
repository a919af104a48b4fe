"""Exceptions for users, each one sentence with file and line; msgspec's messages in plain words."""

from __future__ import annotations

import re
import typing
from collections.abc import Collection
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec


class ProbandError(Exception):
    """Bad input or a missing part, in one line; the command line prints it and exits with 2.

    >>> str(ProbandError("'gold' is 5 but there are 2 choices", file="items.jsonl", line=17))
    "items.jsonl line 17: 'gold' is 5 but there are 2 choices"
    """

    def __init__(self, message: str, *, file: object = None, line: int | None = None) -> None:
        if message.startswith("no such") and isinstance(file, Path) and file.is_symlink():
            message = "a symbolic link whose target does not exist, or that leads in a circle"
        place = "" if file is None else str(file) + (f" line {line}" if line is not None else "") + ": "
        super().__init__(place + " ".join(message.split()))


class CheckFailed(ProbandError):
    """A check failed (exit code 3)."""


class TooLong(ProbandError):
    """A text is longer than the model's window; `--too-long` decides what happens to its item."""


class ModelFailed(ProbandError):
    """A model or its server gave no usable answer; `--on-error` decides what happens to the item."""


class Withheld(ProbandError):
    """The server's filter withheld a reply; `text` is the part that was sent, or the server's message."""

    def __init__(self, message: str, *, text: str = "") -> None:
        super().__init__(message)
        self.text = text or message


class Unavailable(ProbandError):
    """No further item can be answered: a wrong key, an unreachable server, a spent budget."""


# package -> the extra that installs it
HEAVY = ("torch", "transformers", "huggingface_hub", "tokenizers", "safetensors", "gguf", "accelerate", "httpx")
EXTRAS = {
    **dict.fromkeys(HEAVY, "models"),
    "wordfreq": "words",
    "lemminflect": "words",
    "ray": "ray",
    "spacy": "parse",
    "reasoning_gym": "audit",
}


def out_of_memory(error: BaseException) -> bool:
    """Whether an error means that memory ran out; CUDA and CPU allocators raise different exceptions."""
    return type(error).__name__ == "OutOfMemoryError" or "not enough memory" in str(error)


def not_installed(error: ModuleNotFoundError, what: str) -> ProbandError | ModuleNotFoundError:
    """An error with the install command if the missing package belongs to an extra, else the error itself.

    >>> str(not_installed(ModuleNotFoundError("no torch", name="torch"), "hf:gpt2"))
    "hf:gpt2 needs the package torch, which is not installed: pip install 'proband[models]'"
    """
    package = (error.name or "").split(".")[0]
    if package not in EXTRAS:
        return error
    return ProbandError(
        f"{what} needs the package {package}, which is not installed: pip install 'proband[{EXTRAS[package]}]'"
    )


# ---- msgspec's messages, which name types of Python ----------------------------------------------------------------

JSON_TYPES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "a boolean",
    "array": "a list",
    "object": "an object",
}
SEEN_TYPES = {**JSON_TYPES, "int": "a number"}  # "not a number" is enough: whole numbers need no mention there


def with_key(message: str, kind: Any, raw: bytes) -> str:
    """Put the offending key where msgspec writes [...]."""
    match = re.search(r"\$\.(\w+)\[\.\.\.\]", message)
    if match is None:
        return message
    hint = typing.get_type_hints(kind)[match[1]]
    try:
        for key, value in msgspec.json.decode(raw)[match[1]].items():
            with suppress(msgspec.ValidationError):
                msgspec.convert({key: value}, hint)
                continue
            return message.replace("[...]", f"[{key!r}]", 1)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass  # the JSON is invalid after this value
    return message


def in_words(message: str) -> str:
    """A message of msgspec in plain words.

    >>> in_words("Expected `int | null`, got `str` - at `$.gold`")
    "'gold' must be a whole number, not text"
    >>> in_words("Object contains unknown field `x`"), in_words("Object missing required field `id`")
    ("unknown field 'x'", "field 'id' is missing")
    >>> in_words("Invalid enum value 'dev' - at `$.split`")
    "'split': invalid enum value 'dev'"
    """
    text, _, place = message.partition(" - at `$")
    path = re.fullmatch(r"\.?(\w*)(.*)", place.rstrip("`"))
    name, rest = path.groups() if path else ("", "")
    where = f"'{name}' {rest} ".replace("  ", " ") if name else ""
    if match := re.fullmatch(r"Expected `(.+)`, got `(.+)`", text):
        wanted = " or ".join(JSON_TYPES.get(kind, kind) for kind in match[1].split(" | ") if kind != "null")
        return f"{where}must be {wanted}, not {SEEN_TYPES.get(match[2], match[2])}"
    if match := re.search(r"unknown field `(.+)`", text):
        return f"unknown field {match[1]!r}"
    if match := re.search(r"missing required field `(.+)`", text):
        return f"field {match[1]!r} is missing"
    return f"{where.rstrip()}: {text[:1].lower()}{text[1:]}" if where else text


def why(raw: bytes, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as first:
        return f"not UTF-8 at byte {first.start + 1}"
    if "surrogate" in str(error):
        return "it has a lone surrogate, which is not a character (half of a pair such as \\ud83d\\ude00)"
    return str(error).splitlines()[0][:120]


def did_you_mean(name: str, known: Collection[str]) -> str:
    """A suggestion to append to a message about an unknown name; empty if no known name is close.

    >>> did_you_mean("embeded", ["hf", "embedded"]), did_you_mean("x", ["hf"])
    (' (did you mean embedded?)', '')
    """
    close = get_close_matches(name.lower(), {each.lower(): each for each in known}, n=1)
    return f" (did you mean {next(each for each in known if each.lower() == close[0])}?)" if close else ""
