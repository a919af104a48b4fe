"""Write: a short story that mentions the given facts and not the implied one (thesis on CLUTRR, section 3.2.3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proband.annotate.tasks.kind import Body, Check, Form, Invalid, Kind, text_of
from proband.annotate.tasks.story_checks import story_checks
from proband.annotate.texts import text
from proband.annotate.units import Unit
from proband.core.errors import ProbandError
from proband.core.files import items_path, read_items

MOST = 2000  # characters
LONGEST = 3  # facts in one story: what a template bank composes longer stories from


def sentence(names: list[str], edge: Any) -> str:
    """
    >>> sentence(["Ann", "Ben"], [0, "father", 1])
    'Ben is the father of Ann.'
    """
    i, word, j = edge
    return f"{names[j]} is the {word} of {names[i]}."


def units(path: Path) -> Iterator[Unit]:
    """Kinship items whose facts are a chain, each from one person to the next, of at most three facts."""
    for line, item in enumerate(read_items(path), start=1):
        facts = item.facts
        try:
            names, genders, edges = list(facts["names"]), list(facts["genders"]), [list(e) for e in facts["edges"]]
            first, last = facts["query"]
            target = facts["target"]
        except (KeyError, TypeError, ValueError):
            raise ProbandError(
                "not a kinship item: facts need names, genders, edges, query", file=path, line=line
            ) from None
        chain = [first, *(j for _, _, j in edges)]
        if any(edge[0] != chain[place] for place, edge in enumerate(edges)) or chain[-1] != last:
            reason = "the facts are no chain; build with --task clean --facts-along-chain"
            raise ProbandError(reason, file=items_path(path), line=line)
        if len(edges) > LONGEST:
            reason = f"{len(edges)} facts; people tell at most {LONGEST} in one story (--k 2,3)"
            raise ProbandError(reason, file=items_path(path), line=line)
        yield Unit(
            id=item.id,
            clause="-".join(edge[1] for edge in edges),
            body={
                "names": names,
                "genders": genders,
                "edges": edges,
                "chain": chain,
                "facts": [sentence(names, edge) for edge in edges],
                "implied": [first, target, last],
                "implied_fact": sentence(names, [first, target, last]),
            },
        )


def shown(body: Body) -> dict[str, Any]:
    empty = checks(body, {"story": ""})
    return {"facts": body["facts"], "implied": body["implied_fact"], "checks": empty, "most": MOST}


def checks(body: Body, form: Form) -> list[Check]:
    implied = body["implied"]
    return story_checks(
        form.get("story", "").strip(),
        names=body["names"],
        genders=body["genders"],
        edges=[tuple(edge) for edge in body["edges"]],
        implied=tuple(implied) if len(body["edges"]) > 1 else None,
    )


def answer(body: Body, form: Form) -> dict[str, Any]:
    """What must be there stops a story; what should not be there may be confirmed."""
    story = text_of(form, "story", most=MOST)
    unmet = [check for check in checks(body, {"story": story}) if not check.met]
    for check in unmet:
        if check.stops:
            raise Invalid("story", "invalid.checks", what=text(check.text, **check.values))
    if unmet and form.get("sure") != "yes":
        raise Invalid("sure", "invalid.sure", what=text(unmet[0].text, **unmet[0].values))
    return {"story": story, "sure": bool(unmet)}


def fields(body: Body, given: Body) -> dict[str, str]:
    return {"story": given.get("story", ""), "sure": "yes" if given.get("sure") else ""}


def agreed(body: Body, given: Body, gold: Any) -> float:
    """Of a trial: the share of the checks that are met."""
    results = [check.met for check in checks(body, {"story": given["story"]})]
    return sum(results) / len(results)


WRITE = Kind(
    name="write",
    units=units,
    shown=shown,
    answer=answer,
    fields=fields,
    agreed=agreed,
    labels=lambda body, given: [],
    checks=checks,
    defaults={
        "people": {"overlap": 3, "units-per-person": 10},
        "time": {"expected-seconds": 150},
        "pay": {"per-unit": 0.5},
    },
)
