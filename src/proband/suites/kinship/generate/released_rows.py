"""`proband build kinship --data`: CLUTRR's rows, of any release, as items; each has the auditor's verdict on its label.

The label stands as the file has it. The tag `verdict` says whether it follows from the facts (entailed, ambiguous,
false, inconsistent; see proof/verdicts.py), so that a report shows how much of a model's accuracy is on labels that
are right.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.files import Fingerprint
from proband.core.progress import Progress, log
from proband.core.suite import Built
from proband.core.types import Item, Tag
from proband.proof.rows import RowFile, files_at, first_cells
from proband.proof.run import judge_for
from proband.suites.kinship.audit.family_prover import provided
from proband.suites.kinship.audit.row_formats import CLUTRR, audit_row
from proband.suites.kinship.clutrr.items import to_item
from proband.suites.kinship.clutrr.rows import ClutrrRow, Unreadable, scan
from proband.suites.kinship.generate.options import RELEASED, BuildOptions, refuse_others
from proband.suites.kinship.telling.questions import StoryQuestion, ask
from proband.suites.kinship.telling.stories import plain, shown_names, triples
from proband.suites.kinship.world.relations import INVERSE, NEUTRAL
from proband.suites.kinship.world.rules import canonical_clause, load

LICENCE: Final = "that of the rows in {data} (CLUTRR's own: CC BY-NC 4.0)"


def build_released(options: BuildOptions, *, seed: int) -> Built:
    """Items of the rows at `data`. Options that say how stories are made have no meaning for stories that are there."""
    data = options.data
    assert data is not None
    refuse_others(options, RELEASED, "--data, whose stories are there already")
    files = clutrr_files(data)
    released = Released(options, seed)
    return Built(
        items=released.items(files),
        licence=LICENCE.format(data=data.name),
        summary=released.summary,
        planned=lambda: released.planned(files),
    )


def clutrr_files(path: Path) -> list[RowFile]:
    """The CLUTRR files at `path`: a file, a folder, or a folder of releases; templates and lists of names may stand
    beside them."""
    if path.suffix == ".jsonl" or (path / "items.jsonl").is_file():
        raise ProbandError("holds items already; --data wants CLUTRR's CSV files", file=path)
    files = files_at(path, (".csv", ".csv.gz"))
    if not (known := [each for each in files if path.is_file() or CLUTRR.fits(first_cells(each))]):
        raise ProbandError("contains none of CLUTRR's CSV files", file=path)
    return known


class Released:
    """CLUTRR's rows as items, and what was found in them."""

    def __init__(self, options: BuildOptions, seed: int) -> None:
        self.options, self.seed = options, seed
        self.verdicts: Counter[str] = Counter()
        self.cells: Counter[str] = Counter()
        self.unreadable: list[str] = []
        self.fingerprint = Fingerprint()

    def items(self, files: Sequence[RowFile]) -> Iterator[Item]:
        ids: set[str] = set()
        for source, row, verdict in self._judged(files):
            if isinstance(row, Unreadable):
                if self.options.unreadable == "fail":
                    raise self.refusal(files, source, row)
                self.unreadable.append(str(row))
                continue
            self.fingerprint.add(row.story, row.query, row.target, row.task, row.k, row.split)
            item = self.item(row, source, verdict)
            if item.id in ids:
                item = replace(item, id=f"{source.name}:{row.line}")
            ids.add(item.id)
            self.cells[f"{item.tags['task']} k={item.tags['k']}"] += 1
            yield item
        if self.unreadable and not ids:
            raise ProbandError(self.unreadable[0])
        if self.unreadable:
            more = f" (and {len(self.unreadable) - 1:,} more rows)" if len(self.unreadable) > 1 else ""
            log(f"left out: {self.unreadable[0]}{more}")

    def planned(self, files: Sequence[RowFile]) -> Counter[tuple[str, int]]:
        """How many items the rows give, by split and number of choices: no label is judged."""
        results = Counter[tuple[str, int]]()
        for source, row in self._rows(files):
            if not isinstance(row, Unreadable):
                results["train" if row.split == "train" else "test", len(self._question(row, source).choices)] += 1
            elif self.options.unreadable == "fail":
                raise self.refusal(files, source, row)
        return results

    def _judged(self, files: Sequence[RowFile]) -> Iterator[tuple[RowFile, ClutrrRow | Unreadable, str | None]]:
        """Every row with the verdict on its label, if verdicts are wanted."""
        judged = self.options.certify != "none"
        judge = judge_for("kinship", {"family": provided}, world=CLUTRR.world) if judged else None
        with Progress("rows") as bar:
            for source, row in self._rows(files):
                known = judge and isinstance(row, ClutrrRow) and judge.judge(audit_row(row)).verdict
                yield source, row, known if known and known != "unread" else None
                bar.advance()

    def _rows(self, files: Sequence[RowFile]) -> Iterator[tuple[RowFile, ClutrrRow | Unreadable]]:
        """Every row; one without a story cannot be read where stories are wanted."""
        for source in files:
            for row in scan(source.path):
                if isinstance(row, ClutrrRow) and self.options.form == "story" and not row.story.strip():
                    reason = "is empty (--form facts takes the typed facts instead)"
                    row = Unreadable(file=row.file, line=row.line, column="story", reason=reason)
                yield source, row

    def refusal(self, files: Sequence[RowFile], source: RowFile, row: Unreadable) -> ProbandError:
        """The error at the first row that cannot be read, with the number of the others."""
        others = sum(isinstance(each, Unreadable) for _, each in self._rows(files)) - 1
        more = f", and {others:,} more row{'s' * (others > 1)}" if others else ""
        return ProbandError(
            f"{row.what}{more}; --unreadable skip leaves such rows out", file=source.path, line=row.line
        )

    def item(self, row: ClutrrRow, source: RowFile, verdict: str | None) -> Item:
        item, question = to_item(row), self._question(row, source)
        tags: dict[str, Tag] = {**item.tags, "release": source.path.parent.resolve().name}
        facts: dict[str, Any] = {**item.facts, "clause": clause(row), "clusters": [clause(row)], **question.facts}
        if verdict is not None:
            self.verdicts[verdict] += 1
            tags["verdict"] = facts["certificate"] = verdict
        prompt = f"{self.text(row)}\n{question.text}"
        return replace(item, prompt=prompt, choices=question.choices, gold=question.gold, tags=tags, facts=facts)

    def _question(self, row: ClutrrRow, source: RowFile) -> StoryQuestion:
        rng = random.Random(f"{self.seed} {source.name} {row.line}")
        x, z = shown_names([row.names[i] for i in row.query], brackets=self.options.brackets)
        return ask(self.options.question, x=x, z=z, target=row.target, rules=load("sound"), draw=rng.random)

    def text(self, row: ClutrrRow) -> str:
        """The story as it stands, with or without its brackets; or the typed facts."""
        names = shown_names(row.names, brackets=self.options.brackets)
        edges = row.typed_facts
        if self.options.form == "graph":
            return triples(edges, names)
        if self.options.form == "facts":
            return " ".join(plain(edges, names, row.genders))
        story = " ".join(row.story.split())
        return story if self.options.brackets else re.sub(r"\[([^\[\]]*)\]", r"\1", story)

    def summary(self) -> Mapping[str, Any]:
        return {
            "fingerprint": self.fingerprint.hex(),
            "rules": {"sound": load("sound").sha256},
            "conditions": {"form": self.options.form, "question": self.options.question},
            "counts": dict(self.cells),
            **({"verdicts": dict(self.verdicts.most_common())} if self.verdicts else {}),
            **({"unreadable": {"rows": len(self.unreadable), "first": self.unreadable[:5]}} if self.unreadable else {}),
        }


def clause(row: ClutrrRow) -> str:
    """The relations along the chain without their genders, read from whichever end comes first in the alphabet.
    Rows that share it are no independent evidence.

    >>> row = ClutrrRow(file="", line=1, id="a", names=("A", "B", "C"), genders=("male",) * 3, query=(0, 2),
    ...                 target="uncle", chain=((0, "father", 1), (1, "brother", 2)), noise=(), task="", k=2, split="",
    ...                 story="", clean_story="", proof=())
    >>> clause(row)
    'parent.sibling'
    """
    return ".".join(canonical_clause(tuple(NEUTRAL[word] for _, word, _ in row.chain), INVERSE))
