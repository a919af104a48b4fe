"""Plain sentences through our own pipeline, with exactly the assertions that each makes.

The parser's training data has generated sentences of similar forms (weights/proband-english/recipe/sentences.py). None
of the verbs, nouns and names below is in the lexicon of those sentences, which a test compares: otherwise these figures
would only say that the parser remembers. Forms are seen in training, words are not (but for what the treebanks have).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path

import pytest

from proband.english.extraction.plain_text import OURS, TextParser
from proband.english.extraction.rules import extract
from proband.english.extraction.tally import assertions

LEXICON = Path(__file__).parents[3] / "weights" / "proband-english" / "recipe" / "lexicon.toml"
installed = pytest.mark.skipif(find_spec(OURS) is None, reason="weights/proband-english is not installed")

# base, third person, past, participle, with -ing
VERBS = [
    tuple(line.split())
    for line in """
relieve relieves relieved relieved relieving
border borders bordered bordered bordering
invade invades invaded invaded invading
conquer conquers conquered conquered conquering
forbid forbids forbade forbidden forbidding
pollute pollutes polluted polluted polluting
digest digests digested digested digesting
irrigate irrigates irrigated irrigated irrigating
ratify ratifies ratified ratified ratifying
imitate imitates imitated imitated imitating
inhabit inhabits inhabited inhabited inhabiting
sponsor sponsors sponsored sponsored sponsoring
nourish nourishes nourished nourished nourishing
cultivate cultivates cultivated cultivated cultivating
repel repels repelled repelled repelling
shield shields shielded shielded shielding
harvest harvests harvested harvested harvesting
honour honours honoured honoured honouring
insult insults insulted insulted insulting
forgive forgives forgave forgiven forgiving
chew chews chewed chewed chewing
smuggle smuggles smuggled smuggled smuggling
rival rivals rivalled rivalled rivalling
overthrow overthrows overthrew overthrown overthrowing
tame tames tamed tamed taming
""".strip().splitlines()
]


def listed(text: str) -> list[str]:
    return text.split()


SINGULAR = listed(
    """
aspirin Ethiopia the_glacier a_bishop Kenya the_vaccine Napoleon the_empire a_mosquito Pfizer the_reservoir
the_villager Bolivia a_sculptor the_hormone Darwin the_tractor a_pirate Volkswagen the_kingdom the_old_diplomat
Uganda
"""
)
PLURAL = listed(
    """
headaches mosquitoes the_rebels turtles the_refugees minerals vaccines the_bishops pesticides parrots the_villagers
lizards crystals the_treaties dolphins pirates fevers the_glaciers sculptors tropical_diseases
"""
)
PARTICLES = listed(
    """
scribbled_down pumped_out rounded_up phased_out spat_out dug_up fended_off squeezed_out chopped_off snapped_up
"""
)
PREPOSITIONAL = listed(
    """
