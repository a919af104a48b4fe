"""WordNet's own dictionary files (index.*, data.*): any WNDB folder, or Debian's `wordnet-base`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TypeVar

from proband.core.errors import ProbandError

Node = TypeVar("Node", bound=Hashable)
FOLDERS = ("/usr/share/wordnet", "/usr/share/wordnet/dict", "/usr/local/share/wordnet/dict")


@dataclass(frozen=True)
class Synset:
    words: tuple[str, ...]
    pointers: tuple[tuple[str, int, str, int, int], ...]  # symbol, offset, part of speech, source word, target word
    gloss: str = ""

    def targets(self, *symbols: str) -> tuple[int, ...]:
        """The synsets that pointers of these kinds lead to."""
        return tuple(target for symbol, target, _, _, _ in self.pointers if symbol in symbols)


def installed(folder: str | None = None) -> Path | None:
    """The folder with WordNet's files: as named, $WNSEARCHDIR, or where Debian's wordnet-base puts them."""
    tried = [folder] if folder else [os.environ.get("WNSEARCHDIR"), *FOLDERS]
    return next((Path(name) for name in tried if name and (Path(name) / "data.noun").is_file()), None)


def reachable(start: Node, steps: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """Everything that can be reached from `start` by steps."""
    reached: set[Node] = set()
    queue = [start]
    while queue:
        new = [one for one in dict.fromkeys(steps(queue.pop())) if one not in reached]
        reached.update(new)
        queue += new
    return reached


def find(folder: str | None = None) -> Path:
    if (result := installed(folder)) is None:
        raise ProbandError("WordNet is not installed: `apt install wordnet-base`, or name its folder as wordnet:FOLDER")
    return result


def read_synsets(path: Path) -> dict[int, Synset]:
    """Offset -> synset."""
    return {int(line.split(" ", 1)[0]): parse_synset(line) for line in _body(path)}


def parse_synset(line: str) -> Synset:
    """`offset file type w_cnt word id ... p_cnt (symbol offset pos source/target)... | gloss`; w_cnt is hexadecimal."""
    record, _, gloss = line.partition(" | ")
    cells = record.split()
    at = 4 + 2 * int(cells[3], 16)
    pointers = []
    for k in range(int(cells[at])):
        symbol, offset, speech, ends = cells[at + 1 + 4 * k : at + 5 + 4 * k]
        pointers.append((symbol, int(offset), speech, int(ends[:2], 16), int(ends[2:], 16)))
    return Synset(tuple(word.split("(")[0] for word in cells[4:at:2]), tuple(pointers), gloss.strip())


def read_senses(path: Path, lemmas: Collection[str] | None = None) -> dict[str, tuple[int, ...]]:
    """lemma -> its synsets, the most frequent sense first; of all lemmas, or of these."""
    lines = (line for line in _body(path) if lemmas is None or line.partition(" ")[0] in lemmas)
    return {cells[0]: tuple(map(int, cells[-int(cells[2]) :])) for cells in map(str.split, lines)}


SUFFIXES = "s: ies:y es:e es: ed:e ed: ing:e ing:"  # ending and what replaces it, in WordNet's order


class VerbLemmas:
    """WordNet's lemmatisation of verbs, the shortest of the base forms: what NLTK's WordNetLemmatizer gives.

    Exceptions (verb.exc) first, then endings are replaced until a word of the dictionary is found; a word
    without such a form is unchanged.
    """

    def __init__(self) -> None:
        path = find()
        self.words = frozenset(line.split(" ", 1)[0] for line in _body(path / "index.verb"))
        self.rules = [each.split(":") for each in SUFFIXES.split()]
        self.exceptions: dict[str, list[str]] = {}
        for line in _body(path / "verb.exc"):
            word, *forms = line.split()
            self.exceptions.setdefault(word, forms)

    def __call__(self, word: str) -> str:
        if word in self.exceptions:
            known = self._known([word, *self.exceptions[word]])
        else:
            forms = self._cut([word])
            known = self._known([word, *forms])
            while forms and not known:
                forms = self._cut(forms)
                known = self._known(forms)
        return min(known, key=len) if known else word

    def _cut(self, forms: list[str]) -> list[str]:
        rules = [(form, old, new) for form in forms for old, new in self.rules]
        return [form[: -len(old)] + new for form, old, new in rules if form.endswith(old)]

    def _known(self, forms: list[str]) -> list[str]:
        return [form for form in forms if form in self.words]


def _body(path: Path) -> Iterator[str]:
    """The lines after the licence, which is indented."""
    try:
        with path.open(encoding="utf-8") as file:
            yield from (line for line in file if not line.startswith("  "))
    except (OSError, UnicodeDecodeError) as error:
        raise ProbandError(f"cannot be read: {error}", file=path) from error


# ---- links between two words, in any of their senses ----------------------------------------------------------------
#
# Hypernym, part of, member of, substance of (each up to the top, and the other way round), antonym, similar, synonym.
#
# Only the synsets of the requested words are read: a synset's number is its position in the file.


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
        lemmas = {word: word.replace(" ", "_") for word in words}
        for name in self.data:
            senses = read_senses(root / f"index.{name}", frozenset(lemmas.values()))
            for word, lemma in lemmas.items():
                self.senses.setdefault(word, []).extend((name, at) for at in senses.get(lemma, ()))
        self.synset, self.steps, self.reached = cache(self._synset), cache(self._steps), cache(self._reached)

    @classmethod
    @lru_cache(maxsize=4)  # builds in one process often use the same relations
    def among(cls, words: frozenset[str]) -> Links | None:
        try:
            return cls(find(), words)
        except (ProbandError, OSError, ValueError, IndexError):
            return None  # no WordNet, or invalid files

    def between(self, head: str, tail: str) -> frozenset[str]:
        """The links from head to tail; `has X` is X from tail to head."""
        head, tail = head.lower(), tail.lower()
        results = {link for link in (*UP, *TWO_WAY) if tail in self.reached(head, link)}
        return frozenset(results | {f"has {link}" for link in UP if head in self.reached(tail, link)})

    def _synset(self, sense: Sense) -> tuple[tuple[str, ...], tuple[Pointer, ...]]:
        """Words and pointers."""
        data, at = self.data[sense[0]], sense[1]
        synset = parse_synset(data[at : data.index(b"\n", at)].decode("utf-8"))
        pointers = ((symbol, (FILES[speech], to), source, end) for symbol, to, speech, source, end in synset.pointers)
        return tuple(word.replace("_", " ").lower() for word in synset.words), tuple(pointers)

    def _reached(self, word: str, link: str) -> frozenset[str]:
        """The words at the other end of a link."""
        results: set[str] = set()
        up = partial(self.steps, symbols=UP.get(link, ()))
        for sense in self.senses.get(word, ()):
            if link == "synonym":
                results.update(self.synset(sense)[0])
            elif link in SIDEWAYS:
                results.update(self._siblings(word, sense, SIDEWAYS[link]))
            else:
                results.update(name for above in reachable(sense, up) for name in self.synset(above)[0])
        return frozenset(results - {word})

    def _siblings(self, word: str, sense: Sense, symbols: tuple[str, ...]) -> Iterator[str]:
        """Words one step away; a pointer of a single word applies only to that word."""
        words, pointers = self.synset(sense)
        for symbol, target, source, end in pointers:
            if symbol in symbols and (not source or words[source - 1] == word):
                others = self.synset(target)[0]
                yield from others if not end else (others[end - 1],)

    def _steps(self, sense: Sense, symbols: tuple[str, ...]) -> tuple[Sense, ...]:
        return tuple(to for symbol, to, _, _ in self.synset(sense)[1] if symbol in symbols)
