"""The findings of section 4.2 as paired tests on the same texts; the training seeds of a net are one system.

A net is named by its kind (`run.net`), a causal language model that was not trained further by its kind and solver.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proband.core.suite import Claim, Contrast, Where

ALIGNED = ("attention", "transducer", "transducer-param")
UNALIGNED = ("lm", "seq2seq")
IN_DOMAIN = (*UNALIGNED, *ALIGNED)
BY_FAR = 0.05  # "substantially higher": five points
NO_IMPROVEMENT = 0.01  # "did not improve": by no more than a point
ASKED: Where = {"asked": True}
VITERBI: Where = {"run.schedule": "marginal-viterbi"}  # as the paper trains both transducers
SYSTEMS: Mapping[str, Where] = {
    **{
        net: {"run.net": net, "run.solver": "answer", "run.draws": 5, **(VITERBI if "transducer" in net else {})}
        for net in IN_DOMAIN
    },
    "gpt": {"run.net": "", "run.solver": "cloze", "run.kind": "causal"},  # a masked model sees the right context
    "gpt fine-tuned": {"run.net": "finetune", "run.solver": "cloze"},
}


GREEDY = "section 4.2, table 4: greedy match"
MATCH = "section 4.2, table 4: match, oracle and greedy"
TOP5 = "section 4.2, table 4: top-5, oracle and greedy"
SURPRISAL = "section 4.2, table 4: surprisal"
LENGTH = "section 4.2: 6.18 words against 16.61"
DEGENERATE = "section 4.2: most of a text aligned to the start or the end"
EM = "section 3: Viterbi EM after marginal likelihood gave higher predictive accuracy"
BEAM = "section 3, footnote 3: beam search did not improve performance"
MEASURES: Mapping[str, Sequence[str]] = {
    GREEDY: ("whole_greedy",),
    MATCH: ("whole_oracle", "whole_greedy"),
    TOP5: ("top5_word_oracle", "top5_word_greedy"),
    SURPRISAL: ("surprisal_released",),
    LENGTH: ("alignment_length",),
    DEGENERATE: ("degenerate",),
}


def _ahead(statement: str, source: str, *, above: str, below: Sequence[str], margin: float = 0.0) -> Claim:
    """`above` is better than each of `below` by each measure of the source."""
    contrasts = tuple(
        Contrast(above=SYSTEMS[above], below=SYSTEMS[other], metric=metric, pair="item", margin=margin)
        for metric in MEASURES[source]
        for other in below
        if other != above
    )
    return Claim(statement=statement, source=source, where=ASKED, contrasts=contrasts, per=("split",))


def _between(statement: str, source: str, net: str, *, above: Where, below: Where, margin: float = 0.0) -> Claim:
    """Compare two ways to train one net, or to fill blanks with it."""
    contrasts = tuple(
        Contrast(
            above={**SYSTEMS[net], **above}, below={**SYSTEMS[net], **below}, metric=metric, pair="item", margin=margin
        )
        for metric in ("whole_greedy", "whole_oracle")[: 1 if margin else 2]
    )
    return Claim(statement=statement, source=source, where=ASKED, contrasts=contrasts, per=("split",))


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
        "fixed transitions align fewer texts mostly to one end than parameterised ones",
        DEGENERATE,
        above="transducer",
        below=("transducer-param",),
    ),
    Claim(
        statement="attention breaks the words of an abstract word into more pieces than fixed transitions do",
        source="section 3: no direct way to extract contiguous alignments from attention",
        where=ASKED,
        contrasts=(
            Contrast(
                above={"run.net": "transducer", "run.solver": "align"},
                below={"run.net": "attention", "run.solver": "align"},
                metric="pieces",
                pair="item",
            ),
        ),
        per=("split",),
    ),
    *(
        _between(
            f"Viterbi EM predicts better than marginal likelihood alone: {net}",
            EM,
            net,
            above=VITERBI,
            below={"run.schedule": "marginal"},
        )
        for net in ALIGNED[1:]
    ),
    *(
        _between(
            f"beam search is no more than a point better than the likeliest words: {net}",
            BEAM,
            net,
            above={"run.beam": 0, "run.draws": 0},
            below={"run.beam": 5, "run.draws": 0},
            margin=-NO_IMPROVEMENT,
        )
        for net in IN_DOMAIN
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
