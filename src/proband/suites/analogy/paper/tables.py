"""Tables 1 and 2 of the paper, and the tables of the studies that go beyond it, as data for the report.

`derive` gives the tags the paper groups relations by. The tables with `run.` tags compare runs that differ in an option
of the solver (template, scoring, classifier, layer); a study makes those runs and asks for the tables by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from statistics import fmean

from msgspec import Struct, convert

from proband.core.files import data_rows
from proband.core.suite import MeasuredOn, Published, Table
from proband.core.types import Tag
from proband.suites.analogy.probes import NEGATIVES, PAPER_PROBES, PROBES
from proband.suites.analogy.relations import GROUPS
from proband.suites.analogy.solvers.pseudo_perplexity import TEMPLATES

# ---- the paper's own figures (tables 1 and 2), to be shown next to ours --------------------------------------------
#
# `mark` repeats the paper's: `many` (*, one/many-to-many, on the random probe) and `bidirectional` (†, on the reverse
# probe). Two cells of table 2 (verb_inf : Ving, reverse and type) are unreadable in our text of the paper and left out.


SOURCE = "Rezaee & Camacho-Collados 2022, table {}"
# of the lists as released
BATS = frozenset({"0b70be7868b9eab753d0dff0ce83a7c291ceeedc16cddcfb4bc70684d29bfde4"})
PER_RELATION_AND_PROBE = 1200  # questions
SECTION_4 = {"random": 68.5, "reverse": 98.2, "type": 95.6}  # "excluding all one/many-to-many and bidirectional"


class PaperFigure(Struct, frozen=True):
    """One published cell; `value` in percent, as printed."""

    table: str
    model: str
    setting: str
    group: str
    relation: str
    probe: str
    value: float
    mark: str


@cache
def figures() -> tuple[PaperFigure, ...]:
    """
    >>> [f.value for f in figures() if f.relation == "country : capital"]
    [77.85, 99.15, 90.85]
    """
    return convert(data_rows("analogy/published.csv"), tuple[PaperFigure, ...], strict=False)


@cache
def marked(mark: str = "") -> frozenset[str]:
    """The relations the paper marks as `many`, as `bidirectional`, or (by default) as either."""
    return frozenset(f.relation for f in figures() if f.mark and mark in ("", f.mark))


def published() -> Sequence[Published]:
    """The published figures in the report's format: a tag per row and column, values between 0 and 1."""
    cells = [(f.model, _cell(f), f.value, SOURCE.format(f.table)) for f in figures()]
    return [
        Published(
            model=model, metric="accuracy", group=group, value=round(value / 100, 6), source=source, on=_measured(group)
        )
        for model, group, value, source in (*cells, *_averages())
    ]


def _measured(group: Mapping[str, Tag]) -> MeasuredOn:
    """Section 2.3: all 40 relations of BATS, n (n - 1) = 600 positives in each half of the 50 tuples. Supervised, one
    half trains (600 true and 600 false sentences) and the other tests; zero-shot, both halves test.

    >>> on = _measured({"setting": "supervised", "paper_probe": "random", "group": "ES"})
    >>> on.questions, on.conditions["training items per relation and probe"]
    (12000, 1200)
    """
    kept = [f.relation for f in figures() if f.table == "2" and f.probe == "random"]
    if "marked" in group:
        kept = [relation for relation in kept if (relation in marked()) is (group["marked"] == "marked")]
    semantic = {f.relation for f in figures() if f.group in ("ES", "LS")}
    if "kind" in group:
        kept = [relation for relation in kept if relation in semantic]
    relations = 1 if "relation" in group else 10 if "group" in group else len(kept)
    conditions: dict[str, Tag] = {"negatives": NEGATIVES["paper"], "options": 2}
    if "relation" not in group:
        conditions["relations"] = 40
    if group["setting"] == "supervised":
        conditions["training items per relation and probe"] = 1200
    return MeasuredOn(
        data="BATS 3.0", fingerprints=BATS, conditions=conditions, questions=PER_RELATION_AND_PROBE * relations
    )


def _cell(figure: PaperFigure) -> dict[str, Tag]:
    finer = {"group": figure.group.replace("All", ""), "relation": figure.relation}
    return {"setting": figure.setting, "paper_probe": figure.probe, **{name: tag for name, tag in finer.items() if tag}}


