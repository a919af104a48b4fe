"""Pseudo-log-likelihood of analogy sentences: Proband beside minicons, in one run.

    python benchmarks/pll.py --device cpu --shape base --sentences 60 --json pll-cpu.json
    python benchmarks/pll.py --device cuda --shape large --sentences 2000 --json pll-gpu.json

Both get the same RoBERTa-shaped model with random weights, the same tokenizer and the same sentences, tokenisation
included in the time. minicons runs at the best of several batch sizes, found on a part of the sentences. First the
scores are compared in fp32 (TF32 off), then the speed. Time is CPU time on a CPU (other programs on the machine do not
count) and the clock on a GPU, the best of several repeats in which the two take turns.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

SHAPES = {
    "tiny": {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 256},
    "base": {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072},
    "large": {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096},
}
VOCABULARY = 50265
METHODS = {"pll": "original", "pll-word-l2r": "within_word_l2r"}
BATCHES = {"cpu": (1, 2, 4, 8, 16), "cuda": (16, 32, 64, 128, 256, 512)}
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def words(count: int, seed: int) -> list[str]:
    """Pronounceable words of one to three syllables."""
    rng = random.Random(seed)
    onsets = (
        "b",
        "br",
        "c",
        "ch",
        "d",
        "f",
        "fl",
        "g",
        "gr",
        "h",
        "l",
        "m",
        "n",
        "p",
        "pr",
        "r",
        "s",
        "st",
        "t",
        "v",
        "w",
    )
    vowels, codas = "aeiou", ("", "n", "r", "s", "t", "ld")
    made: dict[str, None] = {}
    while len(made) < count:
        parts = [rng.choice(onsets) + rng.choice(vowels) + rng.choice(codas) for _ in range(rng.choice((1, 2, 2, 3)))]
        made["".join(parts)] = None
    return list(made)


def sentences(count: int, seed: int) -> list[str]:
    """`What A is to B, C is to D.` with four different words."""
    rng, vocabulary = random.Random(seed), words(3000, seed)
    return ["What {} is to {}, {} is to {}.".format(*rng.sample(vocabulary, 4)) for _ in range(count)]


def tokenizer(seed: int) -> Any:
    """Byte-level BPE as RoBERTa's, trained on most of the words: those stay whole, the others fall apart."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    text = [f"What {word} is to {word}, {word} is to {word}." for word in words(3000, seed)[:2400]]
    made.train_from_iterator(
        text,
        trainers.BpeTrainer(vocab_size=5000, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False),
    )
    made.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=True),
            processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]),
        ]
    )
    kind: Any = PreTrainedTokenizerFast
    return kind(
        tokenizer_object=made,
        cls_token="<s>",
        pad_token="<pad>",
        sep_token="</s>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=512,
    )


def build(shape: str, folder: Path, seed: int) -> None:
    """A model folder with random weights."""
    import torch
    import transformers

    hf: Any = transformers
    torch.manual_seed(seed)
    config = hf.RobertaConfig(vocab_size=VOCABULARY, max_position_embeddings=514, type_vocab_size=1, **SHAPES[shape])
    hf.RobertaForMaskedLM(config).save_pretrained(folder)
    tokenizer(seed).save_pretrained(folder)


class Ours:
    def __init__(self, folder: Path, device: str, dtype: str) -> None:
        from proband.models import load

        self.model: Any = load(f"hf:{folder}", {"device": device, "dtype": dtype})

    def score(self, texts: Sequence[str], method: str) -> list[float]:
        from proband.core.protocols import Text

        return [score.total for score in self.model.score([Text(text) for text in texts], method=method)]


class Minicons:
    def __init__(self, folder: Path, device: str, dtype: str) -> None:
        import torch
        from minicons.scorer import MaskedLMScorer
        from transformers import AutoModelForMaskedLM, AutoTokenizer

        model = AutoModelForMaskedLM.from_pretrained(folder, dtype=getattr(torch, dtype))
        read: Any = AutoTokenizer.from_pretrained(folder)
        if not hasattr(type(read), "batch_encode_plus"):
            type(read).batch_encode_plus = type(read).__call__  # gone from transformers 5; minicons still calls it
        self.scorer: Any = MaskedLMScorer(model, device, tokenizer=read)
        self.batch = 1

    def score(self, texts: Sequence[str], method: str) -> list[float]:
        scores: list[float] = []
        for at in range(0, len(texts), self.batch):
            part = list(texts[at : at + self.batch])
            scores += self.scorer.sequence_score(part, reduction=lambda x: x.sum(0).item(), PLL_metric=METHODS[method])
        return scores

    def tune(self, texts: Sequence[str], device: str) -> dict[str, float]:
        """Sentences per second by batch size; keeps the best."""
        speeds: dict[int, float] = {}
        for batch in BATCHES[device]:
            self.batch = batch
            try:
                self.score(texts[:batch], "pll")
                speeds[batch] = len(texts) / timed(partial(self.score, texts, "pll"), device=device)[0]
            except Exception as error:
                if "OutOfMemory" not in type(error).__name__:
                    raise
                free()
        self.batch = max(speeds, key=lambda batch: speeds[batch])
        return {str(batch): round(speed, 2) for batch, speed in speeds.items()}


