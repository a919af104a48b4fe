"""Splits a reply into sentences, and a sentence into clauses for a reader of facts.

Removes what surrounds facts in replies, in any domain: marks of lists, `therefore`, `from point 2, we know
that`, `this makes X ...`. Suppositions, questions and general statements state no fact; what is taken back is marked.

>>> [(each.kind, each.text) for each in sentences("1. A is left of B.\\n- If D is left of A, fine. Wait, no.")]
[('stated', 'A is left of B.'), ('supposed', 'If D is left of A, fine.'), ('taken back', 'Wait, no.')]
>>> clause("Therefore, this means that Ann is Bea's aunt")
"Ann is Bea's aunt"
>>> list(cuts("Ann is tall, so Bea is small"))
[('Ann is tall', 'Bea is small')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

from proband.core.files import DATA, read_toml

STATED, SUPPOSED, ASKED, ANSWER, TAKEN_BACK = "stated", "supposed", "asked", "answer", "taken back"
LONGEST: Final = 1_000  # characters of a sentence that is read
MOST_CUTS: Final = 10
LINE: Final = re.compile(r"[^\n]+")
SENTENCE: Final = re.compile(
    r"""\S.*?(?:(?<!\b[A-Z])(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\be\.g)(?<!\bi\.e)[.!?]["'”’)*]*(?=\s|$)|$)"""
)
ANSWER_TAG: Final = re.compile(r"(?is)<answer>(.*?)</answer>|\\boxed\{\s*(?:\\(?:text|math)[a-z]*\{)?(.*?)\}+")
NOISE: Final = re.compile(r"[\"“”„«»*_`]+|^\W+(?=\w)|</?\w+>")
SUBJECTS: Final = {"him": "he is", "her": "she is", "them": "they are"}


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern of data/steps/discourse.toml."""
    data = read_toml(DATA / "steps" / "discourse.toml")
    parts = {each: f"(?:{'|'.join(words)})" for each, words in data["words"].items()}
    parts |= {each: own.replace("\n", "") for each, own in data["patterns"].items()}

    def whole(each: str) -> str:
        return re.sub(r"\{([a-z_]+)\}", lambda m: whole(m[1]), parts[each])

    return re.compile(f"(?i){whole(name)}")


class ReplySentence(NamedTuple):
    """`begin` and `end`: its place in the reply; `kind`: stated, supposed, asked, the answer, or taken back;
    `reconsiders`: it begins with a word such as `wait`."""

    begin: int
    end: int
    text: str
    kind: str
    reconsiders: bool = False


def sentences(reply: str) -> Iterator[ReplySentence]:
    """The sentences of a reply, line by line, without the marks of lists."""
    reply = re.sub(r"(?<=[a-z])_(?=[a-zA-Z])", " ", reply.replace("’", "'"))
    answers = [match.span() for match in ANSWER_TAG.finditer(reply)]
    supposed = False
    for line in LINE.finditer(reply):
        begin = line.start()
        while (mark := pattern("list_mark").match(reply, begin, line.end())) and mark.end() > begin:
            begin = mark.end()
        for match in SENTENCE.finditer(reply, begin, line.end()):
            place, text = match.start(), match[0].rstrip()
            if not any(letter.isalnum() for letter in text):
                continue
            kind = SUPPOSED if supposed and pattern("then").match(text) else _kind(text)
            if any(first < match.end() and place < last for first, last in answers):
                kind = ANSWER
            supposed = kind == SUPPOSED
            yield ReplySentence(place, place + len(text), text, kind, pattern("reconsiders").match(text) is not None)


def _kind(text: str) -> str:
    if pattern("supposes").search(text):
        return SUPPOSED
    if pattern("takes_back").search(text):
        return TAKEN_BACK
    if pattern("answer_line").fullmatch(text):
        return ANSWER
    asked = pattern("asks").search(pattern("recaps").sub("", text))
    listed = re.search(r":\s+\S+\s+\S", text) and not text.rstrip().endswith("?")  # `Let's list the facts: ...`
    return ASKED if asked and not listed else STATED


def clause(text: str) -> str:
    """A clause without its introduction.

    >>> clause("From point 3, we understand that this makes Ann and Bo Cy's parents.")
    "Ann and Bo are Cy's parents"
    """
    plain = NOISE.sub("", text).replace("’", "'").strip(" .!,;:")
    plain = re.sub(r"(?i)^let(?:'s| us| me)\b[^:]*:\s+", "", plain)
    plain = pattern("tail").sub("", re.sub(r"(?i),? (?:this|that|which) means$", "", plain))
    while (frame := pattern("frame").match(plain)) and frame.end() > 0:
        plain = plain[frame.end() :]
    plain = pattern("being").sub(lambda m: f"{be(m[1])} ", plain)
    if made := pattern("makes").fullmatch(plain):
        plain = f"{SUBJECTS.get(made['who'].lower()) or be(made['who'])} {made['rest']}"
    return pattern("within").sub("", pattern("would_be").sub("is", plain)).strip(" .!,;:")


def be(names: str) -> str:
    return f"{names} {'are' if re.search(r' and | & |, ', names) else 'is'}"


def cuts(text: str) -> Iterator[tuple[str, str]]:
    """The places at which a sentence may be split in two clauses."""
    for cut in islice(pattern("cut").finditer(text), MOST_CUTS):
        left, right = text[: cut.start()].strip(), text[cut.end() :].strip()
        if left and right and pattern("clause").match(clause(right)):
            first = clause(left)  # with a verb, or without a name: `James` of `James and Nova have ...` is no clause
            if pattern("clause").match(first) or not pattern("names").search(first):
                yield left, right


def answer_in(reply: str) -> str:
    """The last answer that a reply marks: in a tag, in a box, or on a line `Answer: ...`.

    >>> answer_in("So she is his aunt.\\nAnswer: aunt"), answer_in("<answer>Aunt</answer>"), answer_in("Aunt, I think.")
    ('aunt', 'Aunt', '')
    """
    tagged = [next(filter(None, match.groups()), "").strip() for match in ANSWER_TAG.finditer(reply)]
    if tagged:
        return tagged[-1]
    found = (pattern("answer_line").fullmatch(NOISE.sub("", line)) for line in reply.splitlines())
    return next((match["answer"].strip() for match in reversed([each for each in found if each])), "")