def _averages() -> Iterator[tuple[str, dict[str, Tag], float, str]]:
    """Means over relations: the rows of table 2 by mark, and the means that section 4 prints."""
    for probe, printed in SECTION_4.items():
        cell: dict[str, Tag] = {"setting": "supervised", "paper_probe": probe}
        rows = [f for f in figures() if f.table == "2" and f.probe == probe]
        for name, kept in (("marked", True), ("unmarked", False)):
            value = fmean(f.value for f in rows if (f.relation in marked()) is kept)
            yield "RoB-Large", {**cell, "marked": name}, value, SOURCE.format("2 (mean of its rows)")
        semantic = {**cell, "kind": "semantic", "marked": "unmarked"}
        yield "RoB-Large", semantic, printed, "Rezaee & Camacho-Collados 2022, section 4"


# ---- tables ---------------------------------------------------------------------------------------------------------


KINDS = {"ES": "semantic", "LS": "semantic", "DM": "morphological", "IM": "morphological"}
ORDER: Mapping[str, tuple[Tag, ...]] = {
    "group": GROUPS,
    "kind": ("semantic", "morphological"),
    "marked": ("unmarked", "marked"),
    "paper_probe": PAPER_PROBES,
    "probe": PROBES,
    "setting": ("supervised", "zero-shot"),
    "run.template": tuple(TEMPLATES),
    "run.norm": ("sum", "token", "word"),
}
CELLS = ("setting", "paper_probe")


def derive(tags: Mapping[str, Tag]) -> Mapping[str, Tag]:
    """`kind` (semantic, morphological); `marked` and `bidirectional` as the paper marks relations in table 2 (* and †).

    >>> derive({"relation": "synonyms : exact", "group": "LS"})
    {'kind': 'semantic', 'marked': 'marked', 'bidirectional': 'both ways'}
    """
    relation, group = str(tags.get("relation")), str(tags.get("group"))
    if group not in KINDS:
        return {}  # multiple choice of other authors
    return {
        "kind": KINDS[group],
        "marked": "marked" if relation in marked() else "unmarked",
        "bidirectional": "both ways" if relation in marked("bidirectional") else "one way",
    }


def _note() -> str:
    """The paper's marks, in words."""
    many, both = (", ".join(sorted(marked(mark))) for mark in ("many", "bidirectional"))
    return (
        "Published rows are of RoBERTa-large, supervised. The paper marks as "
        f"one/many-to-many (*, random is expected to be hard): {many}; as bidirectional (†, so is reverse): {both}."
    )


GROUPS_IN_WORDS = {"ES": "encyclopedic", "LS": "lexicographic", "DM": "derivational", "IM": "inflectional"}
GROUP_NAMES = f"{', '.join(f'{short}: {text}' for short, text in GROUPS_IN_WORDS.items())} relations."
_table = partial(Table, columns=CELLS, order=ORDER)
_of_study = partial(_table, macro="relation", always=False)  # a mean over relations, where a study asks for it

PAPER = (
    _table(name="groups", title="Accuracy by group of relations and probe", rows=("group",), note=GROUP_NAMES),
    _table(
        name="relations", title="Accuracy by relation and probe", rows=("group", "relation"), published_note=_note()
    ),
    _table(
        name="probes", title="Head and tail replaced", rows=("group",), columns=("setting", "probe"), note=GROUP_NAMES
    ),
    _table(
        name="auc",
        title="Area under the ROC curve of true against false, mean over relations",
        rows=("group",),
        metric="auc",
        where={"setting": "supervised"},
        macro="relation",
    ),
    _table(name="cardinality", title="By cardinality", rows=("cardinality",)),
)

AVERAGES = (
    _of_study(
        name="marked",
        title="Mean over relations: with and without those the paper marks",
        rows=("marked",),
        published_note="Published: computed from table 2.",
    ),
    _of_study(
        name="marked-kinds",
        title="Mean over relations: semantic and morphological, with and without those the paper marks",
        rows=("kind", "marked"),
        published_note="Published: section 4, whose averages are those of the six unmarked semantic relations.",
    ),
)

VARIANTS = tuple(
    _of_study(name=name + end, title=f"{title}, mean over relations{of}", rows=rows, columns=columns)
    for end, of, columns in (("", "", ("paper_probe",)), ("-groups", " of a group", ("group", "paper_probe")))
    for name, title, rows in (
        ("templates", "Wording of the analogy", ("run.template",)),
        ("scoring", "Ways to score a sentence", ("run.solver", "run.method", "run.norm", "run.span")),
    )
)

TABLES = (*PAPER, *AVERAGES, *VARIANTS)
