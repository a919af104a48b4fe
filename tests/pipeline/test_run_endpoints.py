"""Runs at an endpoint as a user meets them: a real server on this machine, the command line in a process of its own,
real interrupts and kills."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import proband
from proband.cli import main
from proband.core.errors import ProbandError
from proband.core.files import dumps, write_text
from proband.core.types import Item
from proband.pipeline.asking.items_and_answers import ANSWERS, ARRIVED

sys.path.insert(0, str(Path(__file__).parents[1] / "models" / "remote"))
if TYPE_CHECKING:
    from tests.models.remote.stub_server import Stub, chat
else:
    from stub_server import Stub, chat

COUNT = 30
QUICK = ["--model-set", "first-wait=0.01", "--model-set", "concurrency=4"]


def write_items(folder: Path, suite: str, **facts: Any) -> Path:
    """Thirty questions, each answered by yes or no; yes is right."""
    rows = [
        Item(
            id=f"q{i:02}",
            suite=suite,
            prompt=f"Question {i:02}: is it so?",
            choices=("yes", "no"),
            gold=0,
            facts={"clusters": [f"c{i}"], **facts},
        )
        for i in range(COUNT)
    ]
    write_text(folder / "items.jsonl", "".join(dumps(each) + "\n" for each in rows))
    return folder


@pytest.fixture
def items(tmp_path: Path) -> Path:
    return write_items(tmp_path / "items", "questions")


@pytest.fixture
def pairs(items: Path) -> None:
    """The items are of a suite with rewordings and a solver of its own (and with metrics that take longer)."""
    facts = {"premise": ["a", "is", "b"], "hypothesis": ["a", "was", "b"], "straight": True, "question": "Which?"}
    write_items(items, "inference", **facts, pair="own")


@pytest.fixture
def command(tmp_path: Path, items: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`command(url, "--no-cache")` starts `proband run` on the items in a process of its own."""
    env = {name: value for name, value in os.environ.items() if "PROXY" not in name.upper()}
    env |= {"PROBAND_CACHE": str(tmp_path / "cache"), "PYTHONUNBUFFERED": "1"}

    children: list[subprocess.Popen[str]] = []

    def start(url: str, *words: str, out: str = "run") -> subprocess.Popen[str]:
        model = ["-m", f"openai:m@{url}", "-o", str(tmp_path / out)]
        child = subprocess.Popen(
            [sys.executable, "-m", "proband", "run", str(items), *model, *QUICK, "-s", "generate", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=env,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        children.append(child)
        return child

    yield start
    for child in children:
        if child.poll() is None:
            child.kill()
            child.communicate()


def number(body: dict[str, Any]) -> int:
    found = re.search(r"Question (\d\d)", body["messages"][-1]["content"])
    assert found is not None
    return int(found[1])


class Gate:
    """Lets the first `free` questions through that are not `held`, whichever come first (threads overtake each other),
    and keeps all others until it is opened."""

    def __init__(self, *, free: int = COUNT, held: Callable[[int], bool] = lambda _: False) -> None:
        self.free, self.held, self.waiting = free, held, 0
        self.open, self.one = threading.Event(), threading.Lock()

    def __call__(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        with self.one:
            passes = self.open.is_set() or (self.free > 0 and not self.held(number(body)))
            self.free -= passes
            self.waiting += not passes
        if not passes:
            self.open.wait(120)
        return chat("yes")


def until(true: Callable[[], Any], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def answered(folder: Path) -> list[str]:
    """The items with an answer on the disk, in order or not."""
    texts = [(folder / name).read_text() for name in (ANSWERS, ARRIVED) if (folder / name).exists()]
    lines = [line for text in texts for line in text.splitlines(keepends=True)]
    return list(dict.fromkeys(json.loads(line)["item_id"] for line in lines if line.endswith("\n")))


def finished(child: subprocess.Popen[str], code: int = 0) -> tuple[str, str]:
    out, err = child.communicate(timeout=60)
    assert child.returncode == code, err
    return out, err


def heard(child: subprocess.Popen[str], text: str) -> None:
    """Waits until the child has said something."""
    assert child.stderr is not None
    while text not in (line := child.stderr.readline()):
        assert line, "it ended"


@pytest.fixture
def run(
    tmp_path: Path, items: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[str, str]]:
    """`run(url, "--no-cache")`: the same command in this process; what it prints."""
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "cache"))

    def call(url: str, *words: str, out: str = "run", code: int = 0) -> tuple[str, str]:
        capsys.readouterr()
        model = ["-m", f"openai:m@{url}", "-o", str(tmp_path / out)]
        settings = [] if "-s" in words else ["-s", "generate"]
        found = main(["run", str(items), *model, *QUICK, *settings, *words])
        printed = capsys.readouterr()
        assert found == code, printed.err
        return printed

    return call


@pytest.mark.parametrize("cache", [[], pytest.param(["--no-cache"], marks=pytest.mark.nightly)])
def test_answers_reach_the_folder_as_they_come_and_survive_ctrl_c(
    tmp_path: Path,
    command: Callable[..., subprocess.Popen[str]],
    run: Callable[..., tuple[str, str]],
    capsys: pytest.CaptureFixture[str],
    cache: list[str],
) -> None:
    with Stub(lambda path, body: chat("yes")) as stub:
        run(stub.url, "--no-cache", out="whole")
    gate = Gate(free=19, held=lambda i: i == 3)
    with Stub(gate) as stub:
        child = command(stub.url, *cache)
        until(lambda: len(answered(tmp_path / "run")) == 19 and gate.waiting == 4)  # as many as may pass
        assert main(["report", str(tmp_path / "run"), "-o", str(tmp_path / "page")]) == 0
        assert "not finished, 19 of 30 answers" in capsys.readouterr().err
        assert "is not finished: 19 of 30 answers" in (tmp_path / "page" / "report.json").read_text()
        child.send_signal(signal.SIGINT)
        heard(child, "finishing calls in progress")
        child.send_signal(signal.SIGINT)  # those that are held are given up
        _, err = finished(child, code=130)
        assert f"interrupted; 19 of 30 answers are kept in {tmp_path / 'run'}, and the same command resumes" in err
        before = len(stub.bodies)
        assert json.loads((tmp_path / "run" / "run.json").read_text())["usage"]["requests"] == before == 23
        gate.open.set()
        out, _ = run(stub.url, *cache, "--json")
        assert len(stub.bodies) == before + 11  # nothing that was answered is asked again
        assert json.loads(out)["usage"]["requests"] == len(stub.bodies)
        assert json.loads(out)["usage"]["prompt_tokens"] == 10 * COUNT
    assert not (tmp_path / "run" / ARRIVED).exists()
    whole = (tmp_path / "whole" / ANSWERS).read_bytes()
    assert (tmp_path / "run" / ANSWERS).read_bytes() == whole


def test_a_killed_run_keeps_what_was_answered_a_second_before(
    tmp_path: Path, command: Callable[..., subprocess.Popen[str]], run: Callable[..., tuple[str, str]]
) -> None:
    gate = Gate(held=lambda i: i % 10 == 9)
    with Stub(gate) as stub:
        child = command(stub.url, "--no-cache")
        until(lambda: gate.waiting == 3 and len(answered(tmp_path / "run")) == 27)
        child.kill()
        child.communicate()
        asked = len(stub.bodies)
        gate.open.set()
        run(stub.url, "--no-cache")
        assert len(stub.bodies) == asked + 3
    assert answered(tmp_path / "run") == [f"q{i:02}" for i in range(COUNT)]


def test_usage_of_a_repeated_command_stays(tmp_path: Path, run: Callable[..., tuple[str, str]]) -> None:
    with Stub(lambda path, body: chat("yes"), lambda path, body, n: "no usage") as stub:
        out, _ = run(stub.url)
        assert "usage:" in out
        assert "30 requests, tokens unknown (the server does not report them)" in out
        run(stub.url)
        used = json.loads((tmp_path / "run" / "run.json").read_text())["usage"]
        assert (used["requests"], used["prompt_tokens"]) == (30, None) == (len(stub.bodies), None)


# ---- one bad item --------------------------------------------------------------------------------------------------


def bad(*numbers: int) -> Callable[[str, dict[str, Any], int], str | None]:
    return lambda path, body, n: "400 the prompt is not allowed" if number(body) in numbers else None


def test_one_bad_item_is_named_or_recorded(tmp_path: Path, run: Callable[..., tuple[str, str]]) -> None:
    with Stub(lambda path, body: chat("yes"), bad(5, 7)) as stub:
        _, err = run(stub.url, code=2)
        assert re.search(r"item 'q0[57]': .*: 400: the prompt is not allowed \(--on-error record continues\)", err)
        out, _ = run(stub.url, "--on-error", "record")
    assert "errors:" in out
    assert "error: item 'q05': openai:m" in out
    rows = [json.loads(line) for line in (tmp_path / "run" / ANSWERS).read_text().splitlines()]
    assert [row["item_id"] for row in rows if row["status"] == "error"] == ["q05", "q07"]
    assert "93.3 %" in out  # 28 of 30: they count as wrong


def test_too_many_errors_stop_the_run(run: Callable[..., tuple[str, str]]) -> None:
    with Stub(lambda path, body: chat("yes"), bad(*range(10, 20))) as stub:
        _, err = run(stub.url, "--on-error", "record", code=2)
        assert re.search(r"[45] of 30 items failed, more than --max-errors 10% allows; the last: item 'q1", err)
        _, err = run(stub.url, "--on-error", "record", "--max-errors", "many", code=2)
        assert "'max-errors' is 'many'; it must be a number of items, or a share such as 10%" in err
        run(stub.url, "--on-error", "record", "--max-errors", "10")


def test_a_wrong_key_is_no_error_of_an_item(run: Callable[..., tuple[str, str]]) -> None:
    with Stub(lambda path, body: chat("yes"), lambda path, body, n: "401 wrong key") as stub:
        _, err = run(stub.url, "--on-error", "record", code=2)
        assert "401: wrong key" in err
        assert "item" not in err
        assert len(stub.bodies) <= 8


def test_filters_and_half_characters_do_not_stop_a_run(tmp_path: Path, run: Callable[..., tuple[str, str]]) -> None:
    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        if number(body) == 4:
            return chat("", finish_reason="content_filter")
        return chat("yes \ud83d" if number(body) == 6 else "yes")

    with Stub(reply) as stub:
        out, _ = run(stub.url, "--json")
    result = json.loads(out)
    assert (result["withheld"], result["errors"]) == (1, [])
    assert (result["score"]["metric"], result["score"]["mean"]) == ("accuracy", pytest.approx(29 / 30))
    rows = [json.loads(line) for line in (tmp_path / "run" / ANSWERS).read_text().splitlines()]
    assert rows[4]["status"] == "content_filter"
    assert rows[6]["text"] == "yes \ufffd"


# ---- money and pace ------------------------------------------------------------------------------------------------


def test_the_budget_of_a_run_is_kept_over_its_processes(tmp_path: Path, run: Callable[..., tuple[str, str]]) -> None:
    prices = ["--prices", "0,6000", "--set", "max-tokens=2"]  # an answer of 2 tokens costs 0.012
    with Stub(lambda path, body: chat("yes")) as stub:
        _, err = run(stub.url, *prices, "--max-cost", "0.1", code=2)
        assert "stopped at a cost of 0.0960: one more request may exceed --max-cost 0.1" in err
        assert len(stub.bodies) == 8
        run(stub.url, *prices, "--max-cost", "0.1", code=2)
        assert len(stub.bodies) == 8
        out, _ = run(stub.url, *prices, "--max-cost", "1", "--json")
        assert json.loads(out)["usage"]["cost"] == pytest.approx(0.36)
        _, err = run(stub.url, "--max-cost", "1", code=2)
        assert "--max-cost needs the prices per million tokens" in err


def test_a_likelihood_run_is_not_continued_in_words(run: Callable[..., tuple[str, str]]) -> None:
    def echo(path: str, body: dict[str, Any]) -> dict[str, Any]:
        tokens = [*re.findall(r"\S+\s*|\s+", body.get("prompt", "yes")), "more"]
        logprobs = {"tokens": tokens, "token_logprobs": [None, *[-1.0] * (len(tokens) - 1)]}
        return {**chat("yes"), "choices": [{**chat("yes")["choices"][0], "logprobs": logprobs}]}

    with Stub(echo) as stub:
        run(stub.url, "-s", "likelihood", "--model-set", "scores=yes")
        _, err = run(stub.url, "-s", "generate,likelihood", "--set", "shots=0", code=2)
        assert "'solver' differs" in err
        out, _ = run(stub.url, "--model-set", "rpm=none", "--dry-run", out="dry")
        assert "calls" in out


@pytest.mark.usefixtures("pairs")
def test_one_budget_for_all_prompts_and_repetitions(tmp_path: Path, run: Callable[..., tuple[str, str]]) -> None:
    """An answer costs 0.012. What was spent in one folder is not there for the next, nor for the command rerun."""
    settings = ["--no-cache", "--prices", "0,6000", "--set", "max-tokens=2", "--max-cost", "0.2", "--limit", "5"]
    for several in (["--prompt", "all"], ["--repeat", "5"]):
        with Stub(lambda path, body: chat("yes")) as stub:
            for _ in range(2):
                _, err = run(stub.url, *settings, *several, out=several[0], code=2)
                assert "stopped at a cost of 0.19" in err
                assert len(stub.bodies) == 16
            spent = [
                json.loads(path.read_text())["usage"]["cost"] for path in tmp_path.glob(f"{several[0]}/*/run.json")
            ]
            assert len(spent) > 1
            assert sum(spent) == pytest.approx(0.192)


def test_the_runs_of_a_study_share_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each answer costs 0.012; the second run may not spend what the first has spent."""
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "cache"))
    with Stub(lambda path, body: chat("yes")) as stub:
        models = [f"openai:{name}@{stub.url}" for name in "mn"]
        loaded = 'prices = "0,6000", scores = false, concurrency = 1'
        study = tmp_path / "study.toml"
        study.write_text(
            f'[study]\ntitle = "x"\n[[build]]\nname = "own"\nsuite = "questions"\n[[run]]\nitems = ["own"]\n'
            f"models = {json.dumps(models)}\noptions = {{ max-tokens = 2 }}\nlimit = 3\nmax-cost = 0.05\n"
            f"cache = false\nmodel-options = {{ {loaded} }}\n".replace("cache = false\n", "")
        )
        with pytest.raises(ProbandError, match="--jobs cannot keep a max-cost"):
            proband.study(study, out=tmp_path / "out", jobs=2)
        with pytest.raises(ProbandError, match="one more request may exceed --max-cost"):
            proband.study(study, out=tmp_path / "out")
        assert len(stub.bodies) == 4


@pytest.mark.usefixtures("pairs")
def test_a_dry_run_is_of_the_whole_command(run: Callable[..., tuple[str, str]]) -> None:
    with Stub(lambda path, body: chat("yes")) as stub:
        prices = ["--prices", "1,2", "--dry-run", "--model-set", "rpm=60"]
        for several, count in ((["--prompt", "all"], 13), (["--repeat", "5"], 5), ([], 1)):
            out, _ = run(stub.url, *several, *prices, "--json")
            parts = json.loads(out)["forecasts"]
            assert len(parts) == count
            assert all(part["calls"] == 30 for part in parts)
            out, _ = run(stub.url, *several, *prices)
            total = dict(line.split(":", 1) for line in out.splitlines() if line.count(":") == 1)
            assert total["calls"].split()[0] == str(30 * count)
            cost = sum(part["tokens_in"] + 2 * part["tokens_out"] for part in parts) / 1e6
            assert total["cost"].split()[0] == f"{cost:,.4f}"
            assert total["time"].strip() == f"about {30 * count // 60} min" if count > 3 else "about 30 s"
        assert stub.bodies == []


def test_the_first_ctrl_c_takes_in_what_was_sent(
    tmp_path: Path, command: Callable[..., subprocess.Popen[str]], run: Callable[..., tuple[str, str]]
) -> None:
    gate = Gate(free=6)
    with Stub(gate) as stub:
        child = command(stub.url, "--no-cache", "--prices", "1000,1000")
        until(lambda: gate.waiting == 4)
        child.send_signal(signal.SIGINT)
        heard(child, "finishing calls in progress")
        time.sleep(0.7)
        gate.open.set()
        _, err = finished(child, code=130)
        assert "interrupted; 10 of 30 answers are kept in" in err
        assert len(stub.bodies) == 10  # nothing more was sent
        used = json.loads((tmp_path / "run" / "run.json").read_text())["usage"]
        assert (used["requests"], used["answered"], used["cost"]) == (10, 10, pytest.approx(0.12))
        run(stub.url, "--no-cache", "--prices", "1000,1000")
        assert len(stub.bodies) == COUNT  # nothing is paid twice


def test_what_the_second_ctrl_c_gives_up_counts_as_paid(
    tmp_path: Path, command: Callable[..., subprocess.Popen[str]]
) -> None:
    gate = Gate(free=6)
    with Stub(gate) as stub:
        child = command(stub.url, "--prices", "0,6000", "--set", "max-tokens=2")
        until(lambda: gate.waiting == 4)
        child.send_signal(signal.SIGINT)
        heard(child, "finishing calls in progress")
        child.send_signal(signal.SIGINT)
        finished(child, code=130)
        used = json.loads((tmp_path / "run" / "run.json").read_text())["usage"]
        assert (used["requests"], used["answered"], used["given_up"]) == (10, 6, 4)
        assert used["cost"] == pytest.approx(0.12)  # each the most that it may cost
        gate.open.set()


def test_errors_are_asked_again(tmp_path: Path, run: Callable[..., tuple[str, str]]) -> None:
    broken = True

    def trouble(path: str, body: dict[str, Any], n: int) -> str | None:
        return "400 busy" if broken and number(body) in (5, 7) else None

    with Stub(lambda path, body: chat("yes"), trouble) as stub:
        run(stub.url, "--no-cache", out="whole", code=2)
        run(stub.url, "--no-cache", "--on-error", "record")
        asked = len(stub.bodies)
        out, _ = run(stub.url, "--no-cache", "--on-error", "record")
        assert len(stub.bodies) == asked  # it is finished
        assert "errors:" in out
        broken = False
        out, _ = run(stub.url, "--no-cache", "--on-error", "record", "--retry-errors")
        assert len(stub.bodies) == asked + 2
        assert "errors:" not in out
        run(stub.url, "--no-cache", out="whole")
    assert (tmp_path / "run" / ANSWERS).read_bytes() == (tmp_path / "whole" / ANSWERS).read_bytes()
    assert not (tmp_path / "run" / ARRIVED).exists()


@pytest.mark.nightly
def test_a_sample_grows_in_its_folder(tmp_path: Path, run: Callable[..., tuple[str, str]]) -> None:
    with Stub(lambda path, body: chat("yes")) as stub:
        run(stub.url, "--no-cache", "--limit", "5")
        run(stub.url, "--no-cache", "--limit", "12")
        assert len(stub.bodies) == 12
        run(stub.url, "--no-cache", "--limit", "12", out="whole")
        assert (tmp_path / "run" / ANSWERS).read_bytes() == (tmp_path / "whole" / ANSWERS).read_bytes()
        assert json.loads((tmp_path / "run" / "run.json").read_text())["settings"]["limit"] == 12
        _, err = run(stub.url, "--no-cache", "--limit", "4", code=2)
        assert "'settings' differs" in err
        run(stub.url, "--no-cache")
        run(stub.url, "--no-cache", out="all")
        assert len(stub.bodies) == 30 + 12 + 30
        assert (tmp_path / "run" / ANSWERS).read_bytes() == (tmp_path / "all" / ANSWERS).read_bytes()


@pytest.mark.nightly
def test_a_finished_run_needs_no_server(run: Callable[..., tuple[str, str]]) -> None:
    with Stub(lambda path, body: chat("yes")) as stub:
        out, _ = run(stub.url, "--limit", "7")
        url = stub.url
    again, _ = run(url, "--limit", "7")
    assert again == out
    _, err = run(url, "--limit", "7", "--set", "shots=0", "--seed", "3", code=2)
    assert "cannot connect" in err or "'seed' differs" in err


def test_a_server_that_goes_away_in_the_middle_is_one_line_and_nothing_is_paid_twice(
    tmp_path: Path, run: Callable[..., tuple[str, str]]
) -> None:
    asked: list[int] = []

    class GoingAway(Stub):
        """Closes every connection behind its answer, and listens no more after the twelfth."""

        def send(self, request: Any, status: int, raw: bytes, *, kind: str = "application/json") -> None:
            request.send_response(status)
            for name, value in (("Content-Length", str(len(raw))), ("Connection", "close")):
                request.send_header(name, value)
            request.end_headers()
            request.wfile.write(raw)

    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        asked.append(number(body))
        if len(asked) == 12:
            stub.server.socket.close()
        return chat("yes")

    with GoingAway(reply) as stub:
        settings = ["--no-cache", "--on-error", "record", "--model-set", "timeout=5"]
        _, err = run(stub.url, *settings, code=2)
    line = err.strip().splitlines()[-1]
    assert line.startswith("proband: openai:m@")
    assert "cannot connect" in line
    assert line.endswith(f" of 30 answers are kept in {tmp_path / 'run'}, and the same command resumes")
    kept = answered(tmp_path / "run")
    assert 8 <= len(kept) <= len(asked) == len(set(asked))
    assert all(json.loads(text)["status"] == "" for text in (tmp_path / "run" / ARRIVED).read_text().splitlines())


@pytest.mark.nightly
def test_the_token_limit_that_was_sent_is_recorded(tmp_path: Path, run: Callable[..., tuple[str, str]]) -> None:
    with Stub(lambda path, body: chat("yes")) as stub:
        run(stub.url, "--limit", "1")
        run(stub.url, "--limit", "1", "--set", "max-tokens=9", out="short")
        sent = [body["max_tokens"] for body in stub.bodies]
    notes = [json.loads((tmp_path / name / "run.json").read_text()) for name in ("run", "short")]
    assert [note["settings"]["max-tokens"] for note in notes] == sent == [4096, 9]
    assert not {"max_tokens", "temperature", "permutations", "logprobs"} & notes[0]["identity"].keys()


def test_a_budget_needs_a_server_that_tells_its_tokens(run: Callable[..., tuple[str, str]]) -> None:
    with Stub(lambda path, body: chat("yes"), lambda path, body, n: "no usage") as stub:
        _, err = run(stub.url, "--prices", "1,1", "--max-cost", "1", code=2)
    assert "the server does not report tokens, so --max-cost cannot be enforced" in err


def test_requests_per_minute(run: Callable[..., tuple[str, str]]) -> None:
    with Stub(lambda path, body: chat("yes")) as stub:
        run(stub.url, "--model-set", "rpm=1200", "--limit", "20")
    gaps = [later - earlier for earlier, later in zip(stub.times, stub.times[1:])]
    assert sum(gaps) >= 17 * 0.05


@pytest.mark.usefixtures("pairs")
def test_a_dry_run_counts_what_the_cache_has(run: Callable[..., tuple[str, str]]) -> None:
    with Stub(lambda path, body: chat("yes")) as stub:
        run(stub.url, "--limit", "10")
        out, _ = run(stub.url, "--dry-run", "--prices", "1,2", "--json", out="other")
        (plan,) = json.loads(out)["forecasts"]
        assert (plan["items"], plan["calls"], plan["cached"]) == (30, 20, 10)
        assert plan["tokens_out"] == 20 * 4096
        run(stub.url, "--dry-run", "-s", "prompts", out="other")
        assert len(stub.bodies) == 10


@pytest.mark.nightly
def test_an_evaluation_whose_server_goes_away_is_rerun_and_pays_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "cache"))
    sent: list[str] = []
    back: list[bool] = []

    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        sent.append(body["messages"][-1]["content"])
        return chat("yes")

    with Stub(reply, lambda path, body, n: "500" if len(sent) == 5 and not back else None) as stub:
        words = ["evaluate", f"openai:m@{stub.url}", "-o", str(tmp_path / "page"), "--suite", "inference"]
        words += ["--size", "quick", "--no-cache", "--model-set", "scores=false", "--model-set", "first-wait=0.01"]
        words += ["--model-set", "concurrency=1", "--model-set", "retries=1"]
        assert main(words) == 2
        assert "500" in capsys.readouterr().err.strip().splitlines()[-1]
        back.append(True)
        assert main(words) == 0
        paid = len(sent)
        assert main(words) == 0  # a finished one asks nothing
    # also of a question that was on its way when another failed: its answer is waited for and kept
    assert len(sent) == len(set(sent)) == paid == 28


# ---- an evaluation: many runs, one command --------------------------------------------------------------------------

EVALUATE = ["--suite", "inference", "--size", "quick", "--no-cache", "--prices", "0,6000"]
PLAIN = ["scores=false", "first-wait=0.01", "concurrency=4", 'extra={"max_tokens": 2}']


def evaluation(out: Path, *models: str) -> list[str]:
    settings = [word for option in PLAIN for word in ("--model-set", option)]
    return ["evaluate", *models, "-o", str(out), *EVALUATE, *settings]


def test_one_budget_for_all_models_and_sets_of_an_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer costs 0.012. What one model spent on one set is not there for the next, nor for the command rerun."""
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "cache"))
    with Stub(lambda path, body: chat("yes")) as stub:
        words = evaluation(tmp_path / "page", f"openai:m@{stub.url}", f"openai:n@{stub.url}")
        for _ in range(2):
            assert main([*words, "--max-cost", "0.45"]) == 2
            said = capsys.readouterr().err.strip().splitlines()[-1]
            assert "stopped at a cost of 0.44" in said
            assert len(stub.bodies) == 37
        assert {body["model"] for body in stub.bodies} == {"m", "n"}
        notes = [json.loads(path.read_text()) for path in tmp_path.glob("page/runs/*/openai*/run.json")]
        spent = {(note["model"].partition("@")[0], note["suite"]): note["usage"].get("cost", 0) for note in notes}
        assert len([cost for cost in spent.values() if cost]) == 2  # all of the first, a part of the second
        assert sum(spent.values()) == pytest.approx(0.444)
        assert main([*words, "--max-cost", "1"]) == 0
        questions = [(body["model"], body["messages"][-1]["content"]) for body in stub.bodies]
        assert len(questions) == len(set(questions))  # nothing was paid twice


