"""Numbers, verdicts and the names of runs as a paper prints them.

Runs of one network that differ only in its training seed are one system; their numbers are averaged item by item.
The runs of several people on the same items are pooled in the same way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from proband.core import files
from proband.core.files import dumps, group_by_key, minus
from proband.core.files import format_p as format_p
from proband.core.metrics import Estimate, Metric
from proband.core.suite import Where, runs_by_system
from proband.core.types import Run, Tag

TOO_FEW = "too few to tell"
UNITS = {"share": ("percent", " %", " points"), "nats": ("nats", " nats", " nats"), "count": ("", "", "")}


def metric(of: Metric) -> str:
    """
    >>> metric(Metric(name="whole_greedy", of=len))
    'whole greedy'
    """
    return of.title or of.name.replace("_", " ").replace(":", " ")


def with_arrow(of: Metric) -> str:
    """The metric's name with the direction that is better."""
    return metric(of) + (" ↑" if of.better == "high" else " ↓")


def figure(value: float, of: Metric | str) -> str:
    """A number of a table, in the unit of a metric.

    >>> share, rank = Metric(name="accuracy", of=len), Metric(name="rank", of=len, unit="count")
    >>> figure(0.7125, share), figure(12.3456, rank), figure(-0.004, share)
    ('71.2', '12.35', '−0.4')
    """
    return minus(files.figure(value, _unit(of)))


def _unit(of: Metric | str) -> str:
    return of if isinstance(of, str) else of.unit


def interval(low: float, high: float, of: Metric | str) -> str:
    return f"[{figure(low, of)}, {figure(high, of)}]"


def span(e: Estimate, of: Metric | str) -> str:
    """The interval of an estimate, or why there is none.

    >>> few = Estimate(metric="accuracy", group={}, mean=0.7, low=0.0, high=1.0, n=3, few=True)
    >>> span(few, Metric(name="accuracy", of=len))
    '(n = 3, too few to tell)'
    """
    return f"(n = {e.n:,}, {TOO_FEW})" if e.few else interval(e.low, e.high, of)


def estimate(e: Estimate, of: Metric | str) -> str:
    return f"{figure(e.mean, of)} {span(e, of)}"


def level_name(e: Estimate) -> str:
    """What an estimate has to beat."""
    return "chance" if e.shortcut is None or e.level != e.shortcut else "the best shortcut that was run"


def signed(value: float, of: Metric | str) -> str:
    """
    >>> signed(0.034, Metric(name="accuracy", of=len)), signed(-0.034, Metric(name="accuracy", of=len))
    ('+3.4', '−3.4')
    """
    return minus(files.figure(value, _unit(of), sign="+"))


def value(number: float, of: Metric | str) -> str:
    """A number in a sentence, with its unit: `71.2 %`, `1.50 nats`."""
    return figure(number, of) + UNITS[_unit(of)][1]


def distance(number: float, of: Metric | str) -> str:
    """A difference in a sentence, without its sign: `12.3 points`."""
    return figure(abs(number), of) + UNITS[_unit(of)][2]


def change(number: float, of: Metric | str) -> str:
    """A difference in its own table, with sign and unit."""
    return signed(number, of) + UNITS[_unit(of)][2]


def spread(sd: float | None, runs: int, of: Metric | str) -> str:
    """`± 1.2 over 3 seeds`, of a system of several runs."""
    return "" if sd is None else f"± {figure(sd, of)} over {runs} seeds"


def p_is(p: float) -> str:
    """
    >>> p_is(0.0312), p_is(0.00001)
    ('= 0.031', '<0.001')
    """
    shown = format_p(p)
    return shown if shown.startswith("<") else f"= {shown}"


def tag(value: Tag) -> str:
    """
    >>> tag(True), tag(3.0), tag("ES")
    ('yes', '3', 'ES')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return minus(f"{value:g}" if isinstance(value, float) else str(value))


def prose(text: str) -> str:
    """A sentence of a page: the minus sign of print, no line break within an interval or a p-value or before a unit.

    >>> prose("by -2.5 points [-4.1, -0.9] (p = 0.02)") == "by −2.5\xa0points [−4.1,\xa0−0.9] (p\xa0=\xa00.02)"
    True
    """
    ties = r"(?<=\d) (?=%|points\b|nats\b)|(?<=\d,) (?=[+−]?[\d.]+\])|(?<=\bp) (?=[=<] ?\d)|(?<=\bp =) (?=\d)"
    return re.sub(ties, "\N{NO-BREAK SPACE}", minus(text))


def in_a_sentence(names: Sequence[str]) -> str:
    """
    >>> in_a_sentence(["a", "b", "c"]), in_a_sentence(["a"])
    ('a, b and c', 'a')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def name(tag_name: str) -> str:
    """
    >>> name("run.template"), name("paper_probe")
    ('template', 'paper probe')
    """
    return tag_name.removeprefix("run.").replace("_", " ")


