"""Tables 1, 4 and 5 of the paper and its published figures, typed in from its tables (data/script/published.csv).

Table 4 is a table per column, with tables that go beyond it, as data for the report.

A line is a model, or all training seeds of one net together; published figures are shown next to it in the split they
are compared with. Training texts are no questions (`asked`). Table 4's match is of whole blanks and its top-5 of single
words: that is how the released program counts, and the only reading in which a net of the released size meets the
published row (experiments/script/nets/table4.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from proband.core.files import data_rows
from proband.core.metrics import SPLITS
from proband.core.suite import MeasuredOn, Published, Results, Sheet, Table
from proband.core.types import Answer, Item, Run, Tag
from proband.suites.script.corpus import facts_of, running
from proband.suites.script.metrics import CATEGORIES, LENGTHS, METRICS

ORDER: Mapping[str, tuple[Tag, ...]] = {"split": ("valid", "test")}
FIRST = ("whole_greedy", "top5_word_greedy", "whole_oracle", "top5_word_oracle", "surprisal_released")
FURTHER_METRICS = (
    "match_greedy",
    "match_oracle",
    "top5_greedy",
    "top5_oracle",
    "surprisal",
    "surprisal_aligned",
    "surprisal_full",
    "rank",
    "repeats",
)
OF_ALIGNMENTS = ("alignment_length", "pieces", "degenerate", "ends_share")
NOTE = (
    "Match counts whole blanks and top-5 single words, as the released program does; surprisal is in nats over the "
    "whitelist, per known word and with a transducer's transitions. The paper does not name the split of its figures "
    "(the released program evaluates valid), so they are shown with both."
)
TITLES = {
    "whole_greedy": "Blanks filled exactly (greedy: earlier blanks hold the model's own words)",
    "whole_oracle": "Blanks filled exactly (oracle: earlier blanks hold the right words)",
    "repeats": "Texts in which the same words fill two neighbouring blanks that should differ",
    "alignment_length": "Concrete words per abstract word that they are aligned to",
    "degenerate": "Texts of which more than half is aligned to the first, or to the last, abstract word",
    "ends_share": "Concrete words that are aligned to the first or the last abstract word",
}
METRIC_TITLES = {metric.name: metric.title for metric in METRICS}


def _table(metric: str, *, title: str = "", published_note: str = "", always: bool = True) -> Table:
    return Table(
        name=metric.replace(":", "_"),
        title=title or TITLES.get(metric) or METRIC_TITLES[metric].capitalize(),
        rows=("category",),
        columns=("split",),
        metric=metric,
        order=ORDER,
        where={"asked": True, "run.solver": "answer"} if metric in OF_ALIGNMENTS else {"asked": True},
        published_note=published_note,
        always=always,
    )


TABLES = (
    *(_table(metric, published_note=NOTE) for metric in FIRST),
    *(_table(metric, always=metric in ("match_greedy", "match_oracle", "rank")) for metric in FURTHER_METRICS),
    *(_table(metric, always=metric == "alignment_length") for metric in OF_ALIGNMENTS),
    *(
        _table(f"match_oracle:{part}", title=f"Share of right words, oracle: blanks of kind {part}", always=False)
        for part in (*CATEGORIES, *LENGTHS)
    ),
)

TABLE4 = Table(
    name="table4",
    title="Table 4: the cloze task",
    adjacent={
        "oracle match": "whole_oracle",
        "oracle top-5": "top5_word_oracle",
        "greedy match": "whole_greedy",
        "greedy top-5": "top5_word_greedy",
        "surprisal": "surprisal_released",
    },
    note="Match is of whole blanks, top-5 of single words, as the released program counts; means over runs (seeds). "
    "The paper does not say which split it shows.",
    always=False,
)
BY_BLANK = Table(
    name="kinds",
    title="Share of right words (oracle, percent) by kind and length of blank",
    adjacent={part.replace("-", " "): f"match_oracle_{part}" for part in (*CATEGORIES, *LENGTHS)},
    note="With intervals: the tables match_oracle_KIND.",
    always=False,
)


# ---- the published figures ------------------------------------------------------------------------------------------


SOURCE = "Bisk et al. 2019"
# of the released templates; the program that was released with them trains nets of these settings
KIDSCOOK = frozenset({"1573a9469df4fb7f15448434ae5317a718522acf362fa569a379fdb8500863bc"})
BLANKS_RELEASED: dict[str, Tag] = {"blanks": "as released"}
RELEASED: dict[str, Tag] = {
    **BLANKS_RELEASED,
    "run.hidden": 128,
    "run.width": 100,
    "run.dropout": 0.5,
    "run.input_dropout": 0.0,
    "run.state_dropout": 0.0,
    "run.rate": 0.001,
    "run.decay": 0.0,
    "run.rates": "constant",
    "run.clip": 0.0,
    "run.average": 0.0,
    "run.keep": "last",
    "run.longest": 49,
    "run.temperature": 0.5,
    "run.pick": "all",
    "run.ends": "unread",
}
# what a measure counts, in valid and test of the released files, whose texts the released program cuts after 49 words
TEXTS, BLANKS, WORDS = (1006, 999), (4603, 4443), (5661, 5398)
COUNTED = dict.fromkeys(("top5_word_oracle", "top5_word_greedy", "surprisal_released"), WORDS)
COUNTED["alignment_length"] = TEXTS
PLACES = {"table4": "table 4", "section4.2": "section 4.2"}


@cache
def rows() -> list[dict[str, str]]:
    """Every row: table, row, column, value."""
    return data_rows("script/published.csv")


def value(table: str, row: str, column: str) -> float:
    """
    >>> value("table4", "transducer", "whole_greedy")
    0.2491
    """
    return next(float(r["value"]) for r in rows() if (r["table"], r["row"], r["column"]) == (table, row, column))


def published() -> Sequence[Published]:
    """Table 4 and the lengths of alignments, next to valid and test of KidsCook: the paper does not name its split."""
    return [
        Published(
            model=row["row"],
            metric=row["column"],
            group={"category": "kidscook", "split": split},
            value=float(row["value"]),
            source=f"{SOURCE}, {PLACES[row['table']]}",
            on=MeasuredOn(
                data="KidsCook",
                fingerprints=KIDSCOOK,
                questions=None if row["row"].startswith("gpt") else count,  # of GPT the program was not released
                conditions=BLANKS_RELEASED if row["row"].startswith("gpt") else RELEASED,
            ),
        )
        for row in rows()
        if row["table"] in PLACES
        for split, count in zip(("valid", "test"), COUNTED.get(row["column"], BLANKS), strict=True)
    ]


# ---- table 1 and the new words of section 2.1, from the counts in the manifest, next to the printed figures --------


FIGURES = ("sequences", "padded_tokens", "vocabulary", "abstract_length", "padded_length")
Counts = Mapping[str, Mapping[str, Any]]  # split -> figure -> count


def corpus_statistics(results: Results, seed: int) -> Sequence[Sheet]:
    """Counts by split, new words, and captions in two splits."""
    manifest = results.manifest
    if "table1" not in manifest:
        return ()
    counted = {
        f"published ({SOURCE})": published_corpus() if manifest.get("fingerprint") in KIDSCOOK else {},
        "released sequences": {row["split"]: row for row in manifest.get("sequences", ())},
        "these items": {row["split"]: row for row in manifest["table1"]},
    }
    return (
        Sheet(
            name="table1",
            title="Table 1: the corpus",
            header=("split", "source", "sequences", "tokens", "types", "abstract length", "concrete length"),
            rows=tuple(
                (split, source, *(each[split].get(figure) for figure in FIGURES))
                for split in SPLITS
                for source, each in counted.items()
                if split in each
            ),
            note="Tokens count one for each of the five steps that is empty. Rare words of the released sequences read "
            "#UNK#, so their types are fewer; the cloze texts have full words but lack the texts without blanks.",
        ),
        new_words(manifest),
        Sheet(
            name="overlaps",
            title="Repeated pairs, and captions in two splits",
            header=("what", "count"),
            rows=tuple((name.replace("_", " "), count) for name, count in manifest["overlaps"].items()),
        ),
    )


def published_corpus() -> Counts:
    """
    >>> published_corpus()["train"]["sequences"], published_corpus()["train"]["abstract_length"]
    (8125, 10.0)
    """
    figures: dict[str, dict[str, int | float]] = {split: {} for split in SPLITS}
    for row in rows():
        if row["table"] == "table1":
            text = row["value"]
            figures[row["row"]][row["column"]] = int(text) if text.isdigit() else float(text)
    return figures


def new_words(manifest: Mapping[str, Any]) -> Sheet:
    """Words that only the concrete side has."""
    lines: list[tuple[str, int, int]] = []
    if manifest.get("fingerprint") in KIDSCOOK:
        types, lemmas = (int(value("section2.1", "new words", column)) for column in ("types", "lemmas"))
        lines.append((f"published ({SOURCE}, section 2.1)", types, lemmas))
    lines.append(("these items", manifest["new_words"]["types"], manifest["new_words"]["lemmas"]))
    return Sheet(
        name="new-words",
        title="Words of the concrete texts that are new",
        header=("source", "types", "lemmas"),
        rows=tuple(lines),
    )


CORPUS = Table(name="table1", title="the corpus in figures, next to table 1", of=corpus_statistics, always=False)


# ---- table 5: whole texts as a model fills them greedily, with the right words below -------------------------------


EXAMPLES = 3


def greedy_texts(results: Results, seed: int) -> Sequence[Sheet]:
    """Some validation texts (otherwise other texts), filled by the strongest kind of model among the runs."""
    filling = [at for at, run in enumerate(results.runs) if run.solver != "align"]
    if not filling:
        return ()
    chosen = min(filling, key=lambda at: (strength(results.runs[at]), at))
    pairs = [pair for pair in results.answers(chosen) if any("guess" in blank for blank in pair[1].blanks)]
    pairs = [pair for pair in pairs if pair[0].split == "valid"] or pairs
    rows: list[tuple[str, str]] = []
    for n in range(min(EXAMPLES, len(pairs))):
        item, answer = pairs[n * len(pairs) // EXAMPLES]
        rows += [("abstract", running(facts_of(item).abstract)), ("model", fill_in(item, answer))]
        rows += [("right", fill_in(item, None))]
    title = f"Table 5: blanks filled greedily by {results.labels[chosen]}"
    return (Sheet(name="table5", title=title, header=("", "text"), rows=tuple(rows), note="[in brackets]: the blanks"),)


def strength(run: Run) -> int:
    """Sort key: a fine-tuned language model, then a pretrained one, then a net, then a baseline."""
    if run.net:
        return 0 if run.solver == "cloze" else 2
    return 1 if run.solver in ("cloze", "generate") else 3


def fill_in(item: Item, answer: Answer | None) -> str:
    """The concrete text with its blanks in brackets: filled by the model, or with the gold words. What a net does not
    read (option `longest`) is as in the text.

    >>> facts = {"concrete": ["use", "a", "wire", "whisk"], "blanks": [[2, 4]]}
    >>> item = Item(id="a", suite="script", prompt="", facts=facts)
    >>> fill_in(item, Answer(item_id="a", blanks=({"guess": ["wooden"]},))), fill_in(item, None)
    ('use a [wooden ____]', 'use a [wire whisk]')
    """
    words, blanks = list(facts_of(item).concrete), facts_of(item).blanks
    gold = [{"guess": words[start:end]} for start, end in blanks]
    for (start, end), record in zip(blanks, gold if answer is None else answer.blanks):  # a net may read a part
        guess = list(record.get("guess", ()))
        guess += ["____"] * (end - start - len(guess))
        words[start:end] = [f"[{guess[0]}", *guess[1:]]
        words[end - 1] += "]"
    return running(words)


GREEDY = Table(name="table5", title="texts as a model fills them greedily (table 5)", of=greedy_texts, always=False)
