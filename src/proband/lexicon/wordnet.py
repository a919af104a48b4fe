"""WordNet's own dictionary files (index.*, data.*, cntlist.rev): any WNDB folder, or Debian's `wordnet-base`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proband.core.errors import ProbandError

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


def find(folder: str | None = None) -> Path:
    found = installed(folder)
    if found is None:
        raise ProbandError("WordNet is not installed: `apt install wordnet-base`, or name its folder as wordnet:FOLDER")
    return found


def read_synsets(path: Path) -> dict[int, Synset]:
    """`offset file type w_cnt word id ... p_cnt (symbol offset pos source/target)... | gloss`; w_cnt is hexadecimal."""
    synsets = {}
    for line in _body(path):
        record, _, gloss = line.partition(" | ")
        cells = record.split()
        count = int(cells[3], 16)
        words = tuple(cells[4 + 2 * k].split("(")[0] for k in range(count))
        at = 4 + 2 * count
        pointers = []
        for k in range(int(cells[at])):
            symbol, offset, speech, ends = cells[at + 1 + 4 * k : at + 5 + 4 * k]
            pointers.append((symbol, int(offset), speech, int(ends[:2], 16), int(ends[2:], 16)))
        synsets[int(cells[0])] = Synset(words, tuple(pointers), gloss.strip())
    return synsets


def read_senses(path: Path) -> dict[str, tuple[int, ...]]:
    """lemma -> its synsets, the most frequent sense first."""
    senses = {}
    for line in _body(path):
        cells = line.split()
        senses[cells[0]] = tuple(map(int, cells[-int(cells[2]) :]))
    return senses


def first_senses(path: Path) -> dict[str, int]:
    """lemma -> the synset of its most frequent sense."""
    return {lemma: synsets[0] for lemma, synsets in read_senses(path).items()}


SUFFIXES = {  # ending and what replaces it, in WordNet's order
    "verb": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "noun": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
}


class Morphy:
    """WordNet's lemmatisation, the shortest of the base forms: what NLTK's WordNetLemmatizer gives.

    Exceptions (verb.exc, noun.exc) first, then endings are replaced until a word of the dictionary is found; a word
    that none leads to stays as it is.
    """

    def __init__(self, speech: str, folder: str | None = None) -> None:
        path = find(folder)
        self.words = frozenset(line.split(" ", 1)[0] for line in _body(path / f"index.{speech}"))
        self.rules = [each.split(":") for each in SUFFIXES[speech].split()]
        self.exceptions: dict[str, list[str]] = {}
        for line in _body(path / f"{speech}.exc"):
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


def tag_counts(path: Path, speech: str) -> Counter[str]:
    """lemma -> how often its first sense was tagged in the semantic concordances."""
    kinds = {"noun": ("1",), "adj": ("3", "5")}[speech]
    counts: Counter[str] = Counter()
    for line in _body(path):
        key, sense, count = line.rsplit(" ", 2)
        lemma, _, rest = key.partition("%")
        if sense == "1" and rest[:1] in kinds:
            counts[lemma] += int(count)
    return counts


def _body(path: Path) -> Iterator[str]:
    """The lines after the licence, which is indented."""
    try:
        with path.open(encoding="utf-8") as file:
            yield from (line for line in file if not line.startswith("  "))
    except (OSError, UnicodeDecodeError) as error:
        raise ProbandError(f"cannot be read: {error}", file=path) from error
