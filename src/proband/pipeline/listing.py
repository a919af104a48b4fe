"""Suites, models, nets, solvers and studies by name, those of plug-ins included."""

from __future__ import annotations

from importlib.resources import files

from proband import models, suites
from proband.models.embedded import PACKAGES


def listing() -> dict[str, list[dict[str, str]]]:
    """Rows of name and help, by kind of thing."""
    found = [suites.suite(name) for name in suites.names()]
    return {
        "suites": [row(s.name, s.question) for s in found],
        "models": [row(f"{kind.name}:", kind.help) for kind in models.kinds().values() if kind.name != "fake"]
        + [row(f"embedded:{name}", what) for name, (_, _, what) in PACKAGES.items()]
        + [row("net:", "a network that `proband train` wrote"), row("package.module:Object", "a model of your own")]
        + [row(f"solver:{name}", f"{s.name}, without a model") for s in found for name in s.own_models],
        "nets": [row(n.name, f"{s.name}: {n.help}") for s in found for n in s.nets],
        "solvers": [row(v.name, f"{s.name}: {v.help}") for s in found for v in s.solvers],
        "studies": [row(name, "") for name in studies()],
    }


def studies() -> list[str]:
    """The studies that ship with Proband."""
    folder = files("proband").joinpath("studies")
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))


def row(name: str, what: str) -> dict[str, str]:
    return {"name": name, "what": what}
