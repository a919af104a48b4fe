"""Names, words and a question for a draft: what turns logic into an item."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from proband.core.errors import ProbandError
from proband.suites.kinship import questions
from proband.suites.kinship import split as splits
from proband.suites.kinship.draft import Draft, shuffled
from proband.suites.kinship.plan import Plan
from proband.suites.kinship.quick import quick
from proband.suites.kinship.rules import NONE, Rules, load
from proband.suites.kinship.stories import Bank, load_bank, plain, tell

ENTITIES = 40  # placeholders to draw from when names are anonymised
REMEMBERED = 50_000  # clauses whose names are kept


class Dresser:
    """Dresses the drafts of a plan."""

    def __init__(self, plan: Plan, rules: Rules) -> None:
        self.plan, self.rules = plan, rules
        self.english = rules.world == "family" and rules.words == load("sound").words
        self._clauses: dict[tuple[int, ...], tuple[str, str]] = {}

    @cached_property
    def bank(self) -> Bank:
        bank = load_bank(self.plan.bank)
        if "paraphrases" in self.plan.hold_out:
            bank = bank.hold_out(self.plan.paraphrases, self.plan.seed)
        return bank if self.plan.anonymise else quick(bank)

    @cached_property
    def names(self) -> dict[str, Mapping[str, Sequence[str]]]:
        """By split and gender."""
        given: Mapping[str, Sequence[str]] = self.rules.names
        if not given:
            from proband.suites.kinship.names import NAMES

            given = NAMES if self.rules.gendered else {NONE: [name for names in NAMES.values() for name in names]}
        if "names" in self.plan.hold_out:
            return {"": given, **splits.names_of(given, share=self.plan.held_names, seed=self.plan.seed)}
        return {"": given, splits.TRAIN: given, splits.TEST: given}

    def record(
        self, draft: Draft, rng: random.Random, *, name: str, split: str, tags: Mapping[str, Any], searched: bool
    ) -> dict[str, Any]:
        """The fields of an item, in order."""
        plan, draw = self.plan, rng.random
        names = self._christen(split, draft.genders, draw)
        text, templates, groups = self._tell(draft, names, split, rng)
        x, z = names[draft.query[0]], names[draft.query[1]]
        if plan.brackets:
            x, z = f"[{x}]", f"[{z}]"
        question, choices, gold = questions.ask(
            plan.question, x=x, z=z, target=draft.target, rules=self.rules, draw=draw
        )
        clause, cluster = self._spell(draft.clause)
        by = [] if draft.verdict != "entailed" else ["closure", "search"] if searched else ["closure"]
        return {
            "id": name,
            "suite": "kinship",
            "prompt": f"{text}\n{question}",
            "choices": choices,
            "gold": gold,
            "tags": tags,
            "facts": {
                "names": names,
                "genders": draft.genders,
                "edges": draft.edges,
                "query": draft.query,
                "target": draft.target,
                "k": draft.k,
                "depth": draft.depth,
                "noise": draft.noise,
                "proof": draft.proof,
                "proofs": draft.proofs,
                "certificate": draft.verdict,
                "certified_by": by,
                "clause": clause,
                "clusters": [cluster],
                "templates": templates,
                "groups": groups,
                "rules": plan.rules,
            },
        }

    def _spell(self, clause: tuple[int, ...]) -> tuple[str, str]:
        """A clause in words, and the name it shares with its reading from the other end."""
        known = self._clauses.get(clause)
        if known is None:
            neutrals, both = self.rules.neutrals, splits.canonical(clause, self.rules.inverse)
            known = ".".join([neutrals[r] for r in clause]), ".".join([neutrals[r] for r in both])
            if len(self._clauses) < 50_000:
                self._clauses[clause] = known
        return known

    def _christen(self, split: str, genders: Sequence[str], draw: Callable[[], float]) -> list[str]:
        """A different name for everybody, of the right gender."""
        if self.plan.anonymise:
            order = shuffled(max(ENTITIES, len(genders)), draw)
            return [f"@entity-{order[i]}" for i in range(len(genders))]
        lists, names = self.names[split], []
        for gender in genders:
            given = lists.get(gender, ())
            if len(given) < len(genders) and genders.count(gender) > len(given):
                raise ProbandError(f"a story needs {genders.count(gender)} names ({gender}); there are {len(given)}")
            name = given[int(draw() * len(given))]
            while name in names:
                name = given[int(draw() * len(given))]
            names.append(name)
        return names

    def _tell(self, draft: Draft, names: list[str], split: str, rng: random.Random) -> tuple[str, list[str], list[Any]]:
        """(text, templates, which facts each tells)."""
        plan = self.plan
        shown = [f"[{name}]" for name in names] if plan.brackets else names
        if plan.form == "story" and self.english:
            told = tell(
                draft.edges,
                names=names,
                genders=draft.genders,
                bank=self.bank,
                rng=rng,
                split=(split or None) if "paraphrases" in plan.hold_out else None,
                brackets=plan.brackets,
                reveal=draft.query[1] if plan.anonymise else None,
            )
            return told.text, list(told.templates), [list(group) for group in told.groups]
        order = shuffled(len(draft.edges), rng.random)
        edges = [draft.edges[i] for i in order]
        if plan.form == "graph":
            return questions.triples(edges, shown), [], [[i] for i in order]
        if self.english:
            return " ".join(plain(edges, shown, draft.genders)), [], [[i] for i in order]
        forms = self.rules.sentences if plan.form == "story" else self.rules.sentences[:1]
        texts, used = [], []
        for i, word, j in edges:
            form = int(rng.random() * len(forms))
            texts.append(questions.capital(forms[form].format(i=shown[i], j=shown[j], word=word)))
            used.append(f"{self.rules.name}.{form}")
        return " ".join(texts), used, [[i] for i in order]
