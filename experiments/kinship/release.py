"""Nets and language models on the test slices of the release: tables/release.md from release.parquet.

    python experiments/kinship/release.py                       # writes the table
    python experiments/kinship/release.py --collect ITEMS RUN...  # first, the answers of runs on the built release

A row of release.parquet is a run: model, training seed (-1 for language models), and for each test item the share of the
answer that is right (a tie of n answers with the right one among them counts 1/n; -1: not asked).

The answers were made on one NVIDIA H200 (torch 2.11.0, transformers 5.23.0) by

    proband build kinship --release 1 -o ITEMS
    proband train ITEMS --net NET --seed SEED -o nets/NET-SEED        # for composer*: the nets that ship (weights/proband-nets)
    proband run ITEMS -m net:nets/NET-SEED --where slice=clean,long,... -o runs/NET-SEED
    proband run ITEMS -m hf:FILE.gguf --model-set dtype=float32 -o runs/FILE
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from proband.core.files import markdown_table, read_answers, read_items, read_run
from proband.stats import Scores
from proband.stats.clusters import Clusters, clusters_of

HERE = Path(__file__).parent
STORED = HERE / "release.parquet"
NAMES = {
    "smollm2-135m-q4_1": "SmolLM2-135M",
    "gemma-3-270m-q4_k_m": "Gemma-3-270M",
    "tinyllama-1.1b-iq2_xxs": "TinyLlama-1.1B",
    "qwen2.5-coder-1.5b-q4_k_m": "Qwen2.5-Coder-1.5B",
}
NOTE = (
    "Accuracy in per cent with 95 % intervals (stories that share a clause are one cluster; of nets also three training "
    "seeds). *Strongest shortcut* is the release card's. `composer*` ships with Proband and was trained on 12,000 other stories "
    "of one to four facts, which share their clause with 161 of the 704 `clean` stories of more than two facts and with none of `long`; the other nets were trained on the 4,180 training "
    "stories of the release. Nets know neither sets of relations nor the words of the wide and blended worlds, and never answer "
    "*cannot be determined*, which is right for half of the two abstention slices."
)


def collect(items: Path, runs: list[Path]) -> None:
    tests = [item for item in read_items(items) if item.split == "test"]
    place = {item.id: at for at, item in enumerate(tests)}
    rows: list[dict[str, Any]] = []
    for folder in runs:
        run = read_run(folder / "run.json")
        right = np.full(len(tests), -1.0)
        for answer in read_answers(folder / "answers.jsonl"):
            at, scores = place[answer.item_id], answer.scores
            best = [number for number, score in enumerate(scores) if score == max(scores)]
            right[at] = (tests[at].gold in best) / len(best) if best and not answer.status else 0.0
        name = Path(run.model.partition(":")[2]).name.removesuffix(".gguf")
        seed = int(run.net["seed"]) if run.net else -1
        model = NAMES.get(name) or run.net["net"] + ("*" if "ship" in run.model else "")
        rows.append({"model": model, "seed": seed, "right": right.astype(np.float32).tolist()})
    shortcuts = strongest(items / "README.md")
    about = {
        "model": "",
        "seed": -1,
        "slices": [str(item.tags["slice"]) for item in tests],
        "clusters": [";".join(clusters_of(item)) for item in tests],
        "shortcuts": [shortcuts[str(item.tags["slice"])] for item in tests],
    }
    pl.DataFrame([about, *rows], infer_schema_length=None).write_parquet(
        STORED, compression="zstd", compression_level=19
    )


def table() -> str:
    frame = pl.read_parquet(STORED)
    about = frame.row(0, named=True)
    slices, clusters = np.array(about["slices"]), Clusters.of([(name,) for name in about["clusters"]])
    runs: dict[str, list[np.ndarray[Any, Any]]] = {}
    for row in frame.rows(named=True)[1:]:
        runs.setdefault(row["model"], []).append(np.array(row["right"]))
    order = sorted(runs, key=lambda model: -np.mean([right[slices == "clean"] for right in runs[model]]))
    shortcuts = dict(zip(about["slices"], about["shortcuts"], strict=True))
    rows = []
    for name in dict.fromkeys(slices):
        cells = [f"`{name}`", str(int((slices == name).sum())), shortcuts[name]]
        for model in order:
            numbers = np.array(runs[model])[:, slices == name]
            cells.append("–" if (numbers < 0).any() else shown(numbers, np.flatnonzero(slices == name), clusters))
        rows.append(cells)
    head = ["slice", "n", "strongest shortcut", *order]
    title = "**Nets and language models on the release** (`proband build kinship --release 1`)"
    return f"{title}\n\n{markdown_table(head, rows, right=len(head) - 1)}\n\n{NOTE}\n"


def shown(numbers: np.ndarray[Any, Any], rows: np.ndarray[Any, Any], clusters: Clusters) -> str:
    scores = Scores(numbers=numbers, items=rows, clusters=clusters, places=rows, trained=len(numbers) > 1)
    band = scores.interval()
    return f"{100 * scores.value:.1f}" + ("" if band.few else f" [{100 * band.low:.1f}, {100 * band.high:.1f}]")


def strongest(card: Path) -> dict[str, str]:
    """The strongest shortcut of each test slice, as the release's card prints it."""
    lines = card.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split("|")] for line in lines if line.startswith("| test ")]
    return {each[1].removeprefix("test "): each[5] for each in cells if len(each) > 7}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collect", type=Path, nargs="+", metavar=("ITEMS", "RUN"))
    given = parser.parse_args()
    if given.collect:
        collect(given.collect[0], given.collect[1:])
    (HERE / "tables" / "release.md").write_text(table(), encoding="utf-8")
