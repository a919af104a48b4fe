"""Every table and figure of nets, on certified stories and on CLUTRR's releases, from the committed answers, in a minute on
a processor:

    python experiments/kinship/rebuild.py            # writes tables/
    python experiments/kinship/rebuild.py --check    # fails if one is not what the answers give

answers.parquet and tests.parquet are written by collect.py from the folders of `proband study kinship-certified`,
`kinship-released` and composer.toml. How the numbers come about says pooled.py; findings.py has the
thesis' claims, clutrr_releases.py the tables on CLUTRR's releases.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import clutrr_releases
from findings import findings, findings_of_ten
from pooled import KINDS, KS, System, Systems, figure, of, read

from proband.core.files import markdown_table
from proband.core.metrics import ACCURACY, Estimate
from proband.core.suite import Table
from proband.reporting.charts import line_plot, svg
from proband.reporting.numbers.score_tables import ScoreTable
from proband.suites.kinship.paper.comparisons import CELLS, THESIS
from proband.suites.kinship.paper.tables import thesis_noise

HERE = Path(__file__).parent
SHORTCUTS = ("generations", "ends", "genders", "positions", "words", "path", "kin-words", "near")
NOTE = (
    "Accuracy in percent. In brackets the 95 % interval over stories that share a clause and over training seeds "
    "(Proband's own, stats); ¹ one training seed for each set, whose chance is not in the interval; "
    "no interval: too few clauses to tell. *Left out*: trainings of a set beyond those that every set has. Under *sets* the means of the sets of stories. The best shortcut has learned from "
    "the stories that the nets were trained on (of k = 2, 3: on the test stories that were made with these)."
)
TABLES = {
    "figure3.5-k234": ("Figure 3.5: trained on k = 2, 3, 4", [("k234", "k234", "")]),
    "figure3.5-ten-k234": ("Figure 3.5, ten trainings of each net on k = 2, 3, 4", [("ten-k234", "k234", "")]),
    "figure3.5-ten-k23": ("Figure 3.5, ten trainings of each net on k = 2, 3", [("ten-k234", "k23", "")]),
    "figure3.5-k23": ("Figure 3.5: trained on k = 2, 3", [("k234", "k23", "")]),
    "reading": (
        "The same questions as stories, and as plain sentences: with facts from either side, and along the chain",
        [
            ("k234", "k234", "story, "),
            ("facts", "facts", "plain, "),
            ("facts-chain", "facts-chain", "plain along the chain, "),
        ],
    ),
    "sides": (
        "Facts from either side, and along the chain as in CLUTRR",
        [("k234", "k234", "either side, "), ("story-chain", "story-chain", "along the chain, ")],
    ),
    "structure": (
        "Trained on k = 2, 3: the same paraphrases in training and test, and held-out ones",
        [("same", "same", "same, "), ("k234", "k23", "held out, ")],
    ),
    "structure-ten": (
        "Ten trainings on k = 2, 3: the same paraphrases in training and test, and held-out ones",
        [("ten-same", "same", "same, "), ("ten-k23", "k23", "held out, ")],
    ),
    "wording": (
        "The crowd's wording beside ours: trained on → tested on",
        [
            ("k234", "k234", "ours → ours, "),
            ("crowd", "k234", "ours → the crowd's, "),
            ("k234", "crowd", "the crowd's → ours, "),
            ("crowd", "crowd", "the crowd's → the crowd's, "),
        ],
    ),
}
ONLY = {  # of these tables, the nets that have been trained both ways
    "reading": lambda systems: {m for t, _, m in systems if t in ("facts", "facts-chain")},
    "sides": lambda systems: {m for t, _, m in systems if t == "story-chain"},
    "wording": lambda systems: {m for t, on, m in systems if t == "crowd" and on},
}


def main(*, check: bool) -> int:
    systems = read(HERE)
    made = {f"{name}.md": by_k(systems, name) for name in TABLES}
    ten = {(test.removeprefix("ten-"), *rest): system for (test, *rest), system in systems.items() if "ten-" in test}
    for name, own in (("", systems), ("-ten", ten)):
        made[f"table3.8{name}.md"] = by_noise(own)
    made["findings.md"] = findings(systems)
    made["findings-ten.md"] = findings_of_ten(ten)
    for on, lengths in (("k234", "2, 3, 4"), ("k23", "2, 3")):
        made[f"figure3.5-ten-{on}.svg"] = drawn(ten, [*of(ten, "k234", on)], on, lengths)
    made |= clutrr_releases.tables(systems)
    for trained_on, lengths in (("k234", "2, 3, 4"), ("k23", "2, 3")):
        made[f"figure3.5-{trained_on}.svg"] = drawn(systems, [*of(systems, "k234", trained_on)], trained_on, lengths)
        release_name = f"released-{trained_on}"
        released = clutrr_releases.nets_of(systems, release_name)
        made[f"figure3.5-{release_name}.svg"] = drawn(systems, released, release_name, lengths)
    wrong = []
    for name, text in made.items():
        path = HERE / "tables" / name
        if check:
            wrong += [] if path.is_file() and path.read_text(encoding="utf-8") == text else [name]
        else:
            path.write_text(text, encoding="utf-8")
    if wrong:
        print(f"not what the answers give: {', '.join(wrong)}", file=sys.stderr)
    return int(bool(wrong))


def line(name: str, system: System) -> list[str]:
    sets = " / ".join(f"{100 * value:.1f}" for value in system.by_set())
    more = f" ({system.surplus} left out)" if system.surplus else ""
    count = f"{len(system.sets)} × {system.seeds}{more}" if system.trained else str(len(system.sets))
    return [name, count, *(figure(system, column) for column in system.test.order), figure(system), sets]


def by_k(systems: Systems, name: str) -> str:
    title, parts = TABLES[name]
    wanted = ONLY[name](systems) if name in ONLY else None
    body, tests = [], []
    for test, trained_on, before in parts:
        for system in of(systems, test, trained_on):
            if wanted is None or system.model in wanted:
                body.append(line(before + system.model, system))
                ten = "ten-" * test.startswith("ten-")
                learned = (
                    f"{ten}k23" if trained_on == "k23" else test
                )  # a shortcut learns from the same stories as nets
                tests += [learned] if learned not in tests else []
    for test in tests:
        body += [best_shortcut(systems, test, f"*best shortcut, {test}*" if len(tests) > 1 else "*best shortcut*")]
    head = ["model", "sets × seeds", *(f"k = {k}" for k in KS), "all", "sets"]
    return f"**{title}**\n\n{markdown_table(head, [row for row in body if row], right=len(head) - 1)}\n\n{NOTE}\n"


def best_shortcut(systems: Systems, test: str, name: str) -> list[str]:
    own = [systems[key] for short in SHORTCUTS if (key := (test, "", f"baseline:{short}")) in systems]
    if not own:
        return []
    order = (*own[0].test.order, None)
    values = [max(100 * system.value(column) for system in own) for column in order]
    return [name, "", *(f"*{value:.1f}*" for value in values), ""]


def by_noise(systems: Systems) -> str:
    """Table 3.8: the seven cells that the thesis prints with their average, then all sixteen."""
    nets = sorted({model for test, on, model in systems if test == "noise-test" and on})
    head = ["net", *(f"{trained} → {kind}" for trained, kind in CELLS), "average"]
    printed = []
    for net in nets:
        cells = [systems.get(("noise-test", "k23" if trained == "clean" else trained, net)) for trained, _ in CELLS]
        shown = [figure(system, kind) if system else "" for system, (_, kind) in zip(cells, CELLS)]
        known = [system.value(kind) for system, (_, kind) in zip(cells, CELLS) if system]
        average = f"{100 * sum(known) / len(known):.1f}" if len(known) == len(CELLS) else ""
        printed.append([net, *shown, average])
        if net in THESIS:
            figures = [thesis_noise().get((THESIS[net], *cell)) for cell in (*CELLS, ("", ""))]
            shown = [f"*{100 * f[0]:.0f} ± {100 * f[1]:.0f}*" if f else "" for f in figures]
            printed.append([f"*{THESIS[net]}, thesis (CLUTRR)*", *shown])
    printed.append(["*best shortcut*", _shortcut(systems), *[""] * len(CELLS)])
    whole = [
        line(f"{net}, trained on {kind}", system)
        for net in nets
        for kind in KINDS
        if (system := systems.get(("noise-test", "k23" if kind == "clean" else kind, net)))
    ]
    title = "**Table 3.8 on certified stories** (k = 2, 3; noise of 2 supporting, 1 irrelevant or 1 disconnected fact; trained on → tested on)"
    thesis = "The thesis' ± are standard deviations over ten sets of CLUTRR's stories; RN and BERT trained on clean stories are not readable in our copy. The best shortcut is counted on clean stories of k = 2, 3."
    full = markdown_table(["net", "sets × seeds", *KINDS, "all", "sets"], whole, right=7)
    return "\n\n".join([title, markdown_table(head, printed, right=len(CELLS) + 1), thesis, full, NOTE]) + "\n"


def _shortcut(systems: Systems) -> str:
    """Of clean stories of k = 2, 3, learned from the training stories of these lengths."""
    own = [systems[key] for short in SHORTCUTS if (key := ("k23", "", f"baseline:{short}")) in systems]
    return f"*{max(100 * system.value((2, 3)) for system in own):.1f}*" if own else ""


def drawn(systems: Systems, nets: list[System], trained_on: str, lengths: str) -> str:
    """Accuracy over k with the best shortcuts as lines, as reports draw it."""
    nets = [
        *nets,
        *(systems[key] for short in SHORTCUTS[:2] if (key := (trained_on, "", f"baseline:{short}")) in systems),
    ]
    layout = Table(name="figure3.5", title=f"Trained on k = {lengths}", rows=(), columns=("k",))
    labels = tuple(system.model for system in nets)
    rows = tuple(((), system.model, *(cell(system, k) for k in KS)) for system in nets)
    table = ScoreTable(
        name="figure3.5", title=layout.title, layout=layout, metric=ACCURACY, columns=tuple((k,) for k in KS), rows=rows,
        labels=labels, hues=range(len(nets)),
    )  # fmt: skip
    return svg(line_plot(table, 860.0), page=False, switched=False) + "\n"


def cell(system: System, k: int) -> Estimate:
    band, rows = system.interval(k), system.rows(k)
    return Estimate(
        metric="accuracy", group={"k": k}, mean=system.value(k), low=band.low, high=band.high, n=len(rows),
        few=band.few, seeds=system.seeds, chance=1 / 22,
    )  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    sys.exit(main(check=parser.parse_args().check))
