"""The findings of section 4.2 as paired tests on the same texts, training seeds of one net taken together.

A net is named by its kind (`run.net`), a causal language model that was not trained further by its kind and solver.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proband.core.suite import Claim, Contrast, Where

ALIGNED = ("attention", "transducer", "transducer-param")
UNALIGNED = ("lm", "seq2seq")
IN_DOMAIN = (*UNALIGNED, *ALIGNED)
BY_FAR = 0.05  # "substantially higher": five points
ON_TEST: Where = {"split": "test", "asked": True}
SYSTEMS: Mapping[str, Where] = {
    **{net: {"run.net": net, "run.solver": "answer"} for net in IN_DOMAIN},
    "gpt": {"run.net": "", "run.solver": "cloze", "run.kind": "causal"},  # a masked one sees what follows
    "gpt fine-tuned": {"run.net": "finetune", "run.solver": "cloze"},
}


GREEDY = "section 4.2, table 4: greedy match"
MATCH = "section 4.2, table 4: match, oracle and greedy"
TOP5 = "section 4.2, table 4: top-5, oracle and greedy"
SURPRISAL = "section 4.2, table 4: surprisal"
LENGTH = "section 4.2: 6.18 words against 16.61"
MEASURES: Mapping[str, Sequence[str]] = {
    GREEDY: ("whole_greedy",),
    MATCH: ("whole_oracle", "whole_greedy"),
    TOP5: ("top5_word_oracle", "top5_word_greedy"),
    SURPRISAL: ("surprisal",),
    LENGTH: ("alignment_length",),
}


def _ahead(statement: str, source: str, *, above: str, below: Sequence[str], margin: float = 0.0) -> Claim:
    """`above` is better than each of `below` by each measure of the source."""
    contrasts = tuple(
        Contrast(above=SYSTEMS[above], below=SYSTEMS[other], metric=metric, pair="item", margin=margin)
        for metric in MEASURES[source]
        for other in below
        if other != above
    )
    return Claim(statement=statement, source=source, where=ON_TEST, contrasts=contrasts, per=())


CLAIMS = (
    *(
        _ahead(f"alignment helps: {net} beats the models without it", GREEDY, above=net, below=UNALIGNED)
        for net in ALIGNED
    ),
    _ahead("fixed transitions match best among the in-domain models", MATCH, above="transducer", below=IN_DOMAIN),
    _ahead(
        "fixed transitions have the best top-5 precision among the in-domain models",
        TOP5,
        above="transducer",
        below=IN_DOMAIN,
    ),
    _ahead("attention is next best in match", MATCH, above="attention", below=(*UNALIGNED, "transducer-param")),
    _ahead(
        "parameterised transitions have the lowest surprisal among the in-domain models",
        SURPRISAL,
        above="transducer-param",
        below=IN_DOMAIN,
    ),
    _ahead(
        "fixed transitions align shorter than parameterised ones",
        LENGTH,
        above="transducer",
        below=("transducer-param",),
    ),
    _ahead(
        "a language model that is not fine-tuned is below fixed transitions", MATCH, above="transducer", below=("gpt",)
    ),
    _ahead(
        "fine-tuned, a language model is above all in-domain models by five points or more",
        MATCH,
        above="gpt fine-tuned",
        below=IN_DOMAIN,
        margin=BY_FAR,
    ),
)
