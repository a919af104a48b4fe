"""`proband build kinship`: the stories of a plan as items, round by round (a round is a function of
(seed, part, task, k, number) alone), and their manifest: counts, and the overlap of training and test.

Four files make a story: options.py (which stories), this one (the order of stories; names, words and a question for
each), story_logic.py (facts and proof), telling/stories.py (its sentences).
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain, count, islice
from typing import Any, Final

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import group_by_key
from proband.core.plugins import declared
from proband.core.suite import Built
from proband.core.types import Item, Tag
from proband.core.worker_processes import Pool
from proband.suites.kinship.generate import story_logic
from proband.suites.kinship.generate.hold_outs import HeldClauses, leaks, names_of, parts_of
from proband.suites.kinship.generate.options import MIXED, BuildOptions, BuildPlan, StoryCell, licence, make_plan
from proband.suites.kinship.generate.pairs import kin_word_auc, open_partner, with_names_exchanged
from proband.suites.kinship.generate.rule_world_logic import rules_draft
from proband.suites.kinship.generate.story_logic import Draft, Goal, in_one_block, order_with_noise
from proband.suites.kinship.logic.noise import WAYS
from proband.suites.kinship.reading.reader import mismatch_with_facts
from proband.suites.kinship.telling.bank import OURS, Bank, bank_of_build, constructions_held
from proband.suites.kinship.telling.stories import SENTENCES, Telling, ask, render, seal, tell, telling_of
from proband.suites.kinship.verify.items import verify
from proband.suites.kinship.world.families import NAMES, Random, family_pool, names_for, shuffle
from proband.suites.kinship.world.relations import NO_GENDER, World, possibilities
from proband.suites.kinship.world.rules import Rules, canonical_clause, load, proved_rules

OTHER_BUILDERS = {  # option -> the builder that it selects
    "data": "proband.suites.kinship.generate.released_rows:build_released",
    "release": "proband.suites.kinship.generate.release:build_release",
}
SAMPLE = 500  # without --certify full, one item in SAMPLE is searched for a counter-family
FAR = 1 << 20  # from one round of a stream to the next that is tried
CHECKED = 25  # and one in this many is verified, as by `proband verify`
KEPT_BAGS = 20_000  # stories that the kin-word detector uses
ROUNDS = 5  # rounds of stories per message between processes
MAX_TRIES = 50  # pairs tried for each pair wanted
COUNTED_CLAUSES = 100_000  # most clauses to count separately
MOST_AUC = 0.60  # for the kin-word detector
ENOUGH, UNEVEN = 44, 0.15  # in a cell of ENOUGH stories, no label has a share of UNEVEN
CERTIFIED_BY: Final = {"open": ("search",), "one-of": ("closure", "search")}  # the same for every story
TELLINGS = 200  # attempts per story with templates of others


def build(options: BuildOptions, *, seed: int) -> Built:
    """Items of a build: new stories, CLUTRR's rows (`data`) or a frozen set (`release`)."""
    for option, builder in OTHER_BUILDERS.items():
        if getattr(options, option) is not None:
            made: Built = declared(builder)(options, seed=seed)
            return made
    plan, tally = make_plan(options, seed=seed), BuildTally()
    return Built(
        items=items_of(plan, plan.cells, tally), licence=licence(options), summary=lambda: _summary(plan, tally)
    )


def items_of(plan: BuildPlan, cells: Sequence[StoryCell], tally: BuildTally) -> Generator[Item, None, None]:
    """The stories as items."""
    with Pool(rounds_of, (plan,), workers=plan.options.workers) as workers:
        for cell in cells:
            limit, kept = MAX_TRIES * cell.count if plan.paired else cell.count, 0
            with closing(workers.results(_tasks(cell, limit, plan))) as rounds:
                for item in islice(chain.from_iterable(rounds), cell.count):
                    tally.add(item)
                    yield item
                    kept += 1
            if kept < cell.count:
                wanted = f"{kept} of {cell.count} {cell.task} stories of {cell.k} facts"
                raise ProbandError(f"only {wanted} have a partner with the same words")


