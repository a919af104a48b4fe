"""`gguf:FILE`: causal language models in one GGUF file, computed by llama.cpp inside this process (lm/llama_cpp.py).

The weights stay as they are in the file, which is mapped into memory; the tokenizer, the chat template and the window
are the file's own. The first token of a text follows the rule of `hf:` (lm/causal.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.plugins import ModelKind, json_object
from proband.core.progress import advance
from proband.core.protocols import Chat, Floats, Reply
from proband.models.checkpoints import Files
from proband.models.lm.causal import ReadsChats, ReadsLeftToRight
from proband.models.lm.continuation_scores import Doubles, shared
from proband.models.lm.generation import THOUGHT_MARKS, Drafts, Writing, noise
from proband.models.lm.llama_cpp import Llama, logprobs_of, version
from proband.models.lm.network import CHUNK_OF_ITEMS, CHUNK_OF_WORK, Ints
from proband.models.lm.prefix_trees import grow

WORTH_A_CONTEXT = 8  # tokens that must be saved before texts go on from a context that is read once
ALTERNATIVES = 20  # to the first token of a reply, as many as endpoints give


@dataclass(frozen=True, kw_only=True)
class GgufOptions:
    """Loading a GGUF file."""

    bos: Annotated[str, Meta(description="first token of a text, as for hf:: auto, always, never, a token")] = "auto"
    threads: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="threads that compute (default: one per processor)")
    ] = None
    template: Annotated[
        dict[str, Any] | str | None,
        Meta(description='further values for the chat template, as JSON: {"enable_thinking": false}'),
    ] = None


def load(rest: str, *, options: GgufOptions) -> Gguf:
    """The model behind `gguf:rest`."""
    name, file = f"gguf:{rest}", Path(rest).expanduser()
    if not file.is_file():
        raise ProbandError("no such file", file=file)
    with open(file, "rb") as opened:
        if opened.read(4) != b"GGUF":
            raise ProbandError(f"{name}: not a GGUF file", file=file)
    values = json_object(options.template, field="template", name=name)
    llama = Llama(file, name=name, threads=options.threads)
    how: dict[str, Any] = {"name": name, "identity": Files(file.parent, gguf=file.name).named(name), "bos": options.bos}
    if llama.chat_template:
        return ChatGguf(llama, template=values, **how)
    if values:
        raise ProbandError(f"{name}: 'template' is for models with a chat template, and this one has none")
    return Gguf(llama, **how)


class Gguf(ReadsLeftToRight):
    """A model that llama.cpp computes (protocols ScoresText, PredictsWords, Generates)."""

    def __init__(self, llama: Llama, *, name: str, bos: str = "auto", **more: Any) -> None:
        super().__init__(GgufTokenizer(llama), name=name, longest=llama.longest, **more)
        self.llama = llama
        self.chunk, self.chunk_characters = CHUNK_OF_ITEMS["cpu"], CHUNK_OF_WORK["cpu"] / llama.parameters
        self.begin_texts(bos)

    def adds_bos(self) -> bool:
        return self.tokenizer.bos_token_id is not None and bool(self.tokenizer.adds_bos)

    def identity(self) -> Mapping[str, str]:
        return {**super().identity(), "engine": f"llama.cpp of xllamacpp {version()}"}

    def text_logprobs(self, keys: Sequence[str], rows: Sequence[Ints], positions: Sequence[Ints]) -> Doubles:
        groups = shared(keys, rows, positions, worth=WORTH_A_CONTEXT)
        together = {i for _, group in groups for i in group}
        totals = np.empty(len(rows))
        for length, group in [*groups, *((int(positions[i][0]), [i]) for i in range(len(rows)) if i not in together)]:
            tree = grow([rows[i][length : positions[i][-1] + 1].tolist() for i in group])
            counted = [path[positions[i] - length] for i, path in zip(group, tree.paths)]
            wanted = np.isin(np.arange(len(tree.targets)), np.concatenate(counted))
            values = self.llama.behind(rows[group[0]][:length], tree, wanted)
            totals[group] = [values[edges].sum() for edges in counted]
            advance(len(group) / len(rows))
        return totals

    def continuation_logprobs(self, lefts: Sequence[Ints], endings: Sequence[Sequence[int]]) -> Floats:
        tree = grow(endings)
        result = np.empty((len(lefts), len(endings)), dtype=np.float32)
        for row, left in enumerate(lefts):
            values = np.append(self.llama.behind(left, tree), 0.0)  # short paths are filled up with an edge of log 1
            result[row] = values[tree.paths].sum(-1)
            advance(1 / len(lefts))
        return result

    def write(self, rows: Mapping[str, Ints], how: Writing) -> Mapping[str, str]:
        """One prompt at a time: a text does not depend on what is asked beside it."""
        texts = {}
        for prompt, row in rows.items():
            texts[prompt] = self._written(prompt, row, how).text
            advance(1 / len(rows))
        return texts

    def _written(self, prompt: str, row: Ints, how: Writing) -> Reply:
        """With the mean log-probability of its tokens, and the alternatives to the first that is not blank."""
        drafts = Drafts(self.tokenizer, [prompt], how, ends=self.tokenizer.ends, longest=self.longest)
        tokens, read, first = row, 0, tuple[tuple[str, float], ...]()
        logprobs = list[float]()
        while True:
            scores = self.llama.next_scores(tokens, after=read, room=min(how.max_tokens, self.llama.longest - len(row)))
            read += len(tokens)
            drawn = noise(drafts.streams[0], len(scores), how.temperature) if how.temperature else 0.0
            token = int((scores.astype(np.float64) + drawn).argmax())
            logprobs.append(float(logprobs_of(scores, np.array([token]))[0]))
            if not first and self.llama.piece(token).strip():
                best = np.argsort(-scores, kind="stable")[:ALTERNATIVES]
                order = np.array([token, *(each for each in best if each != token)])
                pieces = (self.llama.piece(int(each)).decode(errors="replace") for each in order)
                first = tuple(zip(pieces, logprobs_of(scores, order).tolist()))
            if drafts.done(0, token, len(row)):
                return Reply(drafts.text(0), logprob=float(np.mean(logprobs)), first=first)
            tokens = np.array([token])


class ChatGguf(ReadsChats, Gguf):
    """An instruction-tuned model (also protocols Chats, Replies)."""

    def replies(
        self, chats: Sequence[Chat], *, max_tokens: int, temperature: float, seed: int, alternatives: bool = False
    ) -> list[Reply]:
        how = Writing(max_tokens=max_tokens, temperature=temperature, seed=seed)
        results = []
        for text, row in map(self._fitting, chats):
            results.append(self._written(text, row, how))
            advance(1 / len(chats))
        return results


# ---- the tokenizer, with those methods of transformers' own that causal models use -----------------------------------


@dataclass(frozen=True)
class Encoding:
    """A text's tokens and their characters."""

    ids: list[int]
    offsets: list[tuple[int, int]]

    @property
    def special_tokens_mask(self) -> list[int]:
        return [0] * len(self.ids)

    @property
    def word_ids(self) -> list[int]:
        return list(range(len(self.ids)))


