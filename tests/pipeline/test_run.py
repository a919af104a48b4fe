"""Runs: they resume after kill -9 with the same bytes and ask a model nothing twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.toy import toy_suite

import proband
from proband.core.errors import ProbandError
from proband.core.files import dumps, read_answers, read_run, write_text
from proband.core.metrics import ACCURACY
from proband.core.plugins import NoOptions
from proband.core.progress import Progress
from proband.core.protocols import HasVectors, Score, ScoresText, Text
from proband.core.suite import Solver, Suite
from proband.core.types import Answer, Item
from proband.pipeline import run as running
from proband.pipeline.asking.engines import check_answers
from proband.pipeline.asking.items_and_answers import ANSWERS, ARRIVED, CHUNK
from proband.pipeline.asking.setup import choose_solver
from proband.testing import known_suites

COUNT = 2000


def solve(items: Sequence[Item], model: Any, *, seed: int, options: NoOptions) -> list[Answer]:
    texts = [Text(choice) for item in items for choice in item.choices]
    scores = iter(model.score(texts, method="ll"))
    return [Answer(item_id=item.id, scores=tuple(next(scores).total for _ in item.choices)) for item in items]


def tiny_suite() -> Suite:
    solver = Solver(name="likelihood", help="", needs=ScoresText, solve=solve)
    return toy_suite(name="tiny", solvers=(solver,), tables=())


class Slow:
    """A model whose last digits depend on the batch, as real ones' do; writes down every text it is asked."""

    methods = ("ll",)

    def __init__(self, log: Path, *, wait: float = 0.0, weights: str = "1") -> None:
        self.name, self.log, self.wait, self.weights = "slow", log, wait, weights

    def identity(self) -> Mapping[str, str]:
        return {"name": self.name, "weights": self.weights}

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        time.sleep(self.wait)
        with open(self.log, "a") as file:
            file.write("".join(text.text + "\n" for text in texts))
        return [Score(-len(text.text) - len(texts) * 1e-9, 1, 1) for text in texts]


def write_items(folder: Path) -> None:
    rows = [
        Item(id=f"i{i}", suite="tiny", prompt="?", choices=(f"a{i % 700}", f"bb{i}"), gold=0, tags={"k": i % 3})
        for i in range(COUNT)
    ]
    write_text(folder / "items.jsonl", "".join(dumps(each) + "\n" for each in rows))


def go(folder: Path, out: str, model: Slow, **options: Any) -> bytes:
    with known_suites(tiny_suite()):
        proband.run(folder, model=model, out=folder / out, cache=folder / "cache", **options)
    return (folder / out / "answers.jsonl").read_bytes()


def test_a_killed_run_resumes_with_the_same_bytes_and_asks_nothing_twice(tmp_path: Path) -> None:
    write_items(tmp_path)
    (tmp_path / "whole").mkdir()
    write_items(tmp_path / "whole")
    expected = go(tmp_path / "whole", "run", Slow(tmp_path / "whole" / "log"))
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from pathlib import Path; import test_run\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "test_run.go(folder, 'run', test_run.Slow(folder / 'log', wait=0.15))\n"
    )
    kills = 0
    for attempt in range(40):
        child = subprocess.Popen([sys.executable, "-c", program])
        answers = tmp_path / "run" / ARRIVED
        before = answers.stat().st_size if answers.exists() else 0
        deadline = time.monotonic() + 60
        while child.poll() is None and time.monotonic() < deadline:
            grown = answers.stat().st_size if answers.exists() else 0
            if kills < 2 and grown > before:
                time.sleep(0.04 * attempt)
                os.kill(child.pid, signal.SIGKILL)
                kills += 1
                break
            time.sleep(0.005)
        if child.wait(60) == 0:
            break
    assert kills == 2
    assert (tmp_path / "run" / "answers.jsonl").read_bytes() == expected
    asked = (tmp_path / "log").read_text().splitlines()
    flushed_twice = len(asked) - len(set(asked))
    assert flushed_twice <= kills * 2 * CHUNK  # at most the one unflushed batch of each kill
    assert set(asked) == set((tmp_path / "whole" / "log").read_text().splitlines())
    assert go(tmp_path, "run", Slow(tmp_path / "log2")) == expected
    assert not (tmp_path / "log2").exists()


