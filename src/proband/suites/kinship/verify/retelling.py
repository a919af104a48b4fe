"""A text of ours told again: from facts, templates and groups it must come out byte for byte.

An item records which facts its sentences tell and with which phrases, not every choice of the teller: which opening,
which joint, where a comma stands. So the text is followed from its first letter to its last, and at each place only
what the teller could have written there, of these very facts, is accepted:

    a story       openings of occasions, each before a phrase of its own; then, for one to three phrases in turn, a
                  moment of the occasion (later ones follow earlier ones) and a joint with these phrases, these people,
                  their pronouns and their kin words
    paraphrases   (banks scenes and constructions) one after the other, along its path or against it
    frames        (bank release2) the same, filled with doings of a setting, before the first of which is its opening
    other worlds  one sentence of the rule base per fact
    facts, graph  one line per fact in the order of the groups, and one for the gender of each person, or none

The question, its choices and the names are ours, too. Nothing of this is guessed by a reader: a word that the teller
would not write there is an error, whatever it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise, product
from typing import Final, NamedTuple

from proband.core.files import group_by_key
from proband.core.types import Item
from proband.suites.kinship.telling import stories
from proband.suites.kinship.telling.bank import OURS, Bank, load_bank
from proband.suites.kinship.telling.paraphrases import COMMA, JOINTS, Joint, Occasion, Phrase, Template
from proband.suites.kinship.telling.settings import AND, Doing, Setting, doings_in, fill_doings
from proband.suites.kinship.telling.stories import INVERSE_WORD, shown_names, walk
from proband.suites.kinship.world.families import NAMES
from proband.suites.kinship.world.relations import UNTOLD, Edge
from proband.suites.kinship.world.rules import YES_NO, Rules, question_of, story_of

ENTITY: Final = re.compile(r"@entity-\d+")
WORD: Final = re.compile(r"[A-Z][a-z]+")
COMMAS: Final = (0.0, COMMA, 1.0)  # her uncle Ben; Ben, her uncle; her uncle, Ben
Way = tuple[int, int, str, int]
AGAIN: Final = "the text cannot be told again from its facts"


class Retold(NamedTuple):
    """A text followed as far as it is ours."""

    stops: int | None  # the letter where it is not; None for a text that is ours to its end
    ends: tuple[int, ...] = ()  # the letter after each template (of plain lines: after each fact)
    occasions: tuple[str, ...] = ()  # where the story is at each template


def untold(item: Item, rules: Rules, *, foreign_names: bool = False) -> str | None:
    """Why text and question are not what we would write of these facts, or None where they are, byte for byte."""
    names, genders = list(item.facts["names"]), list(item.facts["genders"])
    if wrong := _misnamed(names, genders, rules, foreign=foreign_names):
        return wrong
    edges = [tuple(edge) for edge in item.facts["edges"]]
    told = [fact for group in item.facts["groups"] for fact in group]
    if len(set(told)) < len(told) or {edges[fact] for fact in told} != set(edges):
        return f"{AGAIN}: 'groups' does not have every fact once"
    if (stops := retell(item, rules).stops) is not None:
        return f"{AGAIN}: we would not write {story_of(item)[stops : stops + 40]!r} there"
    return misasked(item, rules, _shown(item))


def retell(item: Item, rules: Rules) -> Retold:
    """The text of an item followed with what we would write of its facts, in the order of its templates and groups."""
    facts = item.facts
    people = _People(_shown(item), list(facts["genders"]), [tuple(edge) for edge in facts["edges"]])
    templates, groups = [str(each) for each in facts["templates"]], [tuple(group) for group in facts["groups"]]
    return people.retell(story_of(item), templates, groups, rules, open_genders=along_chain(item))


def _shown(item: Item) -> list[str]:
    return shown_names(item.facts["names"], brackets=question_of(item).count("[") == 2)


def ours(item: Item) -> bool:
    """Whether the text is told in our words, however it goes on: by its templates, or by an opening of ours."""
    openings = [opening for each in load_bank().occasions for opening in each.openings]
    openings += [opening for each in load_bank("release2").settings for opening in each.openings]
    templates = [str(each).partition(AND)[0] for each in item.facts["templates"]]
    by_templates = bool(templates) and all(each in _occasions() or each in _paraphrases() for each in templates)
    return by_templates or any(opening in item.prompt for opening in openings)


def along_chain(item: Item) -> bool:
    """Whether the facts run along the chain, so that no genders need be told beside them: names tell them, or the last
    fact does that of the person asked about."""
    noise = [tuple(edge) for edge, _ in item.facts.get("noise", ())]
    ends = [(i, j) for i, word, j in item.facts["edges"] if (i, word, j) not in noise]
    joined = all(one[1] == other[0] for one, other in pairwise(ends)) and item.tags.get("facts") == "along-chain"
    told = [ends[0][0], ends[-1][1]] == list(item.facts["query"])
    return joined and (told or not any(ENTITY.fullmatch(name) for name in item.facts["names"]))


def _misnamed(names: Sequence[str], genders: Sequence[str], rules: Rules, *, foreign: bool) -> str | None:
    """A name of which a reader could not tell that it is one, or that tells another gender."""
    own: Mapping[str, Iterable[str]] = rules.names or NAMES
    for name, gender in zip(names, genders):
        known = own.get(gender) or [each for some in own.values() for each in some]
        if not (name in known or ENTITY.fullmatch(name) or (foreign and WORD.fullmatch(name))):
            return f"{name!r} is no name that we give a person who is {gender}"
    return None


def misasked(item: Item, rules: Rules, shown: Sequence[str]) -> str | None:
    """Whether the question is ours, about the two people of the query, and the gold answer is the target."""
    x, z = (shown[person] for person in item.facts["query"])
    question = question_of(item)
    asked = item.facts.get("asked")
    right = stories.right_answer(question, x=x, z=z, target=item.facts["target"], rules=rules, asked=asked)
    if right is None:
        return f"the question does not ask what {z} is to {x}"
    untold = (UNTOLD,) if "answer" in item.tags else ()
    choices = YES_NO if right in YES_NO else (*rules.choices, *untold)
    if question == stories.SETS_QUESTION.format(x=x, z=z):
        choices = stories.set_choices(rules, item.facts["genders"][item.facts["query"][1]])
    if tuple(item.choices) != choices:
        return "the choices are not those of the question"
    if (asked is None) == (right in YES_NO):
        return "'asked' is for the relation of a yes/no question"
    if item.gold is None or not 0 <= item.gold < len(item.choices) or item.choices[item.gold] != right:
        return f"the gold answer is not {right!r}"
    return None


class _People:
    """The people and facts of an item, and every way in which we tell them."""

    def __init__(self, names: Sequence[str], genders: Sequence[str], edges: Sequence[Edge]) -> None:
        self.names, self.genders, self.edges = list(names), genders, edges

    def retell(
        self,
        text: str,
        templates: Sequence[str],
        groups: Sequence[tuple[int, ...]],
        rules: Rules,
        *,
        open_genders: bool,
    ) -> Retold:
        if text.startswith("(") or (not templates and rules.gendered):
            return self._lines(text, [fact for (fact,) in groups], gendered=rules.gendered and not open_genders)
        if not rules.gendered:
            return _along(text, self._sentences(templates, groups, rules))
        occasions, paraphrases = _occasions(), _paraphrases()
        if all(each in occasions for each in templates):
            return _Occasions(self, text, templates, [fact for (fact,) in groups]).retell()
        if all(AND in each for each in templates):
            return self._in_settings(text, templates, groups)
        if all(each in paraphrases and not paraphrases[each][1].settings for each in templates):
            told = (self._paraphrased(*paraphrases[t], group) for t, group in zip(templates, groups, strict=True))
            return _along(text, told)
        return Retold(0)

    # ---- plain sentences, triples, sentences of a rule base, paraphrases

    def _lines(self, text: str, order: Sequence[int], *, gendered: bool) -> Retold:
        """Facts in their order, with the gender of everybody among them."""
        edges = [self.edges[fact] for fact in order]
        genders: list[str] = []
        if text.startswith("("):
            between, facts = "\n", [stories.triples([edge], self.names) for edge in edges]
            genders += stories.gender_lines(self.names, self.genders) if gendered else []
        else:
            between, facts = " ", stories.plain(edges, self.names, self.genders)
            genders += stories.gender_sentences(self.names, self.genders) if gendered else []
        at, rest, ends = 0, text + between, list[int]()
        while facts or genders:
            line = next((each for each in (*facts[:1], *genders) if rest.startswith(each + between, at)), None)
            if line is None:
                return Retold(at)
            if line in facts[:1]:
                ends.append(at + len(facts.pop(0)))
            else:
                genders.remove(line)
            at += len(line + between)
        return Retold(None if at == len(rest) else at, tuple(ends))

    def _sentences(
        self, templates: Sequence[str], groups: Sequence[tuple[int, ...]], rules: Rules
    ) -> Iterator[Iterable[str]]:
        for template, (fact,) in zip(templates, groups, strict=True):
            i, word, j = self.edges[fact]
            form = rules.sentences[int(template.removeprefix(f"{rules.name}."))]
            yield [stories.capital(form.format(i=self.names[i], j=self.names[j], word=word))]

    def _in_settings(self, text: str, templates: Sequence[str], groups: Sequence[tuple[int, ...]]) -> Retold:
        """Frames with doings; where a doing belongs to another setting than the one before, its opening comes first."""
        parts, where = list[list[str]](), list[str]()
        for each, group in zip(templates, groups, strict=True):
            frame, *names = each.split(AND)
            known = [_doings()[name] for name in names if name in _doings()]
            if frame not in _paraphrases() or len(known) < len(names) or len({place.name for place, _ in known}) != 1:
                return Retold(0)
            setting, doings = known[0][0], [doing for _, doing in known]
            template, bank = _paraphrases()[frame]
            if not bank.settings or doings_in(template.text) != len(doings):
                return Retold(0)
            told = [fill_doings(line, doings) for line in self._paraphrased(template, bank, group)]
            begins = not where or where[-1] != setting.name
            parts.append([f"{o} {line}" for o in setting.openings for line in told] if begins else told)
            where.append(setting.name)
        retold = _along(text, parts)
        return retold._replace(occasions=tuple(where)) if retold.stops is None else retold

    def _paraphrased(self, template: Template, bank: Bank, group: Sequence[int]) -> Iterator[str]:
        """A path of facts in one paraphrase, from either end."""
        edges = [self.edges[fact] for fact in group]
        for order in (edges, edges[::-1]):
            path, key = walk(order, 0, size=len(order), genders=self.genders)
            if len(key) != len(order) + 1 or template.facts != len(order):
                continue
            menu = bank.menus()[key]
            for line in {line for line in menu.lines if line[0].id == template.id}:
                yield menu.tell(line, [self.names[person] for person in path])


class _Occasions:
    """A story at occasions: every way through its text at once."""

    def __init__(self, people: _People, text: str, templates: Sequence[str], facts: Sequence[int]) -> None:
        self.people, self.text = people, text + " "
        self.templates, self.edges = templates, [people.edges[fact] for fact in facts]

    def retell(self) -> Retold:
        """A way is (letter, phrases told, occasion, its next moment); each is followed once, with what it passed."""
        furthest, seen = 0, set[Way]()
        left: list[tuple[Way, Retold]] = [((0, 0, "", 0), Retold(None))]
        while left:
            (at, done, occasion, moment), passed = way, _ = left.pop()
            if way in seen:
                continue
            seen.add(way)
            furthest = max(furthest, at)
            if done == len(self.templates):
                if at == len(self.text):
                    return passed
                continue
            for each in _occasions()[self.templates[done]]:
                starts = [(at + len(o) + 1, 0) for o in each.openings if self.text.startswith(f"{o} ", at)]
                for start, first in [*starts, *([(at, moment)] if each.name == occasion else [])]:
                    for further, ends in self._told(start, done, each, first):
                        where = passed.occasions + (each.name,) * len(ends)
                        left.append((further, Retold(None, passed.ends + ends, where)))
        return Retold(furthest)

    def _told(self, at: int, done: int, occasion: Occasion, moment: int) -> Iterator[tuple[Way, tuple[int, ...]]]:
        """The ways to go on with the next facts, at an occasion from one of its moments on; where each fact ends."""
        known = _phrases()[occasion.name]
        starts = [(at, moment)]
        for number, words in enumerate(occasion.moments[moment:], start=moment):
            if self.text.startswith(f"{words}, ", at):
                starts.append((at + len(words) + 2, number + 1))
        for (start, later), (n, joints) in product(starts, JOINTS.items()):
            phrases = [known[each] for each in self.templates[done : done + n] if each in known]
            for joint in joints if len(phrases) == n else ():
                if joint.free or joint.suits(phrases):
                    for end, ends in self._joined(start, joint, phrases, self.edges[done : done + n]):
                        yield (end + 1, done + n, occasion.name, later), ends

    def _joined(
        self, at: int, joint: Joint, phrases: Sequence[Phrase], edges: Sequence[Edge]
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Where the text goes on and where each of these facts ends, if it tells them with this joint."""
        names, genders, first = self.people.names, self.people.genders, joint.literals[0]
        ways: list[tuple[int, dict[int, int], tuple[int, ...]]] = []
        if self.text.startswith(first, at):
            ways.append((at + len(first), {}, ()))
        for phrase, (i, word, j), clause, after in zip(phrases, edges, joint.clauses, joint.literals[1:], strict=True):
            form, a, b, named = clause
            sides = ((i, word, j), (j, INVERSE_WORD[word, genders[i]], i))
            commas = COMMAS if phrase.loose and after[0] == "." else COMMAS[:1]
            further = []
            for (here, cast, ends), (subject, kin, person), comma in product(ways, sides, commas):
                wider = {**cast, a: subject, b: person}
                if {**wider, **cast} != wider or len(set(wider.values())) < len(wider):
                    continue  # somebody at two places of the path, or two people at one
                words = f"{names[subject]} " if named else ""
                words += phrase.clause(form, genders[subject], kin, names[person], comma)
                if self.text.startswith(words + after, here):
                    further.append((here + len(words + after), wider, (*ends, here + len(words))))
            ways = further
        yield from ((end, ends) for end, _, ends in ways if self.text.startswith(" ", end))


