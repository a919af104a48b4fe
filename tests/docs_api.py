"""Writes the list of functions in docs/api.md from their signatures; `python tests/docs_api.py` renews it, a test
compares."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields
from pathlib import Path

import proband
from proband.core.plugins import described
from proband.pipeline.run_options import RunOptions

BEGIN, END = "<!-- written by: python tests/docs_api.py -->", "<!-- end -->"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "api.md"


def functions() -> str:
    """Every function with its arguments and the first sentence of what it does, then the options of a run."""
    lines = ["| function | what it does |", "|---|---|"]
    for name in proband.__all__:
        function = getattr(proband, name)
        given = ", ".join(_argument(each) for each in inspect.signature(function).parameters.values())
        given = "items, *, model, out, ..." if name == "run" else given  # its options are listed below
        lines.append(f"| `{name}({given})` | {_first_sentence(function)} |")
    lines += ["", "Options of `run`, which are those of the command line:", ""]
    lines += ["| option | default | |", "|---|---|---|"]
    defaults = {field.name: "" if field.default is MISSING else repr(field.default) for field in fields(RunOptions)}
    for field in described(RunOptions):
        help_ = field.help.replace("|", "\\|")
        default = f"`{defaults[field.attribute]}`" if defaults[field.attribute] else ""
        off = "`False`: " if default == "`True`" else ""  # the help is that of --no-...
        lines.append(f"| `{field.attribute}` | {default} | {off}{help_} |")
    return "\n".join(lines)


def _argument(each: inspect.Parameter) -> str:
    stars = "**" if each.kind is each.VAR_KEYWORD else "*" if each.kind is each.VAR_POSITIONAL else ""
    default = "" if each.default is inspect.Parameter.empty else f"={each.default!r}"
    return f"{stars}{each.name}{default}".replace("|", "\\|")


def _first_sentence(function: object) -> str:
    text = " ".join(inspect.cleandoc(function.__doc__ or "").split())
    return text.partition(". ")[0].rstrip(".").replace("|", "\\|") + "."


def page() -> str:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{functions()}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
