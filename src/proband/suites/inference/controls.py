"""Controls for every score: the same examples and labels with the evidence removed.

docs/inference.md lists them (McKenna et al. 2023). All have the same examples, so differences are paired
(`facts.source` is the unchanged item). Both directions of a pair get the same new arguments. The data set gives the
type of an argument (FIGER types in Levy/Holt, the type that the question asks for in the others). The question's own
argument has no type; its replacement occurs in the same relation next to the same type. The fifth control leaves out
the pairs that share a content lemma; it is the tag `lemma` (`items.shares_lemma`).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from proband.core.errors import ProbandError
from proband.suites.inference.items import FORWARD, Example, Triple, content

CONTROLS = ("none", "hypothesis-only", "random-premise", "swapped-entities", "typed-placeholders")
NOTHING = Triple("", "", "")
TRIES = 50  # of drawing a premise again
UNKNOWN = "thing"  # the type of an argument without one
Pools = Mapping[tuple[str, str], Sequence[str]]  # split and type -> arguments


def controlled(examples: Sequence[Example], control: str, *, seed: int) -> list[Example]:
    """The examples under a control, in the same order."""
    if control == "random-premise":
        others = donors(examples, seed=seed)
        relations = [examples[other].premise.relation for other in others]
        pairs = zip(examples, relations, strict=True)
        return [replace(each, premise=each.premise._replace(relation=relation)) for each, relation in pairs]
    pools = pools_of(examples) if control == "swapped-entities" else {}
    change: Mapping[str, Callable[[Example], Example]] = {
        "hypothesis-only": lambda each: replace(each, premise=NOTHING),
        "swapped-entities": lambda each: with_arguments(each, *others_of_type(each, pools, seed=seed)),
        "typed-placeholders": lambda each: with_arguments(each, *placeholders(each)),
    }
    return [change[control](each) for each in examples]


# ---- the relation of another question --------------------------------------------------------------------------------


def donors(examples: Sequence[Example], *, seed: int) -> list[int]:
    """For each example, another one of the same split with another question and another premise relation."""
    rng = np.random.default_rng([seed, 13])
    donor = np.zeros(len(examples), dtype=int)
    for split in sorted({each.split for each in examples}):
        places = np.array([at for at, each in enumerate(examples) if each.split == split])
        chosen = rng.permutation(places)
        for _ in range(TRIES):
            bad = [n for n, at in enumerate(places) if alike(examples[at], examples[chosen[n]])]
            if not bad:
                break
            chosen[bad] = rng.choice(places, size=len(bad))
        else:
            raise ProbandError(f"random-premise: split {split!r} has too few relations of other questions")
        donor[places] = chosen
    return [int(at) for at in donor]


def alike(one: Example, other: Example) -> bool:
    return one.question == other.question or one.premise.relation == other.premise.relation


# ---- other arguments of the same type --------------------------------------------------------------------------------


def arguments(example: Example) -> Iterator[tuple[str, Sequence[str]]]:
    """Each argument of the premise with its types, in order of preference. Without a type: the question's relation next
    to the type it asks for, then that type alone. The last is `*`, anything."""
    relation = (example.hypothesis if example.direction == FORWARD else example.premise).relation
    for argument, kind, beside in zip(example.premise[::2], example.typed, reversed(example.typed), strict=True):
        yield argument, [kind, "*"] if kind else [f"{relation} beside {beside}", f"beside {beside}", "*"]


def pools_of(examples: Sequence[Example]) -> Pools:
    """The arguments of each type, each once."""
    pools: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for each in examples:
        for argument, kinds in arguments(each):
            for kind in kinds:
                pools[each.split, kind].setdefault(argument.lower(), argument)
    return {key: [names[name] for name in sorted(names)] for key, names in pools.items()}


def others_of_type(example: Example, pools: Pools, *, seed: int) -> tuple[str, str]:
    """Two arguments of the same types that share no word with either; the same for both directions of a pair."""
    taken = set(content(example.premise.subject)) | set(content(example.premise.object))
    chosen = dict[int, str]()
    for place, (argument, kinds) in sorted(enumerate(arguments(example)), key=lambda each: each[1][0].lower()):
        key = f"{seed}\n{example.pair}\n{argument.lower()}"
        drawn = (draw(pools[example.split, kind], key, taken) for kind in kinds)
        chosen[place] = next((each for each in drawn if each is not None), argument)
        taken |= set(content(chosen[place]))
    return chosen[0], chosen[1]


def draw(pool: Sequence[str], key: str, taken: set[str]) -> str | None:
    """The first argument that shares no word with `taken`, from a place in the pool that the key decides."""
    start = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % len(pool)
    rotated = (pool[(start + step) % len(pool)] for step in range(len(pool)))
    return next((each for each in rotated if taken.isdisjoint(content(each))), None)


def placeholders(example: Example) -> tuple[str, str]:
    """
    >>> aspirin, pain = Triple("aspirin", "eliminates", "pain"), Triple("aspirin", "treats", "pain")
    >>> placeholders(Example(premise=aspirin, hypothesis=pain, entailed=True, straight=True, question="", pair="",
    ...                      direction="", source="", typed=("drug", "")))
    ('drug X', 'thing Y')
    """
    first, second = (kind or UNKNOWN for kind in example.typed)
    return f"{first} X", f"{second} Y"


def with_arguments(example: Example, first: str, second: str) -> Example:
    """Replace the arguments of the premise, in premise and hypothesis."""
    ends = (first, second) if example.straight else (second, first)
    return replace(example, premise=example.premise.put(first, second), hypothesis=example.hypothesis.put(*ends))


def kept_types(examples: Sequence[Example], swapped: Sequence[Example]) -> dict[str, int]:
    """For the manifest: in how many examples both new arguments have the old types (or, without types, the same
    relation), and in how many an argument is unchanged."""
    pools = {key: frozenset(map(str.lower, names)) for key, names in pools_of(examples).items()}
    kept = same = 0
    for old, new in zip(examples, swapped, strict=True):
        pairs = list(zip(arguments(old), new.premise[::2], strict=True))
        kept += all(other.lower() in pools[old.split, kinds[0]] for (_, kinds), other in pairs)
        same += any(other.lower() == argument.lower() for (argument, _), other in pairs)
    return {"keep_both_types": kept, "keep_an_argument": same}
