"""Systems: runs as tables show them, with their names and tags, and paired tests of two.

Runs of one network that differ only in its training seed are one system; their numbers are averaged item by item.
The runs of several people on the same items are pooled in the same way. Two systems are compared on the items that
both have numbers for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from proband.core.files import dumps
from proband.core.metrics import Metric
from proband.core.statistics.spread import ONE_SEED
from proband.core.suite import Where
from proband.core.types import Run, Tag
from proband.stats import Scores

BY_THEMSELVES = ("direct", "people", "")  # answers with no solver between the item and the model


@dataclass(frozen=True, kw_only=True)
class System:
    """One line of a table. `tags` are `run.model`, `run.solver`, `run.net`, `run.kind` (causal, masked, ...)
    and `run.NAME` of every setting."""

    label: str
    runs: tuple[int, ...]
    tags: Mapping[str, Tag]


def systems(runs: Sequence[Run], *, pool: bool = True) -> tuple[System, ...]:
    """The systems among some runs, in their order; without `pool`, each run is one."""
    groups: dict[str, list[int]] = {}
    for at, run in enumerate(runs):
        groups.setdefault((pool and _all_but_seed(run)) or f"run {at}", []).append(at)
    firsts = [runs[group[0]] for group in groups.values()]
    pooled = [len({runs[at].model for at in group}) > 1 for group in groups.values()]
    labels = run_labels(firsts, pooled=pooled)
    return tuple(
        System(label=label, runs=tuple(group), tags=run_tags(first, pooled=several))
        for label, group, first, several in zip(labels, groups.values(), firsts, pooled)
    )


def _all_but_seed(run: Run) -> str:
    """What runs of one network with several training seeds have in common; empty for what is no network."""
    if not run.net:
        return ""
    net = {name: value for name, value in run.net.items() if name != "seed"}
    return dumps([run.solver, run.seed, run.settings, net])


def run_tags(run: Run, *, pooled: bool = False) -> dict[str, Tag]:
    """`pooled`: of several runs whose models have different names, so that only the kind of net is theirs.

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
    if "kind" in run.identity:
        tags["run.kind"] = str(run.identity["kind"])
    if "items_sha" in run.net:
        tags["run.trained"] = str(run.net["items_sha"])[:8]  # on which items
    own: dict[str, Any] = {**run.net.get("options", {}), **run.settings}
    for name, value in own.items():
        if name in ("prompt-sha", "asked"):  # the prompt has a name, and how many are asked follows from other settings
            continue
        tags[f"run.{name}"] = value if isinstance(value, (str, int, float)) else dumps(value)
    return tags


# ---- names ---------------------------------------------------------------------------------------------------------


def run_labels(runs: Sequence[Run], *, pooled: Sequence[bool] = (), without: Collection[str] = ()) -> tuple[str, ...]:
    """The model's name and the solver; then the differing settings and seed, then a number, where names collide. Models
    that read items by themselves have no solver to name. `without` names run tags that are left out, because a table
    has them as rows or columns.

    >>> a = Run(suite="s", solver="pppl", model="m", seed=0, items_sha="")
    >>> b = Run(suite="s", solver="pppl", model="m", seed=0, items_sha="", settings={"norm": "token"})
    >>> run_labels([a, Run(suite="s", solver="direct", model="baseline:random", seed=0, items_sha="")])
    ('m · pppl', 'baseline:random')
    >>> run_labels([a, b]), run_labels([a], without=["run.solver"])
    (('m · pppl', 'm · pppl · norm=token'), ('m',))
    """
    return tuple(unique(shared_labels(runs, pooled=pooled, without=without), joint=" #"))


def shared_labels(runs: Sequence[Run], *, pooled: Sequence[bool] = (), without: Collection[str] = ()) -> list[str]:
    """The same, where equal names stay equal."""
    tags = [run_tags(run, pooled=each) for run, each in zip(runs, pooled or [False] * len(runs))]
    base = next((name for name in ("run.model", "run.solver") if name not in without), "")
    labels = ["net" if t["run.net"] and "run.net" in without else _short(t, base) for t in tags]
    if "run.solver" not in without and base == "run.model":  # an answer in words is another thing than a likelihood
        labels = [with_solver(name, str(t["run.solver"])) for name, t in zip(labels, tags)]
    if base == "run.model":
        labels = [run.label or name for run, name in zip(runs, labels)]
        labels = _with_what_differs(labels, [server_of(str(t["run.model"])) for t in tags])
        weights = [str(run.identity.get("weights") or run.model) for run in runs]  # one file by several names
        labels = _with_what_differs(labels, [first_token(run) for run in runs], of=weights)
    last = ("run.trained", "run.seed")  # what settings tell apart needs neither
    given = {"run.model", "run.solver", "run.net", "run.kind", *last}
    names = ["run.solver", *sorted({n for t in tags for n in t} - given), *last]
    labels = _with_settings(labels, tags, [name for name in names if name not in without and name != base])
    if "run.prompt" not in without:  # two files of one name
        labels = _with_what_differs(labels, [f"prompt {str(run.settings.get('prompt-sha'))[:6]}" for run in runs])
    return labels


