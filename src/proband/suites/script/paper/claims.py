"""The findings of section 4.2 as paired tests on the same texts, training seeds of one net taken together.

A net is named by its kind (`run.net`), a language model that was not trained further by its solver.
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
    "gpt": {"run.net": "", "run.solver": "cloze"},
    "gpt fine-tuned": {"run.net": "finetune", "run.solver": "cloze"},
}


MATCH, TOP5 = ("whole_oracle", "whole_greedy"), ("top5_word_oracle", "top5_word_greedy")


def _ahead(
    statement: str, where: str, above: str, below: Sequence[str], metrics: Sequence[str], *, margin: float = 0.0
) -> Claim:
    """`above` is better than each of `below` in each metric; `where` in section 4.2 the paper says so."""
    contrasts = tuple(
        Contrast(above=SYSTEMS[above], below=SYSTEMS[other], where=ON_TEST, metric=name, pair="item", margin=margin)
        for name in metrics
        for other in below
        if other != above
    )
    return Claim(statement=statement, source=f"section 4.2{where}", contrasts=contrasts, per=())


CLAIMS = (
    *(
        _ahead(
            f"alignment helps: {net} beats the models without it",
            ", table 4: greedy match",
            net,
            UNALIGNED,
            ("whole_greedy",),
        )
        for net in ALIGNED
    ),
    _ahead(
        "fixed transitions match best among the in-domain models",
        ", table 4: match, oracle and greedy",
        "transducer",
        IN_DOMAIN,
        MATCH,
    ),
    _ahead(
        "fixed transitions have the best top-5 precision among the in-domain models",
        ", table 4: top-5, oracle and greedy",
        "transducer",
        IN_DOMAIN,
        TOP5,
    ),
    _ahead(
        "attention is next best in match",
        ", table 4: match, oracle and greedy",
        "attention",
        (*UNALIGNED, "transducer-param"),
        MATCH,
    ),
    _ahead(
        "parameterised transitions have the lowest surprisal among the in-domain models",
        ", table 4: surprisal",
        "transducer-param",
        IN_DOMAIN,
        ("surprisal",),
    ),
    _ahead(
        "fixed transitions align shorter than parameterised ones",
        ": 6.18 words against 16.61",
        "transducer",
        ("transducer-param",),
        ("alignment_length",),
    ),
    _ahead(
        "a language model that is not fine-tuned is below fixed transitions",
        ", table 4: match, oracle and greedy",
        "transducer",
        ("gpt",),
        MATCH,
    ),
    _ahead(
        "fine-tuned, a language model is above all in-domain models by five points or more",
        ", table 4: match, oracle and greedy",
        "gpt fine-tuned",
        IN_DOMAIN,
        MATCH,
        margin=BY_FAR,
    ),
)
