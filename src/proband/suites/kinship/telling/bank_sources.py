"""Where a bank of paraphrases comes from: our own, a file of the user's, or CLUTRR's crowd templates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from proband.core.errors import ProbandError
from proband.suites.kinship.telling.bank import Bank, parse_bank
from proband.suites.kinship.telling.crowd_templates import load_crowd
from proband.suites.kinship.telling.occasions import VERBS, Occasion, load_occasions, parse_occasions
from proband.suites.kinship.telling.paraphrases import ANY, template_id
from proband.suites.kinship.telling.template_check import Fault, check_template
from proband.suites.kinship.world.relations import INVERSE, NEUTRALS

OURS: Final = ("proband", "scenes")


def load_bank(path_or_name: str = "proband") -> Bank:
    """Our own bank ("proband"), another with scenes for certain relations ("scenes"), a bank file, or CLUTRR's crowd
    templates from a folder ("clutrr:FOLDER")."""
    if path_or_name in OURS or path_or_name.startswith("clutrr:"):
        return _load(path_or_name)
    path = Path(path_or_name)  # somebody may be writing it: never remembered
    if not path.is_file():
        raise ProbandError("no such template bank", file=path)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        return _of_occasions(str(path), parse_occasions(text, name=str(path), verbs=VERBS))
    return parse_bank(text, name=str(path))


def _of_occasions(name: str, occasions: Sequence[Occasion]) -> Bank:
    """A bank whose templates are the phrases of its occasions."""
    templates = tuple(phrase.template for occasion in occasions for phrase in occasion.phrases)
    return Bank(name, templates, occasions=tuple(occasions))


def checked_bank(name: str) -> Bank:
    """A bank that stories may be told with. One's own file is read back first: a story is only as true as its words."""
    bank, path = load_bank(name), Path(name)
    for line, fault in faults_of_file(bank, path) if path.is_file() else ():
        raise ProbandError(f'does not tell its label ({fault.reason}): "{fault.text}"', file=path, line=line)
    return bank


def faults_of_file(bank: Bank, path: Path) -> Iterator[tuple[int, Fault]]:
    """(line, first fault) of every faulty template of a bank file."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    ids = [template_id(line, facts=1) for line in lines] if bank.occasions else []
    for template in bank.templates:
        for fault in check_template(template)[:1]:
            yield (ids.index(template.id) if bank.occasions else lines.index(template.text)) + 1, fault


def completed(bank: Bank) -> Bank:
    """The bank, with our single facts of the relations it cannot tell (the crowd has no siblings-in-law)."""
    told = {pattern for template in bank.templates for pattern in template.patterns if len(pattern) == 1}
    lacking = [(n,) for n in NEUTRALS if not told & {(n,), (INVERSE[n],), (ANY,)}]
    ours = load_bank("scenes").hold_out()
    added = tuple(t for t in ours.templates if any(pattern in lacking for pattern in t.patterns))
    return Bank(bank.name, bank.templates + added, {**bank.split, **{t.id: ours.split[t.id] for t in added}})


@lru_cache(maxsize=8)
def _load(path_or_name: str) -> Bank:
    if path_or_name == "proband":
        return _of_occasions(path_or_name, load_occasions())
    if path_or_name == "scenes":
        folder = files("proband") / "data" / "kinship" / "scenes"
        parts = [folder / f"facts{n}.txt" for n in (1, 2, 3)]
        banks = [parse_bank(part.read_text(encoding="utf-8"), name=part.name) for part in parts]
        return Bank(path_or_name, tuple(t for bank in banks for t in bank.templates))
    return completed(load_crowd(Path(path_or_name.removeprefix("clutrr:"))).bank)
