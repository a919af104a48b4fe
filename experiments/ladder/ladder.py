"""The panel over four causal models of 135 million to 1.5 billion parameters: tables and figure from committed answers.

    python experiments/ladder/ladder.py       # from answers.zip: tables.md, figure.svg and the README's picture
    python experiments/ladder/ladder.py --collect PAGE...   # first, answers of pages of `proband evaluate` into answers.zip

The answers were made by `proband evaluate hf:FILE.gguf -o PAGE --model-set dtype=float32` on a GPU, one page per file.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "src"))

from proband import run  # noqa: E402
from proband.core.files import md, slug  # noqa: E402
from proband.pipeline.panel import place_items, read_panel  # noqa: E402
from proband.pipeline.report import item_sets  # noqa: E402
from proband.reporting.charts import WIDE, dot_plot, svg  # noqa: E402
from proband.reporting.numbers.formatting import first_token  # noqa: E402
from proband.reporting.profile import CapabilityPart, CapabilityReader, CapabilityRow, Profile, make_profile  # noqa: E402
from proband.reporting.profile_texts import as_table  # noqa: E402
from proband.stats import Scores, holm  # noqa: E402

# file -> (name, parameters in millions, what it is), smallest first
LADDER = {
    "smollm2-135m-q4_1": ("SmolLM2 135M", 134.5, "instruction-tuned, 4 bits"),
    "gemma-3-270m-q4_k_m": ("Gemma 3 270M", 268.1, "base model, 4 to 8 bits"),
    "tinyllama-1.1b-iq2_xxs": ("TinyLlama 1.1B", 1100.0, "chat model, 2 bits"),
    "qwen2.5-coder-1.5b-q4_k_m": ("Qwen2.5-Coder 1.5B", 1543.7, "instruction-tuned, for code, 4 to 6 bits"),
}
TICKS = ("135M", "270M", "1.1B", "1.5B")
FIRST, SECOND, THIRD, LAST = LADDER
STEPS = ((FIRST, LAST), (FIRST, SECOND), (SECOND, THIRD), (THIRD, LAST))


def spec(file: str) -> str:
    return f"hf:{file}.gguf"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collect", nargs="+", type=Path, metavar="PAGE")
    given = parser.parse_args()
    if given.collect:
        collect(given.collect)
    with tempfile.TemporaryDirectory() as folder:
        write(*read_answers(Path(folder)))


def collect(pages: Sequence[Path]) -> None:
    """The answers of pages, one folder per item set and model."""
    contents = {}
    for file in (file for page in pages for name in ("answers.jsonl", "run.json") for file in page.rglob(name)):
        names = file.relative_to(next(page for page in pages if page in file.parents)).parts
        if not any("baseline" in name or "solver" in name for name in names):
            contents["/".join(name for name in names if name != "runs")] = file.read_bytes()
    with zipfile.ZipFile(HERE / "answers.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for name in sorted(contents):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(entry, contents[name])


def read_answers(folder: Path) -> tuple[Profile, CapabilityReader]:
    """The profile of the ladder, and the reader of its item sets."""
    panel = read_panel()
    runs = []
    with zipfile.ZipFile(HERE / "answers.zip") as stored:
        stored.extractall(folder / "runs")
    for each in panel.sets:
        place_items(panel, each, items := folder / "items" / each.name)
        for model in each.baselines:
            run(items, model=model, out=folder / "runs" / each.name / slug(model))
        runs += sorted(path.parent for path in (folder / "runs" / each.name).glob("*/run.json"))
    sets = item_sets(runs)
    baselines = {each.name: each.baselines for each in panel.sets}
    controls = [each.control for each in panel.sets if each.control]

    reader, all_splits = (
        CapabilityReader(
            sets={each.source: each for each in part}, missing={}, controls=controls, baselines=baselines,
            family=len(panel.capabilities),
        )
        for part in ([replace(each, splits=("test",)) for each in sets], sets)
    )  # fmt: skip
    models = {spec(file): name.replace(" ", "-") for file, (name, _, _) in LADDER.items()}
    title = f"{' and '.join(models.values())} on Proband panel {panel.version}"
    return make_profile(reader, panel.capabilities, panel.moves, models, title=title, references={}), all_splits


# ---- tables ----------------------------------------------------------------------------------------------------------


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def with_interval(row: CapabilityRow) -> str:
    e = row.estimate
    if e is None:
        return "–"
    interval = "" if e.few else f" [{percent(e.low)}, {percent(e.high)}]"
    return f"{percent(e.mean)}{interval}{' *' if row.can else ''}"


def routes_table(reader: CapabilityReader) -> list[str]:
    """How each was asked, as its runs have recorded it."""
    rows = []
    for file, (name, _, _) in LADDER.items():
        runs = [run for items in reader.sets.values() for run in items.runs if run.model == spec(file)]
        kind = spec(file).partition(":")[0]
        by = {f"`{kind}:`, {run.identity.get('dtype') or run.identity.get('engine', '')}" for run in runs}
        sets = sum(any(run.model == spec(file) for run in items.runs) for items in reader.sets.values())
        firsts = {md(first_token(run).removeprefix("first token ")) for run in runs}
        rows.append([name, *(", ".join(sorted(each)) for each in (by, firsts)), str(sets)])
    return table(["model", "computed by", "first token of a text", "sets asked"], rows)


def signed(difference: Any) -> str:
    return f"{100 * difference.value:+.1f} [{100 * difference.low:+.1f}, {100 * difference.high:+.1f}]"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in rows), ""]


def scores_table(profile: Profile) -> list[str]:
    rows = []
    for capability in profile.capabilities:
        own = profile.of(capability)
        level = max((row.level for row in own if row.level is not None), key=lambda each: each.value, default=None)
        beside = "–" if level is None else f"{percent(level.value)} ({level.name.removeprefix('baseline:')})"
        rows.append(
            [capability.does, str(own[0].estimate.n if own[0].estimate else 0), *map(with_interval, own), beside]
        )
    head = ["capability", "n", *(name for name, _, _ in LADDER.values()), "highest level of all"]
    return table(head, rows)


def growth_table(profile: Profile) -> list[str]:
    """The larger less the smaller, item by item, for the whole ladder and its steps, corrected over all cells."""
    cells = {}
    for capability in profile.capabilities:
        by = {row.model: row.scores for row in profile.of(capability)}
        for small, large in STEPS:
            one, other = by[spec(large)], by[spec(small)]
            if one is not None and other is not None:
                cells[capability.does, small, large] = one.minus(other)
    tested = {key: each.p for key, each in cells.items() if each.p is not None}
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    rows = []
    for capability in profile.capabilities:
        shown = [capability.does]
        for step in STEPS:
            key = (capability.does, *step)
            sign = " *" if adjusted.get(key, 1.0) < 0.05 else ""
            shown.append(f"{signed(cells[key])}{sign}" if key in cells else "–")
        rows.append(shown)
    return table(["capability", *(f"{LADDER[large][0]} less {LADDER[small][0]}" for small, large in STEPS)], rows)


def gap_table(reader: CapabilityReader) -> list[str]:
    """Source items less their variations: what was learnt by heart is lost in other words."""
    part, cells = CapabilityPart(set="stories", where={"variation": "reword"}), ["stories, reworded"]
    for file in LADDER:
        both = reader._with_sources(part, spec(file))
        metric = reader.sets[part.set].suite.metric("")
        plain = Scores.of_runs([[source for _, source in both]], metric)
        named = [(msgspec.structs.replace(pair[0], id=source[0].id), pair[1]) for pair, source in both]
        varied = Scores.of_runs([named], metric)
        cells.append("–" if plain is None or varied is None else signed(plain.minus(varied)))
    return table(["source less variation, points", *(name for name, _, _ in LADDER.values())], [cells])


def write(profile: Profile, reader: CapabilityReader) -> None:
    lines = [
        "<!-- written by: python experiments/ladder/ladder.py -->", "",
        "# Panel 2 over a ladder of models", "",
        "Per cent with 95 % intervals; `*`: above chance, every shortcut and the model without the question (Bonferroni",
        "over the rows of the panel). n: items of a row.", "", *scores_table(profile),
        "## How each was asked", "", *routes_table(reader),
        "## What grows with size", "",
        "Points, item by item; `*`: p < 0.05 after correction over all cells (Holm).", "",
        *growth_table(profile),
        "## Asked otherwise", "", *gap_table(reader),
    ]  # fmt: skip
    (HERE / "tables.md").write_text("\n".join(lines))
    figure(profile)
    (HERE.parents[1] / "docs" / "pictures" / "profile.svg").write_text(svg(dot_plot(as_table(profile), WIDE)))


def figure(profile: Profile) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "ladder", "svg.fonttype": "none", "font.size": 8})
    from matplotlib import pyplot

    chart, axes = pyplot.subplots(3, 4, figsize=(11, 7.4), sharex=False)
    sizes = [size for _, size, _ in LADDER.values()]
    for axis, capability in zip(axes.flat, profile.capabilities, strict=False):
        rows = {row.model: row for row in profile.of(capability)}
        own = [rows[spec(file)] for file in LADDER]
        for size, row in zip(sizes, own, strict=True):
            if row.estimate is None:
                continue
            e = row.estimate
            colour = "#31688e"
            axis.plot([size, size], [100 * e.low, 100 * e.high], color=colour, linewidth=1.4)
            face = colour if row.can else "white"
            axis.plot([size], [100 * e.mean], "o", markersize=5, markerfacecolor=face, markeredgecolor=colour)
            if row.level is not None:
                axis.plot([size / 1.12, size * 1.12], [100 * row.level.value] * 2, color="#b5651d", linewidth=1.6)
        axis.set_title(capability.does, fontsize=8.5)
        axis.set_xscale("log")
        axis.set_xlim(95, 2200)
        axis.set_ylim(0, 100)
        axis.set_xticks(sizes, TICKS, rotation=45)
        axis.minorticks_off()
        axis.spines[["top", "right"]].set_visible(False)
    for axis in axes.flat[len(profile.capabilities) :]:
        axis.axis("off")
        for at, text in (
            (0.95, "dot: score, with 95 % interval"),
            (0.80, "filled: above its level\n(paired tests, corrected together)"),
            (0.55, "brown: the level: chance, the best\nshortcut, or the model without\nthe question"),
        ):
            axis.text(0, at, text, fontsize=8.5, va="top")
    chart.supylabel("per cent of the items, or 100 x area under the curve")
    chart.tight_layout()
    chart.savefig(HERE / "figure.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