def _tasks(cell: StoryCell, limit: int, plan: BuildPlan) -> Iterator[tuple[StoryCell, range]]:
    """Rounds of a cell that give `limit` stories, in small groups."""
    rounds = range(cell.first, cell.first - (-limit // Rounds.size(plan)))
    return ((cell, rounds[at : at + ROUNDS]) for at in range(0, len(rounds), ROUNDS))


def rounds_of(plan: BuildPlan) -> Callable[[tuple[StoryCell, range]], Iterator[Item]]:
    """The stories of some rounds of a cell, as a worker process makes them."""
    rounds = Rounds(plan)
    return lambda task: (story for number in task[1] for story in rounds.stories(task[0], number))


class Rounds:
    """Makes the stories of any round of a plan."""

    def __init__(self, plan: BuildPlan) -> None:
        self.plan, options = plan, plan.options
        self.rules: Rules = load(options.rules)
        self.source = story_logic.DraftSource(
            rules=self.rules,
            sound=proved_rules(self.rules.kin) if self.rules.world == "family" else self.rules,
            graphs=family_pool(self.rules, seed=plan.seed, spread=options.spread),
            size=plan.noise_size,
            second_held=plan.second_held,
        )
        self.draft = story_logic.family_draft if self.rules.world == "family" else rules_draft
        self.goals = story_logic.goals(self.rules)
        self.from_here = {goal: [*self.goals[i:], *self.goals[:i]] for i, goal in enumerate(self.goals)}
        held = "clauses" in plan.hold_out
        clauses = HeldClauses(self.rules, share=plan.held["clauses"], seed=plan.seed) if held else None
        self.shared = {c.k for c in plan.cells if c.part == "train"}  # longer clauses do not occur in training anyway
        self.accept = {part: clauses.accept(part) if clauses and part else None for part in ("", "train", "test")}
        self.wording = Wording(plan, self.rules)
        self.manifest = {"options": {"bank": options.bank}, "rules": {self.rules.name: self.rules.sha256}}

    @staticmethod
    def size(plan: BuildPlan) -> int:
        """The largest number of stories per round: one per goal, or two if stories come in pairs."""
        return (2 if plan.paired else 1) * len(story_logic.goals(load(plan.options.rules)))

    def stories(self, cell: StoryCell, number: int) -> Iterator[Item]:
        """The stories of a round: one (or a pair) for every goal."""
        key = (self.plan.seed, cell.part, cell.task, cell.k, number)
        draw, words = generator(*key).random, generator(*key, "words")  # separate: the facts do not depend on the form
        sides = generator(*key, "sides").random  # separate: the questions do not depend on the sides of facts
        first = number * self.size(self.plan)
        sample, index = self._sample(cell, first), first
        for place, goal in enumerate(self._order(draw), start=first):
            task = MIXED[place % len(MIXED)] if cell.task == "mixed" else cell.task
            draft = self._draft(cell, goal, task, draw)
            if not self.plan.options.facts_along_chain:
                draft = story_logic.from_either_side(draft, self.rules, sides)
            draft = story_logic.with_proof(draft, self.source.sound)
            if self.plan.paired:
                yield from self._pair(cell, task, draft, draw, words, sides, index)
                index += 2
                continue
            searched = index in sample and draft.verdict == "entailed"
            if searched:
                _search(draft, self.rules.kin)
            name = f"{cell.prefix}-{index:06d}"
            item = self.wording.item(draft, draw, words, cell=cell, name=name, kind=task, searched=searched)
            yield self._checked(item, index)
            index += 1

    def _checked(self, item: Item, index: int) -> Item:
        """The story, verified as by `proband verify`: each with `certify` full, otherwise a sample."""
        certify, ambiguous = self.plan.options.certify, item.facts["certificate"] == "ambiguous"
        if certify == "none" or (certify == "sample" and index % CHECKED) or ambiguous:
            return item
        if problem := verify(item, self.manifest).problem:
            raise ProbandError(f"item {item.id!r} does not verify: {problem}: please report")
        return item

    def _pair(
        self, cell: StoryCell, task: str, draft: Draft, draw: Random, words: random.Random, sides: Random, index: int
    ) -> Iterator[Item]:
        """A story whose answer follows, and one with the same words whose answer is open; nothing if there is no
        partner. One of the two may be left out if the share of open stories is not a half."""
        sets, share = self.plan.options.question == "sets", self.plan.options.open
        found = open_partner(draft, self.rules, draw, sets=sets)
        if found is None:
            return
        partner, neighbour = found
        name = f"{cell.prefix}-{index:06d}"
        alone, pair = (neighbour.place,) if neighbour.place >= 0 else (), f"pair {name}"
        draft, partner = replace(draft, alone=alone, pair=pair), replace(partner, pair=pair)
        searched = self.plan.options.certify == "full"
        if searched:
            _search(draft, self.rules.kin)
        one = self.wording.item(draft, draw, words, cell=cell, name=name, kind=task, searched=searched)
        telling, names = with_names_exchanged(telling_of(one.facts), neighbour), one.facts["names"]
        name = f"{cell.prefix}-{index + 1:06d}"
        two = self.wording.item_about(partner, names, telling, words, cell=cell, name=name, kind=task)
        kept = sides()
        if sets or share <= 0.5 or kept < (1 - share) / share:
            yield self._checked(one, index // 2)
        if sets or share >= 0.5 or kept < share / (1 - share):
            yield self._checked(two, index // 2)

    def _order(self, draw: Random) -> list[Goal]:
        """All goals in random order, with one gender of x per word, then all again with the other."""
        by_word = group_by_key((goal[:2], goal) for goal in self.goals)
        mixed = [[same[i] for i in shuffle(len(same), draw)] for same in by_word.values()]
        return [layer[i] for layer in zip(*mixed, strict=True) for i in shuffle(len(mixed), draw)]

    def _draft(self, cell: StoryCell, goal: Goal, task: str, draw: Random) -> Draft:
        """A draft for the goal, or for a later goal if all clauses of this one are held out."""
        accept = self.accept[cell.part] if task != "memory" and cell.k in self.shared else None
        candidates = self.from_here[goal]
        if task in WAYS:  # some goals have no story with two paths: try others
            candidates = [goal, *(candidates[i] for i in shuffle(len(candidates), draw))]
        for candidate in candidates:
            draft = self.draft(self.source, candidate, cell.k, task=task, draw=draw, accept=accept)
            if draft is not None:
                return draft
        raise ProbandError(f"no story of {cell.k} facts for task {task!r} is possible with these settings")

    def _sample(self, cell: StoryCell, first: int) -> Sequence[int]:
        """The stories of a round to search for a counter-family: all, or a random sample of one in SAMPLE."""
        last, certify = first + self.size(self.plan), self.plan.options.certify
        if self.rules.world != "family" or certify == "none":
            return ()
        if certify == "full":
            return range(first, last)
        chosen = []
        for start in range(first - first % SAMPLE, last, SAMPLE):
            draw = generator(self.plan.seed, "search", cell.part, cell.task, cell.k, start).random
            chosen.append(start + int(draw() * max(1, min(SAMPLE, cell.count - start))))
        return chosen


def stream(options: BuildOptions, *, seed: int) -> Callable[[int], Item]:
    """Makes story number n of the plan's training cells, or of all cells if nothing is held out, in turn. It is the
    first story of round n, so no other story has to be made (with pairs, one of the first four, so that both members of
    a pair occur). The closure proves each story; with `certify` full, each is also searched."""
    if any(getattr(options, option) is not None for option in OTHER_BUILDERS):
        raise ProbandError(f"a stream builds its own stories and does not take {', '.join(OTHER_BUILDERS)}")
    certify: Any = "none" if options.certify == "sample" else options.certify
    plan = make_plan(replace(options, certify=certify), seed=seed)
    rounds, cells = Rounds(plan), [cell for cell in plan.cells if cell.part != "test"] or plan.cells

    def at(number: int) -> Item:
        turn, place = divmod(number, len(cells))
        tries = (rounds.stories(cells[place], turn + tried * FAR) for tried in count())  # of pairs a round may lack
        items = (next(islice(stories, turn % 4 if plan.paired else 0, None), None) for stories in tries)
        return next(item for item in items if item is not None)

    return at


def generator(*parts: object) -> random.Random:
    """A random generator for a part of a build. It depends only on `parts`, not on the process.

    >>> generator(0, "train", 3).random() == generator(0, "train", 3).random() != generator(0, "train", 4).random()
    True
    """
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return random.Random(int.from_bytes(digest))


def _search(draft: Draft, world: World) -> None:
    """An independent, complete search for a family in which the facts hold and the answer fails."""
    from proband.suites.kinship.logic.search import entailed

    if not entailed(draft.genders, draft.edges, draft.query, draft.target, world=world):
        raise ProbandError(
            f"closure and search disagree on {draft.edges}, query {draft.query}, answer {draft.target!r}: please report"
        )


# ---- names, words and a question for a draft: what turns logic into an item ------------------------------------------


class Wording:
    """Words for the drafts of a plan."""

    def __init__(self, plan: BuildPlan, rules: Rules) -> None:
        self.plan, self.options, self.rules = plan, plan.options, rules
        self.english = rules.world == "family" and rules.words == proved_rules(rules.kin).words
        self.bank_of = lru_cache(maxsize=4)(self._bank_of)

    @cached_property
    def bank(self) -> Bank:
        plan = self.plan
        return bank_of_build(self.options.bank, hold_out=plan.hold_out, share=plan.held["paraphrases"], seed=plan.seed)

    def _bank_of(self, part: str) -> Bank:
        """The bank for the stories of a part; it depends on the part if phrases or constructions are held out."""
        held = constructions_held(self.plan.hold_out) or "paraphrases" in self.plan.hold_out
        return self.bank.of_split(part) if part and held else self.bank

    @cached_property
    def names(self) -> dict[str, Mapping[str, Sequence[str]]]:
        """Names by part and gender."""
        given: Mapping[str, Sequence[str]] = self.rules.names
        if not given:
            given = NAMES if self.rules.gendered else {NO_GENDER: [name for names in NAMES.values() for name in names]}
        if "names" in self.plan.hold_out:
            return {"": given, **names_of(given, share=self.plan.held["names"], seed=self.plan.seed)}
        return {"": given, "train": given, "test": given}

    def item(
        self, draft: Draft, draw: Random, words: random.Random, *, cell: StoryCell, name: str, kind: str, searched: bool
    ) -> Item:
        """The item of a draft. `draw` chooses its people, `words` its wording."""
        names = names_for(draft.genders, self.names[cell.part], draw, alike=bool(self.rules.names))
        telling = self._tell(draft, names, cell.phrases or cell.part, words)
        return self.item_about(draft, names, telling, words, cell=cell, name=name, kind=kind, searched=searched)

    def item_about(
        self, draft: Draft, names: list[str], telling: Telling, words: random.Random,
        *, cell: StoryCell, name: str, kind: str, searched: bool = False,
    ) -> Item:  # fmt: skip
        """The item of a draft in this wording."""
        x, z = draft.query
        question = ask(
            self.options.question, x=names[x], z=names[z], target=draft.target, rules=self.rules,
            draw=words.random, open=self.options.open > 0, gender=draft.genders[z],
        )  # fmt: skip
        bank = self.bank if telling.scenes else None
        text = render(telling, draft.edges, names=names, genders=draft.genders, bank=bank, rules=self.rules)
        prompt = f"{text}\n{question.text}"
        both = canonical_clause(draft.clause, self.rules.inverse)  # the same clause from either end
        clause, cluster = (".".join([self.rules.neutrals[r] for r in each]) for each in (draft.clause, both))
        proved = ("closure", "search") if searched else ("closure",)
        facts = {  # the facts and the proof of the answer, and their wording
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
            "family": draft.family,
            **({"families": draft.families} if draft.families else {}),
            "certificate": draft.verdict,
            "certified_by": CERTIFIED_BY.get(draft.verdict, proved if draft.verdict == "entailed" else ()),
            "clause": clause,
            "clusters": [cluster, *filter(None, [draft.pair])],
            "telling": msgspec.to_builtins(telling),
            "rules": self.rules.reference,
            "table": self.rules.sha256,
            "seal": seal(prompt),
            **question.facts,
        }
        return Item(
            id=name,
            suite="kinship",
            prompt=prompt,
            choices=question.choices,
            gold=question.gold,
            tags=_tags(draft, cell, kind, self.options),
            facts=facts,
            split=cell.split,
        )

    def _tell(self, draft: Draft, names: list[str], part: str, rng: random.Random) -> Telling:
        options = self.options
        if options.form == "story" and self.english:
            return self._story(draft, names, part, rng)
        order = shuffle(len(draft.edges), rng.random)
        while in_one_block(draft, order):
            order = shuffle(len(draft.edges), rng.random)
        if not self.english and options.form != "graph":
            forms = len(self.rules.sentences) if options.form == "story" else 1
            lines = tuple((place, int(rng.random() * forms)) for place in order)
            return Telling(form=SENTENCES, lines=lines)
        # along the chain, the words reveal who is asked about
        genders = self.rules.gendered and not options.facts_along_chain
        lines = tuple((place, 0) for place in order)
        return Telling(form=options.form, lines=lines, genders=genders)

    def _story(self, draft: Draft, names: list[str], part: str, rng: random.Random) -> Telling:
        """A story in the frames of the bank. Our frames can be joined freely. Frames of others are checked one by one,
        but a pronoun may be ambiguous next to another frame, so the whole story is read back and worded again if the
        reading differs."""
        options, path = self.options, list(draft.path or range(len(draft.edges)))
        bank = self.bank_of(part)
        for _ in range(TELLINGS):
            telling = tell(
                draft.edges,
                genders=draft.genders,
                bank=bank,
                rng=rng,
                along_chain=options.facts_along_chain,
                order=order_with_noise(draft, path, rng.random),
                alone=draft.alone,
            )
            if in_one_block(draft, telling.order(draft.edges)):
                continue
            if options.bank == OURS:
                return telling
            if not mismatch_with_facts(
                render(telling, draft.edges, names=names, genders=draft.genders, bank=bank),
                names=names,
                genders=draft.genders,
                edges=draft.edges,
                rules=self.rules,
            ):
                return telling
        raise ProbandError(f"'bank' {options.bank}: none of {TELLINGS} texts is read back to its facts")


def _tags(draft: Draft, cell: StoryCell, kind: str, options: BuildOptions) -> dict[str, Tag]:
    tags: dict[str, Tag] = {"task": cell.task, "k": draft.k, "depth": draft.depth, "target": draft.target}
    if cell.part:
        tags["split"] = cell.split
    if cell.slice:
        tags["slice"] = cell.slice
    if cell.task == "mixed":
        tags["kind"] = kind
    if cell.task in WAYS:  # number of paths that prove the answer alone
        tags["ways"] = 2 if cell.task == "either" else 0
    if options.facts_along_chain:
        tags["facts"] = "along-chain"
    if options.open:
        tags["answer"] = "open" if draft.verdict == "open" else "follows"
    if options.question == "sets":
        tags["possible"] = len(possibilities(draft.target))
    return tags


# ---- the manifest --------------------------------------------------------------------------------------------------


class BuildTally:
    """Counts over the items of a build: labels, genders, clauses, and the material of each split."""

    def __init__(self) -> None:
        self.targets: dict[str, Counter[str]] = {}  # by split, task and k
        self.genders: Counter[str] = Counter()
        self.clauses: Counter[str] = Counter()
        self.seen: dict[str, dict[str, Counter[Any]]] = {}
        self.verdicts: Counter[str] = Counter()
        self.searched = 0
        self.stated: Counter[str] = Counter()
        self.bags: list[tuple[tuple[str, ...], bool, str]] = []  # (stated words, whether the answer is open, pair)

    def add(self, item: Item) -> None:
        facts, split = item.facts, item.split if "split" in item.tags else ""
        cell = " ".join(filter(None, (split, str(item.tags["task"]), f"k={facts['k']}")))
        self.targets.setdefault(cell, Counter())[facts["target"]] += 1
        self.genders["-".join([facts["genders"][person] for person in facts["query"]])] += 1
        if len(self.clauses) < COUNTED_CLAUSES or facts["clause"] in self.clauses:  # keeps memory constant
            self.clauses[facts["clause"]] += 1
        entailed, words = facts["certificate"] == "entailed", tuple(kin for _, kin, _ in facts["edges"])
        self.verdicts[facts["certificate"]] += 1
        self.searched += entailed and "search" in facts["certified_by"]
        self.stated.update(words)
        _, *pair = facts["clusters"]
        if pair and len(self.bags) < KEPT_BAGS:
            self.bags.append((words, not entailed, pair[0]))
        if split:
            for what, parts in parts_of(item).items():
                self.seen.setdefault(split, defaultdict(Counter))[what].update(parts)

    def word_detector(self) -> dict[str, float | int]:
        """AUC of a detector that sees only the stated kin words and predicts whether the answer is open."""
        return {"auc": kin_word_auc(self.bags), "stories": len(self.bags), "at_most": MOST_AUC}


def shares(counts: Counter[str]) -> dict[str, float]:
    total = counts.total()
    return {name: round(count / total, 4) for name, count in sorted(counts.items())}


def _summary(plan: BuildPlan, tally: BuildTally) -> Mapping[str, Any]:
    """Counts, priors and majority accuracy, genders, clauses, certificates, and the leak report of a split."""
    total, rules = tally.genders.total(), load(plan.options.rules)
    majority = {name: round(max(labels.values()) / labels.total(), 4) for name, labels in tally.targets.items()}
    warnings = [
        f"{name}: {100 * share:.0f} % of the stories have one label; hold out fewer clauses"
        for name, share in majority.items()
        if not plan.paired and tally.targets[name].total() >= ENOUGH and share > UNEVEN
    ]
    detector = {"kin_word_detector": tally.word_detector()} if plan.paired else {}
    if detector and len(tally.bags) >= 10 * ENOUGH and detector["kin_word_detector"]["auc"] > MOST_AUC:
        warnings.append(f"kin words alone reveal which stories are open (AUC {detector['kin_word_detector']['auc']})")
    return {
        **({"warnings": warnings} if warnings else {}),
        "rules": {rules.name: rules.sha256},
        "counts": {name: labels.total() for name, labels in tally.targets.items()},
        "majority_accuracy": majority,
        "priors": {name: shares(labels) for name, labels in tally.targets.items()},
        **detector,
        "stated": shares(tally.stated),
        "genders": shares(tally.genders),
        "clauses": {"distinct": len(tally.clauses), "most_common": dict(tally.clauses.most_common(5))},
        "certificates": {
            "by_closure": tally.verdicts["entailed"],
            "by_search": tally.searched,
            "share_searched": round(tally.searched / total, 6) if total else 0.0,
            "sampled_one_in": SAMPLE if plan.options.certify == "sample" else None,
            "verified_one_in": {"full": 1, "sample": CHECKED}.get(plan.options.certify),
            **{name: count for name, count in sorted(tally.verdicts.items()) if name != "entailed"},
        },
        **({"leaks": leaks(tally.seen, plan.hold_out)} if any(cell.part for cell in plan.cells) else {}),
    }
