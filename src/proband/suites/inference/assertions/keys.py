"""What arguments are compared by, for a whole column at once: each distinct word is looked up once.

>>> import polars as pl
>>> keys(pl.Series(["the Headaches", "The United  States of America", "it"])).to_list()
['headache', 'unite state america', 'it']
"""

from __future__ import annotations

from typing import Any

import numpy as np

from proband.lexicon.inflection import base_forms, key

SPACES = r"[\s\x1c-\x1f]+"  # what Python's split() takes for space
ODD = r"\s\s|[^\S ]|[\x1c-\x1f]"  # other than single spaces
MOST = 12  # words of an argument; longer ones are rare and done one by one


def keys(texts: Any) -> Any:
    """`lexicon.inflection.key` of every text of a polars column."""
    import polars as pl

    if not len(texts):
        return texts
    words = one_space(texts).str.to_lowercase().str.split(" ")
    lengths = words.list.len().to_numpy()
    starts = np.cumsum(lengths) - lengths
    flat = words.explode()
    distinct = flat.unique()
    codes = flat.cast(pl.Enum(distinct)).to_physical().to_numpy()
    # stop words are nulls, which concat_str passes over
    forms = pl.Series([form or None for form in base_forms(distinct.to_list())], dtype=pl.String)
    found, rows = [], []
    for length in np.unique(lengths).tolist():
        at = np.flatnonzero(lengths == length)
        if length > MOST:
            part = pl.Series([key(text) for text in texts.gather(at).to_list()], dtype=pl.String)
        else:
            columns = [forms.gather(codes[starts[at] + place]) for place in range(length)]
            part = pl.select(pl.concat_str(columns, separator=" ", ignore_nulls=True)).to_series()
        if (part == "").any():  # nothing but stop words: they stay
            part = pl.select(pl.when(part == "").then(words.gather(at).list.join(" ")).otherwise(part)).to_series()
        found.append(part)
        rows.append(at)
    back = np.empty(len(texts), np.uint32)
    back[np.concatenate(rows)] = np.arange(len(texts), dtype=np.uint32)
    return pl.concat(found).gather(back)


def one_space(texts: Any) -> Any:
    """Texts without space at their ends and with single spaces inside."""
    odd = texts.str.starts_with(" ") | texts.str.ends_with(" ") | texts.str.contains(ODD)
    return texts.str.replace_all(SPACES, " ").str.strip_chars(" ") if odd.any() else texts
