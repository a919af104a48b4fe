"""Items of the cloze task from a parallel corpus: one per pair of texts, with the whitelist beside them.

Evaluated splits come first (test, valid), then the training texts. Pairs without a
blank are dropped from valid and test and kept for training, where a net reads them whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import sha256_text
from proband.core.options import Meta, formerly
from proband.core.suite import Built
from proband.core.text import Fingerprint
from proband.core.types import Item, Split
from proband.suites.script.cloze import blanks
from proband.suites.script.cloze.categories import category
from proband.suites.script.cloze.released import with_released
from proband.suites.script.corpus import readers
from proband.suites.script.corpus.readers import SPLITS, Pair
from proband.suites.script.corpus.running_text import running, with_blanks
from proband.suites.script.corpus.statistics import new_words, overlaps, table1

ORDER = ("test", "valid", "train")
OWN_LEAST = 2  # our own corpus is small
OWN, FOREIGN = "Apache-2.0 (written for Proband)", "that of the files given"
Choose = Callable[[Pair], list[blanks.Span]]


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Which corpus, and which words are left out of it."""

    data: Annotated[
        Path | None,
        Meta(description="a .tsv or .jsonl corpus, or KidsCook's folder (default: our own corpus)"),
    ] = None
    captions: Annotated[
        Path | None, Meta(description="YouCook2's annotations: further abstract lines for counting new words")
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
    ] = blanks.SHARE
    min_count: Annotated[
        int | None,
        Meta(
            description="smallest number of occurrences of such a word (default: 5; our own corpus: 2)",
            **formerly("least"),
        ),
    ] = None
    max_blanks: Annotated[
        int, Meta(description="most blanks in a text, longest first (0: all)", ge=0, **formerly("most"))
    ] = blanks.MOST
    splits: Annotated[str, Meta(description="splits to write, comma-separated")] = ",".join(SPLITS)
    hold_out: Annotated[float, Meta(description="share for valid and for test, if the corpus has no splits")] = 0.1

    @property
    def fewest(self) -> int:
        if self.min_count is not None:
            return self.min_count
        return blanks.LEAST if self.data else OWN_LEAST


def build(options: BuildOptions, *, seed: int) -> Built:
    pairs = separated(read(options.data), seed=seed, hold_out=options.hold_out)
    wanted = [name.strip() for name in options.splits.split(",") if name.strip()]
    if unknown := [name for name in wanted if name not in SPLITS]:
        raise ProbandError(f"'splits' names {unknown[0]!r}, not one of {', '.join(SPLITS)}")
    counted = blanks.counts(pairs)
    made = blanks.whitelist(counted, share=options.share, least=options.fewest)
    words = allowed(options, pairs) or made
    choose = chooser(options, words)
    whole, pairs = pairs, [pair for pair in pairs if pair.split in wanted]
    tally: Counter[str] = Counter()

    def summary() -> Mapping[str, Any]:
        captions = readers.read_captions(options.captions) if options.captions else []
        sequences = readers.read_sequences(options.data) if options.data else []
        limits: dict[str, Any] = {"most": options.max_blanks, "share": options.share, "least": options.fewest}
        return {
            "fingerprint": fingerprint(whole),
            "conditions": {"blanks": "as released" if options.released else "by our own rule"},
            "splits": {name: tally[name] for name in SPLITS if tally[name]},
            "blanks": {name: tally[f"{name} blanks"] for name in SPLITS if tally[name]},
            "dropped_without_blanks": {name: tally[f"{name} dropped"] for name in SPLITS},
            "training_without_blanks": tally["train without"],
            "whitelist": len(words),
            "table1": table1(pairs),
            "new_words": new_words(pairs),
            **({"new_words_with_captions": new_words(pairs, captions)} if captions else {}),
            "overlaps": overlaps(pairs),
            **({"sequences": table1(sequences)} if sequences else {}),
            **with_released(pairs, made, counted=counted, folder=options.data, **limits),
        }

    return Built(
        items=items(pairs, choose, tally, candidates=" ".join(words)),
        licence=FOREIGN if options.data else OWN,
        summary=summary,
        files=lambda: {"whitelist.txt": "".join(f"{word}\n" for word in words)},
    )


