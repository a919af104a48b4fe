"""Do the words around the facts give the answer away? A bag of words without names and kin words guesses the label.

Stories of two facts, every label equally often, are told with a bank; a naive Bayes classifier that sees only which
other words a story has is trained on four fifths of them and tested on the rest, five times. A bank whose paraphrases
fit any relation gives chance; one with scenes for certain relations ("married for thirty years") does not.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Final

from proband.suites.kinship.logic.chaining import rule_bodies
from proband.suites.kinship.reading.lexicon import KIN
from proband.suites.kinship.telling.bank import Bank
from proband.suites.kinship.telling.bank_statistics import words_of
from proband.suites.kinship.telling.stories import tell
from proband.suites.kinship.telling.template_check import castings
from proband.suites.kinship.world.relations import WORDS
from proband.suites.kinship.world.rules import load

NAMES: Final = ("Xa", "Xb", "Xc")
FOLDS: Final = 5


@dataclass(frozen=True)
class Guess:
    """How often the label was guessed from the other words alone; `noise` is two standard errors of chance."""

    accuracy: float
    chance: float
    noise: float
    stories: int


def guessed_labels(bank: Bank, *, per_label: int = 400, seed: int = 0) -> Guess:
    """
    >>> from proband.suites.kinship.telling.bank_sources import load_bank
    >>> guess = guessed_labels(load_bank(), per_label=20)
    >>> abs(guess.accuracy - guess.chance) < 2 * guess.noise
    True
    """
    import numpy as np

    texts, labels = _stories(bank, per_label, random.Random(f"label words {seed}"))
    names = sorted(set(labels))
    gold = np.array([names.index(label) for label in labels])
    bags = [{w for w in words_of(text) if w not in KIN and not w.startswith("x")} for text in texts]
    place = {word: i for i, word in enumerate(sorted(set().union(*bags)))}
    seen = np.zeros((len(bags), len(place)), dtype=np.float32)
    for row, bag in enumerate(bags):
        seen[row, [place[word] for word in bag]] = 1
    fold = np.random.default_rng(seed).permutation(len(gold)) % FOLDS
    right = sum(_right(seen, gold, fold == held, len(names)) for held in range(FOLDS))
    chance = 1 / len(names)
    noise = 2 * (chance * (1 - chance) / len(gold)) ** 0.5
    return Guess(right / len(gold), chance, float(noise), len(gold))


def _stories(bank: Bank, per_label: int, rng: random.Random) -> tuple[list[str], list[str]]:
    """Stories of two facts with one outcome, and their labels."""
    rules = load("sound")
    texts, labels = [], []
    for target, (neutral, pair) in enumerate(WORDS.items()):
        bodies = [tuple(rules.neutrals[r] for r in body) for body in rule_bodies(rules)[target]]
        for female, label in enumerate(pair):
            for _ in range(per_label):
                genders: tuple[str, ...] = ()
                while not genders:
                    body = rng.choice(bodies)
                    fits = [g for g in castings(body) if (g[2] == "female") == bool(female)]
                    fits = [g for g in fits if neutral != "spouse" or g[0] != g[2]]
                    genders = rng.choice(fits) if fits else ()
                edges = [(i, WORDS[r][genders[i + 1] == "female"], i + 1) for i, r in enumerate(body)]
                texts.append(tell(edges, names=NAMES, genders=genders, bank=bank, rng=rng).text)
                labels.append(label)
    return texts, labels


def _right(seen: Any, gold: Any, test: Any, classes: int) -> int:
    """Naive Bayes over the words that a story has and those that it has not."""
    import numpy as np

    train = [seen[~test & (gold == c)] for c in range(classes)]
    share = np.stack([(part.sum(0) + 0.5) / (len(part) + 1) for part in train])
    score = seen[test] @ np.log(share).T + (1 - seen[test]) @ np.log(1 - share).T
    return int((score.argmax(1) == gold[test]).sum())
