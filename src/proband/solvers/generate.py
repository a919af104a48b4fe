"""Solver `generate`: send a prompt, receive text, read the answer in it.

A chat model gets the prompt as a message (in its own chat template, or through an endpoint's /chat/completions), a base
model as plain text. Worked examples (option `shots`) are earlier turns of the chat, in the same form as the question;
for a base model they are part of the text. A suite configures the solver with a folder of prompts and a
reader (`Asking`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.plugins import settings
from proband.core.protocols import Chat, Chats, Generates, Replies, Reply
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.solvers.prompts import Prompt, pick_shots, read_prompt, values_of
from proband.solvers.replies import letters_shown

BASE_MAX_TOKENS = 32  # length limit for a base model, which does not stop by itself
THINKING_MAX_TOKENS = 1024  # the limit if it thinks first
BRIEF_MAX_TOKENS = 64  # the limit of a verdict


@dataclass(frozen=True, kw_only=True)
class GenerateOptions:
    """The prompt, and the length of replies."""

    prompt: Annotated[str, Meta(description="name of a shipped template, or a file (docs/asking.md)")] = ""
    shots: Annotated[int, Meta(description="worked examples before the question, from the train split", ge=0)] = 0
    shots_from: Annotated[str, Meta(description="folder of items to take the examples from, if not the same")] = ""
    think: Annotated[bool, Meta(description="ask for reasoning first and the answer on a last line")] = False
    system: Annotated[str, Meta(description="instruction that precedes the conversation")] = ""
    max_tokens: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="longest reply (default: 256; 4,096 for endpoints and models that reason by themselves)"),
    ] = None
    brief: Annotated[bool, Meta(description="at most 64 tokens, unless the model reasons by itself")] = False
    temperature: Annotated[float, Meta(description="0: the likeliest token each time", ge=0)] = 0.0
    logprobs: Annotated[
        bool, Meta(description="keep the mean log-probability of each reply's tokens, where an endpoint gives it")
    ] = False


@dataclass(frozen=True, kw_only=True)
class Asking:
    """How a suite asks: `read(item, reply, sent)` turns a reply into an answer; `answer(item)` is the right answer in a
    worked example; `context(item)` gives further values for its templates; items that are not `asked` get an empty
    answer. `again(item, reply)`: the second message to a model whose reply cannot be read."""

    prompts: Path
    default: str
    read: Callable[[Item, str, str], Answer]
    answer: Callable[[Item], str]
    context: Callable[[Item], Mapping[str, Any]] = lambda item: {}
    asked: Callable[[Item], bool] = lambda item: True
    again: Callable[[Item, str], str] = lambda item, reply: ""

    def prompt(self, options: GenerateOptions) -> Prompt:
        return read_prompt(options.prompt, self.prompts, default=self.default)

    def message(self, item: Item, shots: Sequence[Item], *, prompt: Prompt, think: bool, chat: bool) -> str:
        shown = [{**values_of(shot, self.context(shot)), "answer": self.answer(shot)} for shot in shots]
        return prompt.render(**values_of(item, self.context(item)), shots=shown, think=think, chat=chat)

    def worked(self, shot: Item, question: str, *, think: bool) -> str:
        """The right answer to an example in the form of its question: a letter if it shows letters."""
        answer = self.answer(shot)
        letters = letters_shown(question, shot.choices)
        if letters and answer in shot.choices:
            answer = ascii_uppercase[letters.index(shot.choices.index(answer))]
        return f"Answer: {answer}" if think and "\n" not in answer else answer


def make_generate_solver(asking: Asking) -> Solver:
    """The solver `generate` for a suite."""
    return Solver(
        name="generate",
        help="the model replies in words; the choice is extracted (default if a model gives no probabilities)",
        needs=Generates,
        solve=partial(solve, asking=asking),
        options=GenerateOptions,
        in_words=True,
        examples=lambda options: (options.shots, options.shots_from),
        recorded=partial(recorded, asking=asking),
        decided=lambda options, model: {"max-tokens": settings_of(model, options, 0)["max_tokens"]},
        prompts=asking.prompts,
        asking=asking,
        sends=partial(sends, asking=asking),
    )


def recorded(options: GenerateOptions, *, asking: Asking) -> dict[str, Any]:
    """Options for run.json, with the name and hash of the prompt."""
    prompt = asking.prompt(options)
    kept = {name: value for name, value in settings(options).items() if name not in ("brief", "logprobs") or value}
    return {**kept, "prompt": prompt.name, "prompt-sha": prompt.sha[:16]}


def solve(
    items: Sequence[Item], model: Generates, *, seed: int, options: GenerateOptions, asking: Asking, **given: Any
) -> list[Answer]:
    """One answer per item; a reply that cannot be read is kept as `unread`."""
    questions = [item for item in items if asking.asked(item)]
    chats = chats_of(questions, model, seed=seed, options=options, asking=asking, **given)
    replies = replies_to(chats, model, seed=seed, options=options)
    read = {
        item.id: _with_logprob(asking.read(item, reply.text, chat[-1][1]), reply)
        for item, reply, chat in zip(questions, replies, chats, strict=True)
    }
    unread = {
        item.id: (item, (*chat, ("assistant", reply.text), ("user", again)))
        for item, reply, chat in zip(questions, replies, chats, strict=True)
        if read[item.id].status == "unread" and reply.text and (again := asking.again(item, reply.text))
    }
    seconds = replies_to([chat for _, chat in unread.values()], model, seed=seed, options=options) if unread else []
    for (item, chat), reply in zip(unread.values(), seconds, strict=True):
        read[item.id] = _with_logprob(asking.read(item, reply.text, chat[-1][1]), reply)
    return [read.get(item.id, Answer(item_id=item.id)) for item in items]


def replies_to(chats: Sequence[Chat], model: Any, *, seed: int, options: GenerateOptions) -> list[Reply]:
    limits = settings_of(model, options, seed)
    if options.logprobs:
        if not isinstance(model, Replies):
            raise ProbandError(f"{model.name} gives no log-probabilities of its replies")
        return model.replies(chats, **limits)
    if isinstance(model, Chats):
        return [Reply(text) for text in model.chat(chats, **limits)]
    stop = ("\n\n\n",) if options.think else ("\n",)  # a base model would continue with a question of its own
    return [Reply(text) for text in model.generate([plain_text(chat) for chat in chats], **limits, stop=stop)]


def _with_logprob(answer: Answer, reply: Reply) -> Answer:
    return answer if reply.logprob is None else msgspec.structs.replace(answer, logprob=reply.logprob)


def sends(
    items: Sequence[Item], model: Any, *, seed: int, options: GenerateOptions, asking: Asking, **given: Any
) -> list[list[str]]:
    """The exact text to be sent for each item; nothing for one that is not asked."""
    asked = ([item] if asking.asked(item) else [] for item in items)
    chats = [chats_of(each, model, seed=seed, options=options, asking=asking, **given) for each in asked]
    settings = settings_of(model, options, seed) | ({"logprobs": True} if options.logprobs else {})
    return [texts_sent(each, model, **settings) for each in chats]


def texts_sent(chats: Sequence[Chat], model: Any, **settings: Any) -> list[str]:
    return [model.rendered(chat, **settings) if isinstance(model, Chats) else plain_text(chat) for chat in chats]


def chats_of(
    items: Sequence[Item],
    model: Any,
    *,
    seed: int,
    options: GenerateOptions,
    asking: Asking,
    examples: Sequence[Item] = (),
) -> list[Chat]:
    """The messages for each item; for a base model the examples are part of the one message."""
    prompt, turns = asking.prompt(options), isinstance(model, Chats)
    begin: Chat = (("system", options.system),) if options.system else ()
    if options.shots and not examples:
        raise ProbandError("these items have no train split to take shots from: --set shots-from=DIR names other items")
    made = []
    for item in items:
        shots = pick_shots(item, examples, count=options.shots, seed=seed) if options.shots else []
        ask = partial(asking.message, prompt=prompt, think=options.think, chat=turns)
        if not turns:
            made.append((*begin, ("user", ask(item, shots))))
            continue
        answered: list[tuple[str, str]] = []
        for shot in shots:
            question = ask(shot, ())
            answered += [("user", question), ("assistant", asking.worked(shot, question, think=options.think))]
        made.append((*begin, *answered, ("user", ask(item, ()))))
    return made


def plain_text(chat: Chat) -> str:
    return "\n\n".join(content for _, content in chat)


def settings_of(model: Any, options: GenerateOptions, seed: int) -> dict[str, Any]:
    """Length, temperature and seed of a model's replies."""
    usual = model.default_max_tokens if isinstance(model, Chats) else BASE_MAX_TOKENS
    if options.brief and usual < THINKING_MAX_TOKENS:
        usual = BRIEF_MAX_TOKENS
    most = options.max_tokens or max(usual, THINKING_MAX_TOKENS if options.think else 0)
    return {"max_tokens": most, "temperature": options.temperature, "seed": seed}
