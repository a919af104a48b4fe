"""The pipeline's one component: parts of speech, morphology, dependencies and sentence boundaries in one pass.

A document is read in windows. Where a window ends before the document does, its last sentence is read again at the
beginning of the next one, so that no sentence is cut. Sentence boundaries that are already set are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from spacy.attrs import DEP, HEAD, MORPH, POS, TAG
from spacy.language import Language
from spacy.tokens import Doc

from proband_english.network import LONGEST, Array, Network
from proband_english.spanning_tree import spanning_tree

ASSIGNS = ["token.pos", "token.tag", "token.morph", "token.dep", "token.head", "token.is_sent_start", "doc.sents"]
AT_ONCE = 3000  # pieces that go through the network together


@dataclass
class Reading:
    """A document on its way: positions of its words (spaces are none), how many are read, and what they are."""

    doc: Doc
    at: list[int]
    words: list[str]
    sizes: list[int]  # pieces of each word
    given: list[int]  # 1: begins a sentence, -1: does not, 0: to be found out
    values: Array  # a row a token: HEAD, DEP, POS, TAG, MORPH
    done: int = 0

    def window(self) -> int:
        """How many words the next window has."""
        end, size = self.done, 0
        while end < len(self.words) and (size + self.sizes[end] <= LONGEST or end == self.done):
            size += self.sizes[end]
            end += 1
        return end - self.done


@Language.factory("proband_parser", assigns=ASSIGNS)
def make(nlp: Language, name: str) -> Parser:
    return Parser(nlp)


class Parser:
    def __init__(self, nlp: Language) -> None:
        self.vocab = nlp.vocab
        self.network: Network | None = None

    def from_disk(self, path: Path, exclude: Iterable[str] = ()) -> Parser:
        self.network = network = Network(Path(path))
        strings, morphology = self.vocab.strings, self.vocab.morphology
        split = [name.partition(" ") for name in network.tags]
        self.pos = np.array([strings.add(pos) for pos, _, _ in split], np.uint64)
        self.morph = np.array([morphology.add(features) for _, _, features in split], np.uint64)
        self.fine = np.array([strings.add(name) for name in network.fine], np.uint64)
        self.dep = np.array([strings.add("ROOT" if name == "root" else name) for name in network.labels], np.uint64)
        self.space = np.array(
            [0, strings.add("dep"), strings.add("SPACE"), strings.add("_SP"), morphology.add("")], np.uint64
        )
        return self

    def to_disk(self, path: Path, exclude: Iterable[str] = ()) -> None:
        raise NotImplementedError("the weights are written by recipe/export.py")

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 64) -> Iterator[Doc]:
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            readings = [self._reading(doc) for doc in batch]
            while waiting := [each for each in readings if each.done < len(each.words)]:
                for some in _groups(waiting):
                    self._read(some)
            for each in readings:
                yield each.doc.from_array([HEAD, DEP, POS, TAG, MORPH], each.values)

    def _reading(self, doc: Doc) -> Reading:
        assert self.network is not None, "the weights are not loaded"
        at = [token.i for token in doc if not token.is_space]
        words = [doc[each].text for each in at]
        given = doc.to_array("SENT_START").view(np.int64)[at].tolist()
        values = np.tile(self.space, (len(doc), 1))
        values[1:, 0] = np.uint64(2**64 - 1)  # a space belongs to the token before it
        return Reading(doc, at, words, [len(self.network.pieces(word)) for word in words], given, values)

    def _read(self, readings: list[Reading]) -> None:
        """One window of each document through the network."""
        network = self.network
        assert network is not None
        counts = [each.window() for each in readings]
        states = network.states([each.words[each.done : each.done + n] for each, n in zip(readings, counts)])
        tags, fine = network.tag_numbers(states)
        starts = network.start_scores(states) > 0
        dependents, above, root = network.arc_parts(states)
        heads, kept, first = np.full(len(states), -1), [], 0
        for each, count in zip(readings, counts):
            known = each.given[each.done : each.done + count]
            begins = [0, *(at for at in range(1, count) if known[at] > 0 or (known[at] == 0 and starts[first + at]))]
            ends = [*begins[1:], count]
            if each.done + count < len(each.words) and len(begins) > 1:
                begins, ends = begins[:-1], ends[:-1]  # the last sentence may go on
            for begin, end in zip(begins, ends):
                some = slice(first + begin, first + end)
                chosen = spanning_tree(dependents[some] @ np.concatenate([root, above[some]]).T)
                heads[some] = np.where(chosen == 0, -1, chosen - 1 + some.start)
            kept.append((each, first, ends[-1]))
            first += count
        labels = network.label_numbers(states, heads)
        for each, first, count in kept:
            some = slice(first, first + count)
            place = np.array(each.at[each.done : each.done + count])
            local = np.where(heads[some] < 0, np.arange(count), heads[some] - first)
            offsets = (place[local] - place).astype(np.int64).view(np.uint64)
            columns = (
                offsets,
                self.dep[labels[some]],
                self.pos[tags[some]],
                self.fine[fine[some]],
                self.morph[tags[some]],
            )
            each.values[place] = np.stack(columns, 1)
            each.done += count


def _groups(readings: list[Reading]) -> Iterator[list[Reading]]:
    """Documents whose next windows fit through the network together."""
    group: list[Reading] = []
    size = 0
    for each in readings:
        pieces = sum(each.sizes[each.done : each.done + each.window()])
        if group and size + pieces > AT_ONCE:
            yield group
            group, size = [], 0
        group.append(each)
        size += pieces
    if group:
        yield group
