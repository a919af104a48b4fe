"""Parallel corpora: an abstract line and the concrete steps that it summarises.

Read from a tab-separated file (abstract, concrete, and in any later columns a split and a category; a header names them
in another order), from JSON lines (`abstract`, and `steps` or `concrete`), or from KidsCook's folder as it was
released. Tokenised text (KidsCook's files) is split at white space alone; in other text punctuation becomes separate
tokens.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError, in_words
from proband.core.files import DATA, sha256_text
from proband.core.metrics import SPLITS
from proband.core.tables import SPLITS as NAMES_OF_SPLITS
from proband.core.tables import TableRow, read_table, text_lines
from proband.core.types import Item, Split

# ---- text as lower-case tokens, tokens as sentences, and which tokens are words ------------------------------------


TOKEN = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?(?:-[a-z0-9]+)*|°|[^\sa-z0-9]", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_][\w'’-]*")
UNKNOWN = "#unk#"


def tokens(text: str) -> tuple[str, ...]:
    """
    >>> tokens("Drain the pasta, then rinse it.")
    ('drain', 'the', 'pasta', ',', 'then', 'rinse', 'it', '.')
    """
    return tuple(TOKEN.findall(text.lower()))


def sentences(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    start = 0
    for at, word in enumerate(words, start=1):
        if word in (".", "!", "?") or at == len(words):
            yield tuple(words[start:at])
            start = at


def is_word(word: str) -> bool:
    """
    >>> [is_word(w) for w in ("whisk", "wire-mesh", "1/2", "350f", ".", "#UNK#")]
    [True, True, False, False, False, False]
    """
    return WORD.fullmatch(word) is not None and not any(c.isdigit() for c in word) and word.lower() != UNKNOWN


# ---- pairs of texts, and the files that hold them -------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class TextPair:
    """One abstract line with one person's concrete steps, as lower-case tokens."""

    abstract: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]
    split: Split = "train"
    category: str = "cooking"
    tags: tuple[int, ...] | None = None  # released blanks: 0 marks a word to be left out

    @property
    def concrete(self) -> tuple[str, ...]:
        return tuple(word for step in self.steps for word in step)

    @property
    def caption(self) -> str:
        """Pairs with the same abstract line share a caption, and are not independent."""
        return sha256_text(" ".join(self.abstract))[:12]


def read(path: Path, *, split: Split | None = None) -> list[TextPair]:
    """The pairs of a file or of a released folder."""
    if path.is_dir():
        return read_folder(path)
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    name = path.name.removesuffix(".gz")
    for ending, reader in READERS.items():
        if name.endswith(ending):
            if not (pairs := list(reader(path, split=split))):
                raise ProbandError("contains no texts", file=path)
            return pairs
    raise ProbandError("is not a corpus: .tsv, .jsonl (or .gz of them) or KidsCook's folder", file=path)


def read_own() -> list[TextPair]:
    """The corpus that comes with Proband."""
    return [pair for path in sorted((DATA / "script").glob("corpus-*.tsv")) for pair in read(path)]


def read_folder(folder: Path) -> list[TextPair]:
    """KidsCook as released (`{train,valid,test}.template.tsv`, full words), or .tsv or .jsonl files of those names."""
    endings = (".template.tsv", ".tsv", ".jsonl", ".jsonl.gz")
    paths = {split: [p for end in endings if (p := folder / f"{split}{end}").exists()] for split in SPLITS}
    if not any(paths.values()):
        raise ProbandError("contains no train, valid or test .template.tsv, .tsv or .jsonl", file=folder)
    return [pair for split, each in paths.items() for path in each[:1] for pair in read(path, split=split)]


def read_words(path: Path) -> list[str]:
    """The distinct words of a file."""
    words = list(dict.fromkeys(word for _, line in text_lines(path) for word in line.split()))
    if not words:
        raise ProbandError("contains no words", file=path)
    return words


def released_whitelist(folder: Path | None) -> list[str] | None:
    """The words that may be left out, if a file next to the released tags lists them."""
    path = folder / "slot_whitelist.txt" if folder is not None else None
    return read_words(path) if path is not None and path.exists() else None


def split_of(path: Path) -> Split:
    """The split that the first word of a file's name names, otherwise train."""
    return NAMES_OF_SPLITS.get(re.split(r"[\W_]", path.name.lower())[0], "train")  # type: ignore[return-value]


