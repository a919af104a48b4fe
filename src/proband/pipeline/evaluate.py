"""`proband evaluate`: from a model to one page. It runs every set of the panel with a solver that fits the model, adds
the baselines, and writes a profile by capability and the report of every set.

    OUT/items/SET   OUT/runs/SET/MODEL   OUT/index.html, profile.json, tables/profile.md, figures/profile.svg, card.md
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import msgspec

from proband import models, suites
from proband.core.errors import ProbandError
from proband.core.files import atomic, cache_folder, read_run, render, slug, write_json, write_text
from proband.core.plugins import check_named, described, name_list, read_options
from proband.core.progress import log, one_bar
from proband.core.protocols import AnswersItems, Model
from proband.models import title_of
from proband.pipeline.asking.engines import Answering
from proband.pipeline.asking.items_and_answers import ANSWERS, select_items
from proband.pipeline.asking.setup import LoadedModels, PlannedRun, check_name, choose_solver, first_item, loading
from proband.pipeline.panel import LATEST, PanelSet, place_items, read_panel, references
from proband.pipeline.report import item_sets
from proband.pipeline.run import Forecast, Runner, differences, forecast, run_planned
from proband.pipeline.run_options import RunOptions, SharedRunOptions
from proband.reporting import check_folder, write_report
from proband.reporting.numbers import formatting
from proband.reporting.numbers.formatting import short_model, unique
from proband.reporting.profile import CapabilityReader, Profile, make_profile
from proband.reporting.profile_texts import as_json, model_card, plain_row

if TYPE_CHECKING:
    import polars

TRYING = 30.0  # seconds within which items are tried for a forecast
QUICK = "This is a fifth of the panel, for a first look: run the whole panel before you quote results."
SHIPPED = "The answers of {model} ship with the panel; --no-cache runs the model on this machine."
Size = Literal["quick", "panel"]


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What `evaluate` gives: the profile, its page, rows as a data frame and the figure."""

    folder: Path
    profile: Profile = field(repr=False)
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def page(self) -> Path:
        return self.folder / "index.html"

    @property
    def sentences(self) -> list[str]:
        return [text for _, text in self.profile.sentences]

    def summary(self) -> dict[str, Any]:
        """What `evaluate --json` prints."""
        return {"page": str(self.page), **as_json(self.profile), "left_out": dict(self.left_out)}

    def _repr_html_(self) -> str:
        """A row per capability, for notebooks; the page has everything."""
        return render(
            "proband.reporting.page", "evaluation.html", profile=self.profile, page=self.page, words=formatting
        )

    def frame(self) -> polars.DataFrame:
        """A row per capability and model: score, interval, items, chance, best shortcut, p-values."""
        import polars

        return polars.DataFrame(list(map(plain_row, self.profile.rows)), infer_schema_length=None)


@overload
def evaluate(*models: str | Model, dry_run: Literal[True], **given: Any) -> dict[str, list[Forecast]]: ...
@overload
def evaluate(*models: str | Model, **given: Any) -> Evaluation: ...
def evaluate(  # type: ignore[misc]  # the call names the wrong option
    *models: str | Model,
    out: str | Path | None = None,
    size: Size = "panel",
    suite: str | Sequence[str] = "",
    dry_run: bool = False,
    card: bool = False,
    label: str = "",
    force: bool = False,
    **options: Unpack[SharedRunOptions],
) -> Evaluation | dict[str, list[Forecast]]:
    """Run models on a fixed panel of questions and write one page: a profile by capability, and a report per suite.

    Rerun the command to resume. Two models are compared by paired tests.

    Example: proband evaluate embedded:smollm2 -o page --size quick

    :param models: KIND:NAME; see `proband list models`.
    :param out: Folder of the page (default: one in the cache folder).
    :param size: quick: a fifth of the panel, a first look; panel: about 1,400 questions.
    :param suite: Only these suites, with commas.
    :param dry_run: Print questions, calls, time (a few items are tried) and cost; write no page.
    :param card: Also write card.md: results for a Hugging Face model card.
    :param label: Names of the models on the page, with commas (default: SmolLM2-135M, ...).
    """
    work = EvaluationJob(models, out=out, size=size, suite=suite, label=label, options=options)
    if dry_run:
        return {"forecasts": work.forecasts()}
    check_folder(work.out, force=force)
    begun = any((work.out / "items" / each.name).is_dir() for each in work.whole.sets)  # of these suites or of others
    if not force and work.out.is_dir() and any(work.out.iterdir()) and not begun:
        raise ProbandError(
            "has files that `evaluate` did not write; choose another folder, or use --force", file=work.out
        )
    work.answer()
    return work.write(card=card, force=force)


class PanelRun(PlannedRun, frozen=True, kw_only=True):
    """One run of the command."""

    spec: str  # of its model


