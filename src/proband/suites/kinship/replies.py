"""Reading a reply to a kinship question: the relation that it names, under any of its names.

A possessive ("his mom's sister"), a plural and a relation we do not have (great-aunt, half-brother, aunt-in-law) are no
mention of a choice.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import permutations
from pathlib import Path

from proband.core.types import Answer, Item
from proband.solvers.choose import make_choose_solver
from proband.solvers.generate import Asking, make_generate_solver
from proband.solvers.replies import Choices, letters_shown, names_of, read_choice
from proband.suites.kinship.reading.lexicon import FAMILIAR, IN_REPLIES
from proband.suites.kinship.world.relations import ALL_WORDS, possibilities, word
from proband.suites.kinship.world.rules import YES_NO, load, of_item, question_of, story_of

IN_LAW = ("father", "mother", "son", "daughter", "brother", "sister")
# a step-mother is not a mother; the mother of a person's brother need not be his mother
NOT_BEFORE = (
    r"(?<!step-)(?<!step )(?<!half-)(?<!half )(?<!great-)(?<!great )(?<!god-)(?<!foster )(?<!ex-)(?<!grand-)(?<!grand )"
)
NOT_AFTER = r"(?!'s\b)(?!s'(?!\w))(?! in law)(?!-in law)"


@cache
def other_names() -> dict[str, str]:
    """Other name -> relation, such as mom -> mother.

    >>> [other_names()[name] for name in ("mom", "pop", "ma", "groom", "bride", "grammy", "dad-in-law")]
    ['mother', 'father', 'mother', 'husband', 'wife', 'grandmother', 'father-in-law']
    """
    named = [*FAMILIAR.items(), *IN_REPLIES.items()]
    also: dict[str, list[str]] = {relation: [] for pair in ALL_WORDS.values() for relation in pair}
    for (neutral, gender), names in named:
        if gender is not None:
            also[word(neutral, gender)] += names.split()
    for relation in also:  # shorter words first: a great-grandma is a great-grandmother
        for prefix in ("grand", "step", "half-", "great-"):
            if relation.startswith(prefix):
                kin = relation.removeprefix(prefix)
                marks = [prefix.rstrip("-") + mark for mark in ("-", " ", "")]
                also[relation] += [mark + each for each in (kin, *also[kin]) for mark in marks]
    plain = {name: relation for relation, names in also.items() for name in names}
    laws = {}
    for relation in IN_LAW:
        for name in (relation, *also[relation]):
            for written in (f"{name} in law", f"{name} in-law", f"{name}-in law", f"{name}-in-law", f"{name}-inlaw"):
                laws[written] = f"{relation}-in-law"
    return {name: relation for name, relation in {**plain, **laws}.items() if name != relation}


def _written_sets(choices: tuple[str, ...]) -> dict[str, str]:
    """Ways to write an answer of several relations, in any order.

    >>> [name for name in _written_sets(("aunt", "mother or aunt")) if name.startswith("aunt")][:5]
    ['aunt or mother', 'aunt and mother', 'aunt, mother', 'aunt/mother', 'aunt or his mother']
    """
    written: dict[str, str] = {}
    for choice in choices:
        for words in permutations(sorted(possibilities(choice))) if len(possibilities(choice)) > 1 else ():
            *most, last = words
            for between in (" or ", " and ", ", ", "/", " or his ", " or her "):
                written |= {mark.join(most) + between + last: choice for mark in (", ", between)}
            written[", ".join(most) + ", or " + last] = choice
    return {name: choice for name, choice in written.items() if name != choice}


@cache
def _choices(choices: tuple[str, ...], letters: tuple[int, ...]) -> Choices:
    names = names_of(choices, {**other_names(), **_written_sets(choices)})
    owners = "".join(rf"(?<!\b{re.escape(name)}'s )" for name, _ in names)  # "his mom's sister" is not his sister
    return Choices(names, letters=letters, not_before=NOT_BEFORE + owners, not_after=NOT_AFTER)


def read(item: Item, reply: str, sent: str) -> Answer:
    """The answer in a reply; `unread` if it does not name a single relation.

    >>> item = Item(id="a", suite="kinship", prompt="?", choices=("aunt", "niece", "mother"), gold=0)
    >>> [read(item, r, "").status for r in ("she is his mom's sister, so his aunt", "Aunt or niece.")]
    ['', 'unread']
    >>> sets = Item(id="b", suite="kinship", prompt="?", choices=("aunt", "mother", "mother or aunt"), gold=2)
    >>> [read(sets, r, "").scores.index(1.0) for r in ("Aunt or mother.", "The answer is: mother", "mother, aunt")]
    [2, 1, 2]
    """
    return read_choice(item, reply, sent, _choices(item.choices, letters_shown(sent, item.choices)))


def context(item: Item) -> dict[str, str | bool]:
    """Variables of a prompt template: the rules in words, names of the world's words, the instruction for the kind of
    question."""
    rules, blank = of_item(item), "___" in question_of(item)
    relation = "family relation" if rules.world == "family" else "relation"
    return {
        "rules": rules_in_words(rules.reference),
        "relation": relation,
        "blank": blank,
        "yes_no": item.choices == YES_NO,
        "instruction": f"Which {relation} fills in the blank?" if blank else "Answer the question.",
        "listed": ("; " if any(", " in choice for choice in item.choices) else ", ").join(item.choices),
        "triples": story_of(item).startswith("("),
    }


@cache
def rules_in_words(rules: str) -> str:
    """Every composition of the rule base with a single outcome, one per line.

    >>> rules_in_words("sound").splitlines()[0]
    'the father or mother of a father or mother is a grandfather or grandmother'
    """
    base = load(rules)
    words = {name: " or ".join(dict.fromkeys(pair)) for name, pair in zip(base.neutrals, base.words)}
    one = {name: f"{'an' if word[0] in 'aeiou' else 'a'} {word}" for name, word in words.items()}
    pairs = [(a, b, base.compose(a, b)) for a in base.neutrals for b in base.neutrals]
    return "\n".join(
        f"the {words[b]} of {one[a]} is {one[next(iter(c))]}" for a, b, c in pairs if len(c) == 1 and c <= words.keys()
    )


ASKING = Asking(
    prompts=Path(__file__).parent / "prompts",
    default="choices",
    read=read,
    answer=lambda item: item.choices[item.gold or 0],
    context=context,
)
GENERATE, CHOOSE = make_generate_solver(ASKING), make_choose_solver(ASKING)
