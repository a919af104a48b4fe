"""`proband paper analogy --data BATS -m MODEL...`: tables 1 and 2 with our rows beside the published ones, the averages
without the marked relations, the frequency analysis, and which of the paper's claims hold for the models at hand.

Items are the paper's construction (`faithful`). `zero-shot` and `supervised` say how many positives per relation and
probe are asked (all: the paper's 2 x 25 x 24); answers are kept in OUT/answers, so that the command can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import write_json, write_text
from proband.core.types import Answer, Item, Solver
from proband.suites.analogy import claims, frequency, layout, sources
from proband.suites.analogy.build import build
from proband.suites.analogy.relations import Relation
from proband.suites.analogy.results import Cell, cells_of, collect, slug

FREQUENCY_FIRST = ("supervised", "zero-shot")  # the paper analyses the supervised setting; else what there is
Collected = Sequence[tuple[str, str, Sequence[Item], list[Answer]]]


def paper(
    solvers: Sequence[Solver],
    *,
    data: Path,
    out: Path,
    models: Sequence[tuple[str, Any]] = (),
    seed: int = 0,
    progress: Any = None,
    **settings: Any,
) -> Mapping[str, Any]:
    """Write the tables into `out`; returns what was found in short."""
    from proband.suites.analogy.extras import EXTRAS, write_extras

    wanted = checked(settings, EXTRAS)
    relations, _ = sources.read(str(folder_of(data)))
    items = {
        setting: _items(folder_of(data), setting, wanted[setting], faithful=wanted["faithful"], seed=seed)
        for setting in ("zero-shot", "supervised")
        if wanted[setting] is not None and models
    }
    say = _teller(progress)
    by_name = {solver.name: solver for solver in solvers}
    collected = collect(by_name, models, items, out=out, seed=seed, say=say)
    cells = [cell for name, _, asked, said in collected for cell in cells_of(name, asked, said)]
    names = list(dict.fromkeys(name for name, *_ in collected))
    write_tables(cells, relations, names, out=out, seed=seed)
    verdicts = claims.all_claims(cells, seed=seed)
    verdicts += write_frequency(collected, wanted["frequency"], out=out, seed=seed)
    write_json(out / "claims.json", [asdict(v) for v in verdicts])
    write_text(out / "claims.md", claims.markdown(verdicts))
    extras = write_extras(by_name, models, items, data=folder_of(data), out=out, seed=seed, wanted=wanted, say=say)
    return {
        "tables": str(out / "table1.md"),
        "models": names,
        "items": {setting: len(asked) for setting, asked in items.items()},
        "claims": {v: sum(x.verdict == v for x in verdicts) for v in ("holds", "fails", claims.NOISE)},
        "extras": extras,
    }


def folder_of(data: Path) -> Path:
    """BATS itself, or a folder that holds it as `bats`."""
    return data / "bats" if (data / "bats").is_dir() else data


def checked(settings: Mapping[str, Any], extras: Sequence[str]) -> dict[str, Any]:
    """The settings, which come as text from the command line.

    >>> checked({"zero_shot": "40", "supervised": "no"}, ["templates"])["zero-shot"]
    40
    """
    wanted: dict[str, Any] = {
        "zero-shot": 100,
        "supervised": 0,
        "faithful": True,
        "frequency": "wordfreq",
        "sample": 40,
        **dict.fromkeys(extras, False),
    }
    for name, value in settings.items():
        key = name.replace("_", "-")
        if key not in wanted:
            raise ProbandError(f"paper analogy has no option {name!r}; it has {', '.join(wanted)}")
        if key in ("zero-shot", "supervised"):
            wanted[key] = _count(key, value)
        elif key == "sample":
            wanted[key] = _count(key, value) or 40
        elif key == "frequency":
            wanted[key] = value
        else:
            wanted[key] = _flag(key, value)
    return wanted


def _count(name: str, value: Any) -> int | None:
    text = str(value).lower()
    if text in ("no", "none", "false"):
        return None
    if text == "all":
        return 0
    if not text.isdigit():
        raise ProbandError(f"{name!r} is {value!r}; give a number of positives per relation, all, or no")
    return int(text)


def _flag(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).lower() not in ("yes", "no", "true", "false", "1", "0"):
        raise ProbandError(f"{name!r} is {value!r}; it must be yes or no")
    return str(value).lower() in ("yes", "true", "1")


def _items(data: Path, setting: str, per_relation: int, *, faithful: bool, seed: int) -> list[Item]:
    built = build(data=str(data), setting=setting, per_relation=per_relation, faithful=faithful, seed=seed)
    return [item for item in built.items if isinstance(item, Item)]


def _teller(progress: Any) -> Callable[[str], None]:
    """Says what is being done, where there is a terminal to say it to."""
    import sys

    def say(text: str) -> None:
        if progress is not None:
            print(text, file=sys.stderr, flush=True)

    return say


def write_tables(
    cells: Sequence[Cell], relations: Sequence[Relation], models: Sequence[str], *, out: Path, seed: int
) -> None:
    lines = layout.table_1(cells, models, seed=seed)
    write_text(out / "table1.md", layout.table_1_markdown(lines))
    write_text(out / "table1.tex", layout.table_1_latex(lines))
    write_text(out / "table1.csv", layout.table_1_csv(lines))
    write_text(out / "table2.csv", layout.table_2_csv(cells, relations, seed=seed))
    for model in models:
        for setting in dict.fromkeys(cell.setting for cell in cells if cell.model == model):
            name = f"table2-{slug(model)}-{setting}"
            write_text(out / f"{name}.md", layout.table_2_markdown(cells, relations, model=model, setting=setting))
            write_text(out / f"{name}.tex", layout.table_2_latex(cells, relations, model=model, setting=setting))
    rows = layout.averages(cells, relations, models)
    write_text(out / "averages.md", layout.averages_markdown(rows))
    write_text(out / "averages.csv", layout.table(("over", "model", "setting", "random", "reverse", "type"), rows))


def write_frequency(collected: Collected, source: str, *, out: Path, seed: int) -> list[claims.Verdict]:
    """The analysis of each model in the supervised setting, or in the only one it has."""
    if source in ("no", "none") or not collected:
        return []
    known = frequency.from_wordfreq() if source == "wordfreq" else frequency.from_file(Path(source))
    verdicts, texts = [], []
    for model in dict.fromkeys(name for name, *_ in collected):
        own = {setting: (asked, said) for name, setting, asked, said in collected if name == model}
        setting = next(s for s in FREQUENCY_FIRST if s in own)
        effects = frequency.analyse(*own[setting], known, seed=seed)
        texts.append(f"## {model}, {setting}, random\n\n{frequency.markdown(effects)}")
        verdict = claims.frequency_claim(effects, model=model, setting=setting)
        verdicts += [verdict] if verdict else []
    write_text(out / "frequency.md", "\n".join(texts))
    return verdicts
