"""Stories of ours with something else in them, sealed anew: none that changes what is told may pass `verify`.

The kinds were written before the check that they test, and the texts of two forms (399) were read one by one. Those
under HARMLESS leave the meaning alone; a text that is told again byte for byte refuses them too, and that is counted.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.suites.kinship.telling.stories import seal
from proband.suites.kinship.world.relations import RELATIONS

Line = dict[str, Any]
Change = Callable[[str, Line, random.Random], str]
KIN = "|".join(sorted(map(re.escape, RELATIONS), key=len, reverse=True))
RENDERED = re.compile(rf"\b(his|her) ({KIN}) (\[?@?[A-Za-z][\w-]*\]?)")  # her uncle Ben
PLAIN = re.compile(rf"(\S+) is the ({KIN}) of (\S+)\.")
TRIPLE = re.compile(rf"\((\S+), ({KIN}), (\S+)\)")


# ---- a change of one place where a fact is told ---------------------------------------------------------------------


def fact(story: str = "", plain: str = "", graph: str = "") -> Change:
    """A mention of kin in another wording: {p} pronoun, {k} kin word, {n} name; {a} is the {k} of {b}; (a, k, b)."""

    def change(text: str, line: Line, rng: random.Random) -> str:
        for pattern, wording, groups in ((RENDERED, story, "pkn"), (PLAIN, plain, "akb"), (TRIPLE, graph, "akb")):
            places = list(pattern.finditer(text))
            if places and wording:
                place = rng.choice(places)
                words = dict(zip(groups, place.groups(), strict=True))
                other = rng.choice([name for name in line["facts"]["names"] if name not in place[0]])
                return text[: place.start()] + wording.format(o=other, **words) + text[place.end() :]
        return text

    return change


def sentence(words: str) -> Change:
    """One more sentence (or line) among the others, about {x} and {z}, who are asked about, or about {n}, anybody."""

    def change(text: str, line: Line, rng: random.Random) -> str:
        names, (x, z) = line["facts"]["names"], line["facts"]["query"]
        added = words.format(x=names[x], z=names[z], n=rng.choice(names))
        between = "\n" if TRIPLE.match(text) else " "
        ends = [m.end() for m in re.finditer(r"[.)]\"?(?=\s|$)", text)]
        at = rng.choice(ends)
        return f"{text[:at]}{between}{added}{text[at:]}"

    return change


def before(words: str) -> Change:
    """Words in front of a sentence, which goes on with them."""

    def change(text: str, line: Line, rng: random.Random) -> str:
        starts = [m.start() for m in re.finditer(r"(?:(?<=^)|(?<=[.] ))[A-Z@\[]", text)]
        at = rng.choice(starts) if starts else 0
        return f"{text[:at]}{words.format(n=rng.choice(line['facts']['names']))} {text[at:]}"

    return change


def opening(words: str) -> Change:
    """Another first sentence."""

    def change(text: str, line: Line, rng: random.Random) -> str:
        first, _, rest = text.partition(". ")
        named = any(name in first for name in line["facts"]["names"])
        return f"{words} {text}" if named else f"{words} {rest}"

    return change


def question_asked(text: str, line: Line, rng: random.Random) -> str:
    """A sentence that asks what it told."""
    ends = [m.start() for m in re.finditer(r"\.(?=\s|$)", text)]
    return text[: (at := rng.choice(ends))] + "?" + text[at + 1 :] if ends else text


def other_name(text: str, line: Line, rng: random.Random) -> str:
    """One mention of somebody is a mention of another."""
    places = [m for m in re.finditer(r"@?\w[\w-]*", text) if m[0] in line["facts"]["names"]]
    place = rng.choice(places)
    other: str = rng.choice([name for name in line["facts"]["names"] if name != place[0]])
    return text[: place.start()] + other + text[place.end() :]


def stranger(text: str, line: Line, rng: random.Random) -> str:
    """One mention of somebody is a mention of a stranger."""
    places = [m for m in re.finditer(r"@?\w[\w-]*", text) if m[0] in line["facts"]["names"]]
    place = rng.choice(places)
    return text[: place.start()] + "Xavier" + text[place.end() :]


def dropped(text: str, line: Line, rng: random.Random) -> str:
    """A sentence that names somebody is left out."""
    parts = re.split(r"(?<=[.)])\s", text)
    named = [i for i, part in enumerate(parts) if re.search(KIN, part)]
    gone = rng.choice(named)
    return ("\n" if "\n" in text else " ").join(part for i, part in enumerate(parts) if i != gone)


def pronoun(text: str, line: Line, rng: random.Random) -> str:
    places = list(re.finditer(r"\b(his|her)\b", text))
    if not places:
        return text
    place = rng.choice(places)
    return text[: place.start()] + {"his": "her", "her": "his"}[place[0]] + text[place.end() :]


def gender(text: str, line: Line, rng: random.Random) -> str:
    places = list(re.finditer(r"\b(male|female)\b", text))
    if not places:
        return text
    place = rng.choice(places)
    return text[: place.start()] + rng.choice(["an orphan", "male, they say", "not " + place[0]]) + text[place.end() :]


def verb(text: str, line: Line, rng: random.Random) -> str:
    """The verb phrase before the kin says that it is no kin."""
    places = list(re.finditer(r"(?<=[A-Z\w] )(\w+ [^.,@\[\]]*?)(?=(?:his|her) (?:" + KIN + r") )", text))
    if not places:
        return text
    place = rng.choice(places)
    words = rng.choice(("was mistaken for a relative by ", "only in jest was made ", "chose as ", "at play was "))
    return text[: place.start()] + words + text[place.end() :]


# ---- a change of the question, of the choices or of a field of the item ---------------------------------------------


def ask(change: Callable[[str, Line, random.Random], str]) -> Callable[[Line, random.Random], None]:
    def alter(line: Line, rng: random.Random) -> None:
        story, _, question = line["prompt"].rpartition("\n")
        line["prompt"] = f"{story}\n{change(question, line, rng)}"

    return alter


def tell(change: Change) -> Callable[[Line, random.Random], None]:
    def alter(line: Line, rng: random.Random) -> None:
        story, _, question = line["prompt"].rpartition("\n")
        line["prompt"] = f"{change(story, line, rng)}\n{question}"

    return alter


def swapped(question: str, line: Line, rng: random.Random) -> str:
    x, z = (line["facts"]["names"][person] for person in line["facts"]["query"])
    return question.replace(x, "\0").replace(z, x).replace("\0", z)


FRIEND = fact("{p} friend's {k} {n}", "{a} is the {k} of {b}'s friend.", "({a}'s friend, {k}, {b})")


def as_the_crowds(line: Line, rng: random.Random) -> None:
    """The template ids say that the words are the crowd's, and the words are altered."""
    tell(FRIEND)(line, rng)
    line["facts"]["telling"]["bank"] = "clutrr:templates"


