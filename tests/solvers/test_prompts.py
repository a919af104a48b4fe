"""Prompts: those that ship, one's own, broken ones, and rewordings."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.solvers.conftest import SUITES, Continues, Talks, started

from proband import suites
from proband.cli import main
from proband.core.errors import ProbandError
from proband.core.files import read_items, read_run
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.solvers.prompts import Prompt, expand_names, read_prompt, rewordings, shipped_prompts


def test_a_prompt_of_ones_own_is_written_down(folders: dict[str, Path], tmp_path: Path) -> None:
    own = tmp_path / "mine.jinja"
    own.write_text("{{ tags.task }}: {{ prompt }} ({{ letters | length }} choices)")
    model = Talks("aunt")
    run(folders["kinship"], model=model, out=tmp_path / "run", options={"prompt": str(own)}, cache=False)
    assert all(chat[-1][1].startswith("clean: ") and chat[-1][1].endswith("(22 choices)") for chat in model.seen)
    settings = read_run(tmp_path / "run" / "run.json").settings
    assert (settings["prompt"], len(settings["prompt-sha"])) == ("mine", 16)
    own.write_text("{{ prompt }}")
    with pytest.raises(ProbandError, match="'settings' differs"):
        run(folders["kinship"], model=model, out=tmp_path / "run", options={"prompt": str(own)}, cache=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{% if %}", "mine.jinja line 1: not a template"),
        ("{{ colour }}", "mine.jinja: cannot be filled in: 'colour' is undefined"),
        ("{{ ''.__class__.__mro__ }}", "cannot be filled in"),
    ],
)
def test_a_broken_template_is_one_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match=message):
        Prompt(name="mine", path=Path("mine.jinja"), text=text).render(prompt="?")


def test_an_unknown_prompt_lists_those_there_are() -> None:
    folder = Path(suites.__file__).parent / "kinship" / "prompts"
    assert shipped_prompts(folder)[:5] == ["choices", "letters", "open", "rules", "reworded-1"]
    with pytest.raises(ProbandError, match="no prompt 'nice': there are choices, letters, open, rules, reworded-1"):
        read_prompt("nice", folder, default="choices")


@pytest.mark.parametrize("name", [*SUITES, "inference", "questions"])
def test_every_shipped_prompt_can_be_filled_in(name: str, folders: dict[str, Path], tmp_path: Path) -> None:
    solver = next(each for each in suites.suite(name).solvers if each.name == "generate")
    assert solver.prompts is not None
    if name not in folders:
        build(name, out=tmp_path)
    folder = folders.get(name, tmp_path)
    item, examples = started(folder), list(read_items(folder))[-9:]
    for prompt in shipped_prompts(solver.prompts):
        for think in (False, True):
            for model in (Talks(), Continues()):
                options = solver.options(prompt=prompt, think=think, shots=1)
                given = {"seed": 0, "options": options, "examples": examples}
                (text,) = solver.sends([item], model, **given)[0]  # type: ignore[misc]
                assert "{" not in text.replace("{'", "")
                ends = isinstance(model, Continues) and not think and prompt != "bare"  # the question alone
                assert (text.rstrip("</user>").rstrip()[-1] == ":") == ends


# ---- rewordings ------------------------------------------------------------------------------------------------------


PARROT = """
class Parrot:
    name = "parrot"
    def identity(self): return {"kind": "test"}
    def generate(self, prompts, *, max_tokens, temperature=0.0, seed=0, stop=()): return ["father" for _ in prompts]
"""


@pytest.fixture
def parrot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A model that replies, by its place."""
    (tmp_path / "a_parrot.py").write_text(PARROT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / ".cache"))
    return "a_parrot:Parrot"


def folder_of(suite: str) -> Path:
    return next(each.prompts for each in suites.suite(suite).solvers if each.prompts is not None)


@pytest.mark.parametrize("suite", [*SUITES, "inference"])
def test_ten_rewordings_or_more(suite: str) -> None:
    names = rewordings(folder_of(suite))
    texts = {read_prompt(name, folder_of(suite), default="").text for name in names}
    assert len(names) == len(texts) >= 10


@pytest.mark.parametrize("suite", [*SUITES, "inference"])
def test_each_asks_the_same_item_in_other_words(
    suite: str, parrot: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"analogy": ["--per-relation", "1"], "kinship": ["--k", "2", "--per-k", "4"]}.get(suite, [])
    assert main(["build", suite, *more, "-o", str(tmp_path / "items")]) == 0
    item = next(each for each in read_items(tmp_path / "items/items.jsonl") if each.split == "test")
    sent = set()
    for name in rewordings(folder_of(suite)):
        capsys.readouterr()
        words = ["show", str(tmp_path / "items"), item.id, "--prompt", "-m", parrot, "--set", f"prompt={name}"]
        assert main(words) == 0, capsys.readouterr().err
        sent.add(capsys.readouterr().out)
        assert all(choice in max(sent, key=len) for choice in item.choices[:2])
    assert len(sent) >= 10


def test_all_is_the_default_and_the_rewordings(tmp_path: Path) -> None:
    folder = folder_of("kinship")
    assert expand_names(["all"], folder, default="choices") == ["choices", *rewordings(folder)]
    bank = tmp_path / "mine.txt"
    bank.write_text("# mine\nSay it.\n\nSay it in one word.\n")
    assert expand_names([str(bank)], folder, default="choices") == [f"{bank}#1", f"{bank}#2"]
    assert "Say it in one word." in read_prompt(f"{bank}#2", folder, default="").text
    with pytest.raises(ProbandError, match="there are 2 instructions"):
        read_prompt(f"{bank}#3", folder, default="")
    with pytest.raises(ProbandError, match="no prompt 'nosuch': there are"):
        read_prompt("nosuch", folder, default="")