def key(names: Sequence[str], values: Sequence[Tag] | None, *, everything: str = "All") -> str:
    """The heading of a row or column: the values; a number or a boolean with its name.

    >>> key(("probe", "k"), ("reverse", 2)), key(("probe",), None), key((), ())
    ('reverse · k = 2', 'All', 'All')
    """
    if not values:
        return everything
    return " · ".join(f"{name(n)} = {tag(v)}" if isinstance(v, (int, float)) else tag(v) for n, v in zip(names, values))


def group(tags: Where) -> str:
    """
    >>> group({"group": "ES", "k": 2}), group({"k": (2, 3)}), group({})
    ('ES · k = 2', 'k = 2 or 3', 'all items')
    """
    single = {n: v for n, v in tags.items() if not isinstance(v, tuple)}
    several = {n: v for n, v in tags.items() if isinstance(v, tuple)}
    parts = [key(tuple(single), tuple(single.values()))] if single else []
    for n, values in several.items():
        text = " or ".join(map(tag, values))
        parts.append(f"{name(n)} = {text}" if isinstance(values[0], (int, float)) else text)
    return " · ".join(parts) or "all items"


def count(number: int, noun: str) -> str:
    """
    >>> count(1, "item"), count(48000, "answer")
    ('1 item', '48,000 answers')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


# ---- systems: runs as tables show them -------------------------------------------------------------------------------


IDENTITY = ("phrases", "dtype", "revision", "weights")  # of a model: what may differ under one name
BY_THEMSELVES = ("direct", "people", "")  # answers with no solver between the item and the model


@dataclass(frozen=True, kw_only=True)
class System:
    """One line of a table. `tags` are `run.model`, `run.solver`, `run.net`, `run.kind` (causal, masked, ...)
    and `run.NAME` of every setting."""

    label: str
    runs: tuple[int, ...]
    tags: Mapping[str, Tag]

    @property
    def baseline(self) -> bool:
        return is_baseline(str(self.tags["run.model"]))

    @property
    def of_suite(self) -> bool:
        """Whether a suite brings it: a baseline, or one of its own models (`solver:NAME`)."""
        return self.baseline or str(self.tags["run.model"]).startswith("solver:")


def is_baseline(model: str) -> bool:
    """Whether a model does not do the task, so that what it does is known beforehand; its label may be another."""
    return model.startswith("baseline:")


def counts_of(systems: Iterable[System]) -> dict[str, int]:
    """How many models, baselines and suites' own solvers are among systems, each counted once however it was asked."""
    kinds = {
        str(each.tags["run.model"]): "baselines" if each.baseline else "solvers" if each.of_suite else "models"
        for each in systems
    }
    counted = Counter(kinds.values())
    return {kind: counted[kind] for kind in ("models", "baselines", "solvers") if counted[kind]}


def systems(runs: Sequence[Run], *, pool: bool = True) -> tuple[System, ...]:
    """The systems among some runs, in their order; without `pool`, each run is one."""
    groups = runs_by_system(runs) if pool else [[at] for at in range(len(runs))]
    firsts = [runs[group[0]] for group in groups]
    pooled = [len({runs[at].model for at in group}) > 1 for group in groups]
    labels = run_labels(firsts, pooled=pooled)
    return tuple(
        System(label=label, runs=tuple(group), tags=run_tags(first, pooled=several))
        for label, group, first, several in zip(labels, groups, firsts, pooled)
    )


