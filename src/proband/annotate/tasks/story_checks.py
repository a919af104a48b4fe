"""What a story must have before it is sent: every person, every fact's pair, whole sentences; and what it should not
have: the implied relation, a pronoun of a gender that nobody named has.

The reading is rough on purpose: it helps while one writes. Reviewers read again, and so does
the checker of the suite's template banks.

>>> people = {"names": ["Ann", "Ben"], "genders": ["female", "male"]}
>>> [c.text for c in story_checks("Ann rang.", **people, edges=[(0, "father", 1)], implied=None) if not c.met]
['write.check_names', 'write.check_pair']
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proband.annotate.tasks.kind import Check

Edge = tuple[int, str, int]
INVERSE: Final = {
    "father": "child",
    "mother": "child",
    "son": "parent",
    "daughter": "parent",
    "brother": "sibling",
    "sister": "sibling",
    "husband": "spouse",
    "wife": "spouse",
    "grandfather": "grandchild",
    "grandmother": "grandchild",
    "grandson": "grandparent",
    "granddaughter": "grandparent",
    "uncle": "nibling",
    "aunt": "nibling",
    "nephew": "pibling",
    "niece": "pibling",
    "father-in-law": "child-in-law",
    "mother-in-law": "child-in-law",
    "son-in-law": "parent-in-law",
    "daughter-in-law": "parent-in-law",
    "brother-in-law": "sibling-in-law",
    "sister-in-law": "sibling-in-law",
}
WORDS: Final = {  # neutral name -> (said of a man, said of a woman, of either)
    "child": ("son|boy", "daughter|girl", "child|kid"),
    "parent": ("father|dad|daddy|papa", "mother|mom|mum|mama|mommy|mummy", "parent"),
    "sibling": ("brother", "sister", "sibling"),
    "spouse": ("husband", "wife", "spouse"),
    "grandchild": ("grandson", "granddaughter", "grandchild"),
    "grandparent": ("grandfather|grandpa|granddad", "grandmother|grandma|granny", "grandparent"),
    "nibling": ("nephew", "niece", "nephew|niece"),
    "pibling": ("uncle", "aunt|auntie", "uncle|aunt"),
    "child-in-law": ("son-in-law", "daughter-in-law", "child-in-law"),
    "parent-in-law": ("father-in-law", "mother-in-law", "parent-in-law"),
    "sibling-in-law": ("brother-in-law", "sister-in-law", "sibling-in-law"),
}
NEUTRAL: Final = {
    each: neutral for neutral, (men, women, _) in WORDS.items() for each in (men.split("|")[0], women.split("|")[0])
}
PRONOUNS: Final = {
    **dict.fromkeys(("he", "him", "his", "himself"), "male"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "female"),
}
SENTENCE: Final = re.compile(r"[^.!?]+[.!?]+[\"'”’)]*|[^.!?]+$")


def sentences(text: str) -> list[str]:
    """
    >>> sentences("Ann rang. Did she? Yes!")
    ['Ann rang.', 'Did she?', 'Yes!']
    """
    return [part.strip() for part in SENTENCE.findall(text) if part.strip()]


def named(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def story_checks(
    text: str, *, names: Sequence[str], genders: Sequence[str], edges: Sequence[Edge], implied: Edge | None
) -> list[Check]:
    """Every check, met or not. `edges` and `implied` are [i, relation, j]: j is the relation of i."""
    missing = [name for name in names if not named(text, name)]
    parts = sentences(text)
    pairs = [(names[i], names[j]) for i, _, j in edges]
    apart = [pair for pair in pairs if not together(parts, *pair)]
    found = [
        Check(
            met=not missing,
            text="write.check_names" if missing else "write.check_names_met",
            values={"missing": ", ".join(missing)},
        ),
        *(
            Check(met=pair not in apart, text="write.check_pair", values={"a": pair[0], "b": pair[1]})
            for pair in dict.fromkeys(pairs)
        ),
        Check(met=bool(text) and not broken_sentences(parts), text="write.check_sentences", values={}),
    ]
    wrong = stray_pronoun(parts, names, genders)
    pronouns = "write.check_pronouns" if wrong else "write.check_pronouns_met"
    found.append(Check(met=wrong is None, text=pronouns, values={"word": wrong}, stops=False))
    if implied is not None:
        i, word, j = implied
        told = states(parts, names[i], names[j], word, genders[i])
        values = {"a": names[j], "word": word, "b": names[i]}
        found.append(Check(met=not told, text="write.check_implied", values=values, stops=False))
    return found


def together(parts: Sequence[str], a: str, b: str) -> bool:
    """Whether two people are named in one sentence or in two neighbouring ones."""
    windows = [f"{first} {second}" for first, second in zip(parts, [*parts[1:], ""], strict=False)]
    return any(named(window, a) and named(window, b) for window in windows)


def broken_sentences(parts: Sequence[str]) -> bool:
    """Whether some sentence has no capital at its beginning, no end, or is one word."""
    return not parts or any(
        not re.match(r"[\"'“‘(]*[A-Z0-9\[]", part) or not re.search(r"[.!?][\"'”’)]*$", part) or len(part.split()) < 2
        for part in parts
    )


def stray_pronoun(parts: Sequence[str], names: Sequence[str], genders: Sequence[str]) -> str | None:
    """A pronoun before anybody of its gender was named, sentence by sentence."""
    so_far: set[str] = set()
    for part in parts:
        so_far |= {gender for name, gender in zip(names, genders, strict=True) if named(part, name)}
        for word in re.findall(r"[A-Za-z]+", part):
            if PRONOUNS.get(word.lower(), "") not in {"", *so_far}:
                return str(word)
    return None


def states(parts: Sequence[str], a: str, b: str, word: str, gender_of_a: str) -> bool:
    """Whether some sentence says outright that b is the `word` of a, or the same from the other side.

    >>> states(["Ben is Ann's father."], "Ann", "Ben", "father", "female")
    True
    >>> states(["Ann went to see her brother Ben."], "Ann", "Ben", "father", "female")
    False
    """
    men, women, either = WORDS[INVERSE[word]] if word in INVERSE else ("", "", "")
    neutral = NEUTRAL.get(word)
    mine = word if neutral is None else "|".join(w for w in WORDS[neutral] if word in w.split("|")) or word
    other = "|".join(filter(None, (men if gender_of_a == "male" else women, either)))
    return any(_says(part, a, b, mine) or (other and _says(part, b, a, other)) for part in parts)


def _says(sentence: str, a: str, b: str, word: str) -> bool:
    """b is a's word."""
    owner, person = re.escape(a), re.escape(b)
    kin = rf"(?:\w+\s+){{0,3}}(?:{word})(?!\w|-)"
    forms = (
        rf"{owner}['’]s?\s+{kin},?\s+{person}",
        rf"{person}\s+(?:is|was|,)?\s*{owner}['’]s?\s+{kin}",
        rf"{person},?\s+(?:is\s+|was\s+)?(?:the\s+|a\s+|an\s+){kin}\s+(?:of|to)\s+{owner}",
        rf"{owner}\s+(?:has|had)\s+(?:a|an)\s+{kin},?\s+(?:named\s+|called\s+)?{person}",
        rf"{owner}[^,.;]*\b(?:his|her)\s+{kin},?\s+{person}",
    )
    return any(re.search(rf"(?<!\w){form}(?!\w)", sentence, re.IGNORECASE) for form in forms)
