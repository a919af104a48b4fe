"""Table 3 and figure 2: which abstract word generates which concrete phrase, from the answers of the solver `align`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from proband.core.suite import Results, Sheet, Table
from proband.suites.script.build import stop_words
from proband.suites.script.corpus import facts_of

# ---- table 3: abstract word <-> concrete phrase in alignments, sorted by mutual information (section 5)
#
# Every run of concrete words aligned to one abstract word is a phrase that this word generated. Over all (word, phrase)
# tuples of the training corpus, N of them,
#
#     PMI(w, p)  = log [ N count(w, p) / (count(w) count(p)) ]
#     NPMI(w, p) = PMI(w, p) / -log [ count(w, p) / N ]            between -1 and 1
#
# A run is cut down to the phrases that matter: from a whitelisted word to another one nearby, `longest` words at most.
# Words of the pair's own abstract line do not count as whitelisted, as in the cloze task: that *oven* generates *oven*
# is no news. Runs without a whitelisted word are left out, as in the paper.


@dataclass(frozen=True)
class Aligned:
    """A text and, for each of its words, the position in the abstract line that generated it."""

    abstract: tuple[str, ...]
    concrete: tuple[str, ...]
    path: tuple[int, ...]
    split: str = "train"

    def runs(self) -> Iterator[tuple[str, list[str]]]:
        """Abstract words with the concrete words they generated, for those that generated any.

        >>> list(Aligned(("drain", "pasta"), ("use", "a", "strainer"), (0, 0, 0)).runs())
        [('drain', ['use', 'a', 'strainer'])]
        """
        for at, run in groupby(zip(self.path, self.concrete), key=lambda step: step[0]):
            yield self.abstract[at], [word for _, word in run]


@dataclass(frozen=True, kw_only=True)
class PhraseRow:
    """A line of the table; its counts are of both together, of each alone, and of all tuples."""

    abstract: str
    concrete: str
    count: int
    count_abstract: int
    count_concrete: int
    total: int

    @property
    def pmi(self) -> float:
        return math.log(self.total * self.count / (self.count_abstract * self.count_concrete))

    @property
    def npmi(self) -> float:
        return self.pmi / -math.log(self.count / self.total) if self.count < self.total else 1.0


def tuples(
    alignments: Iterable[Aligned], words: Collection[str], *, stop: Collection[str] = (), longest: int = 4
) -> Iterator[tuple[str, str]]:
    """(abstract word, concrete phrase) for every aligned run that holds a whitelisted word.

    >>> one = Aligned(("drain", "pasta"), ("use", "a", "strainer", "for", "it"), (0, 0, 0, 1, 1))
    >>> list(tuples([one], {"strainer", "use"}))
    [('drain', 'use a strainer')]
    """
    for one in alignments:
        unsaid = frozenset(words).difference(one.abstract)
        for source, run in one.runs():
            if source not in stop and source[0].isalnum():
                for phrase in phrases(run, unsaid, longest=longest):
                    yield source, phrase


def phrases(run: Sequence[str], words: Collection[str], *, longest: int = 4) -> list[str]:
    """The pieces of a run from a whitelisted word to the next within `longest` words; signs end a piece.

    >>> phrases("then put a large pot on the hot stove .".split(), {"large", "pot", "hot", "stove"})
    ['large pot', 'hot stove']
    >>> phrases("hold a grater".split(), {"hold", "grater"})
    ['hold a grater']
    """
    pieces: list[tuple[int, int]] = []
    for at, word in enumerate(run):
        if word in words:
            start, end = pieces[-1] if pieces else (-longest, -longest)
            if at - end < 2 and at + 1 - start <= longest and all(w[0].isalnum() for w in run[end:at]):
                pieces[-1] = (start, at + 1)
            else:
                pieces.append((at, at + 1))
    return [" ".join(run[start:end]) for start, end in pieces]


def table(pairs: Iterable[tuple[str, str]], *, least: int = 3) -> list[PhraseRow]:
    """Every (word, phrase) seen `least` times, the highest PMI first.

    >>> rows = table([("oil", "pour")] * 3 + [("egg", "crack")] * 3 + [("egg", "pour")], least=1)
    >>> (rows[0].abstract, rows[0].concrete, round(rows[0].pmi, 3))
    ('egg', 'crack', 0.56)
    """
    both = Counter(pairs)
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (word, phrase), count in both.items():
        first[word] += count
        second[phrase] += count
    return by_pmi(
        PhraseRow(
            abstract=word,
            concrete=phrase,
            count=count,
            count_abstract=first[word],
            count_concrete=second[phrase],
            total=both.total(),
        )
        for (word, phrase), count in both.items()
        if count >= least
    )


def by_pmi(rows: Iterable[PhraseRow]) -> list[PhraseRow]:
    return sorted(rows, key=lambda row: (-row.pmi, -row.count, row.abstract, row.concrete))


def to_concrete(rows: Sequence[PhraseRow], word: str, *, least: int = 3, top: int = 8) -> list[PhraseRow]:
    """The phrases that an abstract word generates."""
    return [row for row in rows if row.abstract == word and row.count >= least][:top]


def to_abstract(rows: Sequence[PhraseRow], words: str, *, least: int = 3, top: int = 8) -> list[PhraseRow]:
    """The abstract words that generate a phrase with these words ("we match any phrase containing the word(s)"):
    counts over all such phrases, with their own mutual information. `rows` is the whole table (`least=1`)."""
    here: Counter[str] = Counter()
    for row in rows:
        if f" {words} " in f" {row.concrete} ":
            here[row.abstract] += row.count
    one_each = {row.abstract: row for row in rows if here[row.abstract] >= least}
    return by_pmi(
        replace(row, concrete=words, count=here[word], count_concrete=here.total()) for word, row in one_each.items()
    )[:top]


# ---- from answers to alignments -------------------------------------------------------------------------------------


ATTENTION = "attention"
WORDS = ("cheese", "macaroni", "egg", "sauce", "oil")  # of the paper's table
PHRASES = ("whisk", "spatula", "tongs", "cutting board", "preheat")
SHOWN, EXAMPLES, OFTEN = 30, 10, 5
NOTE = "In brackets: pointwise mutual information in nats, and how often."


def first_alignment(results: Results) -> int | None:
    """The run that aligned the texts: fixed transitions before parameterised ones, attention last."""
    runs = [at for at, run in enumerate(results.runs) if run.solver == "align"]
    kinds = [str(run.net.get("net", "")) for run in results.runs]
    return min(runs, key=lambda at: (kinds[at] == ATTENTION, kinds[at], at), default=None)


def alignments(results: Results, run: int) -> Iterator[Aligned]:
    for item, answer in results.answers(run):
        texts = tuple(facts_of(item).abstract), tuple(facts_of(item).concrete)
        yield from (Aligned(*texts, tuple(blank["path"]), item.split) for blank in answer.blanks)


# ---- table 3 -------------------------------------------------------------------------------------------------------


def aligned_phrases(results: Results, seed: int) -> Sequence[Sheet]:
    """Both directions for the words of the paper, and the pairs of highest mutual information."""
    run = first_alignment(results)
    if run is None:
        return ()
    words = next((facts_of(item).candidates for item in results.items() if facts_of(item).candidates), "")  # in each
    training = (one for one in alignments(results, run) if one.split == "train")
    rows = table(tuples(training, frozenset(words.split()), stop=stop_words()), least=1)
    by = results.labels[run]
    generated = look_up(to_concrete, rows, "abstract", WORDS)
    generating = look_up(to_abstract, rows, "concrete", PHRASES)
    best = [row for row in rows if row.count >= OFTEN][:SHOWN]
    sheets = (
        Sheet(
            name="table3",
            title=f"Table 3, abstract to concrete: training texts aligned by {by}",
            header=("abstract word", "concrete phrases"),
            rows=tuple((word, as_list(each, "concrete")) for word, each in generated.items()),
            note=NOTE,
        ),
        Sheet(
            name="table3-concrete",
            title=f"Table 3, concrete to abstract: training texts aligned by {by}",
            header=("concrete words", "abstract words"),
            rows=tuple((word, as_list(each, "abstract")) for word, each in generating.items()),
            note=f"{NOTE} Any phrase that contains the words counts.",
        ),
        Sheet(
            name="table3-pairs",
            title=f"Pairs of highest mutual information among those seen {OFTEN} times or more",
            header=("abstract", "concrete", "count", "PMI", "NPMI"),
            rows=tuple((r.abstract, r.concrete, r.count, round(r.pmi, 2), round(r.npmi, 2)) for r in best),
        ),
    )
    return [sheet for sheet in sheets if sheet.rows]


def look_up(
    look: Callable[[Sequence[PhraseRow], str], list[PhraseRow]],
    rows: Sequence[PhraseRow],
    side: str,
    words: Sequence[str],
) -> dict[str, list[PhraseRow]]:
    """The rows for the paper's words; if there are none, for the most frequent words of this corpus."""
    common = [word for word, _ in Counter(getattr(row, side) for row in rows).most_common(len(words))]
    tables = ({word: matches for word in each if (matches := look(rows, word))} for each in (words, common))
    return next(filter(None, tables), {})


