"""What a run gave, in Python: scores, items and answers as data frames, and a view for notebooks.

`proband.run` returns it, and `proband.read` makes it from the folder of a run that is there already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from proband.core.errors import ProbandError
from proband.core.files import dumps, read_run
from proband.core.protocols import Model
from proband.core.types import Answer, Item, Run
from proband.pipeline import run as running
from proband.pipeline.report import item_sets, score
from proband.reporting import ItemSet

if TYPE_CHECKING:
    import polars


def run(items: str | Path, *, model: str | Model, out: str | Path, **how: Any) -> Results:
    """Answer the items with a model; the same call again resumes. `how` are the options of `proband run`: solver, seed,
    limit, split, options (of the solver), model_options, ..."""
    made = running.run(items, model=model, out=out, **how)
    return Results(folder=Path(out), run=made, split=how.get("split", ""))


def read(folder: str | Path, *, split: str = "") -> Results:
    """The results of a run that is finished; `split` as in `proband report`."""
    path = Path(folder) / "run.json"
    if not path.exists():
        raise ProbandError("contains no run; `proband run` makes one", file=folder)
    return Results(folder=Path(folder), run=read_run(path), split=split)


@dataclass(frozen=True, kw_only=True)
class Results:
    """One run. Frames are polars'; `.to_pandas()` of a frame gives pandas' (which needs pyarrow)."""

    folder: Path
    run: Run
    split: str = ""  # the items that are scored: test, or valid where there is no test, unless named

    @cached_property
    def set(self) -> ItemSet:
        """The items with the answers to them, as the report reads them."""
        return item_sets([self.folder])[0]

    @cached_property
    def score(self) -> dict[str, Any]:
        """What `proband run` prints: the scores in all and per main tag."""
        return score(self.folder, split=self.split)

    def scores(self) -> polars.DataFrame:
        """A row per metric and group of items: mean, 95% interval, items, chance level, share of unread replies, and
        the split that is scored; there is no interval where the items are `few`."""
        import polars

        result = self.score
        main = {"metric": result["metric"], "unit": result["unit"]}
        lines = [{**main, **result}, *({**main, **each} for each in result["groups"]), *result["others"]]
        kinds = {"metric": str, "group": str, "mean": float, "low": float, "high": float}
        kinds |= {"n": int, "few": bool, "chance": float, "unread": float, "unit": str, "split": str}
        split = {"split": ",".join(result["split"])}
        rows = [{name: {**line, **split}[name] for name in kinds} for line in lines]
        for row in rows:
            row |= {"low": None, "high": None} if row["few"] else {}
        return polars.DataFrame(rows, schema=kinds)

    def items(self) -> polars.DataFrame:
        """A row per item: id, prompt, choices, gold, split, and a column per tag (`tag.NAME` if the name is taken)."""
        import polars

        rows = [_item(item) for item in self.set.items()]
        return polars.DataFrame(rows, infer_schema_length=None, strict=False)

    def answers(self) -> polars.DataFrame:
        """A row per answered item: its id, the chosen answer, the value of the main metric, the status (`unread`,
        `skipped`, `not covered` or empty), the reply in words, its score for each choice, and the reply's
        log-probability."""
        import polars

        metric = self.set.suite.metric()
        pairs = self.set.answers(0)
        rows = [_answer(item, answer) | {metric.name: metric.value(item, answer)} for item, answer in pairs]
        kinds: dict[str, Any] = {"item_id": str, "answer": str, "gold": str, metric.name: float, "status": str}
        kinds |= {"text": str, "scores": polars.List(polars.Float64), "blanks": str, "logprob": float}
        return polars.DataFrame(rows, schema=kinds)

    def __repr__(self) -> str:
        result = self.score
        (label,) = self.set.labels
        return (
            f"<{result['answers']:,} answers of {label} to {self.run.suite}: {in_words(result)} on {result['group']}>"
        )

    def _repr_html_(self) -> str:
        """A table of the scores, for notebooks."""
        from proband.web.templates import render

        lines = [self.score, *self.score["groups"]]
        return render(
            "proband.reporting.page",
            "results.html",
            run=self.run,
            score=self.score,
            lines=[(each["group"], in_words({**self.score, **each}), each["n"], each["unread"]) for each in lines],
        )


def in_words(results: Mapping[str, Any]) -> str:
    """
    >>> in_words({"metric": "accuracy", "unit": "share", "mean": 0.5, "low": 0.4, "high": 0.6, "few": False, "n": 90})
    'accuracy 50.0% [40.0, 60.0]'
    """
    if results["mean"] is None:
        return "no score"
    share = results["unit"] == "share"
    mean, low, high = (f"{100 * results[x]:.1f}" if share else f"{results[x]:.3f}" for x in ("mean", "low", "high"))
    interval = f"(n = {results['n']:,}, too few to tell)" if results["few"] else f"[{low}, {high}]"
    return f"{results['metric']} {mean}{'%' if share else ''} {interval}"


def _item(item: Item) -> dict[str, Any]:
    gold = None if item.gold is None else item.choices[item.gold]
    own = {"id": item.id, "prompt": item.prompt, "choices": list(item.choices), "gold": gold, "split": item.split}
    return own | {(name if name not in own else f"tag.{name}"): value for name, value in item.tags.items()}


def _answer(item: Item, answer: Answer) -> dict[str, Any]:
    """The choice with the highest score; several, if they are level, are joined by a bar."""
    best = max(answer.scores, default=0.0)
    chosen = [choice for choice, value in zip(item.choices, answer.scores) if value == best]
    return {
        "item_id": item.id,
        "answer": "|".join(chosen) if chosen else None,
        "gold": None if item.gold is None else item.choices[item.gold],
        "status": answer.status,
        "text": answer.text,
        "logprob": None if answer.logprob is UNSET else answer.logprob,
        "scores": list(answer.scores),
        "blanks": dumps(answer.blanks) if answer.blanks else None,
    }
