"""The command line as a user meets it, with a small suite of its own: sums of two numbers, right or wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import update_wrapper
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import pytest
from msgspec import Meta
from tests.toy import ToyOptions, toy_suite

from proband.cli import main
from proband.core.types import Answer, Item
from proband.solvers import DIRECT
from proband.testing import known_suites


@dataclass(frozen=True, kw_only=True)
class BuildOptions(ToyOptions):
    """Which sums, and options of further kinds."""

    faithful: Annotated[bool, Meta(description="as in the paper")] = False
    data: Annotated[Path | None, Meta(description="file of sums")] = None


class Adder:
    """Knows the answer."""

    name = "solver:adder"

    def identity(self) -> dict[str, str]:
        return {"kind": "adder"}

    def usage(self) -> dict[str, float]:
        return {"tokens": 1234.0}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [
            Answer(item_id=item.id, scores=tuple(float(place == item.gold) for place in range(len(item.choices))))
            for item in items
        ]


SUITE = toy_suite(options=BuildOptions, solvers=(DIRECT,), own_models={"adder": Adder})


# ---- what the tests use --------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def toy() -> Iterator[None]:
    """The toy stands beside the suites that ship with Proband."""
    with known_suites(SUITE):
        yield


@dataclass
class Proband:
    """`proband(words)` runs a command that must succeed and gives what it prints; `proband.json` reads its JSON;
    `proband.fails` gives the line of an error."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, *words: object) -> str:
        code, out, err = self.run(*words)
        assert code == 0, err
        return out

    def json(self, *words: object) -> Any:
        out = self(*words, "--json")
        assert out.count("\n") == 1, "one JSON object and nothing else"
        return json.loads(out)

    def fails(self, *words: object, code: int = 2) -> str:
        found, out, err = self.run(*words)
        assert (found, out) == (code, "")
        assert err.startswith("proband: ")
        assert err.count("\n") == 1, err
        return err.strip()

    def run(self, *words: object) -> tuple[int, str, str]:
        self.capsys.readouterr()
        code = main([str(word) for word in words])
        out, err = self.capsys.readouterr()
        return code, out, err


@pytest.fixture
def proband(capsys: pytest.CaptureFixture[str], fresh_cache: Path) -> Proband:
    return Proband(capsys)


@pytest.fixture
def items(proband: Proband, tmp_path: Path) -> Path:
    """A dozen sums."""
    proband("build", "toy", "-o", tmp_path / "items")
    return tmp_path / "items"


@dataclass
class Stage:
    """Stands for a function of the pipeline: keeps what it was called with, and gives a ready result."""

    result: Any
    given: dict[str, Any] = field(default_factory=dict)
    arguments: tuple[Any, ...] = ()

    def __call__(self, *arguments: Any, **given: Any) -> Any:
        self.arguments, self.given = arguments, given
        return self.result


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Stage]:
    """`stage("study", result)` replaces pipeline.study.study; `module` is where else it is used."""

    def replace(function: str, result: Mapping[str, Any], module: str = "") -> Stage:
        made, place = Stage(result), import_module(f"proband.{module or f'pipeline.{function}'}")
        update_wrapper(made, getattr(place, function))  # its signature and help
        monkeypatch.setattr(place, function, made)
        return made

    return replace
