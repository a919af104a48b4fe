r"""Relation embeddings (section 4.1): skip-gram over pairs of a relation and an argument in its slot, from assertions.

An assertion (a, r, b) gives the pairs (r, X:a), (r, Y:b) and, for the relation read from its other side, (r^-1, X:b),
(r^-1, Y:a). Where the arguments of a pair are swapped the premise is compared with the inverse of the hypothesis:

    s(p, h) = cos(w_p, w_h)   or   cos(w_p, w_{h^-1})

In context (Melamud et al. 2015), with t = h, s = p, the argument vectors C = {c_X:a, c_Y:b} and pcos = (cos + 1) / 2:

    add       (cos(t, s) + \sum_c cos(t, c)) / (|C| + 1)
    bal-add   (|C| cos(t, s) + \sum_c cos(t, c)) / 2|C|
    mult      (pcos(t, s) \prod_c pcos(t, c)) ^ 1/(|C| + 1)
    bal-mult  (pcos(t, s)^|C| \prod_c pcos(t, c)) ^ 1/2|C|
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from proband.core.errors import ProbandError
from proband.core.files import read_items, sha256_file
from proband.core.plugins import Meta
from proband.core.protocols import Floats32
from proband.core.suite import Net
from proband.core.tables import text_lines
from proband.core.types import Answer, Item
from proband.suites.inference.assertions.records import read_tsv
from proband.suites.inference.assertions.store import Store
from proband.suites.inference.items import SWAPPED, InferenceFacts, Triple, content, facts_of, premises
from proband.suites.inference.methods.baselines import fold_of
from proband.suites.inference.methods.embeddings.skip_gram import Ints, Pairs, SkipGramOptions, TrainSkipGram, frequent
from proband.suites.inference.methods.rule_files import canonical

UNKNOWN = -1.0

# ---- assertions as pairs of names: each distinct relation and argument is brought to its form once -----------------


Columns = tuple[Any, Any, Any, Ints]


def inverse(relation: str) -> str:
    return relation + SWAPPED


def argument(text: str) -> str:
    """
    >>> argument("the Headaches")
    'headache'
    """
    return " ".join(content(text))


def slots(subject: str, object_: str) -> tuple[str, str]:
    return f"X:{subject}", f"Y:{object_}"


def triples_to_pairs(table: Columns, *, least: int) -> Pairs:
    """The four pairs of every assertion, without names seen fewer than `least` times."""
    subject, relation, object_, count = table
    names = [_forms(each, part) for each, part in ((subject, argument), (relation, canonical), (object_, argument))]
    (a, a_names), (r, r_names), (b, b_names) = names
    right = [f"X:{name}" for name in a_names], [f"Y:{name}" for name in b_names]
    swapped = [f"X:{name}" for name in b_names], [f"Y:{name}" for name in a_names]
    left_names = [*r_names, *map(inverse, r_names)]
    right_names = [*right[0], *right[1], *swapped[0], *swapped[1]]
    begin = np.cumsum([0, *(len(each) for each in (*right, *swapped))])
    left = np.concatenate([r, r, r + len(r_names), r + len(r_names)])
    place = np.concatenate([a + begin[0], b + begin[1], b + begin[2], a + begin[3]])
    known: dict[str, int] = {}
    merged = np.array([known.setdefault(name, len(known)) for name in right_names], dtype=np.int64)
    return frequent(left, merged[place], np.tile(count, 4), left_names, list(known), least=least)


def of_rows(rows: Sequence[tuple[str, str, str, int]]) -> Columns:
    """Subject, relation and object as series of text, and how often."""
    import polars as pl

    kept = pl.DataFrame(rows, schema=["subject", "relation", "object", "count"], orient="row")
    return kept["subject"], kept["relation"], kept["object"], kept["count"].to_numpy().astype(np.int64)


def columns(path: Path) -> Columns:
    """The columns of a store of assertions, or of a table."""
    if not path.exists():
        raise ProbandError("does not exist", file=path)
    if path.is_dir():
        return of_rows([(each.subject, each.relation, each.object, each.count) for each in Store(path).all()])
    read = (read_tsv(line, path, number) for number, line in text_lines(path))
    return of_rows([(*triple, count) for triple, count in read])


def _forms(series: Any, form: Callable[[str], str]) -> tuple[Ints, list[str]]:
    """Each cell's form by number, and the forms."""
    known: dict[str, int] = {}
    number = [known.setdefault(form(text), len(known)) for text in series.unique().sort()]
    return np.array(number, dtype=np.int64)[series.rank("dense").to_numpy() - 1], list(known)


