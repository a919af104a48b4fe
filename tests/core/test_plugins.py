"""Entry points and objects of other packages: found, and refused in one line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from proband import models, suites
from proband.core import plugins
from proband.core.errors import ProbandError

GOOD = """
from proband.models import ModelKind
class Short:
    name, methods = "short", ("ll",)
    def __init__(self, *, size="1"): self.size = size
    def identity(self): return {"name": "short", "size": self.size}
    def score(self, texts, *, method): return []
class Nameless:
    identity = lambda self: {}
class Empty:
    name, identity = "empty", lambda self: {}
ready = Short()
number = 7
anonymous = Nameless()
def make(): return Short(size="made")
def load(rest, *, options): return Short(size=rest)
def bad(rest, *, options): return Empty()
KIND = ModelKind(name="short", help="short texts", load=load)
BAD = ModelKind(name="bad", help="no protocol", load=bad)
def lacking(rest, *, options): import no_such_package
LACKING = ModelKind(name="lacking", help="imports what is not there", load=lacking)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that stands in the current folder; `install` gives it entry points."""
    for name in [name for name in sys.modules if name.split(".")[0] == "theirs"]:
        del sys.modules[name]
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "__init__.py").write_text("")
    (tmp_path / "theirs" / "models.py").write_text(GOOD)
    (tmp_path / "theirs" / "broken.py").write_text("1 / 0")
    (tmp_path / "theirs" / "needs.py").write_text("import no_such_package")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def install(folder: Path, points: str, *, name: str = "theirs") -> None:
    place = folder / f"{name}-1.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (place / "entry_points.txt").write_text(points)
    sys.path.append(str(folder))


def refused(spec: str, **given: str) -> str:
    with pytest.raises(ProbandError) as caught:
        models.load(spec, given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_an_object_by_its_path(package: Path) -> None:
    assert models.load("theirs.models:Short").identity()["size"] == "1"
    assert models.load("theirs.models:Short", {"size": "9"}).identity()["size"] == "9"
    assert models.load("theirs.models:make").identity()["size"] == "made"
    assert models.load("theirs.models:ready") is sys.modules["theirs.models"].ready


def test_objects_that_are_no_model(package: Path) -> None:
    assert refused("theirs.model:Short") == "no module 'theirs.model' is installed or in this folder"
    assert refused("nothing.at.all:Short") == "no module 'nothing.at.all' is installed or in this folder"
    assert "the module 'theirs.models' has no 'Shorter'" in refused("theirs.models:Shorter")
    assert "'theirs.broken' cannot be imported: ZeroDivisionError" in refused("theirs.broken:Short")
    assert "'theirs.needs' cannot be imported: ModuleNotFoundError" in refused("theirs.needs:Short")
    assert "is of type int, not a model" in refused("theirs.models:number")
    assert "has no text `name`" in refused("theirs.models:anonymous")
    assert "has none of the protocols ScoresText, EmbedsWords" in refused("theirs.models:Empty")
    assert "cannot be made with the options ['colour']" in refused("theirs.models:Short", colour="red")
    assert "an object, not a class, and takes no option 'size'" in refused("theirs.models:ready", size="2")
    assert "no model 'gpt2' (did you mean hf:gpt2?)" in refused("gpt2")
    assert "no model 'embeded:mlm' (did you mean embedded?)" in refused("embeded:mlm")
    assert "no model 'openai' (did you mean openai:NAME?)" in refused("openai")
    assert "(did you mean gguf:model.gguf?)" in refused("model.gguf")
    assert "no model embedded:smollm (did you mean smollm2?)" in refused("embedded:smollm")
    assert "no model 'openai:' (did you mean openai:NAME?)" in refused("openai:")
    assert "hf:..., gguf:..., vec:..." in refused("foo/bar:gpt2")


def test_a_kind_of_another_package(package: Path) -> None:
    install(package, "[proband.models]\nshort = theirs.models:KIND\n")
    assert "theirs.models" not in sys.modules  # not before it is asked for
    assert models.load("short:5").identity()["size"] == "5"
    assert list(models.kinds()) == [*models.KINDS, "short"]
    assert "short:... has no option 'size'; it has none" in refused("short:5", size="1")
    assert models.load("baseline:random").name == "baseline:random"


@pytest.mark.parametrize(
    ("point", "spec", "message"),
    [
        ("odd = theirs.models:Short", "odd:1", "package theirs: its proband.models entry point 'odd' is a type, not a"),
        ("odd = theirs.models:KIND", "odd:1", "is named 'short'; the two names must be equal"),
        ("odd = theirs.broken:KIND", "odd:1", "entry point 'odd' cannot be imported: ZeroDivisionError"),
        ("odd = theirs.nowhere:KIND", "odd:1", "cannot be imported: ModuleNotFoundError"),
        ("bad = theirs.models:BAD", "bad:1", "bad:1: the model (a Empty) has none of the protocols"),
        ("lacking = theirs.models:LACKING", "lacking:1", "lacking:1 needs the package no_such_package, which is not"),
        ("hf = theirs.models:KIND", "other:1", "its proband.models entry point 'hf' has the name of a built-in one"),
    ],
)
def test_kinds_that_are_refused(package: Path, point: str, spec: str, message: str) -> None:
    install(package, f"[proband.models]\n{point}\n")
    assert message in refused(spec)


def test_two_packages_with_one_name(package: Path) -> None:
    install(package, "[proband.models]\nshort = theirs.models:KIND\n")
    install(package, "[proband.models]\nshort = theirs.models:KIND\n", name="also-theirs")
    assert "has the name of one of package" in refused("short:1")


def test_suites(package: Path) -> None:
    install(package, "[proband.suites]\nodd = theirs.models:KIND\n")
    assert suites.names() == (*suites.BUILT_IN, "odd")
    with pytest.raises(ProbandError, match="entry point 'odd' is a ModelKind, not a Suite"):
        suites.suite("odd")
    with pytest.raises(
        ProbandError, match="no suite 'even'; there are analogy, kinship, inference, script, facts, questions, odd"
    ):
        suites.suite("even")


def test_the_built_in_lists_are_complete(root: Path) -> None:
    folders = {path.parent.name for path in (root / "src" / "proband" / "suites").glob("*/__init__.py")}
    assert set(suites.BUILT_IN) == folders
    for name, kind in models.kinds().items():
        assert kind.name == name
        assert kind.help
    assert plugins.entry_points_of("proband.no.such.group", built_in=()) == {}


def test_what_is_installed_while_we_run_is_found(package: Path) -> None:
    sys.path.append(str(package))
    assert "short" not in models.kinds()
    place = package / "theirs-1.dist-info"
    place.mkdir()
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n")
    (place / "entry_points.txt").write_text("[proband.models]\nshort = theirs.models:KIND\n")
    assert "short" in models.kinds()


def test_a_seed_goes_to_kinds_that_have_one() -> None:
    assert models.with_seed("baseline:random", {}, seed=3) == {"seed": 3}
    assert models.with_seed("baseline:random", {"seed": 5}, seed=3) == {"seed": 5}
    assert models.with_seed("embedded:glove", {}, seed=3) == {}
    assert [models.at_server(each) for each in ("openai:m", "hf:m", "solver:read", object())] == [
        True,
        False,
        False,
        False,
    ]
