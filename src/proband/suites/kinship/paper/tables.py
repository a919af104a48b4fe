"""How results are laid out: the tables of every report, and those of the studies (figure 3.5, table 3.8).

Tables are over the stories that are scored (core/metrics.py); `by_split` has both splits. A published figure is shown
with ours on the release it was measured on (published.py).
"""

from __future__ import annotations

from proband.core.suite import Table
from proband.suites.kinship.generate.options import TASKS

VERDICTS = ("entailed", "ambiguous", "false", "inconsistent")  # of other people's rows
SLICES = ("clean", "long", "known-words", "plain", "one-fact", "noise")  # of a release's test, before the others
ORDER = {"task": TASKS, "split": ("train", "test")}
RELEASES = (
    "At k = 10 the two generalisation releases have about 120 stories each (38 at k = 2). Two systems at 97 and 99 % "
    "do not differ significantly there: a paired test on 120 stories has 80 % power to detect 5.4 points, and "
    "needs 790 stories for 2 points. The certified test has any size (`test-per-k`)."
)

TABLES = (
    Table(name="by_k", title="Accuracy by task and number of facts", rows=("task",), columns=("k",), order=ORDER),
    Table(
        name="by_depth",
        title="Accuracy by length of the shortest proof",
        rows=("task",),
        columns=("depth",),
        order=ORDER,
    ),
    Table(
        name="by_task",
        title="Accuracy by task",
        rows=(),
        columns=("task",),
        order=ORDER,
        published_note="Table 3.8 of the paper is trained and tested on k = 2, 3.",
    ),
    Table(name="by_target", title="Accuracy by relation asked for", rows=("target",), columns=("task",), order=ORDER),
    Table(
        name="by_verdict",
        title="Accuracy by what the audit says of the label",
        rows=("verdict",),
        columns=("task",),
        order={**ORDER, "verdict": VERDICTS},
    ),
    Table(name="by_split", title="Training and held-out stories", rows=("split", "task"), columns=("k",), order=ORDER),
    Table(
        name="figure3.5",
        title="Figure 3.5: accuracy on test stories by number of facts",
        rows=(),
        columns=("k",),
        where={"task": "clean"},
        published_note=RELEASES,
        always=False,
    ),
    Table(
        name="figure3.5-depth",
        title="Figure 3.5 over true depth: accuracy by length of the shortest proof",
        rows=(),
        columns=("depth",),
        where={"task": "clean"},
        always=False,
    ),
    Table(
        name="figure3.5-verdict",
        title="Figure 3.5 on CLUTRR's releases, by what the audit says of the label",
        rows=("verdict",),
        columns=("k",),
        where={"task": "clean"},
        order={"verdict": VERDICTS},
        always=False,
    ),
    Table(
        name="release",
        title="A release: accuracy by slice and number of facts",
        rows=("slice",),
        columns=("k",),
        order={"slice": SLICES},
        always=False,
    ),
    Table(
        name="table3.8",
        title="Table 3.8: accuracy on test stories by kind of noise",
        rows=(),
        columns=("task",),
        order=ORDER,
        note="A net is named by the kind of stories it was trained on. The releases give no relation for noise "
        "facts: a graph net sees them as untyped.",
        always=False,
    ),
)
