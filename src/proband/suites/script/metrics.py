"""The measures of section 4.1, from the records of each blank.

    match   proportion of exact word matches over each blank: a blank of two words, one right, counts 1/2
    top5    the same for "is the right word among the five likeliest"
    oracle  the earlier blanks hold the gold words
    greedy  the earlier blanks hold the model's own words
    surprisal           -log p(word), nats, mean over the words of a blank (oracle)
    surprisal_aligned   the same plus -log p of the transitions: a transducer's shifts to the blank and its emits
    surprisal_released  the same, with one number per known word

A metric gives one number per blank (the length of alignments: one per set of texts); a report averages over blanks and
resamples captions. The `whole` variants ask for every word of a blank. Records come from nets and language models
alike; a measure whose field a record lacks (an endpoint gives no ranks) does not apply to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from operator import contains, eq
from typing import Any

from proband.core.files import DATA, read_utf8
from proband.core.metrics import Floats, Metric
from proband.core.types import WRONG, Answer, Item
from proband.suites.script.corpus import facts_of

Record = Mapping[str, Any]
Measure = Callable[[Item, Answer], float | Sequence[float] | None]


def _per_blank(field: str, value: Callable[[Record], float]) -> Measure:
    """A number for each blank whose record has the field."""

    def measure(item: Item, answer: Answer) -> Sequence[float] | None:
        return [value(blank) for blank in blanks_of(item, answer) if field in blank] or None

    return measure


def blanks_of(item: Item, answer: Answer) -> Sequence[Record]:
    """The records of an answer; an unread reply gets empty guesses, so every blank is wrong.

    >>> item = Item(id="a", suite="script", prompt="", facts={"gold": [["wok"], ["stir", "fry"]]})
    >>> [record["guess"] for record in blanks_of(item, Answer(item_id="a", status="unread"))]
    [[], []]
    """
    if answer.status not in WRONG or answer.blanks:
        return answer.blanks
    return [{"guess": [], "gold": gold} for gold in facts_of(item).gold]


def _share(field: str, right: Callable[[Any, str], bool], *, draws: str = "") -> Measure:
    """The share of a blank's words that equal the field's entry at their place, or are in its list; the mean over all
    draws if a record has them."""

    def share(words: Any, gold: Sequence[str]) -> float:
        return sum(map(right, words, gold)) / len(gold)

    return _per_blank(field, lambda blank: _mean_of(share, blank, field, draws))


def _whole(field: str, *, draws: str) -> Measure:
    return _per_blank(field, lambda blank: _mean_of(lambda guess, gold: list(guess) == list(gold), blank, field, draws))


def _mean_of(score: Callable[[Any, Any], float], blank: Record, field: str, draws: str) -> float:
    """
    >>> _mean_of(eq, {"gold": ["a"], "guess": ["a"], "guesses": [["a"], ["b"]]}, "guess", "guesses")
    0.5
    """
    guesses = blank.get(draws) or [blank[field]]
    return sum(score(guess, blank["gold"]) for guess in guesses) / len(guesses)


def _mean(field: str) -> Measure:
    return _per_blank(field, lambda blank: sum(blank[field]) / len(blank[field]))


def _aligned(blank: Record) -> float:
    """
    >>> _aligned({"surprisals": [1.0, 2.0], "moves": [0.5, 0.1]})
    1.8
    """
    return float(sum(blank["surprisals"]) + sum(blank["moves"])) / len(blank["moves"])


def surprisal_released(item: Item, answer: Answer) -> Sequence[float] | None:
    """The surprisal of each known word, with its transitions if the model has any: one number per word, as the released
    program counts (it treats all unknown words as one more word).

    >>> record = {"surprisals": [1.0, 60.0], "moves": [0.5, 0.5], "known": [True, False]}
    >>> surprisal_released(Item(id="a", suite="script", prompt=""), Answer(item_id="a", blanks=(record,)))
    [1.5]
    """
    numbers = list[float]()
    for blank in answer.blanks:
        words = blank.get("surprisals", ())
        moves, known = blank.get("moves") or [0.0] * len(words), blank.get("known") or [True] * len(words)
        numbers += [word + move for word, move, kept in zip(words, moves, known, strict=True) if kept]
    return numbers or None


def repeats(item: Item, answer: Answer) -> float | None:
    """1 if a model is caught in a loop: the same words fill two neighbouring blanks that should differ (Table 5).
    Blanks that a reply leaves open do not count."""
    guesses = [(list(b["guess"]), list(b["gold"])) for b in blanks_of(item, answer) if "guess" in b]
    if len(guesses) < 2:
        return None
    return float(any(a and a == b and x != y for (a, x), (b, y) in pairwise(guesses)))


def top5_words(field: str) -> Measure:
    """Whether each single word is among the five likeliest: one number per word, as the released program counts."""

    def measure(item: Item, answer: Answer) -> Sequence[float] | None:
        if field == "greedy_top5" and any("greedy_top5_share" in blank for blank in answer.blanks):
            return [share for blank in answer.blanks for share in blank["greedy_top5_share"]]  # the mean of all draws
        blanks = [blank for blank in answer.blanks if field in blank]
        hits = [float(w in five) for blank in blanks for w, five in zip(blank["gold"], blank[field], strict=True)]
        return hits or None

    return measure


def words_and_spans(item: Item, answer: Answer) -> tuple[float, float] | None:
    """The concrete words of one text and the abstract words they are aligned to; only for nets that align.

    >>> item = Item(id="a", suite="script", prompt="")
    >>> words_and_spans(item, Answer(item_id="a", blanks=({"path": [0, 0, 2]},)))
    (3.0, 2.0)
    """
    path = next((blank["path"] for blank in answer.blanks if blank.get("path")), None)
    return (float(len(path)), float(len(set(path)))) if path else None


def mean_span(records: Floats, weights: Floats) -> float:
    """Concrete words per abstract word that has any, over all texts (section 4.1: the average alignment span).

    >>> import numpy as np
    >>> mean_span(np.array([[4.0, 2.0], [2.0, 1.0]]), np.ones(2))
    2.0
    """
    words, spans = weights @ records
    return float(words / spans) if spans else 0.0


def pieces(item: Item, answer: Answer) -> float | None:
    """Runs of concrete words per abstract word that has any: 1 where each generates one phrase (section 3).

    >>> item = Item(id="a", suite="script", prompt="")
    >>> pieces(item, Answer(item_id="a", blanks=({"path": [0, 1, 0, 0]},)))
    1.5
    """
    path = next((blank["path"] for blank in answer.blanks if blank.get("path")), None)
    return (1 + sum(a != b for a, b in pairwise(path))) / len(set(path)) if path else None


def at_the_ends(item: Item, answer: Answer) -> tuple[float, float] | None:
    """Shares of one text's words that are aligned to the first and to the last abstract word, of three or more.

    >>> item = Item(id="a", suite="script", prompt="", facts={"abstract": ["drain", "the", "pasta"]})
    >>> at_the_ends(item, Answer(item_id="a", blanks=({"path": [0, 2, 2, 2]},)))
    (0.25, 0.75)
    """
    path = next((blank["path"] for blank in answer.blanks if blank.get("path")), None)
    last = len(facts_of(item).abstract) - 1
    return (path.count(0) / len(path), path.count(last) / len(path)) if path and last > 1 else None


def ends_share(item: Item, answer: Answer) -> float | None:
    shares = at_the_ends(item, answer)
    return sum(shares) if shares else None


def degenerate(item: Item, answer: Answer) -> float | None:
    """1 if most of a text is aligned to the start, or to the end, of the abstract line (section 4.2)."""
    shares = at_the_ends(item, answer)
    return float(max(shares) > 0.5) if shares else None


_surprisal = partial(Metric, unit="nats", better="low")
METRICS = (
    Metric(name="whole_greedy", of=_whole("guess", draws="guesses"), title="share of blanks filled exactly (greedy)"),
    Metric(
        name="match_greedy", of=_share("guess", eq, draws="guesses"), title="share of correct words per blank (greedy)"
    ),
    Metric(
        name="top5_greedy", of=_share("greedy_top5", contains), title="share of words per blank in the top 5 (greedy)"
    ),
    Metric(
        name="match_oracle", of=_share("oracle", eq, draws="oracles"), title="share of correct words per blank (oracle)"
    ),
    Metric(name="top5_oracle", of=_share("top5", contains), title="share of words per blank in the top 5 (oracle)"),
    _surprisal(name="surprisal", of=_mean("surprisals"), title="surprisal"),
    _surprisal(name="surprisal_aligned", of=_per_blank("moves", _aligned), title="surprisal with transitions"),
    _surprisal(name="surprisal_released", of=surprisal_released, title="surprisal as the released program counts"),
    Metric(name="rank", of=_mean("ranks"), unit="count", better="low", title="rank of the right word"),
    Metric(name="whole_oracle", of=_whole("oracle", draws="oracles"), title="share of blanks filled exactly (oracle)"),
    Metric(name="repeats", of=repeats, better="low", title="share of texts with a loop"),
    Metric(name="top5_word_oracle", of=top5_words("top5"), title="share of words in the top 5 (oracle)"),
    Metric(name="top5_word_greedy", of=top5_words("greedy_top5"), title="share of words in the top 5 (greedy)"),
    _surprisal(name="surprisal_full", of=_mean("full_surprisals"), title="surprisal over all words"),
    Metric(
        name="alignment_length",
        of=mean_span,
        unit="count",
        better="low",
        over="set",
        each=words_and_spans,
        title="alignment length",
    ),
    Metric(name="pieces", of=pieces, unit="count", better="low", title="pieces per abstract word"),
    Metric(name="degenerate", of=degenerate, better="low", title="share of texts aligned mostly to one end"),
    Metric(name="ends_share", of=ends_share, better="low", title="share of words aligned to either end"),
)


# ---- kinds of blanks: a tool, a unit, a place, an action, or something else ---------------------------------------
#
# A blank's category is that of its last word that has one, because an English compound ends with its head (*wooden
# spoon* is a tool, *stove burner* a place). A word's category is in data/script/categories.tsv; a word not listed
# there is looked up without a plural or verbal ending (*ladles*, *stirring*, *chopped*). A few compounds are listed
# whole (a *cup* is a unit, a *measuring cup* a tool). What is left is `other`: manner, state, ingredients. A word that
# may be noun or verb has the kind it mostly has in instructions: *place* and *scoop* are actions, *stove* is a place.


CATEGORIES = ("tool", "action", "unit", "place", "other")


@cache
def lexicon() -> Mapping[str, str]:
    """word -> category, from data/script/categories.tsv (category, tab, words)."""
    text = read_utf8(DATA / "script" / "categories.tsv")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return {word: category for category, words in reversed(rows) for word in words.split()}  # the first row wins


def stems(word: str) -> Iterator[str]:
    """A word and its possible base forms.

    >>> list(stems("knives")), list(stems("stirring"))
    (['knives', 'knive', 'kniv', 'knife'], ['stirring', 'stirr', 'stirre', 'stir'])
    """
    yield word
    for ending in ("s", "es", "ed", "ing"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            yield stem
            if ending in ("ed", "ing"):
                yield stem + "e"
                if stem[-1] == stem[-2]:
                    yield stem[:-1]
    if word.endswith("ves"):
        yield word[:-3] + "fe"
    if word.endswith(("ies", "ied")):
        yield word[:-3] + "y"


def category(words: Sequence[str]) -> str:
    """
    >>> category(["wooden", "spoon"]), category(["stirring"]), category(["teaspoons"]), category(["golden"])
    ('tool', 'action', 'unit', 'other')
    """
    known = lexicon()
    forms = ["_".join(words[-2:]), *(stem for word in reversed(words) for stem in stems(word))]
    return next((known[form] for form in forms if form in known), "other")


# ---- the same measures for some blanks: by kind and by number of words --------------------------------------------


LENGTHS: Mapping[str, Callable[[int], bool]] = {
    "1-word": lambda n: n == 1,
    "2-words": lambda n: n == 2,
    "3-words-or-more": lambda n: n >= 3,
}


def only(metric: Metric, part: str) -> Metric:
    """A metric over the blanks of one kind or length."""

    def kept(item: Item, answer: Answer) -> Sequence[float] | None:
        scored = [blank for blank in blanks_of(item, answer) if "gold" in blank]
        kinds = facts_of(item).kinds or [category(blank["gold"]) for blank in scored]
        blanks = tuple(
            dict(blank)
            for blank, kind in zip(scored, kinds)
            if (LENGTHS[part](len(blank["gold"])) if part in LENGTHS else kind == part)
        )
        return metric.numbers(item, Answer(item_id=answer.item_id, blanks=blanks)) or None

    return replace(metric, name=f"{metric.name}:{part}", of=kept, title=f"{metric.title}: {part} blanks")


BREAKDOWN = tuple(
    only(metric, part)
    for metric in METRICS
    if metric.name in ("match_greedy", "match_oracle", "top5_oracle")
    for part in (*CATEGORIES, *LENGTHS)
)
