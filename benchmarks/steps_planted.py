"""Replies with wrong steps at known places: how many are found, and is a right step ever called wrong?

Replies are written from the proofs of certified stories in ten styles, each in five sets of wordings. The reader was
mended on the first four; the fifth (`held out`) was written after that, before any of it was tried, and is only
measured. The second, third and fourth set were held out before they were mended on: the reader then read 76 %, 60 % and
85 % of their lines, found all the wrong ones that it read, and called no right one contradicted.

    python benchmarks/steps_planted.py 2000 > experiments/steps/planted.json
    python benchmarks/steps_planted.py 200 planted     # planted/items and planted/replies.jsonl, for models that judge steps
"""

# ruff: noqa: E501

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import proband
from proband.core.files import read_items, write_jsonl
from proband.core.types import Item
from proband.pipeline.steps import check_reply
from proband.suites.kinship.world.relations import RELATIONS

PER_K = 80


class Line(NamedTuple):
    """A line of a reply: of whom it states something, whether that is right, and whether it is taken back."""

    text: str
    pair: tuple[str, str] = ("", "")
    right: bool = True
    withdrawn: bool = False
    states: bool = True


# a fact: P is the W of O; a set of wordings: (facts, conclusions, how a line begins)
Wording = tuple[tuple[str, ...], tuple[str, ...], Callable[[int], str]]
STYLES: dict[str, tuple[Wording, ...]] = {
    "prose": (
        (("{p} is {o}'s {w}.", "{p} is the {w} of {o}."), ("Therefore, {p} is {o}'s {w}.", "So {p} is the {w} of {o}."), lambda n: ""),
        (("{o}'s {w} is {p}.", "{o} has a {w} named {p}."), ("It follows that {o}'s {w} is {p}.", "Putting this together, {p} must be the {w} of {o}."), lambda n: ""),
        (("In the story, {p} is introduced as {o}'s {w}.", "{o} is {p}'s relative: {p} is the {w} of {o}."), ("From these two facts, {p} is {o}'s {w}.", "That leaves {p} as {o}'s {w}."), lambda n: ""),
        (("The story tells us {p} is {o}'s {w}.", "{p}, then, is the {w} of {o}."), ("Taken together, {p} is {o}'s {w}.", "As a result, {o}'s {w} is {p}."), lambda n: ""),
        (("We are told that {p} is {o}'s {w}.", "{o} is related to {p}, who is the {w} of {o}."), ("Then {p} is the {w} of {o}.", "Thus we can say that {p} is {o}'s {w}."), lambda n: ""),
    ),
    "bullets": (
        (("{p} is the {w} of {o}", "{o}'s {w} is {p}"), ("Thus, {p} is {o}'s {w}", "Therefore {p} is the {w} of {o}"), lambda n: "- "),
        (("{p}, who is {o}'s {w}", "{p} – {w} of {o}"), ("As a consequence, {p} is {o}'s {w}", "Overall: {p} is {o}'s {w}"), lambda n: "• "),
        (("{o} – {w}: {p}", "{p} is {o}'s {w} (given)"), ("{p} is therefore {o}'s {w}", "So: {p} is {o}'s {w}"), lambda n: "  - "),
        (("**{p}** is {o}'s **{w}**", "{p} is {o}'s {w}, as stated"), ("Hence {p} is the {w} of {o}", "This gives: {p} is {o}'s {w}"), lambda n: "– "),
        (("{o}'s {w} → {p}", "Fact: {p} is {o}'s {w}"), ("Conclusion → {p} is {o}'s {w}", "Which makes {p} the {w} of {o}"), lambda n: "* "),
    ),
    "numbered": (
        (("{p} is {o}'s {w}.", "{o} has a {w} called {p}."), ("Since both hold, {p} is {o}'s {w}.", "This means {p} is {o}'s {w}."), lambda n: f"{n + 1}. "),
        (("We know that {p} is the {w} of {o}.", "It is given that {p} is {o}'s {w}."), ("Combining the two, {p} has to be {o}'s {w}.", "We can conclude that {p} is the {w} of {o}."), lambda n: f"({n + 1}) "),
        (("The text says {p} is {o}'s {w}.", "{p} (the {w} of {o}) is named in the story."), ("From 1 and 2, {p} is {o}'s {w}.", "Accordingly, {p} is the {w} of {o}."), lambda n: f"{n + 1}) "),
        (("According to the story, {p} is the {w} of {o}.", "{o}'s {w} is called {p}."), ("Based on this, {p} is {o}'s {w}.", "So we find that {p} is {o}'s {w}."), lambda n: f"{n + 1}: "),
        (("{p} is {o}'s {w} (from the story).", "First: {p} is the {w} of {o}."), ("Applying the rule, {p} is {o}'s {w}.", "That means {p} is {o}'s {w}."), lambda n: f"{n + 1}. "),
    ),
    "arrows": (
        (("{p} → {o}: {w}", "{p} ({w}) → {o}"), ("⇒ {p} is {o}'s {w}", "=> {p} is the {w} of {o}"), lambda n: ""),
        (("{p} --{w}--> {o}", "{o} -> {w} -> {p}"), ("→ so {p} is {o}'s {w}", "--> {p}: {w} of {o}"), lambda n: "* "),
        (("{o} → {p} ({w})", "{p} → {w} of {o}"), ("⟹ {p} = {o}'s {w}", "→ {p} is {o}'s {w}"), lambda n: "- "),
        (("{p} is {o}'s {w} → noted", "{o} --({w})--> {p}"), ("=> so {p} is the {w} of {o}", "⇒ {o}'s {w}: {p}"), lambda n: ""),
        (("{p} → {o} ({w})", "{p} –[{w}]→ {o}"), ("→ therefore {p} is {o}'s {w}", "=> {o}'s {w} is {p}"), lambda n: ""),
    ),
    "notes": (
        (("{o}'s {w}: {p}", "{p}: {o}'s {w}"), ("Conclusion: {p} is {o}'s {w}", "Result: {p} is the {w} of {o}"), lambda n: "- "),
        (("{w} of {o}: {p}", "{p} = {w} of {o}"), ("Hence: {o}'s {w} = {p}", "In short, {p} is {o}'s {w}"), lambda n: "+ "),
        (("{o}: {w} is {p}", "{p} | {w} of {o}"), ("Derived: {p} is {o}'s {w}", "Final: {p} is the {w} of {o}"), lambda n: "* "),
        (("{w} of {o} → {p}", "{p} ({o}'s {w})"), ("Inference: {p} is {o}'s {w}", "{p}: the {w} of {o}"), lambda n: "- "),
        (("{p} – {o}'s {w}", "{o}'s {w} = {p}"), ("Deduction: {p} is {o}'s {w}", "Therefore: {p} = {o}'s {w}"), lambda n: "- "),
    ),
    "formal": (
        (("{w}({p}, {o})",), ("{w}({p}, {o})",), lambda n: ""),
        (("{w}({o}) = {p}",), ("∴ {w}({o}) = {p}",), lambda n: ""),
        (("{p} is_{w}_of {o}", "{w}[{o}] = {p}"), ("thus {w}({p}, {o})",), lambda n: ""),
        (("{w}({p},{o})", "{p} = {w}({o})"), ("=> {w}({p}, {o})", "hence {w}({p}, {o})"), lambda n: ""),
        (("{w}_of({o}) = {p}", "{w}({p}, {o}).",), ("So {w}({p}, {o})",), lambda n: ""),
    ),
    "headings": (
        (("{p} is the {w} of {o}.",), ("This makes {p} {o}'s {w}.", "That makes {p} the {w} of {o}."), lambda n: f"## Step {n + 1}\n"),
        (("Here {p} is {o}'s {w}.",), ("This tells us that {p} is {o}'s {w}.", "Now we see that {p} is the {w} of {o}."), lambda n: f"**Step {n + 1}:** "),
        (("The first thing to see is that {p} is {o}'s {w}.", "{p} is {o}'s {w}."), ("With that, {p} becomes {o}'s {w}.", "Which means {p} is the {w} of {o}."), lambda n: f"### {n + 1}. Link\n"),
        (("We start from the fact that {p} is {o}'s {w}.", "{p} is the {w} of {o}."), ("It can be concluded that {p} is {o}'s {w}.", "In conclusion, {p} is the {w} of {o}."), lambda n: f"#### Step {n + 1}:\n"),
        (("{p} is mentioned as {o}'s {w}.", "Here we learn that {p} is {o}'s {w}."), ("This shows {p} is {o}'s {w}.", "From that, {p} is the {w} of {o}."), lambda n: f"### Step {n + 1}: look closer\n"),
    ),
    "teaching": (
        (("First, note that {p} is {o}'s {w}.", "Also, {o} is someone whose {w} is {p}."), ("In other words, {p} is {o}'s {w}.", "Consequently, {p} is {o}'s {w}."), lambda n: ""),
        (("Remember, {p} is the {w} of {o}.", "From the story, {p} is {o}'s {w}."), ("By definition, that makes {p} the {w} of {o}.", "Hence we have that {p} is {o}'s {w}."), lambda n: ""),
        (("Start with {p}, the {w} of {o}.", "Note: {p} is {o}'s {w}."), ("The rule tells us that {p} is {o}'s {w}.", "Therefore it is clear that {p} is {o}'s {w}."), lambda n: ""),
        (("To begin, {p} is {o}'s {w}.", "What we know is that {p} is {o}'s {w}."), ("For this reason, {p} is {o}'s {w}.", "We thus see {p} is {o}'s {w}."), lambda n: ""),
        (("Let's note that {p} is {o}'s {w}.", "Keep in mind that {p} is {o}'s {w}."), ("Naturally, {p} is {o}'s {w}.", "This implies that {p} is {o}'s {w}."), lambda n: ""),
    ),
    "chains": (
        (("Because {p} is {o}'s {w},", "Given that {p} is the {w} of {o},"), ("{p} is {o}'s {w}.",), lambda n: ""),
        (("As {p} is {o}'s {w},", "Knowing that {p} is {o}'s {w},"), ("we get that {p} is {o}'s {w}.",), lambda n: ""),
        (("If we use that {p} is {o}'s {w},", "Seeing that {p} is the {w} of {o},"), ("it follows that {p} is {o}'s {w}.",), lambda n: ""),
        (("With {p} being {o}'s {w},", "Since {o}'s {w} is {p},"), ("it must be that {p} is {o}'s {w}.",), lambda n: ""),
        (("Since {p} is the {w} of {o},", "Considering {p} is {o}'s {w},"), ("we can deduce that {p} is {o}'s {w}.",), lambda n: ""),
    ),
    "monologue": (
        (("Okay, {p} is {o}'s {w}.", "So {p} is the {w} of {o}, right."), ("Then {p} would be {o}'s {w}.", "So {p} must be {o}'s {w}."), lambda n: ""),
        (("Hmm, {p} is {o}'s {w}.", "Let me see: {p} is {o}'s {w}."), ("Alright, {p} is {o}'s {w} then.", "So that means {p} is {o}'s {w}."), lambda n: ""),
        (("I see that {p} is {o}'s {w}.", "Now {p}, that's {o}'s {w}."), ("Which would make {p} {o}'s {w}.", "OK so {p} is {o}'s {w}."), lambda n: ""),
        (("Right, {p} is {o}'s {w}.", "Let's see, {p} is the {w} of {o}."), ("That would make {p} the {w} of {o}.", "Ah, so {p} is {o}'s {w}."), lambda n: ""),
        (("Well, {p} is {o}'s {w}.", "And {p} is the {w} of {o}."), ("Thinking about it, {p} is {o}'s {w}.", "So then {p} is {o}'s {w}."), lambda n: ""),
    ),
}  # fmt: skip
TAKEN_BACK = (
    ("Wait, no.", "Wait, that's wrong."),
    ("Hmm, no, scratch that.", "Actually, no: I misread."),
    ("Oops, wrong.", "No, that can't be it."),
    ("Hold on, that's not right.", "Sorry, I made a mistake."),
    ("Wait, that isn't right.", "Hmm, no."),
)


