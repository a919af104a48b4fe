"""From the words of a command to an exit code: 0 only for success, 2 for bad input, 3 for a check that failed, 130 when
interrupted, 70 for an error of our own. Every failure is one line on standard error; PROBAND_DEBUG=1 shows the
traceback instead.

All verbs are one cyclopts app: help on a terminal in panels, in a pipe as plain text 100 columns wide.
"""

from __future__ import annotations

import errno
import gc
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import App, CycloptsError, Group, Parameter

from proband.cli.commands import EVERYDAY, FURTHER, OPTIONS, all_fields, command, shown
from proband.cli.verbs import build_run_report
from proband.core.errors import CheckFailed, ProbandError, not_installed
from proband.core.plugins import declared, entry_points_of
from proband.core.version import __version__

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from proband.core.suite import Suite

DEBUG = "PROBAND_DEBUG"
WIDTH = 100  # of help in a pipe
HELP = """Build, certify, run and report diagnostic benchmarks of relational knowledge and reasoning in language models.

Start with: proband demo -o demo
Help on a verb: proband run --help
Commands of a suite: proband SUITE --help"""
VERBS = {  # name -> its function, and how its result is printed; `build`, a command per suite, comes after the first
    "evaluate": ("proband.pipeline.evaluate:evaluate", "proband.cli.verbs.layouts:evaluate_layout"),
    "run": ("proband.cli.verbs.build_run_report:run", "proband.cli.verbs.build_run_report:scores_layout"),
    "report": ("proband.pipeline.report:report", "proband.cli.verbs.build_run_report:report_layout"),
    "compare": ("proband.pipeline.compare:compare", "proband.cli.verbs.layouts:compare_layout"),
    "show": ("proband.cli.verbs.show:show", "proband.cli.verbs.show:show_layout"),
    "export": ("proband.pipeline.export:export", "proband.cli.verbs.layouts:export_layout"),
    "demo": ("proband.cli.verbs.demo:demo", "proband.cli.verbs.layouts:demo_layout"),
    "list": ("proband.cli.verbs.listing:listing", "proband.cli.verbs.show:list_layout"),
    "audit": ("proband.pipeline.checking:audit", "proband.cli.verbs.layouts:audit_layout"),
    "steps": ("proband.pipeline.steps:check_replies", "proband.cli.verbs.layouts:steps_layout"),
    "verify": ("proband.pipeline.checking:verify", "proband.cli.verbs.layouts:verify_layout"),
    "vary": ("proband.pipeline.vary:vary", "proband.cli.verbs.layouts:vary_layout"),
    "train": ("proband.pipeline.train:train", "proband.cli.verbs.layouts:train_layout"),
    "plan": ("proband.pipeline.plan:plan", "proband.cli.verbs.layouts:plan_layout"),
    "items": ("proband.pipeline.items:items", "proband.cli.verbs.layouts:items_layout"),
    "study": ("proband.pipeline.study:study", "proband.cli.verbs.layouts:study_layout"),
    "paper": ("proband.cli.verbs.paper:paper", "proband.cli.verbs.layouts:study_layout"),
}
EVERYDAY_VERBS = 6  # of VERBS, next to `build`
OWN = (*list(VERBS)[:1], "build", *list(VERBS)[1:])  # in the order of the help
COMPLETING = ("--install-completion", "__complete")
ADDED = "proband.verbs"  # entry points of other packages: a function that gives the cyclopts app of a verb
PACKAGED = {"annotate": "proband-annotate"}  # verbs of our own packages that are installed separately


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    gc.set_threshold(50_000, 20, 100)  # streams of small records: a fifth of the time would go into looking for circles
    # numpy's threads wait for each other in a loop: fits of small models took three times as long, eight beside others
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        _run(words)
        sys.stdout.flush()
        return 0
    except KeyboardInterrupt as interrupt:
        return _fail(f"interrupted; {str(interrupt) or _kept(words)}", 130)
    except BrokenPipeError:
        _silence()
        return 1
    except Exception as error:
        if os.environ.get(DEBUG) and not (isinstance(error, ProbandError) and error.__cause__ is None):
            raise
        return _fail(*error_message(error))


RESUMED = ("study", "paper", "train", "demo", "evaluate")  # verbs that go on where they were interrupted


INCOMPLETE = "the output may be incomplete; run the command again"


def _kept(words: Sequence[str]) -> str:
    resumed = words and words[0] in RESUMED
    return "what is finished is kept, and the same command resumes" if resumed else INCOMPLETE


def _run(words: list[str]) -> None:
    words = suite_first(words)
    try:
        app(words)(words)
    except CycloptsError as error:
        verb = " ".join(["proband", *(error.command_chain or ())])
        raise ProbandError(f"{error} ({_elsewhere(words, str(error)) or f'see `{verb} --help`'})") from None


def _elsewhere(words: Sequence[str], message: str) -> str:
    """How an option that is none of `run` is set."""
    unknown = re.search(r"Unknown option: \"?--([\w-]+)", message)
    return build_run_report.setting_hint(unknown[1]) if unknown is not None and words[0] == "run" else ""


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


# ---- the app -------------------------------------------------------------------------------------------------------


def verbs() -> list[str]:
    """The names of all verbs, in the order of the help."""
    return [*OWN, *sorted(PACKAGED.keys() | entry_points_of(ADDED, built_in=OWN).keys())]