def _along(text: str, parts: Iterable[Iterable[str]]) -> Retold:
    """The text as one of the alternatives of each part, with a space after each."""
    text, ways = text + " ", {0: tuple[int, ...]()}
    for part in parts:
        furthest, former = max(ways), ways
        ways = {}
        for told, (at, ends) in product(list(part), former.items()):
            if text.startswith(f"{told} ", at):
                ways[at + len(told) + 1] = (*ends, at + len(told))
        if not ways:
            return Retold(furthest)
    return Retold(None, ways[len(text)]) if len(text) in ways else Retold(max(ways))


@cache
def _occasions() -> dict[str, list[Occasion]]:
    """The occasions that have a phrase, by its id."""
    occasions = load_bank().occasions
    return group_by_key((phrase.id, occasion) for occasion in occasions for phrase in occasion.phrases)


@cache
def _phrases() -> dict[str, dict[str, Phrase]]:
    """The phrases of each occasion by id."""
    return {each.name: {phrase.id: phrase for phrase in each.phrases} for each in load_bank().occasions}


@cache
def _doings() -> dict[str, tuple[Setting, Doing]]:
    """The doings of all settings by id."""
    return {doing.id: (each, doing) for each in load_bank("release2").settings for doing in each.doings}


@cache
def _paraphrases() -> dict[str, tuple[Template, Bank]]:
    """The paraphrases of our other banks by id, each with its bank."""
    banks = [load_bank(name) for name in OURS if name != "proband"]
    return {template.id: (template, bank) for bank in banks for template in bank.templates}
