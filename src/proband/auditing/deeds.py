"""What things do in a story: an event that is named by who did it ("Ann arrived before Bo") is one event only as long
as each does one thing. Where one does two, or the question asks for another deed than the story tells, it is unread.

>>> deeds = Deeds({"arrive": ["arrive", "arrived", "arriving"], "leave": ["leave", "left", "leaving"]})
>>> came, went = Shape("@0 arrived after @1", ("ann", "bo")), Shape("@0 left before @1", ("bo", "cy"))
>>> people = {each: each for each in ("ann", "bo")}
>>> deeds.mixed([came, went], Shape("what happened first", ()), people, "Ann arrived after Bo. Bo left before Cy.")
"what 'bo' did is not one thing"
>>> [deeds.mixed([came], Shape(f"did @0 {do} before @1", ("ann", "bo")), people, "") for do in ("arrive", "leave")]
['', "what 'ann' did is not one thing"]
>>> [deeds.mixed([came], Shape(f"who {did} first", ()), people, "Ann arrived after Bo.") for did in ("arrived", "left")]
['', "that 'ann' did it is not told"]
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from proband.auditing.things import Shape

NEUTRAL: Final = ("come", "appear")  # said of any event
OF_EVENTS: Final = re.compile(r"^(?:what|which)(?: @\d+)? (?:came|comes)\b")
_TIMES = """
    noon midnight midday dawn dusk sunrise sunset breakfast lunch dinner supper monday tuesday wednesday thursday friday
    saturday sunday january february march april may june july august september october november december
    """
TIMES: Final = frozenset(_TIMES.split())


class Deeds:
    """`verbs`: the forms of each."""

    def __init__(self, verbs: Mapping[str, Sequence[str]]) -> None:
        self.verbs = {form: verb for verb, forms in verbs.items() for form in forms}
        either = "|".join(sorted(self.verbs, key=len, reverse=True)) or "(?!)"
        self.any = re.compile(rf"(?<![\w@'-])(?:{either})(?![\w'-])")
        self.own = re.compile(rf"@(\d+)(?: (?:had|was|were))? ({either})(?![\w'-])")

    def mixed(self, story: Sequence[Shape], question: Shape, meant: Mapping[str, str], text: str) -> str:
        """Why the deeds cannot be told apart by who did them; empty if they can. `meant`: which thing each phrase of
        the `text` means. A question for who did it is understood where all things are names: noon arrives nowhere."""
        if not self.verbs:
            return ""
        did: dict[str, str] = {}
        for shape in story:
            for thing, verb in self._done(shape).items():
                if did.setdefault(meant.get(thing, thing), verb) != verb or not verb:
                    return f"what {thing!r} did is not one thing"
        question = Shape(OF_EVENTS.sub("", question.text), question.things)
        for thing, verb in self._done(question).items():
            if did.get(meant.get(thing, thing), verb if verb in NEUTRAL else "") != verb:
                return f"what {thing!r} did is not one thing"
        asked = {self.verbs[form] for form in self.any.findall(question.text)}
        if not asked or question.things:
            return ""
        for thing in meant.values():
            is_name = thing not in TIMES and thing.title() in text and not re.search(rf"\b{re.escape(thing)}\b", text)
            if not is_name or {did.get(thing)} != asked:
                return f"that {thing!r} did it is not told"
        return ""

    def _done(self, shape: Shape) -> dict[str, str]:
        """What each thing of a sentence did: its own verb, or the only one of the sentence; empty if not clear."""
        verbs = {self.verbs[form] for form in self.any.findall(shape.text)}
        if not verbs:
            return {}
        own = {shape.things[int(number)]: self.verbs[form] for number, form in self.own.findall(shape.text)}
        only = next(iter(verbs)) if len(verbs) == 1 else ""
        return {thing: own.get(thing, only) for thing in shape.things if thing in own or thing not in TIMES}
