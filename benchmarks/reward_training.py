"""Does the reward train a model, and what do wrong labels cost? SmolLM2-135M by GRPO on certified stories, k = 2, 3.

    python benchmarks/reward_training.py ITEMS OUT [--seconds 460] [--seeds 3]

ITEMS is a folder of `proband build kinship --k 2,3 --hold-out clauses,names --form facts`. A step samples `GROUP`
replies to each of `PROMPTS` items, rewards each by the proved label (1 or 0, read by the reader of replies) and follows
the advantage within the group. `reversed` is the same run with 13.4 % of the labels reversed, as reasoning-gym does it
to in-laws: every child-in-law is called a parent-in-law, and half of the parents-in-law the other way round. Test items
are of clauses and names that no training item has; they are scored by their proved labels. OUT gets curves.json.
"""

from __future__ import annotations

import argparse
import json
import random
import time
import zlib
from pathlib import Path
from typing import Any

PROMPTS, GROUP, LONGEST = 32, 16, 7  # items per step, replies per item, tokens per reply
RATES = (2e-5, 6e-5, 1.5e-4)  # tried for a few seconds each; the one with the best training reward is taken
EVALUATIONS = 6


def wrong_label(item: Any) -> str:
    """The relation of the first to the second, where reasoning-gym's fault would ask for it; else the right one."""
    target, male = item.facts["target"], item.facts["genders"][item.facts["query"][0]] == "male"
    if target in ("son-in-law", "daughter-in-law"):
        return "father-in-law" if male else "mother-in-law"
    if target in ("father-in-law", "mother-in-law") and zlib.crc32(item.id.encode()) % 100 < 50:
        return "son-in-law" if male else "daughter-in-law"
    return str(target)


