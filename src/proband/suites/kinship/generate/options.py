"""The options of `proband build kinship` and the plan that follows from them: how many stories of which kind, checked
before the first one is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Literal

from proband.core.errors import ProbandError
from proband.core.plugins import Meta, OnCommandLine
from proband.core.types import Split
from proband.suites.kinship.logic.noise import KINDS, WAYS
from proband.suites.kinship.telling.bank import CONSTRUCTIONS, OURS, constructions_held, crowd_folder, load_bank
from proband.suites.kinship.telling.crowd_templates import bank_licence
from proband.suites.kinship.world.relations import UNDETERMINED
from proband.suites.kinship.world.rules import SHIPPED, load

MIXED = ("clean", "supporting", "irrelevant", "disconnected", "all", "memory")
TASKS = (*MIXED, "mixed")  # for chains of any length
LONGEST_OF_BOTH = 4  # facts of the shorter of two paths that are both needed; longer ones are rare
LICENCE = "Apache-2.0 (rules, templates, names and stories are Proband's own)"
REST = "the rest is Proband's own, Apache-2.0"
HOLD_OUTS = ("paraphrases", "clauses", "lengths", "names")
LARGEST = 200  # of k and noise-size
Probability = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=1)]
Natural = Annotated[int, Meta(ge=0)]
PROFILE_ONLY = OnCommandLine(in_profile=True)


def described(text: str) -> Meta:
    return Meta(description=text)


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """Which stories to make. `--data` reads CLUTRR's rows instead; RELEASED lists the options for them."""

    task: Annotated[str, described(f"{', '.join((*TASKS, *WAYS))}; several with commas")] = "clean"
    k: Annotated[str | int, described("facts per story, like 2,3,4 or 2..10")] = "2,3,4"
    per_k: Annotated[Count, described("stories per task and k")] = 100
    hold_out: Annotated[
        str, described(f"{', '.join(HOLD_OUTS)} (several with commas), all, or constructions:NAME+NAME (of the bank)")
    ] = ""
    test_k: Annotated[
        str | int | None, described("lengths of the test stories (default: k; with lengths held out: up to 10)")
    ] = None
    test_per_k: Annotated[
        Natural | None, described("test stories per task and k (default with a hold-out: 100 at most)")
    ] = None
    rules: Annotated[
        str,
        described("sound, wide (great-grandparents, cousins), blended (half-, step-), clutrr, grid, or a TOML file"),
    ] = "sound"
    certify: Annotated[
        Literal["full", "sample", "none"],
        described("verify items and search for counterexamples: all (full), a sample, or none"),
    ] = "sample"
    noise_size: Annotated[
        str | int, described("facts per noise path: a number, a range like 2..3, or by kind: supporting=2,irrelevant=1")
    ] = "2"
    open: Annotated[
        Probability, described(f'share of the stories whose answer does not follow; "{UNDETERMINED}" is then a choice')
    ] = 0.0
    question: Annotated[
        Literal["choice", "text", "yes-no", "sets"],
        described("choice, text, yes-no, or sets: every relation that is possible"),
    ] = "choice"
    form: Annotated[
        Literal["story", "facts", "graph"], described("story, facts (plain sentences) or graph (triples)")
    ] = "story"
    bank: Annotated[str, described("proband, or clutrr:FOLDER (crowd templates, with ours for missing facts)")] = OURS
    workers: Annotated[Count, described("processes; the result does not depend on it")] = 1
    data: Annotated[
        Path | None, described("use CLUTRR's own rows instead: a CSV file, a release, or a folder of releases")
    ] = None
    release: Annotated[
        str | int | None, described("build the frozen set (1), or your own definition in a TOML file")
    ] = None
    slice: Annotated[str, described("with --release: only these slices (several with commas)")] = ""
    facts_along_chain: Annotated[
        bool,
        described("state every fact from the asker's side, in the order of the chain, as CLUTRR does"),
        PROFILE_ONLY,
    ] = False
    spread: Annotated[bool, described("state relations that are rare in chains more often"), PROFILE_ONLY] = False
    held: Annotated[str, described("shares held out, like paraphrases=0.2,clauses=0.1,names=0.2"), PROFILE_ONLY] = (
        "paraphrases=0.2,clauses=0.1,names=0.2"
    )


def example_options(options: BuildOptions) -> BuildOptions | None:
    """A few stories of the same kinds, for few-shot examples; CLUTRR's rows have their own train split."""
    if options.data is not None or options.release is not None:
        return None
    return replace(options, per_k=44, certify="none", workers=1)


def licence(options: BuildOptions) -> str:
    """The licence of the items: that of templates and rules from others, or ours.

    >>> licence(BuildOptions(rules="mine/office.toml"))
    "that of the rules in office.toml (the rest is Proband's own, Apache-2.0)"
    """
    foreign = [] if options.rules in SHIPPED else [f"the rules in {Path(options.rules).name}"]
    bank = options.bank if options.form == "story" else OURS
    if (folder := crowd_folder(bank)) is not None:
        own = bank_licence(folder)
        templates = f"{own} (the templates in {folder.name}" if own else "CC BY-NC 4.0 (the templates are CLUTRR's"
        return "; ".join([templates, *foreign]) + f"; {REST})"
    return f"that of {' and '.join(foreign)} ({REST})" if foreign else LICENCE


