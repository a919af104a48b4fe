"""Prompts: those that ship, one's own, and broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.solvers.conftest import SUITES, Continues, Talks, started

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import read_items, read_run
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.solvers.prompts import Prompt, read_prompt, shipped_prompts


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