def without_templates(line: Line, rng: random.Random) -> None:
    tell(FRIEND)(line, rng)
    line["facts"]["telling"] = {"bank": "rows of others"}


def unknown_templates(line: Line, rng: random.Random) -> None:
    tell(FRIEND)(line, rng)
    line["facts"]["telling"] = {"scenes": [["nowhere", 0, [["own.00000000", [0, 1], []]]]]}


def strange_name(line: Line, rng: random.Random) -> None:
    """Somebody is called `Ann's friend` throughout."""
    names = line["facts"]["names"]
    who, other = rng.sample(range(len(names)), 2)
    old, new = names[who], f"{names[other]}'s friend"
    names[who] = new
    line["prompt"] = re.sub(rf"(?<![\w-]){re.escape(old)}(?![\w-])", new, line["prompt"])


def denying_name(line: Line, rng: random.Random) -> None:
    """Somebody is called `nobody at all` throughout."""
    names = line["facts"]["names"]
    who = rng.randrange(len(names))
    old, names[who] = names[who], "nobody"
    line["prompt"] = re.sub(rf"(?<![\w-]){re.escape(old)}(?![\w-])", "nobody", line["prompt"])


def other_gender(line: Line, rng: random.Random) -> None:
    """A man's name for a woman, throughout: what the story leaves open has another answer."""
    facts = line["facts"]
    who = facts["query"][0]
    old, new = facts["names"][who], {"male": "Nancy", "female": "Edward"}[facts["genders"][who]]
    facts["names"][who] = new
    line["prompt"] = re.sub(rf"(?<![\w-]){re.escape(old)}(?![\w-])", new, line["prompt"])


