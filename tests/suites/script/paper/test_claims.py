"""The claims say what the paper found: its own figures bear out every one of them, and planted answers too."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from proband.core.suite import Claim, Contrast, Where
from proband.core.types import Answer, Item, Run
from proband.reporting.claims import judge
from proband.reporting.numbers.study import AnsweredRun, ItemSet, Study
from proband.suites.script import SUITE
from proband.suites.script.paper.claims import CLAIMS, IN_DOMAIN, SYSTEMS
from proband.suites.script.paper.tables import rows

PRINTED = {(row["row"], row["column"]): float(row["value"]) for row in rows()}


TABLE_4 = [
    claim for claim in CLAIMS if claim.source.startswith("section 4.2") and "start or the end" not in claim.source
]


def row_of(where: Where) -> str:
    named = ("run.net", "run.solver", "run.kind")  # whatever its schedule, draws and beam
    return next(name for name, tags in SYSTEMS.items() if all(tags.get(tag) == where.get(tag) for tag in named))


def advantage(contrast: Contrast) -> float:
    """How far the first system is ahead by the printed figures."""
    above, below = (PRINTED[row_of(side), contrast.metric] for side in (contrast.above, contrast.below))
    return above - below if SUITE.metric(contrast.metric).better == "high" else below - above


@pytest.mark.parametrize("claim", TABLE_4, ids=lambda claim: claim.statement)
def test_the_published_figures_bear_it_out(claim: Claim) -> None:
    assert all(advantage(contrast) > contrast.margin for contrast in claim.contrasts)


def test_findings_without_figures_are_of_section_3() -> None:
    others = [claim for claim in CLAIMS if claim not in TABLE_4]
    assert {claim.source.split(":")[0] for claim in others} == {"section 3", "section 3, footnote 3", "section 4.2"}
    assert len(others) == 2 + len(IN_DOMAIN) + 2  # Viterbi EM, beam search, degenerate and broken alignments


def test_every_row_of_table_4_is_claimed_about() -> None:
    sides = [side for claim in CLAIMS for c in claim.contrasts for side in (c.above, c.below)]
    named = {row_of(side) for side in sides if side["run.solver"] != "align"}
    assert named == {row["row"] for row in rows() if row["table"] == "table4"}


def test_systems_are_compared_text_by_text() -> None:
    contrasts = [contrast for claim in CLAIMS for contrast in claim.contrasts]
    assert {contrast.pair for contrast in contrasts} == {"item"}
    assert {claim.per for claim in CLAIMS} == {
        ("split",)
    }  # a verdict for valid, where the paper's figures are, and test


# ---- planted answers are judged as planted -------------------------------------------------------------------------


def planted(net: str, right: float, *, seed: int = 0, surprisal: float = 3.0, count: int = 80) -> AnsweredRun:
    """A run with a share `right` of its blanks right, on the same texts for every net."""
    answers = []
    for n in range(count):
        said = ["pot"] if n % 20 < 20 * right else ["pan"]
        record = {
            "gold": ["pot"],
            "oracle": said,
            "guess": said,
            "surprisals": [surprisal],
            "moves": [0.0],
            "top5": [said],
        }
        record |= {"greedy_top5": [said], "path": [0, 0, 0, 0] if net == "transducer-param" else [0, 0, 1, 1]}
        answers.append(Answer(item_id=str(n), blanks=(record,)))
    solver, name = str(SYSTEMS[net]["run.solver"]), SYSTEMS[net]["run.net"]
    note = {"net": name, "seed": seed, "options": {"schedule": "marginal-viterbi"} if "transducer" in net else {}}
    run = Run(
        suite="script",
        solver=solver,
        model=net,
        seed=0,
        items_sha="",
        net=note if name else {},
        settings={"draws": 5} if solver == "answer" else {},
    )
    return AnsweredRun(run=run, answers=answers)


def thrice(answered: Sequence[AnsweredRun]) -> list[AnsweredRun]:
    """Every net with three training seeds that say the same: of one seed alone nothing is claimed."""
    return [
        AnsweredRun(
            run=replace(each.run, net={**each.run.net, "seed": 10 * each.run.net["seed"] + n}), answers=each.answers
        )
        if each.run.net
        else each
        for each in answered
        for n in range(3 if each.run.net else 1)
    ]


def verdicts(*answered: AnsweredRun) -> dict[str, str]:
    items = [
        Item(
            id=str(n),
            suite="script",
            prompt="",
            tags={"split": "test", "asked": True},
            facts={"clusters": [str(n)], "abstract": ["boil", "an", "egg"]},
        )
        for n in range(80)
    ]
    metrics = [SUITE.metric(name) for name in {c.metric for claim in CLAIMS for c in claim.contrasts}]
    study = Study(ItemSet(suite=SUITE, items_from=items, answered=thrice(answered)), metrics, seed=0)
    return {verdict.statement: verdict.verdict for verdict in judge([(study, [])])}


def test_a_clear_difference_holds_or_fails() -> None:
    name, lm = "alignment helps: attention beats the models without it", planted("lm", 0.1)
    assert verdicts(lm, planted("attention", 0.8), planted("seq2seq", 0.3))[name] == "holds"
    assert verdicts(lm, planted("attention", 0.3), planted("seq2seq", 0.8))[name] == "fails"
    assert verdicts(lm, planted("attention", 0.5), planted("seq2seq", 0.5))[name] == "open"
    assert verdicts(planted("attention", 0.8), planted("seq2seq", 0.3))[name] == "open"  # no language model


def test_lower_is_better_for_surprisal_and_alignments() -> None:
    others = [planted(net, 0.5, surprisal=4.0) for net in IN_DOMAIN if net != "transducer-param"]
    found = verdicts(planted("transducer-param", 0.5, surprisal=2.0), *others)
    assert found["parameterised transitions have the lowest surprisal among the in-domain models"] == "holds"
    assert found["fixed transitions align shorter than parameterised ones"] == "holds"


def test_by_far_is_five_points() -> None:
    name = "fine-tuned, a language model is above all in-domain models by five points or more"
    nets = [planted(net, 0.25) for net in IN_DOMAIN]
    assert verdicts(planted("gpt fine-tuned", 0.9), *nets)[name] == "holds"
    assert verdicts(planted("gpt fine-tuned", 0.1), *nets)[name] == "fails"


def test_training_seeds_are_taken_together() -> None:
    """0.8 and 0.2 of the blanks right are 0.5 together, neither above nor below a net that has 0.5."""
    runs = [planted("attention", 0.8, seed=1), planted("attention", 0.2, seed=2)]
    found = verdicts(*runs, planted("seq2seq", 0.5), planted("lm", 0.1))
    assert found["alignment helps: attention beats the models without it"] == "open"


def trained(share: float, schedule: str) -> AnsweredRun:
    run = planted("transducer", share)
    note = {**run.run.net, "options": {"schedule": schedule}}
    return AnsweredRun(run=replace(run.run, net=note), answers=run.answers)


def test_viterbi_em_against_marginal_likelihood() -> None:
    name = "Viterbi EM predicts better than marginal likelihood alone: transducer"
    for ours, theirs, verdict in ((0.8, 0.2, "holds"), (0.2, 0.8, "fails"), (0.5, 0.5, "open")):
        assert verdicts(trained(ours, "marginal-viterbi"), trained(theirs, "marginal"))[name] == verdict


def searched(share: float, beam: int) -> AnsweredRun:
    run = planted("lm", share)
    return AnsweredRun(run=replace(run.run, settings={"draws": 0, "beam": beam}), answers=run.answers)


def test_beam_search_against_the_likeliest_words() -> None:
    name = "beam search is no more than a point better than the likeliest words: lm"
    for plain, beam, verdict in ((0.8, 0.5, "holds"), (0.2, 0.8, "fails")):
        assert verdicts(searched(plain, 0), searched(beam, 5))[name] == verdict


def test_alignments_mostly_to_one_end() -> None:
    name = "fixed transitions align fewer texts mostly to one end than parameterised ones"
    assert verdicts(planted("transducer", 0.5), planted("transducer-param", 0.5))[name] == "holds"
