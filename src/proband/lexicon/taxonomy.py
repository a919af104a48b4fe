"""A taxonomy of nouns: their senses, and the more general senses of each.

One structure, two sources: WordNet's files (`wordnet` or `wordnet:FOLDER`), and a small taxonomy of our own (`small`)
for demonstrations. `auto` takes the first that is available.

>>> small = open_taxonomy("small")
>>> [small.names[sense][0] for sense in small.senses("lion")]
['lion']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import DATA
from proband.core.tables import text_lines
from proband.lexicon import wordnet
from proband.lexicon.inflection import STOP_WORDS, content, lemma

SMALL = DATA / "lexicon" / "taxonomy.tsv"
Sense = int
COUNTING_WORDS = """number lot group kind type sort variety series range majority minority pair couple dozen hundred
thousand million bunch handful set collection form piece amount rest member"""
COUNTING = frozenset(COUNTING_WORDS.split())


@dataclass(frozen=True)
class Taxonomy:
    source: str
    index: Mapping[str, tuple[Sense, ...]]  # word or phrase in lower case -> senses, the commonest first
    parents: Mapping[Sense, tuple[Sense, ...]]  # hypernyms, those of instances included
    names: Mapping[Sense, tuple[str, ...]]
    glosses: Mapping[Sense, str]
    _above: dict[Sense, frozenset[Sense]] = field(default_factory=dict, repr=False)

    def entry(self, text: str) -> str | None:
        """The longest final part of a phrase with an entry, inflected or not: its head with its modifiers. The head
        precedes `of`, unless it only counts (a number of lions) or the phrase has an entry (the end of the world).

        >>> small = open_taxonomy("small")
        >>> small.entry("the big African Lions"), small.entry("the lion of the country")
        ('lion', 'lion')
        """
        words = text.lower().split()
        while words and words[0] in STOP_WORDS:
            words = words[1:]
        head = words.index("of") if "of" in words else len(words)
        if words and lemma(words[head - 1]) in COUNTING:
            head = len(words)
        for first in range(head):
            if result := self._as_written_or_base(words[first:]):
                return result
        return next(filter(None, (self._as_written_or_base(words[first:head]) for first in range(head))), None)

    def _as_written_or_base(self, words: list[str]) -> str | None:
        front = words[:-1]
        tried = (" ".join([*front, last]) for last in dict.fromkeys((words[-1], lemma(words[-1]))))
        return next((each for each in tried if each in self.index), None)

    def senses(self, text: str) -> tuple[Sense, ...]:
        return self.index.get(self.entry(text) or "", ())

    def above(self, sense: Sense) -> frozenset[Sense]:
        """The sense and everything it is a kind of."""
        if sense not in self._above:
            above = wordnet.reachable(sense, lambda one: self.parents.get(one, ()))
            self._above[sense] = frozenset(above | {sense})
        return self._above[sense]


@lru_cache(maxsize=4)
def open_taxonomy(name: str = "auto") -> Taxonomy:
    """`auto`, `wordnet`, `wordnet:FOLDER` or `small`."""
    kind, _, rest = name.partition(":")
    if name == "small" or (name == "auto" and wordnet.installed() is None):
        return from_table(SMALL)
    if name == "auto" or kind == "wordnet":
        return from_files(wordnet.find(rest or None))
    raise ProbandError(f"no taxonomy {name!r}; there are auto, wordnet, wordnet:FOLDER, small")


def from_files(folder: Path) -> Taxonomy:
    """The nouns of a WNDB folder."""
    try:
        synsets = wordnet.read_synsets(folder / "data.noun")
        senses = wordnet.read_senses(folder / "index.noun")
    except (ValueError, IndexError) as error:
        raise ProbandError(f"is not a folder of WordNet's files: {error}", file=folder) from error
    return Taxonomy(
        source=f"wordnet:{folder}",
        index={word.replace("_", " "): each for word, each in senses.items()},
        parents={offset: synset.targets("@", "@i") for offset, synset in synsets.items()},
        names={offset: tuple(word.replace("_", " ") for word in synset.words) for offset, synset in synsets.items()},
        glosses={offset: synset.gloss for offset, synset in synsets.items()},
    )


def from_table(path: Path) -> Taxonomy:
    """Lines `words, separated by commas <TAB> kind <TAB> gloss`: each line is a sense. A kind is the first word of
    another line and means the first such sense; roots have no kind."""
    index: dict[str, tuple[Sense, ...]] = {}
    lines = []
    for number, line in text_lines(path):
        if not line.startswith("#"):
            cells = [cell.strip() for cell in line.split("\t")]
            if len(cells) != 3:
                raise ProbandError(f"{len(cells)} cells instead of three: words, kind, gloss", file=path, line=number)
            lines.append((number, [word.strip() for word in cells[0].split(",")], cells[1], cells[2]))
    first: dict[str, Sense] = {}
    for sense, (_, words, _, _) in enumerate(lines):
        first.setdefault(words[0], sense)
        for word in words:
            index[word.lower()] = (*index.get(word.lower(), ()), sense)
    for number, _, kind, _ in lines:
        if kind and kind not in first:
            raise ProbandError(f"kind {kind!r} has no line of its own", file=path, line=number)
    return Taxonomy(
        source="small" if path == SMALL else str(path),
        index=index,
        parents={sense: (first[kind],) if kind else () for sense, (_, _, kind, _) in enumerate(lines)},
        names={sense: tuple(words) for sense, (_, words, _, _) in enumerate(lines)},
        glosses={sense: gloss for sense, (_, _, _, gloss) in enumerate(lines)},
    )


# ---- Lesk's word-sense disambiguation (1986): the sense whose gloss shares most words with the context ---------------
#
#     sense(w, C) = argmax_s |gloss(s) ∩ C|,   ties to the commoner sense
#
# over words without stop words and inflection. A gloss includes its examples and the names of its synset, but not
# the word itself, which every gloss may contain.

WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")


def bag(text: str) -> frozenset[str]:
    """
    >>> sorted(bag("Sloping land (especially beside bodies of water)"))
    ['beside', 'body', 'especially', 'land', 'slope', 'water']
    """
    return frozenset(content(WORD.findall(text.lower())))


class Lesk:
    """Disambiguation by glosses, each of which is read once."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy, self.gloss = taxonomy, cache(self._gloss)

    def _gloss(self, sense: Sense) -> frozenset[str]:
        named = " ".join(self.taxonomy.names.get(sense, ()))
        return bag(f"{self.taxonomy.glosses.get(sense, '')} {named}")

    def sense(self, text: str, context: Iterable[str]) -> Sense | None:
        """The sense of a phrase in a context of words (lemmas, without stop words), or None where it has none."""
        senses = self.taxonomy.senses(text)
        if len(senses) < 2:
            return senses[0] if senses else None
        around = frozenset(context) - bag(text)
        return max(senses, key=lambda sense: len(self.gloss(sense) & around))  # of equal scores the first