def free() -> None:
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def timed(call: Callable[[], Any], *, device: str) -> tuple[float, Any]:
    """Seconds, and the result."""
    import torch

    clock = time.perf_counter if device == "cuda" else time.process_time
    if device == "cuda":
        torch.cuda.synchronize()
    began = clock()
    result = call()
    if device == "cuda":
        torch.cuda.synchronize()
    return clock() - began, result


def measure(
    folder: Path, texts: Sequence[str], *, device: str, dtype: str, methods: Sequence[str], repeats: int
) -> list[dict[str, Any]]:
    """Both in one number format: sentences per second, and how far the scores are apart.

    They take turns, so that what else happens on the machine meets both.
    """
    theirs, ours = Minicons(folder, device, dtype), Ours(folder, device, dtype)
    tuned = theirs.tune(texts[: max(min(len(texts), 16), len(texts) // 8)], device)
    ours.score(texts[: max(8, len(texts) // 8)], "pll")
    results = []
    for method in methods:
        their_time, our_time = float("inf"), float("inf")
        for _ in range(repeats):
            seconds, their_scores = timed(partial(theirs.score, texts, method), device=device)
            their_time = min(their_time, seconds)
            free()
            seconds, our_scores = timed(partial(ours.score, texts, method), device=device)
            our_time = min(our_time, seconds)
        results.append(
            {
                "method": method,
                "dtype": dtype,
                "proband sentences/s": round(len(texts) / our_time, 2),
                "minicons sentences/s": round(len(texts) / their_time, 2),
                "ratio": round(their_time / our_time, 3),
                "largest difference": max(abs(a - b) for a, b in zip(our_scores, their_scores)),
                "minicons batch": theirs.batch,
                "minicons sentences/s by batch": tuned,
            }
        )
        print(json.dumps(results[-1]), flush=True)
    theirs.scorer = ours.model = None
    free()
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--shape", choices=tuple(SHAPES), default="base")
    parser.add_argument("--sentences", type=int, default=60)
    parser.add_argument("--methods", default="pll,pll-word-l2r")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="write the figures here")
    asked = parser.parse_args()

    import torch
    import transformers

    transformers.utils.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.set_num_threads(asked.threads)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    texts = sentences(asked.sentences, asked.seed)
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        build(asked.shape, folder, asked.seed)
        lengths = [len(ids) for ids in tokenizer(asked.seed)(texts)["input_ids"]]
        for dtype in ("float32", "bfloat16") if asked.device == "cuda" else ("float32",):
            results += measure(
                folder,
                texts,
                device=asked.device,
                dtype=dtype,
                methods=asked.methods.split(","),
                repeats=asked.repeats,
            )
    report = {
        "device": torch.cuda.get_device_name() if asked.device == "cuda" else f"cpu, {asked.threads} thread(s)",
        "shape": asked.shape,
        "sentences": len(texts),
        "tokens per sentence": {
            "min": min(lengths),
            "mean": round(sum(lengths) / len(lengths), 1),
            "max": max(lengths),
        },
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        "results": results,
        "as users run them": as_run(results),
    }
    print(json.dumps(report, indent=1))
    if asked.json:
        asked.json.write_text(json.dumps(report, indent=1) + "\n")


def as_run(results: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Each at its own default number format: Proband's is bf16 on a GPU, minicons' is fp32 everywhere."""
    ratios = {}
    for method in dict.fromkeys(result["method"] for result in results):
        mine = [result for result in results if result["method"] == method]
        ratios[method] = round(mine[-1]["proband sentences/s"] / mine[0]["minicons sentences/s"], 2)
    return ratios


if __name__ == "__main__":
    main()
