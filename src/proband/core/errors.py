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


# package -> the extra that installs it
HEAVY = ("torch", "transformers", "huggingface_hub", "tokenizers", "safetensors", "gguf", "accelerate", "httpx")
EXTRAS = {
    **dict.fromkeys(HEAVY, "models"),
    "matplotlib": "plots",
    "wordfreq": "words",
    "lemminflect": "words",
    "ray": "ray",
    **dict.fromkeys(("alembic", "argon2", "psycopg", "sqlalchemy", "starlette", "uvicorn"), "annotate"),
}


def not_installed(error: ModuleNotFoundError, what: str) -> ProbandError | ModuleNotFoundError:
    """One line with the install command, where the missing package is one of an extra; otherwise the error as it was.

    >>> str(not_installed(ModuleNotFoundError("no torch", name="torch"), "hf:gpt2"))
    "hf:gpt2 needs the package torch, which is not installed: pip install 'proband[models]'"
    """
    package = (error.name or "").split(".")[0]
    if package not in EXTRAS:
        return error
    return ProbandError(
        f"{what} needs the package {package}, which is not installed: pip install 'proband[{EXTRAS[package]}]'"
    )
