"""Which rows an audit reads: files, or a data set that an installed package generates (`reasoning-gym:NAME?size=N`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from proband.auditing.grammar import CAPITAL
from proband.auditing.rows import Row, Source, all_rows, first_rows, sources
from proband.core.errors import ProbandError

GYM: Final = "reasoning-gym:"
GYM_SETS: Final = ("family_relationships",)
GYM_OPTIONS: Final = {"size": 2000, "seed": 0}


class Rows:
    """The rows of a source, as often as they are asked for."""

    def __init__(self, source: str, columns: Mapping[str, str]) -> None:
        self.columns, self.generated = columns, source.startswith(GYM)
        self.name = source if self.generated else Path(source).name
        self.options = gym_options(source) if self.generated else {}
        self.files: list[Source] = [] if self.generated else sources(Path(source))

    def __iter__(self) -> Iterator[Row]:
        return gym_rows(self.options) if self.generated else all_rows(self.files, self.columns)

    def first(self, count: int) -> list[Row]:
        if self.generated:
            return list(gym_rows({**self.options, "size": min(count, self.options["size"])}))
        return first_rows(self.files, self.columns, max(1, count // len(self.files)))


def gym_options(source: str) -> dict[str, Any]:
    """
    >>> gym_options("reasoning-gym:family_relationships?size=20&seed=3")
    {'name': 'family_relationships', 'size': 20, 'seed': 3}
    """
    name, _, query = source.removeprefix(GYM).partition("?")
    if name not in GYM_SETS:
        raise ProbandError(f"{source}: of reasoning-gym, {', '.join(GYM_SETS)} can be audited, not {name!r}")
    options: dict[str, Any] = {"name": name, **GYM_OPTIONS}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key not in GYM_OPTIONS or not value.isdigit():
            raise ProbandError(f"{source}: {key}={value} is not one of size=N and seed=N")
        options[key] = int(value)
    return options


def gym_rows(options: Mapping[str, Any]) -> Iterator[Row]:
    """The rows that the installed package generates; genders are those its name lists give."""
    import reasoning_gym

    made = reasoning_gym.create_dataset(options["name"], size=options["size"], seed=options["seed"])
    genders = dict.fromkeys(made.config.male_names, "male")
    genders |= dict.fromkeys(made.config.female_names, "female")
    for number in range(options["size"]):
        entry = made[number]
        yield Row(
            file=f"{options['name']}.jsonl",
            number=number + 1,
            line=None,
            key=str(number),
            cells={"question": entry["question"], "answer": entry["answer"]},
            question=entry["question"],
            answer=entry["answer"],
            genders={name: genders[name] for name in CAPITAL.findall(entry["question"]) if name in genders},
        )