class Watching(Slow):
    """Sees at each call how many answers are in the folder."""

    chunk, chunk_characters = 32, 20

    def __init__(self, log: Path, answers: Path) -> None:
        super().__init__(log)
        self.answers, self.saved = answers, list[int]()

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        self.saved.append(self.answers.read_bytes().count(b"\n") if self.answers.exists() else 0)
        return super().score(texts, method=method)


def test_answers_of_a_model_on_this_machine_are_saved_as_they_are_there(tmp_path: Path) -> None:
    write_items(tmp_path)
    model = Watching(tmp_path / "log", tmp_path / "run" / ARRIVED)
    go(tmp_path, "run", model, limit=40)
    assert model.saved[:3] == [0, 3, 6]  # three items have more than twenty characters
    assert max(later - earlier for earlier, later in zip(model.saved, model.saved[1:])) <= 3


def test_the_bar_counts_what_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not what was handed in: at each call it stands at the answers that are in the folder."""
    bars: list[Progress] = []
    shown: list[float] = []

    class CountingProgress(Progress):
        def __enter__(self) -> Progress:
            bars.append(self)
            return super().__enter__()

    class Looking(Watching):
        def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
            shown.append(bars[-1].counted)
            return super().score(texts, method=method)

    monkeypatch.setattr(running, "Progress", CountingProgress)
    write_items(tmp_path)
    model = Looking(tmp_path / "log", tmp_path / "run" / ARRIVED)
    go(tmp_path, "run", model, limit=40)
    assert len(shown) > 10
    assert shown == model.saved
    assert bars[-1].counted == bars[-1].total == 40


def test_the_first_ctrl_c_keeps_what_a_model_on_this_machine_is_about_to_answer(tmp_path: Path) -> None:
    write_items(tmp_path)
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from pathlib import Path; import signal; import test_run\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "test_run.go(folder, 'run', test_run.Slow(folder / 'log', wait=1.5))\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "log").exists():  # the first chunk is answered, the second under way
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert "finishing calls in progress; Ctrl-C again stops at once" in err
    kept = (tmp_path / "run" / ARRIVED).read_bytes().count(b"\n")
    assert kept in (CHUNK, 2 * CHUNK)
    assert f"KeyboardInterrupt: {kept} of {COUNT} answers are kept in" in err


def test_each_distinct_text_is_asked_once(tmp_path: Path) -> None:
    write_items(tmp_path)
    go(tmp_path, "run", Slow(tmp_path / "log"))
    asked = (tmp_path / "log").read_text().splitlines()
    assert len(asked) == len(set(asked)) == 700 + COUNT
    go(tmp_path, "again", Slow(tmp_path / "log2"))
    assert not (tmp_path / "log2").exists()


def test_other_weights_are_asked_again(tmp_path: Path) -> None:
    write_items(tmp_path)
    go(tmp_path, "one", Slow(tmp_path / "log1"))
    go(tmp_path, "two", Slow(tmp_path / "log2", weights="2"))
    assert (tmp_path / "log1").read_text() == (tmp_path / "log2").read_text()


def test_a_damaged_tail_of_answers_is_cut_off(tmp_path: Path) -> None:
    write_items(tmp_path)
    expected = go(tmp_path, "run", Slow(tmp_path / "log"))
    for damage in (expected[:-7], expected[:30_000] + b"x" + expected[30_001:], b"", expected + b"more\n"):
        for name in (ANSWERS, ARRIVED):
            (tmp_path / "run" / ANSWERS).unlink()
            (tmp_path / "run" / name).write_bytes(damage)
            assert go(tmp_path, "run", Slow(tmp_path / "log")) == expected
            assert not (tmp_path / "run" / ARRIVED).exists()


def test_of_a_chunk_that_has_not_arrived_whole_every_item_is_asked_again(tmp_path: Path) -> None:
    """The second chunk arrived first, the first not whole; the model's last digits depend on the batch."""
    write_items(tmp_path)
    expected = go(tmp_path, "run", Slow(tmp_path / "log"))
    lines = expected.splitlines(keepends=True)
    (tmp_path / "run" / ANSWERS).unlink()
    arrived = b"".join(lines[CHUNK : 2 * CHUNK] + lines[: CHUNK - 1])
    (tmp_path / "run" / ARRIVED).write_bytes(arrived + lines[CHUNK - 1][:9])
    shutil.rmtree(tmp_path / "cache")
    both = len(b"".join(lines[: 2 * CHUNK]))
    assert go(tmp_path, "run", Slow(tmp_path / "log2"))[:both] == expected[:both]
    asked = {text for text in (tmp_path / "log2").read_text().splitlines() if text.startswith("b")}
    assert asked == {f"bb{i}" for i in range(COUNT)} - {f"bb{i}" for i in range(CHUNK, 2 * CHUNK)}


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    write_items(tmp_path)
    go(tmp_path, "run", Slow(tmp_path / "log"))
    with pytest.raises(ProbandError, match="'seed' differs"):
        go(tmp_path, "run", Slow(tmp_path / "log"), seed=1)
    with pytest.raises(
        ProbandError, match=r"'identity' differs: .*with {\"\w+\":\"[^,]*\"}, now it is {\"\w+\":\"2\"}"
    ):
        go(tmp_path, "run", Slow(tmp_path / "log", weights="2"))