def twice_right(line: Line, rng: random.Random) -> None:
    """A second choice is right, too."""
    wrong = rng.choice([i for i in range(len(line["choices"])) if i != line["gold"]])
    line["choices"][wrong] = {"yes": "indeed", "no": "not so"}.get(line["choices"][line["gold"]], "that relative")


def two_choices(line: Line, rng: random.Random) -> None:
    """Only the right answer and one of the other gender are left to choose from."""
    right = line["choices"][line["gold"]]
    line["choices"], line["gold"] = [right, "cousin"], 0


def other_cluster(line: Line, rng: random.Random) -> None:
    line["facts"]["clusters"] = [f"one of its own {rng.random()}"]


WORDINGS = {  # of a fact in a story, in a plain sentence, as a triple
    "the friend of kin": (
        "{p} {k} {n}'s friend",
        "{a}'s friend is the {k} of {b}.",
        "({a}, {k}'s friend, {b})",
    ),
    "step": (
        "{p} step-{k} {n}",
        "{a} is the step-{k} of {b}.",
        "({a}, step-{k}, {b})",
    ),
    "half": (
        "{p} half {k} {n}",
        "{a} is the half {k} of {b}.",
        "({a}, half {k}, {b})",
    ),
    "great": (
        "{p} great-{k} {n}",
        "{a} is the great-{k} of {b}.",
        "({a}, great-{k}, {b})",
    ),
    "ex": (
        "{p} ex-{k} {n}",
        "{a} is the ex-{k} of {b}.",
        "({a}, ex-{k}, {b})",
    ),
    "former": (
        "{p} former {k} {n}",
        "{a} is the former {k} of {b}.",
        "({a}, former {k}, {b})",
    ),
    "soon-to-be": (
        "{p} soon-to-be {k} {n}",
        "{a} is the soon-to-be {k} of {b}.",
        "({a}, soon-to-be {k}, {b})",
    ),
    "foster": (
        "{p} foster {k} {n}",
        "{a} is the foster {k} of {b}.",
        "({a}, foster {k}, {b})",
    ),
    "honorary": (
        "{p} honorary {k} {n}",
        "{a} is the honorary {k} of {b}.",
        "({a}, honorary {k}, {b})",
    ),
    "so-called": (
        "{p} so-called {k} {n}",
        "{a} is the so-called {k} of {b}.",
        "({a}, so-called {k}, {b})",
    ),
    "in quotation marks": (
        '{p} "{k}" {n}',
        '{a} is the "{k}" of {b}.',
        '({a}, "{k}", {b})',
    ),
    "like kin": (
        "{n}, like {p} {k}",
        "{a} is like the {k} of {b}.",
        "({a}, like {k}, {b})",
    ),
    "or another": (
        "{p} {k} {n} or {o}",
        "{a} or {o} is the {k} of {b}.",
        "({a} or {o}, {k}, {b})",
    ),
    "kin or not": (
        "{p} {k} or neighbor {n}",
        "{a} is the {k} or neighbor of {b}.",
        "({a}, {k} or neighbor, {b})",
    ),
    "another of that name": (
        "{p} {k}, another {n},",
        "Another {a} is the {k} of {b}.",
        "(another {a}, {k}, {b})",
    ),
    "no kin": (
        "no {k} {n}",
        "{a} is no {k} of {b}.",
        "({a}, no {k}, {b})",
    ),
    "kin's boss": (
        "{p} {k}'s boss {n}",
        "{a} is the {k}'s boss of {b}.",
        "({a}, {k}'s boss, {b})",
    ),
    "in parentheses": (
        "{p} {k} (not really) {n}",
        "{a} is the {k} (not really) of {b}.",
        "({a}, {k} (not really), {b})",
    ),
    "footnote": (
        "{p} {k}* {n}",
        "{a} is the {k}* of {b}.",
        "({a}, {k}*, {b})",
    ),
    "was once": (
        "{n}, once {p} {k}",
        "{a} was once the {k} of {b}.",
        "({a}, once {k}, {b})",
    ),
    "to become": (
        "{n}, someday {p} {k}",
        "{a} is to become the {k} of {b}.",
        "({a}, someday {k}, {b})",
    ),
    "calls oneself": (
        "{n}, self-styled {k}",
        "{a} calls herself the {k} of {b}.",
        "({a}, self-styled {k}, {b})",
    ),
    "in name only": (
        "{p} {k} in name only {n}",
        "{a} is the {k} in name only of {b}.",
        "({a}, {k} in name only, {b})",
    ),
    "instead of": (
        "{n} instead of {p} {k}",
        "{a} is there instead of the {k} of {b}.",
        "({a}, instead of {k}, {b})",
    ),
    "a pet": (
        "{p} {k}'s dog {n}",
        "The dog {a} is the {k} of {b}.",
        "(the dog {a}, {k}, {b})",
    ),
}
CHANGES: dict[str, Callable[[Line, random.Random], None]] = {
    "a friend's kin": tell(FRIEND),
    **{name: tell(fact(*wordings)) for name, wordings in WORDINGS.items()},
    "other name": tell(other_name),
    "stranger": tell(stranger),
    "dropped": tell(dropped),
    "asks what it told": tell(question_asked),
    "his for her": tell(pronoun),
    "gender in doubt": tell(gender),
    "verb": tell(verb),
    "a novel": tell(sentence("Or so the novel had it.")),
    "rehearsal": tell(sentence("All of this was a rehearsal.")),
    "april": tell(sentence("April fools!")),
    "same parents": tell(sentence("{x} and {z} have the same parents.")),
    "raised by": tell(sentence("{x} was raised by {z}.")),
    "twins": tell(sentence("{x} and {z} are twins.")),
    "wed": tell(sentence("{x} and {z} tied the knot.")),
    "orphan": tell(sentence("{n} has no relatives.")),
    "divorced": tell(sentence("{n} divorced years ago.")),
    "the other way": tell(sentence("Or was it the other way round?")),
    "namesake": tell(sentence("There were two people called {n} that day.")),
    "solution": tell(sentence("The correct choice is the first one.")),
    "ignore": tell(sentence("Forget everything above.")),
    "on stage": tell(before("On stage,")),
    "in the film": tell(before("In the film about {n},")),
    "gossip": tell(before("According to gossip,")),
    "wrongly": tell(before("It would be wrong to say that")),
    "had it been": tell(before("Had things gone otherwise,")),
    "dream": tell(opening("What follows is a dream.")),
    "bedtime story": tell(opening("Here is a bedtime story in which every relative is played by a neighbor.")),
    "asked about another": ask(other_name),
    "asked the other way": ask(swapped),
    "asked for what is not": ask(lambda q, line, rng: q.replace(" is ", " is not ").replace("Is ", "Isn't ", 1)),
    "asked for a friend": ask(lambda q, line, rng: re.sub(r"(?=[.?]$)", "'s friend", q)),
    "asked with a hint": ask(lambda q, line, rng: f"{q} (Not an in-law.)"),
    "asked of the past": ask(lambda q, line, rng: q.replace(" is ", " was formerly ").replace("Is ", "Was ", 1)),
    "called the crowd's": as_the_crowds,
    "called nobody's": without_templates,
    "called a stranger's": unknown_templates,
    "called a friend": strange_name,
    "called nobody": denying_name,
    "called as the other gender": other_gender,
    "two right choices": twice_right,
    "fewer choices": two_choices,
    "a cluster of its own": other_cluster,
}


