"""Proband: diagnostic benchmarks of relational knowledge and reasoning in language models.

import proband
proband.build("analogy", out="items", seed=0)
results = proband.run("items", model="embedded:mlm", out="runs/mlm")  # or proband.read("runs/mlm")
results.scores(), results.items(), results.answers()  # polars data frames
proband.report(["runs/mlm"], out="report")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from proband.core.version import __version__ as __version__

if TYPE_CHECKING:  # what a type checker and an editor see; `__getattr__` gives the same when it is used
    from proband.cli.verbs.demo import demo as demo
    from proband.cli.verbs.listing import listing as listing
    from proband.cli.verbs.paper import paper as paper
    from proband.cli.verbs.show import prompt_of as prompt_of
    from proband.cli.verbs.show import show as show
    from proband.pipeline.asking.setup import load_model as load_model
    from proband.pipeline.build import build as build
    from proband.pipeline.checking import audit as audit
    from proband.pipeline.checking import verify as verify
    from proband.pipeline.compare import compare as compare
    from proband.pipeline.evaluate import evaluate as evaluate
    from proband.pipeline.export import export as export
    from proband.pipeline.frames import read as read
    from proband.pipeline.frames import run as run
    from proband.pipeline.items import items as items
    from proband.pipeline.plan import plan as plan
    from proband.pipeline.report import report as report
    from proband.pipeline.steps import check_replies as check_replies
    from proband.pipeline.steps import check_reply as check_reply
    from proband.pipeline.study import study as study
    from proband.pipeline.train import train as train
    from proband.pipeline.vary import vary as vary

STAGES = ("build", "compare", "evaluate", "export", "items", "plan", "report", "study", "train", "vary")
# verb -> the module that holds it, imported when it is first used; a stage has a module of its name in the pipeline
VERBS = {name: f"pipeline.{name}" for name in STAGES} | {
    "audit": "pipeline.checking",
    "check_replies": "pipeline.steps",
    "check_reply": "pipeline.steps",
    "demo": "cli.verbs.demo",
    "listing": "cli.verbs.listing",
    "load_model": "pipeline.asking.setup",
    "paper": "cli.verbs.paper",
    "prompt_of": "cli.verbs.show",
    "read": "pipeline.frames",
    "run": "pipeline.frames",
    "show": "cli.verbs.show",
    "verify": "pipeline.checking",
}
__all__ = sorted(VERBS)


def __getattr__(name: str) -> Any:
    if name not in VERBS:
        raise AttributeError(f"module 'proband' has no attribute {name!r}")
    function = getattr(import_module(f"proband.{VERBS[name]}"), name)
    return globals().setdefault(name, import_module("proband.core.plugins").with_clear_errors(function))


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