def other_word(word: str, rng: random.Random) -> str:
    return rng.choice([each for each in RELATIONS if each != word])


def lines_of(item: Item, style: str, which: int, wrong: bool, rng: random.Random) -> list[Line]:
    """The lines of a reply: each step of the proof, told facts before what follows from them."""
    facts, conclusions, begin = STYLES[style][which]
    names, edges = item.facts["names"], [tuple(edge) for edge in item.facts["edges"]]
    stated: list[tuple[Any, bool]] = []
    for *premises, conclusion in item.facts["proof"]:
        new = [tuple(each) for each in premises if tuple(each) in edges and (tuple(each), False) not in stated]
        stated += [(each, False) for each in new] + [(tuple(conclusion), True)]
    stated = stated or [(edges[0], False)]
    bad = rng.randrange(len(stated)) if wrong else -1
    lines: list[Line] = []
    for number, ((o, word, p), concluded) in enumerate(stated):
        said = other_word(word, rng) if number == bad else word
        form = rng.choice(conclusions if concluded else facts)
        fill, pair = {"p": names[p], "o": names[o]}, (names[p], names[o])
        if style == "monologue" and rng.random() < 0.3 and number != bad:
            first = Line(form.format(w=other_word(word, rng), **fill), pair, right=False, withdrawn=True)
            lines += [first, Line(rng.choice(TAKEN_BACK[which]), states=False)]
        text = begin(number) + form.format(w=said, **fill)
        if lines and lines[-1].text.endswith(",") and not text.startswith(names[p]):  # the next reason of a sentence
            text = text[0].lower() + text[1:]
        lines.append(Line(text, pair, right=number != bad))
    return lines


