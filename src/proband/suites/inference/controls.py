"""Controls that every score stands beside: the same examples and labels, with what should decide taken away.

hypothesis-only   the premise is empty: a score above chance is an artefact of the hypotheses
random-premise    the relation of the premise comes from another question: the same
swapped-entities  both arguments are replaced, in premise and hypothesis, by those of another example: what a score
                  loses was memory of the arguments
The fourth control, to leave out the pairs that share a content lemma, is the tag `lemma` (`shares_lemma`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from proband.suites.inference.triples import Example, Triple
from proband.suites.inference.words import phrase

CONTROLS = ("none", "hypothesis-only", "random-premise", "swapped-entities")
NOTHING = Triple("", "", "")


def shares_lemma(example: Example) -> bool:
    """Whether the two relations share a content word, inflection aside; of `has` or `is in`, which have none, whether
    the other contains all their words."""
    premise, hypothesis = phrase(example.premise.relation), phrase(example.hypothesis.relation)
    contained = hypothesis.content <= premise.lemmas or premise.content <= hypothesis.lemmas
    return contained or bool(premise.content & hypothesis.content)


def controlled(examples: Sequence[Example], control: str, *, seed: int) -> list[Example]:
    """The examples under a control, in the same order."""
    if control == "none":
        return list(examples)
    if control == "hypothesis-only":
        return [replace(each, premise=NOTHING) for each in examples]
    others = donors(examples, seed=seed)
    change = with_relation if control == "random-premise" else with_arguments
    return [change(each, examples[other]) for each, other in zip(examples, others, strict=True)]


def donors(examples: Sequence[Example], *, seed: int) -> list[int]:
    """For each example another one, of another question and with another premise relation; in the same split."""
    rng = np.random.default_rng([seed, 13])
    found = np.zeros(len(examples), dtype=int)
    for split in sorted({each.split for each in examples}):
        places = np.array([at for at, each in enumerate(examples) if each.split == split])
        chosen = rng.permutation(places)
        for _ in range(50):
            bad = [n for n, at in enumerate(places) if alike(examples[at], examples[chosen[n]])]
            if not bad:
                break
            chosen[bad] = rng.choice(places, size=len(bad))
        found[places] = chosen
    return [int(at) for at in found]


def alike(one: Example, other: Example) -> bool:
    return one.question == other.question or one.premise.relation == other.premise.relation


def with_relation(example: Example, other: Example) -> Example:
    return replace(example, premise=example.premise._replace(relation=other.premise.relation))


def with_arguments(example: Example, other: Example) -> Example:
    """Both arguments of `other`, at the places of the premise's."""
    first, second = other.premise.subject, other.premise.object
    hypothesis = (first, second) if example.straight else (second, first)
    return replace(
        example,
        premise=Triple(first, example.premise.relation, second),
        hypothesis=Triple(hypothesis[0], example.hypothesis.relation, hypothesis[1]),
    )
