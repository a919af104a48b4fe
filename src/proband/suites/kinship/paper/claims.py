"""The findings of section 3.5 as tests.

In the studies a net is `net:REGIME-KIND`: REGIME is what it was trained on (k23, k234, clean, supporting, ...). Claims
about one net compare its stories target by target, claims about two nets story by story.
"""

from __future__ import annotations

from collections.abc import Iterator

from proband.core.suite import Claim, Contrast, Where
from proband.suites.kinship.paper.comparisons import GAT_GAINS, GAT_PERFECT, ONLY_GAT, TEXT

ALL = (*TEXT, "gat")
BERTS = [net for net in TEXT if net.startswith("bert")]  # "the BERT-based models"
TEST: Where = {"split": "test"}
EQUAL = 0.05  # "no performance drop", "competitive": at most five points behind


def _named(regime: str, net: str) -> Where:
    return {"run.model": f"net:{regime}-{net}"}


def _generalisation() -> Iterator[Claim]:
    yield Claim(
        statement="GAT is near-perfect on held-out clauses of length 3 (95 % or more)",
        source="section 3.5.1, figure 3.5, trained on k = 2, 3",
        test=GAT_PERFECT,
    )
    yield Claim(
        statement="accuracy falls with the length of the test clauses",
        source="section 3.5.1, figure 3.5: k = 2, 3 against k = 9, 10",
        where={"run.net": ALL},
        contrasts=(Contrast(above={"k": (2, 3)}, below={"k": (9, 10)}, where=TEST, pair="target"),),
        per=("run.model", "run.net"),
    )
    for net in ALL:
        pairs = Contrast(above=_named("k234", net), below=_named("k23", net), where=TEST, pair="item")
        yield Claim(
            statement=f"training on k = 2, 3, 4 instead of 2, 3 helps {net}",
            source="section 3.5.1, figure 3.5, left against right",
            contrasts=(pairs,),
            per=(),
        )
    yield Claim(
        statement="GAT gains most by it", source="section 3.5.1, figure 3.5, left against right", test=GAT_GAINS
    )
    for regime, lengths in (("k23", "2, 3"), ("k234", "2, 3, 4")):
        yield Claim(
            statement=f"BERT-LSTM is the best text model, trained on k = {lengths}",
            source="section 3.5.1, figure 3.5",
            contrasts=tuple(
                Contrast(above=_named(regime, "bert-lstm"), below=_named(regime, net), where=TEST, pair="item")
                for net in TEXT
                if net != "bert-lstm"
            ),
            per=(),
        )
    yield Claim(
        statement="GAT is above every text model",
        source="sections 3.5.1 and 3.5.2, figure 3.5, trained on k = 2, 3, 4",
        contrasts=tuple(
            Contrast(above=_named("k234", "gat"), below=_named("k234", net), where=TEST, pair="item") for net in TEXT
        ),
        per=(),
    )


def _structure() -> Iterator[Claim]:
    for net in TEXT:
        contrast = Contrast(
            above=_named("same", net), below=_named("same", "gat"), where=TEST, pair="item", margin=-EQUAL
        )
        yield Claim(
            statement=f"with the same paraphrases in training and test, {net} is within 5 points of GAT",
            source="section 3.5.2",
            contrasts=(contrast,),
            per=(),
        )


def _robustness() -> Iterator[Claim]:
    source = "section 3.5.3, table 3.8, trained on clean stories"

    def noisy(statement: str, net: str, above: str, below: str, margin: float = 0.0) -> Claim:
        trained: Where = {"run.model": (f"net:clean-{net}", f"net:released-clean-{net}")}
        contrast = Contrast(above={"task": above}, below={"task": below}, where=TEST, pair="target", margin=margin)
        return Claim(statement=statement, source=source, where=trained, contrasts=(contrast,))

    yield noisy("GAT falls when supporting facts are added", "gat", "clean", "supporting")
    yield noisy("GAT does not fall when disconnected facts are added (within 5 points)", "gat", "disconnected", "clean",
                -EQUAL)  # fmt: skip
    for net in TEXT:
        for kind in ("supporting", "irrelevant"):
            if net in BERTS:
                text = f"{net} does not benefit from {kind} facts (it gains less than 5 points)"
                yield noisy(text, net, "clean", kind, -EQUAL)
            else:
                yield noisy(f"{net} gains when {kind} facts are added", net, kind, "clean")
    for kind in ("supporting", "irrelevant", "disconnected"):
        yield Claim(
            statement=f"GAT improves by training on {kind} stories",
            source="section 3.5.3, table 3.8",
            contrasts=(
                Contrast(
                    above=_named(kind, "gat"), below=_named("clean", "gat"), where={**TEST, "task": kind}, pair="item"
                ),
            ),
            per=(),
        )
    yield Claim(
        statement="only GAT improves by training on noisy stories: for a text model there is a kind where it does not",
        source="section 3.5.3, table 3.8",
        test=ONLY_GAT,
    )


CLAIMS = (*_generalisation(), *_structure(), *_robustness())