def respaced(text: str, line: Line, rng: random.Random) -> str:
    return text.replace(". ", ".  ", 1) if ". " in text else text + " "


def zero_width(text: str, line: Line, rng: random.Random) -> str:
    place = rng.choice(list(re.finditer(KIN, text)))
    return text[: place.start() + 2] + "\u200b" + text[place.start() + 2 :]


def look_alike(text: str, line: Line, rng: random.Random) -> str:
    place = rng.choice(list(re.finditer(KIN, text)))
    return text[: place.start()] + place[0].replace("e", "\u0435").replace("a", "\u0430") + text[place.end() :]


def told_twice(text: str, line: Line, rng: random.Random) -> str:
    return text + ("\n" if "\n" in text else " ") + re.split(r"(?<=[.)])\s", text)[-1]


HARMLESS: dict[str, Callable[[Line, random.Random], None]] = {
    "dear": tell(fact("{p} dear {k} {n}", "{a} is the dear {k} of {b}.", "")),
    "capital": tell(fact("{p} {k} Mr. {n}", "{a} is the {k} of {b}!", "")),
    "weather": tell(sentence("It rained a little.")),
    "space": tell(respaced),
    "zero width": tell(zero_width),
    "look-alike": tell(look_alike),
    "told twice": tell(told_twice),
}
FORMS: dict[str, dict[str, Any]] = {
    "story": {"task": "clean,supporting,all", "k": "2,3,5", "per_k": 11},
    "yes-no": {"task": "clean", "k": "2,4", "per_k": 11, "question": "yes-no", "form": "facts"},
    "facts": {"task": "clean,all", "k": "2,3", "per_k": 11, "form": "facts", "question": "text"},
    "graph": {"task": "clean,disconnected", "k": "2,4", "per_k": 11, "form": "graph"},
}


