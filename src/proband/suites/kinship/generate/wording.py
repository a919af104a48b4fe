"""Names, words and a question for a draft: what turns logic into an item."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cached_property

from proband.core.errors import ProbandError
from proband.suites.kinship.generate import hold_outs as splits
from proband.suites.kinship.generate import write
from proband.suites.kinship.generate.plan import Cell, Plan
from proband.suites.kinship.generate.story_logic import Draft
from proband.suites.kinship.telling import questions
from proband.suites.kinship.telling.bank import Bank
from proband.suites.kinship.telling.bank_sources import load_bank
from proband.suites.kinship.telling.stories import plain, tell
from proband.suites.kinship.world.lazy_table import Lazy
from proband.suites.kinship.world.random_orders import Random, shuffled
from proband.suites.kinship.world.rules import FEMALE, MALE, NONE, Rules, load

ENTITIES = 40  # placeholders to draw from when names are anonymised
REMEMBERED = 50_000  # clauses whose names are kept


class Dresser:
    """Dresses the drafts of a plan."""

    def __init__(self, plan: Plan, rules: Rules) -> None:
        self.plan, self.rules = plan, rules
        self.english = rules.world == "family" and rules.words == load("sound").words
        self.clauses: Lazy[tuple[int, ...], tuple[str, str]] = Lazy(self._spell, most=REMEMBERED)

    @cached_property
    def bank(self) -> Bank:
        bank = load_bank(self.plan.bank)
        return bank.hold_out(self.plan.paraphrases, self.plan.seed) if "paraphrases" in self.plan.hold_out else bank

    @cached_property
    def names(self) -> dict[str, Mapping[str, Sequence[str]]]:
        """By split and gender."""
        given: Mapping[str, Sequence[str]] = self.rules.names
        if not given:
            from proband.suites.kinship.world.names import NAMES

            given = NAMES if self.rules.gendered else {NONE: [name for names in NAMES.values() for name in names]}
        if "names" in self.plan.hold_out:
            return {"": given, **splits.names_of(given, share=self.plan.held_names, seed=self.plan.seed)}
        return {"": given, splits.TRAIN: given, splits.TEST: given}

    @cached_property
    def fewest(self) -> dict[str, int]:
        """By split: for so many people there are names enough, whatever their genders."""
        genders = (MALE, FEMALE) if self.rules.gendered else (NONE,)
        return {split: min(len(lists.get(gender, ())) for gender in genders) for split, lists in self.names.items()}

    def line(
        self, draft: Draft, draw: Random, words: random.Random, *, cell: Cell, kind: str, index: int, searched: bool
    ) -> tuple[str, splits.Note]:
        """The item as it stands in items.jsonl, and what the manifest counts of it. `draw` decides whom it is about,
        `words` how that is told."""
        plan, split = self.plan, cell.split
        names = self._christen(split, draft.genders, draw)
        text, templates, groups = self._tell(draft, names, split, words)
        x, z = draft.query
        who, whom = (f"[{names[x]}]", f"[{names[z]}]") if plan.brackets else (names[x], names[z])
        question, choices, gold = questions.ask(
            plan.question, x=who, z=whom, target=draft.target, rules=self.rules, draw=words.random
        )
        prompt = f"{text}\n{question}"
        clause, cluster = self.clauses[draft.clause]
        line = write.line(
            draft,
            name=f"{split}{'-' if split else ''}{cell.task}-k{cell.k}-{index:06d}",
            prompt=prompt,
            choices=choices,
            gold=gold,
            task=cell.task,
            split=split,
            kind=kind if cell.task == "mixed" else "",
            names=names,
            certified_by=() if draft.verdict != "entailed" else ("closure", "search") if searched else ("closure",),
            clause=clause,
            cluster=cluster,
            templates=templates,
            groups=groups,
            rules=plan.rules,
        )
        note = splits.Note(
            (split, cell.task, cell.k),
            draft.target,
            f"{draft.genders[x]}-{draft.genders[z]}",
            clause,
            draft.verdict,
            searched,
            (templates, names, cluster, splits.digest(prompt)) if split else (),
        )
        return line, note

    def _spell(self, clause: tuple[int, ...]) -> tuple[str, str]:
        """A clause in words, and the name it shares with its reading from the other end."""
        neutrals, both = self.rules.neutrals, splits.canonical(clause, self.rules.inverse)
        return ".".join([neutrals[r] for r in clause]), ".".join([neutrals[r] for r in both])

    def _christen(self, split: str, genders: Sequence[str], draw: Random) -> list[str]:
        """A different name for everybody, of the right gender."""
        if self.plan.anonymise:
            order = shuffled(max(ENTITIES, len(genders)), draw)
            return [f"@entity-{order[i]}" for i in range(len(genders))]
        lists, names = self.names[split], list[str]()
        if len(genders) > self.fewest[split]:
            _enough(lists, genders)
        for gender in genders:
            given = lists[gender]
            while (name := given[int(draw() * len(given))]) in names:
                pass
            names.append(name)
        return names

    def _tell(
        self, draft: Draft, names: list[str], split: str, rng: random.Random
    ) -> tuple[str, Sequence[str], Sequence[tuple[int, ...]]]:
        """(text, templates, which facts each tells)."""
        plan = self.plan
        shown = [f"[{name}]" for name in names] if plan.brackets else names
        if plan.form == "story" and self.english:
            return tell(
                draft.edges,
                names=names,
                genders=draft.genders,
                bank=self.bank,
                rng=rng,
                split=(split or None) if "paraphrases" in plan.hold_out else None,
                brackets=plan.brackets,
                reveal=draft.query[1] if plan.anonymise else None,
            )
        order = shuffled(len(draft.edges), rng.random)
        edges = [draft.edges[i] for i in order]
        if plan.form == "graph":
            return questions.triples(edges, shown), [], [(i,) for i in order]
        if self.english:
            return " ".join(plain(edges, shown, draft.genders)), [], [(i,) for i in order]
        forms = self.rules.sentences if plan.form == "story" else self.rules.sentences[:1]
        texts, used = [], []
        for i, word, j in edges:
            form = int(rng.random() * len(forms))
            texts.append(questions.capital(forms[form].format(i=shown[i], j=shown[j], word=word)))
            used.append(f"{self.rules.name}.{form}")
        return " ".join(texts), used, [(i,) for i in order]


def _enough(lists: Mapping[str, Sequence[str]], genders: Sequence[str]) -> None:
    for gender in sorted(set(genders)):
        needed, given = genders.count(gender), len(lists.get(gender, ()))
        if needed > given:
            raise ProbandError(f"a story needs {needed} names ({gender}); there are {given}")