flows_through borders_on collided_with thrived_in sympathised_with emigrated_to trespassed_on erupted_near
hibernates_in perished_in migrates_to drowned_in
"""
)
OBJECT_PREPOSITION = """
smuggled minerals into
imposed sanctions on
injected hormones into
inflicted fevers on
launched raids against
smeared crystals on
extracted minerals from
showered insults on
""".strip().splitlines()


def named(name: str) -> str:
    return name.replace("_", " ")


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def forms(verb: tuple[str, ...], plural: bool) -> Iterator[tuple[str, bool]]:
    """(verb group, whether it is passive) in every tense."""
    base, third, past, participle, going = verb
    be, was, have = ("are", "were", "have") if plural else ("is", "was", "has")
    yield from ((text, False) for text in (
        base if plural else third, past, f"{be} {going}", f"{was} {going}", f"{have} {participle}", f"had {participle}",
        f"will {base}", f"may {base}",
    ))  # fmt: skip
    for text in (f"{be} {participle}", f"{was} {participle}", f"{have} been {participle}", f"will be {participle}"):
        yield f"{text} by", True


def simple() -> list[tuple[str, set[tuple[str, str, str]]]]:
    """25 verbs in twelve forms; subjects and objects alternate in number."""
    singular, plural = cycle(SINGULAR), cycle(PLURAL)
    out = []
    for number, verb in enumerate(VERBS):
        for at in range(12):
            many = (number + at) % 2 == 0
            subject = named(next(plural) if many else next(singular))
            thing = named(next(plural) if (number + at // 2) % 2 else next(singular))
            if thing == subject:
                thing = named(next(plural))
            relation = list(forms(verb, many))[at][0]
            out.append((f"{capital(subject)} {relation} {thing}.", {(capital(subject), relation, thing)}))
    return out


def harder() -> dict[str, list[tuple[str, set[tuple[str, str, str]]]]]:
    """Coordination, relative clauses, particles and prepositions."""
    things = cycle(map(named, [one for pair in zip(SINGULAR, PLURAL) for one in pair]))
    out: dict[str, list[tuple[str, set[tuple[str, str, str]]]]] = {
        name: [] for name in ("coordination", "relative clauses", "particles", "prepositions")
    }
    for at, (_, _, past, participle, _) in enumerate(VERBS[:24]):
        other = VERBS[(at + 7) % len(VERBS)][2]
        a, b, c, d = (next(things) for _ in range(4))
        first = capital(a)
        out["coordination"].append([
            (f"{first} {past} {b}, {c} and {d}.", {(first, past, b), (first, past, c), (first, past, d)}),
            (f"{first} and {b} {past} {c}.", {(first, past, c), (b, past, c)}),
            (f"{first} {past} {b} and {other} {c}.", {(first, past, b), (first, other, c)}),
            (f"{first} {past} {b}, and {c} {other} {d}.", {(first, past, b), (c, other, d)}),
        ][at % 4])  # fmt: skip
        was = "were" if b in map(named, PLURAL) else "was"
        out["relative clauses"].append([
            (f"{first} {past} {b} that {other} {c}.", {(first, past, b), (b, other, c)}),
            (f"{first}, which {other} {b}, {past} {c}.", {(first, other, b), (first, past, c)}),
            (f"{first} {other} {b} that {c} {past}.", {(first, other, b), (c, past, b)}),
            (f"{first} {other} {b} {participle} by {c}.", {(first, other, b), (b, f"{was} {participle} by", c)}),
        ][at % 4])  # fmt: skip
        verb, particle = PARTICLES[at % len(PARTICLES)].split("_")
        order = f"{verb} {particle} {b}" if at % 2 else f"{verb} {b} {particle}"
        out["particles"].append((f"{first} {order}.", {(first, f"{verb} {particle}", b)}))
        if at % 2:
            verb, preposition = PREPOSITIONAL[at % len(PREPOSITIONAL)].split("_")
            out["prepositions"].append((f"{first} {verb} {preposition} {c}.", {(first, f"{verb} {preposition}", c)}))
        else:
            verb, inner, preposition = OBJECT_PREPOSITION[at // 2 % len(OBJECT_PREPOSITION)].split()
            relation = f"{verb} {inner} {preposition}"
            out["prepositions"].append((f"{first} {relation} {c}.", {(first, verb, inner), (first, relation, c)}))
    return out


@cache
def parser() -> TextParser:
    return TextParser()


def misses(sentences: list[tuple[str, set[tuple[str, str, str]]]]) -> list[str]:
    """Sentences that did not give exactly what they say, with what they gave."""
    read = parser().by_paragraph(text for text, _ in sentences)
    made = [{one for words, tree in paragraph for one in assertions(words, extract(tree))} for paragraph in read]
    return [f"{text} -> {got}" for (text, expected), got in zip(sentences, made, strict=True) if got != expected]


@installed
def test_every_tense_voice_and_number() -> None:
    sentences = simple()
    assert len(sentences) == len({text for text, _ in sentences}) == 300
    wrong = misses(sentences)
    assert len(wrong) <= 0.05 * len(sentences), "\n".join(wrong)


@installed
@pytest.mark.parametrize("kind", ["coordination", "relative clauses", "particles", "prepositions"])
def test_harder_sentences(kind: str) -> None:
    sentences = harder()[kind]
    wrong = misses(sentences)
    assert len(wrong) <= 0.15 * len(sentences), "\n".join(wrong)


@installed
def test_the_plainest_sentences() -> None:
    assert list(parser().assertions(["Aspirin relieves headaches."])) == [("Aspirin", "relieves", "headaches")]
    neighbours = set(parser().assertions(["Ethiopia borders Kenya, Sudan and Somalia."]))
    assert neighbours == {("Ethiopia", "borders", name) for name in ("Kenya", "Sudan", "Somalia")}


def test_no_word_is_in_the_generated_training_sentences() -> None:
    from proband.lexicon.inflection import lemma, verb_lemma

    lexicon = tomllib.loads(LEXICON.read_text(encoding="utf-8"))
    known = {part.lower() for words in lexicon.values() for word in words.split() for part in word.split("_")}
    verbs = {verb[0] for verb in VERBS} | {verb_lemma(one.split("_")[0]) for one in (*PARTICLES, *PREPOSITIONAL)}
    verbs |= {verb_lemma(one.split()[0]) for one in OBJECT_PREPOSITION}
    nouns = {lemma(one.split("_")[-1].lower()) for one in (*SINGULAR, *PLURAL)}
    nouns |= {lemma(one.split()[1]) for one in OBJECT_PREPOSITION}
    assert (verbs | nouns) & known == set()
