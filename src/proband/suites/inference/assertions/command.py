"""`proband inference assertions`: sources become a store of assertions, by processes here or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from proband.core.errors import ProbandError
from proband.core.progress import Progress
from proband.core.worker_processes import Pool, ray_session
from proband.english.extraction.plain_text import OURS
from proband.english.extraction.tally import Columns
from proband.suites.inference.assertions.parts import Done, extractor, finished, prepare, write_unit
from proband.suites.inference.assertions.sources import ExtractionOptions, Format, SourceUnit, units
from proband.suites.inference.assertions.store import build_index


def assertions(
    *sources: Path,
    out: Path,
    format: Format = "auto",
    pipeline: str = OURS,
    engine: Literal["local", "ray"] = "local",
    workers: int = 1,
) -> dict[str, Any]:
    """Extract assertions (subject, relation, object) from text, or import them, into an indexed store.

    The same command resumes after an interruption; with further sources, it adds them.

    Example: proband inference assertions articles.txt -o store

    :param sources: Files or folders to read.
    :param format: Format of the sources: Google's syntactic n-grams, parsed text, plain text, or triples.
    :param pipeline: spaCy pipeline that parses plain text.
    :param engine: local: processes on this machine; ray: the workers of a Ray cluster.
    :param workers: Number of processes.
    """
    if not sources:
        raise ProbandError("assertions needs a source: a file or a folder")
    return build_store(
        sources, out=out, options=ExtractionOptions(format=format, pipeline=pipeline), engine=engine, workers=workers
    )


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['assertions']:,} assertions in {result['out']}"
    yield {name: value for name, value in result.items() if name not in ("assertions", "out", "format")}


def build_store(
    sources: Sequence[Path],
    *,
    out: Path,
    options: ExtractionOptions | None = None,
    engine: str = "local",
    workers: int = 1,
) -> dict[str, Any]:
    """Extract or import the missing units, then index the whole store. Finished units are not changed."""
    options = options or ExtractionOptions()
    work = units(list(sources), options)
    prepare(out, options, {unit.format for unit in work})
    there = finished(out)
    todo = [unit for unit in work if unit.name not in there]
    with Progress("assertions", total=len(work)) as bar:
        bar.advance(len(work) - len(todo))
        for _ in _done(todo, options, out, engine=engine, workers=workers):
            bar.advance()
    about = build_index(out)
    done = finished(out).values()
    return {
        "out": str(out),
        "units": len(done),
        "found": sum(each.total for each in done),
        **{name: value for name, value in msgspec.to_builtins(about).items() if not name.startswith("by_")},
    }


def _done(
    todo: list[SourceUnit], options: ExtractionOptions, out: Path, *, engine: str, workers: int
) -> Iterator[Done]:
    if engine == "ray":
        yield from _on_ray(todo, options, out, workers)
    elif engine == "local":
        with Pool[SourceUnit, tuple[Columns, int]](
            extractor, (options,), workers=min(workers, max(1, len(todo)))
        ) as pool:
            for unit, pieces in zip(todo, pool.results(todo)):
                yield write_unit(out, unit, pieces)
    else:
        raise ProbandError(f"no engine {engine!r}; there are local, ray")


class RayWorker:
    """Lives in its own process; writes its parts into the store's folder, which all machines must share."""

    def __init__(self, options: ExtractionOptions, out: Path) -> None:
        self.read, self.out = extractor(options), out

    def run(self, unit: SourceUnit) -> Done:
        return write_unit(self.out, unit, self.read(unit))


def _on_ray(todo: Iterable[SourceUnit], options: ExtractionOptions, out: Path, workers: int) -> Iterator[Done]:
    with ray_session(workers) as ray:
        team = [ray.remote(num_cpus=1)(RayWorker).remote(options, out.resolve()) for _ in range(workers)]
        waiting = [team[at % len(team)].run.remote(unit) for at, unit in enumerate(todo)]
        while waiting:
            ready, waiting = ray.wait(waiting)
            yield from map(ray.get, ready)
