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


def _ahead(
    above: str, below: Sequence[str], metrics: Sequence[str] = ("whole_greedy",), *, margin: float = 0.0
) -> tuple[Contrast, ...]:
    """`above` is better than each of `below` in each metric."""
    return tuple(
        Contrast(
            above=SYSTEMS[above], below=SYSTEMS[other], where=ON_TEST, metric=metric, pair="item", margin=margin
        )
        for metric in metrics
        for other in below
    )  # fmt: skip


def _others(net: str) -> tuple[str, ...]:
    return tuple(other for other in IN_DOMAIN if other != net)


MATCH, TOP5 = ("whole_oracle", "whole_greedy"), ("top5_word_oracle", "top5_word_greedy")
CLAIMS = (
    *(
        Claim(
            statement=f"alignment helps: {net} beats the models without it",
            source="section 4.2, table 4: greedy match",
            contrasts=_ahead(net, UNALIGNED),
            per=(),
        )
        for net in ALIGNED
    ),
    Claim(
        statement="fixed transitions match best among the in-domain models",
        source="section 4.2, table 4: match, oracle and greedy",
        contrasts=_ahead("transducer", _others("transducer"), MATCH),
        per=(),
    ),
    Claim(
        statement="fixed transitions have the best top-5 precision among the in-domain models",
        source="section 4.2, table 4: top-5, oracle and greedy",
        contrasts=_ahead("transducer", _others("transducer"), TOP5),
        per=(),
    ),
    Claim(
        statement="attention is next best in match",
        source="section 4.2, table 4: match, oracle and greedy",
        contrasts=_ahead("attention", (*UNALIGNED, "transducer-param"), MATCH),
        per=(),
    ),
    Claim(
        statement="parameterised transitions have the lowest surprisal among the in-domain models",
        source="section 4.2, table 4: surprisal",
        contrasts=_ahead("transducer-param", _others("transducer-param"), ("surprisal",)),
        per=(),
    ),
    Claim(
        statement="fixed transitions align shorter than parameterised ones",
        source="section 4.2: 6.18 words against 16.61",
        contrasts=_ahead("transducer", ("transducer-param",), ("alignment_length",)),
        per=(),
    ),
    Claim(
        statement="a language model that is not fine-tuned is below fixed transitions",
        source="section 4.2, table 4: match, oracle and greedy",
        contrasts=_ahead("transducer", ("gpt",), MATCH),
        per=(),
    ),
    Claim(
        statement="fine-tuned, a language model is above all in-domain models by five points or more",
        source="section 4.2, table 4: match, oracle and greedy",
        contrasts=_ahead("gpt fine-tuned", IN_DOMAIN, MATCH, margin=BY_FAR),
        per=(),
    ),
)
