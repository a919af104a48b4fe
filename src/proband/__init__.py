"""Proband: diagnostic benchmarks of relational knowledge and reasoning in language models.

import proband
proband.build("analogy", out="items", seed=0)
proband.run("items", model="embedded:mlm", out="runs/mlm")
proband.report(["runs/mlm"], out="report")
"""

from typing import Any

__version__ = "0.1.0"
__all__ = ["audit", "build", "compare", "export", "load_model", "paper", "report", "run", "show", "train"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from importlib import import_module

        return getattr(import_module("proband.workbench"), name)
    raise AttributeError(f"module 'proband' has no attribute {name!r}")
