"""Solvers that suites share, ready to use: `choose`, `likelihood`, `direct`."""

from proband.core.suite import DIRECT
from proband.solvers.choose import CHOOSE
from proband.solvers.likelihood import LIKELIHOOD

__all__ = ["CHOOSE", "DIRECT", "LIKELIHOOD"]
