"""Sets of rows `triple<TAB>triple<TAB>label`: Levy & Dagan 2016 and Levy/Holt.

levy-dagan   `question<TAB>answer<TAB>y|n`, the answer (RIGHT) is the premise; the question has a type in the place of
             the answer, which is put back
levy-holt    Hosseini et al.'s splits, `q-triple<TAB>p-triple<TAB>True|False`, True where p (RIGHT) entails q (LEFT).
             `X.txt` has the type in one argument of the question, `X_s.txt` the same rows with both arguments filled
             in; the texts come from the second and the question from the first. `X_dir.txt` lists the rows of pairs
             that hold in one direction only: they are rows of `X.txt` and become a tag. `X_rels.txt` (or .gz) has a
             FIGER type for each argument; an argument has the type that it has most often, `thing` only where it has
             no other. dev is the validation split.

The readable files of Levy/Holt begin most arguments with a capital, names (`Martin Luther`) and others (`Vitamins`). A
first capital is kept if the type or the rest of the file shows that the word is a name (`name_case`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.tables import TableRow, read_table, text_lines
from proband.core.types import Split
from proband.suites.inference.items import BACKWARD, FORWARD, FUNCTION, Example, Triple, instantiate, likeness

LABELS: Mapping[str, bool] = {
    **dict.fromkeys(("y", "yes", "true", "1"), True),
    **dict.fromkeys(("n", "no", "false", "0"), False),
}
SPLITS: dict[str, Split] = {"train": "train", "dev": "valid", "test": "test"}
COLUMNS = ("left", "right", "label")
Row = tuple[Triple, Triple, bool]


def data_files(folder: Path) -> list[Path]:
    """The files of a folder that may be data: no README, licence or hidden file."""
    files = sorted(each for each in folder.iterdir() if each.is_file())
    return [
        each
        for each in files
        if each.suffix not in (".md", ".pdf") and not each.name.upper().startswith(("README", "LICEN", ".", "CITATION"))
    ]


def split_files(path: Path, ending: str) -> list[Path]:
    """The test, dev and train files of a folder; or the file itself."""
    if not path.is_dir():
        return [path]
    files = [file for name in ("test", "dev", "train") if (file := path / f"{name}{ending}").exists()]
    if not files:
        raise ProbandError(f"contains no dev{ending} and no test{ending}", file=path)
    return files


def triple_rows(path: Path) -> Iterator[Row]:
    """(left, right, label) of each line."""
    for row in read_table(path, kind=".tsv", separator="\t", quotes=False, names=lambda first: COLUMNS, exact=True):
        left, right = (triple(row, side) for side in COLUMNS[:2])
        yield left, right, label(row.cells["label"], row)


def triple(row: TableRow, side: str) -> Triple:
    try:
        return Triple.read(row.cells[side])
    except ValueError:
        raise row.error(f"the {side} triple {row.cells[side]!r} is not `argument, relation, argument`") from None


def label(text: str, row: TableRow) -> bool:
    entailed = LABELS.get(text.strip().lower())
    if entailed is None:
        raise row.error(f"the label is {text!r}, not y or n (True or False)")
    return entailed


def is_straight(premise: Triple, hypothesis: Triple) -> bool:
    straight = likeness(premise.subject, hypothesis.subject) + likeness(premise.object, hypothesis.object)
    swapped = likeness(premise.subject, hypothesis.object) + likeness(premise.object, hypothesis.subject)
    return straight >= swapped


# ---- Levy & Dagan ----------------------------------------------------------------------------------------------------


LEVY_DAGAN = "levy_dagan_all.tsv"


def read_levy_dagan(path: Path) -> Iterator[Example]:
    """One file, or a folder: the file of the authors' name, otherwise all files."""
    if (path / LEVY_DAGAN).is_file():
        path = path / LEVY_DAGAN
    for file in data_files(path) if path.is_dir() else [path]:
        for question, answer, entailed in triple_rows(file):
            yield answered(question, answer, entailed=entailed, source="levy-dagan")


def answered(question: Triple, answer: Triple, *, entailed: bool | None, source: str) -> Example:
    """A question and a candidate answer, instantiated to premise and hypothesis."""
    hypothesis, straight, kind, matched = instantiate(question, answer)
    return Example(
        premise=answer,
        hypothesis=hypothesis,
        entailed=entailed,
        straight=straight,
        question=", ".join(question),
        source=source,
        typed=(kind, "") if (question.subject == kind) is straight else ("", kind),
        matched=matched,
    )


# ---- Levy/Holt -------------------------------------------------------------------------------------------------------


THING = "thing"
NAMED = frozenset(("location", "person", "organization", "god", "language", "astral body", "broadcast network"))


def read_levy_holt(path: Path) -> Iterator[Example]:
    """A folder with train, dev and test files, or one file of them."""
    for file in split_files(path, ".txt"):
        yield from read_file(file)


def read_file(path: Path) -> Iterator[Example]:
    """X.txt next to X_s.txt, or one of them alone."""
    stem = path.stem.removesuffix("_s")
    typed, filled = path.with_name(f"{stem}.txt"), path.with_name(f"{stem}_s.txt")
    texts = list(triple_rows(filled if filled.exists() else path))
    originals = list(triple_rows(typed)) if typed.exists() else texts
    if len(texts) != len(originals):
        raise ProbandError(f"has {len(texts)} rows, {typed.name} has {len(originals)}", file=filled)
    listed = path.with_name(f"{stem}_dir.txt")
    one_way = set(triple_rows(listed)) if listed.exists() else set()
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


def is_question(left: Triple, left_text: Triple, right: Triple, right_text: Triple, used: Counter[Triple]) -> bool:
    """Whether the left triple is the question: the one whose argument was filled in, otherwise the more frequent."""
    changed = [typed.lower != text.lower for typed, text in ((left, left_text), (right, right_text))]
    return changed[0] if changed[0] != changed[1] else used[left] >= used[right]


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


def argument_types(path: Path, stem: str, texts: Sequence[Row]) -> Mapping[str, str]:
    """Argument in lower case -> its type, from `X_rels.txt` where there is one.

    A row is like the texts': `(use.2,use.in.2) ephedrine::medicine medicine::thing` for each triple. A row
    with the type of the question instead of the argument gives no type.
    """
    files = (path.with_name(f"{stem}_rels.txt{end}") for end in ("", ".gz"))
    file = next((each for each in files if each.exists()), None)
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
