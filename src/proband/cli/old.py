"""The command line: arguments in, one call of `workbench`, its result printed for people or (--json) for machines."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from proband import __version__, telling
from proband.core.errors import ProbandError, not_installed
from proband.core.types import Option

DEBUG = "PROBAND_DEBUG"


class Parser(argparse.ArgumentParser):
    """argparse, with errors of one line."""

    def error(self, message: str) -> NoReturn:
        raise ProbandError(f"{message} (see `{self.prog} --help`)")


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0 only for success; 2 for bad input; 130 when interrupted."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        given = parser(arguments).parse_args(arguments)
        if not hasattr(given, "verb"):
            parser(arguments).print_help()
            return 0
        result = given.verb(given)
        text = json.dumps(_plain(result), ensure_ascii=False) if given.json else given.tell(result)
        print(text)
        sys.stdout.flush()
        return 0
    except ProbandError as error:
        return _fail(str(error), 2)
    except KeyboardInterrupt:
        return _fail("stopped; what was answered is kept, and the same command goes on from there", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if os.environ.get(DEBUG):
            raise
        return _fail(f"{error.filename or 'the system'}: {error.strerror or error}", 2)
    except MemoryError:
        return _fail("out of memory", 2)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and isinstance(missing := not_installed(error, "this"), ProbandError):
            return _fail(str(missing), 2)
        if os.environ.get(DEBUG):
            raise
        return _fail(
            f"internal error: {type(error).__name__}: {' '.join(str(error).split())[:300]} ({DEBUG}=1 shows where)", 70
        )


def _fail(message: str, code: int) -> int:
    print(f"proband: {message}", file=sys.stderr)
    return code


def _plain(value: Any) -> Any:
    from proband.core.files import dumps

    return json.loads(dumps(value))


# ---- the verbs -----------------------------------------------------------------------------------------------------


def parser(arguments: Sequence[str]) -> Parser:
    """All verbs. `build`, whose options are the suite's own, looks ahead for the suite's name."""
    top = Parser(
        prog="proband",
        description="Builds, certifies, runs and reports diagnostic benchmarks of relational knowledge and reasoning "
        "in language models.",
        epilog="Start with: proband demo -o demo",
    )
    top.add_argument("--version", action="version", version=f"proband {__version__}")
    verbs = top.add_subparsers(title="verbs", metavar="VERB", parser_class=Parser)
    _demo(verbs)
    _list(verbs)
    _build(verbs, arguments)
    _audit(verbs)
    _train(verbs)
    _run(verbs)
    _report(verbs)
    _compare(verbs)
    _show(verbs)
    _paper(verbs)
    _export(verbs)
    return top


def _verb(
    verbs: Any, name: str, what: str, example: str, call: Callable[[Any], Any], tell: Callable[[Any], str]
) -> Parser:
    made: Parser = verbs.add_parser(
        name,
        help=what,
        description=what[0].upper() + what[1:] + ".",
        epilog=f"example: {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--json", action="store_true", help="print the result as JSON")
    made.set_defaults(verb=call, tell=tell)
    return made


def _demo(verbs: Any) -> None:
    def call(given: Any) -> Any:
        from pathlib import Path

        from proband.demo import demo

        return demo(Path(given.out), seed=given.seed)

    verb = _verb(
        verbs,
        "demo",
        "the whole workbench on what ships inside: build, run, report; offline, on a CPU",
        "proband demo -o demo",
        call,
        lambda r: f"{r['runs']} runs in {r['seconds']} s\nopen {r['page']}",
    )
    verb.add_argument("-o", "--out", default="demo", metavar="DIR", help="where to write (default: demo)")
    _seed(verb)


def _list(verbs: Any) -> None:
    def call(given: Any) -> Any:
        from proband.workbench import listing

        return listing() if given.what is None else {given.what: listing()[given.what]}

    verb = _verb(
        verbs, "list", "what there is: suites, models, nets, solvers", "proband list models", call, telling.listing
    )
    verb.add_argument("what", nargs="?", choices=("suites", "models", "nets", "solvers"))


def _build(verbs: Any, arguments: Sequence[str]) -> None:
    from proband import suites

    def call(given: Any) -> Any:
        from proband.workbench import build

        options = {
            option.name: value
            for option in suites.suite(given.suite).options
            if (value := getattr(given, f"option_{option.name.replace('-', '_')}")) is not None
        }
        return build(given.suite, out=given.out, seed=given.seed, **options)

    verb = _verb(
        verbs,
        "build",
        "make a suite's items: DIR/items.jsonl and DIR/manifest.json",
        "proband build analogy -o items --seed 1 (then `proband build SUITE --help` lists the suite's own options)",
        call,
        telling.build,
    )
    verb.add_argument("suite", choices=suites.NAMES)
    verb.add_argument("-o", "--out", required=True, metavar="DIR")
    _seed(verb)
    named = next((word for word in arguments if word in suites.NAMES), None) if "build" in arguments[:1] else None
    if named:
        for option in suites.suite(named).options:
            _option(verb, option)


def _option(verb: Parser, option: Option) -> None:
    default = "" if option.default in (None, False, "") else f" (default: {option.default})"
    choices = f" [{' | '.join(option.choices)}]" if option.choices else ""
    name, help_ = f"--{option.name}", (option.help + choices + default).replace("%", "%%")
    dest = f"option_{option.name.replace('-', '_')}"
    if option.kind is bool:
        verb.add_argument(name, dest=dest, action=argparse.BooleanOptionalAction, default=None, help=help_)
    else:
        verb.add_argument(name, dest=dest, metavar=option.name.upper().replace("-", "_"), default=None, help=help_)


def _audit(verbs: Any) -> None:
    def call(given: Any) -> Any:
        from proband.workbench import audit

        return audit(given.path, out=given.out, suite=given.suite, seed=given.seed)

    verb = _verb(
        verbs,
        "audit",
        "certify the labels of a data set, ours or anyone's (CLUTRR CSV included)",
        "proband audit items -o audit",
        call,
        telling.mapping,
    )
    verb.add_argument("path", metavar="FILE|DIR")
    verb.add_argument("-o", "--out", required=True, metavar="DIR")
    verb.add_argument("--suite", default="kinship", help="whose auditor (default: kinship)")
    _seed(verb)


def _train(verbs: Any) -> None:
    def call(given: Any) -> Any:
        from proband.workbench import train

        return train(
            given.items, net=given.net, out=given.out, seed=given.seed, model=given.model, options=_settings(given.set)
        )

    verb = _verb(
        verbs,
        "train",
        "fit one of a suite's own networks on its training items",
        "proband train items --net transducer -o nets/transducer",
        call,
        telling.mapping,
    )
    verb.add_argument("items", metavar="DIR")
    verb.add_argument("--net", required=True, metavar="NAME", help="`proband list nets` names them")
    verb.add_argument("-o", "--out", required=True, metavar="MODELDIR")
    verb.add_argument("-m", "--model", metavar="MODEL", help="the model to start from (net finetune)")
    _set(verb, "an option of the net")
    _seed(verb)


def _run(verbs: Any) -> None:
    def call(given: Any) -> Any:
        from proband.workbench import run

        return run(
            given.items,
            model=given.model,
            out=given.out,
            solver=given.solver,
            seed=given.seed,
            limit=given.limit,
            cache=not given.no_cache,
            options=_settings(given.set),
            engine=given.engine,
            workers=given.workers,
            device=given.device,
            dtype=given.dtype,
            batch=given.batch,
            revision=given.revision,
            allow_pickle=given.allow_pickle or None,
            **_settings(given.model_set, "--model-set"),
        )

    verb = _verb(
        verbs,
        "run",
        "put a model to the items; give the same command again to resume",
        "proband run items -m embedded:mlm -o runs/mlm",
        call,
        lambda r: (
            f"{r.suite}: {r.model} answered with {r.solver}" + (f"; usage: {telling.brief(r.usage)}" if r.usage else "")
        ),
    )
    verb.add_argument("items", metavar="DIR")
    verb.add_argument(
        "-m", "--model", required=True, metavar="MODEL", help="KIND:NAME; `proband list models` names them"
    )
    verb.add_argument(
        "-s", "--solver", metavar="SOLVER", help="`proband list solvers` names them (default: the first that fits)"
    )
    verb.add_argument("-o", "--out", required=True, metavar="RUNDIR")
    verb.add_argument("--limit", type=_count, metavar="N", help="the first N items only")
    verb.add_argument(
        "--engine", choices=("local", "ray"), default="local", help="ray: chunks of items go to a Ray cluster"
    )
    verb.add_argument(
        "--workers", type=_count, metavar="N", help="processes of the ray engine (default: one per core or GPU)"
    )
    verb.add_argument("--no-cache", action="store_true", help="do not read or write the answer cache")
    verb.add_argument("--device", help="cpu, cuda, cuda:1 (default: a GPU if there is one)")
    verb.add_argument("--dtype", help="float32, bfloat16, float16 (default: float32 on a CPU, bfloat16 on a GPU)")
    verb.add_argument("--batch", type=_count, metavar="N", help="sequences at a time (default: found automatically)")
    verb.add_argument("--revision", help="revision of a Hugging Face model")
    verb.add_argument("--allow-pickle", action="store_true", help="load weights that are not safetensors")
    verb.add_argument(
        "--model-set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the model's kind, such as permutations=4 of openai: or phrases=none of vec:",
    )
    _set(verb, "an option of the solver")
    _seed(verb)


def _report(verbs: Any) -> None:
    def call(given: Any) -> Any:
        from proband.workbench import report

        return report(given.runs, out=given.out, items=given.items, title=given.title, seed=given.seed)

    verb = _verb(
        verbs,
        "report",
        "index.html, tables (md, tex, csv) and figures over any number of runs; opens from disk",
        "proband report runs -o report",
        call,
        telling.mapping,
    )
    verb.add_argument("runs", nargs="+", metavar="RUNDIR", help="run folders, or folders that hold some")
    verb.add_argument("-o", "--out", required=True, metavar="DIR")
    verb.add_argument("--items", metavar="DIR", help="where the items are, if they have moved")
    verb.add_argument("--title")
    _seed(verb)


def _compare(verbs: Any) -> None:
    def call(given: Any) -> Any:
        from proband.workbench import compare

        return compare(given.run_a, given.run_b, items=given.items, by=given.by, metric=given.metric, seed=given.seed)

    verb = _verb(
        verbs,
        "compare",
        "paired, clustered tests of two runs; says when the difference is inside the noise",
        "proband compare runs/mlm runs/smollm2",
        call,
        telling.compare,
    )
    verb.add_argument("run_a", metavar="RUN_A")
    verb.add_argument("run_b", metavar="RUN_B")
    verb.add_argument("--by", metavar="TAG", help="a test for each value of this tag, Holm-corrected")
    verb.add_argument("--metric", help="default: the suite's main one")
    verb.add_argument("--items", metavar="DIR", help="where the items are, if they have moved")
    _seed(verb)


def _show(verbs: Any) -> None:
    def call(given: Any) -> Any:
        from proband.workbench import show

        return show(given.folder, given.item, runs=given.runs)

    verb = _verb(
        verbs,
        "show",
        "one item: its text, its proof or alignment, everyone's answer",
        "proband show items ITEM_ID",
        call,
        telling.show,
    )
    verb.add_argument("folder", metavar="DIR", help="items or a run")
    verb.add_argument("item", metavar="ITEM_ID")
    verb.add_argument("--runs", nargs="*", default=(), metavar="RUNDIR", help="default: those found beside the items")


def _paper(verbs: Any) -> None:
    def call(given: Any) -> Any:
        from proband.workbench import paper

        data = given.data or os.environ.get("PROBAND_DATA")
        if not data:
            raise ProbandError("name the folder of the paper's own data with --data, or set PROBAND_DATA")
        return paper(
            given.suite, data=data, out=given.out, model_names=given.model, seed=given.seed, **_settings(given.set)
        )

    from proband import suites

    verb = _verb(
        verbs,
        "paper",
        "a paper's own tables, ours beside the published figures",
        "proband paper analogy --data BATS -m embedded:glove -o tables",
        call,
        telling.mapping,
    )
    verb.add_argument("suite", choices=suites.NAMES)
    verb.add_argument("--data", metavar="DIR")
    verb.add_argument("-o", "--out", required=True, metavar="DIR")
    verb.add_argument("-m", "--model", action="append", default=[], metavar="MODEL", help="may be given several times")
    _set(verb, "an option of the suite's paper tables")
    _seed(verb)


def _export(verbs: Any) -> None:
    def call(given: Any) -> Any:
        from proband.workbench import export

        return export(given.items, to=given.to, out=given.out)

    verb = _verb(
        verbs,
        "export",
        "the items in another tool's format",
        "proband export items --to csv -o items.csv",
        call,
        lambda r: f"{r['items']:,} items as {r['format']} in {r['out']}",
    )
    verb.add_argument("items", metavar="DIR")
    verb.add_argument(
        "--to", required=True, metavar="FORMAT", help="csv, hf, lm-eval, inspect, or one of the suite's own"
    )
    verb.add_argument("-o", "--out", default=".", metavar="PATH")


# ---- common arguments ----------------------------------------------------------------------------------------------


def _seed(verb: Parser) -> None:
    verb.add_argument("--seed", type=int, default=0, metavar="N", help="decides everything random (default: 0)")


def _set(verb: Parser, what: str) -> None:
    verb.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help=f"{what}; may be given several times"
    )


def _settings(pairs: Sequence[str], flag: str = "--set") -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ProbandError(f"{flag} wants NAME=VALUE, not {pair!r}")
        found[name] = value
    return found


def _count(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number above 0, not {text!r}")
    return value


if __name__ == "__main__":
    sys.exit(main())