def joined(lines: list[Line], style: str) -> tuple[str, list[tuple[int, int]]]:
    """The text of a reply and where its lines stand. Prose runs on; of chains the reason ends with a comma."""
    text, places = "", []
    for line in lines:
        places.append((len(text), len(text) + len(line.text)))
        text += line.text + (" " if style in ("prose", "teaching", "chains", "monologue") else "\n")
    return text, places


def write_replies(replies: int, out: Path, *, seed: int) -> None:
    """Replies to stories of 2 to 6 facts, none of which takes anything back, with a wrong step in every second one."""
    rng = random.Random(seed)
    proband.build("kinship", out=out / "items", k="2..6", per_k=PER_K, seed=seed)
    items = list(read_items(out / "items"))
    styles = [style for style in STYLES if style != "monologue"]
    rows = []
    for number in range(replies):
        style, which, wrong = styles[number % len(styles)], number // len(styles) % 5, bool(number % 2)
        item = items[rng.randrange(len(items))]
        text, _ = joined(lines_of(item, style, which, wrong, rng), style)
        rows.append({"item_id": item.id, "model": "planted", "reply": text.strip()})
    write_jsonl(out / "replies.jsonl", rows)


def measure(replies: int, *, seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        proband.build("kinship", out=folder, k="2..6", per_k=PER_K, seed=seed)
        items = list(read_items(Path(folder)))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    shown: list[dict[str, Any]] = []
    began = time.process_time()
    for number in range(replies):
        style = list(STYLES)[number % len(STYLES)]
        which, wrong = number // len(STYLES) % 5, bool(number // (5 * len(STYLES)) % 2)
        held_out = which == 4
        item = items[rng.randrange(len(items))]
        lines = lines_of(item, style, which, wrong, rng)
        text, places = joined(lines, style)
        checked = check_reply(item, text, answer=item.facts["target"])
        for (begin, end), line in zip(places, lines, strict=True):
            steps = [step for step in checked.steps if step.begin < end and begin < step.end]
            own = [s for step in steps for s in step.statements if (s.fact.who, s.fact.of) == line.pair]
            if not line.states:
                continue
            verdict = _verdict(own, line)
            for key in (f"{style}{' (held out)' if held_out else ''}", "held out" if held_out else "mended on", "all"):
                counts[key][verdict] += 1
            if verdict in ("right called contradicted", "right called possible", "wrong called right"):
                shown.append(
                    {"verdict": verdict, "style": style, "line": line.text, "says": [str(s.fact[:4]) for s in own]}
                )
    seconds = time.process_time() - began
    return {
        "replies": replies,
        "seed": seed,
        "cpu seconds": round(seconds, 1),
        "by": {k: figures(c) for k, c in counts.items()},
        "shown": shown[:40],
    }


def _verdict(own: list[Any], line: Line) -> str:
    kind = "withdrawn" if line.withdrawn else "right" if line.right else "wrong"
    if not own:
        return f"{kind} unread"
    if line.withdrawn:
        return "withdrawn" if all(s.withdrawn for s in own) else "withdrawn but counted"
    verdicts = {s.verdict for s in own}
    worst = next(v for v in ("contradicted", "possible", "right") if v in verdicts or v == "right")
    return f"{kind} called {worst}"


def figures(c: Counter[str]) -> dict[str, Any]:
    right = sum(n for k, n in c.items() if k.startswith("right called"))
    wrong = sum(n for k, n in c.items() if k.startswith("wrong called"))
    unread = sum(n for k, n in c.items() if k.endswith("unread"))
    found = c["wrong called contradicted"] + c["wrong called possible"]
    return {
        "read": round((sum(c.values()) - unread) / sum(c.values()), 4),
        "right steps read": right,
        "right called contradicted": c["right called contradicted"],
        "right called possible": c["right called possible"],
        "wrong steps read": wrong,
        "wrong steps found": round(found / wrong, 4) if wrong else None,
        "withdrawn": c["withdrawn"],
        "withdrawn but counted": c["withdrawn but counted"],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=2000)
    parser.add_argument("folder", type=Path, nargs="?")
    given = parser.parse_args()
    if given.folder:
        write_replies(given.count, given.folder, seed=8)
    else:
        print(json.dumps(measure(given.count, seed=7), indent=1))
