"""Tables 1 and 2 of the paper, and the tables of the studies that go beyond it, as data for the report.

`derive` gives the tags the paper groups relations by. The tables with `run.` tags compare runs that differ in an option
of the solver (template, scoring, classifier, layer); a study makes those runs and asks for the tables by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from proband.core.metrics import SPLITS
from proband.core.suite import Table
from proband.core.types import Tag
from proband.suites.analogy.paper.published import marked
from proband.suites.analogy.probes import PAPER_PROBES, PROBES
from proband.suites.analogy.relations import GROUPS
from proband.suites.analogy.templates import TEMPLATES

KINDS = {"ES": "semantic", "LS": "semantic", "DM": "morphological", "IM": "morphological"}
ORDER: Mapping[str, tuple[Tag, ...]] = {
    "group": GROUPS,
    "kind": ("semantic", "morphological"),
    "marked": ("unmarked", "marked"),
    "paper_probe": PAPER_PROBES,
    "probe": PROBES,
    "setting": ("supervised", "zero-shot"),
    "run.task": ("test", "seen", "control"),
    "run.template": tuple(TEMPLATES),
    "run.norm": ("sum", "token", "word"),
}
CELLS = ("setting", "paper_probe")


def derive(tags: Mapping[str, Tag]) -> Mapping[str, Tag]:
    """`kind` (semantic, morphological); `marked` and `bidirectional` as the paper marks relations in table 2 (* and †);
    `detected`: what we find in the list itself.

    >>> derive({"relation": "synonyms : exact", "group": "LS", "cardinality": "one-to-many", "symmetric": True})
    {'kind': 'semantic', 'marked': 'marked', 'bidirectional': 'both ways', 'detected': 'to-many or symmetric'}
    """
    relation, group = str(tags.get("relation")), str(tags.get("group"))
    if group not in KINDS:
        return {}  # multiple choice of other authors
    to_many = str(tags.get("cardinality")).endswith("to-many") or tags.get("many_valued") is True
    several = to_many or tags.get("symmetric") is True
    return {
        "kind": KINDS[group],
        "marked": "marked" if relation in marked() else "unmarked",
        "bidirectional": "both ways" if relation in marked("bidirectional") else "one way",
        "detected": "to-many or symmetric" if several else "neither",
    }


def _note() -> str:
    """The paper's marks, in words."""
    many, both = (", ".join(sorted(marked(mark))) for mark in ("many", "bidirectional"))
    return (
        "Published rows are of RoBERTa-large, supervised. The paper marks as "
        f"one/many-to-many (*, random is expected to be hard): {many}; as bidirectional (†, so is reverse): {both}."
    )


GROUP_NAMES = "ES: encyclopedic, LS: lexicographic, DM: derivational, IM: inflectional relations."
_table = partial(Table, columns=CELLS, order=ORDER)
_of_study = partial(_table, macro="relation", always=False)  # a mean over relations, where a study asks for it

PAPER = (
    _table(
        name="groups",
        title="Accuracy by group of relations and probe",
        rows=("group",),
        note=GROUP_NAMES,
    ),
    _table(
        name="relations", title="Accuracy by relation and probe", rows=("group", "relation"), published_note=_note()
    ),
    _table(name="probes", title="Head and tail replaced", rows=("group",), columns=("setting", "probe")),
    _table(
        name="auc",
        title="Area under the ROC curve of true against false, mean over relations",
        rows=("group",),
        metric="auc",
        where={"setting": "supervised"},
        macro="relation",
    ),
    _table(
        name="retrieval",
        title="First answer right, a : b :: c : ?",
        rows=("group",),
        columns=("setting",),
        metric="top1",
        where={"setting": "retrieval"},
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
    _of_study(
        name="detected",
        title="Mean over relations: with and without those found to be to-many or symmetric",
        rows=("detected",),
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

BY_CLASSIFIER = ("paper_probe", "run.classifier")
PROBING = tuple(
    _of_study(
        name=name,
        title=title,
        rows=rows,
        columns=("run.task",),
        where={"split": SPLITS},  # `seen` and `control` are asked about training sentences
        note="test: the unseen half, as in the paper; seen: new sentences of seen words; control: the same sentences "
        "with a random label per word. Selectivity is seen minus control (Hewitt & Liang 2019).",
    )
    for name, title, rows in (
        ("probing", "Classifier and control task, mean over relations", BY_CLASSIFIER),
        ("layers", "Classifier, layer and control task, mean over relations", (*BY_CLASSIFIER, "run.layers")),
    )
)

SEARCH = _table(
    name="retrieval-methods",
    title="First answer right, by method, with a, b and c excluded from the answers or not",
    rows=("run.method", "run.exclude"),
    columns=("group",),
    metric="top1",
    where={"setting": "retrieval"},
    always=False,
)

TABLES = (*PAPER, *AVERAGES, *VARIANTS, *PROBING, SEARCH)
