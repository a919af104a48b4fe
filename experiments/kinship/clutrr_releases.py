"""The tables of nets on CLUTRR's own releases, from the committed answers: `tables(systems)`, called by rebuild.py.

Each release has its own training and test stories, so nets of two releases are not compared in pairs. Numbers are those
of pooled.py with one set of stories; a verdict of the audit is a column like a k. Nets that were given nobody's gender
(`NET-no-genders`), and GAT with other settings, have tables of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from findings import BERTS, EQUAL, READERS, Finding, finding_of, level_of, pair, sides, table_of
from pooled import KINDS, KS, System, Systems, decided, figure, of, paired

from proband.core.files import markdown_table
from proband.core.suite import Published
from proband.suites.kinship.paper.comparisons import THESIS
from proband.suites.kinship.paper.tables import K23, K234, published, thesis_noise

REGIMES = {"released-k23": "2, 3 (`data_089907f8`)", "released-k234": "2, 3, 4 (`data_db9b8f04`)"}
FINGERPRINTS = {"released-k23": K23, "released-k234": K234}
TEXT = (*READERS, "rmc", *BERTS)
BEYOND = (
    "composer",
    "composer-no-converses",
    "edge-transformer",
)
NO_GENDERS = "-no-genders"
R5 = "GAT (uclnlp/ctp)"
VERDICTS = ("entailed", "ambiguous", "false", "inconsistent")
SHORTCUTS = ("generations", "ends", "path", "kin-words", "near", "genders", "positions", "words")
INTERVALS = (
    "Accuracy in percent. In brackets the 95 % interval over stories that share a clause and over training seeds "
    "(Proband's own, stats); ¹ one training seed, whose chance is not in the interval; no interval: too few clauses to "
    "tell."
)
SHORTCUT = "The best shortcut has learned from the training stories."
NOTE = f"{INTERVALS} Everybody's gender is given. {SHORTCUT}"
PUBLISHED = (
    "In italics published figures, which have no intervals: people (table 3.2 of the thesis, a sample of unknown size), GAT of "
    "uclnlp/ctp (R5, Lu et al. 2022, table 2) and one run of CTP (its README). The thesis draws figure 3.5 without numbers."
)


def tables(systems: Systems) -> dict[str, str]:
    made = {f"figure3.5-{regime}.md": by_k(systems, regime) for regime in REGIMES}
    made |= {f"no-genders-{regime}.md": without_genders(systems, regime) for regime in REGIMES}
    made |= {f"table3.8-released-{kind}.md": by_kind(systems, kind) for kind in KINDS}
    made["released-verdicts.md"] = by_verdict(systems)
    given = [finding for finding in (*_length(systems), *_noise(systems)) if finding.tests]
    made["released-findings.md"] = table_of(given, "Findings on CLUTRR's releases", FINDINGS)
    other = [*_length(systems, NO_GENDERS), *_genders(systems)]
    title = "Findings on CLUTRR's releases with nobody's gender given"
    made["no-genders-findings.md"] = table_of([finding for finding in other if finding.tests], title, FINDINGS)
    return made


def nets_of(systems: Systems, regime: str) -> list[System]:
    """Nets with the settings of `kinship-released`, the best first."""
    every = of(systems, regime, regime)
    return [net for net in every if not net.model.endswith(NO_GENDERS)]


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
    body = [line(system.model, system, KS) for system in nets_of(systems, regime)]
    head = ["model", "seeds", *(f"k = {k}" for k in KS), "all"]
    title = f"Figure 3.5 on CLUTRR's release, trained on k = {REGIMES[regime]}"
    table = markdown_table(head, [*body, *_beside(systems, regime)], right=len(head) - 1)
    return f"**{title}**\n\n{table}\n\n{NOTE} {PUBLISHED}\n"


def _beside(systems: Systems, regime: str) -> Iterator[list[str]]:
    """Shortcuts, published figures, and how many stories and clauses there are."""
    own = shortcuts(systems, regime)
    yield from (line(system.model, system, KS) for system in own)
    yield best_shortcut(systems, regime, KS)
    for model in dict.fromkeys(each.model for each in published() if _measured_on(each, regime)):
        values = _published(model, regime)
        yield [f"*{model}*", "", *(f"*{values[k]:.1f}*" if k in values else "" for k in KS), ""]
    yield ["*stories, clauses*", "", *(_counts(own[0], k) for k in KS), _counts(own[0], None)]


def _measured_on(figure: Published, regime: str) -> bool:
    return "k" in figure.group and FINGERPRINTS[regime] in figure.on.fingerprints


def _published(model: str, regime: str) -> dict[object, float]:
    every = (each for each in published() if each.model == model and _measured_on(each, regime))
    return {each.group["k"]: 100 * each.value for each in every}


def without_genders(systems: Systems, regime: str) -> str:
    """Figure 3.5 with nobody's gender given, each net beside the same with everybody's."""
    body = []
    for system in of(systems, regime, regime):
        if system.model.endswith(NO_GENDERS):
            name = system.model.removesuffix(NO_GENDERS)
            given = systems[regime, regime, name]
            body.append([*line(f"{name}, none given", system, KS), change(system, given)])
            body.append([*line(f"{name}, given", given, KS), ""])
    body += [[*row, ""] for row in _beside(systems, regime)]
    head = ["model, genders", "seeds", *(f"k = {k}" for k in KS), "all", "none given − given"]
    title = f"Figure 3.5 on CLUTRR's release with nobody's gender given, trained on k = {REGIMES[regime]}"
    note = f"{INTERVALS} The last column is over all k, in points, before any correction. {SHORTCUT} {PUBLISHED}"
    return f"**{title}**\n\n{markdown_table(head, body, right=len(head) - 1)}\n\n{note}\n"


def change(system: System, other: System) -> str:
    """The difference over all stories with its interval, in points."""
    both = paired(system, other)
    band = f" [{100 * both.low:+.1f}, {100 * both.high:+.1f}]" if decided(both) else ""
    return f"{100 * both.value:+.1f}{band}"


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
    """Accuracy by the audit verdict on the label."""
    parts = []
    for regime, lengths in REGIMES.items():
        nets = nets_of(systems, regime)
        nets += [system for system in of(systems, regime, regime) if system.model.endswith(NO_GENDERS)]
        nets += [
            system for system in shortcuts(systems, regime) if system.model in ("baseline:generations", "baseline:path")
        ]
        body = [line(system.model, _judged(system), VERDICTS) for system in nets]
        body.append(_verdict_counts(nets[0]))
        head = ["model", "seeds", *VERDICTS, "all"]
        parts.append(f"**By audit verdict on the label, trained on k = {lengths}**")
        parts.append(markdown_table(head, body, right=len(head) - 1))
    note = f"{INTERVALS} Everybody's gender is given but to `NET-no-genders`. {SHORTCUT}"
    return "\n\n".join([*parts, note]) + "\n"


def _verdict_counts(system: System) -> list[str]:
    judged = _judged(system)
    return ["*stories, clauses*", "", *(_counts(judged, each) for each in VERDICTS), _counts(judged, None)]


def _judged(system: System) -> System:
    assert system.test.verdicts is not None
    test = replace(system.test, columns=system.test.verdicts)
    return System(test, system.trained_on, system.model, system.runs)


# ---- findings ----------------------------------------------------------------------------------------------------------

FINDINGS = (
    "Stories of one release, clustered by clause, and training seeds; p after Holm over this table. A *¹* marks what is not decided: "
    "too few clauses, or nets trained once. Nets of two releases have other test stories: what longer training stories add is not "
    "tested here."
)


def _length(systems: Systems, ending: str = "") -> Iterator[Finding]:
    """Of nets with this ending of their names."""
    text = TEXT if not ending else tuple(name for name in TEXT if name != "rmc")  # which was trained with genders alone
    for regime, lengths in (("released-k23", "k = 2, 3"), ("released-k234", "k = 2, 3, 4")):

        def net(name: str, regime: str = regime) -> System | None:
            return systems.get((regime, regime, name + ending))

        among = f"trained on {lengths}{', no genders' if ending else ''}"
        claim = f"GAT is near-perfect at k = 3 (95 % or more), {among}"
        yield finding_of(claim, "3.5.1", [level_of(net("gat"), 3, 0.95)])
        for name in (*text, "gat"):
            claim = f"{name}: accuracy falls with length (k = 2, 3 against 9, 10), {among}"
            yield finding_of(claim, "3.5.1", [sides(net(name), (2, 3), (9, 10))])
        claim = f"GAT is above every text model, {among}"
        yield finding_of(claim, "3.5.1, 3.5.2", [pair(net("gat"), net(name)) for name in text])
        others = [name for name in text if name != "bert-lstm"]
        claim = f"BERT-LSTM is the best text model, {among}"
        yield finding_of(claim, "3.5.1", [pair(net("bert-lstm"), net(name)) for name in others])
        best = max(shortcuts(systems, regime), key=lambda system: system.value(), default=None)
        plain, turned = net("composer-no-converses"), net("composer")
        yield finding_of(f"the composer is better without converses, {among}", "ours", [pair(plain, turned)])
        for name in (*BEYOND, "gat", *text):
            claim = f"{name} is above the best shortcut over all k, {among}"
            yield finding_of(claim, "ours", [pair(net(name), best)])


def _genders(systems: Systems) -> Iterator[Finding]:
    for regime, lengths in (("released-k23", "k = 2, 3"), ("released-k234", "k = 2, 3, 4")):
        for name in ("composer", "gat", *TEXT):
            given, none = (systems.get((regime, regime, name + ending)) for ending in ("", NO_GENDERS))
            yield finding_of(f"genders help {name}, trained on {lengths}", "ours", [pair(given, none)] if none else [])


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
