"""The options of `proband build kinship`, and the two ways they write numbers and lists."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from proband.core.errors import ProbandError
from proband.core.options import Meta

TASKS = ("clean", "supporting", "irrelevant", "disconnected", "all", "memory", "mixed")
HOLD_OUTS = ("paraphrases", "clauses", "lengths", "names")
MOST_LEVELS = 8  # a family grows with each by as many times as couples have children
LARGEST = 200  # of k, noise-size and children
Share = Annotated[float, Meta(gt=0, lt=1)]
Probability = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=1)]
Natural = Annotated[int, Meta(ge=0)]


def _says(text: str) -> Meta:
    return Meta(description=text)


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """What stories to make. `--data` takes CLUTRR's own rows instead; see RELEASED for what applies to them."""

    task: Annotated[str, _says(f"{', '.join(TASKS)}; several with commas")] = "clean"
    k: Annotated[str | int, _says("facts per story, like 2,3,4 or 2..10")] = "2,3,4"
    per_k: Annotated[Count, _says("stories per task and k")] = 100
    hold_out: Annotated[str, _says(f"{', '.join(HOLD_OUTS)} (several with commas) or all")] = ""
    test_k: Annotated[
        str | int | None, _says("lengths of the test stories (default: k; with lengths held out: up to 10)")
    ] = None
    test_per_k: Annotated[
        Natural | None, _says("test stories per task and k (default with a hold-out: 100 at most)")
    ] = None
    held_paraphrases: Annotated[Share, _says("share of the paraphrases held out")] = 0.2
    held_clauses: Annotated[Share, _says("share of the clauses held out (only k > 2)")] = 0.1
    held_names: Annotated[Share, _says("share of the names held out")] = 0.2
    rules: Annotated[str, _says("sound, clutrr, grid, or a TOML file")] = "sound"
    certify: Annotated[
        Literal["full", "sample", "none"],
        _says("search for a counter-family: full, a random sample (1 in 500), none; the closure proves every item"),
    ] = "sample"
    labels: Annotated[
        Literal["balanced", "uniform"], _says("balanced: every target and gender equally often; uniform: drawn")
    ] = "balanced"
    max_per_clause: Annotated[Count | None, _says("largest number of stories of one clause per task and k")] = None
    noise_size: Annotated[
        str | int, _says("facts per noise path: a number, a range like 2..3, or by kind: supporting=2,irrelevant=1")
    ] = "2"
    question: Annotated[Literal["choice", "text", "yes-no"], _says("choice, text or yes-no")] = "choice"
    form: Annotated[Literal["story", "facts", "graph"], _says("story, facts (plain sentences) or graph (triples)")] = (
        "story"
    )
    brackets: Annotated[bool, _says("names in [brackets]")] = False
    anonymise: Annotated[bool, _says("@entity-k instead of names")] = False
    bank: Annotated[
        str,
        _says("proband, scenes (with paraphrases for certain relations), a bank file, or clutrr:FOLDER (the crowd's)"),
    ] = "proband"
    revisit: Annotated[bool, _says("a chain may visit a person twice, as in CLUTRR")] = False
    facts_along_chain: Annotated[
        bool, _says("state every fact from the asker's side, in the order of the chain, as CLUTRR does")
    ] = False
    families: Annotated[int, Meta(ge=2), _says("number of families the stories come from")] = 12
    levels: Annotated[int, Meta(ge=2, le=MOST_LEVELS), _says(f"generations per family, at most {MOST_LEVELS}")] = 3
    children: Annotated[str | int, _says("children per couple, a range")] = "1..4"
    marry: Annotated[Probability, _says("probability that a child marries")] = 0.8
    inlaws: Annotated[Probability, _says("probability that a person who marries in has parents")] = 0.6
    founders: Annotated[Count, _says("founding couples per family")] = 2
    workers: Annotated[Count, _says("processes; the result does not depend on it")] = 1
    data: Annotated[
        Path | None, _says("take CLUTRR's own rows instead: a CSV file, a release, or a folder of them")
    ] = None
    unreadable: Annotated[
        Literal["fail", "skip"], _says("at a row of --data that cannot be read: fail and name it, or skip it")
    ] = "fail"


def example_options(options: BuildOptions) -> BuildOptions | None:
    """A few stories of the same kinds, to show as worked examples; CLUTRR's rows have a train split of their own."""
    return None if options.data is not None else replace(options, per_k=44, certify="none", workers=1)


RELEASED = ("data", "question", "form", "brackets", "certify", "unreadable")  # what applies to CLUTRR's own rows


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
    if not numbers or min(numbers) < 0:
        raise ProbandError(f"{name!r} is {text!r}, which names no length")
    return tuple(dict.fromkeys(numbers))


def parse_hold_out(text: str) -> tuple[str, ...]:
    """
    >>> parse_hold_out("names,clauses"), len(parse_hold_out("all")), parse_hold_out("")
    (('clauses', 'names'), 4, ())
    """
    asked = [part.strip() for part in text.split(",") if part.strip()]
    if asked == ["all"]:
        return HOLD_OUTS
    if wrong := next((name for name in asked if name not in HOLD_OUTS), None):
        raise ProbandError(f"'hold-out' has no {wrong!r}; it takes {', '.join(HOLD_OUTS)} or all")
    return tuple(name for name in HOLD_OUTS if name in asked)
