"""Jinja templates. In pages, with autoescape, whatever comes from items, models or suites is text, never markup; other
files (cards, tasks of other tools) are as they are written."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Any

from proband.core.files import dumps


@cache
def environment(*packages: str) -> Any:
    """The templates (*.html) of packages, the first before the others, and those of this one that all share
    (`layout.html`)."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(package, package_path="") for package in (*packages, "proband.web")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["thousands"] = lambda number: f"{number:,}"
    made.filters["breakable"] = breakable
    return made


def breakable(name: str) -> Any:
    """A name that a line may break after its separators, and nowhere else unless it must.

    >>> str(breakable("net:a/b<c"))
    'net:<wbr>a/<wbr>b&lt;c'
    """
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(escape(part) for part in re.split(r"(?<=[:/@=_])(?=[^\s])", name))


def render(package: str, name: str, **values: Any) -> str:
    text: str = environment(package).get_template(name).render(**values)
    return text


def render_text(package: str, name: str, **values: Any) -> str:
    """A file that is no page, from the template NAME.jinja of a package; `json` writes a value for JSON and YAML."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader(package, package_path="")
    made = Environment(
        loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    made.filters |= {"json": dumps, "thousands": lambda number: f"{number:,}"}
    return made.get_template(f"{name}.jinja").render(**values)


def asset(package: str, name: str) -> str:
    """The text of a style sheet or a script that stands beside the templates."""
    return files(package).joinpath(name).read_text("utf-8")


def content_hash(script: str) -> str:
    """What a content security policy calls an inline script by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
