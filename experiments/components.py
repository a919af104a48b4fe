"""Write experiments/README.md from components.toml and the committed verdicts.

    python experiments/components.py            # writes README.md
    python experiments/components.py --check    # fails if it is not what they give

The state of a component follows from what was run: *missing* where nothing was, *whole* where as many items were answered
as the paper's own design has, *sample* otherwise.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
VERDICTS = ("holds", "fails", "open", "not interpretable")
HEAD = """# Reproductions of the papers

For each paper: what was run, the command that runs it, and which of the paper's findings hold.

- *whole*: at least as many items (or trainings, pairs, texts) as in the paper, not necessarily with the paper's data or models; *sample*: fewer; *missing*: not run.
- `DATA` is the folder with the papers' data, `TEXT` a folder of plain text. Commands without them use the data that ships with Proband. [Limits](limits.md) lists settings in which a committed run differs from the command.
- ✓: a nightly test runs the command on a sample.
- A finding *holds* if its test is significant in the paper's direction after correction, *fails* if it is significant in the opposite direction, and is *open* otherwise ([how](../docs/statistics.md#planning)).
- The tables of findings count tests, one for each method and data set. Methods that the paper does not have are counted separately: causal language models and sentence encoders for 000 (analogies) and 002 (inference), and for 001 (CLUTRR) a GAT that passes messages in both directions and an RMC whose rate rises first.

`python experiments/components.py` writes this page from `components.toml` and the committed verdicts. [Limits](limits.md) lists what the results do not show.
"""
COUNTS = """Tests of the paper's findings, with methods like the paper's but our models and data: {counts}.{more}
"""


def state(component: Mapping[str, Any]) -> str:
    """
    >>> state({"command": "proband demo", "items": 10, "of": 10}), state({"command": "", "items": 10, "of": 10})
    ('whole', 'missing')
    >>> state({"command": "proband demo", "items": 0, "of": 10}), state({"command": "proband demo", "items": 9, "of": 10})
    ('missing', 'sample')
    """
    if not component["command"] or not component["items"]:
        return "missing"
    return "whole" if component["items"] >= component["of"] else "sample"


def table_rows(path: Path) -> Iterator[Mapping[str, str]]:
    """The rows of the tables with a column `verdict`, by their columns."""
    header: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip(" *") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            header = []
        elif not header:
            header = cells
        elif "verdict" in header and cells[0].strip("-"):
            yield dict(zip(header, cells, strict=True))


def is_tested(row: Mapping[str, str]) -> bool:
    """Whether everything that the finding compares has been run, often enough for a p-value."""
    return row["p (Holm)"] != "–" and not list(row.values())[-1].endswith("compared)")


@dataclass
class Finding:
    """A statement of the paper: verdicts on the paper's own methods and on later ones."""

    source: str
    own: Counter[str] = field(default_factory=Counter)
    later: Counter[str] = field(default_factory=Counter)


def findings(sources: Sequence[Mapping[str, Any]]) -> dict[str, Finding]:
    """The paper's statements with their verdicts. What one table has tested, a later table does not add to."""
    found: dict[str, Finding] = {}
    before: set[tuple[str, str]] = set()
    for source in sources:
        here = set()
        for row in table_rows(HERE / source["file"]):
            statement, system = row.get("claim") or row["finding"], row.get("runs", "")
            if row["source"] == "ours":
                continue
            if net := re.search(source["nets"], statement) if "nets" in source else None:
                name = "GAT" if net[0].startswith("gat") else "a text network"
                statement, system = statement.replace(net[0], name, 1), net[0]
            finding = found.setdefault(statement, Finding(row["source"]))
            if is_tested(row) and (statement, system) not in before:
                here.add((statement, system))
                after = any(name in system.casefold() for name in source.get("later", ()))
                (finding.later if after else finding.own)[row["verdict"]] += 1
        before |= here
    return found


def in_words(verdicts: Counter[str]) -> str:
    """
    >>> in_words(Counter(open=2, holds=1)), in_words(Counter())
    ('holds: 1, open: 2', '')
    """
    return ", ".join(f"{verdict}: {verdicts[verdict]}" for verdict in VERDICTS if verdicts[verdict])


def counts(found: Mapping[str, Finding], by_chance: Sequence[str]) -> str:
    """Verdicts on the paper's own methods, then on later ones; statements that random rules also pass are counted separately."""
    counted = [finding for statement, finding in found.items() if statement not in by_chance]
    own, later = (sum((getattr(each, side) for each in counted), Counter[str]()) for side in ("own", "later"))
    chance = sum(found[statement].own.total() + found[statement].later.total() for statement in by_chance)
    tested = sum(bool(each.own or each.later) for each in counted)
    summary = ", ".join(f"{own[verdict]} {word}" for verdict, word in zip(VERDICTS, ("hold", "fail", "are open")))
    more = [f"{own['not interpretable']} are not interpretable"] if own["not interpretable"] else []
    more += [f"other methods: {later['holds']} hold, {later['fails']} fail, {later['open']} open"] if later else []
    more += [f"{chance} tests that random rules also pass are not counted"] if chance else []
    every = f"all {tested} were" if tested == len(counted) else f"{tested} were"
    summary = f"**{summary}** ({own.total()} tests of {len(counted)} findings; {every} tested)"
    return COUNTS.format(counts=summary, more=" " + "; ".join(more).capitalize() + "." if more else "")


def finding_rows(found: Mapping[str, Finding], remarks: Mapping[str, str]) -> Iterator[str]:
    for statement, each in found.items():
        own = in_words(each.own) or ("" if each.later else "not tested")
        cell = "; ".join(filter(None, (own, remarks.get(statement, ""))))
        yield f"| {statement} | {each.source} | {cell} | {in_words(each.later)} |"


def rows(paper: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for each in paper["component"]:
        more = f"{each['items']:,} {each.get('unit', 'items')} (paper: {each['of']:,})"
        size = (
            more if each["items"] > each["of"] else f"{each['items']:,} of {each['of']:,} {each.get('unit', 'items')}"
        )
        size += f", {'its' if each['data'] == 'paper' else 'our'} data"
        where = f"[{state(each)}]({each['result']})" if each.get("result") else state(each)
        tables = "".join(f"; table `{name}`" for name in each.get("tables", ()))
        command = f"`{each['command']}`" if each["command"] else ""
        figures = each.get("ours", ""), each.get("published", "")
        yield (
            f"{each['name']}{' ✓' if each.get('sample') else ''}",
            command,
            where,
            f"{size}: {each['run']}{tables}",
            *figures,
        )


def page() -> str:
    read = tomllib.loads((HERE / "components.toml").read_text(encoding="utf-8"))
    parts = [HEAD]
    for paper in read["paper"]:
        states = Counter(map(state, paper["component"]))
        parts.append(f"## {paper['title']}\n")
        parts.append(
            f"{states['whole']} components whole, {states['sample']} in a sample, {states['missing']} missing.\n"
        )
        lines = ["| component | command | state | what was run | ours | published |", "|---|---|---|---|---|---|"]
        parts.append("\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows(paper))]) + "\n")
        found, by_chance = findings(paper["claims"]), paper.get("by_chance", ())
        for statement, source in paper.get("untested", {}).items():
            found[statement] = Finding(source)
        parts.append(counts(found, by_chance))
        lines = ["| finding | where | the paper's methods | other methods |", "|---|---|---|---|"]
        parts.append("\n".join([*lines, *finding_rows(found, paper.get("remarks", {}))]) + "\n")
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    path, text = HERE / "README.md", page()
    if given.check:
        return int(path.read_text(encoding="utf-8") != text)
    path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