def as_list(rows: Sequence[PhraseRow], side: str) -> str:
    return ", ".join(f"{getattr(row, side)} ({row.pmi:.1f}, {row.count})" for row in rows)


# ---- figure 2 ------------------------------------------------------------------------------------------------------


def alignment_texts(results: Results, seed: int) -> Sequence[Sheet]:
    """Some validation texts (or others): each abstract word with the words it generated, as figure 2 shows them."""
    run = first_alignment(results)
    if run is None:
        return ()
    texts = [one for one in alignments(results, run) if one.split == "valid"] or list(alignments(results, run))
    rows = tuple(
        (" ".join(one.abstract) if n == 0 else "", word, " ".join(run_of_words))
        for one in texts[:: max(1, len(texts) // EXAMPLES)][:EXAMPLES]
        for n, (word, run_of_words) in enumerate(one.runs())
    )
    title = f"Figure 2: Viterbi alignments by {results.labels[run]}"
    note = "The item browser draws each alignment, with posteriors where the run has them."
    header = ("line", "abstract word", "concrete words")
    return (Sheet(name="figure2", title=title, header=header, rows=rows, note=note),)


PHRASE_TABLE = Table(
    name="table3", title="phrases that abstract words generate (table 3)", of=aligned_phrases, always=False
)
ALIGNMENTS = Table(name="figure2", title="texts with their alignments (figure 2)", of=alignment_texts, always=False)
