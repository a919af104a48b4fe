"""The tables of nets on CLUTRR's own releases, from the committed answers: `tables(systems)`, called by rebuild.py.

Each release has its own training and test stories, so nets of two releases are not compared in pairs. Numbers are those of
pooled.py with one set of stories; a verdict of the audit is a column like a k.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from findings import BERTS, EQUAL, READERS, Finding, finding_of, level_of, pair, sides, table_of
from pooled import KINDS, KS, System, Systems, figure, of

from proband.core.text import markdown_table
from proband.suites.kinship.paper.noise import THESIS
from proband.suites.kinship.baselines import thesis_noise

REGIMES = {"released-k23": "2, 3 (`data_089907f8`)", "released-k234": "2, 3, 4 (`data_db9b8f04`)"}
TEXT = (*READERS, "rmc", *BERTS)
VERDICTS = ("entailed", "ambiguous", "false", "inconsistent")
SHORTCUTS = ("generations", "ends", "path", "genders", "positions", "words")
NOTE = (
    "Accuracy in percent. In brackets the 95 % interval over stories that share a clause and over training seeds "
    "(Proband's own, core/statistics); ¹ one training seed, whose chance is not in the interval; no interval: too few clauses to "
    "tell. Everybody's gender is given. The best shortcut has learned from the training stories."
)


def tables(systems: Systems) -> dict[str, str]:
    made = {f"figure3.5-{regime}.md": by_k(systems, regime) for regime in REGIMES}
    made |= {f"table3.8-released-{kind}.md": by_kind(systems, kind) for kind in KINDS}
    made["released-verdicts.md"] = by_verdict(systems)
    known = [finding for finding in (*_length(systems), *_noise(systems)) if finding.tests]
    made["released-findings.md"] = table_of(known, "Findings on CLUTRR's releases", FINDINGS)
    return made


def line(name: str, system: System, columns: Sequence[object]) -> list[str]:
    seeds = str(system.seeds) if system.trained else ""
    return [name, seeds, *(figure(system, column) for column in columns), figure(system)]


def shortcuts(systems: Systems, test: str) -> list[System]:
    return [systems[key] for name in SHORTCUTS if (key := (test, "", f"baseline:{name}")) in systems]


def best_shortcut(systems: Systems, test: str, columns: Iterable[object]) -> list[str]:
    own = shortcuts(systems, test)
    values = [max(100 * system.value(column) for system in own) for column in (*columns, None)]
    return ["*best shortcut*", "", *(f"*{value:.1f}*" for value in values)]


def by_k(systems: Systems, regime: str) -> str:
    nets = [*of(systems, regime, regime)]
    body = [line(system.model, system, KS) for system in nets]
    body += [line(system.model, system, KS) for system in shortcuts(systems, regime)]
    body.append(best_shortcut(systems, regime, KS))
    counts = ["*stories, clauses*", "", *(_counts(nets[0], k) for k in KS), _counts(nets[0], None)]
    head = ["model", "seeds", *(f"k = {k}" for k in KS), "all"]
    title = f"Figure 3.5 on CLUTRR's release, trained on k = {REGIMES[regime]}"
    return f"**{title}**\n\n{markdown_table(head, [*body, counts], right=len(head) - 1)}\n\n{NOTE}\n"


def _counts(system: System, column: object) -> str:
    rows = system.rows(column)
    return f"*{len(rows)}, {len(set(system.test.clusters.code[rows].tolist()))}*"


def by_kind(systems: Systems, kind: str) -> str:
    test = f"released-{kind}"
    nets = [*of(systems, test, test)]
    body = []
    for system in nets:
        body.append(line(system.model, system, KINDS))
        if system.model in THESIS:
            cells = [thesis_noise().get((THESIS[system.model], kind, each)) for each in KINDS]
            shown = [f"*{100 * cell[0]:.0f} ± {100 * cell[1]:.0f}*" if cell else "" for cell in cells]
            body += [[f"*{THESIS[system.model]}, thesis*", "*10*", *shown, ""]] if any(shown) else []
    body.append(best_shortcut(systems, test, KINDS))
    body.append(["*stories, clauses*", "", *(_counts(nets[0], each) for each in KINDS), _counts(nets[0], None)])
    head = ["model", "seeds", *KINDS, "all"]
    title = f"Table 3.8 on CLUTRR's release, trained on {kind} stories (k = 2, 3)"
    return f"**{title}**\n\n{markdown_table(head, body, right=len(head) - 1)}\n\n{NOTE}\n"


def by_verdict(systems: Systems) -> str:
    """Accuracy by what the audit says of the label."""
    parts = []
    for regime, lengths in REGIMES.items():
        nets = [_judged(system) for system in of(systems, regime, regime)]
        body = [line(system.model, system, VERDICTS) for system in nets]
        body += [line(system.model, _judged(system), VERDICTS) for system in shortcuts(systems, regime)[:1]]
        body.append(["*stories, clauses*", "", *(_counts(nets[0], each) for each in VERDICTS), _counts(nets[0], None)])
        head = ["model", "seeds", *VERDICTS, "all"]
        parts.append(f"**By what the audit says of the label, trained on k = {lengths}**")
        parts.append(markdown_table(head, body, right=len(head) - 1))
    return "\n\n".join([*parts, NOTE]) + "\n"


def _judged(system: System) -> System:
    assert system.test.verdicts is not None
    test = replace(system.test, columns=system.test.verdicts, known={})
    return System(test, system.trained_on, system.model, system.runs)


# ---- findings ----------------------------------------------------------------------------------------------------------

FINDINGS = (
    "Stories of one release, clustered by clause, and training seeds; p after Holm over this table. A *¹* marks what is not decided: "
    "too few clauses, or nets trained once. Nets of two releases have other test stories: what longer training stories add is not "
    "tested here."
)


def _length(systems: Systems) -> Iterator[Finding]:
    for regime, lengths in (("released-k23", "k = 2, 3"), ("released-k234", "k = 2, 3, 4")):

        def net(name: str, regime: str = regime) -> System | None:
            return systems.get((regime, regime, name))

        yield finding_of(
            f"GAT is near-perfect at k = 3 (95 % or more), trained on {lengths}",
            "3.5.1",
            [level_of(net("gat"), 3, 0.95)],
        )
        for name in (*TEXT, "gat"):
            text = f"{name}: accuracy falls with length (k = 2, 3 against 9, 10), trained on {lengths}"
            yield finding_of(text, "3.5.1", [sides(net(name), (2, 3), (9, 10))])
        text = f"GAT is above every text model, trained on {lengths}"
        yield finding_of(text, "3.5.1, 3.5.2", [pair(net("gat"), net(name)) for name in TEXT])
        others = [name for name in TEXT if name != "bert-lstm"]
        text = f"BERT-LSTM is the best text model, trained on {lengths}"
        yield finding_of(text, "3.5.1", [pair(net("bert-lstm"), net(name)) for name in others])
        own = shortcuts(systems, regime)
        best = max(own, key=lambda system: system.value(), default=None)
        for name in (
            "composer",
            "edge-transformer",
            "edge-transformer-small",
            "bert-extractor",
            "extractor",
            "gat",
            *TEXT,
        ):
            yield finding_of(
                f"{name} is above the best shortcut over all k, trained on {lengths}", "ours", [pair(net(name), best)]
            )


def _noise(systems: Systems) -> Iterator[Finding]:
    def net(name: str) -> System | None:
        return systems.get(("released-clean", "released-clean", name))

    source = "3.5.3, table 3.8"
    yield finding_of("gat falls when supporting facts are added", source, [sides(net("gat"), "clean", "supporting")])
    text = "gat does not fall when disconnected facts are added (within 5 points)"
    yield finding_of(text, source, [sides(net("gat"), "disconnected", "clean", -EQUAL)])
    for kind in ("supporting", "irrelevant"):
        for name in READERS:
            yield finding_of(f"{name} gains when {kind} facts are added", source, [sides(net(name), kind, "clean")])
