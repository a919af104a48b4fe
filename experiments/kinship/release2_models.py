"""The tables of models on release 2, from the committed answers:

    python experiments/kinship/release2_models.py                          # writes tables/release2-*.md and those of release2.md
    python experiments/kinship/release2_models.py --check                  # fails if they are not what the answers give
    python experiments/kinship/release2_models.py --keep RELEASE RUN MODEL SEED FOLDER    # a run in a few kB, to FOLDER
    python experiments/kinship/release2_models.py --collect RELEASE FOLDER                # takes these over
    python experiments/kinship/release2_models.py --added RELEASE RUN MODEL SEED ...      # the slices added later, of these runs
    python experiments/kinship/release2_models.py --narrow RELEASE FILE                   # stories of the wide world in the 22 relations

release2-answers.parquet has a row per run: model, training seed, and for each test story the number of the answered relation
(uint8, the order of `RELATIONS`; 22: cannot be told, 254: not asked, 255: no answer, which is wrong), the area under the ROC curve of the
preference for "cannot be told" (none where a model replies in words), and of extractors how many facts each story has, how many were read,
and how many of these are right. release2-tests.parquet has label, k, slice and clause in the same order, and the sha256 of the test split.
release2-added-answers.parquet and release2-added-tests.parquet are the same for the slices that were added later, with 1 for right and 0 for wrong.

Intervals are the package's: 95 %, stories of one clause count as one cluster, and the spread of training seeds is added.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
from release import NO_ANSWER, NOT_ASKED, Runs, table, with_tables

from proband.core.files import encode, read_answers, read_items, read_json
from proband.core.metrics import area_under_roc
from proband.core.statistics.clusters import Clusters
from proband.core.types import Item
from proband.stats import Scores
from proband.suites.kinship.generate.build import both_ways
from proband.suites.kinship.generate.release import load_release
from proband.suites.kinship.open_answers import VALUE, preference_for_open
from proband.suites.kinship.world.relations import INVERSE, NEUTRAL, RELATIONS, UNTOLD

HERE = Path(__file__).parent
ANSWERS, TESTS = HERE / "release2-answers.parquet", HERE / "release2-tests.parquet"
ADDED_ANSWERS, ADDED_TESTS = HERE / "release2-added-answers.parquet", HERE / "release2-added-tests.parquet"
CARD = HERE / "release2.md"
WORDS = (*RELATIONS, UNTOLD)
OPEN = WORDS.index(UNTOLD)
SLICES = ("clean", "known-constructions", "plain", "long", "noise", "balanced", "abstention", "either", "both")
PAIRED = 132  # questions of each length that are told in three ways
DRAWS = 20
LEVELS = (0.1, 0.5, 0.9)


def main(arguments: Sequence[str]) -> int:
    if "--keep" in arguments:
        keep(*map(Path, arguments[1:3]), arguments[3], int(arguments[4]), Path(arguments[5]))
        return 0
    if "--collect" in arguments:
        collect(*map(Path, arguments[1:3]))
        return 0
    if "--added" in arguments:
        collect_added(Path(arguments[1]), arguments[2:])
        return 0
    if "--narrow" in arguments:
        narrow(*map(Path, arguments[1:3]))
        return 0
    made = tables() | added_tables()
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
    answers = pl.read_parquet(ANSWERS).sort("model", "seed")
    runs: Runs = defaultdict(list)
    for row in answers.iter_rows(named=True):
        runs[row["model"]].append(np.frombuffer(row["predictions"], dtype=np.uint8))
    labels, k, part = test["label"].to_numpy(), test["k"].to_numpy(), test["slice"].to_numpy()
    clusters = Clusters.of([(clause,) for clause in test["clause"]])
    own = {name: part == name for name in SLICES}
    lengths = {**{f"k = {n}": own["clean"] & (k == n) for n in range(2, 11)}, "all": own["clean"]}
    lengths |= {f"long, {a} to {b}": own["long"] & (k >= a) & (k <= b) for a, b in ((11, 15), (16, 20))}
    fooled, shortcuts = {}, {}
    for name, chosen in own.items():
        best = max(
            (model for model in runs if model.startswith("baseline:")),
            key=lambda model: (float(np.mean((runs[model][0] == labels)[chosen])), model == "baseline:path"),
        )
        shortcuts[name] = best
        wrong = chosen & (runs[best][0] != labels)
        fooled[f"{name}: not {best.removeprefix('baseline:')} ({int(wrong.sum()):,})"] = wrong
    title = "Release 2, where the best shortcut of each slice is wrong (which, and on how many stories)"
    return {
        "release2-slices": table("Release 2, by slice", runs, own, labels, clusters),
        "release2-fooled": table(title, runs, fooled, labels, clusters),
        "release2-above": above(runs, own, shortcuts, labels, clusters),
        "release2-k": table("Release 2, clean and long, by number of facts", runs, lengths, labels, clusters),
        "release2-abstention": abstention(answers, test, clusters),
        "release2-wording": wording(runs, test, clusters),
        "release2-facts-read": reading(answers, test, clusters),
        "release2-precision": precision(runs, own, labels, test),
    }


def added_tables() -> dict[str, str]:
    test = pl.read_parquet(ADDED_TESTS)
    runs: Runs = defaultdict(list)
    for row in pl.read_parquet(ADDED_ANSWERS).sort("model", "seed").iter_rows(named=True):
        runs[row["model"]].append(np.frombuffer(row["right"], dtype=np.uint8))
    part, labels = test["slice"].to_numpy(), np.ones(len(test), dtype=np.uint8)
    own = {name: part == name for name in test["slice"].unique(maintain_order=True)}
    clusters = Clusters.of([(clause,) for clause in test["clause"]])
    return {
        "release2-added": table("Release 2, slices added later", runs, own, labels, clusters),
        "release2-added-precision": precision(runs, own, labels, test),
    }


def above(runs: Runs, own: dict[str, Any], shortcuts: dict[str, str], labels: Any, clusters: Clusters) -> str:
    """Every model less the best shortcut of each slice, story by story."""
    rows = []
    for model in runs:
        if model.startswith(("baseline:", "solver:")):
            continue
        cells, sure = [], 0
        for name, chosen in own.items():
            at = np.flatnonzero(chosen & np.all([run != NOT_ASKED for run in runs[model]], axis=0))
            if not len(at):
                cells.append("")
                continue
            near = clusters.only(at)
            mine = Scores.of(
                [(run == labels)[at] for run in runs[model]], clusters=near, trained=model.startswith("net:")
            )
            other = Scores.of([(runs[shortcuts[name]][0] == labels)[at]], clusters=near)
            found = mine.minus(other)
            sure += found.low > 0
            mark = "**" if found.low > 0 else ""
            cells.append(f"{mark}{100 * found.value:+.1f}{mark} [{100 * found.low:+.1f}, {100 * found.high:+.1f}]")
        rows.append((sure, f"| {model} | {len(runs[model])} | {' | '.join(cells)} |"))
    head = " | ".join(f"{name}: {shortcuts[name].removeprefix('baseline:')}" for name in own)
    title = "**Release 2, models less the best shortcut of each slice** (points, 95 % interval; bold: surely above)"
    lines = [line for _, line in sorted(rows, key=lambda row: -row[0])]
    return "\n".join([title, "", f"| model | runs | {head} |", "|---|---|" + "---:|" * len(own), *lines, ""])


def abstention(answers: pl.DataFrame, test: pl.DataFrame, clusters: Clusters) -> str:
    """What is done where nothing follows, on the stories of the slice that all runs of a model were asked."""
    labels, chosen = test["label"].to_numpy(), test["slice"].to_numpy() == "abstention"
    rows = []
    for (model,), group in answers.group_by("model", maintain_order=True):
        said = [np.frombuffer(each, dtype=np.uint8) for each in group["predictions"]]
        asked = np.flatnonzero(chosen & np.all([each != NOT_ASKED for each in said], axis=0))
        if not len(asked):
            continue
        truth = labels[asked] == OPEN
        outcomes = [outcome(each[asked], labels[asked]) for each in said]
        near = clusters.only(asked)
        shares = [
            interval([each[of] == name for each in outcomes], near.only(np.flatnonzero(of)), str(model))
            for name, of in (
                ("right", ~truth), ("abstained wrongly", ~truth), ("abstained rightly", truth), ("guessed", truth),
            )
        ]  # fmt: skip
        points = [np.array([VALUE[name] for name in each]) for each in outcomes]
        found = Scores.of(points, clusters=near, trained=str(model).startswith("net:"), share=False).interval()
        ends = "" if found.few else f" [{found.low:.2f}, {found.high:.2f}]"
        rows.append(
            (
                found.mean,
                [
                    str(model),
                    str(len(asked)),
                    *shares,
                    f"{found.mean:.2f}{ends}",
                    areas_in_words(group["auc"].to_list()),
                ],
            )
        )
    n = 23
    guess = np.mean([((2 if label == OPEN else 3) - n) / n for label in labels[chosen]])
    always = np.mean([1.0 if label == OPEN else 0.0 for label in labels[chosen]])
    rows += [
        (float(guess), ["*a guess*", "", "4.3", "4.3", "4.3", "95.7", f"{guess:.2f}", "50"]),
        (float(always), ["*cannot be told, always*", "", "0", "100", "100", "0", f"{always:.2f}", "50"]),
    ]
    head = ["model", "asked", "right", "abstained wrongly", "abstained rightly", "guessed", "score", "AUC"]
    lines = [f"| {' | '.join(cells)} |" for _, cells in sorted(rows, key=lambda row: -row[0])]
    title = "**Release 2, abstention: where the answer follows, and where it cannot be told** (percent; score of -1 to 1; AUC in percent)"
    return "\n".join([title, "", f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1), *lines, ""])


def outcome(said: Any, labels: Any) -> Any:
    right, opened = said == labels, labels == OPEN
    follows = np.where(right, "right", np.where(said == OPEN, "abstained wrongly", "wrong"))
    return np.where(opened, np.where(right, "abstained rightly", "guessed"), follows)


def areas_in_words(areas: Sequence[float | None]) -> str:
    known = [each for each in areas if each is not None]
    if not known:
        return ""
    return f"{np.mean(known):.1f}" + (f" ({min(known):.1f} to {max(known):.1f})" if len(known) > 1 else "")


def interval(right: Sequence[Any], near: Clusters, model: str) -> str:
    found = Scores.of(list(right), clusters=near, trained=model.startswith("net:")).interval()
    return f"{100 * found.mean:.1f}" + ("" if found.few else f" [{100 * found.low:.1f}, {100 * found.high:.1f}]")


def wording(runs: Runs, test: pl.DataFrame, clusters: Clusters) -> str:
    """The same questions in other words, paired; for models that were asked all of them."""
    labels, k, part = (test[name].to_numpy() for name in ("label", "k", "slice"))
    places = {
        name: np.concatenate([np.flatnonzero((part == name) & (k == n))[:PAIRED] for n in range(2, 11)])
        for name in ("clean", "known-constructions", "plain")
    }
    shared = clusters.only(places["clean"])
    lines = []
    for model in sorted(name for name in runs if name.startswith("net:")):
        right = {
            name: Scores.of([(run == labels)[at] for run in runs[model]], clusters=shared, trained=True)
            for name, at in places.items()
        }
        cells = []
        for name in ("known-constructions", "plain"):
            found = right[name].minus(right["clean"])
            cells.append(f"{100 * found.value:+.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}]")
        lines.append(f"| {model} | {len(runs[model])} | {100 * right['clean'].value:.1f} | {' | '.join(cells)} |")
    head = "| model | runs | clean | known-constructions − clean | plain − clean |"
    title = f"**Release 2, the same {len(places['clean']):,} questions in other words** (points, 95 % interval)"
    return "\n".join([title, "", head, "|---|---|---:|---:|---:|", *lines, ""])


def reading(answers: pl.DataFrame, test: pl.DataFrame, clusters: Clusters) -> str:
    """What the extractors read of the facts, by slice: all facts of a story and no other; of the facts, of what was read."""
    part, lines = test["slice"].to_numpy(), []
    for (model,), group in answers.filter(pl.col("told_read_both").is_not_null()).group_by(
        "model", maintain_order=True
    ):
        counts = [np.frombuffer(each, dtype=np.uint8).reshape(-1, 3).astype(int) for each in group["told_read_both"]]
        for name in SLICES:
            at = np.flatnonzero(part == name)
            whole = [(each[at, 0] == each[at, 2]) & (each[at, 1] == each[at, 2]) for each in counts]
            told, read, both = (sum(int(each[at, column].sum()) for each in counts) for column in range(3))
            cells = (
                interval(whole, clusters.only(at), str(model)),
                f"{100 * both / told:.1f}",
                f"{100 * both / max(read, 1):.1f}",
            )
            lines.append(f"| {model} | {len(counts)} | {name} | {' | '.join(cells)} |")
    head = "| model | runs | slice | stories read whole | of the facts | of what was read |"
    return "\n".join(
        ["**Release 2, what trained readers read** (percent)", "", head, "|---|---|---|---:|---:|---:|", *lines, ""]
    )


def precision(runs: Runs, own: dict[str, Any], labels: Any, test: pl.DataFrame) -> str:
    """± by slice at three scores: if a clause is right or wrong as a whole, if stories are right independently, and as
    measured by the run whose score is nearest."""
    lines = []
    two_ways = [(name, "ways") for name in own if name.startswith(("either", "both"))]
    for name, by in [*((name, "clause") for name in own), *two_ways]:
        at = np.flatnonzero(own[name])
        names = test[by].to_numpy()[at]
        near = Clusters.of([(each,) for each in names])
        cells = [f"{len(at):,}", f"{len(set(names)):,}"]
        for level in LEVELS:
            whole = np.mean([half(level, names, near, seed) for seed in range(DRAWS)])
            alone = np.mean([half(level, np.arange(len(at)), near, seed) for seed in range(DRAWS)])
            cells.append(f"{whole:.1f} / {alone:.1f} / {measured(level, runs, at, labels, near)}")
        cells.append(widest(runs, at, labels, near))
        lines.append(f"| {name}{', both ways' if by == 'ways' else ''} | {' | '.join(cells)} |")
    title = "**Release 2, ± of a score of 10, 50 and 90 %** (half of a 95 % interval by clause, points: clauses right or wrong as a whole / every story for itself / as measured at the score in brackets)"
    head = "| slice | stories | clauses | at 10 % | at 50 % | at 90 % | largest measured |"
    return "\n".join([title, "", head, "|---|---:|---:|---:|---:|---:|---:|", *lines, ""])


def half(level: float, together: Any, near: Clusters, seed: int) -> float:
    """Half the interval where what has the same name in `together` is right or wrong together."""
    rng = np.random.default_rng(seed)
    names, which = np.unique(together, return_inverse=True)
    found = Scores.of([rng.random(len(names))[which] < level], clusters=near).interval()
    return 50 * (found.high - found.low)


def measured(level: float, runs: Runs, at: Any, labels: Any, near: Clusters) -> str:
    """Of the model that was asked the whole slice and whose score is nearest, if it is within 6 points."""
    asked = {model: given[0][at] for model, given in runs.items() if (given[0][at] != NOT_ASKED).all()}
    means = {model: float(np.mean(said == labels[at])) for model, said in asked.items()}
    nearest = min(means, key=lambda model: abs(means[model] - level))
    if abs(means[nearest] - level) > 0.06:
        return "none"
    found = Scores.of([asked[nearest] == labels[at]], clusters=near).interval()
    return f"{50 * (found.high - found.low):.1f} ({100 * means[nearest]:.0f} %)"


def widest(runs: Runs, at: Any, labels: Any, near: Clusters) -> str:
    """The largest of any model that was asked the whole slice, and its score; where a clause has six stories or more,
    also what is left of it if the clauses of the slice are all that there are, so that stories alone are a sample."""
    found = []
    for model, given in runs.items():
        if (given[0][at] != NOT_ASKED).all():
            right = given[0][at] == labels[at]
            score = Scores.of([right], clusters=near).interval()
            shares = [right[near.code == code] for code in range(near.code.max() + 1)]
            within = sum(len(each) * each.var() * len(each) / max(len(each) - 1, 1) for each in shares)
            found.append((50 * (score.high - score.low), score.mean, model, 196 * within**0.5 / len(at)))
    most, mean, model, within = max(found)
    fixed = f"; clauses fixed: {within:.1f}" if np.bincount(near.code).min() >= 6 else ""
    return f"{most:.1f} ({model}, {100 * mean:.0f} %{fixed})"


# ---- from the folders of runs ----------------------------------------------------------------------------------------


def frozen_tests(release: Path) -> list[Item]:
    """The test stories, without the slices that were added later."""
    return [item for item in read_items(release) if item.split == "test" and item.tags["slice"] in SLICES]


def keep(release: Path, run: Path, model: str, seed: int, out: Path) -> None:
    """The answers of a run, in a file of one row."""
    items = {item.id: (n, item) for n, item in enumerate(frozen_tests(release))}
    said = np.full(len(items), NOT_ASKED, dtype=np.uint8)
    records = list[tuple[float, float]]()
    facts = np.zeros((len(items), 3), dtype=np.uint8)
    for answer in read_answers(run / "answers.jsonl"):
        if answer.item_id not in items:
            continue  # of a slice that was added later
        n, item = items[answer.item_id]
        best = WORDS.index(item.choices[int(np.argmax(answer.scores))]) if answer.scores else NO_ANSWER
        said[n] = NO_ANSWER if answer.status else best
        found = preference_for_open(item, answer)
        records += [] if found is None else [found]
        if "extractor" in model:
            facts[n] = read_facts(item.facts["edges"], answer.text or "")
    row = {
        "model": model, "seed": seed, "note": json.dumps(read_json(run / "run.json")),
        "predictions": said.tobytes(), "auc": area(records) if read_json(run / "run.json")["solver"] != "generate" else None, "told_read_both": facts.tobytes(),
    }  # fmt: skip
    out.mkdir(parents=True, exist_ok=True)
    name = "".join(c if c.isalnum() or c in "-." else "_" for c in f"{model}-{seed}")
    pl.DataFrame([row]).write_parquet(out / f"{name}.parquet")


def area(records: Sequence[tuple[float, float]]) -> float | None:
    """How well the preference for "cannot be told" tells the open stories apart, in percent."""
    table = np.array(records)
    return 100 * float(area_under_roc(table, np.ones(len(table)))) if len(table) else None


def read_facts(edges: Sequence[tuple[int, str, int]], text: str) -> tuple[int, int, int]:
    """How many facts are told, how many were read, and how many of these are told.

    >>> read_facts([(1, "son", 0), (1, "aunt", 2)], "0 mother 1; 0 wife 2")
    (2, 2, 1)
    """
    told = {(i, NEUTRAL[word], j) if i < j else (j, INVERSE[NEUTRAL[word]], i) for i, word, j in edges}
    parts = [fact.split(" ") for fact in text.split("; ") if fact]
    read = {(int(i), NEUTRAL[word], int(j)) for i, word, j in parts}
    return len(told), len(read), len(told & read)


def collect(release: Path, folder: Path) -> None:
    items = frozen_tests(release)
    sha256 = read_json(release / "manifest.json")["splits_sha256"]["test"]
    if sha256 != load_release(2).sha256["test"]:
        raise SystemExit(f"{release} is not the frozen release 2")
    frame = {
        "label": [WORDS.index(item.facts["target"]) for item in items],
        "k": [item.tags["k"] for item in items],
        "slice": [item.tags["slice"] for item in items],
        "clause": [item.facts["clusters"][0] for item in items],
        "ways": [both_ways(item) for item in items],
        "sha256": [sha256] * len(items),
    }
    types = {"label": pl.UInt8, "k": pl.UInt8}
    pl.DataFrame(frame, schema_overrides=types).write_parquet(TESTS, compression="zstd", compression_level=19)
    rows = [row for path in sorted(folder.glob("*.parquet")) for row in pl.read_parquet(path).iter_rows(named=True)]
    for row in rows:
        row["told_read_both"] = row["told_read_both"] if "extractor" in row["model"] else None
        note = json.loads(row["note"])
        kept = {name: note["identity"].get(name) for name in ("weights", "dtype") if name in note["identity"]}
        kept |= {"options": note["net"].get("options"), "settings": note["settings"], "versions": note["versions"]}
        row["note"] = json.dumps(kept)
    pl.DataFrame(rows).sort("model", "seed").write_parquet(ANSWERS, compression="zstd", compression_level=19)
    print(Counter(row["model"] for row in rows))


def collect_added(release: Path, runs: Sequence[str]) -> None:
    """The stories of the slices that were added later, and which of them these runs (folder, model, seed) have right.
    What was collected before stays: of slices that the folder does not have, and of runs that are not named."""
    frozen = load_release(2)
    slices = {name: parts for name, parts in frozen.pieces.items() if parts[0].added}
    items: dict[str, list[Item]] = defaultdict(list)
    for item in read_items(release):
        if item.tags["slice"] in slices:
            items[str(item.tags["slice"])].append(item)
    for name, own in items.items():
        lines = b"".join(encode(item) + b"\n" for item in own)
        if hashlib.sha256(lines).hexdigest() != frozen.sha256[name]:
            raise SystemExit(f"{release}: slice {name} is not the frozen one")
    before = pl.read_parquet(ADDED_TESTS) if ADDED_TESTS.is_file() else pl.DataFrame({"slice": []})
    frames = [added_stories(items[n]) if n in items else before.filter(pl.col("slice") == n) for n in slices]
    stories = pl.concat([frame for frame in frames if len(frame)])
    starts = {name: stories["slice"].to_list().index(name) for name in stories["slice"].unique()}
    rights: dict[tuple[str, int], Any] = defaultdict(lambda: np.full(len(stories), NOT_ASKED, dtype=np.uint8))
    for row in pl.read_parquet(ADDED_ANSWERS).iter_rows(named=True) if ADDED_ANSWERS.is_file() else ():
        known = np.frombuffer(row["right"], dtype=np.uint8)
        for name in before["slice"].unique():
            own = known[(before["slice"] == name).to_numpy()]
            rights[row["model"], row["seed"]][starts[name] : starts[name] + len(own)] = own
    places = {item.id: (starts[name] + n, item.gold) for name, own in items.items() for n, item in enumerate(own)}
    for run, model, seed in zip(*[iter(runs)] * 3, strict=True):
        right = rights[model, int(seed)]  # of several runs, if slices were asked one by one
        for answer in read_answers(Path(run) / "answers.jsonl"):
            n, gold = places[answer.item_id]
            right[n] = not answer.status and bool(answer.scores) and int(np.argmax(answer.scores)) == gold
    stories.write_parquet(ADDED_TESTS, compression="zstd", compression_level=19)
    rows = [{"model": model, "seed": seed, "right": right.tobytes()} for (model, seed), right in rights.items()]
    pl.DataFrame(rows).sort("model", "seed").write_parquet(ADDED_ANSWERS, compression="zstd", compression_level=19)


def added_stories(items: Sequence[Item]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "k": [item.tags["k"] for item in items],
            "slice": [item.tags["slice"] for item in items],
            "clause": [item.facts["clusters"][0] for item in items],
            "ways": [both_ways(item) for item in items],
        }
    )


def narrow(release: Path, out: Path) -> None:
    """The stories of the wide world with facts and an answer of the 22 relations, which are its first choices, and no
    other choices: nets that know no others can be asked them."""
    with out.open("wb") as file:
        for item in read_items(release):
            words = [*(edge[1] for edge in item.facts["edges"]), item.facts["target"]]
            if item.split == "test" and "great-grandfather" in item.choices and set(words) <= set(RELATIONS):
                gold = RELATIONS.index(item.facts["target"])
                file.write(encode(msgspec.structs.replace(item, choices=RELATIONS, gold=gold)) + b"\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
