"""Table 5: fills that are valid though they are not the right words (*fully* for *completely*).

Exact match calls them wrong. Beside it: the same word in another form or a synonym of WordNet's; and whether a masked
language model, which sees the text on both sides, has the words among its five likeliest at their places. A looser
measure counts more of anything, so each has its control: the model's own fills of other texts, drawn among blanks of
the same kind and length, which are as frequent and of the same part of speech. What a measure adds to exact match is
what it has above its control. People judge best: `fills-to-judge` is a sheet for them that does not say whose words
they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from proband.core.files import group_by_key
from proband.core.suite import Analysis, Results, Sheet
from proband.core.types import Item
from proband.lexicon.inflection import lemma, verb_lemma
from proband.lexicon.wordnet import Links
from proband.suites.script.corpus import facts_of, running
from proband.suites.script.metrics import blanks_of, category

JUDGED = 40  # blanks of the sheet for people, three lines each
Words = tuple[str, ...]
Judge = Callable[["FilledBlank", Words], bool]


@dataclass(frozen=True)
class FilledBlank:
    """A blank of an item, what stands there and what a model said."""

    item: Item
    number: int
    gold: Words
    guess: Words

    @property
    def kind(self) -> tuple[str, int]:
        return category(self.gold), len(self.gold)


def filled(results: Results, run: int) -> Iterator[FilledBlank]:
    for item, answer in results.scored(run):
        for number, blank in enumerate(blanks_of(item, answer)):
            if "guess" in blank and "gold" in blank:
                yield FilledBlank(item, number, tuple(blank["gold"]), tuple(blank["guess"]))


def shuffled(blanks: Sequence[FilledBlank], seed: int) -> list[Words]:
    """For each blank the fill of another of its kind and length."""
    groups = group_by_key((one.kind, at) for at, one in enumerate(blanks))
    out = [one.guess for one in blanks]
    draw = Random(seed)
    for places in groups.values():
        order = list(places)
        draw.shuffle(order)
        for at, other in zip(order, [*order[1:], order[0]], strict=True):  # a cycle: nobody keeps its own
            out[at] = blanks[other].guess
    return out


def exact(blank: FilledBlank, words: Words) -> bool:
    return words == blank.gold


def synonymous(words: frozenset[str]) -> Judge | None:
    """Each word is the right one, a form of it, or a synonym; None without WordNet."""
    links = Links.among(frozenset(form for word in words for form in forms(word)))
    if links is None:
        return None

    @cache
    def same(a: str, b: str) -> bool:
        pairs = [(x, y) for x in forms(a) for y in forms(b)]
        return any(x == y or {"synonym", "similar"} & links.between(x, y) for x, y in pairs)

    def judge(blank: FilledBlank, words: Words) -> bool:
        return len(words) == len(blank.gold) and all(map(same, words, blank.gold))

    return judge


def forms(word: str) -> frozenset[str]:
    """A word, its base forms, and the adjective of an adverb, which WordNet does not list with it.

    >>> sorted(forms("stirring")), sorted(forms("fully"))
    (['stir', 'stirring'], ['ful', 'full', 'fully'])
    """
    adjectives = {word[:-2], f"{word[:-2]}l"} if word.endswith("ly") and len(word) > 4 else set()
    return frozenset({word, lemma(word), verb_lemma(word), *adjectives})


def by_masked_model(results: Results) -> tuple[int, Judge, frozenset[str]] | None:
    """The masked model's run, whether it has each word among its five likeliest at the place, and the items it was
    asked."""
    kinds = [(run.identity.get("kind"), run.solver) for run in results.runs]
    run = next((at for at, each in enumerate(kinds) if each == ("masked", "cloze")), None)
    if run is None:
        return None
    fives: Mapping[str, Sequence[Sequence[Sequence[str]]]] = {
        item.id: [blank.get("top5", ()) for blank in answer.blanks] for item, answer in results.scored(run)
    }

    def judge(blank: FilledBlank, words: Words) -> bool:
        places = fives.get(blank.item.id, ())
        five = places[blank.number] if blank.number < len(places) else ()
        return len(words) == len(five) and all(word in top for word, top in zip(words, five))

    return run, judge, frozenset(fives)


def valid_fills(results: Results, seed: int) -> Sequence[Sheet]:
    runs = {at: list(filled(results, at)) for at, run in enumerate(results.runs) if run.solver != "align"}
    runs = {at: blanks for at, blanks in runs.items() if blanks}
    if not runs:
        return ()
    words = frozenset(word for blanks in runs.values() for one in blanks for word in (*one.gold, *one.guess))
    synonym, masked = synonymous(words), by_masked_model(results)
    judges: dict[str, Judge | None] = {"exact": exact, "synonym": synonym, "masked": masked[1] if masked else None}
    rows: list[tuple[str | float | int | None, ...]] = []
    for at, blanks in runs.items():
        others = shuffled(blanks, seed)
        cells: list[float | None] = []
        for name, judge in judges.items():
            if judge is None or (name == "masked" and masked and at == masked[0]):
                cells += [None, None]
            else:
                judged = [
                    (judge(one, one.guess), judge(one, words))
                    for one, words in zip(blanks, others, strict=True)
                    if name != "masked" or masked is None or one.item.id in masked[2]
                ]
                own, control = (sum(side) / len(judged) if judged else 0.0 for side in zip(*judged, strict=True))
                cells += [round(own, 3), round(control, 3)]
        rows.append((results.labels[at], len(blanks), *cells))
    header = (
        "model",
        "blanks",
        "exact",
        "control",
        "same word or synonym",
        "control",
        "masked model agrees",
        "control",
    )
    note = (
        "control: the model's fills of other blanks of the same kind and length. Greedy fills, whole blanks; the "
        "masked model judges the items it answered."
    )
    if synonym is None:
        note += " WordNet is not installed."
    if masked is None:
        note += " No run of a masked model with -s cloze is among them."
    table = Sheet(
        name="valid-fills", title="Fills that are valid though not the same", header=header, rows=tuple(rows), note=note
    )
    at = max(runs, key=lambda run: sum(exact(one, one.guess) for one in runs[run]) / len(runs[run]))
    return (table, *sheet_for_people(results.labels[at], runs[at], seed))


def sheet_for_people(model: str, blanks: Sequence[FilledBlank], seed: int) -> Iterator[Sheet]:
    """Wrong fills of one model with the right words and the control's in any order, and the key to it."""
    draw = Random(seed)
    others = shuffled(blanks, seed)
    wrong = [at for at, one in enumerate(blanks) if one.guess and one.guess != one.gold]
    lines = [
        (text_with_gap(blanks[at]), " ".join(words), whose)
        for at in sorted(draw.sample(wrong, min(JUDGED, len(wrong))))
        for words, whose in ((blanks[at].guess, "model"), (blanks[at].gold, "right"), (others[at], "control"))
    ]
    draw.shuffle(lines)
    title = f"For people to judge: do these words fit? Wrong fills of {model}, right words and controls"
    yield Sheet(
        name="fills-to-judge",
        title=title,
        header=("number", "text", "words", "do they fit (yes, no)"),
        rows=tuple((n, text, words, "") for n, (text, words, _) in enumerate(lines, start=1)),
    )
    yield Sheet(
        name="fills-to-judge-key",
        title="Whose words they are",
        header=("number", "whose"),
        rows=tuple((n, whose) for n, (_, _, whose) in enumerate(lines, start=1)),
    )


def text_with_gap(blank: FilledBlank) -> str:
    facts = facts_of(blank.item)
    start, end = facts.blanks[blank.number]
    words = [*facts.concrete[:start], "[____]", *facts.concrete[end:]]
    return f"{running(facts.abstract)}: {running(words)}"


VALID_FILLS = Analysis(name="valid-fills", help="fills that are valid though not the same (table 5)", of=valid_fills)