def names_of(models_given: Sequence[str], label: str) -> dict[str, str]:
    """How the page calls the models: as the user says, or as people do; by their full names where those are equal."""
    labels = [each.strip() for each in (label.split(",") if len(models_given) > 1 else [label])] if label else []
    if labels and len(labels) != len(models_given):
        raise ProbandError(f"--label {label}: one name per model, separated by commas ({len(models_given)} models)")
    titles = labels or [title_of(model) or short_model(model) for model in models_given]
    if len(set(titles)) < len(titles):
        titles = unique([short_model(model) for model in models_given], joint=" #")
    return dict(zip(models_given, titles))


def _options_of(model: str) -> set[str]:
    kind = models.kind_of(model.partition(":")[0])
    return {field.attribute for field in described(kind.options)} if kind else set()


class EvaluationJob:
    """One command: its panel, models and options, checked as far as that goes without asking."""

    def __init__(
        self, given: Sequence[str | Model], *, out: str | Path | None, size: Size = "panel",
        suite: str | Sequence[str] = "", label: str = "", options: Mapping[str, Any],
    ) -> None:  # fmt: skip
        objects = [each for each in given if not isinstance(each, str) and check_named(each, "model")]
        self.loaded = LoadedModels({(each.name, ""): each for each in objects})
        self.models = tuple(each if isinstance(each, str) else each.name for each in given)
        if not self.models:
            raise ProbandError("evaluate needs a model, such as embedded:smollm2, hf:NAME or an object of your own")
        if size not in ("quick", "panel"):
            raise ProbandError(f"--size is {size}; it must be quick or panel")
        self.whole, self.size = read_panel(), size
        self.panel = self.whole.only(tuple(name_list(suite)))
        self.options, self.names = read_options(RunOptions, options, of="evaluate"), dict[str, str]()
        self.models = tuple(map(self._checked_name, self.models))
        if len(set(self.models)) < len(self.models):
            raise ProbandError(f"{', '.join(self.models)}: the same model is named twice")
        name = "-".join(slug(each) for each in self.models)
        self.out = Path(out) if out is not None else cache_folder() / "evaluations" / f"panel-{LATEST}-{size}-{name}"
        self.names = names_of(self.models, label)  # as the page calls them
        self.missing: dict[tuple[str, str], str] = {}  # model and set -> why it is not asked
        self.items_asked: dict[str, int] = {}  # of each set
        self.recorded: dict[str, str] = {}  # of models whose answers ship with the panel: a note

    def _checked_name(self, model: str) -> str:
        """What runs call a model: `package.module:Object` by the object's own name."""
        suite, kind = suites.suite(self.panel.sets[0].suite), model.partition(":")[0]
        if model.startswith(LoadedModels.of_one_suite) or self.loaded.has(model):
            return model
        check_name(model, suite)
        if kind == "net" or models.kind_of(kind):
            return model
        loaded = self.loaded.of(model, suite, loading(self.options_of(model)), seed=self.options.seed)
        self.loaded[loaded.name, ""] = loaded
        return str(loaded.name)

    @cached_property
    def runs(self) -> list[PanelRun]:
        """All runs: each model, its control if there is one, and the baselines. A folder with `--size quick` can be
        extended to the whole panel, but not the reverse."""
        limits = ["limit" in read_run(path).settings for path in self.out.glob("runs/*/*/run.json")]
        if self.size == "quick" and not all(limits):
            wrong = "contains an evaluation of --size panel: use this size to resume it, or choose another folder"
            raise ProbandError(wrong, file=self.out)
        for each in self.panel.sets:
            place_items(self.panel, each, items := self.out / "items" / each.name)
            self.items_asked[each.name] = select_items(items, suite=suites.suite(each.suite)).count
        made = [part for each in self.panel.sets for model in each.baselines for part in self._runs(each, model)]
        own = [part for model in self.models for each in self.panel.sets for part in self._runs(each, model)]
        for model in self.models:
            if not any(part.spec == model for part in own):
                raise ProbandError(next(reason for (name, _), reason in self.missing.items() if name == model))
        return list({part.folder: part for part in (*made, *own)}.values())  # a model may be one of the baselines

    def _runs(self, each: PanelSet, model: str) -> Iterator[PanelRun]:
        suite, items = suites.suite(each.suite), self.out / "items" / each.name
        limit = -(-self.items_asked[each.name] // self.panel.quick) if self.size == "quick" else None
        run = PanelRun(
            items=items, model=model, folder=self.out / "runs" / each.name / slug(model),
            options=replace(self.options_of(model), limit=limit), name=each.name, spec=model,
        )  # fmt: skip
        if models.at_server(model):
            yield run
            return
        setting = str(first_item(items).tags.get("setting", ""))
        try:
            own = loading(self.options_of(model)) if model in self.models else {}
            loaded = self.loaded.of(model, suite, own, seed=self.options.seed)
            solver = choose_solver(suite, loaded, self.options.solver, setting=setting)
            options = replace(run.options, solver=solver.name)
            asked = {**each.ask.get(solver.name, {}), **options.options}
            run = msgspec.structs.replace(run, model=loaded, options=replace(options, options=asked))
            if model in self.models and solver.needs is AnswersItems and not solver.needs_all_items:
                Answering(runner := Runner(run)).answer(list(islice(runner.asked_items(), 1)))  # it may not read these
        except ProbandError as error:
            if not (model.startswith(LoadedModels.of_one_suite) or self.loaded.has(model)):  # it cannot be opened
                raise
            self.missing[model, each.name] = str(error)
            return
        yield run
        control = next((own for own in suite.solvers if own.name == each.control), None)
        if control is not None and control.needs is solver.needs:
            folder = run.folder.with_name(f"{run.folder.name}-{control.name}")
            options = replace(self.options_of(model), limit=limit, solver=control.name)
            yield msgspec.structs.replace(run, folder=folder, options=options)

    def options_of(self, model: str) -> RunOptions:
        """Of several models each takes the options that its kind has (prices, device); what no kind has is refused."""
        others = {name for other in self.models if other != model for name in _options_of(other)} - _options_of(model)
        given = self.options.model_options
        own = {name: value for name, value in given.items() if name.replace("-", "_") not in others}
        unset: dict[str, Any] = {name: None for name in ("device", "prices", "max_cost") if name in others}
        return replace(self.options, model_options=own, label=self.names.get(model, ""), **unset)

    def forecasts(self) -> list[Forecast]:
        """What each run of the models would ask; baselines answer at once."""
        asked, made = [part for part in self.runs if part.spec in self.models], list[Forecast]()
        begun = time.monotonic()
        for number, part in enumerate(asked, start=1):
            way = "counting" if models.at_server(part.spec) else "estimating the time with a few items"
            log(f"{part.spec}: {part.name} ({number} of {len(asked)}): {way}")
            made.append(forecast(part, until=begun + TRYING * number / len(asked)))
        work = [((each.tokens_in or 0) + each.tokens_out, each.seconds or 0.0) for each in made]
        for at, each in enumerate(made):  # what was not tried in time takes as long a token as what was
            own = [pair for pair, other in zip(work, made) if all(pair) and other.model == each.model]
            if each.seconds is None and work[at][0] and own:
                seconds = work[at][0] * sum(took for _, took in own) / sum(size for size, _ in own)
                made[at] = msgspec.structs.replace(each, seconds=seconds, seconds_tried=False)
        return made

    def answer(self) -> None:
        """All runs, under one bar and one limit of cost."""
        with one_bar("evaluate", total=sum(part.options.limit or self.items_asked[part.name] for part in self.runs)):
            for part in self.runs:
                self.take_recorded(part)
                run_planned(part, among=[other.folder for other in self.runs])

    def take_recorded(self, part: PanelRun) -> None:
        """Begin with the answers that ship with the panel, if they are those of this run. Not where the cache is not to
        be used; of a fifth of the panel those of the shortcuts alone."""
        stored, own = self.panel.folder / "answers" / part.folder.name / part.name, part.spec in self.models
        if not self.options.cache or not stored.exists() or (own and self.size != "panel"):
            return
        runner = Runner(part)
        now, recorded = runner.describe(), read_run(stored / "run.json")
        settings = recorded.settings if self.size == "panel" else now.settings
        recorded = msgspec.structs.replace(recorded, items=now.items, label=now.label, settings=settings)
        if differences(recorded, now):
            return
        self.recorded |= {part.spec: SHIPPED.format(model=self.names[part.spec])} if own else {}
        if not (part.folder / "run.json").exists():
            lines = gzip.decompress((stored / "answers.jsonl.gz").read_bytes()).splitlines(keepends=True)
            wanted = {item.id for item in runner.asked_items()}
            kept = [line for line in lines if msgspec.json.decode(line)["item_id"] in wanted]
            write_json(part.folder / "run.json", recorded)
            with atomic(part.folder / ANSWERS, mode="wb") as file:
                file.writelines(kept)

    def write(self, *, card: bool, force: bool) -> Evaluation:
        """The page with its files."""
        order = [each.name for each in self.panel.sets]
        folders = [part.folder for part in sorted(self.runs, key=lambda part: order.index(part.name))]
        name = f"panel {self.panel.version}" + ("" if self.size == "panel" else f", {self.size}")
        sets = item_sets(folders)
        reader = CapabilityReader(
            sets={each.source: replace(each, splits=("test",)) for each in sets}, missing=self.missing,
            controls=[each.control for each in self.panel.sets if each.control], size=self.size,
            baselines={each.name: each.baselines for each in self.panel.sets}, family=len(self.whole.capabilities),
        )  # fmt: skip
        notes = [*([QUICK] if self.size == "quick" else []), *self.recorded.values()]
        title = f"{' and '.join(self.names.values())} on Proband {name}"
        shipped, of = references(self.panel), (self.panel.capabilities, self.panel.moves, self.names)
        others = {title_of(model): own["scores"] for model, own in shipped.items() if model not in self.models}
        profile = make_profile(reader, *of, title=title, references=others, notes=notes)
        write_report(sets, out=self.out, title=profile.title, profile=profile, shortcuts=False, force=force)
        if card:
            write_text(self.out / "card.md", model_card(profile, name))
        left_out = {f"{model}: {each}": reason for (model, each), reason in self.missing.items()}
        return Evaluation(folder=self.out, profile=profile, left_out=left_out)