# ---- the net ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class RelationOptions(SkipGramOptions):
    """Options that name the source of the assertions."""

    data: Annotated[
        Path | None,
        Meta(
            description="a store of assertions (`proband inference assertions`), or a TSV of subject, relation, object "
            "and count; default: the premises of the items, without their labels"
        ),
    ] = None
    questions: Annotated[
        Literal["all", "other"],
        Meta(
            description="without `data`: the premises of all questions (those that are asked among them), or for each "
            "pair those of other questions alone (five nets, each without a fifth of the questions)"
        ),
    ] = "all"


PARTS = 5  # parts of the questions, for cross-fitting


def part_of(item: Item) -> int:
    return fold_of(item) % PARTS


class TrainRelations(TrainSkipGram):
    """The net `relations`."""

    def __init__(self, items: Path, options: RelationOptions) -> None:
        table = columns(options.data) if options.data else of_rows([(*each, 1) for each in premises(items)])
        self.options, self.pairs = options, triples_to_pairs(table, least=options.min_count)
        self.parts: list[Pairs] = []
        if options.questions == "other":
            if options.data:
                raise ProbandError("'questions' is for the premises of the items; with 'data' these are not read")
            self.parts = [self._without(items, part) for part in range(PARTS)]

    def _without(self, items: Path, part: int) -> Pairs:
        """The premises of all questions outside a part."""
        others = [Triple(*item.facts["premise"]) for item in read_items(items) if part_of(item) != part]
        rows = [(*each, 1) for each in dict.fromkeys(others) if each.relation]
        return triples_to_pairs(of_rows(rows), least=self.options.min_count)

    def fit(self, *, seed: int) -> None:
        whole, nets = self.pairs, []
        for pairs in self.parts:
            self.pairs = pairs
            super().fit(seed=seed)
            nets.append((self.pairs, self.net))
        self.pairs, self.nets = whole, nets
        if not nets:
            super().fit(seed=seed)

    def note(self) -> Mapping[str, Any]:
        sizes = {"relations": len(self.pairs.left_names), "arguments": len(self.pairs.right_names)}
        return {**sizes, "pairs": len(self.pairs.left)}

    def save_into(self, folder: Path) -> None:
        for part, (pairs, net) in enumerate(self.nets):
            save_table(folder, f"relations-{part}", pairs.left_names, net.left)
            save_table(folder, f"arguments-{part}", pairs.right_names, net.right)
        if self.nets:
            return
        save_table(folder, "relations", self.pairs.left_names, self.net.left)
        save_table(folder, "arguments", self.pairs.right_names, self.net.right)


def save_table(folder: Path, name: str, names: Sequence[str], table: Floats32) -> None:
    (folder / f"{name}.txt").write_text("".join(f"{each}\n" for each in names), encoding="utf-8")
    np.save(folder / f"{name}.npy", table)


def read_table(folder: Path, name: str) -> tuple[dict[str, int], Floats32]:
    """Names by row, and rows scaled to length one."""
    names = (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    table = np.load(folder / f"{name}.npy", allow_pickle=False).astype(np.float32)
    if len(names) != len(table):
        raise ProbandError(f"has {len(names)} lines, {name}.npy {len(table)} rows", file=folder / f"{name}.txt")
    table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)
    return {each: n for n, each in enumerate(names)}, table


