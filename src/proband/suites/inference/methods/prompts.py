r"""Language models, masked and causal: how likely is the hypothesis once the premise is known?

A prompt puts premise P before hypothesis H; only the tokens of H count:

    forward   s = log p(H | prompt, P)
    pmi       s = log p(H | prompt, P) - log p(H | prompt, something)       minus the prior of the hypothesis
    both      s = pmi(P -> H) - pmi(H -> P)                                  one direction against the other
    prior     s = log p(H), the sentence alone                               attestation: is the hypothesis likely
              anyway?

the mean per token, averaged over the named prompts. Without a premise (the control `hypothesis-only`) each of them is
log p(H). `both` has more information than a single pair: it compares both directions, and if exactly one of them holds,
as in Levy/Holt's directional set, it need only choose which.

Rules first, similarity on the rest (section 4.2): pairs that a rule accepts come before all others.

    score = 2                  where the lemma baseline accepts the pair
    score = 1                  where the graph or PPDB does
    score = s / (1 + |s|)      elsewhere: in (-1, 1), in the order of the method's own score s
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.plugins import Meta, name_list
from proband.core.protocols import AnswersItems, ScoresText, Text, method_of
from proband.core.suite import Solver
from proband.core.types import LEFT_OUT, Answer, Item
from proband.suites.inference.items import InferenceFacts, facts_of
from proband.suites.inference.methods import lemma
from proband.suites.inference.methods.rule_files import read_graph, read_ppdb

# ---- scores and rules together ---------------------------------------------------------------------------------------


Accepts = Callable[[InferenceFacts], bool]


@dataclass(frozen=True, kw_only=True)
class RuleOptions:
    """Options that choose which rules come first."""

    on_lemma: Annotated[bool, Meta(description="pairs that the lemma baseline accepts come first")] = False
    lemma: Annotated[
        lemma.LemmaRule, Meta(description="rule of the lemma baseline: as printed, or as in the authors' program")
    ] = "printed"
    graph: Annotated[str, Meta(description="entailment graphs, comma-separated: pairs they accept come first")] = ""
    typed: Annotated[bool, Meta(description="a graph's rules apply only to their types, if types are known")] = False
    ppdb: Annotated[str, Meta(description="files of PPDB, comma-separated: pairs they accept come first")] = ""
    ppdb_score: Annotated[float, Meta(description="lowest PPDB 2.0 score of a paraphrase")] = 0.0

    @property
    def any(self) -> bool:
        return bool(self.on_lemma or paths_in(self.graph) or paths_in(self.ppdb))


def paths_in(text: str) -> list[Path]:
    paths = [Path(each) for each in name_list(text) if each != "none"]
    for path in paths:
        if not path.exists():
            raise ProbandError("does not exist", file=path)
    return paths


def combined(items: Sequence[Item], scores: Sequence[float], options: RuleOptions) -> list[Answer]:
    """One answer per item: its own score, ranked after items that a rule accepts."""
    own = [Answer(item_id=item.id, scores=(score, 0.0)) for item, score in zip(items, scores, strict=True)]
    return after_rules(items, own, options)


def after_rules(items: Sequence[Item], answers: Sequence[Answer], options: RuleOptions) -> list[Answer]:
    """Rank the answers after those that a rule accepts, which count as read even if the reply was not."""
    if not options.any:
        return list(answers)
    rules: list[Accepts] = [partial(read_graph(path).accepts, typed=options.typed) for path in paths_in(options.graph)]
    rules += [read_ppdb(path, options.ppdb_score).accepts for path in paths_in(options.ppdb)]
    if options.typed and not any("types" in item.facts for item in items):
        raise ProbandError("'typed' asks for the types of arguments, and these items have none")
    return [
        answer_by_rules(facts_of(item), answer, rules, options) for item, answer in zip(items, answers, strict=True)
    ]


def answer_by_rules(pair: InferenceFacts, answer: Answer, rules: Sequence[Accepts], options: RuleOptions) -> Answer:
    if answer.status in LEFT_OUT:  # the item is not part of this run
        return answer
    if options.on_lemma and lemma.accepts(pair, options.lemma):
        return replace(answer, scores=(2.0, 0.0), status="")
    if pair.premise.relation and any(accepts(pair) for accepts in rules):
        return replace(answer, scores=(1.0, 0.0), status="")
    if answer.status or not answer.scores:
        return answer
    own = answer.scores[0] - answer.scores[1]
    return replace(answer, scores=(own / (1 + abs(own)), 0.0))


# ---- models that read items directly; `solver:rules` is rules alone --------------------------------------------------


class RuleSolver:
    """`solver:rules`: a pair is entailed if a rule accepts it."""

    name = "solver:rules"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "inference", "name": "rules"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [Answer(item_id=item.id, scores=(-1.0, 0.0)) for item in items]


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(RuleOptions):
    """Options of the models that read items, including the similarity in context of relation embeddings."""

    context: Annotated[
        str,
        Meta(description="relation embeddings in the context of their arguments: none, add, bal-add, mult, bal-mult"),
    ] = "none"


def solve_directly(items: Sequence[Item], model: Any, *, seed: int, options: ReadingOptions) -> list[Answer]:
    if isinstance(model, RuleSolver) and not options.any:
        raise ProbandError("solver:rules needs rules: --set on-lemma=yes, --set graph=FILE or --set ppdb=FILE")
    if options.context != "none":
        if not hasattr(model, "in_context"):
            raise ProbandError(f"'context' is of relation embeddings; {model.name} has none")
        model = model.in_context(options.context)
    return after_rules(items, model.answer(items), options)


DIRECT = Solver(
    name="direct",
    help="baselines, rules and relation embeddings read items directly",
    needs=AnswersItems,
    solve=solve_directly,
    options=ReadingOptions,
)


# ---- prompts ---------------------------------------------------------------------------------------------------------


PREMISE, HYPOTHESIS = "{premise}", "{hypothesis}"  # the last hypothesis of a prompt is the one that is scored
PROMPTS: Mapping[str, str] = {
    "so": "{premise}, so {hypothesis}.",
    "means": "{premise}, which means that {hypothesis}.",
    "because": "Because {premise}, {hypothesis}.",
    "question": "Is it true that {hypothesis}? {premise}, so yes, {hypothesis}.",
}
NOTHING = "something happened"


@dataclass(frozen=True, kw_only=True)
class PromptOptions(RuleOptions):
    """Options of the prompts."""

    prompts: Annotated[
        str,
        Meta(
            description=f"prompts to average, with commas: {', '.join(PROMPTS)}; or your own texts with {PREMISE} and "
            f"{HYPOTHESIS}, separated by |"
        ),
    ] = "so,means,because"
    score: Annotated[
        Literal["forward", "pmi", "both", "prior"],
        Meta(
            description="the likelihood, minus its prior, minus the reverse direction; prior: of the hypothesis alone"
        ),
    ] = "pmi"
    method: Annotated[str, Meta(description="pll, pll-word-l2r, pll-whole-word (masked), ll (causal)")] = ""


def templates(prompts: str) -> list[str]:
    """The texts of prompts, given by name or literally.

    >>> templates("so,because")
    ['{premise}, so {hypothesis}.', 'Because {premise}, {hypothesis}.']
    >>> templates("If {premise}, then {hypothesis}.")
    ['If {premise}, then {hypothesis}.']
    """
    given = [text.strip() for text in prompts.split("|" if "{" in prompts else ",") if text.strip()]
    for text in given:
        if text not in PROMPTS and not (PREMISE in text and text.find(PREMISE) < text.rfind(HYPOTHESIS)):
            raise ProbandError(
                f"'prompts' has {text!r}, which is none of {', '.join(PROMPTS)}, nor a text with {PREMISE} before "
                f"{HYPOTHESIS}"
            )
    if not given:
        raise ProbandError(f"'prompts' is empty; there are {', '.join(PROMPTS)}")
    return [PROMPTS.get(text, text) for text in given]


def filled(template: str, premise: str, hypothesis: str) -> Text:
    """
    >>> filled(PROMPTS["so"], "aspirin eliminates pain", "aspirin treats pain")
    Text(text='Aspirin eliminates pain, so aspirin treats pain.', start=27)
    """
    before, _, after = template.rpartition(HYPOTHESIS)
    head = before.replace(PREMISE, premise).replace(HYPOTHESIS, hypothesis)
    return Text(head[:1].upper() + head[1:] + hypothesis + after, start=len(head.rstrip()))


def bare(hypothesis: str) -> Text:
    """
    >>> bare("aspirin treats pain")
    Text(text='Aspirin treats pain.', start=0)
    """
    return Text(f"{hypothesis[:1].upper()}{hypothesis[1:]}.")


def solve(items: Sequence[Item], model: ScoresText, *, seed: int, options: PromptOptions) -> list[Answer]:
    """Each distinct text is scored once."""
    prompts = templates(options.prompts)
    pairs = [(facts_of(item).premise.text, facts_of(item).hypothesis.text) for item in items]
    given = [(premise, hypothesis) for premise, hypothesis in pairs if premise and options.score != "prior"]
    wanted = list(given)
    if options.score != "forward":
        wanted += [(NOTHING, hypothesis) for _, hypothesis in given]
    if options.score == "both":
        wanted += [(hypothesis, premise) for premise, hypothesis in given]
        wanted += [(NOTHING, premise) for premise, _ in given]
    alone = [bare(hypothesis) for premise, hypothesis in pairs if not premise or options.score == "prior"]
    filled_in = [filled(prompt, *pair) for pair in dict.fromkeys(wanted) for prompt in prompts]
    texts = list(dict.fromkeys([*filled_in, *alone]))
    scored = model.score(texts, method=method_of(model, options.method))
    value = {text: score.normalised("token") for text, score in zip(texts, scored, strict=True)}

    def likely(premise: str, hypothesis: str) -> float:
        return float(np.mean([value[filled(prompt, premise, hypothesis)] for prompt in prompts]))

    def pmi(premise: str, hypothesis: str) -> float:
        return likely(premise, hypothesis) - likely(NOTHING, hypothesis)

    def both(premise: str, hypothesis: str) -> float:
        return pmi(premise, hypothesis) - pmi(hypothesis, premise)

    def prior(premise: str, hypothesis: str) -> float:
        return value[bare(hypothesis)]

    of = {"forward": likely, "pmi": pmi, "both": both, "prior": prior}[options.score]
    return combined(items, [(of if premise else prior)(premise, hypothesis) for premise, hypothesis in pairs], options)


PROMPTED = Solver(
    name="prompts",
    help="language models: likelihood of the hypothesis given the premise",
    needs=ScoresText,
    solve=solve,
    options=PromptOptions,
)
