"""Write experiments/README.md from components.toml and the committed verdicts.

    python experiments/components.py            # writes README.md
    python experiments/components.py --check    # fails if it is not what they give

The state of a component follows from what was run: *missing* where nothing was, *whole* where as many items were answered
as the paper's own design has, *sample* otherwise.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
VERDICTS = ("holds", "fails", "open")
HEAD = """# The papers, component by component

What was run of each paper, with the command that runs it.

- *whole*: as many items (or trainings, pairs, texts) as in the paper; *sample*: fewer; *missing*: not run.
- `DATA` is the folder with the papers' data, `TEXT` a folder of plain text. Other commands use our own lists.
- ✓: a nightly test runs the command on a sample.
- A finding *holds* or *fails* if its test is significant after correction; otherwise it is *open* ([how](../docs/statistics.md)).

`python experiments/components.py` writes this page from `components.toml` and the committed verdicts. [Limits](limits.md) lists what the results do not show.
"""
COUNTS = """The paper's findings, tested on our models and data: {counts}.{more}
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


def verdicts(path: Path) -> Iterator[tuple[str, str, str]]:
    """Statement, systems and verdict of each row of a table of claims or findings that has been tested."""
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip(" *") for cell in re.split(r"(?<!\\)\|", line.strip("| "))]
        verdict = next((cell for cell in cells[2:6] if cell in (*VERDICTS, "not interpretable")), "")
        if verdict and not cells[-1].startswith(("no data", "needs ")):
            yield cells[0], cells[4] if len(cells) > 5 else "", verdict


def counts(sources: Sequence[Mapping[str, Any]]) -> str:
    """Verdicts on the paper's own methods, then on later ones; statements that random rules also pass are counted separately."""
    own, later, chance, statements = Counter[str](), Counter[str](), 0, set[str]()
    for source in sources:
        for statement, systems, verdict in verdicts(HERE / source["file"]):
            if statement in source.get("by_chance", ()):
                chance += 1
                continue
            statements.add(statement)
            after = any(name in systems for name in source.get("later", ()))
            (later if after else own)[verdict] += 1
    summary = ", ".join(f"{own[verdict]} {word}" for verdict, word in zip(VERDICTS, ("hold", "fail", "are open")))
    more = [f"{own['not interpretable']} are not interpretable"] if own["not interpretable"] else []
    more += [f"later methods: {later['holds']} hold, {later['fails']} fail, {later['open']} open"] if later else []
    more += [f"{chance} tests that random rules also pass are not counted"] if chance else []
    found = f"**{summary}** ({own.total()} tests of {len(statements)} statements)"
    return COUNTS.format(counts=found, more=" " + "; ".join(more).capitalize() + "." if more else "")


def rows(paper: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for each in paper["component"]:
        size = f"{each['items']:,} of {each['of']:,} {each.get('unit', 'items')}, {'its' if each['data'] == 'paper' else 'our'} data"
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
        parts.append(counts(paper["claims"]))
        lines = ["| component | command | state | what was run | ours | published |", "|---|---|---|---|---|---|"]
        parts.append("\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows(paper))]) + "\n")
    return "\n".join(parts)


def main() -> int:
    path, text = HERE / "README.md", page()
    if "--check" in sys.argv[1:]:
        return int(path.read_text(encoding="utf-8") != text)
    path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
