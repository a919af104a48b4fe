"""Builds the cloze task of section 2.2 from a parallel corpus: the whitelist of words that may be left out, the blanks,
and one item per pair of texts.

A word w may be left out if it belongs mainly to the concrete side. With

    n(w)    occurrences of w in concrete texts whose own abstract line does not have it
    a(w)    occurrences of w in abstract lines

    share(w) = n(w) / (n(w) + a(w))  >=  `share`      and      n(w) >= `least`

and w is neither a stop word nor a number (units are allowed). In a pair, the candidates are the longest runs of such
words that the abstract line does not have. Of the distinct runs the `most` longest are left out, at all their places;
among runs of one length the later in the alphabet is taken.

The paper gives the conditions, the released files show the rest; docs/script.md measures the agreement.

Evaluated splits come first (test, valid), then the training texts. Pairs without a blank are dropped from valid and
test and kept for training, where a net reads them whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import DATA, Fingerprint, read_utf8, sha256_text
from proband.core.metrics import SPLITS
from proband.core.plugins import Meta, name_list
from proband.core.suite import Built
from proband.core.types import Item, Split
from proband.suites.script import corpus
from proband.suites.script.corpus import TextPair, is_word, released_whitelist, running, with_blanks
from proband.suites.script.metrics import category

Span = tuple[int, int]
ORDER = ("test", "valid", "train")
SHARE, LEAST, MAX_BLANKS = 0.45, 5, 5
OWN_LEAST = 2  # our own corpus is small
OWN, FOREIGN = "Apache-2.0 (written for Proband)", "that of the files given"


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Options that choose the corpus and its blanks."""

    data: Annotated[
        Path | None,
        Meta(description="a .tsv or .jsonl corpus, or KidsCook's folder (default: our own corpus)"),
    ] = None
    released: Annotated[bool, Meta(description="leave out the words that the released tags leave out")] = False
    whitelist: Annotated[
        Path | None, Meta(description="file of words that may be left out (default: made from the corpus)")
    ] = None
    share: Annotated[
        float,
        Meta(
            description="smallest share of a word's occurrences that are only on the concrete side;"
            " 0.45 is nearest the released whitelist"
        ),
    ] = SHARE
    min_count: Annotated[
        int | None, Meta(description="fewest occurrences of such a word (default: 5; our own corpus: 2)")
    ] = None
    max_blanks: Annotated[int, Meta(description="blanks per text at most, longest first (0: all)", ge=0)] = MAX_BLANKS
    splits: Annotated[str, Meta(description="splits to write, comma-separated")] = ",".join(SPLITS)
    hold_out: Annotated[float, Meta(description="share for valid and for test, if the corpus has no splits")] = 0.1


def build(options: BuildOptions, *, seed: int) -> Built:
    pairs = corpus.read(options.data) if options.data else corpus.read_own()
    whole = split_by_caption(pairs, seed=seed, hold_out=options.hold_out, file=options.data)
    wanted = name_list(options.splits)
    if unknown := [name for name in wanted if name not in SPLITS]:
        raise ProbandError(f"'splits' names {unknown[0]!r}, not one of {', '.join(SPLITS)}")
    words = whitelist_of(options, whole)
    pairs = [pair for pair in whole if pair.split in wanted]
    tally: Counter[str] = Counter()

    def summary() -> Mapping[str, Any]:
        sequences = corpus.read_sequences(options.data) if options.data else []
        return {
            "fingerprint": fingerprint(whole),
            "conditions": {"blanks": "as released" if options.released else "by our own rule"},
            "splits": {name: tally[name] for name in SPLITS if tally[name]},
            "blanks": {name: tally[f"{name} blanks"] for name in SPLITS if tally[name]},
            "dropped_without_blanks": {name: tally[f"{name} dropped"] for name in SPLITS},
            "training_without_blanks": tally["train without"],
            "whitelist": len(words),
            "table1": corpus.table1(pairs),
            "new_words": corpus.new_words(pairs),
            "overlaps": corpus.overlaps(pairs),
            **({"sequences": corpus.table1(sequences)} if sequences else {}),
        }

    return Built(
        items=items(pairs, blank_rule(options, words), tally, candidates=" ".join(words)),
        licence=FOREIGN if options.data else OWN,
        summary=summary,
        files=lambda: {"whitelist.txt": "".join(f"{word}\n" for word in words)},
    )


