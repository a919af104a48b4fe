"""Suite `kinship`: composing relations told in a story (Sinha 2022, chapter 3; CLUTRR, Sinha et al. 2019).

Reads in this order: relations, rules, family, chain, prove, letters, noise, draft, abstract; names, templates, menus,
bank, stories, split, questions, plan, write, dress, make, stream, build; kernel, encode, certify, chase, draw, clutrr,
audit, given; solve, read, show, published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proband.core.protocols import AnswersItems, Chooses, ScoresText
from proband.core.types import Answer, Demo, Item, Option, Solver, Suite, Table, accuracy
from proband.suites.kinship import symbolic_solver as solve
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.plan import TASKS
from proband.suites.kinship.item_text import show
from proband.suites.kinship.published import published
from proband.suites.kinship.telling.questions import FORMS, QUESTIONS

BUILD_OPTIONS = (
    Option(name="task", help=f"{', '.join(TASKS)}; several with commas", default="clean"),
    Option(name="k", help="facts per story, like 2,3,4 or 2..10", default="2,3,4"),
    Option(name="per-k", help="stories per task and k", default=100, kind=int),
    Option(name="hold-out", help="paraphrases, clauses, lengths, names (several with commas) or all", default=""),
    Option(name="test-k", help="lengths of the test stories (default: k; with lengths held out: up to 10)"),
    Option(name="test-per-k", help="test stories per task and k (default with a hold-out: 100 at most)", kind=int),
    Option(name="held-paraphrases", help="share of the paraphrases held out", default=0.2, kind=float),
    Option(name="held-clauses", help="share of the clauses held out (only k > 2)", default=0.1, kind=float),
    Option(name="held-names", help="share of the names held out", default=0.2, kind=float),
    Option(name="rules", help="sound, clutrr, grid, or a TOML file of one's own", default="sound"),
    Option(
        name="certify",
        help="search for a counter-family: full, a random sample (1 in 500), none; the closure proves every item",
        default="sample",
        choices=("full", "sample", "none"),
    ),
    Option(
        name="labels",
        help="balanced: every target and gender equally often; uniform: drawn",
        default="balanced",
        choices=("balanced", "uniform"),
    ),
    Option(name="max-per-clause", help="at most so many stories of one clause per task and k", kind=int),
    Option(name="noise-size", help="facts per noise path: a number or a range like 2..3", default="2"),
    Option(name="question", help="choice, text or yes-no", default="choice", choices=QUESTIONS),
    Option(name="form", help="story, facts (plain sentences) or graph (triples)", default="story", choices=FORMS),
    Option(name="brackets", help="names in [brackets]", default=False, kind=bool),
    Option(name="anonymise", help="@entity-k instead of names", default=False, kind=bool),
    Option(name="bank", help="proband, a bank file, or clutrr:FOLDER with the crowd's templates", default="proband"),
    Option(name="revisit", help="a person may come twice on a chain, as in CLUTRR", default=False, kind=bool),
    Option(name="families", help="number of families the stories come from", default=12, kind=int),
    Option(name="levels", help="generations per family", default=3, kind=int),
    Option(name="children", help="children per couple, a range", default="1..4"),
    Option(name="marry", help="probability that a child marries", default=0.8, kind=float),
    Option(name="inlaws", help="probability that who marries in brings a family", default=0.6, kind=float),
    Option(name="founders", help="founding couples per family", default=2, kind=int),
    Option(name="workers", help="processes; the result does not depend on it", default=1, kind=int),
    Option(name="data", help="take CLUTRR's own rows instead: a CSV file, a release, or a folder of them", kind=Path),
)

SOLVERS = (
    Solver(
        name="answer", help="baselines, solvers and nets take items as they are", needs=AnswersItems, solve=solve.answer
    ),
    Solver(
        name="likelihood",
        help="the relation that makes the completed story likeliest",
        needs=ScoresText,
        solve=solve.likelihood,
        options=(
            Option(name="method", help="the model's first if not given", default=""),
            Option(name="norm", help="sum, or mean per token or word", default="sum", choices=("sum", "token", "word")),
        ),
    ),
    Solver(name="choose", help="the question put in words", needs=Chooses, solve=solve.choose),
)

VERDICTS = ("entailed", "ambiguous", "false", "inconsistent")  # of other people's rows
ORDER = {"task": TASKS, "split": ("train", "test")}
TABLES = (
    Table(
        name="by_k",
        title="Accuracy by task and number of facts",
        rows=("task",),
        columns=("k",),
        order=ORDER,
        note="Published rows: people, table 3.2 of the paper.",
    ),
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
        note="Published rows: table 3.8 of the paper, trained and tested on k = 2, 3.",
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
)


def audit(path: Path, **settings: Any) -> Mapping[str, Any]:
    """A verdict for every row of a file in CLUTRR's format or ours."""
    from proband.suites.kinship.audit.run import audit as run

    return run(path, **settings)


def to_clutrr(items: Sequence[Item], path: Path) -> None:
    """CLUTRR's own CSV, with its columns."""
    from proband.suites.kinship.clutrr.items import export

    export(items, path)


def reader() -> Any:
    """`solver:read`, loaded when it is asked for."""
    from proband.suites.kinship.reading_solver import Read

    return Read()


def draw(item: Item, answer: Answer | None) -> str | None:
    """The told facts as a family tree."""
    from proband.suites.kinship.item_drawing import draw_item

    return draw_item(item, answer)


SUITE = Suite(
    name="kinship",
    question="Can it compose relations told in a story, longer and noisier than any it was trained on?",
    cites="Sinha, Sodhani, Dong, Pineau and Hamilton 2019, CLUTRR; Sinha 2022, chapter 3",
    build=build,
    options=BUILD_OPTIONS,
    solvers=SOLVERS,
    metrics={"accuracy": accuracy},
    tables=TABLES,
    show=show,
    demo=(
        Demo(
            options={"task": "clean,all,memory", "k": "2..6", "per_k": 22},
            runs=(("solver:symbolic", None), ("solver:read", None), ("baseline:majority", None)),
        ),
        Demo(  # a real model: does it find what is told, does it compose what is not?
            name="short",
            options={"task": "clean,memory", "k": "2,3", "per_k": 12},
            runs=(("embedded:smollm2", None), ("baseline:majority", None)),
        ),
    ),
    published=published,
    own_models={"symbolic": solve.Symbolic, "read": reader},
    draw=draw,
    audit=audit,
    export={"clutrr": to_clutrr},
)
