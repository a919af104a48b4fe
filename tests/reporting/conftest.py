"""A small suite of its own for the report's tests: analogies by group and probe, and a chain length."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.toy import toy_suite

from proband.core.metrics import Metric
from proband.core.suite import MeasuredOn, Published, Suite, Table
from proband.core.types import Answer, Item, Run
from proband.reporting import AnsweredRun, ItemSet, write_report

GROUPS = {
    "ES": ("capital", "language", "colour"),
    "LS": ("antonym", "part", "kind"),
    "DM": ("ness", "able", "over"),
    "IM": ("plural", "past", "third"),
}
PROBES = ("random-head", "random-tail", "reverse", "type")
SKILL = {"embedded:mlm": 1.6, "embedded:smollm2": 1.3, "embedded:glove": 0.7, "baseline:random": 0.0}
EASE = {"random-head": 0.9, "random-tail": 1.1, "reverse": 0.05, "type": -0.35}
HOSTILE = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1"> & % _ # $ | {x} \\ ^~'


def items_of(count: int, *, seed: int = 0, hostile: bool = False) -> list[Item]:
    rng = random.Random(seed)
    out = []
    for i in range(count):
        group = list(GROUPS)[i % 4]
        relation = GROUPS[group][i // 4 % 3]
        probe = PROBES[i // 12 % 4]
        a, b, c, d = (f"word{rng.randrange(400)}" for _ in range(4))
        prompt = f"{a} is to {b} as {c} is to"
        out.append(
            Item(
                id=f"q{i:05d}",
                suite="analogy",
                prompt=f"{prompt} {HOSTILE}" if hostile and i % 5 == 0 else prompt,
                choices=(d, HOSTILE if hostile and i % 5 == 0 else f"{d}x"),
                gold=rng.randrange(2),
                tags={"group": group, "relation": relation, "probe": probe, "k": 2 + i % 5},
                facts={"clusters": [f"{relation}-{rng.randrange(max(2, count // 40))}"]},
            )
        )
    return out


def answers_of(items: Sequence[Item], model: str, *, seed: int = 0) -> list[Answer]:
    rng = random.Random(f"{model} {seed}")
    out = []
    for item in items:
        edge = SKILL.get(model, 0.5) * (EASE[str(item.tags["probe"])] + 0.15 - 0.05 * float(item.tags["k"]))
        noise = [rng.gauss(0, 1) - 20 for _ in item.choices]
        assert item.gold is not None
        noise[item.gold] += edge
        out.append(Answer(item_id=item.id, scores=tuple(noise)))
    return out


ON = MeasuredOn(data="planted", fingerprints=frozenset({"planted"}), conditions={"negatives": "as printed"})


def published() -> tuple[Published, ...]:
    values = {"RoBERTa-large": (0.93, 0.95, 0.62, 0.41), "GPT-2 & co_1 #50%": (0.82, 0.84, 0.55, 0.44)}
    return tuple(
        Published(
            model=model, metric="accuracy", group={"group": group, "probe": probe}, value=v, source="Table 3", on=ON
        )
        for model, line in values.items()
        for group in ("ES", "LS")
        for probe, v in zip(PROBES, line)
    ) + tuple(
        Published(model="GAT", metric="accuracy", group={"k": k}, value=1.0 - 0.08 * k, source="Figure 4", on=ON)
        for k in range(2, 7)
    )


def draw(item: Item, answer: Answer | None) -> str:
    said = "" if answer is None else f'<text x="8" y="34">{math.floor(answer.scores[0])}</text>'
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="220" height="40">'
    return f'{head}<text x="8" y="18">{item.id}</text>{said}</svg>'


TABLES = (
    Table(
        name="groups",
        title="Accuracy by group and probe",
        rows=("group",),
        columns=("probe",),
        order={"group": ("ES", "LS", "DM", "IM"), "probe": PROBES},
        note="ES encyclopedic, LS lexical, DM derivational, IM inflectional relations.",
    ),
    Table(name="length", title="Accuracy along the chain", rows=(), columns=("k",)),
    Table(name="relations", title="Accuracy by relation", rows=("relation",), columns=("probe",)),
)


def suite_of(*, tables: tuple[Table, ...] = TABLES) -> Suite:
    return toy_suite(
        name="analogy",
        question="Does the model know that Paris is to France as Rome is to Italy, and not the other way round?",
        cites="paper 000",
        solvers=(),
        tables=tables,
        show=lambda item: f"{item.prompt} ___\nchoices: {', '.join(item.choices)}",
        draw=draw,
        published=published,
    )


def run_of(model: str) -> Run:
    return Run(
        suite="analogy",
        solver="direct",
        model=model,
        seed=0,
        items_sha="0123456789abcdef" * 4,
        versions={"proband": "0.1.0", "torch": "2.13.0"},
        identity={"kind": model.split(":")[0], "weights": "feedface" * 8},
        settings={"template": "T1", "normalise": "mean"},
    )


def set_of(count: int = 640, *, models: Sequence[str] = tuple(SKILL), hostile: bool = False) -> ItemSet:
    items = items_of(count, hostile=hostile)
    return ItemSet(
        suite=suite_of(),
        items_from=items,
        answered=[AnsweredRun(run=run_of(model), answers=answers_of(items, model)) for model in models],
        manifest={
            "seed": 7,
            "licence": "CC0-1.0",
            "options": {"per_relation": 30},
            "counts": {"items": count},
            "fingerprint": "planted",
            "conditions": {"negatives": "as printed"},
        },
        source="demo/analogy",
    )


def cloze_set() -> ItemSet:
    """Open items: no choices, one record and one number per blank."""
    items = [
        Item(id=f"c{i}", suite="cloze", prompt=f"Stir with a ___ and a ___ ({i}).", tags={"category": "tool"})
        for i in range(12)
    ]
    right = {"gold": ["whisk"], "guess": ["whisk"], "rank": 1}
    wrong = {"gold": ["pan", "lid"], "guess": ["<b>spoon</b>"], "rank": 3, "top": [["spoon", -1.5]]}
    answers = [Answer(item_id=item.id, blanks=(right, wrong if i % 3 else right)) for i, item in enumerate(items)]
    suite = dataclasses.replace(
        suite_of(tables=(Table(name="category", title="By category", rows=(), columns=("category",), metric="hit"),)),
        name="cloze",
        metrics=(Metric(name="hit", of=lambda item, answer: [float(b["rank"] == 1) for b in answer.blanks]),),
        draw=lambda item, answer: None,
        published=lambda: (),
    )
    answered = [AnsweredRun(run=run_of("net:lm"), answers=answers)]
    return ItemSet(suite=suite, items_from=items, answered=answered, source="cloze")


# ---- fixtures ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def make_set() -> Callable[..., ItemSet]:
    return set_of


@pytest.fixture(scope="session")
def hostile_text() -> str:
    return HOSTILE


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report over two item sets, one of them full of hostile text."""
    out = tmp_path_factory.mktemp("report")
    cloze = dataclasses.replace(cloze_set(), source="cloze</title><script>window.hacked=1</script>")
    sets = [set_of(640), set_of(80, hostile=True, models=("embedded:mlm", HOSTILE)), cloze]
    write_report(sets, out=out)
    return out


