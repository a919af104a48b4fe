"""The table of models on release 1 of the certified stories, from the committed answers:

    python experiments/kinship/release.py                    # writes tables/release-*.md and the tables of release.md
    python experiments/kinship/release.py --check            # fails if they are not what the answers give
    python experiments/kinship/release.py --collect FOLDER   # takes over the answers of `proband study kinship-release -o FOLDER`

release-answers.parquet has a row per run: the model, its training seed, and the number of the answered relation for each
test story (uint8, the order of `RELATIONS`; 254: not asked, 255: no answer, which is wrong). release-tests.parquet has, in
the same order, label, k, slice and clause of the test stories, and the sha256 of the test split, which must be the frozen one.

Intervals are the package's: 95 %, stories of one clause count as one cluster, and the spread of training seeds is added.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from proband.core.errors import ProbandError
from proband.core.files import read_answers, read_items, read_json
from proband.core.statistics.clusters import Clusters
from proband.stats import Scores
from proband.suites.kinship.generate.release import load_release
from proband.suites.kinship.paper.tables import SLICES
from proband.suites.kinship.world.relations import RELATIONS

HERE = Path(__file__).parent
ANSWERS, TESTS = HERE / "release-answers.parquet", HERE / "release-tests.parquet"
CARD = HERE / "release.md"
KS = tuple(range(2, 11))
WRONG = "shortcut wrong"
PAIRED = 176  # questions of each length that are told in three ways
NOT_ASKED, NO_ANSWER = 254, 255
Runs = dict[str, list[np.ndarray]]


def main(arguments: Sequence[str]) -> int:
    if "--collect" in arguments:
        collect([Path(folder) for folder in arguments[1:]])
        return 0
    made = tables()
    pages = {HERE / "tables" / f"{name}.md": text for name, text in made.items()}
    pages[CARD] = with_tables(CARD.read_text(encoding="utf-8"), made)
    wrong = []
    for path, text in pages.items():
        if "--check" in arguments:
            wrong += [] if path.is_file() and path.read_text(encoding="utf-8") == text else [path.name]
        else:
            path.write_text(text, encoding="utf-8")
    if wrong:
        print(f"not what the answers give: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


# ---- the tables ------------------------------------------------------------------------------------------------------


def tables() -> dict[str, str]:
    test = pl.read_parquet(TESTS)
    if set(test["sha256"]) != {load_release(1).sha256["test"]}:
        raise SystemExit("release-tests.parquet is of another test split than the frozen one")
    runs: Runs = defaultdict(list)
    for row in pl.read_parquet(ANSWERS).sort("model", "seed").iter_rows(named=True):
        runs[row["model"]].append(np.frombuffer(row["predictions"], dtype=np.uint8))
    labels, k, part = test["label"].to_numpy(), test["k"].to_numpy(), test["slice"].to_numpy()
    clusters = Clusters.of([(clause,) for clause in test["clause"]])
    clean = part == "clean"
    by_k = {**{f"k = {n}": clean & (k == n) for n in KS}, "all": clean}
    shortcut, wrong = best_shortcut(runs, labels)
    columns = {"all": clean, WRONG: clean & wrong}
    columns |= {
        f"{WRONG}, k = {low} to {high}": clean & wrong & (k >= low) & (k <= high) for low, high in ((2, 4), (5, 10))
    }
    columns |= {f"{name}, {WRONG}": (part == name) & wrong for name in SLICES if name != "clean"}
    by_slice = {str(name): part == name for name in SLICES}
    return {
        "release-k": table("Release 1, slice clean, by number of facts", runs, by_k, labels, clusters),
        "release-slices": table("Release 1, by slice, over k = 2 to 10", runs, by_slice, labels, clusters),
        "release-shortcut": table(
            f"Release 1, slice clean, and where {shortcut}, the best shortcut, is wrong ({int((clean & wrong).sum()):,} stories)",
            runs,
            columns,
            labels,
            clusters,
        ),
        "release-wording": wording(runs, test, clusters),
    }


def best_shortcut(runs: Runs, labels: Any) -> tuple[str, Any]:
    """The shortcut that is right most often on the test stories, and where it is wrong."""
    shortcuts = [name for name in runs if name.startswith("baseline:")]
    best = max(shortcuts, key=lambda name: float(np.mean(runs[name][0] == labels)))
    return best, runs[best][0] != labels


def wording(runs: Runs, test: pl.DataFrame, clusters: Clusters) -> str:
    """The same questions in other words: known-phrases and plain minus clean, paired."""
    labels, k, part = (test[name].to_numpy() for name in ("label", "k", "slice"))
    places = {
        name: np.concatenate([np.flatnonzero((part == name) & (k == n))[:PAIRED] for n in KS])
        for name in ("clean", "known-phrases", "plain")
    }
    shared = clusters.only(places["clean"])
    lines = []
    for model in sorted(name for name in runs if name.startswith("net:")):
        right = {
            name: Scores.of([(run == labels)[at] for run in runs[model]], clusters=shared, trained=True)
            for name, at in places.items()
        }
        cells = []
        for name in ("known-phrases", "plain"):
            found = right[name].minus(right["clean"])
            cells.append(f"{100 * found.value:+.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}]")
        lines.append(f"| {model} | {100 * right['clean'].value:.1f} | {' | '.join(cells)} |")
    head = "| model | clean | known-phrases − clean | plain − clean |"
    title = f"**Release 1, the same {len(places['clean']):,} questions in other words** (points, 95 % interval)"
    return "\n".join([title, "", head, "|---|---:|---:|---:|", *lines, ""])


def with_tables(card: str, made: dict[str, str]) -> str:
    """The data card with these tables between `<!-- NAME -->` and `<!-- end -->`."""
    for name, text in made.items():
        begin = card.index(f"<!-- {name} -->\n") + len(f"<!-- {name} -->\n")
        card = card[:begin] + f"\n{text}\n" + card[card.index("<!-- end -->", begin) :]
    return card


def table(title: str, runs: Runs, columns: dict[str, Any], labels: Any, clusters: Clusters) -> str:
    cells = {
        model: [estimate(model, given, chosen, labels, clusters) for chosen in columns.values()]
        for model, given in runs.items()
    }
    order = sorted(
        cells,
        key=lambda model: (
            model.startswith("baseline:"),
            -cells[model][list(columns).index("all") if "all" in columns else 0][0],
        ),
    )
    lines = [f"| {model} | {len(runs[model])} | {' | '.join(text for _, text in cells[model])} |" for model in order]
    shortcuts = [cells[model] for model in order if model.startswith("baseline:")]
    asked = [[row[place][0] for row in shortcuts if row[place][1]] for place in range(len(columns))]
    best = [f"*{max(scores):.1f}*" if scores else "" for scores in asked]
    lines.append(f"| *best shortcut* | | {' | '.join(best)} |")
    head = f"| model | runs | {' | '.join(columns)} |"
    return "\n".join([f"**{title}** (accuracy, percent)", "", head, "|---|---|" + "---:|" * len(columns), *lines, ""])


def estimate(model: str, given: list[Any], chosen: Any, labels: Any, clusters: Clusters) -> tuple[float, str]:
    """The mean over runs of the stories that all were asked, and its interval."""
    asked = np.flatnonzero(chosen & np.all([run != NOT_ASKED for run in given], axis=0))
    if not len(asked):
        return 0.0, ""
    right = [(run == labels)[asked] for run in given]
    found = Scores.of(right, clusters=clusters.only(asked), trained=model.startswith("net:")).interval()
    ends = "" if found.few else f" [{100 * found.low:.1f}, {100 * found.high:.1f}]"
    once = "¹" if model.startswith("net:") and len(given) == 1 else ""
    return 100 * found.mean, f"{100 * found.mean:.1f}{once}{ends}"


# ---- from the folders of a study -------------------------------------------------------------------------------------


def collect(folders: Sequence[Path]) -> None:
    rows = list(pl.read_parquet(ANSWERS).iter_rows(named=True)) if ANSWERS.exists() else []
    known = {(row["model"], row["seed"]) for row in rows}
    for folder in folders:
        for path in sorted(folder.rglob("run.json")):
            note = read_json(path)
            name, seed = name_of(note), int(note["net"].get("seed", 0))
            row = None if (name, seed) in known else collected(path.parent, note)
            if row is not None:
                known.add((name, seed))
                rows.append({"model": name, "seed": seed, "predictions": row.tobytes()})
                print(f"{name} {seed}")
    if not rows:
        raise SystemExit("no run is complete")
    pl.DataFrame(rows).sort("model", "seed").write_parquet(ANSWERS, compression="zstd", compression_level=19)


def collected(run: Path, note: dict[str, Any]) -> Any:
    """The answers; nothing of a run that is not complete."""
    items = test_items((run / note["items"]).resolve())
    place = {item.id: n for n, item in enumerate(items)}
    row = np.full(len(items), NOT_ASKED, dtype=np.uint8)
    try:
        for answer in read_answers(run / "answers.jsonl"):
            choices = items[place[answer.item_id]].choices
            best = choices[int(np.argmax(answer.scores))] if answer.scores else None
            row[place[answer.item_id]] = NO_ANSWER if best is None else RELATIONS.index(best)
    except ProbandError:  # a run that is being written
        return None
    missing = int((row == NOT_ASKED).sum())
    wanted = int(note["settings"].get("asked", len(items)))
    return row if len(items) - missing == wanted else None


def name_of(note: dict[str, Any]) -> str:
    """A net by its kind and what is special about it, any other model by its name."""
    net = note["net"]
    if not net:
        return str(note["model"])
    options = net.get("options", {})
    if net["net"] == "gat" and options.get("hears") == "both":
        return "net:gat-both"
    if net["net"] == "rmc":
        return f"net:rmc (rate {options.get('rate', 0.001)}, warm-up {options.get('warmup', 0)})"
    return f"net:{net['net']}"


_ITEMS: dict[Path, list[Any]] = {}


def test_items(folder: Path) -> list[Any]:
    if folder not in _ITEMS:
        _ITEMS[folder] = [item for item in read_items(folder) if item.split == "test"]
        write_tests(_ITEMS[folder], read_json(folder / "manifest.json")["splits_sha256"]["test"])
    return _ITEMS[folder]


def write_tests(items: Sequence[Any], sha256: str) -> None:
    frame = pl.DataFrame(
        {
            "label": [RELATIONS.index(item.facts["target"]) for item in items],
            "k": [item.tags["k"] for item in items],
            "slice": [item.tags["slice"] for item in items],
            "clause": [item.facts["clusters"][0] for item in items],
            "sha256": [sha256] * len(items),
        },
        schema_overrides={"label": pl.UInt8, "k": pl.UInt8},
    )
    frame.write_parquet(TESTS, compression="zstd", compression_level=19)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
