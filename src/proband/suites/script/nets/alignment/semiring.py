r"""What the recursion over alignments adds and multiplies with.

Equation 7 of the paper is written with + and ×. Read them in another semiring and the same lines of code give another
quantity: in LOG the marginal likelihood (and by its gradient the posteriors), in MAX the Viterbi score of section A.4,
in REAL plain probabilities, in COUNT the number of alignments. A semiring is an object that is passed in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

NEVER = -1e30  # log 0 that stays finite, so that no gradient is inf - inf


@dataclass(frozen=True)
class Semiring:
    """⊕ (`plus`), ⊗ (`times`), their neutral elements, and `lift`: a log-probability as an element.

    >>> import torch
    >>> half = torch.tensor(0.5).log()
    >>> [round(float(s.plus(s.lift(half), s.lift(half))), 4) for s in (LOG, MAX, REAL, COUNT)]
    [0.0, -0.6931, 1.0, 2.0]
    """

    name: str
    plus: Callable[..., Tensor]  # (a, b), and like torch's own functions `out`
    times: Callable[..., Tensor]
    lift: Callable[[Tensor], Tensor]
    zero: float
    one: float


LOG = Semiring("log", torch.logaddexp, torch.add, lambda x: x, zero=NEVER, one=0.0)
MAX = Semiring("max", torch.maximum, torch.add, lambda x: x, zero=NEVER, one=0.0)
REAL = Semiring("real", torch.add, torch.mul, torch.exp, zero=0.0, one=1.0)
COUNT = Semiring("count", torch.add, torch.mul, lambda x: (x > NEVER / 2).to(x.dtype), zero=0.0, one=1.0)