class Encodings(dict[str, Any]):
    """Of some texts: `input_ids`, `offset_mapping`, and `encodings`."""

    def __init__(self, encodings: Sequence[Encoding]) -> None:
        super().__init__(
            input_ids=[each.ids for each in encodings], offset_mapping=[each.offsets for each in encodings]
        )
        self.encodings = encodings


class SpecialToken(str):
    """The name of a token that stands for no text."""

    special = True


class GgufTokenizer:
    """The tokenizer in a GGUF file. No special tokens are added to a text, but `adds_bos` says that one should be."""

    is_fast = True

    def __init__(self, llama: Llama) -> None:
        lib, vocab = llama.lib, llama.vocab
        self.llama, self.chat_template = llama, llama.chat_template
        self.bos_token_id, self.eos_token_id = (
            None if token < 0 else token for token in (lib.llama_vocab_bos(vocab), lib.llama_vocab_eos(vocab))
        )
        self.adds_bos = lib.llama_vocab_get_add_bos(vocab)
        every = range(llama.size)
        self.ends = {token for token in every if lib.llama_vocab_is_eog(vocab, token)}
        self.control = {token for token in every if lib.llama_vocab_is_control(vocab, token)}
        self.added_tokens_decoder = {
            token: SpecialToken(text) for token in self.control if (text := self._name(token)) in THOUGHT_MARKS
        }

    def _name(self, token: int) -> str:
        return str(self.llama.lib.llama_vocab_get_text(self.llama.vocab, token).decode(errors="replace"))

    @property
    def bos_token(self) -> str | None:
        return None if self.bos_token_id is None else self._name(self.bos_token_id)

    @property
    def eos_token(self) -> str | None:
        return None if self.eos_token_id is None else self._name(self.eos_token_id)

    def get_vocab(self) -> dict[str, int]:
        return {self._name(token): token for token in range(self.llama.size)}

    def convert_ids_to_tokens(self, token: int) -> str:
        return self._name(token)

    def __call__(self, texts: str | Sequence[str], **_: Any) -> Any:
        if isinstance(texts, str):
            return {key: values[0] for key, values in self([texts]).items()}
        return Encodings([self._encoded(text) for text in texts])

    def _encoded(self, text: str) -> Encoding:
        ids = self.llama.tokens(text)
        return Encoding(ids, character_spans(text, [self.llama.piece(token) for token in ids]))

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool = True) -> str:
        kept = (token for token in ids if not (skip_special_tokens and token in self.control))
        return b"".join(map(self.llama.piece, kept)).decode(errors="replace")

    def apply_chat_template(self, messages: Sequence[Mapping[str, str]], **values: Any) -> str:
        """As transformers renders it."""
        from datetime import datetime

        from jinja2.ext import loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        def fail(message: str) -> None:
            raise ProbandError(message)

        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
        environment.globals["raise_exception"] = fail
        environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
        template = environment.from_string(str(self.chat_template))
        names = {"bos_token": self.bos_token or "", "eos_token": self.eos_token or ""}
        return template.render(messages=messages, **names, **values)


