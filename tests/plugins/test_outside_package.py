"""Somebody else's package with a model and a suite, installed beside Proband's wheel: every verb works with both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Proband = Callable[..., Any]


def sh(*words: object, cwd: Path, env: dict[str, str] | None = None, code: int = 0) -> str:
    done = subprocess.run([str(w) for w in words], cwd=cwd, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, f"{words}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout if code == 0 else done.stderr


@pytest.fixture(scope="module")
def clean(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the two wheels; what Proband needs is borrowed from the running environment, which a .pth
    file puts at the end of the path."""
    folder = tmp_path_factory.mktemp("outside")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder / "wheels"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    for source in (root, root / "tests" / "plugins" / "outside"):
        sh(*build, source, cwd=folder, env=environment)
    sh(sys.executable, "-m", "venv", "--without-pip", folder / "env", cwd=folder)
    python = folder / "env" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index"]
    sh(*pip, *sorted((folder / "wheels").glob("*.whl")), cwd=folder, env=environment)
    site = Path(sh(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    place = sh(python, "-c", "import proband; print(proband.__file__)", cwd=folder, env=environment).strip()
    assert Path(place).is_relative_to(folder), "the wheel is what runs, not the checkout"
    return folder


@pytest.fixture
def proband(clean: Path, tmp_path: Path) -> Proband:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= {"PROBAND_CACHE": str(tmp_path / "cache"), "PYTHONWARNINGS": "ignore"}

    def run(*words: object, code: int = 0) -> Any:
        if code:
            return sh(clean / "env" / "bin" / "proband", *words, cwd=tmp_path, env=environment, code=code)
        return json.loads(sh(clean / "env" / "bin" / "proband", *words, "--json", cwd=tmp_path, env=environment))

    return run


VERBS = """
import proband
listed = proband.listing()
assert "more" in [row["name"] for row in listed["suites"]]
assert "length:" in [row["name"] for row in listed["models"]]
assert proband.build("more", out="items", seed=3, count=60)["items"] == 60
proband.run("items", model="length:short", out="runs/short")
proband.run("items", model="length:long", model_options={"weight": 2}, out="runs/long")
proband.run("items", model="baseline:majority", out="runs/majority")
proband.report(["runs"], out="report")
proband.compare("runs/long", "runs/short")
"""


@pytest.mark.nightly
def test_the_verbs_in_python(clean: Path, tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    sh(clean / "env" / "bin" / "python", "-c", VERBS, cwd=tmp_path, env=environment)
    assert "which of two numbers is larger" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


@pytest.mark.nightly
def test_list_build_run_report_compare(proband: Proband, tmp_path: Path) -> None:
    listed = proband("list")
    assert "more" in [each["name"] for each in listed["suites"]]
    assert "length:" in [each["name"] for each in listed["models"]]
    built = proband("build", "more", "-o", "items", "--count", 60, "--seed", 3)
    assert (built["suite"], built["items"], built["licence"]) == ("more", 60, "CC0-1.0")
    proband("run", "items", "-m", "length:short", "-o", "runs/short")
    proband("run", "items", "-m", "length:long", "--model-set", "weight=2", "-o", "runs/long")
    proband("run", "items", "-m", "proband_outside.length:Length", "-o", "runs/object")
    proband("run", "items", "-m", "baseline:random", "-o", "runs/random")
    short, same = ((tmp_path / "runs" / name / "answers.jsonl").read_text() for name in ("short", "object"))
    assert short == same
    proband("report", "runs", "-o", "report")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "which of two numbers is larger" in page
    assert "length:long" in page
    proband("compare", "runs/long", "runs/short")
    proband("export", "items", "--to", "csv", "-o", "items.csv")
    assert "The larger of" in json.dumps(proband("show", "items", "more-0"))


@pytest.mark.nightly
def test_errors_are_one_line(proband: Proband) -> None:
    proband("build", "more", "-o", "items", "--count", 4)
    for words, message in (
        (("build", "less", "-o", "x"), "more"),
        (("build", "more", "-o", "x", "--count", "0"), "at least 1"),
        (("run", "items", "-o", "x", "-m", "length:round"), "there are short, long"),
        (
            ("run", "items", "-o", "x", "-m", "length:long", "--model-set", "size=1"),
            "no option 'size'; it has weight",
        ),
        (("run", "items", "-o", "x", "-m", "nowhere.at.all:Model"), "no module 'nowhere.at.all'"),
        (("run", "items", "-o", "x", "-m", "proband_outside.length:Width"), "has no 'Width'"),
        (("run", "items", "-o", "x", "-m", "proband_outside.length:KIND"), "not a model"),
    ):
        said = proband(*words, code=2)
        assert message in said
        assert said.count("\n") == 1, said