class RelationEmbeddings:
    """`net:FOLDER` of the net `relations`."""

    def __init__(self, folder: Path) -> None:
        self.name, self.folder, self.context = f"net:{folder}", folder, "none"
        whole = (folder / "relations.npy").exists()
        self.tables = [
            (read_table(folder, f"relations{part}"), read_table(folder, f"arguments{part}"))
            for part in ([""] if whole else [f"-{n}" for n in range(PARTS)])
        ]
        self.use(0)

    def use(self, part: int) -> None:
        """Score with the tables of a part, or with the only ones."""
        (self.relations, self.left), (self.arguments, self.right) = self.tables[part if len(self.tables) > 1 else 0]

    def identity(self) -> Mapping[str, str]:
        names = sorted(each.name for each in self.folder.iterdir() if each.suffix in (".npy", ".txt"))
        files = {name: sha256_file(self.folder / name) for name in names if not name.startswith("arguments.t")}
        return {"kind": "net", "net": "relations", "context": self.context, **files}

    def in_context(self, kind: str) -> RelationEmbeddings:
        if kind not in COMBINE:
            raise ProbandError(f"'context' is {kind!r}, not one of none, {', '.join(COMBINE)}")
        changed = copy.copy(self)
        changed.context = kind
        return changed

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        answers = []
        for item in items:
            self.use(part_of(item))
            answers.append(Answer(item_id=item.id, scores=(self.similarity(facts_of(item)), 0.0)))
        return answers

    def similarity(self, pair: InferenceFacts) -> float:
        """-1 where a relation is unknown."""
        target = canonical(pair.hypothesis.relation)
        rows = (canonical(pair.premise.relation), target if pair.straight else inverse(target))
        if not pair.premise.relation or any(row not in self.relations for row in rows):
            return UNKNOWN
        source, wanted = (self.left[self.relations[row]] for row in rows)
        likeness = float(source @ wanted)
        if self.context == "none":
            return likeness
        given = [argument(pair.premise.subject), argument(pair.premise.object)]
        rows_of = [self.arguments[slot] for slot in slots(*given) if slot in self.arguments]
        fits = [float(wanted @ self.right[row]) for row in rows_of]
        return COMBINE[self.context](likeness, fits)


def positive(cosine: float) -> float:
    return (cosine + 1) / 2


def add(s: float, c: Sequence[float]) -> float:
    """
    >>> add(0.5, [0.2, 0.2]), bal_add(0.5, [0.1, 0.3]), mult(1.0, [1.0, 1.0]), bal_mult(1.0, [])
    (0.3, 0.35, 1.0, 1.0)
    """
    return (s + sum(c)) / (len(c) + 1)


def bal_add(s: float, c: Sequence[float]) -> float:
    return (len(c) * s + sum(c)) / (2 * len(c)) if c else s


def mult(s: float, c: Sequence[float]) -> float:
    return float((positive(s) * np.prod([positive(each) for each in c])) ** (1 / (len(c) + 1)))


def bal_mult(s: float, c: Sequence[float]) -> float:
    n = len(c)
    return float((positive(s) ** n * np.prod([positive(each) for each in c])) ** (1 / (2 * n))) if n else positive(s)


COMBINE: Mapping[str, Callable[[float, Sequence[float]], float]] = {
    "add": add,
    "bal-add": bal_add,
    "mult": mult,
    "bal-mult": bal_mult,
}


def task(items: Path, *, options: RelationOptions, seed: int, model: Any = None) -> TrainRelations:
    return TrainRelations(items, options)


RELATIONS = Net(
    name="relations",
    help="relation embeddings: skip-gram over relations and their arguments, from assertions",
    options=RelationOptions,
    task=task,
    load=RelationEmbeddings,
)
