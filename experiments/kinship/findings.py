"""The thesis' findings (section 3.5) and our own, tested on certified stories of all sets: `findings(systems)` is a table.

A finding holds if every one of its differences has the sign it states at p < 0.05 after Holm's correction over all of this
table, fails if one has the other sign at p < 0.05 (times the number of its differences), and is open otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pooled import KS, System, Systems, decided, paired, within

from proband.core.files import format_p, markdown_table
from proband.stats import Difference, contrast, holm
from proband.suites.kinship.paper.comparisons import CELLS, NOISE, TEXT

EQUAL = 0.05
BERTS = ("bert", "bert-lstm")
NETS = tuple(net for net in TEXT if net != "rmc")  # which learns only at a rate that rises first (nets.md)
READERS = tuple(net for net in NETS if net not in BERTS)
ALL_NETS = (*NETS, "rmc-warm")


@dataclass(frozen=True)
class Tested:
    """A difference on the side that the finding expects (the margin taken off), its p, and the two sides in percent."""

    ahead: float
    p: float | None
    shown: str


@dataclass(frozen=True)
class Finding:
    text: str
    source: str
    tests: tuple[Tested, ...]
    asked: int  # how many there should be

    @property
    def ahead(self) -> float:
        return min((test.ahead for test in self.tests), default=0.0)

    @property
    def p(self) -> float | None:
        if not self.tests or len(self.tests) < self.asked or any(test.p is None for test in self.tests):
            return None
        against = [test.p or 0.0 for test in self.tests if test.ahead < 0]
        return min(1.0, min(against) * len(self.tests)) if against else max(test.p or 0.0 for test in self.tests)


NOTE = (
    "Stories of all sets together, clustered by clause, and training seeds. A net that was trained once on each set "
    "decides nothing (¹). A *no difference* is tested as "
    "*within five points*, *most cells* as a partial conjunction (Benjamini and Heller 2008)."
)


def findings(systems: Systems) -> str:
    note = f"{NOTE} RMC, trained once on clean stories, is left out."
    return table_of(_findings(systems, NETS), "Findings on certified stories", note)


def findings_of_ten(systems: Systems) -> str:
    """Those for which there are ten trainings of each net."""
    known = [finding for finding in _findings(systems, ALL_NETS) if finding.tests]
    return table_of(known, "Findings with ten trainings of each net", NOTE)


def _findings(systems: Systems, nets: Sequence[str]) -> list[Finding]:
    return [*_length(systems, nets), *_noise(systems, nets), *_own(systems, nets)]


def table_of(every: Sequence[Finding], title: str, note: str) -> str:
    """Findings with their verdicts, p corrected over all of them."""
    known = [finding for finding in every if finding.p is not None]
    corrected = dict(zip(map(id, known), holm([finding.p or 0.0 for finding in known])))
    rows = []
    for finding in every:
        p = corrected.get(id(finding))
        verdict = "open" if p is None or p >= 0.05 else "holds" if finding.ahead > 0 else "fails"
        missing = "" if len(finding.tests) == finding.asked else f" ({len(finding.tests)} of {finding.asked} compared)"
        shown = "; ".join(test.shown for test in finding.tests) or "no data"
        rows.append(
            [finding.text, finding.source, f"**{verdict}**", "–" if p is None else format_p(p), shown + missing]
        )
    head = ["finding", "source", "verdict", "p (Holm)", "what was compared, in percent"]
    return f"**{title}**\n\n{markdown_table(head, rows)}\n\n{note}\n"


def _test(found: Difference, margin: float, shown: str) -> Tested:
    p = found.p if decided(found) else None
    return Tested(found.value - margin, p, shown + ("" if p is not None else " ¹"))


def pair(a: System | None, b: System | None, column: object = None, margin: float = 0.0) -> list[Tested]:
    if a is None or b is None:
        return []
    name = f"{a.trained_on}-{a.model} {100 * a.value(column):.1f}, {b.trained_on}-{b.model} {100 * b.value(column):.1f}"
    return [_test(paired(a, b, column, margin), margin, name.replace("-baseline", "baseline").strip("-"))]


def sides(system: System | None, above: object, below: object, margin: float = 0.0) -> list[Tested]:
    if system is None:
        return []
    shown = f"{system.trained_on}-{system.model} {100 * system.value(above):.1f}, {100 * system.value(below):.1f}"
    return [_test(within(system, above, below, margin), margin, shown)]


def most(tests: Sequence[Tested]) -> list[Tested]:
    """Is the greater part of the differences positive, or negative? The partial conjunction of Benjamini and Heller
    (2008): with n tests of which m are the greater part, n - m + 1 times the m-th smallest p of that side."""
    if not tests:
        return []
    m = len(tests) // 2 + 1
    middle = sorted(tests, key=lambda test: test.ahead)[-m]
    side = sorted(1.0 if t.p is None else t.p for t in tests if (t.ahead > 0) == (middle.ahead > 0))
    above = sum(test.ahead > 0 for test in tests)
    shown = f"{above} of {len(tests)} cells, middle: {middle.shown}"
    return [Tested(middle.ahead, min(1.0, (len(tests) - m + 1) * side[m - 1]), shown)]


def finding_of(text: str, source: str, parts: Iterable[list[Tested]]) -> Finding:
    every = list(parts)
    return Finding(text, source, tuple(test for part in every for test in part), len(every))


def _length(systems: Systems, nets: Sequence[str]) -> Iterator[Finding]:
    def net(trained_on: str, name: str, test: str = "k234") -> System | None:
        return systems.get((test, trained_on, name))

    figure = "3.5.1"
    yield finding_of(
        "GAT is near-perfect at held-out k = 3 (95 % or more), trained on k = 2, 3",
        figure,
        [level_of(net("k23", "gat"), 3, 0.95)],
    )
    for name in (*nets, "gat", "gat-both"):
        yield finding_of(
            f"{name}: accuracy falls with length (k = 2, 3 against 9, 10)",
            figure,
            [sides(net("k234", name), (2, 3), (9, 10))],
        )
    for name in (*nets, "gat", "gat-both"):
        yield finding_of(f"{name}: training on k = 2, 3, 4 helps", figure, [pair(net("k234", name), net("k23", name))])
    for gat in ("gat", "gat-both"):
        yield finding_of(f"{gat} gains most by it", figure, [_more(systems, gat, name) for name in nets])
        yield finding_of(
            f"{gat} is above every text model, trained on k = 2, 3, 4",
            "3.5.1, 3.5.2",
            [pair(net("k234", gat), net("k234", name)) for name in nets],
        )
    for regime in ("k23", "k234"):
        others = [name for name in nets if name != "bert-lstm"]
        yield finding_of(
            f"BERT-LSTM is the best text model, trained on {regime}",
            figure,
            [pair(net(regime, "bert-lstm"), net(regime, name)) for name in others],
        )
    for name in nets:
        yield finding_of(
            f"{name}: within 5 points of gat-both with the same paraphrases in training and test",
            "3.5.2",
            [pair(net("same", name, "same"), net("same", "gat-both", "same"), margin=-EQUAL)],
        )


def _noise(systems: Systems, nets: Sequence[str]) -> Iterator[Finding]:
    def net(trained_on: str, name: str) -> System | None:
        return systems.get(("noise-test", "k23" if trained_on == "clean" else trained_on, name))

    source = "3.5.3, table 3.8"
    for gat in ("gat", "gat-both"):
        yield finding_of(
            f"{gat} falls when supporting facts are added", source, [sides(net("clean", gat), "clean", "supporting")]
        )
        yield finding_of(
            f"{gat} does not fall when disconnected facts are added (within 5 points)",
            source,
            [sides(net("clean", gat), "disconnected", "clean", -EQUAL)],
        )
    for kind in ("supporting", "irrelevant"):
        for name in (net for net in nets if net not in BERTS):
            yield finding_of(
                f"{name} gains when {kind} facts are added", source, [sides(net("clean", name), kind, "clean")]
            )
        for name in BERTS:
            yield finding_of(
                f"{name} does not benefit from {kind} facts (gains less than 5 points)",
                source,
                [sides(net("clean", name), "clean", kind, -EQUAL)],
            )
    for gat in ("gat", "gat-both"):
        yield finding_of(
            f"{gat} improves by training on each kind of noise",
            source,
            [pair(net(kind, gat), net("clean", gat), kind) for kind in NOISE],
        )
        yield finding_of(
            f"{gat} is above every text model in most cells of the table",
            source,
            [most([t for on, test in CELLS for t in pair(net(on, gat), net(on, name), test)]) for name in nets],
        )
    for name in nets:
        gains = [test for kind in NOISE for test in pair(net(kind, name), net("clean", name), kind)]
        worst = sorted(gains, key=lambda test: test.ahead)[:1]
        turned = [
            Tested(-t.ahead, None if t.p is None else min(1.0, len(NOISE) * t.p), f"least gain: {t.shown}")
            for t in worst
        ]
        yield finding_of(f"only GAT improves by noise in training: {name} does not with some kind", source, [turned])


def _own(systems: Systems, nets: Sequence[str]) -> Iterator[Finding]:
    def net(name: str, trained_on: str = "k234") -> System | None:
        return systems.get(("k234", trained_on, name))

    yield finding_of(
        "composer: 97 % or more at every k, trained on k = 2, 3, 4",
        "ours",
        [level_of(net("composer"), k, 0.97) for k in KS],
    )
    yield finding_of(
        "composer: 97 % or more at every k with no genders given",
        "ours",
        [level_of(net("composer-no-genders"), k, 0.97) for k in KS],
    )
    shortcut = systems.get(("k234", "", "baseline:path")) or systems.get(("k234", "", "baseline:generations"))
    for name in ("composer", "edge-transformer", "gat-both"):
        yield finding_of(f"{name} is above the best shortcut at k = 10", "ours", [pair(net(name), shortcut, 10)])
    for name in nets:
        yield finding_of(f"{name} is above the best shortcut at k = 10", "ours", [pair(net(name), shortcut, 10)])


def level_of(system: System | None, column: object, level: float) -> list[Tested]:
    """Above a fixed level."""
    if system is None:
        return []
    rows = system.rows(column)
    scores = system.scores(rows)
    unknown = scores.summary.few or scores.seeds.unknown
    p = None if unknown else scores.against(level).p
    return [Tested(scores.value - level, p, f"k = {column}: {100 * scores.value:.1f}" + (" ¹" if unknown else ""))]


def _more(systems: Systems, gat: str, other: str) -> list[Tested]:
    """What GAT gains by longer training stories minus what another net does."""
    four = [
        systems.get(("k234", on, name)) for name, on in ((gat, "k234"), (gat, "k23"), (other, "k234"), (other, "k23"))
    ]
    if None in four:
        return []
    nets = [system for system in four if system is not None]
    sets = sorted(set.intersection(*(set(system.sets) for system in nets)))
    rows = nets[0].test.rows(None, sets)
    scores = [system.scores(rows) for system in nets]
    found = contrast(scores, [1, -1, -1, 1])
    gains = [100 * (scores[at].value - scores[at + 1].value) for at in (0, 2)]
    shown = [f"{gain:+.1f}".replace("-", "−") for gain in gains]
    return [_test(found, 0.0, f"{gat} {shown[0]}, {other} {shown[1]}")]
