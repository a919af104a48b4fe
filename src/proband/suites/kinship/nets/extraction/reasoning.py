r"""From doubtful facts to the answer: the most probable derivation.

P_ij(r): how surely the text states that j is the (neutral) r of i. Under a rule base with compositions a b -> c

    V_ij(c) = max( P_ij(c), max over l and a b -> c of V_il(a) V_lj(b) )

is the probability of the best derivation of c, a product of the facts it uses, each counted as often as it is used. A
fact that was misread and leads nowhere costs nothing; of two readings the one wins from which something follows. Where
a rule base is not sound, derivations of different relations may use the same facts; the sum over all of them, which is
the closure of the composer (graph/composer.py), then decides.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import torch
from torch import Tensor

from proband.suites.kinship.nets.extraction.batches import NEUTRAL_NUMBER
from proband.suites.kinship.nets.graph.composer import LEAST, compose
from proband.suites.kinship.world.relations import NEUTRALS
from proband.suites.kinship.world.rules import OTHER
from proband.suites.kinship.world.rules import load as load_rules

R = len(NEUTRALS)
NEVER = -1e6  # logarithm of no chance at all
DOUBLINGS = 5  # derivations of up to 32 facts
TIE = 0.02  # weight of the logarithm of that sum
DOUBT = 0.05  # a pair of people of whom less is stated does not count in it


@cache
def triples(rules: str) -> tuple[tuple[int, int, int], ...]:
    """Compositions with a single outcome.

    >>> tuple(map(NEUTRAL_NUMBER.get, ("parent", "sibling", "pibling"))) in triples("sound")
    True
    """
    base = load_rules(rules)
    single = []
    for a, b in product(NEUTRALS, repeat=2):
        outcomes = base.compose(a, b)
        if len(outcomes) == 1 and OTHER not in outcomes:
            single.append((NEUTRAL_NUMBER[a], NEUTRAL_NUMBER[b], NEUTRAL_NUMBER[next(iter(outcomes))]))
    return tuple(single)


def best_derivation(facts: Tensor, rules: str) -> Tensor:
    """B × N × N × R: log V, from the logarithms of P.

    >>> facts = torch.full((1, 3, 3, R), -9.0)
    >>> facts[0, 0, 1, NEUTRAL_NUMBER["parent"]] = facts[0, 1, 2, NEUTRAL_NUMBER["sibling"]] = -0.5
    >>> best_derivation(facts, "sound")[0, 0, 2, NEUTRAL_NUMBER["pibling"]].item()
    -1.0
    """
    alone = torch.eye(facts.shape[1], dtype=torch.bool, device=facts.device)[..., None]
    known = facts.masked_fill(alone, NEVER)
    for _ in range(DOUBLINGS):
        best = [known[..., c] for c in range(R)]
        for a, b, c in triples(rules):
            through = (known[:, :, :, None, a] + known[:, None, :, :, b]).amax(2)
            best[c] = torch.maximum(best[c], through)
        known = torch.stack(best, -1).masked_fill(alone, NEVER)
    return known


def answers(facts: Tensor, rules: str) -> Tensor:
    """B × N × N × R: the best derivation, and where several are as sure the sum over all."""
    stated = facts.exp()
    stated = torch.where(stated.sum(-1, keepdim=True) > DOUBT, stated, 0.0)
    return best_derivation(facts, rules) + TIE * (compose(stated, table(rules).to(facts.device)) + LEAST).log()


@cache
def table(rules: str) -> Tensor:
    """R × R × R: 1 where two relations compose to a single one."""
    ones = torch.zeros(R, R, R)
    for a, b, c in triples(rules):
        ones[a, b, c] = 1
    return ones
