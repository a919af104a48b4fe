"""Ways of asking a model that suites share: `choose`, `likelihood`, `as_is`, as ready solvers."""

from proband.solvers.as_is import AS_IS
from proband.solvers.choose import CHOOSE
from proband.solvers.likelihood import LIKELIHOOD

__all__ = ["AS_IS", "CHOOSE", "LIKELIHOOD"]
