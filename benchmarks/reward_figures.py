"""What `reward_training.py` (and `reward_net.py`) measured, with intervals: before and after, proved and other labels.

    python benchmarks/reward_figures.py OUT/curves.json [--write]

Prints the table of the page. Test items are clustered by clause; the seeds are training seeds of one system. A seed
counts if both of its runs are there. `--write` puts figures, learning curves and a drawing into experiments/rewards,
named by the number of steps.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from proband import stats
from proband.core.files import write_json, write_text
from proband.reporting.charts import Axis, Mark, Picture, soft_text, svg

HERE = Path(__file__).parent.parent / "experiments" / "rewards"
WRONG = ("son-in-law", "daughter-in-law", "father-in-law", "mother-in-law")  # whose labels are reversed, or half
LABELS = {  # paint, dash and name in the drawing
    "proved": ("m0", "", "proved labels"),
    "reversed": ("m1", "5 4", "13.4 % reversed"),
    "shuffled": ("m2", "2 3", "shuffled labels"),
    "coin": ("m3", "1 4", "rewards by a coin"),
}
SETS: dict[str, Any] = {
    "all test items": lambda item: True,
    "k = 2, other names": lambda item: item["k"] == 2,
    "k = 3, held-out clauses": lambda item: item["k"] == 3,
    "parents and children in law": lambda item: item["target"] in WRONG,
    "all others": lambda item: item["target"] not in WRONG,
}


def compared(a: list[list[int]], b: list[list[int]], clauses: list[str]) -> dict[str, float]:
    made = stats.difference(a, b, clusters=clauses, seeds=True)
    names = ("mean_a", "mean_b", "value", "low", "high", "p")
    return {name: round(getattr(made, name), 4) for name in names}


def figures(data: dict[str, Any]) -> dict[str, Any]:
    runs = {labels: [each for each in data["runs"] if each["labels"] == labels] for labels in present(data)}
    made: dict[str, Any] = {}
    for name, chosen in SETS.items():
        places = [n for n, item in enumerate(data["test"]) if chosen(item)]
        clauses = [data["test"][n]["clause"] for n in places]

        def scores(labels: str, when: str, places: list[int] = places) -> list[list[int]]:
            return [[run[when][n] for n in places] for run in runs[labels]]

        made[name] = {
            "items": len(places),
            "clauses": len(set(clauses)),
            "proved - reversed, after": compared(scores("proved", "last"), scores("reversed", "last"), clauses),
        }
        for labels in runs:
            gain = compared(scores(labels, "last"), scores(labels, "first"), clauses)
            made[name][f"{labels}: after - before"] = gain
    return made


def present(data: dict[str, Any]) -> list[str]:
    return [labels for labels in LABELS if any(run["labels"] == labels for run in data["runs"])]


def whole(data: dict[str, Any]) -> dict[str, Any]:
    """The same without runs whose counterpart with other labels did not end."""
    seeds = [{run["seed"] for run in data["runs"] if run["labels"] == labels} for labels in ("proved", "reversed")]
    return {**data, "runs": [run for run in data["runs"] if all(run["seed"] in each for each in seeds)]}


def table(made: dict[str, Any]) -> list[str]:
    """The rows of the page, in points."""

    def number(value: float, sign: str = "+") -> str:
        return f"{100 * value:{sign}.1f}".replace("-", "−")

    rows = []
    for name, each in made.items():
        gain, cost = each["proved: after - before"], each["proved - reversed, after"]
        ends = [each[key]["mean_a"] for key in each if key.endswith("before")]
        means = [number(mean, "") for mean in (gain["mean_b"], *ends)]
        found = [f"{number(c['value'])} [{number(c['low'])}, {number(c['high'])}]" for c in (gain, cost)]
        rows.append(" | ".join(["", name, str(each["items"]), str(each["clauses"]), *means, *found, ""]).strip())
    return rows


def drawing(data: dict[str, Any]) -> Picture:
    """Accuracy on the test items along the steps, a line per run."""
    longest = max(run["steps"] for run in data["runs"])
    highest = max(each["right"] for run in data["runs"] for each in run["curve"])
    across, up = Axis(0, longest + 2, 60, 560), Axis(0.0, 0.4 if highest < 0.4 else 1.0, 250, 30, True)
    marks = [soft_text(across(n), 270, str(n)) for n in range(0, longest + 1, 10 if longest < 100 else 50)]
    for tick in up.ticks():
        marks += [Mark(kind="line", at=(60, up(tick), 560, up(tick)), paint="soft", opacity=0.3)]
        marks += [soft_text(52, up(tick) + 4, up.name(tick), anchor="end")]
    for run in data["runs"]:
        paint, dash, _ = LABELS[run["labels"]]
        first = sum(run["first"]) / len(run["first"])
        points = [(0, first), *((each["step"], each["right"]) for each in run["curve"])]
        places = tuple(place for step, right in points for place in (across(step), up(right)))
        marks.append(Mark(kind="poly", at=places, paint=paint, width=2, dash=dash))
        marks += [Mark(kind="dot", at=(across(step), up(right), 3), paint=paint) for step, right in points]
    for y, labels in enumerate(present(data)):
        marks.append(Mark(kind="dot", at=(584, 56 + 20 * y, 5), paint=LABELS[labels][0]))
        marks.append(Mark(kind="text", at=(596, 60 + 20 * y), text=LABELS[labels][2]))
    marks.append(soft_text(310, 288, f"steps of {data.get('prompts', 32)} items, 16 replies each"))
    title = "Accuracy on test items by proved labels, % of 704"
    marks.append(Mark(kind="text", at=(60, 16), text=title, bold=True, size=13))
    return Picture(width=720, height=300, marks=tuple(marks), title=title, description=f"{len(data['runs'])} runs.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("curves", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    data = whole(json.loads(given.curves.read_text(encoding="utf-8")))
    made = figures(data)
    print(*table(made), sep="\n")
    if given.write:
        name = f"steps-{data['runs'][0]['steps']}"
        kept = [{k: v for k, v in run.items() if k not in ("first", "last")} for run in data["runs"]]
        write_json(HERE / f"{name}.json", {**made, "labels reversed": data["labels reversed"], "runs": kept})
        write_text(HERE / f"{name}.svg", svg(drawing(data)))


if __name__ == "__main__":
    main()
