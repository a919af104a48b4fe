"""`proband assertions`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from proband.cli.arguments import COUNT, Json
from proband.cli.tables import fields, give
from proband.core.errors import ProbandError


def assertions(
    *sources: Annotated[Path, Parameter(help="Files or folders to read.")],
    out: Annotated[Path, Parameter(name=("--out", "-o"), metavar="STORE", help="Folder of the store.")],
    format: Annotated[
        Literal["auto", "ngrams", "conllu", "text", "tsv", "reverb", "openie"],
        Parameter(help="Format of the sources: Google's syntactic n-grams, parsed text, plain text, or triples."),
    ] = "auto",
    pipeline: Annotated[
        str, Parameter(metavar="NAME", help="spaCy pipeline that parses plain text.")
    ] = "proband_english",
    years: Annotated[
        str | None, Parameter(metavar="A-B", help="Years of n-grams to count, as 1900-2008 (default: all).")
    ] = None,
    engine: Annotated[
        Literal["local", "ray"], Parameter(help="local: processes on this machine; ray: the workers of a Ray cluster.")
    ] = "local",
    workers: Annotated[int, Parameter(metavar="N", validator=COUNT, help="Number of processes.")] = 1,
    json: Json = False,
) -> None:
    """Extract assertions (subject, relation, object) from text, or import them, into an indexed store.

    The same command resumes after an interruption; with further sources, it adds them.

    Example: proband assertions articles.txt -o store
    """
    if not sources:
        raise ProbandError("assertions needs a source: a file or a folder")
    from proband.pipeline.inference.assertions import assertions
    from proband.suites.inference.assertions.sources import How

    how = How(format=format, pipeline=pipeline, years=span(years))
    give(assertions(sources, out=out, how=how, engine=engine, workers=workers), layout, json=json)


def span(text: str | None) -> tuple[int, int] | None:
    """
    >>> span("1900-2008"), span("1999"), span(None)
    ((1900, 2008), (1999, 1999), None)
    """
    if text is None:
        return None
    first, _, last = text.partition("-")
    last = last or first
    if not first.isdigit() or not last.isdigit() or int(first) > int(last):
        raise ProbandError(f"--years takes A-B, as in 1900-2008, not {text!r}")
    return int(first), int(last)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['assertions']:,} assertions in {result['out']}"
    skip = {"assertions", "out", "format"}
    yield fields({name: value for name, value in result.items() if name not in skip})
