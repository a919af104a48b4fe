"""Text for files: names made safe, tables in CSV and Markdown, templates, and the fingerprint of a data set.

Jinja templates: in pages, with autoescape, whatever comes from items, models or suites is text, never markup; other
files (cards, tasks of other tools) are as they are written.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from proband.core.files import atomic, dumps

MODULUS = 1 << 256
FORMULA = re.compile(r"\s*[=+\-@|%]|[\t\r\n]")  # how a cell begins that a spreadsheet may run


def figure(value: float, unit: str = "share", *, sign: str = "") -> str:
    """A number of a table: shares in percent with one digit, others with two.

    >>> figure(0.125, sign="+"), figure(1.5, "nats"), figure(-0.0001)
    ('+12.5', '1.50', '0.0')
    """
    text = f"{100 * value:{sign}.1f}" if unit == "share" else f"{value:{sign}.2f}"
    return text.lstrip("-+") if float(text) == 0 else text


def p_value(p: float) -> str:
    """
    >>> p_value(0.0312), p_value(0.00001), p_value(1.0)
    ('0.031', '<0.001', '1.000')
    """
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def slug(name: str) -> str:
    """A name that is safe as a file name and an anchor.

    >>> slug("Groups × probes / v1"), slug("hf:FacebookAI/roberta-base")
    ('groups-probes-v1', 'hf-facebookai-roberta-base')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "x"


def csv_lines(rows: Iterable[Iterable[Any]], *, guarded: bool = True) -> Iterator[str]:
    """The lines of a CSV file. `guarded`: people may open it in a spreadsheet, which must not run a cell.

    >>> list(csv_lines([("id", "text", "score"), (1, "a, =b", -0.5), (2, "=1+1", None)]))
    ['id,text,score\\n', '1,"a, =b",-0.5\\n', "2,'=1+1,\\n"]
    """
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    for row in rows:
        writer.writerow([guarded_cell(cell) for cell in row] if guarded else row)
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Iterable[Any]]) -> int:
    """A CSV file for people; gives the number of rows."""
    with atomic(path) as file:
        lines = 0
        for line in csv_lines(itertools.chain([header], rows)):
            file.write(line)
            lines += 1
    return lines - 1


def guarded_cell(cell: Any) -> Any:
    """A text that a spreadsheet would take for a formula gets an apostrophe before it.

    >>> guarded_cell("=HYPERLINK(1)"), guarded_cell("-1.5"), guarded_cell("m"), guarded_cell(-0.5)
    ("'=HYPERLINK(1)", '-1.5', 'm', -0.5)
    """
    if not isinstance(cell, str) or not FORMULA.match(cell):
        return cell
    try:
        float(cell)
    except ValueError:
        return "'" + cell
    return cell


def markdown_table(head: Sequence[str], body: Iterable[Sequence[str]], *, right: int = 0) -> str:
    """A pipe table; its cells are Markdown, and the last `right` columns stand to the right.

    >>> print(markdown_table(["a", "b"], [["x", "1"]], right=1))
    | a | b |
    | --- | ---: |
    | x | 1 |
    """
    rule = ["---"] * (len(head) - right) + ["---:"] * right
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *body))


def md(text: str) -> str:
    r"""Text that Markdown shows as it is.

    >>> print(md("a|b *c* <img>"))
    a\|b \*c\* &lt;img&gt;
    """
    flat = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", flat)


class Fingerprint:
    """Of the content of a data set, whatever its files are called and however its records are ordered: the sum of the
    sha256 of all records, as 64 hexadecimal digits.

    >>> one, other = Fingerprint(), Fingerprint()
    >>> for record in ("a", "b"): one.add(record)
    >>> for record in ("b", "a"): other.add(record)
    >>> one.hex() == other.hex() != Fingerprint().hex()
    True
    """

    def __init__(self) -> None:
        self.sum = 0

    def add(self, *fields: object) -> None:
        text = "\x1f".join(map(str, fields))
        self.sum = (self.sum + int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")) % MODULUS

    def hex(self) -> str:
        return f"{self.sum:064x}"


# ---- templates -------------------------------------------------------------------------------------------------------


@cache
def environment(*packages: str) -> Any:
    """The templates (*.html) of packages, the first before the others, and those of `proband.web` that all share
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
