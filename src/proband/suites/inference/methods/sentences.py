"""Models that read both sentences. Cross-encoders trained for natural-language inference: log p(entailment) - log
p(anything else). Sentence encoders: the cosine of the two embeddings, which is the same in both directions. Generative
models (`generate`, `choose`) answer yes or no."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import ClassifiesPairs, EmbedsSentences
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.solvers.choose import ChooseOptions, make_choose_solver
from proband.solvers.generate import Asking, GenerateOptions, make_generate_solver
from proband.solvers.replies import Choices, letters_shown, names_of, read_choice
from proband.suites.inference.items import facts_of, sentence
from proband.suites.inference.methods.prompts import RuleOptions, after_rules, combined

NAMES = ("entailment", "entailed", "yes")


def entailment_label(labels: Sequence[str]) -> int:
    """
    >>> entailment_label(["CONTRADICTION", "Entailment", "neutral"])
    1
    """
    places = [n for n, label in enumerate(labels) if label.lower() in NAMES]
    if len(places) != 1:
        raise ProbandError(f"this classifier has the labels {', '.join(labels)}, none of which is entailment")
    return places[0]


def log_odds(items: Sequence[Item], model: ClassifiesPairs, *, seed: int, options: RuleOptions) -> list[Answer]:
    at = entailment_label(model.labels)
    pairs = [(sentence(facts_of(item).premise), sentence(facts_of(item).hypothesis)) for item in items]
    log = np.asarray(model.classify(pairs), dtype=np.float64)
    rest = np.delete(log, at, axis=1)
    top = rest.max(axis=1)
    scores = log[:, at] - top - np.log(np.exp(rest - top[:, None]).sum(axis=1))
    return combined(items, [float(each) for each in scores], options)


NLI = Solver(
    name="nli",
    help="classifiers of natural-language inference: the log-odds of entailment",
    needs=ClassifiesPairs,
    solve=log_odds,
    options=RuleOptions,
)


def cosine(items: Sequence[Item], model: EmbedsSentences, *, seed: int, options: RuleOptions) -> list[Answer]:
    pairs = [(sentence(facts_of(item).premise) or "Nothing.", sentence(facts_of(item).hypothesis)) for item in items]
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    row = dict(zip(texts, model.embed_sentences(texts), strict=True))
    return combined(items, [float(row[p] @ row[h]) for p, h in pairs], options)


SENTENCES = Solver(
    name="sentences",
    help="the cosine of two sentence embeddings",
    needs=EmbedsSentences,
    solve=cosine,
    options=RuleOptions,
)


# ---- models that are asked in words ----------------------------------------------------------------------------------


OTHER_WORDS = {"true": "yes", "entailment": "yes", "entailed": "yes", "false": "no", "not entailed": "no"}
YES_NO = names_of(["yes", "no"], OTHER_WORDS)
# what follows a *no* that is no answer: "No idea", "There is no way to tell", "It is no longer clear"
NO_ANSWER = "idea|one|way|answer|information|further|more|comment|opinion|longer|doubt|question|problem|reason|evidence"


def read_yes_no(item: Item, reply: str, sent: str) -> Answer:
    """
    >>> item = Item(id="a", suite="inference", prompt="?", choices=("yes", "no"), gold=0)
    >>> read_yes_no(item, "**Yes**, it follows.", "").scores, read_yes_no(item, "Hard to say.", "").status
    ((1.0, 0.0), 'unread')
    """
    letters = letters_shown(sent, item.choices)
    return read_choice(item, reply, sent, Choices(YES_NO, letters=letters, not_after=rf"(?! (?:{NO_ANSWER})\b)"))


ASKING = Asking(
    prompts=Path(__file__).parents[1] / "prompts",
    default="yes-no",
    read=read_yes_no,
    answer=lambda item: item.choices[item.gold or 0],
)


@dataclass(frozen=True, kw_only=True)
class ReplyOptions(GenerateOptions, RuleOptions):
    """What is sent, and which rules come first."""


@dataclass(frozen=True, kw_only=True)
class LetterOptions(ChooseOptions, RuleOptions):
    """What is sent, in how many orders, and which rules come first."""


def reply_after_rules(
    items: Sequence[Item], model: Any, *, options: RuleOptions, ask: Callable[..., Sequence[Answer]], **given: Any
) -> list[Answer]:
    return after_rules(items, ask(items, model, options=options, **given), options)


GENERATE, CHOOSE = (
    replace(solver, solve=partial(reply_after_rules, ask=solver.solve), options=options)
    for solver, options in ((make_generate_solver(ASKING), ReplyOptions), (make_choose_solver(ASKING), LetterOptions))
)
