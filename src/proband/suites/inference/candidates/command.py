"""`proband inference candidates`: questions and a store become questionnaires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from proband.core.files import sha256_file, write_json
from proband.core.options import Meta, formerly
from proband.core.progress import track
from proband.lexicon.taxonomy import open_taxonomy
from proband.suites.inference.assertions.store import Store
from proband.suites.inference.candidates.filters import chosen
from proband.suites.inference.candidates.search import Kinds, Search
from proband.suites.inference.questionnaire import Questionnaire, questionnaires, write
from proband.suites.inference.questions import read


def candidates(
    store: Annotated[Path, Meta(description="Folder that `proband inference assertions` wrote.")],
    /,
    *,
    questions: Annotated[
        Path,
        Meta(title="FILE", description="Questions: lines `Which TYPE REL ARG?`, or columns type, relation, argument."),
    ],
    out: Path,
    seed: int = 0,
    taxonomy: Annotated[
        str, Meta(title="NAME", description="Word types from auto, wordnet[:FOLDER], wn[:LEXICON], nltk or small.")
    ] = "auto",
    without: Annotated[Sequence[str], Meta(title="FILTER", description="Filter to switch off; repeatable.")] = (),
    min_count: Annotated[
        int, Meta(title="N", ge=1, description="Smallest count of an assertion.", **formerly("least"))
    ] = 1,
    max_candidates: Annotated[
        int | None, Meta(title="N", ge=1, description="Largest number of candidates per question.", **formerly("most"))
    ] = None,
) -> dict[str, Any]:
    """Find candidate answers to questions in a store and write them as questionnaires for people to judge.

    What each criterion and filter removed is in manifest.json.

    Example: proband inference candidates store --questions questions.txt -o sheets
    """
    asked = read(questions)
    filters = chosen(without)
    opened = Store(store)
    kinds = Kinds(open_taxonomy(taxonomy))
    search = Search(opened, kinds, filters, least=min_count)
    search.prepare(asked)
    unknown: list[str] = []
    answered = 0

    def sheets() -> Iterator[Questionnaire]:
        nonlocal answered
        for number, question in enumerate(track(asked, "questions", total=len(asked)), start=1):
            if kinds.wanted(question.q_type) == frozenset():
                unknown.append(question.q_type)
            found = search.candidates(question)
            answered += bool(found)
            yield from questionnaires(question, number, found, seed=seed, most=max_candidates)

    count, written = write(out, sheets())
    manifest = {
        "questions": len(asked),
        "questions_with_candidates": answered,
        "assertions": len(opened),
        "matching": search.matching,
        "removed": dict(search.removed),
        "candidates": search.matching - search.removed.total(),
        "written": written,
        "questionnaires": count,
        "unknown_types": sorted(set(unknown)),
        "taxonomy": kinds.taxonomy.source.partition(":")[0],
        "options": {"seed": seed, "min-count": min_count, "max-candidates": max_candidates, "without": list(without)},
        "sha256": {name: sha256_file(out / name) for name in ("questionnaires.jsonl", "questionnaires.tsv")},
    }
    write_json(out / "manifest.json", manifest)
    return {"out": str(out), **manifest}


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['written']:,} candidates in {result['questionnaires']:,} questionnaires in {result['out']}"
    skip = {"written", "questionnaires", "out", "options", "sha256"}
    yield {name: value for name, value in result.items() if name not in skip}
