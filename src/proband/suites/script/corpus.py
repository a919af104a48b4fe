"""Parallel corpora: an abstract line and the concrete steps it stands for.

Read from a tab-separated file (abstract, concrete, and in any later columns a split and a category; a header names them
in another order), from JSON lines (`abstract`, and `steps` or `concrete`), from KidsCook's folder as it was released,
or from YouCook2's annotations, which are abstract lines alone. Text that is tokenised already (KidsCook's files) is
split at white space alone; other text gets its punctuation split off.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import decode, sha256_text
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


SPLITS: tuple[Split, ...] = ("train", "valid", "test")


@dataclass(frozen=True, kw_only=True)
class Pair:
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


def read(path: Path, *, split: Split | None = None) -> list[Pair]:
    """The pairs of a file or of a released folder."""
    if path.is_dir():
        return read_folder(path)
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    name = path.name.removesuffix(".gz")
    for ending, reader in READERS.items():
        if name.endswith(ending):
            return list(reader(path, split=split))
    raise ProbandError("is not a corpus: .tsv, .jsonl (or .gz of them) or KidsCook's folder", file=path)


def read_folder(folder: Path) -> list[Pair]:
    """KidsCook as released (`{train,valid,test}.template.tsv`, full words), or .tsv or .jsonl files of those names."""
    endings = (".template.tsv", ".tsv", ".jsonl", ".jsonl.gz")
    paths = {split: [p for end in endings if (p := folder / f"{split}{end}").exists()] for split in SPLITS}
    if not any(paths.values()):
        raise ProbandError("contains no train, valid or test .template.tsv, .tsv or .jsonl", file=folder)
    return [pair for split, each in paths.items() for path in each[:1] for pair in read(path, split=split)]


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as file:
            for number, raw in enumerate(file, start=1):
                yield number, raw.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ProbandError(f"not UTF-8: {error.reason}", file=path) from None
    except (OSError, EOFError) as error:
        raise ProbandError(f"cannot be read: {error}", file=path) from None


def read_words(path: Path) -> list[str]:
    """The distinct words of a file."""
    results = list(dict.fromkeys(word for _, line in lines_of(path) for word in line.split()))
    if not results:
        raise ProbandError("contains no words", file=path)
    return results


def released_whitelist(folder: Path | None) -> list[str] | None:
    """The words that may be left out, where they lie beside released tags."""
    path = folder / "slot_whitelist.txt" if folder is not None else None
    return read_words(path) if path is not None and path.exists() else None


def split_of(path: Path) -> Split:
    return next((split for split in SPLITS if path.name.startswith(split)), "train")


def read_template(path: Path, *, split: Split | None = None) -> Iterator[Pair]:
    """Abstract, concrete, and a 0/1 per concrete token (0: a slot). A full stop ends a step."""
    for number, line in lines_of(path):
        fields = line.split("\t")
        if len(fields) != 3:
            raise ProbandError(
                f"{len(fields)} columns where 3 belong: abstract, concrete, tags", file=path, line=number
            )
        abstract, concrete, tags = (tuple(field.split()) for field in fields)
        if len(concrete) != len(tags) or not set(tags) <= {"0", "1"}:
            raise ProbandError(f"'tags' are not {len(concrete)} times 0 or 1", file=path, line=number)
        if not abstract or not concrete:
            raise ProbandError("an empty side", file=path, line=number)
        yield Pair(
            abstract=abstract,
            steps=tuple(sentences(concrete)),
            split=split or split_of(path),
            category="kidscook",
            tags=tuple(int(tag) for tag in tags),
        )


def read_tsv(path: Path, *, split: Split | None = None) -> Iterator[Pair]:
    """Columns abstract and concrete, then split and category if there are more; a header may name them."""
    names = ["abstract", "concrete", "split", "category"]
    for number, line in lines_of(path):
        fields = line.split("\t")
        if number == 1 and "abstract" in (head := [field.strip().lower() for field in fields]) and "concrete" in head:
            names = head
            continue
        if not line.strip():
            continue
        if len(fields) < 2:
            raise ProbandError("one column where abstract and concrete belong", file=path, line=number)
        yield pair_of(dict(zip(names, fields, strict=False)), path, number, split=split)


def read_jsonl(path: Path, *, split: Split | None = None) -> Iterator[Pair]:
    for number, line in lines_of(path):
        row = decode(dict[str, Any], line.encode(), file=path, line=number)
        yield pair_of(row, path, number, split=split)


def pair_of(row: Mapping[str, Any], path: Path, number: int, *, split: Split | None) -> Pair:
    abstract, steps = row.get("abstract"), row.get("steps", row.get("concrete"))
    if isinstance(steps, str):  # running text: its sentences are the steps
        steps = [" ".join(step) for step in sentences(tokens(steps))]
    if not isinstance(abstract, str) or not isinstance(steps, list) or not all(isinstance(s, str) for s in steps):
        raise ProbandError(
            "'abstract' must be text and 'steps' (or 'concrete') text or a list of it", file=path, line=number
        )
    told = split or str(row.get("split") or split_of(path)).strip()
    if told not in SPLITS:
        raise ProbandError(f"'split' is {told!r}, not one of {', '.join(SPLITS)}", file=path, line=number)
    cut: Callable[[str], Sequence[str]] = str.split if ".sequences." in path.name else tokens
    pair = Pair(
        abstract=tuple(cut(abstract)),
        steps=tuple(tuple(words) for step in steps if (words := cut(step))),
        split=told,
        category=str(row.get("category") or "cooking").strip(),
    )
    if not pair.abstract or not pair.concrete:
        raise ProbandError("an empty side", file=path, line=number)
    return pair


READERS: Mapping[str, Callable[..., Iterator[Pair]]] = {
    ".template.tsv": read_template,
    ".jsonl": read_jsonl,
    ".tsv": read_tsv,
    ".txt": read_tsv,
}


def read_sequences(folder: Path) -> list[Pair]:
    """The released sequences, which are the paper's, where they lie beside the cloze texts."""
    paths = [folder / f"{split}.sequences.jsonl.gz" for split in SPLITS]
    return [pair for path in paths if path.exists() for pair in read(path)]


def read_captions(path: Path) -> list[tuple[str, ...]]:
    """YouCook2's annotations: every caption, tokenised."""
    text = "".join(line for _, line in lines_of(path))
    try:
        videos = json.loads(text)["database"].values()
        return [tokens(note["sentence"]) for video in videos for note in video["annotations"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ProbandError(
            "not YouCook2's annotations: 'database' -> video -> 'annotations' -> 'sentence'", file=path
        ) from None


# ---- token lists as running text: what language models and people read ---------------------------------------------


BLANK = "____"
NO_SPACE_BEFORE = frozenset([*".,;:!?)%°'’", "n't", *("'" + end for end in ("s", "re", "ve", "ll", "d", "m"))])
NO_SPACE_AFTER = frozenset(["(", "$", "#"])
PROMPT = "{abstract}\n"  # what stands before the concrete text


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


def prompt(item: Item, template: str = PROMPT) -> str:
    """What a language model reads before the concrete text."""
    return template.replace("\\n", "\n").format(abstract=running(item.facts["abstract"]))
