"""Proband: diagnostic benchmarks of relational knowledge and reasoning in language models.

import proband
proband.build("analogy", out="items", seed=0)
results = proband.run("items", model="embedded:mlm", out="runs/mlm")  # or proband.read("runs/mlm")
results.scores(), results.items(), results.answers()  # polars data frames
proband.report(["runs/mlm"], out="report")
"""

import sys
from types import ModuleType
from typing import Any

__version__ = "0.1.0"
# verb -> the module of the pipeline that holds it; imported when it is first used
VERBS = {
    "audit": "checking.audit",
    "build": "build",
    "compare": "compare",
    "demo": "demo",
    "export": "export",
    "listing": "listing",
    "load_model": "asking.models",
    "paper": "study",
    "plan": "plan",
    "read": "results.frames",
    "report": "report",
    "run": "results.frames",
    "show": "show",
    "study": "study",
    "train": "train",
    "verify": "checking.verify",
}
__all__ = [*VERBS]


def _verb(name: str) -> Any:
    from importlib import import_module

    return getattr(import_module(f"proband.pipeline.{VERBS[name]}"), name)


def __getattr__(name: str) -> Any:
    if name in VERBS:
        return _verb(name)
    raise AttributeError(f"module 'proband' has no attribute {name!r}")


class _VerbAndPackage(ModuleType):
    """A package with the name of a verb (`proband.report`) can be called like the verb, whoever imported it first."""

    def __call__(self, *given: Any, **options: Any) -> Any:
        return _verb(self.__name__.rpartition(".")[2])(*given, **options)


class _Proband(ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        if name in VERBS and isinstance(value, ModuleType):
            value.__class__ = _VerbAndPackage
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Proband


def __dir__() -> list[str]:
    return sorted([*VERBS, *(name for name in globals() if name.startswith("__"))])
