"""`proband build kinship --data`: CLUTRR's rows, from any release, as items; each has the auditor's verdict on its
label.

The label comes from the file. The tag `verdict` is the result of the audit (entailed, ambiguous, false, inconsistent;
see proof/verdicts.py), so a report shows how much of a model's accuracy is on right labels.
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
from proband.core.progress import Progress
from proband.core.suite import Built
from proband.core.types import Item, Tag
from proband.proof.rows import RowFile, files_at, first_cells
from proband.proof.run import judge_for
from proband.suites.kinship.audit.family_prover import provided
from proband.suites.kinship.audit.row_formats import CLUTRR, audit_row
from proband.suites.kinship.clutrr.items import to_item
from proband.suites.kinship.clutrr.rows import ClutrrRow, read_rows
from proband.suites.kinship.generate.options import RELEASED, BuildOptions, refuse_others
from proband.suites.kinship.telling.stories import ask, plain, triples
from proband.suites.kinship.world.relations import INVERSE, NEUTRAL
from proband.suites.kinship.world.rules import canonical_clause, load

BRACKETED: Final = re.compile(r"\[([^\[\]]*)\]")
LICENCE: Final = "that of the rows in {data} (CLUTRR's own: CC BY-NC 4.0)"


def build_released(options: BuildOptions, *, seed: int) -> Built:
    """Items from the rows at `data`. Options about the making of stories do not apply."""
    data = options.data
    assert data is not None
    refuse_others(options, RELEASED, "--data, which has its own stories")
    if options.question == "sets":
        raise ProbandError("'question sets' does not apply to --data: a row has one label")
    files, released = clutrr_files(data), Released(options, seed)
    return Built(items=released.items(files), licence=LICENCE.format(data=data.name), summary=released.summary)


def clutrr_files(path: Path) -> list[RowFile]:
    """The CLUTRR files at `path`: a file, a folder, or a folder of releases. Templates and lists of names are
    ignored."""
    if path.suffix == ".jsonl" or (path / "items.jsonl").is_file():
        raise ProbandError("contains items; --data needs CLUTRR's CSV files", file=path)
    files = files_at(path, (".csv", ".csv.gz"))
    if not (known := [each for each in files if path.is_file() or CLUTRR.fits(first_cells(each))]):
        raise ProbandError("contains none of CLUTRR's CSV files", file=path)
    return known


class Released:
    """CLUTRR's rows as items, and counts of what they contain."""

    def __init__(self, options: BuildOptions, seed: int) -> None:
        self.options, self.seed = options, seed
        self.verdicts: Counter[str] = Counter()
        self.cells: Counter[str] = Counter()
        self.fingerprint = Fingerprint()

    def items(self, files: Sequence[RowFile]) -> Iterator[Item]:
        ids: set[str] = set()
        judged = self.options.certify != "none"
        judge = judge_for("kinship", {"family": provided}, world=CLUTRR.world) if judged else None
        with Progress("rows") as bar:
            for source, row in ((file, row) for file in files for row in read_rows(file.path)):
                if self.options.form == "story" and not row.story.strip():
                    reason = "column 'story' is empty; use --form facts for the typed facts"
                    raise ProbandError(reason, file=source.path, line=row.line)
                known = judge.judge(audit_row(row)).verdict if judge else None
                self.fingerprint.add(row.story, row.query, row.target, row.task, row.k, row.split)
                item = self.item(row, source, known if known != "unread" else None)
                if item.id in ids:
                    item = replace(item, id=f"{source.name}:{row.line}")
                ids.add(item.id)
                self.cells[f"{item.tags['task']} k={item.tags['k']}"] += 1
                yield item
                bar.advance()

    def item(self, row: ClutrrRow, source: RowFile, verdict: str | None) -> Item:
        rng = random.Random(f"{self.seed} {source.name} {row.line}")
        x, z = (row.names[person] for person in row.query)
        question = ask(self.options.question, x=x, z=z, target=row.target, rules=load("sound"), draw=rng.random)
        item = to_item(row)
        tags: dict[str, Tag] = {**item.tags, "release": source.path.parent.resolve().name}
        facts: dict[str, Any] = {**item.facts, "clause": clause(row), "clusters": [clause(row)], **question.facts}
        if verdict is not None:
            self.verdicts[verdict] += 1
            tags["verdict"] = facts["certificate"] = verdict
        prompt = f"{self.text(row)}\n{question.text}"
        return replace(item, prompt=prompt, choices=question.choices, gold=question.gold, tags=tags, facts=facts)

    def text(self, row: ClutrrRow) -> str:
        """The story without its brackets, or the typed facts."""
        if self.options.form == "graph":
            return triples(row.typed_facts, row.names)
        if self.options.form == "facts":
            return " ".join(plain(row.typed_facts, row.names, row.genders))
        return BRACKETED.sub(r"\1", " ".join(row.story.split()))

    def summary(self) -> Mapping[str, Any]:
        return {
            "fingerprint": self.fingerprint.hex(),
            "rules": {"sound": load("sound").sha256},
            "conditions": {"form": self.options.form, "question": self.options.question},
            "counts": dict(self.cells),
            **({"verdicts": dict(self.verdicts.most_common())} if self.verdicts else {}),
        }


def clause(row: ClutrrRow) -> str:
    """The relations along the chain without genders, from the end that comes first in the alphabet. Rows with the same
    clause are not independent."""
    return ".".join(canonical_clause(tuple(NEUTRAL[word] for _, word, _ in row.chain), INVERSE))