def read_template(path: Path, *, split: Split | None = None) -> Iterator[TextPair]:
    """Abstract, concrete, and a 0/1 per concrete token (0: a slot). A full stop ends a step."""
    names = ("abstract", "concrete", "tags")
    for row in read_table(path, separator="\t", quotes=False, names=lambda first: names, exact=True):
        abstract, concrete, tags = (tuple(row.cells[name].split()) for name in names)
        if len(concrete) != len(tags) or not set(tags) <= {"0", "1"}:
            raise row.error(f"are not {len(concrete)} times 0 or 1", "tags")
        if not abstract or not concrete:
            raise row.error("an empty side")
        yield TextPair(
            abstract=abstract,
            steps=tuple(sentences(concrete)),
            split=split or split_of(path),
            category="kidscook",
            tags=tuple(int(tag) for tag in tags),
        )


def read_tsv(path: Path, *, split: Split | None = None) -> Iterator[TextPair]:
    """Columns abstract and concrete, then split and category if there are more; a header may name them."""
    usual = ("abstract", "concrete", "split", "category")

    def names(first: Sequence[str]) -> Sequence[str] | None:
        head = [cell.lower() for cell in first]
        named = head if {"abstract", "concrete"} <= set(head) else [*usual, *[""] * len(head)][: len(head)]
        if len(named) < 2:
            raise ProbandError("one column; abstract and concrete need two", file=path, line=1)
        return named

    for row in read_table(path, separator="\t", quotes=False, names=names):
        if row.cells["abstract"].strip().lower() != "abstract":  # the header
            yield pair_of(row, split=split)


def read_jsonl(path: Path, *, split: Split | None = None) -> Iterator[TextPair]:
    return (pair_of(row, split=split) for row in read_table(path))


def pair_of(row: TableRow, *, split: Split | None) -> TextPair:
    abstract, steps = row.cells.get("abstract"), row.cells.get("steps", row.cells.get("concrete"))
    if isinstance(steps, str):  # running text: its sentences are the steps
        steps = [" ".join(step) for step in sentences(tokens(steps))]
    if not isinstance(abstract, str) or not isinstance(steps, list) or not all(isinstance(s, str) for s in steps):
        raise row.error("'abstract' must be text and 'steps' (or 'concrete') text or a list of it")
    part = split or str(row.cells.get("split") or split_of(row.file)).strip()
    if part not in SPLITS:
        raise row.error(f"{part!r} is not one of {', '.join(SPLITS)}", "split")
    cut: Callable[[str], Sequence[str]] = str.split if ".sequences." in row.file.name else tokens
    pair = TextPair(
        abstract=tuple(cut(abstract)),
        steps=tuple(tuple(words) for step in steps if (words := cut(step))),
        split=part,
        category=str(row.cells.get("category") or "cooking").strip(),
    )
    if not pair.abstract or not pair.concrete:
        raise row.error("an empty side")
    return pair


READERS: Mapping[str, Callable[..., Iterator[TextPair]]] = {
    ".template.tsv": read_template,
    ".jsonl": read_jsonl,
    ".tsv": read_tsv,
    ".txt": read_tsv,
}


def read_sequences(folder: Path) -> list[TextPair]:
    """The released sequences of the paper, if they are in the folder of the cloze texts."""
    paths = [folder / f"{split}.sequences.jsonl.gz" for split in SPLITS]
    return [pair for path in paths if path.exists() for pair in read(path)]


# ---- table 1 for any corpus, the words that only the concrete side has, and what two splits share ------------------


STEPS = 5  # annotators gave up to five


def table1(pairs: Sequence[TextPair]) -> list[dict[str, Any]]:
    """Sequences, tokens and types of the concrete side and mean lengths of both sides, a row per split.

    `padded_tokens` counts one token for each of the five steps that was left empty. The published counts are these:
    KidsCook's sequences give 307,524, 36,827 and 37,146 of the printed 307,573, 36,830 and 37,156.
    """
    rows = []
    for split in SPLITS:
        chosen = [pair for pair in pairs if pair.split == split]
        if chosen:
            words = sum(len(pair.concrete) for pair in chosen)
            padded = words + sum(max(0, STEPS - len(pair.steps)) for pair in chosen)
            rows.append(
                {
                    "split": split,
                    "sequences": len(chosen),
                    "captions": len({pair.caption for pair in chosen}),
                    "tokens": words,
                    "padded_tokens": padded,
                    "vocabulary": len({word for pair in chosen for word in pair.concrete}),
                    "abstract_length": round(sum(len(pair.abstract) for pair in chosen) / len(chosen), 2),
                    "concrete_length": round(words / len(chosen), 2),
                    "padded_length": round(padded / len(chosen), 2),
                }
            )
    return rows