def character_spans(text: str, pieces: Sequence[bytes]) -> list[tuple[int, int]]:
    """Where each piece stands in the text, in characters. Pieces are in the text's order; a space that the tokenizer
    puts in front of a word is not in the text.

    >>> character_spans("né à", [b" n", "é".encode()[:1], "é".encode()[1:], b" ", "à".encode()])
    [(0, 1), (1, 2), (1, 2), (2, 3), (3, 4)]
    """
    raw = text.encode()
    character = np.zeros(len(raw) + 1, dtype=np.int64)  # of each byte
    character[1:] = np.cumsum([byte & 0xC0 != 0x80 for byte in raw])
    spans, at = list[tuple[int, int]](), 0
    for piece in pieces:
        if not raw.startswith(piece, at) and raw.startswith(piece.lstrip(b" "), at):
            piece = piece.lstrip(b" ")
        if not raw.startswith(piece, at):
            raise ProbandError(f"the tokenizer changes the text at {text[int(character[at]) :][:40]!r}")
        end = at + len(piece)
        first = int(character[at + 1]) - 1 if piece else int(character[at])
        spans.append((first, int(character[end])))
        at = end
    return spans


KIND = ModelKind(
    name="gguf",
    help="causal language models in a GGUF file, by llama.cpp (needs proband[llama])",
    options=GgufOptions,
    load=load,
    scores_texts=lambda rest: True,
)