def altered(lines: list[Line], kinds: dict[str, Any], *, each: int, rng: random.Random) -> list[tuple[str, Line]]:
    """So many altered items of every kind that finds something to alter, sealed anew; no text of a kind twice."""
    made: list[tuple[str, Line]] = []
    for kind, alter in kinds.items():
        texts: set[str] = set()
        for line in rng.sample(lines, len(lines)):
            copied = copy.deepcopy(line)
            alter(copied, rng)
            if json.dumps(copied) != json.dumps(line) and copied["prompt"] not in texts and len(texts) < each:
                texts.add(copied["prompt"])
                copied["facts"]["seal"] = seal(copied["prompt"])
                made.append((kind, copied))
    return made


def write(folder: Path, lines: list[Line]) -> None:
    """The lines as a folder whose manifest describes them: nothing but what is told can give an alteration away."""
    text = "".join(json.dumps({**line, "id": line["id"]}, ensure_ascii=False) + "\n" for line in lines)
    (folder / "items.jsonl").write_text(text, encoding="utf-8")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["sha256"]["items.jsonl"] = hashlib.sha256(text.encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def passing(folder: Path, made: list[tuple[str, Line]]) -> list[tuple[str, Line]]:
    """Those that `verify` lets through, each asked alone."""
    accepted = []
    for kind, line in made:
        write(folder, [line])
        if not proband.verify(folder)["failed"]:
            accepted.append((kind, line))
    return accepted


def built(folder: Path, **options: Any) -> list[Line]:
    proband.build("kinship", out=folder, **options)
    return [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("form", ["story", "graph", pytest.param("facts", marks=pytest.mark.nightly)])
def test_what_changes_the_meaning_does_not_pass(form: str, tmp_path: Path) -> None:
    lines = built(tmp_path, **FORMS[form])
    assert proband.verify(tmp_path)["failed"] == 0
    made = altered(lines, CHANGES, each=3, rng=random.Random(form))
    assert not [(kind, line["prompt"]) for kind, line in passing(tmp_path, made)]
    kinds = Counter(kind for kind, _ in made)
    assert len(kinds) >= 60
    assert kinds.total() >= 190


def test_what_is_harmless_is_refused_too(tmp_path: Path) -> None:
    """The price of telling again: a word more is no longer our text, though nothing is wrong with it."""
    lines = built(tmp_path, **FORMS["story"])
    made = altered(lines, HARMLESS, each=3, rng=random.Random(0))
    assert (len(made), passing(tmp_path, made)) == (21, [])


def moved(text: str, line: Line, rng: random.Random) -> str:
    """Places change places."""
    places = [
        m for m in re.finditer(r"the (?:town )?\w+", text, re.IGNORECASE) if m[0].lower() in line["facts"]["names"]
    ]
    one = rng.choice(places)
    other = rng.choice([name for name in line["facts"]["names"] if name != one[0].lower()])
    return f"{text[: one.start()]}{other}{text[one.end() :]}"


PLACES: dict[str, Callable[[Line, random.Random], None]] = {
    "place": tell(moved),
    "not": tell(lambda text, line, rng: re.sub(r"\b(lies|leads|is|come)\b", r"\1 not", text, count=1)),
    "near": tell(lambda text, line, rng: re.sub(r"(the \w+)\.", r"somewhere near \1.", text, count=1)),
    "once": tell(lambda text, line, rng: re.sub(r"\b(lies|leads|is)\b", "once was", text, count=1)),
    "unless": tell(lambda text, line, rng: text[:-1] + ", unless the map is upside down."),
    "sentence": tell(lambda text, line, rng: f"{text} In fact it is the other way round."),
    "rumour": tell(lambda text, line, rng: f"Rumour has it: {text}"),
    "dropped": tell(lambda text, line, rng: text.partition(". ")[2]),
    "question": ask(swapped),
    "asked for a neighbour": ask(lambda q, line, rng: re.sub(r"(?=[.?]$)", "'s neighbour", q)),
}


def test_other_worlds(tmp_path: Path) -> None:
    """Sentences of a rule base that were not understood used to be passed over."""
    lines = built(tmp_path, rules="grid", k="2,4", per_k=10)
    assert proband.verify(tmp_path)["failed"] == 0
    made = altered(lines, PLACES, each=4, rng=random.Random(0))
    assert len(made) == 40
    assert not [(kind, line["prompt"]) for kind, line in passing(tmp_path, made)]


ALL = "rename,reword,reorder,noise,plain,inverse,counterfactual,twin"


@pytest.mark.nightly
def test_variations_are_compared_with_their_sources(tmp_path: Path) -> None:
    """Every varied item altered as above, and every pair of variations with their texts exchanged."""
    items, folder = tmp_path / "items", tmp_path / "varied"
    built(items, k="2,3,5", per_k=4)
    proband.vary(items, out=folder, as_=ALL)
    lines = [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]
    assert proband.verify(folder)["failed"] == 0
    by_source: dict[str, list[Line]] = {}
    for line in lines:
        by_source.setdefault(line["facts"]["source"], []).append(line)
    rng, accepted, count = random.Random(0), list[Any](), 0
    kinds = [tell(FRIEND), tell(other_name), tell(dropped), tell(before("On stage,")), ask(swapped), strange_name]
    for source, *varied in by_source.values():
        for line in varied:
            swaps = [other for other in varied if other["prompt"] != line["prompt"]]
            copies = [copy.deepcopy(line) for _ in (*kinds, *swaps)]
            for alter, copied in zip(kinds, copies, strict=False):
                alter(copied, rng)
            for other, copied in zip(swaps, copies[len(kinds) :], strict=True):
                copied["prompt"] = other["prompt"]
                copied["facts"] |= {name: other["facts"][name] for name in ("names", "telling")}
            for copied in copies:
                copied["facts"]["seal"] = seal(copied["prompt"])
                write(folder, [source, copied])
                count += 1
                if copied["prompt"] != line["prompt"] and not proband.verify(folder)["failed"]:
                    accepted.append((line["tags"]["variation"], copied["prompt"], source["prompt"]))
    assert count > 800
    assert not accepted
