from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from proband.core.errors import ProbandError
from proband.core.types import Answer, Run
from proband.report import Loaded
from proband.report.collect import join, run_labels


def test_answers_find_their_items_in_any_order(make_loaded: Callable[..., Loaded]) -> None:
    loaded = make_loaded(60, models=("embedded:mlm",))
    (run, answers) = loaded.runs[0]
    turned = dataclasses.replace(loaded, runs=[(run, list(reversed(answers)))])
    (one,), (two,) = join([loaded]), join([turned])
    assert one.answers == two.answers
    assert (one.metrics["accuracy"][0].numbers == two.metrics["accuracy"][0].numbers).all()


def test_a_limited_run_counts_only_what_it_answered(make_loaded: Callable[..., Loaded]) -> None:
    loaded = make_loaded(60, models=("embedded:mlm",))
    (run, answers) = loaded.runs[0]
    (joined,) = join([dataclasses.replace(loaded, runs=[(run, answers[:7])])])
    assert joined.metrics["accuracy"][0].rows.tolist() == list(range(7))


def with_answers(loaded: Loaded, *answers: Answer) -> Loaded:
    return dataclasses.replace(loaded, runs=[(loaded.runs[0][0], answers)])


def test_bad_input_is_told_in_one_line(make_loaded: Callable[..., Loaded]) -> None:
    loaded = make_loaded(8, models=("embedded:mlm",))
    cases = [
        (with_answers(loaded, Answer(item_id="nobody", scores=(1, 2))), "answers item 'nobody', which is not there"),
        (with_answers(loaded, Answer(item_id="q00000", scores=(1,))), "1 scores for 2 choices"),
        (dataclasses.replace(loaded, runs=[]), "no run over these items"),
        (dataclasses.replace(loaded, items=[*loaded.items, loaded.items[0]]), "two items share an id"),
        (
            dataclasses.replace(
                loaded, suite=dataclasses.replace(loaded.suite, metrics={"accuracy": lambda i, a: float("nan")})
            ),
            "accuracy of item 'q00000' is not a finite number",
        ),
    ]
    for bad, words in cases:
        with pytest.raises(ProbandError, match=words) as caught:
            join([bad])
        assert "\n" not in str(caught.value)
    with pytest.raises(ProbandError, match="no run was given"):
        join([])


def test_runs_of_one_model_are_told_apart() -> None:
    def run(**changes: object) -> Run:
        return dataclasses.replace(Run(suite="s", solver="z", model="m", seed=0, items_sha=""), **changes)  # type: ignore[arg-type]

    assert run_labels([run(), run(seed=1)]) == ("m · seed 0", "m · seed 1")
    assert run_labels([run(settings={"t": 1}), run(settings={"t": 2})]) == ("m · t=1", "m · t=2")
    assert run_labels([run(), run()]) == ("m", "m #2")
