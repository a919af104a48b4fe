"""WordNet as a source of pairs: hypernym, meronym, antonym.

Each relation takes the best-known words: the heads and tails with the highest product of sense-tag counts, first senses
only, each word once. Everything WordNet accepts besides (all hypernyms up to the root, all parts) is kept as
alternatives, so that a random negative which is true is seen to be.
"""

from __future__ import annotations

from collections import Counter

from proband.core.errors import ProbandError
from proband.lexicon.wordnet import Synset, find, first_senses, read_synsets, tag_counts
from proband.suites.analogy.relations import Relation, Tuple

TUPLES = 50
# name, part of speech, pointer symbol, symmetric
RELATIONS = (
    ("hypernym", "noun", "@", False),
    ("part meronym", "noun", "%p", False),
    ("member meronym", "noun", "%m", False),
    ("substance meronym", "noun", "%s", False),
    ("antonym", "adj", "!", True),
)


def read_wordnet(folder: str | None = None) -> list[Relation]:
    """Five relations of at most 50 tuples."""
    root = find(folder)
    try:
        known = {
            speech: (
                read_synsets(root / f"data.{speech}"),
                first_senses(root / f"index.{speech}"),
                tag_counts(root / "cntlist.rev", speech),
            )
            for speech in ("noun", "adj")
        }
        return [
            Relation(f"wordnet {name}", "LS", tuple(best_known(*known[speech], symbol=symbol)), symmetric)
            for name, speech, symbol, symmetric in RELATIONS
        ]
    except (ValueError, IndexError, KeyError) as error:
        raise ProbandError(f"is not a folder of WordNet's files: {error}", file=root) from error


def best_known(synsets: dict[int, Synset], first: dict[str, int], counts: Counter[str], *, symbol: str) -> list[Tuple]:
    candidates = []
    for head, offset in first.items():
        if not head.isalpha() or head not in synsets[offset].words:
            continue  # several words, or a name (which the synset spells with a capital)
        # the tail, too, must be meant in its first sense: (car, first) for "first gear" is no pair to ask for
        near = direct(synsets, head, offset, symbol)
        tails = [t for t, at in near if t.isalpha() and t.islower() and t != head and first.get(t) == at]
        if tails:
            weight = (counts[head] + 1) * (max(counts[t] for t in tails) + 1)
            candidates.append((-weight, head, max(tails, key=lambda t: (counts[t], t))))
    used: set[str] = set()
    chosen: list[Tuple] = []
    for _, head, tail in sorted(candidates):
        # a hypernym may serve three heads; elsewhere each word stands once
        if head in used or (tail in used and symbol != "@") or sum(t.tail == tail for t in chosen) >= 3:
            continue
        used.update((head, tail))
        others = [t.replace("_", " ") for t in closure(synsets, head, first[head], symbol) if t != tail]
        chosen.append(Tuple(head, (tail, *dict.fromkeys(others))))
        if len(chosen) == TUPLES:
            break
    return chosen


def direct(synsets: dict[int, Synset], head: str, offset: int, symbol: str) -> list[tuple[str, int]]:
    """The words (with their synsets) one pointer away; antonymy is between words, the others between synsets."""
    synset = synsets[offset]
    near = []
    for kind, target, speech, source, end in synset.pointers:
        if kind != symbol or target not in synsets or (symbol != "!" and speech != "n"):
            continue
        words = synsets[target].words
        if symbol == "!":
            if synset.words[source - 1].lower() == head:
                near.append((words[end - 1], target))
        else:
            near += [(word, target) for word in words]
    return near


def closure(synsets: dict[int, Synset], head: str, offset: int, symbol: str) -> list[str]:
    """Everything reachable by the same pointer, nearest first."""
    if symbol == "!":
        return [word for word, _ in direct(synsets, head, offset, symbol)]
    reached: dict[int, None] = {offset: None}
    queue = [offset]
    words: list[str] = []
    while queue:
        for kind, target, _, _, _ in synsets[queue.pop(0)].pointers:
            if kind == symbol and target in synsets and target not in reached:
                reached[target] = None
                queue.append(target)
                words += synsets[target].words
    return words
