"""A GGUF file opened by llama.cpp inside this process: tokens of texts, and log-probabilities of tokens behind texts.

The library is the one in the package xllamacpp, whose file has the functions of llama.cpp's public C interface
(`llama.h`). Its Python classes write texts but do not give the scores of given ones, so the functions are called
directly. Of the two structs with settings, whose fields change from version to version, only the first fields are set,
if they have the default values by which they are recognised; otherwise the structs are passed on as they are.

llama.cpp rounds what flows between layers to eight bits where the weights are quantised, so that a last digit can grow
to some hundredths of a nat. Texts are therefore read one by one: a score does not depend on what is asked beside it.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Collection, Mapping
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int8, c_int32, c_uint32, c_uint64, c_void_p
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.files import group_by_key
from proband.models.lm.prefix_trees import Bools, PrefixTree

Ints = NDArray[np.int64]
Doubles = NDArray[np.float64]

PACKAGE, EXTRA = "xllamacpp", "llama"
BATCH = 512  # tokens read at a time
SMALLEST = 1024  # tokens of the smallest memory
MOST_SCORES = 2**24  # numbers (tokens x vocabulary) of scores held at a time: 64 MB
SIZES = (512, 2048, 512, 1)  # defaults of the first settings of a context: n_ctx, n_batch, n_ubatch, n_seq_max


class _Settings(ctypes.Structure):
    """Either struct of settings and some room behind it, which a call by value takes along unread."""

    _fields_ = (("bytes", ctypes.c_uint8 * 1024),)


class _Batch(ctypes.Structure):
    _fields_ = (
        ("n_tokens", c_int32),
        ("token", POINTER(c_int32)),
        ("embd", c_void_p),
        ("pos", POINTER(c_int32)),
        ("n_seq_id", POINTER(c_int32)),
        ("seq_id", POINTER(POINTER(c_int32))),
        ("logits", POINTER(c_int8)),
    )


# function -> (result, arguments)
FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "llama_backend_init": (None, ()),
    "llama_batch_init": (_Batch, (c_int32, c_int32, c_int32)),
    "llama_context_default_params": (_Settings, ()),
    "llama_decode": (c_int32, (c_void_p, _Batch)),
    "llama_free": (None, (c_void_p,)),
    "llama_get_logits_ith": (POINTER(c_float), (c_void_p, c_int32)),
    "llama_get_memory": (c_void_p, (c_void_p,)),
    "llama_init_from_model": (c_void_p, (c_void_p, _Settings)),
    "llama_log_set": (None, (c_void_p, c_void_p)),
    "llama_memory_clear": (None, (c_void_p, c_bool)),
    "llama_memory_seq_rm": (c_bool, (c_void_p, c_int32, c_int32, c_int32)),
    "llama_model_chat_template": (c_char_p, (c_void_p, c_char_p)),
    "llama_model_default_params": (_Settings, ()),
    "llama_model_free": (None, (c_void_p,)),
    "llama_model_get_vocab": (c_void_p, (c_void_p,)),
    "llama_model_has_decoder": (c_bool, (c_void_p,)),
    "llama_model_has_encoder": (c_bool, (c_void_p,)),
    "llama_model_load_from_file": (c_void_p, (c_char_p, _Settings)),
    "llama_model_n_ctx_train": (c_int32, (c_void_p,)),
    "llama_model_n_params": (c_uint64, (c_void_p,)),
    "llama_n_ctx": (c_uint32, (c_void_p,)),
    "llama_set_n_threads": (None, (c_void_p, c_int32, c_int32)),
    "llama_token_to_piece": (c_int32, (c_void_p, c_int32, c_char_p, c_int32, c_int32, c_bool)),
    "llama_tokenize": (c_int32, (c_void_p, c_char_p, c_int32, POINTER(c_int32), c_int32, c_bool, c_bool)),
    "llama_vocab_bos": (c_int32, (c_void_p,)),
    "llama_vocab_eos": (c_int32, (c_void_p,)),
    "llama_vocab_get_add_bos": (c_bool, (c_void_p,)),
    "llama_vocab_get_text": (c_char_p, (c_void_p, c_int32)),
    "llama_vocab_is_control": (c_bool, (c_void_p, c_int32)),
    "llama_vocab_is_eog": (c_bool, (c_void_p, c_int32)),
    "llama_vocab_n_tokens": (c_int32, (c_void_p,)),
    "llama_vocab_type": (c_int32, (c_void_p,)),
}
NOTHING: Mapping[int, Any] = MappingProxyType({})
ERROR = 4  # level of a message of llama.cpp
_messages: list[str] = []  # llama.cpp's errors since the last call began


def _keep_errors(level: int, message: bytes, _: Any) -> None:
    if level >= ERROR and (text := message.decode(errors="replace").strip()):
        _messages.append(text)


LOGGER = ctypes.CFUNCTYPE(None, c_int32, c_char_p, c_void_p)(_keep_errors)


@functools.cache
def library() -> Any:
    """The functions of llama.cpp, or one line on what to install."""
    spec = find_spec(PACKAGE)
    folder = Path(next(iter(spec.submodule_search_locations or ()), "")) if spec is not None else None
    files = sorted(folder.glob(f"{PACKAGE}*.so")) if folder is not None else []
    if not files:
        raise ProbandError(f"gguf: models need llama.cpp: pip install 'proband[{EXTRA}]'")
    try:
        functions = ctypes.CDLL(str(files[0]))
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(functions, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise ProbandError(f"{PACKAGE} {version()} cannot be used: {error}; pip install 'proband[{EXTRA}]'") from None
    functions.llama_log_set(LOGGER, None)
    functions.llama_backend_init()
    return functions


def version() -> str:
    return metadata.version(PACKAGE)


def _reason() -> str:
    return _messages[0] if _messages else "no reason given"


def _context_settings(*, cells: int, batch: int) -> _Settings:
    """Settings for a memory of so many tokens."""
    settings = library().llama_context_default_params()
    sizes = np.frombuffer(settings.bytes, dtype=np.uint32, count=len(SIZES))
    if tuple(sizes.tolist()) != SIZES:
        raise ProbandError(f"{PACKAGE} {version()} has settings that are not known; pip install 'proband[{EXTRA}]'")
    sizes[:3] = cells, batch, batch
    return settings  # type: ignore[no-any-return]


def logprobs_of(scores: NDArray[np.float32], tokens: Ints) -> Doubles:
    r"""log softmax(scores)[token] = scores[token] - log \sum_v exp scores[v]

    >>> np.exp(logprobs_of(np.array([0.0, 0.0, 0.0, 0.0], dtype=np.float32), np.array([2]))).tolist()
    [0.25]
    """
    top = float(scores.max())
    result: Doubles = scores[tokens].astype(np.float64) - top - np.log(np.exp(scores - top).sum(dtype=np.float64))
    return result


def branches(parents: Ints) -> list[list[int]]:
    """The nodes of a tree (its root first, parents before children) as few runs of parent and child.

    >>> branches(np.array([-1, 0, 0, 1, 2, 1]))
    [[0, 1, 3], [5], [2, 4]]
    """
    children = group_by_key((parent, node) for node, parent in enumerate(parents.tolist()))
    runs, waiting = list[list[int]](), [0]
    while waiting:
        node = waiting.pop()
        if runs and runs[-1][-1] == parents[node]:
            runs[-1].append(node)
        else:
            runs.append([node])
        waiting += reversed(children.get(node, []))
    return runs


class Llama:
    """A model, its vocabulary, and a memory of what it has read, which grows as texts need it."""

    def __init__(self, file: Path, *, name: str, threads: int | None = None) -> None:
        self.lib, self.name, self.threads = library(), name, threads or len(os.sched_getaffinity(0))
        self.context: Any = None
        _messages.clear()
        self.model = self.lib.llama_model_load_from_file(os.fsencode(file), self.lib.llama_model_default_params())
        if not self.model:
            raise ProbandError(f"{name}: llama.cpp cannot read it: {_reason()}", file=file)
        if self.lib.llama_model_has_encoder(self.model) or not self.lib.llama_model_has_decoder(self.model):
            raise ProbandError(f"{name}: not a causal language model", file=file)
        self.vocab = self.lib.llama_model_get_vocab(self.model)
        if not self.lib.llama_vocab_type(self.vocab):
            raise ProbandError(f"{name}: the file has no tokenizer", file=file)
        self.size: int = self.lib.llama_vocab_n_tokens(self.vocab)
        self.longest: int = self.lib.llama_model_n_ctx_train(self.model)
        self.parameters: int = self.lib.llama_model_n_params(self.model)
        self.batch = max(32, min(BATCH, MOST_SCORES // self.size))
        self.piece = functools.cache(self._piece)

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # it was never opened
            if self.context:
                self.lib.llama_free(self.context)
            if self.model:
                self.lib.llama_model_free(self.model)

    # ---- texts as tokens ---------------------------------------------------------------------------------------

    def tokens(self, text: str) -> list[int]:
        """The text's own tokens; a special token that is spelled in it is that token."""
        raw = text.encode()
        room = (c_int32 * (len(raw) + 8))()
        count = self.lib.llama_tokenize(self.vocab, raw, len(raw), room, len(room), False, True)
        if count < 0:
            raise ProbandError(f"{self.name}: llama.cpp cannot tokenise {text[:60]!r}")
        return room[:count]

    def _piece(self, token: int) -> bytes:
        """What a token spells; special tokens by name."""
        room = ctypes.create_string_buffer(256)
        count = self.lib.llama_token_to_piece(self.vocab, token, room, len(room), 0, True)
        if count < 0:
            room = ctypes.create_string_buffer(-count)
            count = self.lib.llama_token_to_piece(self.vocab, token, room, len(room), 0, True)
        return room.raw[:count]

    @functools.cached_property
    def chat_template(self) -> str | None:
        template = self.lib.llama_model_chat_template(self.model, None)
        return None if template is None else str(template.decode())

    # ---- reading -----------------------------------------------------------------------------------------------

    def behind(self, context: Ints, tree: PrefixTree, wanted: Bools | None = None) -> Doubles:
        """Of each edge of a tree that follows the context (of those `wanted`; others are 0)

            log P(target | context, what leads to the source)

        The context and each node are read once, branch by branch."""
        tokens, parents = np.append(context[-1], tree.tokens), np.append(-1, tree.parents + 1)  # the root first
        chosen = np.flatnonzero(np.ones(len(tree.targets), dtype=bool) if wanted is None else wanted)
        edges = [chosen[tree.sources[chosen] == node] for node in range(len(tokens))]
        depth = np.full(len(tokens), len(context) - 1)
        for node in range(1, len(tokens)):
            depth[node] = depth[parents[node]] + 1
        values = np.zeros(len(tree.targets))
        memory, before = self._emptied(int(depth.max()) + 1), context[:-1]
        for branch in branches(parents):
            read, at = np.append(before, tokens[branch]), int(depth[branch[0]])
            places = {len(before) + i: tree.targets[edges[node]] for i, node in enumerate(branch) if len(edges[node])}
            if len(before) == 0 and not self.lib.llama_memory_seq_rm(memory, 0, at, -1):  # cannot go back (Mamba)
                self.lib.llama_memory_clear(memory, False)
                path = [parents[branch[0]]]
                while parents[path[0]] >= 0:
                    path.insert(0, parents[path[0]])
                self._read(np.append(context[:-1], tokens[path]), at=0)
            results = self._read(read, at=at - len(before), wanted=places)
            for node, result in zip((node for node in branch if len(edges[node])), results, strict=True):
                values[edges[node]] = result
            before = before[:0]
        return values

    def next_scores(self, tokens: Ints, *, after: int, room: int = 0) -> NDArray[np.float32]:
        """Scores of what comes next, after `after` tokens that were read before (0: a new text) and these; a new text
        has `room` for as many more."""
        if after == 0:
            self._emptied(len(tokens) + room)
        self._read(tokens[:-1], at=after)
        self._run(tokens[-1:], at=after + len(tokens) - 1, outputs=[0])
        return self._scores(0).copy()

    def _read(self, tokens: Ints, *, at: int, wanted: Mapping[int, Ints] = NOTHING) -> list[Doubles]:
        """Read tokens from position `at` on, a batch at a time; the log-probabilities that are wanted, in order."""
        results = []
        for first in range(0, len(tokens), self.batch):
            here = sorted(place - first for place in wanted if first <= place < first + self.batch)
            self._run(tokens[first : first + self.batch], at=at + first, outputs=here)
            results += [logprobs_of(self._scores(place), wanted[first + place]) for place in here]
        return results

    def _run(self, tokens: Ints, *, at: int, outputs: Collection[int]) -> None:
        batch = self._batch
        batch.n_tokens = len(tokens)
        for i, token in enumerate(tokens.tolist()):
            batch.token[i], batch.pos[i], batch.n_seq_id[i] = token, at + i, 1
            batch.seq_id[i][0], batch.logits[i] = 0, i in outputs
        _messages.clear()
        if status := self.lib.llama_decode(self.context, batch):
            raise ProbandError(f"{self.name}: llama.cpp fails ({status}): {_reason()}")

    def _scores(self, at: int) -> NDArray[np.float32]:
        """Over the vocabulary, of what follows an entry of the last batch."""
        return np.ctypeslib.as_array(self.lib.llama_get_logits_ith(self.context, at), shape=(self.size,))

    @functools.cached_property
    def _batch(self) -> _Batch:
        return self.lib.llama_batch_init(self.batch, 0, 1)  # type: ignore[no-any-return]

    def _emptied(self, cells: int) -> Any:
        """The memory, with room for so many tokens and nothing in it."""
        if self.context is None or self.lib.llama_n_ctx(self.context) < cells:
            if self.context:
                self.lib.llama_free(self.context)
            cells = max(SMALLEST, 1 << (cells - 1).bit_length())
            _messages.clear()
            self.context = self.lib.llama_init_from_model(self.model, _context_settings(cells=cells, batch=self.batch))
            if not self.context:
                raise ProbandError(f"{self.name}: llama.cpp has no room for {cells:,} tokens: {_reason()}")
            self.lib.llama_set_n_threads(self.context, self.threads, self.threads)
        memory = self.lib.llama_get_memory(self.context)
        self.lib.llama_memory_clear(memory, False)
        return memory
