"""Answers to StepGame by two kinds of systems: those that learn what its sentences mean from its labels, and those that
read English words. What they get wrong is compared with what the audit proves (detectors.py --stepgame FOLDER VERDICTS).

Every system gives each sentence a step of the plane, walks the sentences from the thing that is asked for to the other
and answers with the direction of the sum. *Learners*: a sentence without its names means what most one-step rows
(clean-qa1) with it are labelled, an unknown one what the nearest known one means; they differ in how many rows they
have seen. *Readers*: words and names in their order ("X ... left ... Y"); they differ in the words that they know.
The rows are those of two to ten steps, which no learner has seen.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

Step = tuple[int, int]
Sentence = tuple[str, str, str]  # without its names, and the names in their order
STEPS: dict[str, Step] = {
    "left": (-1, 0), "right": (1, 0), "above": (0, 1), "below": (0, -1), "upper-left": (-1, 1),
    "upper-right": (1, 1), "lower-left": (-1, -1), "lower-right": (1, -1), "overlap": (0, 0),
}  # fmt: skip
NAME = re.compile(r"\b[A-Z]\b")
SEEN = (15, 30, 60, 120, 250, 500, 1000)  # rows of each learner
ACROSS = {"left": -1, "right": 1}
UP = {"above": 1, "top": 1, "upper": 1, "over": 1, "below": -1, "bottom": -1, "lower": -1, "under": -1, "down": -1}
CLOCK = {"12": (0, 1), "6": (0, -1), "3": (1, 0), "9": (-1, 0), "2": (1, 1), "4": (1, -1), "8": (-1, -1), "10": (-1, 1)}
VOCABULARY = tuple((clock, words) for clock in (False, True) for words in (4, 5, 7, len(UP)))  # of each reader


def sentence(text: str) -> Sentence | None:
    """None where a sentence does not name two things ("A" may be an article, too: the names are the two last kinds)."""
    names = list(dict.fromkeys(NAME.findall(text)))
    if len(names) != 2:
        return None
    form = text.replace("12", "twelve")
    return re.sub(rf"\b{names[1]}\b", "#", re.sub(rf"\b{names[0]}\b", "@", form)).lower(), names[0], names[1]


def walk(steps: Mapping[tuple[str, str], Step], start: str, end: str) -> str | None:
    """The direction from `end` to `start`, by the fewest sentences."""
    near: dict[str, list[tuple[str, Step]]] = defaultdict(list)
    for (one, other), (x, y) in steps.items():
        near[other].append((one, (x, y)))
        near[one].append((other, (-x, -y)))
    places, queue = {end: (0, 0)}, [end]
    for at in queue:
        for there, (x, y) in near[at]:
            if there not in places:
                places[there] = places[at][0] + x, places[at][1] + y
                queue.append(there)
    if start not in places:
        return None
    direction = tuple(int(np.sign(each)) for each in places[start])
    return next(name for name, step in STEPS.items() if step == direction)


def learner(rows: list[tuple[Sentence, Step]]) -> Callable[[str], Step | None]:
    votes: dict[str, Counter[Step]] = defaultdict(Counter)
    for (form, _, _), step in rows:
        votes[form][step] += 1
    known = {form: counts.most_common(1)[0][0] for form, counts in votes.items()}
    words = {form: set(form.split()) for form in known}

    def means(form: str) -> Step | None:
        if form not in known:
            own = set(form.split())
            known[form] = known[max(words, key=lambda each: (len(own & words[each]) / len(own | words[each]), each))]
        return known[form]

    return means


def reader(clock: bool, count: int) -> Callable[[str], Step | None]:
    across, up = ACROSS, dict(list(UP.items())[:count])

    def means(form: str) -> Step | None:
        found = re.findall(r"[a-z]+|[0-9]+|[@#]", form.replace("twelve", "12"))
        if clock and (hour := next((CLOCK[word] for word in found if word in CLOCK), None)):
            return hour
        x, y = (next((known[word] for word in found if word in known), 0) for known in (across, up))
        places = [at for at, word in enumerate(found) if word in across or word in up]
        if not places:
            return None
        # "@ is left of #": what is said of the first name; "@ has # on its left": of the second
        turned = any(word in ("and", "with", "has") for word in found[: places[0]]) and found[: places[0]][-3:].count(
            "#"
        )
        return (-x, -y) if turned else (x, y)

    return means


def answers(folder: Path, verdicts: Path) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray]:
    """Of learners and of readers: systems x rows that were read; whether the label is wrong; the template at fault (or
    the row); the number of steps."""
    judged = {(each["file"], each["row"]): each for each in map(json.loads, verdicts.read_text().splitlines())}
    train, rows = [], []
    for k in range(1, 11):
        name = f"clean-qa{k}-valid.json.gz"
        for at, row in json.loads(gzip.decompress((folder / name).read_bytes())).items():
            asked = NAME.findall(row["question"])
            story = [known for text in row["story"] if (known := sentence(text))]
            if k == 1 and story:
                x, y = STEPS[row["label"]]
                same = story[0][1] == asked[0]
                train.append((story[0], (x, y) if same else (-x, -y)))
            elif k > 1 and judged[name, at]["verdict"] != "unread":
                rows.append((story, asked, row["label"], judged[name, at], k))
    order = np.random.default_rng(0).permutation(len(train))
    made = {
        "learners": [learner([train[at] for at in order[:size]]) for size in SEEN],
        "readers": [reader(*each) for each in VOCABULARY],
    }
    right = {
        kind: np.array([
            [_answer(means, story, asked) == label for story, asked, label, _, _ in rows] for means in systems
        ], dtype=float)
        for kind, systems in made.items()
    }  # fmt: skip
    wrong = np.array([each["verdict"] in ("false", "inconsistent") for *_, each, _ in rows])
    cause = np.array([each["cause"] or f"row {at}" for at, (*_, each, _) in enumerate(rows)])
    return right, wrong, cause, np.array([row[-1] for row in rows])


def _answer(means: Callable[[str], Step | None], story: list[Sentence], asked: list[str]) -> str | None:
    steps = {(one, other): step for form, one, other in story if (step := means(form)) is not None}
    return walk(steps, asked[0], asked[1])