def fingerprint(pairs: Sequence[Pair]) -> str:
    found = Fingerprint()
    for pair in pairs:
        found.add(pair.split, *pair.abstract, "|", *pair.concrete)
    return found.hex()


def read(data: Path | None) -> list[Pair]:
    """The corpus in a file or folder, or our own."""
    if data is not None:
        return readers.read(data)
    with as_file(files("proband").joinpath("data/script")) as folder:
        return [pair for path in sorted(folder.glob("corpus-*.tsv")) for pair in readers.read(path)]


def separated(pairs: Sequence[Pair], *, seed: int, hold_out: float) -> list[Pair]:
    """A corpus that is all training text gets its valid and test split here, whole captions at a time."""
    if {pair.split for pair in pairs} != {"train"} or not hold_out:
        return list(pairs)
    if not 0 < hold_out < 0.5:
        raise ProbandError(f"'hold-out' is {hold_out}, not between 0 and 0.5")
    names = sorted({pair.caption for pair in pairs})
    held = max(1, round(hold_out * len(names)))
    if len(names) < 3:
        raise ProbandError(f"{len(names)} captions are too few to hold some out; give a split column")
    order = [names[i] for i in np.random.default_rng([seed, 5]).permutation(len(names))]
    split: dict[str, Split] = {**dict.fromkeys(order[:held], "valid"), **dict.fromkeys(order[held : 2 * held], "test")}
    return [replace(pair, split=split.get(pair.caption, "train")) for pair in pairs]


def allowed(options: BuildOptions, pairs: Sequence[Pair]) -> list[str] | None:
    """A whitelist that is given: by name, or with released tags (the file beside them, or the words left out)."""
    if options.whitelist is not None:
        return readers.read_words(options.whitelist)
    if not options.released:
        return None
    if beside := readers.released_whitelist(options.data):
        return beside
    counted = Counter(w for pair in pairs for s in blanks.tagged(pair.tags or ()) for w in pair.concrete[slice(*s)])
    return sorted(counted, key=lambda word: (counted[word], word), reverse=True)


def chooser(options: BuildOptions, words: Sequence[str]) -> Choose:
    """How a pair gets its blanks."""
    allowed = frozenset(words)

    def spans(pair: Pair) -> list[blanks.Span]:
        if not options.released:
            return blanks.blanks(pair, allowed, most=options.max_blanks)
        if pair.tags is None:
            raise ProbandError("these texts carry no tags; --released needs .template.tsv files")
        return blanks.tagged(pair.tags)

    return spans


def items(pairs: Sequence[Pair], choose: Choose, tally: Counter[str], *, candidates: str) -> Iterator[Item]:
    for split in ORDER:
        seen: Counter[str] = Counter()
        for pair in pairs:
            if pair.split != split:
                continue
            spans = choose(pair)
            if not spans and split != "train":
                tally[f"{split} dropped"] += 1
                continue
            tally[split] += 1
            tally[f"{split} blanks"] += len(spans)
            tally["train without"] += not spans
            seen[pair.caption] += 1
            yield item(pair, spans, version=seen[pair.caption], candidates=candidates if split != "train" else "")


def item(pair: Pair, spans: Sequence[blanks.Span], *, version: int, candidates: str) -> Item:
    """Every question carries the words that may fill its blanks, so that no answer depends on what else is asked."""
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
        tags={"category": pair.category, "split": pair.split, "blanks": len(spans), "asked": pair.split != "train"},
        facts=facts | ({"candidates": candidates} if candidates else {}),
        split=pair.split,
    )
