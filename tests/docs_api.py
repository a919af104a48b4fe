"""Writes the list of functions in docs/api.md from their signatures; `python tests/docs_api.py` renews it, a test
compares."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path

import proband
from proband.core.plugins import described
from proband.pipeline.run_options import RunOptions, SharedRunOptions

BEGIN, END = "<!-- written by: python tests/docs_api.py -->", "<!-- end -->"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "api.md"


def functions() -> str:
    """Every function with its arguments and the first sentence of what it does, then the options of a run."""
    lines = ["| function | what it does |", "|---|---|"]
    for name in proband.__all__:
        function = getattr(proband, name)
        given = ", ".join(_arguments(function))
        given = (
            "items, *, model, out, profile=None, dry_run=False, ..." if name == "run" else given
        )  # its options are listed below
        lines.append(f"| `{name}({given})` | {_first_sentence(function)} |")
    lines += [
        "",
        "Options of `run` are those of the command line, `profile` (a TOML file with any of them)",
    ]
    lines[-1] += " and `dry_run` (estimate each run; ask no model). The `**options` of `evaluate` are "
    lines[-1] += f"{', '.join(f'`{name}`' for name in SharedRunOptions.__annotations__)}."
    lines += [""]
    lines += ["| option | default | |", "|---|---|---|"]
    defaults = {field.name: "" if field.default is MISSING else repr(field.default) for field in fields(RunOptions)}
    for field in described(RunOptions):
        help_ = field.help.replace("|", "\\|")
        default = f"`{defaults[field.attribute]}`" if defaults[field.attribute] else ""
        off = "`False`: " if default == "`True`" else ""  # the help is that of --no-...
        lines.append(f"| `{field.attribute}` | {default} | {off}{help_} |")
    return "\n".join(lines)


def _arguments(function: object) -> Iterator[str]:
    positional = True
    for each in inspect.signature(function).parameters.values():  # type: ignore[arg-type]
        if positional and each.kind is each.KEYWORD_ONLY:
            yield "*"
        positional = positional and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        yield _argument(each)


def _argument(each: inspect.Parameter) -> str:
    stars = "**" if each.kind is each.VAR_KEYWORD else "*" if each.kind is each.VAR_POSITIONAL else ""
    default = (
        ""
        if each.default is inspect.Parameter.empty
        else f"={getattr(each.default, '__name__', None) or repr(each.default)}"
    )
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
