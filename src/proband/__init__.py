"""Proband: diagnostic benchmarks of relational knowledge and reasoning in language models.

import proband
proband.build("analogy", out="items", seed=0)
proband.run("items", model="embedded:mlm", out="runs/mlm")
proband.report(["runs/mlm"], out="report")
"""

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
    "report": "report",
    "run": "run",
    "show": "show",
    "study": "study",
    "train": "train",
    "verify": "checking.verify",
}
__all__ = [*VERBS]


def __getattr__(name: str) -> Any:
    if name in VERBS:
        from importlib import import_module

        return getattr(import_module(f"proband.pipeline.{VERBS[name]}"), name)
    raise AttributeError(f"module 'proband' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *VERBS])