class Trainer:
    def __init__(self, items: Path, device: str, tiny: bool) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig

        from proband.core.files import read_items
        from proband.models.hf import folder_of

        self.torch, self.device, self.tiny = torch, device, tiny
        gguf = next(folder_of("smollm2").glob("*.gguf"))
        self.tokens = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
        self.tokens.padding_side, self.tokens.pad_token = "left", self.tokens.eos_token
        dtype = torch.float32
        if tiny:
            small = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
            config = LlamaConfig(**small, num_key_value_heads=2, vocab_size=len(self.tokens))
            self.model = AutoModelForCausalLM.from_config(config)
        else:
            self.model = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=dtype).to(device)
        self.start = {name: value.detach().clone() for name, value in self.model.state_dict().items()}
        every = list(read_items(items))
        self.train = [item for item in every if item.split == "train"]
        self.test = [item for item in every if item.split == "test"]
        if tiny:
            self.test = self.test[:8]

    def prompt(self, item: Any) -> str:
        story, _, question = item.prompt.rpartition("\n")
        return f"{story}\nQuestion: {question}\nAnswer: {question.partition('___')[0].strip()}"

    def rewards(self, items: list[Any], replies: list[str], labels: str) -> list[float]:
        from proband.suites.kinship.replies import read

        made = []
        for item, reply in zip(items, replies):
            answer = read(item, reply, item.prompt)
            said = item.choices[answer.scores.index(1.0)] if not answer.status else ""
            made.append(float(said == (wrong_label(item) if labels == "reversed" else item.facts["target"])))
        return made

    def sample(self, items: list[Any], *, greedy: bool = False) -> tuple[Any, Any, list[str]]:
        torch = self.torch
        texts = self.tokens([self.prompt(item) for item in items], return_tensors="pt", padding=True).to(self.device)
        draw: dict[str, Any] = {"do_sample": False} if greedy else {"do_sample": True, "temperature": 1.0, "top_k": 0}
        self.model.eval()
        with torch.no_grad(), torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.device == "cuda"):
            made = self.model.generate(**texts, max_new_tokens=LONGEST, pad_token_id=self.tokens.pad_token_id, **draw)
        new = made[:, texts["input_ids"].shape[1] :]
        replies = [
            text.partition("\n")[0].partition(".")[0]
            for text in self.tokens.batch_decode(new, skip_special_tokens=True)
        ]
        mask = torch.ones_like(new, dtype=torch.float32)
        ends = [self._length(row) for row in new.tolist()]
        for row, end in enumerate(ends):
            mask[row, end:] = 0
        attention = torch.cat([texts["attention_mask"], torch.ones_like(new)], dim=1)
        return (made, attention), mask, replies

    def _length(self, row: list[int]) -> int:
        """Tokens up to and with the one that ends the reply."""
        for at, token in enumerate(row):
            if token == self.tokens.eos_token_id or any(c in self.tokens.decode([token]) for c in ".\n"):
                return at + 1
        return len(row)

    def step(self, optimizer: Any, items: list[Any], labels: str) -> float:
        torch = self.torch
        repeated = [item for item in items for _ in range(GROUP)]
        (made, attention), mask, replies = self.sample(repeated)
        rewards = torch.tensor(self.rewards(repeated, replies, labels), device=self.device).view(-1, GROUP)
        advantage = (rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-4)
        advantage = advantage.view(-1, 1)
        self.model.train()
        new = mask.shape[1]
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.device == "cuda"):
            places = (attention.cumsum(1) - 1).clamp(min=0)
            hidden = self.model.model(input_ids=made, attention_mask=attention, position_ids=places).last_hidden_state
            logits = self.model.lm_head(hidden[:, -new - 1 : -1])
        logp = torch.log_softmax(logits.float(), -1).gather(-1, made[:, -new:, None])[..., 0]
        loss = -(advantage * logp * mask).sum() / mask.sum()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        if torch.isfinite(norm):  # clipping by a norm that is no number would make all weights none, for good
            optimizer.step()
        else:
            self.left_out += 1
        return float(rewards.mean())

    def evaluate(self) -> list[int]:
        right: list[int] = []
        for at in range(0, len(self.test), 352):
            items = self.test[at : at + 352]
            _, _, replies = self.sample(items, greedy=True)
            right += [int(each) for each in self.rewards(items, replies, "proved")]
        return right

    def run(self, *, seed: int, labels: str, rate: float, steps: int, seconds: float) -> dict[str, Any]:
        """So many steps, or as many as fit into the seconds."""
        torch = self.torch
        self.left_out = 0
        self.model.load_state_dict(self.start)
        torch.manual_seed(seed)
        draw = random.Random(seed)
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=rate, weight_decay=0.0)
        curve, rewards, begun = [], [], time.time()
        first = self.evaluate() if steps else []
        number = 0
        while (not steps or number < steps) and time.time() - begun < seconds:
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1.0, (number + 1) / 10)
            batch = draw.sample(self.train, 1 if self.tiny else PROMPTS)
            rewards.append(self.step(optimizer, batch, labels))
            number += 1
            if steps and (number % max(1, steps // EVALUATIONS) == 0):
                right = self.evaluate()
                curve.append(
                    {
                        "step": number,
                        "right": sum(right) / len(right),
                        "reward": sum(rewards[-20:]) / len(rewards[-20:]),
                    }
                )
                last = right
        found: dict[str, Any] = {
            "seed": seed, "labels": labels, "rate": rate, "steps": number, "left out": self.left_out,
            "seconds": round(time.time() - begun, 1), "rewards": [round(each, 4) for each in rewards],
        }  # fmt: skip
        return found | ({"first": first, "last": last, "curve": curve} if curve else {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("items", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=460)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="a random net and one item per step, to try it out")
    given = parser.parse_args()
    begun = time.time()
    trainer = Trainer(given.items, given.device, given.tiny)
    given.out.mkdir(parents=True, exist_ok=True)
    changed = sum(wrong_label(item) != item.facts["target"] for item in trainer.train) / len(trainer.train)
    figures: dict[str, Any] = {"labels reversed": changed, "test": [], "runs": [], "pilots": []}
    figures["test"] = [
        {"id": item.id, "k": item.tags["k"], "clause": item.facts["clause"], "target": item.facts["target"]}
        for item in trainer.test
    ]
    pilot = given.seconds * 0.05
    trainer.run(seed=0, labels="proved", rate=RATES[0], steps=0, seconds=min(5, pilot))  # warm up
    for rate in RATES:
        found = trainer.run(seed=99, labels="proved", rate=rate, steps=0, seconds=pilot)
        figures["pilots"].append(found)
        print("pilot", rate, found["steps"], sum(found["rewards"][-10:]) / len(found["rewards"][-10:]), flush=True)
    best = max(figures["pilots"], key=lambda each: sum(each["rewards"][-10:]))
    each = (given.seconds - (time.time() - begun)) / (2 * given.seeds) - 3
    steps = max(EVALUATIONS, int(best["steps"] / best["seconds"] * each * 0.85))
    for seed in range(given.seeds):
        for labels in ("proved", "reversed"):
            left = given.seconds - (time.time() - begun)
            if left < 5:
                break
            found = trainer.run(seed=seed, labels=labels, rate=best["rate"], steps=steps, seconds=left)
            figures["runs"].append(found)
            (given.out / "curves.json").write_text(json.dumps(figures))
            print(
                seed,
                labels,
                found["steps"],
                [(c["step"], round(c["right"], 3)) for c in found.get("curve", ())],
                flush=True,
            )


if __name__ == "__main__":
    main()