RELEASED = ("data", "question", "form", "certify")  # options that apply to CLUTRR's own rows


def refuse_others(options: BuildOptions, allowed: Sequence[str], why: str) -> None:
    """Raise an error if an option is set that is not allowed here."""
    for field in fields(options):
        if field.name not in allowed and getattr(options, field.name) != field.default:
            raise ProbandError(f"{field.name.replace('_', '-')!r} does not apply to {why}")


def parse_range(text: str | int, name: str = "k") -> tuple[int, ...]:
    """
    >>> parse_range("2..5"), parse_range("2,4,10"), parse_range(3)
    ((2, 3, 4, 5), (2, 4, 10), (3,))
    """
    numbers: list[int] = []
    try:
        for part in str(text).split(","):
            low, dots, high = part.partition("..")
            first, last = int(low), int(high if dots else low)
            if last > LARGEST:
                raise ProbandError(f"{name!r} is {text!r}; the largest is {LARGEST}")
            numbers += range(first, last + 1)
    except ValueError:
        raise ProbandError(f"{name!r} is {text!r}; write it like 2,3,4 or 2..10") from None
    if not numbers or min(numbers) < 1:
        raise ProbandError(f"{name!r} is {text!r}; the least is 1")
    return tuple(dict.fromkeys(numbers))


def parse_hold_out(text: str) -> tuple[str, ...]:
    """
    >>> parse_hold_out("names,clauses"), len(parse_hold_out("all")), parse_hold_out("constructions:of+who")
    (('clauses', 'names'), 4, ('constructions:of+who',))
    """
    names = [part.strip() for part in text.split(",") if part.strip()]
    if names == ["all"]:
        return HOLD_OUTS
    constructed = [name for name in names if name.startswith(CONSTRUCTIONS)]
    if wrong := next((name for name in names if name not in (*HOLD_OUTS, *constructed)), None):
        raise ProbandError(f"'hold-out' has no {wrong!r}; it takes {', '.join(HOLD_OUTS)}, {CONSTRUCTIONS}NAME or all")
    return (*(name for name in HOLD_OUTS if name in names), *constructed)


def parse_shares(text: str) -> dict[str, float]:
    """The shares to hold out, from a text such as `paraphrases=0.2`.

    >>> parse_shares("clauses=0.3")
    {'paraphrases': 0.2, 'clauses': 0.3, 'names': 0.2}
    """
    default = str(BuildOptions.held)
    values = {name: float(share) for name, _, share in (part.partition("=") for part in default.split(","))}
    for part in filter(None, text.split(",")):
        name, _, share = (word.strip() for word in part.partition("="))
        try:
            values[name] = float(share) if name in values else -1.0
        except ValueError:
            values[name] = -1.0
        if not 0.01 <= values[name] <= 0.99:
            raise ProbandError(f"'held' has {part!r}; write it like {default}, each between 0.01 and 0.99")
    return values


@dataclass(frozen=True, kw_only=True)
class StoryCell:
    """`count` stories of one kind. `part` is "train" or "test" where stories are held out, else nothing.

    A release (release.py) also has the `split` valid, whose stories follow those of training, and slices of the test,
    of which some are stated in the phrases of training.
    """

    part: str
    task: str
    k: int
    count: int
    first: int = 0  # the first round
    name: str = ""  # of the split, if it differs from `part`
    slice: str = ""
    phrases: str = ""  # "train": phrases of training, whatever the part

    @property
    def split(self) -> Split:
        name = self.name or self.part
        return "train" if name == "train" else "valid" if name == "valid" else "test"

    @property
    def prefix(self) -> str:
        """
        >>> StoryCell(part="test", task="clean", k=2, count=1, slice="plain").prefix
        'test-plain-clean-k2'
        """
        names = (self.name or self.part, self.slice if self.slice != self.task else "", self.task, f"k{self.k}")
        return "-".join(filter(None, names))


@dataclass(frozen=True, kw_only=True)
class BuildPlan:
    """Everything that determines a build: the seed, the options, and values derived from them."""

    seed: int
    options: BuildOptions
    cells: tuple[StoryCell, ...]
    hold_out: tuple[str, ...]
    held: dict[str, float]  # shares
    noise_size: dict[str, tuple[int, ...]]  # by kind
    second_held: bool = True  # held-out clauses apply to a second path too

    @property
    def paired(self) -> bool:
        """Whether stories come in pairs that differ in one fact: one with a determined and one with an open answer."""
        return self.options.open > 0 or self.options.question == "sets"