def new_words(pairs: Iterable[TextPair]) -> dict[str, int]:
    """Words (no numbers, no signs) and lemmas of the concrete side that occur in no abstract line.

    KidsCook's cloze texts give 2,331 and 1,563 where the paper prints 2,316 and 1,536.

    >>> pair = TextPair(abstract=("peel", "carrots"), steps=(("hold", "a", "carrot", "and", "a", "peeler"),))
    >>> new_words([pair])["types"]
    5
    """
    pairs = list(pairs)
    known = {word for pair in pairs for word in pair.abstract}
    fresh = {word for pair in pairs for word in pair.concrete if is_word(word)} - known
    lemmas = {lemma(word) for word in known}
    return {"types": len(fresh), "lemmas": len({lemma(word) for word in fresh} - lemmas)}


def lemma(word: str) -> str:
    """The shortest base form that lemminflect knows for a word of any class; without that package, the word itself."""
    try:
        from lemminflect import getAllLemmas
    except ImportError:
        return word
    forms = [form for forms in getAllLemmas(word).values() for form in forms]
    return min(forms, key=lambda form: (len(form), form)) if forms else word


def overlaps(pairs: Sequence[TextPair]) -> dict[str, int]:
    """Count leaks: repeated pairs, and captions in two splits.

    >>> pair = TextPair(abstract=("stir",), steps=(("use", "a", "spoon"),))
    >>> overlaps([pair, pair])["duplicates"]
    1
    """
    seen = Counter((pair.abstract, pair.concrete) for pair in pairs)
    captions = {split: {pair.caption for pair in pairs if pair.split == split} for split in SPLITS}
    return {
        "duplicates": sum(count - 1 for count in seen.values()),
        **{f"captions_{a}_{b}": len(captions[a] & captions[b]) for a, b in combinations(SPLITS, 2)},
    }


# ---- token lists as running text: what language models and people read ---------------------------------------------


BLANK = "____"
NO_SPACE_BEFORE = frozenset([*".,;:!?)%°'’", "n't", *("'" + end for end in ("s", "re", "ve", "ll", "d", "m"))])
NO_SPACE_AFTER = frozenset(["(", "$", "#"])
PROMPT = "{abstract}\n"  # what precedes the concrete text


def running(words: Sequence[str]) -> str:
    """
    >>> running("do n't rush , it 's hot ( very ) .".split())
    "don't rush, it's hot (very)."
    """
    text, glue = "", True
    for word in words:
        text += word if glue or word in NO_SPACE_BEFORE else " " + word
        glue = word in NO_SPACE_AFTER
    return text


def before(words: Sequence[str]) -> str:
    """The text in front of a blank, with the space that a word after it needs.

    >>> before("use a".split()), before(["("]), before([])
    ('use a ', '(', '')
    """
    text = running(words)
    return text if not words or words[-1] in NO_SPACE_AFTER else text + " "


def after(words: Sequence[str]) -> str:
    """The text behind a blank, with the space that it needs.

    >>> after("to stir .".split()), after(["."])
    (' to stir.', '.')
    """
    text = running(words)
    return text if not words or words[0] in NO_SPACE_BEFORE else " " + text


def with_blanks(words: Sequence[str], spans: Sequence[Sequence[int]], *, numbered: bool = False) -> str:
    """The concrete text with ____ for each word left out; numbered: [1: ____ ____].

    >>> with_blanks("use a wire whisk .".split(), [(2, 4)]), with_blanks(["stir"], [(0, 1)], numbered=True)
    ('use a ____ ____.', '[1: ____]')
    """
    shown: list[str] = []
    at = 0
    for number, (start, end) in enumerate(spans, start=1):
        shown.extend(words[at:start])
        gaps = [BLANK] * (end - start)
        shown.extend([f"[{number}: {' '.join(gaps)}]"] if numbered else gaps)
        at = end
    return running([*shown, *words[at:]])


class ScriptFacts(msgspec.Struct):
    """The facts of an item: both texts as words, the blanks as spans of the concrete text, the right words and the kind
    of each blank, and where the whitelist is."""

    abstract: list[str] = []
    concrete: list[str] = []
    blanks: list[tuple[int, int]] = []
    gold: list[list[str]] = []
    kinds: list[str] = []
    candidates: str = ""


REQUIRED = ("abstract", "concrete", "blanks", "gold", "kinds")


def facts_of(item: Item) -> ScriptFacts:
    """The facts of an item, typed; solvers, checks, nets and views take these."""
    try:
        return msgspec.convert(item.facts, ScriptFacts, strict=True)
    except msgspec.ValidationError as error:
        raise ProbandError("'facts': " + in_words(str(error))) from None


def prompt(item: Item, template: str = PROMPT) -> str:
    """What a language model reads before the concrete text."""
    return template.replace("\\n", "\n").format(abstract=running(facts_of(item).abstract))
