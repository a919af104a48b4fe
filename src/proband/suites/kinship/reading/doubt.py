"""What a text takes back: negation, attitude, modality, and remarks on its own truth. Such a text states no facts.

>>> doubt("Ben is not the son of Ann.", ["Ben", "Ann"])
"'is not the son' is not stated as a fact"
>>> doubt("Nobody believes that Ben rang his aunt Ann.", ["Ben", "Ann"])
"'believes that' is not stated as a fact"
>>> doubt("Ben could not find his aunt Ann.", ["Ben", "Ann"])  # he has one all the same
>>> doubt("None of this is true.", [])
"'true' is a remark on the story itself"
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from proband.suites.kinship.reading.lexicon import ESTRANGED, KIN, OUTSIDE

BE: Final = r"(?:is|was|are|were|be|been|being|became|becomes|remains)"
UNSURE: Final = (
    r"(?:not|n't|never|no\s+longer|hardly|barely|scarcely|neither|nor|no|almost|nearly|probably|perhaps|maybe|possibly|"
    r"likely|allegedly|supposedly|reportedly|apparently|presumably|hypothetically|said\s+to|thought\s+to|believed\s+to|"
    r"rumou?red\s+to|supposed\s+to|going\s+to|about\s+to)"
)
MODAL: Final = r"(?:may|might|could|would|should|must|can|cannot|can't|will|won't|ought\s+to|used\s+to|seems?\s+to|" \
    r"seemed\s+to|appears?\s+to|appeared\s+to|pretend(?:s|ed)?\s+to|claim(?:s|ed)?\s+to|want(?:s|ed)?\s+to|" \
    r"hope[sd]?\s+to|wish(?:es|ed)?\s+to)"  # fmt: skip
ATTITUDE: Final = (
    r"(?:believ|think|thought|dream|imagin|claim|pretend|hope|hoping|wish|suppos|suspect|den(?:y|ie)|doubt|assum|guess|"
    r"fear|joke|joking|lie[ds]|lying|swear|swore|insist|argu|deem|expect|seem|appear|fanc(?:y|ie)|predict|allege|"
    r"rumou?r|say|said|tell|told|hear|writ|wrote|read|forg[eo]t|convinc|persuad|mistak|mistook|unlikely|likely|possible|"
    r"impossible|false|untrue|untru)[a-z]*"
)
CONDITION: Final = r"(?:if|unless|whether|suppose|perhaps|maybe|probably|possibly|nobody|no\s+one|none|never|nowhere)"
REMARK: Final = (
    r"(?:un)?true|falsehoods?|fiction|fictional|imaginary|hints?|rumou?rs?|untruths?|"
    r"(?:is|are|was|were|all|entirely|completely)\s+(?:\w+\s+)?(?:false|lies|a\s+lie|invented|made[- ]up|pretence)|"
    r"(?:un)?related|relatives?|adopted\s+by|adopted\s+(?-i:[A-Z\[@])|divorced|divorces|annulled|birth|fathered|begot|begat|sired|descendants?|"
    r"ancestors?|widow(?:er|ed)?|stepbrother|stepsister|stepmother|stepfather|stepchild|half-brother|half-sister|"
    r"godmother|godfather|godson|goddaughter|namesake"
)
SENTENCE: Final = re.compile(r"[^.!?\n]+")


def doubt(story: str, names: Iterable[str]) -> str | None:
    """The first thing that takes facts back or speaks of kin in words that are not read; None for a plain story."""
    patterns = _patterns()
    people = _people(tuple(names))
    for sentence in (match[0] for match in SENTENCE.finditer(story)):
        for pattern, what in patterns:
            if match := pattern.search(sentence):
                rest = sentence[match.end() :]
                about = people.search(rest) or not KIN.keys().isdisjoint(re.findall(r"[\w-]+", rest.casefold()))
                if what.startswith("is a remark") or "kin" in match.groupdict() or about:
                    return f"{' '.join(match[0].split())!r} {what}"
    return None


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    kin = "|".join(re.escape(word) for word in sorted(KIN, key=len, reverse=True))
    noun = rf"(?:(?!like\b|than\b|as\b)[\w'-]+\s+){{0,4}}?(?P<kin>{kin})\b"
    outside = "|".join(re.escape(word) for word in OUTSIDE)
    changed = "|".join(sorted(ESTRANGED))
    stated, remark = "is not stated as a fact", "is a remark on the story itself"
    rules = (
        (rf"\b{BE}\s+(?:[\w'-]+\s+)?{UNSURE}\s+{noun}", stated),
        (rf"\b(?:isn't|wasn't|aren't|weren't)\s+{noun}", stated),
        (rf"\b{MODAL}\s+(?:\w+\s+)?(?:be|have\s+been|become)\s+{noun}", stated),
        (rf"\b{ATTITUDE}(?:\s+[\w'\[\]@-]+){{0,3}}?\s+(?:that|whether|if)\b", stated),
        (rf"\b{CONDITION}\b[^,;]*?\b{BE}\s+(?:(?:the|a|an|\w+'s|his|her)\s+)(?P<kin>{kin})\b", stated),
        (r"\b(?:it|that)\s+(?:is|was)\s+(?:\w+\s+)?(?:not|false|untrue|said|rumou?red|possible|impossible)\b", stated),
        (rf"\b(?:{REMARK})\b", remark),
        (rf"\b(?:{outside})\b", "is kin outside the 22 relations"),
        (rf"\b(?:{changed})[- ](?P<kin>{kin})\b", "is kin outside the 22 relations"),
    )
    return tuple((re.compile(pattern, re.IGNORECASE), what) for pattern, what in rules)


@lru_cache(maxsize=512)
def _people(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names) or r"(?!)")
