"""Levy/Holt (Hosseini et al.'s splits): `q-triple<TAB>p-triple<TAB>True|False`, True where p (RIGHT) entails q (LEFT).

`X.txt` has the type in one argument of the question, `X_s.txt` the same rows with both arguments filled in; the texts
come from the second and the question from the first. `X_dir.txt` lists the rows of pairs that hold in one direction
only: they are rows of `X.txt` and become a tag. `X_rels.txt` (or .gz) has a FIGER type for each argument; an argument
has the type that it has most often, `thing` only where it has no other. dev is the validation split.

The readable files begin most arguments with a capital, names (`Martin Luther`) and others (`Vitamins`). A first capital
is kept where the type or the rest of the file says that the word is a name (`name_case`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.types import Split
from proband.suites.inference.datasets.rows import text_lines, triple_rows
from proband.suites.inference.items import BACKWARD, FORWARD, Example, Triple, likeness
from proband.suites.inference.words import FUNCTION

SPLITS: dict[str, Split] = {"train": "train", "dev": "valid", "test": "test"}
Row = tuple[Triple, Triple, bool]
THING = "thing"
NAMED = frozenset(("location", "person", "organization", "god", "language", "astral body", "broadcast network"))


def read(path: Path) -> Iterator[Example]:
    """A folder with train, dev and test files, or one file of them."""
    if path.is_dir():
        results = [name for name in ("test", "dev", "train") if (path / f"{name}.txt").exists()]
        if not results:
            raise ProbandError("contains no dev.txt and no test.txt", file=path)
        for name in results:
            yield from read_file(path / f"{name}.txt")
    else:
        yield from read_file(path)


def read_file(path: Path) -> Iterator[Example]:
    """X.txt beside X_s.txt, or one of them alone."""
    stem = path.stem.removesuffix("_s")
    typed, filled = path.with_name(f"{stem}.txt"), path.with_name(f"{stem}_s.txt")
    texts = rows(filled if filled.exists() else path)
    originals = rows(typed) if typed.exists() else texts
    if len(texts) != len(originals):
        raise ProbandError(f"has {len(texts)} rows, {typed.name} has {len(originals)}", file=filled)
    beside = path.with_name(f"{stem}_dir.txt")
    one_way = set(rows(beside)) if beside.exists() else set()
    used = Counter(triple for left, right, _ in originals for triple in (left, right))
    types = argument_types(path, stem, texts)
    case = name_case(texts, types)
    for (left, right, entailed), (typed_left, typed_right, _) in zip(texts, originals, strict=True):
        hypothesis, premise = (Triple(case(each.subject), each.relation, case(each.object)) for each in (left, right))
        asks = is_question(typed_left, hypothesis, typed_right, premise, used)
        yield Example(
            premise=premise,
            hypothesis=hypothesis,
            entailed=entailed,
            straight=is_straight(premise, hypothesis),
            question=", ".join(typed_left if asks else typed_right),
            direction=FORWARD if asks else BACKWARD,
            source="levy-holt",
            split=SPLITS.get(stem.removesuffix("_dir"), "test"),
            directional=stem.endswith("_dir") or (typed_left, typed_right, entailed) in one_way,
            typed=(types.get(premise.subject.lower(), ""), types.get(premise.object.lower(), "")),
        )


def rows(path: Path) -> list[Row]:
    return [(left, right, entailed) for _, left, right, entailed in triple_rows(path)]


def is_straight(premise: Triple, hypothesis: Triple) -> bool:
    straight = likeness(premise.subject, hypothesis.subject) + likeness(premise.object, hypothesis.object)
    swapped = likeness(premise.subject, hypothesis.object) + likeness(premise.object, hypothesis.subject)
    return straight >= swapped


def is_question(left: Triple, left_text: Triple, right: Triple, right_text: Triple, used: Counter[Triple]) -> bool:
    """Whether the left triple is the question: its argument was filled in; else the one that stands in more rows."""
    changed = [typed.lower != text.lower for typed, text in ((left, left_text), (right, right_text))]
    return changed[0] if changed[0] != changed[1] else used[left] >= used[right]


# ---- names -----------------------------------------------------------------------------------------------------------


def name_case(texts: Sequence[Row], types: Mapping[str, str]) -> Callable[[str], str]:
    """A function from an argument to the same with capitals for names alone. The first word loses its capital if it is
    a function word, or if the argument's type is not one of names and the word occurs without a capital in the file,
    and not more often with one inside an argument (`New York`).

    >>> england, energy = Triple("The energy", "leaves", "England"), Triple("New England", "needs", "the energy")
    >>> case = name_case([(england, energy, True), (energy, Triple("Energy", "is in", "England"), True)], {})
    >>> [case(each) for each in ("The energy", "Energy", "England", "New England")]
    ['the energy', 'energy', 'England', 'New England']
    """
    named, common = Counter[str](), Counter[str]()
    for argument in {each for left, right, _ in texts for triple in (left, right) for each in triple[::2]}:
        words = argument.split()
        common.update(word for word in words if word.islower())
        named.update(word.lower() for word in words[1:] if not word.islower())

    def case(argument: str) -> str:
        first, space, rest = argument.partition(" ")
        plain = first.lower()
        name = types.get(argument.lower()) in NAMED
        if plain in FUNCTION or (common[plain] > named[plain] and not name):
            return plain + space + rest
        return argument

    return case


# ---- types -----------------------------------------------------------------------------------------------------------


def argument_types(path: Path, stem: str, texts: Sequence[Row]) -> Mapping[str, str]:
    """Argument in lower case -> its type, from `X_rels.txt` where there is one.

    A row is like the texts': `(use.2,use.in.2) ephedrine::medicine medicine::thing` for each triple. Where it has the
    type that the question asks for instead of the argument, it says nothing of the argument.
    """
    beside = (path.with_name(f"{stem}_rels.txt{end}") for end in ("", ".gz"))
    file = next((each for each in beside if each.exists()), None)
    if file is None:
        return {}
    lines = [line for _, line in text_lines(file)]
    if len(lines) != len(texts):
        raise ProbandError(f"has {len(lines)} rows, {stem}.txt has {len(texts)}", file=file)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for line, (left, right, _) in zip(lines, texts, strict=True):
        for cell, triple in zip(line.split("\t"), (left, right)):
            for argument, kind in typed_arguments(cell):
                for text in triple[::2]:
                    if likeness(argument, text) > 0:
                        counts[text.lower()][kind] += 1
    return {text: max(kinds, key=lambda kind: (kind != THING, kinds[kind], kind)) for text, kinds in counts.items()}


def typed_arguments(cell: str) -> Iterator[tuple[str, str]]:
    """
    >>> list(typed_arguments("(use.2,use.in.2) united_states::location medicine::living_thing"))
    [('united states', 'location'), ('medicine', 'living thing')]
    """
    for part in cell.split()[1:]:
        argument, mark, kind = part.partition("::")
        if mark and kind:
            yield argument.replace("_", " "), "living thing" if kind == "livingthing" else kind.replace("_", " ")
