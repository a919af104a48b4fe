"""Word embeddings: relations as means of word vectors, and dependency-based vectors (Levy & Goldberg 2014) trained on
syntactic n-grams (section 4.1), on parsed text in CoNLL-U, or on plain text that a spaCy pipeline parses first.

The contexts of a word are its neighbours in the tree with the name of the arc: `eats` has `cat/nsubj` and `mouse/obj`,
`mouse` has `eats/obj^-1`. A preposition joins the arc that it marks: `sleeps` has `house/obl:in` (in n-grams, with
Stanford's labels, `house/prep:in`). An n-gram counts as often as it occurred. The net is a file of word vectors
(`vec:FOLDER/vectors.txt`), which any solver over word vectors takes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.plugins import Meta
from proband.core.progress import Progress
from proband.core.protocols import Floats32, HasVectors
from proband.core.suite import Net, Solver
from proband.core.tables import text_lines
from proband.core.types import Answer, Item
from proband.english.extraction.plain_text import OURS, TextParser, paragraphs
from proband.english.extraction.syntactic_ngrams import TOKEN as NGRAM_TOKEN
from proband.suites.inference.assertions.records import conllu_cells
from proband.suites.inference.assertions.sources import guess
from proband.suites.inference.items import FUNCTION, facts_of, premises, sentence, words
from proband.suites.inference.methods.embeddings.skip_gram import Pairs, SkipGramOptions, TrainSkipGram, frequent
from proband.suites.inference.methods.prompts import RuleOptions, combined

# ---- word embeddings (section 4.1): a relation is the mean of the vectors of its content words, and ----------------
#
#     s(premise, hypothesis) = cos(mean v(w), mean v(w'))
# A relation without a known word scores -1, below all others.


def solve(items: Sequence[Item], model: HasVectors, *, seed: int, options: RuleOptions) -> list[Answer]:
    pairs = [facts_of(item) for item in items]
    relations = list(dict.fromkeys(each for p in pairs for each in (p.premise.relation, p.hypothesis.relation)))
    at = {relation: n for n, relation in enumerate(relations)}
    means, known = mean_vectors(model, [tokens(relation) for relation in relations])
    left = [at[pair.premise.relation] for pair in pairs]
    right = [at[pair.hypothesis.relation] for pair in pairs]
    likeness = np.where(known[left] & known[right], (means[left] * means[right]).sum(axis=1), -1.0)
    return combined(items, [float(each) for each in likeness], options)


def tokens(relation: str) -> Sequence[str]:
    """The content words of a relation; all its words if it has none."""
    every = words(relation)
    return [word for word in every if word not in FUNCTION] or every


def mean_vectors(model: HasVectors, texts: Sequence[Sequence[str]]) -> tuple[Floats32, NDArray[np.bool_]]:
    """The mean vector of each list of words, scaled to length one, and whether any of the words is known."""
    every = list(dict.fromkeys(word for text in texts for word in text)) or [""]
    vectors, there = model.vectors(every)
    row = {word: n for n, word in enumerate(every)}
    means, known = np.zeros((len(texts), vectors.shape[1]), np.float32), np.zeros(len(texts), bool)
    for n, text in enumerate(texts):
        rows = [row[word] for word in text if there[row[word]]]
        if rows:
            mean = vectors[rows].mean(axis=0)
            length = float(np.linalg.norm(mean))
            means[n], known[n] = (mean / length, True) if length else (mean, False)
    return means, known


WORDS = Solver(
    name="words",
    help="the mean vector of a relation's content words, and the cosine of two",
    needs=HasVectors,
    solve=solve,
    options=RuleOptions,
)


# ---- word vectors from dependency contexts -------------------------------------------------------------------------


FILE = "vectors.txt"
Token = tuple[str, int, str]  # word, head (0: none), arc
Counted = tuple[list[Token], int]  # a sentence or a fragment, and how often it occurred
LEFT_OUT = frozenset(("punct", "det", "aux", "aux:pass", "auxpass", "cop", "case", "mark", "cc", "prep"))
READ = ("ngrams", "conllu", "text")  # kinds of file (assertions/sources.py) that have words and arcs


@dataclass(frozen=True, kw_only=True)
class DependencyOptions(SkipGramOptions):
    """Options that name the source of the text."""

    data: Annotated[
        Path | None,
        Meta(
            description="a file or a folder, plain or gzipped: syntactic n-grams (arcs), parsed text (.conllu) or "
            "plain text, a paragraph a line; default: the premises of the items as sentences"
        ),
    ] = None
    pipeline: Annotated[str, Meta(description="spaCy pipeline that parses plain text")] = OURS


def sentences(path: Path, pipeline: str = OURS) -> Iterator[Counted]:
    """Words, heads and arcs of every sentence or fragment of a file, or of all files of a folder."""
    if not path.exists():
        raise ProbandError("does not exist", file=path)
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    kinds = {each: guess(each) for each in files}
    for each, kind in kinds.items():
        if kind not in READ:
            raise ProbandError(f"looks like {kind}, needed: syntactic n-grams, CoNLL-U or text", file=each)
    for each, kind in kinds.items():
        if kind != "text":
            yield from of_ngrams(each) if kind == "ngrams" else ((one, 1) for one in of_conllu(each))
    if plain := [each for each, kind in kinds.items() if kind == "text"]:
        lines = paragraphs(line for each in plain for _, line in text_lines(each))
        yield from ((one, 1) for one in of_text(lines, pipeline))


def of_ngrams(path: Path) -> Iterator[Counted]:
    """Fragments of trees, with their counts over all years."""
    for number, line in text_lines(path):
        cells = line.split("\t")
        tokens = [NGRAM_TOKEN.fullmatch(each) for each in cells[1].split(" ")] if len(cells) > 2 else [None]
        if not all(tokens) or not cells[2].isdecimal():
            why = "not a syntactic n-gram: head word, word/tag/label/head ..., count, counts by year"
            raise ProbandError(why, file=path, line=number)
        yield [(match[1].lower(), int(match[4]), match[3]) for match in tokens if match], int(cells[2])


def of_conllu(path: Path) -> Iterator[list[Token]]:
    """The sentences of a CoNLL-U file; contractions and empty nodes are skipped."""
    sentence: list[Token] = []
    for number, line in text_lines(path):
        if not (cells := conllu_cells(line, path, number)):
            continue
        if cells[0] == "1" and sentence:
            yield sentence
            sentence = []
        sentence.append((cells[1].lower(), int(cells[6]), cells[7]))
    if sentence:
        yield sentence


def of_text(texts: Iterable[str], pipeline: str) -> Iterator[list[Token]]:
    for tokens, parsed in TextParser(pipeline).trees(texts):
        yield [(word.lower(), one.head + 1, one.dep) for word, one in zip(tokens, parsed.tokens, strict=True)]


def contexts(sentence: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """
    >>> list(contexts([("cats", 2, "nsubj"), ("sleep", 0, "root"), ("in", 4, "case"), ("houses", 2, "obl")]))[2:]
    [('sleep', 'houses/obl:in'), ('houses', 'sleep/obl:in^-1')]
    """
    marked = {head: word for word, head, arc in sentence if arc == "case"}
    for place, (word, head, arc) in enumerate(sentence, 1):
        if not head or arc in LEFT_OUT or head > len(sentence):
            continue
        name = f"{arc}:{marked[place]}" if place in marked else arc
        above, over, by = sentence[head - 1]
        if by == "prep":  # Stanford's: sleep -prep-> in -pobj-> houses
            if not 0 < over <= len(sentence):
                continue
            name, above = f"prep:{above}", sentence[over - 1][0]
        yield above, f"{word}/{name}"
        yield word, f"{above}/{name}^-1"


class TrainWords(TrainSkipGram):
    """The net `dependency-words`."""

    def __init__(self, items: Path, options: DependencyOptions) -> None:
        if options.data is None:
            texts = (sentence(each) for each in premises(items))
            parsed: Iterable[Counted] = ((one, 1) for one in of_text(texts, options.pipeline))
        else:
            parsed = sentences(options.data, options.pipeline)
        self.options, self.pairs = options, pairs_of(parsed, least=options.min_count)

    def note(self) -> Mapping[str, Any]:
        return {"words": len(self.pairs.left_names), "pairs": len(self.pairs.left)}

    def save_into(self, folder: Path) -> None:
        with open(folder / FILE, "w", encoding="utf-8") as file:
            file.write(f"{len(self.net.left)} {self.net.left.shape[1]}\n")
            for name, row in zip(self.pairs.left_names, self.net.left, strict=True):
                file.write(f"{name} {' '.join(f'{x:.5f}' for x in row)}\n")


def pairs_of(sentences: Iterable[Counted], *, least: int) -> Pairs:
    """The pairs of word and context with their counts, without names seen fewer than `least` times."""
    numbers: dict[str, int] = {}
    names: dict[str, int] = {}
    left, right, counts = array("q"), array("q"), array("q")
    with Progress("reading sentences") as bar:
        for tokens, count in sentences:
            for word, context in contexts(tokens):
                left.append(numbers.setdefault(word, len(numbers)))
                right.append(names.setdefault(context, len(names)))
                counts.append(count)
            bar.advance()
    if not left:
        raise ProbandError("the text contains no dependencies")
    one, other, often = (np.frombuffer(each, np.int64) for each in (left, right, counts))
    return frequent(one, other, often, list(numbers), list(names), least=least)


def task(items: Path, *, options: DependencyOptions, seed: int, model: Any = None) -> TrainWords:
    return TrainWords(items, options)


DEPENDENCY_WORDS = Net(
    name="dependency-words",
    help="dependency-based word embeddings from syntactic n-grams, parsed text (CoNLL-U) or plain text",
    options=DependencyOptions,
    task=task,
    load=lambda folder: f"vec:{folder / FILE}",
)
