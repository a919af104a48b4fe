"""Table 3 and figure 2: which abstract word generates which concrete phrase, from the answers of the solver `align`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from proband.core.suite import Analysis, Results, Sheet
from proband.suites.script.analysis import knowledge
from proband.suites.script.analysis.knowledge import Row
from proband.suites.script.cloze.blanks import STOP_WORDS

WORDS = ("cheese", "macaroni", "egg", "sauce", "oil")  # of the paper's table
PHRASES = ("whisk", "spatula", "tongs", "cutting board", "preheat")
SHOWN, EXAMPLES, OFTEN = 30, 10, 5
NOTE = "In brackets: pointwise mutual information in nats, and how often."


def first_alignment(results: Results) -> int | None:
    """The run that aligned the texts: fixed transitions before parameterised ones."""
    runs = [at for at, run in enumerate(results.runs) if run.solver == "align"]
    return min(runs, key=lambda at: (results.runs[at].net.get("net", ""), at), default=None)


def alignments(results: Results, run: int) -> Iterator[knowledge.Aligned]:
    for item, answer in results.answers(run):
        for blank in answer.blanks:
            texts = tuple(item.facts["abstract"]), tuple(item.facts["concrete"])
            yield knowledge.Aligned(*texts, tuple(blank["path"]), item.split)


# ---- table 3 -------------------------------------------------------------------------------------------------------


def aligned_phrases(results: Results, seed: int) -> Sequence[Sheet]:
    """Both directions for the words of the paper, and the pairs of highest mutual information."""
    run = first_alignment(results)
    if run is None:
        return ()
    words = next((item.facts["candidates"] for item in results.items() if "candidates" in item.facts), "")  # in each
    training = (one for one in alignments(results, run) if one.split == "train")
    rows = knowledge.table(knowledge.tuples(training, frozenset(words.split()), stop=STOP_WORDS), least=1)
    by = results.labels[run]
    generated = looked_up(knowledge.to_concrete, rows, "abstract", WORDS)
    generating = looked_up(knowledge.to_abstract, rows, "concrete", PHRASES)
    best = [row for row in rows if row.count >= OFTEN][:SHOWN]
    sheets = (
        Sheet(
            name="table3",
            title=f"Table 3, abstract to concrete: training texts aligned by {by}",
            header=("abstract word", "concrete phrases"),
            rows=tuple((word, listed(found, "concrete")) for word, found in generated.items()),
            note=NOTE,
        ),
        Sheet(
            name="table3-concrete",
            title=f"Table 3, concrete to abstract: training texts aligned by {by}",
            header=("concrete words", "abstract words"),
            rows=tuple((word, listed(found, "abstract")) for word, found in generating.items()),
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


def looked_up(
    look: Callable[[Sequence[Row], str], list[Row]], rows: Sequence[Row], side: str, words: Sequence[str]
) -> dict[str, list[Row]]:
    """What is found for the paper's words; where that is nothing, for the commonest of this corpus."""
    common = Counter(getattr(row, side) for row in rows).most_common(len(words))
    found = {word: look(rows, word) for word in words}
    if not any(found.values()):
        found = {word: look(rows, word) for word, _ in common}
    return {word: those for word, those in found.items() if those}


def listed(found: Sequence[Row], side: str) -> str:
    return ", ".join(f"{getattr(row, side)} ({row.pmi:.1f}, {row.count})" for row in found)


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


PHRASE_TABLE = Analysis(name="table3", help="phrases that abstract words generate (table 3)", of=aligned_phrases)
ALIGNMENTS = Analysis(name="figure2", help="texts with their alignments (figure 2)", of=alignment_texts)
