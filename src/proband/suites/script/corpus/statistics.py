"""Table 1 for any corpus, the words that only the concrete side has, and what stands in two splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from proband.suites.script.corpus.readers import SPLITS, Pair
from proband.suites.script.corpus.tokens import is_word

STEPS = 5  # annotators gave up to five


def table1(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Sequences, tokens and types of the concrete side and mean lengths of both sides, a row per split.

    `padded_tokens` counts one token for each of the five steps that was left empty. The published counts are these:
    KidsCook's sequences give 307,524, 36,827 and 37,146 of the printed 307,573, 36,830 and 37,156.
    """
    rows = []
    for split in SPLITS:
        chosen = [pair for pair in pairs if pair.split == split]
        if chosen:
            words = sum(len(pair.concrete) for pair in chosen)
            padded = words + sum(max(0, STEPS - len(pair.steps)) for pair in chosen)
            rows.append(
                {
                    "split": split,
                    "sequences": len(chosen),
                    "captions": len({pair.caption for pair in chosen}),
                    "tokens": words,
                    "padded_tokens": padded,
                    "vocabulary": len({word for pair in chosen for word in pair.concrete}),
                    "abstract_length": round(sum(len(pair.abstract) for pair in chosen) / len(chosen), 2),
                    "concrete_length": round(words / len(chosen), 2),
                    "padded_length": round(padded / len(chosen), 2),
                }
            )
    return rows


def new_words(pairs: Iterable[Pair], captions: Iterable[Sequence[str]] = ()) -> dict[str, int]:
    """Words (no numbers, no signs) and lemmas of the concrete side that no abstract line has (nor any of `captions`).

    KidsCook's cloze texts give 2,331 and 1,563 where the paper prints 2,316 and 1,536.

    >>> pair = Pair(abstract=("peel", "carrots"), steps=(("hold", "a", "carrot", "and", "a", "peeler"),))
    >>> new_words([pair])["types"]
    5
    """
    pairs = list(pairs)
    known = {word for pair in pairs for word in pair.abstract} | {word for caption in captions for word in caption}
    fresh = {word for pair in pairs for word in pair.concrete if is_word(word)} - known
    lemmas = {lemma(word) for word in known}
    return {"types": len(fresh), "lemmas": len({lemma(word) for word in fresh} - lemmas)}


def lemma(word: str) -> str:
    """The shortest base form that lemminflect knows for a word of any class; without that package, the word itself."""
    try:
        from lemminflect import getAllLemmas
    except ImportError:
        return word
    forms = [form for forms in getAllLemmas(word).values() for form in forms]
    return min(forms, key=lambda form: (len(form), form)) if forms else word


def overlaps(pairs: Sequence[Pair]) -> dict[str, int]:
    """Repeated pairs, and captions that stand in two splits: leaks to know of.

    >>> pair = Pair(abstract=("stir",), steps=(("use", "a", "spoon"),))
    >>> overlaps([pair, pair])["duplicates"]
    1
    """
    seen = Counter((pair.abstract, pair.concrete) for pair in pairs)
    captions = {split: {pair.caption for pair in pairs if pair.split == split} for split in SPLITS}
    return {
        "duplicates": sum(count - 1 for count in seen.values()),
        **{f"captions_{a}_{b}": len(captions[a] & captions[b]) for a, b in combinations(SPLITS, 2)},
    }
