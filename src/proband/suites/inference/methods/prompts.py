r"""Language models, masked and causal: how likely is the hypothesis once the premise is known?

A prompt puts premise P before hypothesis H; only the tokens of H count:

    forward   s = log p(H | prompt, P)
    pmi       s = log p(H | prompt, P) - log p(H | prompt, something)       the prior of the hypothesis taken away
    both      s = pmi(P -> H) - pmi(H -> P)                                  one direction against the other
    prior     s = log p(H), the sentence alone                               attestation: is the hypothesis likely
              anyway?

the mean per token, averaged over the prompts that are named. Without a premise (the control `hypothesis-only`) each of
them is log p(H), since nothing else is left. `both` is told more than a pair: it sees both directions, and where
exactly one of them holds, as in Levy/Holt's directional set, it need only say which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from proband.core.errors import ProbandError
from proband.core.options import Meta
from proband.core.protocols import ScoresText, Text
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.solvers.likelihood import method_of, normalised
from proband.suites.inference.items import facts_of
from proband.suites.inference.methods.combination import RuleOptions, combined

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
    """How the model is asked."""

    prompts: Annotated[
        str,
        Meta(
            description=f"prompts to average, with commas: {', '.join(PROMPTS)}; or your own texts with {PREMISE} and "
            f"{HYPOTHESIS}, separated by |"
        ),
    ] = "so,means,because"
    score: Annotated[
        Literal["forward", "pmi", "both", "prior"],
        Meta(description="likelihood, minus its prior, minus the reverse direction; prior: of the hypothesis alone"),
    ] = "pmi"
    method: Annotated[str, Meta(description="pll, pll-word-l2r, pll-whole-word (masked), ll (causal)")] = ""


def templates(prompts: str) -> list[str]:
    """The texts of prompts given by name, or as they are.

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
    value = {text: normalised(score, "token") for text, score in zip(texts, scored, strict=True)}

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
    help="language models: how likely the hypothesis is once the premise is known",
    needs=ScoresText,
    solve=solve,
    options=PromptOptions,
)
