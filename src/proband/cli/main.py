"""From the words of a command to an exit code: 0 only for success, 2 for bad input, 3 for a check that failed, 130 when
interrupted, 70 for an error of our own. Every failure is one line on standard error; PROBAND_DEBUG=1 shows the
traceback instead."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence

from proband.core.errors import CheckFailed, ProbandError, not_installed

DEBUG = "PROBAND_DEBUG"


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    gc.set_threshold(50_000, 20, 100)  # streams of small records: a fifth of the time would go into looking for circles
    try:
        _run(words)
        sys.stdout.flush()
        return 0
    except KeyboardInterrupt as interrupt:
        kept = str(interrupt) or "finished work is kept"
        return _fail(f"interrupted; {kept}, and the same command resumes", 130)
    except BrokenPipeError:
        _silence()
        return 1
    except Exception as error:
        if os.environ.get(DEBUG) and not (isinstance(error, ProbandError) and error.__cause__ is None):
            raise
        return _fail(*error_message(error))


def _run(words: list[str]) -> None:
    from cyclopts import CycloptsError

    from proband.cli.app import app, as_named_now, suite_first

    words = suite_first(as_named_now(words))
    try:
        app(words)(words)
    except CycloptsError as error:
        verb = " ".join(["proband", *(error.command_chain or ())])
        raise ProbandError(f"{error} (see `{verb} --help`)") from None


def error_message(error: Exception) -> tuple[str, int]:
    """The line and the exit code of an error."""
    if isinstance(error, ModuleNotFoundError):
        error = not_installed(error, "this command")
    if isinstance(error, ProbandError):
        return str(error), 3 if isinstance(error, CheckFailed) else 2
    if isinstance(error, OSError):
        if error.filename is None and error.errno == errno.ENOSPC:  # our files are named: it was what is printed
            _silence()
            error.filename = "standard output"
        return f"{error.filename or 'the system'}: {error.strerror or error}", 2
    if isinstance(error, UnicodeEncodeError):
        return "a text holds bytes or a lone surrogate that cannot be written as UTF-8", 2
    if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):
        return " ".join(str(error).split()).lower(), 2
    if isinstance(error, MemoryError):
        return "out of memory", 2
    text = " ".join(str(error).split())[:300]
    return f"internal error: {type(error).__name__}: {text} ({DEBUG}=1 shows the traceback)", 70


def _silence() -> None:
    """Nothing more can be printed; Python must not try again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    print(f"proband: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