class Visit:
    """A page of a report, and everything it complained of or asked for."""

    def __init__(self, tab: Any, file: Path, anchor: str, *, width: int, scheme: str) -> None:
        self.page, self.trouble, self.requests = tab, list[str](), list[str]()
        self.listeners = {
            "console": lambda message: self.trouble.append(message.text),
            "pageerror": lambda error: self.trouble.append(str(error)),
            "dialog": self._dialog,
            "request": lambda request: self.requests.append(request.url),
        }
        for event, listener in self.listeners.items():
            tab.on(event, listener)
        tab.set_viewport_size({"width": width, "height": 900})
        tab.emulate_media(media="screen", color_scheme=scheme)
        tab.goto(f"{file.as_uri()}?{next(NUMBERS)}{anchor}")  # another address is another page, also where it is not

    def _dialog(self, dialog: Any) -> None:
        self.trouble.append(dialog.message)
        dialog.dismiss()

    def items(self) -> None:
        self.page.locator("#items").scroll_into_view_if_needed()
        self.page.wait_for_selector("#list li")

    def open_all(self) -> None:
        self.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")

    def found(self, text: str) -> None:
        """Wait until the line above the list says this."""
        from playwright.sync_api import expect

        expect(self.page.locator("#found")).to_have_text(re.compile(text), timeout=20_000)

    def close(self) -> None:
        self.page.evaluate("localStorage.clear()")
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        assert self.trouble == []
        assert [url for url in self.requests if not url.startswith(("file:", "data:"))] == []


NUMBERS = itertools.count()


@pytest.fixture
def visit(tab: Any, request: pytest.FixtureRequest) -> Iterator[Callable[..., Visit]]:
    """Open a page in place of the one before, at an anchor, of the common report or another."""
    opened: list[Visit] = []

    def open_page(
        file: str = "analogy.html",
        anchor: str = "",
        *,
        of: Path | None = None,
        width: int = 1280,
        scheme: str = "light",
    ) -> Visit:
        of = of or request.getfixturevalue("folder")
        opened.append(Visit(tab, of / file, anchor, width=width, scheme=scheme))
        return opened[-1]

    yield open_page
    for each in opened:
        each.close()