def run_tags(run: Run, *, pooled: bool = False) -> dict[str, Tag]:
    """`pooled`: the row has runs of several models, which share only the kind of net.

    >>> run = Run(suite="s", solver="choose", model="m", seed=0, items_sha="", settings={"norm": "sum", "layers": [1]})
    >>> run_tags(run)
    {'run.model': 'm', 'run.solver': 'choose', 'run.net': '', 'run.seed': 0, 'run.norm': 'sum', 'run.layers': '[1]'}
    """
    kind = str(run.net.get("net", ""))
    tags: dict[str, Tag] = {
        "run.model": f"net:{kind}" if pooled and kind else run.model,  # people, too, are several runs
        "run.solver": run.solver,
        "run.net": kind,
        "run.seed": run.seed,
    }
    for name in ("kind", *IDENTITY):
        if name in run.identity:
            tags[f"run.{name}"] = str(run.identity[name])[:24]  # of a checksum the beginning
    if "items_sha" in run.net:
        tags["run.trained"] = str(run.net["items_sha"])[:8]  # on which items
    own: dict[str, Any] = {**run.net.get("options", {}), **run.settings}
    for name, value in own.items():
        if name in ("prompt-sha", "asked", "looks"):  # the prompt has a name; how many are asked follows from others
            continue
        tags[f"run.{name}"] = value if isinstance(value, (str, int, float)) else dumps(value)
    return tags


# ---- names ---------------------------------------------------------------------------------------------------------


def run_labels(runs: Sequence[Run], *, pooled: Sequence[bool] = ()) -> tuple[str, ...]:
    """The model's short name; then the solver, the settings and the seed in which runs of one name differ, then a
    number. `asked_in_words` has how a model was asked.

    >>> a = Run(suite="s", solver="pppl", model="m", seed=0, items_sha="")
    >>> b = Run(suite="s", solver="pppl", model="m", seed=0, items_sha="", settings={"norm": "token"})
    >>> run_labels([a, Run(suite="s", solver="direct", model="baseline:random", seed=0, items_sha="")])
    ('m', 'baseline:random')
    >>> run_labels([a, b]), run_labels([a, Run(suite="s", solver="generate", model="m", seed=0, items_sha="")])
    (('m', 'm · norm=token'), ('m · pppl', 'm · generate'))
    """
    return tuple(unique(shared_labels(runs, pooled=pooled), joint=" #"))


def shared_labels(runs: Sequence[Run], *, pooled: Sequence[bool] = (), without: Collection[str] = ()) -> list[str]:
    """The same, where equal names stay equal. `without` names run tags that are left out, because a table has them as
    rows or columns."""
    tags = [run_tags(run, pooled=each) for run, each in zip(runs, pooled or [False] * len(runs))]
    base = next((name for name in ("run.model", "run.solver") if name not in without), "")
    labels = ["net" if t["run.net"] and "run.net" in without else short_model(str(t.get(base, "all"))) for t in tags]
    if base == "run.model":
        titles = [run.label or name for run, name in zip(runs, labels)]
        models = group_by_key((title, run.model) for title, run in zip(titles, runs) if not run.net)
        labels = [name if len({*models.get(title, ())}) > 1 else title for title, name in zip(titles, labels)]
        labels = _with_what_differs(labels, [server_of(str(t["run.model"])) for t in tags])
        weights = [str(run.identity.get("weights") or run.model) for run in runs]  # one file by several names
        labels = _with_what_differs(labels, [first_token(run) for run in runs], of=weights)
    last = ("run.trained", "run.seed", *(f"run.{name}" for name in IDENTITY))  # what settings tell apart needs none
    given = {"run.model", "run.solver", "run.net", "run.kind", *last}
    names = ["run.solver", *sorted({n for t in tags for n in t} - given), *last]
    for name in (name for name in names if name not in without and name != base):
        labels = _with_what_differs(labels, [_in_words(name, each.get(name)) for each in tags])
    if "run.prompt" not in without:  # two files of one name
        labels = _with_what_differs(labels, [f"prompt {str(run.settings.get('prompt-sha'))[:6]}" for run in runs])
    return labels


def how_asked(run: Run) -> str:
    """How the model was asked: solver, template or prompt, the token put in front of texts. Models that read items by
    themselves have none of these.

    >>> run = Run(suite="s", solver="pppl", model="m", seed=0, items_sha="", settings={"template": "is-to"})
    >>> how_asked(run), how_asked(Run(suite="s", solver="direct", model="baseline:random", seed=0, items_sha=""))
    ('pppl, template is-to', '')
    """
    way = _solver_and_prompt(run)
    return ", ".join(filter(None, [way, first_token(run)])) if way else ""


def _solver_and_prompt(run: Run) -> str:
    if run.solver in BY_THEMSELVES:
        return ""
    named = ((name, run.settings.get(name)) for name in ("template", "prompt"))
    return ", ".join([run.solver, *(f"{name} {PurePath(str(value)).name}" for name, value in named if value)])


