"""What replies add to a report: how many could not be read or failed, which runs are not finished, and how far the
prompts of one model are apart."""

from __future__ import annotations

import statistics

from proband.core.files import dumps
from proband.core.metrics import WARNED
from proband.core.suite import Sheet
from proband.report.numbers import words
from proband.report.numbers.cells import Study
from proband.report.numbers.systems import with_solver

LISTED = 5  # items that failed, by name


def unread_warnings(study: Study) -> list[str]:
    """A sentence for each run that is not finished, that failed on some items, whose replies were withheld or whose
    solver sums them up, and for each system that left more than a few replies unreadable, or items unasked or not
    covered."""
    said = []
    for each, label, statuses, errors in zip(
        study.items.answered, study.items.labels, study.arrays.statuses, study.arrays.errors, strict=True
    ):
        if each.unfinished:
            said.append(f"{label} is not finished: {each.unfinished}.")
        if errors:
            listed = "; ".join(f"{item} ({how[:100]})" for item, how in errors[:LISTED])
            more = f"; and {len(errors) - LISTED} more" if len(errors) > LISTED else ""
            said.append(f"{label} failed on {words.count(len(errors), 'item')}, which count as wrong: {listed}{more}.")
        if withheld := statuses.get("content_filter", 0):
            said.append(
                f"{label}: a filter withheld the replies to {words.count(withheld, 'item')}, which count as wrong."
            )
        if each.run.summary.get("in_words"):
            said.append(f"{label}: {each.run.summary['in_words']}.")
    for label, cell in zip(study.labels, study.cell(study.main, {})):
        if cell is not None and cell.unread > WARNED:
            said.append(f"Warning: {100 * cell.unread:.1f}% of the replies of {label} are unread and count as wrong.")
        if cell is not None and cell.skipped:
            said.append(f"{label} was not asked {words.count(cell.skipped, 'item')}, which do not count.")
        if cell is not None and cell.uncovered:
            said.append(f"{label} does not cover {words.count(cell.uncovered, 'item')}: left out of its scores.")
    return said


def prompt_spread(study: Study) -> list[Sheet]:
    """One line per model that was asked with several prompts: the scores by prompt, lowest, highest and deviation."""
    groups: dict[str, list[tuple[str, float]]] = {}
    for system, cell in zip(study.systems, study.cell(study.main, {})):
        prompt = system.tags.get("run.prompt")
        if prompt is not None and cell is not None:
            rest = {name: value for name, value in system.tags.items() if name != "run.prompt"}
            groups.setdefault(dumps(rest), []).append((str(prompt), cell.estimate.mean))
            groups[dumps(rest)].sort()
    rows = []
    for system in study.systems:
        key = dumps({name: value for name, value in system.tags.items() if name != "run.prompt"})
        found = groups.pop(key, [])
        if len({prompt for prompt, _ in found}) < 2:
            continue
        means = [mean for _, mean in found]
        listed = ", ".join(f"{prompt} {words.figure(mean, study.main)}" for prompt, mean in found)
        ends = [words.figure(value, study.main) for value in (min(means), max(means), statistics.stdev(means))]
        rows.append((with_solver(str(system.tags["run.model"]), str(system.tags["run.solver"])), listed, *ends))
    if not rows:
        return []
    header = ("model", "prompts", "lowest", "highest", "standard deviation")
    title = f"Spread between prompts ({words.metric(study.main)})"
    return [Sheet(name="prompts", title=title, header=header, rows=tuple(rows))]