def added_verb(name: str, points: Mapping[str, EntryPoint], *, listed: bool = False) -> App:
    """The commands of a verb that another package brings; in a list, one that cannot be loaded says why."""
    package = PACKAGED.get(name, "")
    try:
        made: App = points[name].load()()
    except (KeyError, ModuleNotFoundError) as error:
        why = f"`proband {name}` is not installed: pip install {package}"
        if isinstance(error, ModuleNotFoundError):
            package = package or points[name].module
            why = f"`proband {name}` needs {error.name}, which is not installed: pip install {package}"
        if listed:
            return App(name=name, help=why, sort_key=99)
        raise ProbandError(why) from None
    return made


def app(words: Sequence[str] = ()) -> App:
    """The app for these words: the verb that they begin with, all of them where they begin with none; `build` has the
    options of the suite that they name."""
    made = App(
        name="proband",
        help=HELP,
        help_format="plaintext",
        version=f"proband {__version__}",
        usage="Usage: proband VERB [ARGUMENTS] [OPTIONS]",
        default_parameter=Parameter(negative_bool=(), negative_iterable=(), negative_none=(), show_default=shown),
        group_commands=FURTHER,
        group_arguments=Group("Arguments", sort_key=0),
        group_parameters=OPTIONS,
        print_error=False,
        exit_on_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
        **_layout(),
    )
    first = words[0] if words else "--help"
    names = [first] if first in OWN else verbs()
    alone, points = first in names, {} if first in OWN else entry_points_of(ADDED, built_in=OWN)
    for name in [first] if alone else names:
        if name == "build":
            made.command(build_run_report.build_commands(_suites_to_build(words)))
        elif name in VERBS:
            place, (function, layout) = list(VERBS).index(name), VERBS[name]
            about: dict[str, Any] = {"sort_key": place, "group": EVERYDAY if place < EVERYDAY_VERBS else FURTHER}
            if alone or first in COMPLETING:
                made.command(verb_command(function, layout), name=name, **about)
            else:
                made.command(App(name=name, help=summary(function), **about))
        else:
            wanted = alone or first.startswith("-") or first in COMPLETING
            commands = added_verb(name, points, listed=not alone) if wanted else App(name=name)
            commands.group = FURTHER
            made.command(commands)
    if not alone:
        for suite in _suites_with_verbs(first):
            made.command(suite_commands(suite))
        made.register_install_completion_command(help="Install completion for your shell.")
    made["--help"].help = "Print this help."
    made["--version"].help = "Print the version."
    return made


def _layout() -> dict[str, Any]:
    """Where and how help is printed."""
    from rich.console import Console

    if sys.stdout.isatty():
        return {"console": Console(highlight=False)}
    from cyclopts.help import DefaultFormatter, PanelSpec
    from rich.box import Box

    blank = PanelSpec(box=Box("    \n" * 8), padding=(0, 0, 0, 4))
    return {
        "console": Console(width=WIDTH, color_system=None, highlight=False),
        "help_formatter": DefaultFormatter(panel_spec=blank),
    }


def _suites_to_build(words: Sequence[str]) -> Sequence[str]:
    """The suites whose options `build` must know; none, and no import of theirs, for a list of verbs."""
    if not words or words[0] not in ("build", *COMPLETING):
        return ()
    import proband.suites as suites

    return words[1:2] if words[1:2] and words[1] in suites.names() else suites.names()


def _suites_with_verbs(first: str) -> list[Suite]:
    """The suites whose own commands are wanted: the one that is named, all for completion."""
    if first.startswith("-") and first not in COMPLETING:
        return []
    import proband.suites as suites

    if first in COMPLETING:
        return [each for each in suites.importable() if each.verbs]
    return [suites.suite(first)] if first in suites.names() else []


def suite_first(words: list[str]) -> list[str]:
    """`build -o items kinship` as `build kinship -o items`.

    >>> suite_first(["build", "-o", "items", "kinship", "--seed", "1"])
    ['build', 'kinship', '-o', 'items', '--seed', '1']
    """
    if words[:1] != ["build"]:
        return words
    import proband.suites as suites

    known = suites.names()
    places = [at for at in range(1, len(words)) if words[at] in known and words[at - 1] not in ("-o", "--out")]
    if places:  # behind an option it may be a value
        place = next((at for at in places if not words[at - 1].startswith("-")), places[0])
        return ["build", words[place], *words[1:place], *words[place + 1 :]]
    if "--help" in words or "-h" in words:
        return ["build", "--help"]
    if words[1:] and not words[1].startswith("-"):
        suites.suite(words[1])  # says that there is none
    raise ProbandError(f"build needs the name of a suite: {', '.join(known)} (see `proband build --help`)")


# ---- `proband SUITE VERB`: the commands that a suite declares (`Suite.verbs`), made of their functions ---------------


def suite_commands(suite: Suite) -> App:
    """The suite's own verbs."""
    if not suite.verbs:
        raise ProbandError(f"{suite.name} has no commands; it is built with `proband build {suite.name}`")
    made = App(
        name=suite.name,
        help=f"Commands of the suite {suite.name}.\n\nHelp on one: proband {suite.name} {suite.verbs[0].name} --help",
        usage=f"Usage: proband {suite.name} VERB [ARGUMENTS] [OPTIONS]",
        group_commands=Group("Verbs"),
        group_parameters=OPTIONS,
    )
    for place, verb in enumerate(suite.verbs):
        made.command(verb_command(verb.run, verb.layout), name=verb.name, sort_key=place)
    return made


def summary(function: str) -> str:
    """The first line of its help, from the source: to import all verbs for a list of them would take a second."""
    module, _, name = function.partition(":")
    spec = find_spec(module)
    source = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
    match = re.search(rf'^def {name}\(.*?"""(.*?)\n', source, re.DOTALL | re.MULTILINE)
    return match[1] if match else ""


def verb_command(function: str, layout: str) -> Callable[..., None]:
    return command(declared(function), declared(layout) if layout else all_fields)
