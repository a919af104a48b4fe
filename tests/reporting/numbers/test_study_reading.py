from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from proband.core.errors import ProbandError
from proband.core.files import dumps, write_text
from proband.core.metrics import Metric
from proband.core.types import Answer, Tag
from proband.reporting import AnsweredRun, ItemSet
from proband.reporting.numbers.study import Study
from proband.stats.clusters import Clusters, clusters_of
from proband.stats.ranking import AUC


def on_disk(items: ItemSet, folder: Path) -> ItemSet:
    """The same item set as files."""
    write_text(folder / "items.jsonl", "".join(dumps(each) + "\n" for each in items.items()))
    answered = []
    for at, each in enumerate(items.answered):
        write_text(folder / f"{at}.jsonl", "".join(dumps(each) + "\n" for each in items.raw_answers(at)))
        answered.append(AnsweredRun(run=each.run, answers=folder / f"{at}.jsonl"))
    return dataclasses.replace(items, items_from=folder / "items.jsonl", answered=answered)


def test_files_and_lists_give_the_same_arrays(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    """Also for a metric that reads what is not decoded at first."""
    wordy = Metric(name="wordy", of=lambda item, answer: float(len(item.prompt) + len(item.facts) + len(item.tags)))
    items = make_set(60, models=("embedded:mlm", "embedded:glove"))
    first, second = (Study(each, [wordy, AUC]) for each in (items, on_disk(items, tmp_path)))
    for name in ("accuracy", "wordy", "auc"):
        for one, other in zip(first.answered_items, second.answered_items):
            a, b = one.values(name), other.values(name)
            assert (a[0] == b[0]).all()
            assert (a[1] == b[1]).all()
    assert first.answered_items[0].values("auc")[1].shape == (60, 2)
    assert {n: (t.values, t.codes.tolist()) for n, t in first.tags.items()} == {
        n: (t.values, t.codes.tolist()) for n, t in second.tags.items()
    }
    plain = Clusters.of([clusters_of(item) for item in items.items()])
    for each in (first, second):
        assert (each.clusters.code == plain.code).all()
        assert (each.clusters.member == plain.member).all()


def test_an_item_is_checked_once_however_often_its_file_is_read(
    make_set: Callable[..., ItemSet], tmp_path: Path
) -> None:
    checked = list[str]()
    base = on_disk(make_set(6, models=("embedded:mlm",)), tmp_path)
    suite = dataclasses.replace(base.suite, check=lambda item: checked.append(item.id))
    items = dataclasses.replace(base, suite=suite)
    next(items.items())  # a reading that stops checks what it has read
    first, again = ([item.id for item in items.items()] for _ in range(2))
    assert len(list(items.scored(0))) == 6
    assert checked == first == again
    assert len(first) == 6
    wrong = dataclasses.replace(suite, check=lambda item: "wrong" if item.id == first[3] else None)
    with pytest.raises(ProbandError, match=r"items\.jsonl line 4: item '.*': wrong"):
        list(dataclasses.replace(items, suite=wrong).items())


def test_derived_tags_and_values_of_different_kinds(make_set: Callable[..., ItemSet]) -> None:
    base = make_set(4, models=("embedded:mlm",))
    tags: list[dict[str, Tag]] = [{"a": True}, {"a": 1}, {}, {"a": "x", "b": 2}]
    items = [msgspec.structs.replace(item, tags=each) for item, each in zip(base.items(), tags)]
    suite = dataclasses.replace(base.suite, derive=lambda tags: {"known": "a" in tags})
    found = Study(dataclasses.replace(base, items_from=items, suite=suite))
    assert found.tags["a"].values == (True, 1, "x")
    assert found.tags["a"].codes.tolist() == [0, 1, -1, 2]
    assert found.tags["known"].codes.tolist() == [0, 0, 1, 0]
    assert found.written == ("a", "b")


def test_a_limited_run_counts_only_what_it_answered(make_set: Callable[..., ItemSet]) -> None:
    items = make_set(60, models=("embedded:mlm",))
    (given,) = items.answered
    some = [answer for i, answer in enumerate(items.raw_answers(0)) if i % 7 == 3]
    (found,) = Study(dataclasses.replace(items, answered=[AnsweredRun(run=given.run, answers=some)])).answered_items
    assert found.values("accuracy")[0].tolist() == found.answered.tolist() == list(range(3, 60, 7))


def with_answers(items: ItemSet, *answers: Answer) -> ItemSet:
    return dataclasses.replace(items, answered=[AnsweredRun(run=items.runs[0], answers=answers)])


def test_bad_input_is_told_in_one_line(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    items = make_set(8, models=("embedded:mlm",))
    broken = Metric(name="accuracy", of=lambda i, a: float("nan"))
    half = on_disk(items, tmp_path)
    assert isinstance(half.answered[0].answers, Path)
    half.answered[0].answers.write_bytes(b"".join(half.answered[0].answers.read_bytes().splitlines(True)[:3]))
    cases = [
        (with_answers(items, Answer(item_id="nobody", scores=(1, 2))), "answers item 'nobody', which does not exist"),
        (with_answers(items, Answer(item_id="q00000", scores=(1,))), "1 scores for 2 choices"),
        (dataclasses.replace(items, answered=[]), "no run over these items"),
        (half, "0.jsonl: contains 3 of 8 answers"),
    ]
    for bad, words in cases:
        with pytest.raises(ProbandError, match=words) as caught:
            Study(bad)
        assert "\n" not in str(caught.value)
    with pytest.raises(ProbandError, match="gives accuracy of item 'q00000' a value that is not a finite number"):
        Study(items, [broken])


def test_large_files_are_read_in_flat_memory(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    import tracemalloc

    peaks = []
    for count in (400, 4000):
        (tmp_path / str(count)).mkdir()
        items = on_disk(make_set(count, models=("embedded:mlm",)), tmp_path / str(count))
        tracemalloc.start()
        Study(items)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 3600 * 200  # bytes an item; whole items and answers would be ten times that
