"""Rows about families in a known format: CLUTRR's CSV with its columns of facts, the CSV of its version 1.3, and our
own items. Their facts are used unchanged; version 1.3 has none, so its stories are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from msgspec import ValidationError, convert

from proband.core.errors import ProbandError
from proband.core.suite import Audit
from proband.core.types import Fact, Item
from proband.english.domain import load
from proband.proof.rows import AuditRow, RowFormat, item_row, table_row
from proband.suites.kinship.audit.family_prover import worlds_of
from proband.suites.kinship.clutrr.rows import NEEDED, ClutrrRow, row_of
from proband.suites.kinship.world.relations import NEUTRAL
from proband.suites.kinship.world.rules import check, of_item, question_of, story_of

WORLD: Final = "strict"  # the world that CLUTRR's rules assume
PAIR: Final = re.compile(r"""\(\s*['"](.{1,80}?)['"]\s*,\s*['"](.{1,80}?)['"]\s*\)""")
STORY_COLUMNS: Final = {"text": "story", "question": "query", "answer": "target"}  # of version 1.3, without facts


def clutrr_row(place: Mapping[str, Any], cells: Mapping[str, Any]) -> AuditRow:
    """A row of CLUTRR's CSV; the copy on the Hugging Face hub has the word of its target in `target_text`."""
    column = "target_text" if "target_text" in cells else "target"
    try:
        row = row_of({**cells, "target": cells.get(column, "")}, file=place["file"], line=place["line"])
    except ProbandError as error:
        return AuditRow(**place, cells=cells, bad=str(error))
    return replace(audit_row(row), folder=place["folder"], cells=cells, answer_column=column)


def audit_row(row: ClutrrRow) -> AuditRow:
    """A row with facts in its columns."""
    asker, asked = (row.names[person] for person in row.query)
    return AuditRow(
        file=row.file,
        line=row.line,
        key=row.id,
        cells={},
        text=row.story,
        question=f"What is {asked} to {asker}?",
        answer=row.target,
        genders=dict(zip(row.names, row.genders)),
        facts=tuple(Fact(row.names[j], word, row.names[i]) for i, word, j in row.typed_facts),
        pair=(asked, asker),
    )


def own_row(place: Mapping[str, Any], cells: Mapping[str, Any]) -> AuditRow:
    """One of our items as a row. Its label is the gold choice or, for a yes-or-no question, the relation that holds."""
    try:
        item = convert(cells, Item)
        wrong = check(item) or _unknown_world(item)
    except ValidationError as error:
        wrong = str(error)
    if wrong:
        return AuditRow(**place, cells=cells, item=True, bad=wrong)
    made = fact_row(place, cells)
    label = made.answer if made.answer in NEUTRAL else str(item.facts.get("target", ""))
    return replace(made, answer=label, text=story_of(item), question=question_of(item))


def _unknown_world(item: Item) -> str | None:
    """Why the item cannot be judged, if relations mean something else in its world than in those of the domain."""
    rules = of_item(item)
    known = rules.world == "family" and rules.kin in worlds_of(load("kinship")).values()
    return None if known else f"its world, that of the rules {rules.name!r}, is none of the domain's"


def fact_row(place: Mapping[str, Any], cells: Mapping[str, Any]) -> AuditRow:
    """One of our items with its facts, unless these are of another form."""
    made = item_row(place, cells)
    try:
        facts, (i, j) = cells["facts"], cells["facts"]["query"]
        names = facts["names"]
        edges = tuple(Fact(names[b], str(word), names[a]) for a, word, b in facts["edges"])
        genders = dict(zip(names, facts.get("genders") or ()))
        return made if made.bad else replace(made, facts=edges, pair=(names[j], names[i]), genders=genders)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        return replace(made, bad=made.bad or f"'facts' are not those of an item: {error!r}")


def _is_rule_item(cells: Mapping[str, Any]) -> bool:
    """Is the item about another rule base (places on a grid)?"""
    facts = cells.get("facts")
    return "prompt" in cells and isinstance(facts, dict) and facts.keys() >= {"names", "edges", "query"}


def _is_family_item(cells: Mapping[str, Any]) -> bool:
    """Is the item about a family? Items of other rule bases (places on a grid) belong to another domain."""
    try:
        return cells.get("suite") == "kinship" and "prompt" in cells and of_item(convert(cells, Item)).world == "family"
    except ValidationError:
        return False


def story_row(place: Mapping[str, Any], cells: Mapping[str, Any]) -> AuditRow:
    """A row of CLUTRR 1.3, which asks what the second of a pair is to the first."""
    row = table_row(place, cells, STORY_COLUMNS)
    pair = PAIR.fullmatch(row.question.strip())
    return replace(row, question=f"What is {pair[2]} to {pair[1]}?") if pair else row


def _is_story(cells: Mapping[str, Any]) -> bool:
    return cells.keys() >= {"story", "query", "target"} and PAIR.fullmatch(str(cells["query"]).strip()) is not None


CLUTRR: Final = RowFormat("CLUTRR", lambda cells: cells.keys() >= {*NEEDED}, clutrr_row, "kinship", WORLD)
FORMATS: Final = (
    CLUTRR,
    RowFormat("kinship items", _is_family_item, own_row, "kinship", WORLD),
    RowFormat("items of other rules", _is_rule_item, fact_row),
    RowFormat("CLUTRR 1.3", _is_story, story_row, "kinship", WORLD),
)
AUDIT = Audit(provers={"family": "proband.suites.kinship.audit.family_prover:provided"}, formats=FORMATS)