def asked_in_words(labels: Sequence[str], runs: Sequence[Run]) -> str:
    """The solver of each model, because replies in words and likelihoods are not comparable; and the runs that were
    extended after a look at their answers, because intervals assume a fixed number of items.

    >>> a, b = (Run(suite="s", solver=solver, model="m", seed=0, items_sha="") for solver in ("pppl", "generate"))
    >>> asked_in_words(["m"], [a]), asked_in_words(["m", "n"], [a, b])
    ('Solver: pppl.', 'Solver: pppl (m); generate (n).')
    >>> looked = Run(suite="s", solver="direct", model="m", seed=0, items_sha="", settings={"looks": [10, 20]})
    >>> asked_in_words(["m"], [looked])
    'Extended after a look at the answers: m (looks: 2); intervals and tests assume a fixed number of items.'
    """
    ways = [(way, label) for label, run in zip(labels, runs, strict=True) if (way := _solver_and_prompt(run))]
    by_way = group_by_key(ways)
    listed = [f"{way} ({', '.join(names)})" for way, names in by_way.items()]
    texts = [f"Solver: {'; '.join(listed) if len(by_way) > 1 else ways[0][0]}."] if ways else []
    looks = [(label, run.settings["looks"]) for label, run in zip(labels, runs) if run.settings.get("looks")]
    if several := ", ".join(f"{label} (looks: {len(each)})" for label, each in looks):
        fixed = "intervals and tests assume a fixed number of items"
        texts.append(f"Extended after a look at the answers: {several}; {fixed}.")
    return " ".join(texts)


def short_model(name: str) -> str:
    """The name of a model on pages: a file, folder or network without its path, an endpoint's model without its
    address.

    >>> short_model("hf:/data/models/gpt2"), short_model("net:out/gat-59f8"), short_model("hf:org/gpt2")
    ('hf:gpt2', 'net:gat-59f8', 'hf:org/gpt2')
    """
    if server_of(name):
        return name.partition("@http")[0]
    kind, colon, rest = name.partition(":")
    here = colon and (kind == "net" or rest.startswith(("/", "./", "../", "~")))
    return f"{kind}:{PurePath(rest).name.removeprefix('net:')}" if here else name


def server_of(model: str) -> str:
    """The server of a model at an endpoint.

    >>> server_of("openai:org/model@http://localhost:8000/v1"), server_of("hf:gpt2")
    ('localhost:8000', '')
    """
    match = re.search(r"@https?://([^/]+)", model)
    return match[1] if match else ""


def first_token(run: Run) -> str:
    """The token before every text that a causal model reads; before texts without a context, if that differs.

    >>> own = {"bos": "none", "bos_without_context": "<s>"}
    >>> first_token(Run(suite="s", solver="pppl", model="m", seed=0, items_sha="", identity=own))
    'first token none (<s> without context)'
    """
    first, alone = run.identity.get("bos", ""), run.identity.get("bos_without_context", "")
    return "" if not first else f"first token {first}" + (f" ({alone} without context)" if alone != first else "")


def _in_words(name: str, value: Tag | None) -> str:
    if name == "run.solver":
        return str(value)
    if value is None:  # a run without that setting
        return ""
    word = {"run.seed": "seed ", "run.trained": "trained on "}.get(name, f"{name.removeprefix('run.')}=")
    text = str(value) or "none"
    return f"{word}{PurePath(text).name if text.startswith('/') else text}"  # a file by its name, without its folder


def _with_what_differs(labels: Sequence[str], extra: Sequence[str], *, of: Sequence[str] = ()) -> list[str]:
    """Add `extra` to the labels that occur more than once (or whose `of` does) with different extras."""
    out, names = [], of or labels
    for label, own, name in zip(labels, extra, names):
        others = {e for each, e in zip(names, extra) if each == name}
        out.append(f"{label} · {own}" if own and len(others) > 1 else label)
    return out


def unique(names: Sequence[str], *, joint: str = "-") -> list[str]:
    """The second of equal names gets `-2`, and so on.

    >>> unique(["a", "b", "a"])
    ['a', 'b', 'a-2']
    """
    out: list[str] = []
    for name in names:
        new, count = name, 1
        while new in out:
            count += 1
            new = f"{name}{joint}{count}"
        out.append(new)
    return out