def test_models_of_two_kinds_take_each_its_own_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A local model has no prices, a server no device; the page names neither address nor what only one of them has."""
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "cache"))
    with Stub(lambda path, body: chat("yes")) as stub:
        words = ["evaluate", "embedded:glove", f"openai:m@{stub.url}", "-o", str(tmp_path / "page"), "--size", "quick"]
        words += ["--suite", "analogy", "--prices", "1,1", "--device", "cpu", "--model-set", "scores=false"]
        assert main(words) == 0
        assert main([*words, "--model-set", "concurency=4"]) == 2
    assert "has no option 'concurency'" in capsys.readouterr().err
    page = (tmp_path / "page" / "index.html").read_text()
    assert "GloVe-6B-50d and m on Proband panel 2, quick" in page
    assert stub.url not in page
    run = json.loads(next(tmp_path.glob("page/runs/*/openai*/run.json")).read_text())
    assert run["usage"]["cost"] > 0


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.nightly
def test_an_evaluation_survives_ctrl_c(tmp_path: Path, *, twice: bool) -> None:
    """One Ctrl-C takes in what is under way, the second stops; the same command goes on, and asks nothing twice."""
    go_on, waiting = threading.Event(), list[str]()

    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        if len(stub.bodies) > 20 and not go_on.is_set():
            waiting.append(body["messages"][-1]["content"])
            go_on.wait(120)
        return chat("yes")

    env = {name: value for name, value in os.environ.items() if "PROXY" not in name.upper()}
    env |= {"PROBAND_CACHE": str(tmp_path / "cache"), "PYTHONUNBUFFERED": "1"}
    with Stub(reply) as stub:
        words = evaluation(tmp_path / "page", f"openai:m@{stub.url}")

        def start() -> subprocess.Popen[str]:
            return subprocess.Popen(
                [sys.executable, "-m", "proband", *words],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=env,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )

        child = start()
        try:
            until(lambda: len(waiting) == 4)
            child.send_signal(signal.SIGINT)
            heard(child, "finishing calls in progress")
            if twice:
                child.send_signal(signal.SIGINT)
            else:
                time.sleep(0.7)
                go_on.set()
            _, err = finished(child, code=130)
            assert "runs are finished; of " in err.strip().splitlines()[-1]
            go_on.set()
            kept = [each for path in tmp_path.glob("page/runs/*/openai*") for each in answered(path)]
            assert len(kept) == (20 if twice else 24)
            assert len(stub.bodies) == 24  # nothing was sent after the first
            child = start()
            out, _ = finished(child)
        finally:
            child.kill()
            child.communicate()
        assert "open " in out
        questions = [body["messages"][-1]["content"] for body in stub.bodies]
        again = {text for text in questions if questions.count(text) > 1}
        assert again == (set(waiting) if twice else set())  # only what the second Ctrl-C gave up
