"""The page as it is laid out: names stay whole, wide tables say so, models are told apart, paper gets what it can."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from proband.reporting import ItemSet, write_report
from proband.reporting.charts import COLOURS, MODELS, shape_of
from proband.reporting.numbers.study import Study
from proband.reporting.write import colour

NAMES = (
    "embedded:mlm",
    "solver:symbolic",
    "baseline:majority",
    "embedded:smollm2",
    "openai:a-model-of-a-long-name@localhost:8000",
    "hf:HuggingFaceTB/SmolLM2-135M-Instruct",
    "embedded:glove",
    "embedded:minilm",
    "net:gat",
    "net:rmc",
    "net:bilstm",
    "baseline:random",
)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory, make_set: Callable[..., ItemSet]) -> Path:
    """Twelve models, and chains of 2 to 16: a table that no screen holds."""
    loaded = make_set(600, models=NAMES)
    items = [replace(item, tags={**item.tags, "k": 2 + i % 15}) for i, item in enumerate(loaded.items())]
    given = [dataclasses.replace(each, answers=list(loaded.raw_answers(at))) for at, each in enumerate(loaded.answered)]
    given[2] = dataclasses.replace(given[2], answers=given[1].answers)  # two models of the same answers
    out = tmp_path_factory.mktemp("wide")
    write_report([dataclasses.replace(loaded, items_from=items, answered=given)], out=out)
    return out


LINES = """() => {
  const lines = [];
  for (const box of document.querySelectorAll('.headline dt, tbody th[scope=row], .over, .under, .legend button')) {
    const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    let line = '', bottom = null;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (let i = 0; i < node.length; i++) {
        const range = document.createRange();
        range.setStart(node, i); range.setEnd(node, i + 1);
        const place = range.getBoundingClientRect();
        if (!place.height) continue;
        if (bottom !== null && place.top >= bottom - 2) { lines.push(line); line = ''; }
        bottom = place.bottom; line += node.data[i];
      }
    }
  }
  return lines;
}"""


def test_a_name_breaks_only_at_a_separator(visit: Callable[..., Any], wide: Path) -> None:
    page = visit(of=wide).page
    ends = {line.strip()[-1] for line in page.evaluate(LINES) if line.strip()}
    assert ends <= set(":/@=_- ·"), "lines of names end where a word does"


def test_a_table_that_is_too_wide_says_so_and_keeps_the_names(visit: Callable[..., Any], wide: Path) -> None:
    from playwright.sync_api import expect

    page = visit(of=wide).page
    table = page.locator("#analogy-length-table")
    table.evaluate("element => { element.open = true }")
    box, hint = table.locator(".scroll"), table.locator(".hint")
    expect(box).to_have_class(re.compile(r"\bmore\b"), timeout=20_000)
    assert hint.is_visible()
    name = box.locator("tbody th[scope=row]").first
    before = name.bounding_box()["x"]
    box.evaluate("element => { element.scrollLeft = element.scrollWidth }")
    expect(box).not_to_have_class(re.compile(r"\bmore\b"), timeout=20_000)
    assert not hint.is_visible()
    assert abs(name.bounding_box()["x"] - before) < box.bounding_box()["width"] / 4


def test_five_and_nine_columns_fit_without_scrolling(
    visit: Callable[..., Any], make_set: Callable[..., ItemSet], tmp_path: Path
) -> None:
    loaded = make_set(540, models=("solver:symbolic", "solver:read", "baseline:majority", "embedded:smollm2"))
    items = [replace(item, tags={**item.tags, "k": 2 + i % 9}) for i, item in enumerate(loaded.items())]
    write_report([dataclasses.replace(loaded, items_from=items)], out=tmp_path)
    seen = visit(of=tmp_path)
    seen.open_all()
    page = seen.page
    wide = "box => box.scrollWidth - box.clientWidth"
    assert [page.locator(f"#analogy-{name}-table .scroll").evaluate(wide) for name in ("length", "groups")] == [0, 0]
    page.set_viewport_size({"width": 720, "height": 900})  # about A4
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 720


def test_marks_of_one_place_stand_side_by_side(visit: Callable[..., Any], wide: Path) -> None:
    page = visit(of=wide).page
    marks = page.locator("#analogy-length-figure .wide svg [data-m][data-tip]").evaluate_all(
        "marks => marks.map((mark) => { const b = mark.getBBox(); return [b.x + b.width / 2, b.y + b.height / 2] })"
    )
    assert len(marks) == 15 * len(NAMES)
    apart = [np.hypot(a[0] - b[0], a[1] - b[1]) for a, b in itertools.combinations(marks, 2)]
    assert min(apart) > 3


def lab(colour: str) -> Any:
    """CIE L*a*b* of #rrggbb."""
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    f = np.cbrt(xyz / np.array([0.9505, 1.0, 1.089]))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_twelve_models_have_twelve_colours_and_each_page_its_own(make_set: Callable[..., ItemSet]) -> None:
    assert MODELS >= 12
    colours = [lab(COLOURS[f"m{number}"]) for number in range(MODELS)]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(colours, 2)) > 17
    assert len({(model % MODELS, shape_of(model)) for model in range(36)}) == 36
    studies = [
        Study(make_set(24, models=[f"m{at}" for at in names])) for names in (range(9), range(6, 17), (0, 16, 20))
    ]
    colour(studies)
    for study in studies:
        assert len({hue % MODELS for hue in study.hues}) == len(study.systems)
    assert len({hue for study in studies for hue in study.hues}) == 18


def test_a_model_has_one_colour_however_it_is_asked(make_set: Callable[..., ItemSet]) -> None:
    """Of two ways in one set the one that other sets have too; models that a profile names come first."""

    def asked(*ways: tuple[str, str]) -> Study:
        made = make_set(24, models=[model for model, _ in ways])
        answered = [
            dataclasses.replace(each, run=replace(each.run, solver=way)) for each, (_, way) in zip(made.answered, ways)
        ]
        return Study(dataclasses.replace(made, answered=answered))

    studies = [asked(("m", "prior"), ("m", "fill"), ("n", "fill")), asked(("n", "pppl")), asked(("m", "fill"))]
    assert [study.system_labels for study in studies] == [("m · prior", "m · fill", "n"), ("n",), ("m",)]
    colour(studies, ["n", "m"])
    (control, main, other), (alone,), (again,) = (study.hues for study in studies)
    assert (alone, other, main, again) == (0, 0, 1, 1)
    assert control not in (0, 1)


def test_on_paper(visit: Callable[..., Any], wide: Path) -> None:
    """Dark ink and no call for JavaScript; tables that were closed are printed too."""
    page = visit(of=wide, width=720).page
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    for scheme in ("light", "dark"):
        page.emulate_media(media="print", color_scheme=scheme)
        assert "JavaScript" not in page.locator("body").inner_text()
        ink = page.evaluate("getComputedStyle(document.body).color")
        assert sum(map(int, ink[4:-1].split(","))) < 200
        assert page.locator("#analogy-relations-table td").first.is_visible()


def test_on_paper_without_a_script(browser: Any, wide: Path) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto((wide / "analogy.html").as_uri())
    assert "needs JavaScript" in page.locator("#items").inner_text()
    page.emulate_media(media="print")
    assert "JavaScript" not in page.locator("body").inner_text()
    page.context.close()
