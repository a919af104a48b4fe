"""Items of the cloze task from a parallel corpus: one per pair of texts, with the whitelist beside them.

Evaluated splits come first (test, valid), then the training texts. Pairs without a
blank are dropped from valid and test and kept for training, where a net reads them whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import sha256_text
from proband.core.options import Meta, formerly
from proband.core.suite import Built
from proband.core.text import Fingerprint
from proband.core.types import Item, Split
from proband.suites.script import corpus
from proband.suites.script.cloze import blanks
from proband.suites.script.cloze.blanks import category, with_released
from proband.suites.script.corpus import SPLITS, Pair, is_word, running, with_blanks

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
        captions = corpus.read_captions(options.captions) if options.captions else []
        sequences = corpus.read_sequences(options.data) if options.data else []
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
    result = Fingerprint()
    for pair in pairs:
        result.add(pair.split, *pair.abstract, "|", *pair.concrete)
    return result.hex()


def read(data: Path | None) -> list[Pair]:
    """The corpus in a file or folder, or our own."""
    if data is not None:
        return corpus.read(data)
    with as_file(files("proband").joinpath("data/script")) as folder:
        return [pair for path in sorted(folder.glob("corpus-*.tsv")) for pair in corpus.read(path)]


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
        return corpus.read_words(options.whitelist)
    if not options.released:
        return None
    if beside := corpus.released_whitelist(options.data):
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


# ---- table 1 for any corpus, the words that only the concrete side has, and what stands in two splits --------------


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