def with_solver(model: str, solver: str) -> str:
    """How a model is named wherever a score of it stands: which solver gave it is part of what it means.

    >>> with_solver("embedded:smollm2", "pppl"), with_solver("baseline:random", "direct")
    ('embedded:smollm2 · pppl', 'baseline:random')
    """
    return model if solver in BY_THEMSELVES else f"{model} · {solver}"


def _short(tags: Mapping[str, Tag], base: str) -> str:
    """A network is known by the name of its folder, not by the way to it; an endpoint's model without the address."""
    return short_model(str(tags.get(base, "all")))


def short_model(name: str) -> str:
    """A model as pages call it: a file, a folder or a network by its own name, wherever it lies; an endpoint's model
    without the address.

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
    """What stands in front of every text that a causal model reads; of texts without a context, where that differs.

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
    text = str(value)
    return f"{word}{PurePath(text).name if text.startswith('/') else text}"  # a file by its name, wherever it stands


def _with_settings(labels: Sequence[str], tags: Sequence[Mapping[str, Tag]], names: Sequence[str]) -> list[str]:
    """Equal labels with the settings in which their runs differ. A run in which such a setting is empty is named by
    another that it has in its place.

    >>> graph, ppdb = {"run.graph": "g.tsv", "run.ppdb": ""}, {"run.graph": "", "run.ppdb": "p.txt"}
    >>> _with_settings(["rules", "rules", "rules"], [graph, ppdb, graph | ppdb | {"run.ppdb": ""}], list(graph))
    ['rules · graph=g.tsv', 'rules · ppdb=p.txt', 'rules · graph=none']
    """
    out, empty = list(labels), dict[int, str]()
    for name in names:
        values = [each.get(name) for each in tags]
        extended = _with_what_differs(out, [_in_words(name, value) for value in values])
        for at, value in enumerate(values):
            differs = len({own for label, own in zip(labels, values) if label == labels[at]}) > 1
            if value == "" and extended[at] != out[at]:
                extended[at] = out[at]
                empty.setdefault(at, _in_words(name, "none"))
            elif at in empty and value != "" and differs:
                extended[at] = f"{out[at]} · {_in_words(name, value)}"
                del empty[at]
        out = extended
    return [f"{label} · {empty[at]}" if at in empty else label for at, label in enumerate(out)]


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


# ---- two systems -----------------------------------------------------------------------------------------------------


ALPHA = 0.05


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """System a minus system b on the items of `group` that both answered."""

    group: Where
    a: str
    b: str
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p: float
    p_holm: float  # corrected for the other comparisons of a and b
    n: int
    clusters: int
    detectable: float  # the smallest true difference that would be seen four times in five
    better: str  # a or b, or empty where there is no difference at all
    few: bool = False  # too few clusters to tell
    from_seeds: float | None = None  # the share of the variance that is due to training seeds
    training: str = ""  # what must be said where a net was trained once
    nets: bool = False  # both are trained

    def turned(self) -> Comparison:
        """b minus a."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            mean_a=self.mean_b,
            mean_b=self.mean_a,
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
        )

    @property
    def undecided(self) -> bool:
        """No test decides: too few clusters, or two nets of which one's training chance is unknown."""
        return self.few or (self.nets and self.training == ONE_SEED)

    @property
    def clear(self) -> bool:
        """Significant: corrected p below 0.05 (then the interval leaves out zero)."""
        return not self.undecided and self.p_holm < ALPHA

    @property
    def verdict(self) -> str:
        if self.undecided:
            return "too few to tell" if self.few else self.training
        result = f"{self.better} is better" if self.clear else "not significant"
        return f"{result} ({self.training})" if self.training else result


def compared(
    metric: Metric, a: Scores, b: Scores, *, group: Where, labels: tuple[str, str], margin: float = 0.0
) -> Comparison:
    """Two systems on the items that both have, the test being whether the first is ahead by more than `margin`."""
    result = a.minus(b, margin=margin)
    ahead = labels[0] if metric.ahead(result.mean_a, result.mean_b) else labels[1]
    return Comparison(
        group=group,
        a=labels[0],
        b=labels[1],
        mean_a=result.mean_a,
        mean_b=result.mean_b,
        difference=result.value,
        low=result.low,
        high=result.high,
        p=result.p,
        p_holm=result.p,
        n=result.n,
        clusters=result.clusters,
        detectable=result.detectable,
        better="" if result.mean_a == result.mean_b else ahead,
        few=result.few,
        from_seeds=result.from_seeds,
        training=result.note,
        nets=a.trained and b.trained,
    )