def make_plan(options: BuildOptions, *, seed: int) -> BuildPlan:
    """The plan for the options; an impossible combination is an error in one sentence."""
    held = parse_hold_out(options.hold_out)
    plan = BuildPlan(
        seed=seed,
        options=options,
        cells=_cells(options, held),
        hold_out=held,
        held=parse_shares(options.held),
        noise_size=_noise_sizes(str(options.noise_size)),
    )
    _check(plan)
    return plan


def _cells(options: BuildOptions, held: tuple[str, ...]) -> tuple[StoryCell, ...]:
    tasks, lengths = list(dict.fromkeys(filter(None, map(str.strip, options.task.split(","))))), parse_range(options.k)
    if wrong := set(tasks or [options.task]) - {*TASKS, *WAYS}:
        raise ProbandError(f"no task {min(wrong)!r}; there are {', '.join((*TASKS, *WAYS))}")
    if not held and not options.test_per_k and options.test_k is None:
        return tuple(StoryCell(part="", task=t, k=n, count=options.per_k) for t in tasks for n in lengths)
    if "lengths" in held and options.test_k is None and max(lengths) == LARGEST:
        raise ProbandError(f"'hold-out' lengths: no test story can be longer than 'k' of {LARGEST}, the largest")
    longer = f"{max(lengths) + 1}..{max(10, max(lengths) + 1)}"
    default = longer if "lengths" in held else options.k
    test = parse_range(default if options.test_k is None else options.test_k, "test-k")
    if "lengths" in held and min(test) <= max(lengths):
        raise ProbandError(
            f"'hold-out' lengths: test stories of {min(test)} facts are not longer than all training ones"
        )
    count = min(options.per_k, 100) if options.test_per_k is None else options.test_per_k
    train = [StoryCell(part="train", task=t, k=n, count=options.per_k) for t in tasks for n in lengths]
    return (*train, *(StoryCell(part="test", task=t, k=n, count=count) for t in tasks for n in test if count))


def _noise_sizes(text: str) -> dict[str, tuple[int, ...]]:
    """
    >>> _noise_sizes("supporting=2..3,irrelevant=1")
    {'supporting': (2, 3), 'irrelevant': (1,), 'disconnected': (2,)}
    """
    by_kind = dict.fromkeys(KINDS, str(BuildOptions.noise_size) if "=" in text else text)
    for part in text.split(",") if "=" in text else []:
        kind, _, size = (word.strip() for word in part.partition("="))
        if kind not in KINDS:
            raise ProbandError(f"'noise-size' names {kind!r}; kinds of noise are {', '.join(KINDS)}")
        by_kind[kind] = size
    return {kind: tuple(sorted(parse_range(size, "noise-size"))) for kind, size in by_kind.items()}


def _check(plan: BuildPlan) -> None:
    options, rules = plan.options, load(plan.options.rules)
    kinds = {cell.task for cell in plan.cells}
    families = rules.world == "family"
    for cell in plan.cells:
        name = "test-k" if cell.part == "test" and options.test_k is not None else "k"
        if cell.k < 2 and cell.task in (*WAYS, "supporting", "all", "mixed"):
            raise ProbandError(f"{name!r} is 1; tasks with a second path need at least 2 facts")
    if plan.noise_size["supporting"][0] < 2 and kinds & {"supporting", "all", "mixed"}:
        raise ProbandError("'noise-size' is 1; a supporting path needs at least 2 facts, otherwise it is a shortcut")
    constructions = constructions_held(plan.hold_out)
    if ("paraphrases" in plan.hold_out or constructions) and (options.form != "story" or not families):
        raise ProbandError("'hold-out' paraphrases and constructions need --form story and rules of a family")
    if constructions:
        load_bank(options.bank).hold_out_constructions(constructions)
    if plan.paired or kinds & set(WAYS):
        what = (
            f"task {min(kinds & set(WAYS))!r}" if not plan.paired else "'open'" if options.open else "'question sets'"
        )
        if not rules.proved:
            raise ProbandError(f"{what} needs one of the rules sound, wide, blended, not {rules.name!r}")
        if plan.paired and kinds & {"memory", "mixed", *WAYS}:
            raise ProbandError(f"{what} needs tasks with one chain whose answer is not stated")
        if plan.paired and any(cell.k < 2 for cell in plan.cells):
            raise ProbandError(f"{what} needs k of 2 or more: one fact states the answer")
        if plan.paired and options.facts_along_chain:
            raise ProbandError(f"{what} makes pairs of stories, which do not work with facts-along-chain")
    if options.open and options.question in ("yes-no", "sets"):
        raise ProbandError("'open' needs --question choice or text")
    if any(cell.task == "both" and cell.k > LONGEST_OF_BOTH for cell in plan.cells):
        raise ProbandError(f"task 'both' needs k of at most {LONGEST_OF_BOTH}")
    if options.slice:
        raise ProbandError("'slice' needs --release")
    if options.form == "story" and families and options.bank != OURS:
        load_bank(options.bank)
