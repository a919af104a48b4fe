"""The rows of an audit: files of any format, or a data set that an installed package generates
(`reasoning-gym:NAME?size=N`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from proband.core.errors import ProbandError, not_installed
from proband.core.progress import log
from proband.english.domain import SHIPPED, load
from proband.english.things import CAPITAL
from proband.proof.rows import AuditRow, RowFile, RowFormat, first_cells, read_rows, row_files
from proband.proof.run import OUTSIDE

GYM: Final = "reasoning-gym:"
PUZZLES: Final = "proband-puzzles"  # the package with the domains of the puzzles
GYM_OPTIONS: Final = {"size": 2000, "seed": 0}


class RowSource:
    """The rows of a source; can be iterated again. In a folder with files of a known format, only these are read.
    `once`: a question that occurs in several rows, as in a file of replies, counts once."""

    def __init__(
        self, source: str, columns: Mapping[str, str], formats: Sequence[RowFormat] = (), *, once: bool = False
    ) -> None:
        self.columns, self.generated, self.once = columns, source.startswith(GYM), once
        self.name = source if self.generated else Path(source).name
        self.options = gym_options(source) if self.generated else {}
        self.files: list[RowFile] = [] if self.generated else row_files(Path(source))
        self.format = None if columns or self.generated else self._format(formats)

    def _format(self, formats: Sequence[RowFormat]) -> RowFormat | None:
        first = {file.path: first_cells(file) for file in self.files}
        for each in formats:
            if known := [file for file in self.files if first[file.path] and each.fits(first[file.path])]:
                if others := len(self.files) - len(known):
                    log(f"{others} files next to those of {each.name} are left out")
                self.files = known
                return each
        return None

    def __iter__(self) -> Iterator[AuditRow]:
        rows = (gym_rows(self.options),) if self.generated else map(self._rows, self.files)
        seen: set[tuple[str, str]] = set()
        for row in chain.from_iterable(rows):
            if row.bad or not self.once or (row.text, row.question) not in seen:
                seen |= {(row.text, row.question)} if self.once else set()
                yield row

    def _rows(self, file: RowFile) -> Iterator[AuditRow]:
        return read_rows(file, self.columns, self.format)

    def first(self, count: int) -> list[AuditRow]:
        """Some rows of each file, to guess the domain."""
        if self.generated:
            return list(gym_rows({**self.options, "size": min(count, self.options["size"])}))
        each = max(1, count // len(self.files))
        return [row for file in self.files for row in islice(self._rows(file), each)]


def gym_tasks() -> dict[str, tuple[str, str]]:
    """The tasks of reasoning-gym that a prover can judge, with the domain and the world of each."""
    outside = {each.name: (each.name, each.gym_world) for each in OUTSIDE.importable() if each.gym_world is not None}
    return {task: (name, world) for name in SHIPPED for task, world in load(name).raw.get("gym", {}).items()} | outside


def gym_options(source: str) -> dict[str, Any]:
    """
    >>> gym_options("reasoning-gym:family_relationships?size=20&seed=3")
    {'name': 'family_relationships', 'size': 20, 'seed': 3}
    """
    name, _, query = source.removeprefix(GYM).partition("?")
    if name not in (tasks := gym_tasks()):
        more = "" if len(tasks) > 1 else f"; pip install {PUZZLES} adds provers for puzzles"
        raise ProbandError(f"{source}: provers exist for reasoning-gym's {', '.join(tasks)}, not for {name!r}{more}")
    options: dict[str, Any] = {"name": name, **GYM_OPTIONS}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key not in GYM_OPTIONS or not value.isdigit():
            raise ProbandError(f"{source}: {key}={value} is not one of size=N and seed=N")
        options[key] = int(value)
    return options


def gym_data(options: Mapping[str, Any]) -> Any:
    """The data set of the installed package."""
    try:
        import reasoning_gym
    except ModuleNotFoundError as error:
        raise not_installed(error, f"{GYM}{options['name']}") from None
    return reasoning_gym.create_dataset(options["name"], size=options["size"], seed=options["seed"])


def gym_rows(options: Mapping[str, Any]) -> Iterator[AuditRow]:
    """The rows that the installed package generates, with the genders of its name lists."""
    data = gym_data(options)
    genders = dict.fromkeys(getattr(data.config, "male_names", ()), "male")
    genders |= dict.fromkeys(getattr(data.config, "female_names", ()), "female")
    for number in range(options["size"]):
        entry = data[number]
        text: dict[str, Any] = {name: str(entry[name]) for name in ("question", "answer")}
        known = {name: genders[name] for name in CAPITAL.findall(text["question"]) if name in genders}
        place: dict[str, Any] = {"file": f"{options['name']}.jsonl", "line": None, "key": str(number)}
        yield AuditRow(**place, **text, cells=text, answer_column="answer", genders=known, record=entry)