def fingerprint(pairs: Sequence[TextPair]) -> str:
    digest = Fingerprint()
    for pair in pairs:
        digest.add(pair.split, *pair.abstract, "|", *pair.concrete)
    return digest.hex()


def split_by_caption(pairs: Sequence[TextPair], *, seed: int, hold_out: float, file: object) -> list[TextPair]:
    """A corpus that is all training text gets its valid and test split here, whole captions at a time."""
    if {pair.split for pair in pairs} != {"train"} or not hold_out:
        return list(pairs)
    if not 0 < hold_out < 0.5:
        raise ProbandError(f"'hold-out' is {hold_out}, not between 0 and 0.5")
    names = sorted({pair.caption for pair in pairs})
    held = max(1, round(hold_out * len(names)))
    if 2 * held >= len(names):
        few = f"{len(names)} captions are too few to hold out twice {hold_out:g} of them"
        raise ProbandError(f"{few}; give a split column or another --hold-out", file=file)
    order = [names[i] for i in np.random.default_rng([seed, 5]).permutation(len(names))]
    split: dict[str, Split] = {**dict.fromkeys(order[:held], "valid"), **dict.fromkeys(order[held : 2 * held], "test")}
    return [replace(pair, split=split.get(pair.caption, "train")) for pair in pairs]


def items(
    pairs: Sequence[TextPair], blanks_of: Callable[[TextPair], list[Span]], tally: Counter[str], *, candidates: str
) -> Iterator[Item]:
    for split in ORDER:
        seen: Counter[str] = Counter()
        for pair in pairs:
            if pair.split != split:
                continue
            spans = blanks_of(pair)
            if not spans and split != "train":
                tally[f"{split} dropped"] += 1
                continue
            tally[split] += 1
            tally[f"{split} blanks"] += len(spans)
            tally["train without"] += not spans
            seen[pair.caption] += 1
            yield item(pair, spans, version=seen[pair.caption], candidates=candidates if split != "train" else "")


def item(pair: TextPair, spans: Sequence[Span], *, version: int, candidates: str) -> Item:
    """Every item contains the words that may fill its blanks, so its answer does not depend on other items."""
    gold = [list(pair.concrete[start:end]) for start, end in spans]
    facts: dict[str, Any] = {
        "abstract": list(pair.abstract),
        "concrete": list(pair.concrete),
        "blanks": [list(span) for span in spans],
        "gold": gold,
        "kinds": [category(words) for words in gold],
        "steps": [len(step) for step in pair.steps],
        "clusters": [pair.caption],
    }
    digest = sha256_text(" ".join((*pair.abstract, "|", *pair.concrete)))[:4]
    return Item(
        id=f"script-{pair.split}-{pair.caption}-{version}{digest}",
        suite="script",
        prompt=f"{running(pair.abstract)}\n{with_blanks(pair.concrete, spans)}",
        tags={"category": pair.category, "blanks": len(spans), "asked": pair.split != "train"},
        facts=facts | ({"candidates": candidates} if candidates else {}),
        split=pair.split,
    )


# ---- which words may be left out -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Count:
    """The counts of one word: n(w) and a(w)."""

    alone: int
    abstract: int

    @property
    def share(self) -> float:
        return self.alone / (self.alone + self.abstract) if self.alone + self.abstract else 0.0


def count_words(pairs: Iterable[TextPair]) -> dict[str, Count]:
    """
    >>> pair = TextPair(abstract=("drain", "pasta"), steps=(("drain", "it", "with", "a", "strainer"),))
    >>> counted = count_words([pair, pair])
    >>> counted["strainer"], counted["drain"].share
    (Count(alone=2, abstract=0), 0.0)
    """
    alone: Counter[str] = Counter()
    abstract: Counter[str] = Counter()
    for pair in pairs:
        abstract.update(pair.abstract)
        alone.update(word for word in pair.concrete if word not in pair.abstract)
    return {word: Count(alone=alone[word], abstract=abstract[word]) for word in abstract | alone}


