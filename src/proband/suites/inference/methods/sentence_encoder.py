"""Sentence encoders: the cosine of the two sentences' embeddings. It is the same in both directions."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.protocols import EmbedsSentences
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.suites.inference.items import asked, sentence
from proband.suites.inference.methods.combination import RuleOptions, combined


def solve(items: Sequence[Item], model: EmbedsSentences, *, seed: int, options: RuleOptions) -> list[Answer]:
    pairs = [(sentence(asked(item).premise) or "Nothing.", sentence(asked(item).hypothesis)) for item in items]
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    row = dict(zip(texts, model.embed_sentences(texts), strict=True))
    return combined(items, [float(row[p] @ row[h]) for p, h in pairs], options)


SENTENCES = Solver(
    name="sentences",
    help="the cosine of two sentence embeddings",
    needs=EmbedsSentences,
    solve=solve,
    options=RuleOptions,
)
