"""The results of a run in Python: scores, items and answers as data frames, and a view for notebooks. `proband.run`
returns them, and `proband.read` reads them from the folder of a run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from msgspec import UNSET

from proband.core.files import dumps, read_run, render, run_folders
from proband.core.metrics import chosen_answer
from proband.core.protocols import Model
from proband.core.types import Item, Run, Tag
from proband.pipeline.report import item_sets, score
from proband.pipeline.run import Forecast, run_all
from proband.reporting import ItemSet
from proband.reporting.numbers import formatting

if TYPE_CHECKING:
    import polars


@overload
def run(items: str | Path, /, *, dry_run: Literal[True], **given: Any) -> list[Forecast]: ...
@overload
def run(items: str | Path, /, **given: Any) -> RunResults: ...
def run(  # type: ignore[misc]  # the call names the wrong option
    items: str | Path,
    /,
    *,
    model: str | Model,
    out: str | Path,
    profile: str | Path | None = None,
    dry_run: bool = False,
    **given: Any,
) -> RunResults | list[Forecast]:
    """Answer the items with a model; the same call again resumes. The keywords are the options of `proband run`
    (`options` those of the solver, `model_options` those of the kind of model); `profile` is a TOML file with any of
    them, `dry_run=True` asks nothing and gives a forecast of each run. With several prompts or repetitions `parts` of
    the result are the single runs."""
    options, forecasts, _ = run_all(items, model=model, out=out, profile=profile, dry_run=dry_run, **given)
    return forecasts if dry_run else read(out, split=options.split)


def read(folder: str | Path, *, split: str = "") -> RunResults:
    """The results of a run that is finished, or of all runs below a folder; `split` as in `proband report`."""
    first, *others = run_folders([folder])
    parts = tuple(RunResults(folder=each, run=read_run(each / "run.json"), split=split) for each in (first, *others))
    return replace(parts[0], parts=parts) if others else parts[0]


@dataclass(frozen=True, kw_only=True)
class RunResults:
    """One run. Frames are polars'; `.to_pandas()` of a frame gives pandas' (which needs pyarrow)."""

    folder: Path
    run: Run
    split: str = ""  # the items that are scored: test, or valid where there is no test, unless named
    parts: tuple[RunResults, ...] = ()  # the single runs, where there are several: of prompts, or repetitions

    @cached_property
    def set(self) -> ItemSet:
        """The items with the answers to them, as the report reads them."""
        return item_sets([self.folder])[0]

    @cached_property
    def score(self) -> dict[str, Any]:
        """The scores that `proband run` prints: over all items and per main tag."""
        return score(self.folder, split=self.split)

    def scores(self) -> polars.DataFrame:
        """A row per metric and group of items: mean, 95 % interval, items, chance level, share of unread replies, and
        the split that is scored; there is no interval where the items are `few`."""
        import polars

        if self.parts:
            return self._together([each.scores() for each in self.parts])
        result = self.score
        shared = {"metric": result["metric"], "unit": result["unit"], "split": ",".join(result["split"])}
        lines = [result | shared, *(shared | each for each in (*result["groups"], *result["others"]))]
        kinds = {"metric": str, "group": str, "mean": float, "low": float, "high": float}
        kinds |= {"n": int, "few": bool, "chance": float, "unread": float, "unit": str, "split": str}
        rows = [line | {"low": None, "high": None} if line["few"] else line for line in lines]
        return polars.DataFrame(rows, schema=kinds)

    def items(self) -> polars.DataFrame:
        """A row per item: id, prompt, choices, gold, split, and a column per tag (`tag.NAME` if the name is taken)."""
        import polars

        rows = []
        for item in self.set.items():
            row = {name: getattr(item, name) for name in ("id", "prompt", "choices", "gold", "split")}
            row |= {"choices": list(item.choices), "gold": None if item.gold is None else item.choices[item.gold]}
            rows.append(row | _tags(item, row))
        return polars.DataFrame(rows, infer_schema_length=None, strict=False)

    def answers(self) -> polars.DataFrame:
        """A row per answered item: its id, the chosen answer, the value of the main metric, the status (`unread`,
        `skipped`, `not covered` or empty), the reply in words, its score for each choice, the reply's log-probability,
        and a column per tag of the item (`tag.NAME` if the name is taken)."""
        import polars

        if self.parts:
            return self._together([each.answers() for each in self.parts])
        metric = self.set.suite.metric()
        pairs = list(self.set.answers(0))
        rows = [
            {
                "item_id": item.id,
                "answer": chosen_answer(item, answer) or None,
                "gold": None if item.gold is None else item.choices[item.gold],
                metric.name: metric.value(item, answer),
                "status": answer.status,
                "text": answer.text,
                "logprob": None if answer.logprob is UNSET else answer.logprob,
                "scores": list(answer.scores),
                "blanks": dumps(answer.blanks) if answer.blanks else None,
            }
            for item, answer in pairs
        ]
        kinds: dict[str, Any] = {"item_id": str, "answer": str, "gold": str, metric.name: float, "status": str}
        kinds |= {"text": str, "scores": polars.List(polars.Float64), "blanks": str, "logprob": float}
        answers = polars.DataFrame(rows, schema=kinds)
        tags = polars.DataFrame([_tags(item, kinds) for item, _ in pairs], infer_schema_length=None, strict=False)
        return polars.concat([answers, tags], how="horizontal")

    def _together(self, frames: Sequence[polars.DataFrame]) -> polars.DataFrame:
        """Frames of the single runs as one, with a column that names the run."""
        import polars

        named = [
            frame.select(polars.lit(each.folder.name).alias("run"), polars.all())
            for each, frame in zip(self.parts, frames, strict=True)
        ]
        return polars.concat(named, how="diagonal_relaxed")

    def __repr__(self) -> str:
        if self.parts:
            return "\n".join(map(repr, self.parts))
        result = self.score
        (label,) = self.set.labels
        by = f" ({asked})" if (asked := formatting.how_asked(self.run)) else ""
        whose = f"{result['answers']:,} answers of {label}{by} to {self.run.suite}"
        return f"<{whose}: {in_words(result)} on {result['group']}>"

    def _repr_html_(self) -> str:
        """A table of the scores, for notebooks."""
        if self.parts:
            return "".join(each._repr_html_() for each in self.parts)
        lines = [self.score, *self.score["groups"]]
        return render(
            "proband.reporting.page",
            "results.html",
            run=self.run,
            label=self.set.labels[0],
            asked=formatting.how_asked(self.run),
            score=self.score,
            lines=[(each["group"], in_words({**self.score, **each}), each["n"], each["unread"]) for each in lines],
        )


def in_words(results: Mapping[str, Any]) -> str:
    """
    >>> in_words({"metric": "accuracy", "unit": "share", "mean": 0.5, "low": 0.4, "high": 0.6, "few": False, "n": 90})
    'accuracy 50.0 % [40.0, 60.0]'
    """
    if results["mean"] is None:
        return "no score"
    unit, few = results["unit"], f"(n = {results['n']:,}, {formatting.TOO_FEW})"
    mean = formatting.figure(results["mean"], unit) + (" %" if unit == "share" else "")
    span = few if results["few"] else formatting.interval(results["low"], results["high"], unit)
    return f"{results['metric']} {mean} {span}"


def _tags(item: Item, taken: Collection[str]) -> dict[str, Tag]:
    return {(name if name not in taken else f"tag.{name}"): value for name, value in item.tags.items()}
