"""Suites, models, nets, solvers, prompts, studies and what suites declare besides, those of plug-ins included."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from proband import models, suites
from proband.core.options import NoOptions, described
from proband.core.plugins import declared
from proband.models.embedded import PACKAGES
from proband.solvers.prompts import shipped


def listing() -> dict[str, list[dict[str, Any]]]:
    """Rows of name, help and options, by kind of thing."""
    found = [suites.suite(name) for name in suites.names()]
    kinds = [kind for kind in models.kinds().values() if kind.name != "fake"]
    return {
        "suites": [row(s.name, s.question) for s in found],
        "models": [row(f"{kind.name}:", kind.help, kind.options) for kind in kinds]
        + [row(f"embedded:{name}", what) for name, (_, _, what) in PACKAGES.items()]
        + [row("net:", "a network that `proband train` wrote"), row("package.module:Object", "a model of your own")]
        + [row(f"solver:{name}", f"{s.name}, without a model") for s in found for name in s.own_models],
        "nets": [row(n.name, f"{s.name}: {n.help}", n.options) for s in found for n in s.nets],
        "solvers": [row(v.name, f"{s.name}: {v.help}", v.options) for s in found for v in s.solvers],
        "prompts": [
            row(f"{s.name}/{name}", str(v.prompts))
            for s in found
            for v in s.solvers
            if v.prompts is not None
            for name in shipped(v.prompts)
        ],
        "verbs": [row(f"{s.name} {v.name}", _first_line(declared(v.run))) for s in found for v in s.verbs],
        "tasks": [row(f"{s.name}/{name}", "for people, in `proband annotate`") for s in found for name in s.tasks],
        "variations": [row(f"{s.name}/{v.name}", v.help) for s in found for v in s.all_variations()],
        "studies": [row(name, title) for name, title in studies().items()],
    }


def studies() -> dict[str, str]:
    """The studies that ship with Proband, with their titles."""
    folder = files("proband").joinpath("studies")
    found = [file for file in folder.iterdir() if file.name.endswith(".toml")] if folder.is_dir() else []
    titles = {file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8")) for file in found}
    return {name: str(study.get("study", {}).get("title", "")) for name, study in sorted(titles.items())}


def _first_line(function: Any) -> str:
    return str(function.__doc__ or "").strip().partition("\n")[0]


def row(name: str, what: str, options: type = NoOptions) -> dict[str, Any]:
    fields = [
        {"name": field.name, "help": field.help, "default": field.default, "choices": list(field.choices)}
        for field in described(options)
    ]
    return {"name": name, "what": what, **({"options": fields} if fields else {})}
