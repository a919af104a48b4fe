"""`proband build kinship --data`: CLUTRR's rows, of any release, as items; each has the auditor's verdict on its label.

The label stands as the file has it. The tag `verdict` says whether it follows from the facts (entailed, ambiguous,
false, inconsistent; see audit.py), so that a report shows how much of a model's accuracy is on labels that are right.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.progress import Progress
from proband.core.types import Built, Item
from proband.suites.kinship.audit.figures import whole
from proband.suites.kinship.audit.run import judgments, seen_rows
from proband.suites.kinship.audit.sources import Seen, Source, sources
from proband.suites.kinship.clutrr.csv_files import scan
from proband.suites.kinship.clutrr.items import to_item
from proband.suites.kinship.clutrr.rows import Row, Unreadable
from proband.suites.kinship.generate.hold_outs import canonical
from proband.suites.kinship.telling import questions
from proband.suites.kinship.telling.stories import plain
from proband.suites.kinship.world.relations import INVERSE, NEUTRAL
from proband.suites.kinship.world.rules import load

LICENCE: Final = "that of the rows in {data} (CLUTRR's own: CC BY-NC 4.0)"
APPLY: Final = ("data", "question", "form", "brackets", "certify", "workers")  # the options that mean something here


@dataclass
class Given:
    """What is asked of the rows, and what was found in them."""

    data: Path
    seed: int
    question: str
    form: str
    brackets: bool
    certify: str
    workers: int
    verdicts: Counter[str] = field(default_factory=Counter)
    cells: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)

    def built(self) -> Built:
        files = sources(self.data)
        if any(source.path.name.endswith(".jsonl") for source in files):
            raise ProbandError("holds items already; --data wants CLUTRR's CSV files", file=self.data)
        return Built(items=self.items(files), licence=LICENCE.format(data=self.data.name), summary=self.summary)

    def items(self, files: Sequence[Source]) -> Iterator[Item]:
        judged = self.judged(files)
        ids: set[str] = set()
        for source in files:
            for row in scan(source.path):
                if isinstance(row, Unreadable):
                    self.unreadable.append(str(row))
                    continue
                item = self.item(row, source, judged.get((source.name, row.line)))
                if item.id in ids:
                    item = replace(item, id=f"{source.name}:{row.line}")
                ids.add(item.id)
                self.cells[f"{item.tags['task']} k={item.tags['k']}"] += 1
                yield item

    def judged(self, files: Sequence[Source]) -> dict[tuple[str, int], str]:
        """(file, line) -> verdict."""
        if self.certify == "none":
            return {}
        rows = seen_rows(files, workers=self.workers, progress=Progress)
        verdicts = judgments(rows, workers=self.workers, progress=Progress)
        return {(row.source, row.line): whole(row, verdicts).verdict for row in rows if isinstance(row, Seen)}

    def item(self, row: Row, source: Source, verdict: str | None) -> Item:
        item = to_item(row)
        rng = random.Random(f"{self.seed} {source.name} {row.line}")
        x, z = (f"[{row.names[i]}]" if self.brackets else row.names[i] for i in row.query)
        asked, choices, gold = questions.ask(
            self.question, x=x, z=z, target=row.target, rules=load("sound"), draw=rng.random
        )
        tags = {**item.tags, "release": source.release}
        facts: dict[str, Any] = {**item.facts, "clause": clause(row), "clusters": [clause(row)]}
        if verdict is not None:
            self.verdicts[verdict] += 1
            tags["verdict"] = facts["certificate"] = verdict
        return replace(item, prompt=f"{self.text(row)}\n{asked}", choices=choices, gold=gold, tags=tags, facts=facts)

    def text(self, row: Row) -> str:
        """The story as it stands, with or without its brackets; or the typed facts."""
        names = [f"[{name}]" if self.brackets else name for name in row.names]
        edges = [*row.chain, *((i, word, j) for i, word, j in row.noise if word is not None)]
        if self.form == "graph":
            return questions.triples(edges, names)
        if self.form == "facts":
            return " ".join(plain(edges, names, row.genders))
        story = " ".join(row.story.split())
        return story if self.brackets else re.sub(r"\[([^\[\]]*)\]", r"\1", story)

    def summary(self) -> Mapping[str, Any]:
        return {
            "counts": dict(self.cells),
            **({"verdicts": dict(self.verdicts.most_common())} if self.verdicts else {}),
            "unreadable": {"rows": len(self.unreadable), "first": self.unreadable[:5]},
        }


def clause(row: Row) -> str:
    """The relations along the chain without their genders, read from whichever end comes first in the alphabet.
    Rows that share it are no independent evidence.

    >>> row = Row(file="", line=1, id="a", names=("A", "B", "C"), genders=("male",) * 3, query=(0, 2), target="uncle",
    ...           chain=((0, "father", 1), (1, "brother", 2)), noise=(), task="", k=2, split="", story="",
    ...           clean_story="", proof=())
    >>> clause(row)
    'parent.sibling'
    """
    return ".".join(canonical(tuple(NEUTRAL[word] for _, word, _ in row.chain), INVERSE))


def build(data: Path, *, seed: int, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> Built:
    """Items of the rows at `data`. Options that say how stories are made have no meaning for stories that are there."""
    changed = next((name for name, value in given.items() if name not in APPLY and value != defaults.get(name)), None)
    if changed is not None:
        raise ProbandError(f"{changed.replace('_', '-')!r} does not apply to --data, whose stories are there already")
    settings = {name: given[name] for name in APPLY if name != "data"}
    return Given(data=data, seed=seed, **settings).built()
