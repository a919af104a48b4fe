"""What `paper` writes besides the paper's tables, if asked (`--set templates=yes`): see EXTRAS."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from proband.core.files import write_text
from proband.core.protocols import EmbedsPairs, EmbedsWords, HasVectors, Score, ScoresText, Text
from proband.core.types import Answer, Item
from proband.suites.analogy import probing, retrieval, template_study
from proband.suites.analogy.build import build
from proband.suites.analogy.probes import PAPER_PROBES
from proband.suites.analogy.results import ROWS, cells_of, in_group, macro, slug
from proband.suites.analogy.supervised import differences, relational
from proband.suites.analogy.templates import TEMPLATES

EXTRAS = ("templates", "scoring", "retrieval", "probing")
MANY = {"zero-shot": 1, "retrieval": 1, "supervised": 3}  # a classifier needs more to learn from


def write_extras(
    solvers: Mapping[str, Any],
    models: Sequence[tuple[str, Any]],
    items: Mapping[str, Sequence[Item]],
    *,
    data: Path,
    out: Path,
    seed: int,
    wanted: Mapping[str, Any],
    say: Callable[[str], None],
) -> list[str]:
    """The names of the files written."""
    written: list[str] = []

    def part(setting: str, **options: Any) -> list[Item]:
        """Items for a study that asks each sentence many times over."""
        built = build(
            data=str(data), setting=setting, per_relation=MANY[setting] * wanted["sample"], seed=seed, **options
        )
        return [item for item in built.items if isinstance(item, Item)]

    def keep(name: str, text: str) -> None:
        write_text(out / name, text)
        written.append(name)

    for name, model in models:
        if wanted["templates"] and isinstance(model, ScoresText):
            say(f"{name}: templates")
            keep(f"templates-{slug(name)}.md", templates(solvers, name, model, part("zero-shot"), seed=seed))
        if wanted["scoring"] and isinstance(model, ScoresText):
            say(f"{name}: scoring variants")
            keep(f"scoring-{slug(name)}.md", scoring(solvers, name, model, part("zero-shot"), seed=seed))
        if wanted["retrieval"] and isinstance(model, HasVectors):
            say(f"{name}: retrieval")
            keep(f"retrieval-{slug(name)}.md", searching(model, part("retrieval"), seed=seed))
        if wanted["probing"]:
            say(f"{name}: probing")
            text = probed(model, part, seed=seed)
            if text:
                keep(f"probing-{slug(name)}.md", text)
    return written


class Remembered:
    """A model that scores a text once per method: variants of the score differ in how they use it."""

    def __init__(self, model: ScoresText) -> None:
        self.model, self.methods = model, model.methods
        self.known: dict[tuple[str, Text], Score] = {}

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        new = [text for text in dict.fromkeys(texts) if (method, text) not in self.known]
        if new:
            self.known |= {(method, t): s for t, s in zip(new, self.model.score(new, method=method), strict=True)}
        return [self.known[method, text] for text in texts]


def templates(solvers: Mapping[str, Any], name: str, model: Any, items: Sequence[Item], *, seed: int) -> str:
    said = {t: list(solvers["pppl"].solve(items, model, seed=seed, template=t)) for t in TEMPLATES}
    return template_study.markdown(template_study.study(name, items, said, seed=seed))


def scoring(solvers: Mapping[str, Any], name: str, model: Any, items: Sequence[Item], *, seed: int) -> str:
    """Equation 1 as printed, normalised, by other methods, PMI: accuracy by group and probe."""
    model = Remembered(model)
    lines = _header("variant")
    for method in model.methods:
        for norm in ("sum", "token", "word"):
            said = solvers["pppl"].solve(items, model, seed=seed, method=method, norm=norm)
            lines.append(_line(f"{method}, {norm}", name, items, said))
        said = solvers["pppl"].solve(items, model, seed=seed, method=method, span="option")
        lines.append(_line(f"{method}, sum over the option only", name, items, said))
        lines.append(_line(f"{method}, PMI", name, items, solvers["pmi"].solve(items, model, seed=seed, method=method)))
    return "\n".join(lines) + "\n"


def _header(first: str) -> list[str]:
    columns = [f"{group} {probe}" for group in ROWS for probe in PAPER_PROBES]
    return [f"| {first} | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]


def _line(label: str, name: str, items: Sequence[Item], said: Sequence[Answer]) -> str:
    cells = cells_of(name, items, said)
    means = [macro(c for c in in_group(cells, g) if c.probe == p) for g in ROWS for p in PAPER_PROBES]
    return f"| {label} | " + " | ".join("–" if m is None else f"{100 * m:.1f}" for m in means) + " |"


def searching(model: Any, items: Sequence[Item], *, seed: int) -> str:
    """First answer right, per group, for each method with and without the exclusion of a, b and c."""
    lines = ["| method | a, b, c | " + " | ".join(ROWS) + " |", "|---|---|" + "---:|" * len(ROWS)]
    for method in (*retrieval.METHODS, retrieval.LRCOS):
        for exclude in (True, False):
            said = retrieval.retrieve(items, model, seed=seed, method=method, exclude=exclude)
            shown = []
            for group in ROWS:
                values = [
                    retrieval.top1(i, a) or 0.0
                    for i, a in zip(items, said, strict=True)
                    if group in ("All", i.tags["group"])
                ]
                shown.append(f"{100 * sum(values) / len(values):.1f}" if values else "–")
            lines.append(f"| {method} | {'excluded' if exclude else 'allowed'} | " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n"


def probed(model: Any, part: Callable[..., list[Item]], *, seed: int) -> str:
    """MLP and linear, control task, all layers; then the same halves with no word in common."""
    texts = []
    for split in ("tuples", "lexical"):
        items = part("supervised", split=split)
        if isinstance(model, EmbedsPairs):
            found = probing.probe_features(items, relational(model), seed=seed)
        elif isinstance(model, HasVectors):
            found = probing.probe_features(items, differences(model), seed=seed)
        elif isinstance(model, EmbedsWords):
            layers = list(range(model.layers)) if split == "tuples" else [model.layers - 1]
            found = probing.probe_layers(items, model, seed=seed, layers=layers)
        else:
            return ""
        texts.append(f"## Halves by {split}\n\n{probing.markdown(found)}")
    return "\n".join(texts)
