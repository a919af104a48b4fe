"""Assertions as pairs of names for skip-gram: each distinct relation and argument is brought to its form once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.suites.inference.assertions.store import Store
from proband.suites.inference.items import content
from proband.suites.inference.methods.embeddings.skip_gram import Ints, Pairs
from proband.suites.inference.methods.rule_files import canonical

Columns = tuple[Any, Any, Any, Ints]
INVERSE = "@R@"


def inverse(relation: str) -> str:
    return relation + INVERSE


def argument(text: str) -> str:
    """
    >>> argument("the Headaches")
    'headache'
    """
    return " ".join(content(text))


def slots(subject: str, object_: str) -> tuple[str, str]:
    return f"X:{subject}", f"Y:{object_}"


def triples_to_pairs(table: Columns, *, least: int) -> Pairs:
    """The four pairs of every assertion, names seen fewer than `least` times left out."""
    subject, relation, object_, count = table
    names = [_forms(each, how) for each, how in ((subject, argument), (relation, canonical), (object_, argument))]
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
    """The same of a store of assertions, or a table."""
    import polars as pl

    if not path.exists():
        raise ProbandError("does not exist", file=path)
    if path.is_dir():
        return of_rows([(each.subject, each.relation, each.object, each.count) for each in Store(path).all()])
    try:
        table = pl.read_csv(
            path, separator="\t", has_header=False, quote_char=None, infer_schema=False, truncate_ragged_lines=True
        )
    except pl.exceptions.PolarsError as error:
        raise ProbandError(f"is not a table: {str(error).splitlines()[0]}", file=path) from None
    if table.width < 3:
        raise ProbandError(f"has {table.width} columns, not subject, relation, object (and count)", file=path)
    if table.row(0)[:3] == ("subject", "relation", "object"):
        table = table[1:]
    counts = table.to_series(3).cast(pl.Int64, strict=False) if table.width > 3 else pl.Series([1] * table.height)
    if counts.null_count():
        line = int(counts.is_null().arg_max() or 0) + 1
        raise ProbandError("the fourth column must be a count", file=path, line=line)
    subject, relation, object_ = (table.to_series(n).fill_null("") for n in range(3))
    return subject, relation, object_, counts.to_numpy().astype(np.int64)


def _forms(series: Any, form: Callable[[str], str]) -> tuple[Ints, list[str]]:
    """Each cell's form by number, and the forms."""
    known: dict[str, int] = {}
    number = [known.setdefault(form(text), len(known)) for text in series.unique().sort()]
    return np.array(number, dtype=np.int64)[series.rank("dense").to_numpy() - 1], list(known)


def frequent(
    left: Ints, right: Ints, count: Ints, left_names: Sequence[str], right_names: Sequence[str], *, least: int
) -> Pairs:
    """The pairs whose names are frequent enough, expanded by their counts and numbered anew."""
    often = [np.bincount(x, weights=count, minlength=len(n)) for x, n in ((left, left_names), (right, right_names))]
    keep = (often[0] >= least)[left] & (often[1] >= least)[right]
    if not keep.any():
        raise ProbandError(f"no relation and argument occur {least} times or more; lower 'least'")
    left, right, count = left[keep], right[keep], count[keep]
    sides = []
    for each, names in ((left, left_names), (right, right_names)):
        used, codes = np.unique(each, return_inverse=True)
        sides.append((np.repeat(codes, count), [names[n] for n in used]))
    return Pairs(sides[0][0], sides[1][0], sides[0][1], sides[1][1])
