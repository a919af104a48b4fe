"""Links between two words in WordNet, in any of their senses: hypernym, part of, member of, substance of (each up to
the top, and the other way round), antonym, similar, synonym.

Only the synsets of the words that are asked about are read: a synset's number is its place in the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from proband.core.errors import ProbandError
from proband.lexicon.wordnet import find

FILES = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
# link -> its pointer symbols; those that go up are followed to the top
UP = {"hypernym": ("@", "@i"), "part of": ("#p",), "member of": ("#m",), "substance of": ("#s",)}
SIDEWAYS = {"antonym": ("!",), "similar": ("&",)}
TWO_WAY = frozenset((*SIDEWAYS, "synonym"))
Sense = tuple[str, int]  # file, place
Pointer = tuple[str, Sense, int, int]  # symbol, target, source word, target word (0: all)


class Links:
    """`Links.among(words).between("sparrow", "animal")` is {'hypernym'}, where WordNet is installed."""

    def __init__(self, root: Path, words: Collection[str]) -> None:
        self.data = {name: (root / f"data.{name}").read_bytes() for name in dict.fromkeys(FILES.values())}
        self.senses: dict[str, list[Sense]] = {}
        wanted = {word.replace(" ", "_") for word in words}
        for name in self.data:
            for line in (root / f"index.{name}").read_text("utf-8").splitlines():
                lemma = line.partition(" ")[0]
                if lemma in wanted:
                    cells = line.split()
                    places = [(name, int(cell)) for cell in cells[-int(cells[2]) :]]
                    self.senses.setdefault(lemma.replace("_", " "), []).extend(places)
        self.synset = cache(self._synset)
        self.reached = cache(self._reached)

    @classmethod
    def among(cls, words: Collection[str]) -> Links | None:
        try:
            return cls(find(None), words)
        except (ProbandError, OSError, ValueError, IndexError):
            return None  # no WordNet, or files that are none

    def between(self, head: str, tail: str) -> frozenset[str]:
        """The links that hold of (head, tail); `has X` is X the other way round."""
        head, tail = head.lower(), tail.lower()
        found = {link for link in (*UP, *TWO_WAY) if tail in self.reached(head, link)}
        return frozenset(found | {f"has {link}" for link in UP if head in self.reached(tail, link)})

    def _synset(self, sense: Sense) -> tuple[tuple[str, ...], tuple[Pointer, ...]]:
        """Words and pointers: `offset file type w_cnt word id ... p_cnt (symbol offset pos ends)... | gloss`."""
        data, at = self.data[sense[0]], sense[1]
        cells = data[at : data.index(b"\n", at)].decode("utf-8").partition(" | ")[0].split()
        count = int(cells[3], 16)
        words = tuple(cells[4 + 2 * k].split("(")[0].replace("_", " ").lower() for k in range(count))
        rest = cells[5 + 2 * count :]
        pointers = tuple(
            (rest[k], (FILES[rest[k + 2]], int(rest[k + 1])), int(rest[k + 3][:2], 16), int(rest[k + 3][2:], 16))
            for k in range(0, 4 * int(cells[4 + 2 * count]), 4)
        )
        return words, pointers

    def _reached(self, word: str, link: str) -> frozenset[str]:
        """The words at the other end of a link."""
        found: set[str] = set()
        for sense in self.senses.get(word, ()):
            if link == "synonym":
                found.update(self.synset(sense)[0])
            elif link in SIDEWAYS:
                found.update(self._beside(word, sense, SIDEWAYS[link]))
            else:
                found.update(name for above in self._above(sense, UP[link]) for name in self.synset(above)[0])
        return frozenset(found - {word})

    def _beside(self, word: str, sense: Sense, symbols: tuple[str, ...]) -> Iterator[str]:
        """One step; a pointer of a single word counts for that word alone."""
        words, pointers = self.synset(sense)
        for symbol, target, source, end in pointers:
            if symbol in symbols and (not source or words[source - 1] == word):
                others = self.synset(target)[0]
                yield from others if not end else (others[end - 1],)

    def _above(self, sense: Sense, symbols: tuple[str, ...]) -> set[Sense]:
        reached: set[Sense] = set()
        queue = [sense]
        while queue:
            for symbol, target, _, _ in self.synset(queue.pop())[1]:
                if symbol in symbols and target not in reached:
                    reached.add(target)
                    queue.append(target)
        return reached