def whitelist(counted: Mapping[str, Count], *, share: float, least: int) -> list[str]:
    """Words that may be left out, the most frequent (by n) first; ties in falling alphabetical order."""
    often = (word for word, count in counted.items() if count.alone >= least and count.share >= share)
    kept = (word for word in often if is_word(word) and word not in stop_words())
    return sorted(kept, key=lambda word: (counted[word].alone, word), reverse=True)


@cache
def stop_words() -> frozenset[str]:
    """Words that name no tool, step, manner, measure or place: closed classes, vague verbs and vague nouns."""
    return frozenset(read_utf8(DATA / "script" / "stop_words.txt").split())


def whitelist_of(options: BuildOptions, pairs: Sequence[TextPair]) -> list[str]:
    """The given whitelist, by name or with released tags (the file next to them, or the words left out); otherwise one
    made from the corpus."""
    if options.whitelist is not None:
        return corpus.read_words(options.whitelist)
    if not options.released:
        usual = LEAST if options.data else OWN_LEAST
        least = usual if options.min_count is None else options.min_count
        return whitelist(count_words(pairs), share=options.share, least=least)
    if released := released_whitelist(options.data):
        return released
    counted = Counter(w for pair in pairs for s in released_blanks(pair) for w in pair.concrete[slice(*s)])
    return sorted(counted, key=lambda word: (counted[word], word), reverse=True)


# ---- which words are left out --------------------------------------------------------------------------------------


def blank_rule(options: BuildOptions, words: Sequence[str]) -> Callable[[TextPair], list[Span]]:
    """The rule that chooses the blanks of a pair."""
    allowed = frozenset(words)

    def blanks_of(pair: TextPair) -> list[Span]:
        if not options.released:
            return choose_blanks(pair, allowed, most=options.max_blanks)
        if pair.tags is None:
            raise ProbandError(f"{' '.join(pair.abstract)!r} carries no tags; --released needs .template.tsv files")
        return released_blanks(pair)

    return blanks_of


def choose_blanks(pair: TextPair, words: Collection[str], *, most: int = MAX_BLANKS) -> list[Span]:
    """The spans to leave out: all occurrences of the `most` longest distinct runs (0: every run).

    >>> steps = (tuple("put a large pot on the stove and a lid on the pot".split()),)
    >>> pair = TextPair(abstract=("boil", "water"), steps=steps)
    >>> choose_blanks(pair, {"large", "pot", "stove", "lid"}, most=2)
    [(2, 4), (6, 7)]
    """
    spans = runs(pair, words)
    if most:
        texts = {(end - start, " ".join(pair.concrete[start:end])) for start, end in spans}
        kept = {text for _, text in sorted(texts, reverse=True)[:most]}
        spans = [span for span in spans if " ".join(pair.concrete[slice(*span)]) in kept]
    return spans


def runs(pair: TextPair, words: Collection[str]) -> list[Span]:
    """The longest runs of whitelisted words that the abstract line does not have.

    >>> pair = TextPair(abstract=("mix", "eggs"), steps=(("get", "a", "wire", "whisk", "to", "mix", "eggs"),))
    >>> runs(pair, {"wire", "whisk", "mix"})
    [(2, 4)]
    """
    return _true_runs(word in words and word not in pair.abstract for word in pair.concrete)


def released_blanks(pair: TextPair) -> list[Span]:
    """The spans that released tags leave out: runs of 0.

    >>> released_blanks(TextPair(abstract=("mix",), steps=(("a",) * 5,), tags=(1, 0, 0, 1, 0)))
    [(1, 3), (4, 5)]
    """
    return _true_runs(tag == 0 for tag in pair.tags or ())


def _true_runs(marks: Iterable[bool]) -> list[Span]:
    spans: list[Span] = []
    for marked, run in groupby(enumerate(marks), key=lambda at: at[1]):
        places = [at for at, _ in run]
        if marked:
            spans.append((places[0], places[-1] + 1))
    return spans