def test_two_processes_do_not_write_one_run(tmp_path: Path) -> None:
    write_items(tmp_path)
    (tmp_path / "run").mkdir()
    with running.lock_folder(tmp_path / "run"), pytest.raises(ProbandError, match="another process"):
        go(tmp_path, "run", Slow(tmp_path / "log"))


def test_the_limit_is_written_down(tmp_path: Path) -> None:
    write_items(tmp_path)
    go(tmp_path, "run", Slow(tmp_path / "log"), limit=10)
    assert len(list(read_answers(tmp_path / "run" / "answers.jsonl"))) == 10
    assert read_run(tmp_path / "run" / "run.json").settings["limit"] == 10


def test_a_solver_the_model_cannot_serve_is_named(tmp_path: Path) -> None:
    suite = tiny_suite()
    with pytest.raises(ProbandError, match="tiny has no solver 'cosine'; it has likelihood"):
        choose_solver(suite, Slow(tmp_path), "cosine")
    other = Solver(name="cosine", help="", needs=HasVectors, solve=solve)
    only = Suite(**{**suite.__dict__, "solvers": (other,)})
    with pytest.raises(ProbandError, match="needs a model that has word vectors"):
        choose_solver(only, Slow(tmp_path), "cosine")


def test_items_of_a_setting_go_to_its_solver(tmp_path: Path) -> None:
    suite = tiny_suite()
    trained = Solver(name="trained", help="", needs=suite.solvers[0].needs, solve=solve, setting="supervised")
    both = Suite(**{**suite.__dict__, "solvers": (*suite.solvers, trained)})
    chosen = [choose_solver(both, Slow(tmp_path), None, setting=s).name for s in ("", "supervised", "other")]
    assert chosen == ["likelihood", "trained", "likelihood"]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([], "0 answers for 1 items"),
        ([Answer(item_id="b", scores=(1.0, 0.0))], "answered 'b' where 'a' was asked"),
        ([Answer(item_id="a", scores=(1.0,))], "1 scores for 2 choices"),
        ([Answer(item_id="a", scores=(float("nan"), 0.0))], "not a finite number"),
    ],
)
def test_a_solver_that_breaks_its_promise_is_stopped(answers: list[Answer], message: str) -> None:
    item = Item(id="a", suite="tiny", prompt="?", choices=("x", "y"), gold=0)
    with pytest.raises(ProbandError, match=message):
        check_answers([item], answers, solver="s", model="m")


