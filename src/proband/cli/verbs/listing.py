"""`proband list`: what there is by name (suites, models, nets, solvers, prompts, studies, also of plug-ins)."""

from __future__ import annotations

from typing import Any, Literal

from proband import models, suites
from proband.core.files import DATA, read_toml
from proband.core.plugins import NoOptions, declared, described
from proband.models.hf import PACKAGES
from proband.solvers.prompts import shipped_prompts

Kind = Literal["suites", "models", "nets", "solvers", "prompts", "verbs", "tasks", "variations", "studies"]


def listing(what: Kind | None = None) -> dict[str, list[dict[str, Any]]]:
    """List suites, models, nets, solvers, prompts, studies, and the verbs, tasks and variations of suites.

    Example: proband list solvers

    :param what: One kind only, with descriptions and options.
    """
    results = [suites.suite(name) for name in suites.names()]
    kinds = [kind for kind in models.kinds().values() if kind.name != "fake"]
    everything = {
        "suites": [row(s.name, s.question) for s in results],
        "models": [row(f"{kind.name}:", kind.help, kind.options) for kind in kinds]
        + [row(f"embedded:{name}", what) for name, (_, _, what) in PACKAGES.items()]
        + [row("net:", "a network that `proband train` wrote"), row("package.module:Object", "a model of your own")]
        + [row(f"solver:{name}", f"{s.name}, without a model") for s in results for name in s.own_models]
        + [row(f"baseline:{name}", f"{s.name}, a shortcut") for s in results for name in s.baselines],
        "nets": [row(n.name, f"{s.name}: {n.help}", n.options) for s in results for n in s.nets],
        "solvers": [row(v.name, f"{s.name}: {v.help}", v.options) for s in results for v in s.solvers],
        "prompts": [
            row(f"{s.name}/{name}", str(folder))
            for s in results
            for folder in dict.fromkeys(v.prompts for v in s.solvers if v.prompts is not None)
            for name in shipped_prompts(folder)
        ],
        "verbs": [row(f"{s.name} {v.name}", _first_line(declared(v.run))) for s in results for v in s.verbs],
        "tasks": [row(f"{s.name}/{name}", "for people, in `proband annotate`") for s in results for name in s.tasks],
        "variations": [row(f"{s.name}/{v.name}", v.help) for s in results for v in s.all_variations()],
        "studies": [row(name, title) for name, title in studies().items()],
    }
    return everything if what is None else {what: everything[what]}


def studies() -> dict[str, str]:
    """The studies that ship with Proband, with their titles."""
    paths = sorted((DATA.parent / "studies").glob("*.toml"), key=lambda path: path.stem)
    return {path.stem: str(read_toml(path).get("study", {}).get("title", "")) for path in paths}


def _first_line(function: Any) -> str:
    return str(function.__doc__ or "").strip().partition("\n")[0]


def row(name: str, what: str, options: type = NoOptions) -> dict[str, Any]:
    fields = [
        {"name": field.name, "help": field.help, "default": field.default, "choices": list(field.choices)}
        for field in described(options)
    ]
    return {"name": name, "what": what, **({"options": fields} if fields else {})}
