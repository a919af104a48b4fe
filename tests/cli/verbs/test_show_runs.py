"""`proband show` and the page name the runs of one model so that a reader can tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from proband.cli import main
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.pipeline.report import report


class Talker:
    """Replies with the first choice, in words."""

    name = "talker"

    def identity(self) -> dict[str, str]:
        return {"kind": "talker"}

    def generate(
        self, prompts: Sequence[str], *, max_tokens: int, temperature: float, seed: int, stop: Sequence[str] = ()
    ) -> list[str]:
        return ["Answer: A" for _ in prompts]


def test_two_prompts_are_told_apart_by_name_or_by_hash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = tmp_path / "items"
    build("analogy", out=items, seed=0, per_relation=1, relations="capital, plural")
    prompts = {
        "a/mine.jinja": "{{ prompt }} Short.",
        "b/mine.jinja": "{{ prompt }} Long.",
        "c/other.jinja": "{{ prompt }}",
    }
    for number, (file, text) in enumerate(prompts.items()):
        path = tmp_path / file
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        settings = {"solver": "generate", "options": {"prompt": str(path)}, "limit": 3, "cache": False}
        run(items, model=Talker(), out=tmp_path / "runs" / str(number), **settings)
    first = (tmp_path / "runs" / "0" / "answers.jsonl").read_text("utf-8").split('"')[3]
    capsys.readouterr()
    main(["show", str(items), first])
    heads = [line.partition("  score")[0] for line in capsys.readouterr().out.splitlines() if line.startswith("talker")]
    assert len(set(heads)) == len(prompts)
    assert sum("prompt=mine" in head for head in heads) == 2
    assert not any("#" in head for head in heads)
    report([tmp_path / "runs" / str(number) for number in range(3)], out=tmp_path / "report")
    page = (tmp_path / "report" / "analogy.html").read_text("utf-8").replace("<wbr>", "")
    assert all(head.removesuffix(" (generate)") in page for head in heads)