def test_runs_written_by_people_are_checked(tmp_path: Path) -> None:
    write_items(tmp_path)
    go(tmp_path, "run", Slow(tmp_path / "log"))
    path = tmp_path / "run" / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "colour": 1}))
    with pytest.raises(ProbandError, match="unknown field 'colour'"):
        go(tmp_path, "run", Slow(tmp_path / "log"))


def test_a_run_that_failed_before_its_first_answer_leaves_the_folder_free(tmp_path: Path) -> None:
    proband.build("script", out=tmp_path / "items")
    with pytest.raises(ProbandError, match=r"baseline:majority needs items with choices; items of 'script'"):
        proband.run(tmp_path / "items", model="baseline:majority", out=tmp_path / "run")
    proband.run(tmp_path / "items", model="solver:chance", out=tmp_path / "run")


def test_a_wrong_number_of_errors_leaves_the_folder_free(tmp_path: Path) -> None:
    write_items(tmp_path)
    with pytest.raises(ProbandError, match="'max-errors' is 'x'"):
        go(tmp_path, "run", Slow(tmp_path / "log"), max_errors="x")
    assert not (tmp_path / "run" / "run.json").exists()


# ---- models that break their promises ------------------------------------------------------------------------------


class Broken(Slow):
    """Gives something else for one text."""

    def __init__(self, log: Path, result: Any) -> None:
        super().__init__(log)
        self.result = result

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        scores: list[Any] = super().score(texts, method=method)
        if isinstance(self.result, Exception):
            if any(text.text == "bb7" for text in texts):
                raise self.result
            return scores
        if self.result == "too few":
            return scores[:-1] if any(text.text == "bb7" for text in texts) else scores
        return [self.result if text.text == "bb7" else score for text, score in zip(texts, scores, strict=True)]


BROKEN = {
    "nan": (
        Score(float("nan"), 1, 1),
        "item 'i7': slow: score gave a number that is not finite (nan), for 'bb7'",
    ),
    "infinite": (Score(float("-inf"), 1, 1), "item 'i7': slow: score gave a number that is not finite"),
    "a float": (-1.5, "item 'i7': slow: score gave float where a Score (proband.core.protocols) is wanted, for 'bb7'"),
    "raises": (ValueError("no such token"), "item 'i7': slow: score raised ValueError: no such token"),
    "too few": ("too few", "item 'i7': slow: score gave 1 results for 2 requests"),
}


@pytest.mark.parametrize(("result", "message"), BROKEN.values(), ids=BROKEN)
def test_a_model_that_gives_nonsense_is_named_with_its_item_and_leaves_the_cache_clean(
    tmp_path: Path, result: Any, message: str
) -> None:
    write_items(tmp_path)
    (tmp_path / "clean").mkdir()
    write_items(tmp_path / "clean")
    expected = go(tmp_path / "clean", "run", Slow(tmp_path / "log"))
    with pytest.raises(ProbandError) as error:
        go(tmp_path, "run", Broken(tmp_path / "log", result))
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert go(tmp_path, "run", Slow(tmp_path / "log")) == expected  # the model is mended


def test_items_that_fail_are_recorded_and_the_others_answered(tmp_path: Path) -> None:
    write_items(tmp_path)
    go(tmp_path, "run", Broken(tmp_path / "log", Score(float("nan"), 1, 1)), on_error="record")
    answers = list(read_answers(tmp_path / "run" / "answers.jsonl"))
    assert [answer.item_id for answer in answers if answer.status == "error"] == ["i7"]
    assert len(answers) == COUNT
    assert ACCURACY.numbers(Item(id="i7", suite="tiny", prompt="?", choices=("a", "b"), gold=0), answers[7]) == [0.0]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (object(), "model: the model (a object) has no text `name`"),
        (type("Nameless", (), {"name": "x"})(), "model: the model (a Nameless) has no method `identity()`"),
    ],
)
def test_an_object_that_is_no_model_is_named(tmp_path: Path, model: Any, message: str) -> None:
    write_items(tmp_path)
    with pytest.raises(ProbandError) as error:
        go(tmp_path, "run", model)
    assert message in str(error.value)
