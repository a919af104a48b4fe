"""Does the reward train a net, and what do wrong labels cost? A small net by policy gradient on certified stories.

    python benchmarks/reward_net.py [--net composer] [--steps 200] [--seeds 3] [--write]

A step shows the net `PROMPTS` stories of k = 2, 3; it draws `GROUP` answers to each, `Stream.reward` rewards each as a
reply, and the net follows the advantage within the group, so that nothing but the reward reaches the loss. `LABELS`:

proved     the reward of the certified item
reversed   of items of which 13.4 % have the reverse relation as their label, as in reasoning-gym (`wrong_label`)
shuffled   control: of items with the label of another story, so that the reward knows the right answers but not whose
coin       control: 1 as often as a right answer is drawn at the start, whatever the answer

Test items have clauses (k = 3) and names that no training item has, and are scored by their proved labels. `--write`
puts figures and learning curves into experiments/rewards.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import torch
from reward_figures import HERE, drawing, figures, table
from reward_training import wrong_label

import proband
from proband.core.files import read_items, write_json, write_text
from proband.core.types import Item
from proband.reporting.charts import svg
from proband.rewards import Stream
from proband.suites import kinship
from proband.suites.kinship.nets.stories import readable_story
from proband.suites.kinship.nets.task import KINDS, Reads
from proband.suites.kinship.world.relations import RELATIONS
from proband.training.vocabulary import Vocabulary

PROMPTS, GROUP = 64, 16  # stories per step, answers per story
EVALUATIONS = 10
LABELS = ("proved", "reversed", "shuffled", "coin")
BUILT = {"k": "2,3", "per_k": 6000, "test_per_k": 352, "form": "facts", "facts_along_chain": True}
HELD = {"hold_out": "clauses,names", "held": "clauses=0.35"}


class Stories:
    """The items of a split as the net reads them, and as the reward does. The net's copy has no labels."""

    def __init__(self, items: list[Item], net: str, words: Vocabulary | None = None) -> None:
        self.items, self.reads, self.options = items, Reads.of(net), kinship.SUITE.net(net).options()
        stories = [readable_story(item, self.options, graph=self.reads.graph, file="items") for item in items]
        texts = ([word for word in story.words if isinstance(word, str)] for story in stories)
        self.words = words or Vocabulary.of(texts, least=1)
        made = self.reads.numbers(stories, self.words, pool=self.options.pool)
        self.numbers = [replace(each, target=0) for each in made]

    def batch(self, places: list[int]) -> Any:
        return self.reads.padded([self.numbers[n] for n in places], rounded=False)


class Rewards:
    """The reward of an answer to an item under other labels; what was rewarded once is not read again."""

    def __init__(self, items: list[Item], seed: int) -> None:
        self.stream, self.known = Stream("kinship", k="2,3"), dict[tuple[str, int | None, int], float]()
        moved = list(items)
        random.Random(seed).shuffle(moved)
        self.labels: dict[str, dict[str, int | None]] = {
            "proved": {item.id: item.gold for item in items},
            "reversed": {item.id: item.choices.index(wrong_label(item)) for item in items},
            "shuffled": {item.id: item.choices.index(other.facts["target"]) for item, other in zip(items, moved)},
        }

    def __call__(self, item: Item, answer: int, labels: str = "proved") -> float:
        gold = self.labels.get(labels, {}).get(item.id, item.gold)
        key = item.id, gold, answer
        if key not in self.known:
            own = msgspec.structs.replace(item, gold=gold)
            self.known[key] = self.stream.reward(own, RELATIONS[answer]).total
        return self.known[key]


def run(train: Stories, test: Stories, rewards: Rewards, *, net: str, labels: str, seed: int, steps: int) -> Any:
    torch.manual_seed(seed)
    draw, begun = random.Random(seed), time.time()
    policy: Any = KINDS[net](train.options, len(train.words))
    optimizer = torch.optim.Adam(policy.parameters(), lr=train.options.rate)

    def evaluate() -> list[int]:
        """The likeliest answer to each test item."""
        with torch.no_grad():
            said = [int(n) for at in range(0, len(test.items), 176) for n in
                    policy(test.batch(list(range(at, min(at + 176, len(test.items)))))).argmax(-1)]  # fmt: skip
        return [int(rewards(item, answer)) for item, answer in zip(test.items, said)]

    first, curve, gained = evaluate(), [], list[float]()
    for step in range(1, steps + 1):
        places = [draw.randrange(len(train.items)) for _ in range(PROMPTS)]
        answers = torch.distributions.Categorical(logits=policy(train.batch(places)))
        drawn = answers.sample((GROUP,))
        reward = torch.tensor([
            [float(draw.random() < 1 / len(RELATIONS)) if labels == "coin" else rewards(train.items[n], a, labels)
             for n, a in zip(places, row)] for row in drawn.tolist()
        ])  # fmt: skip
        loss = -((reward - reward.mean(0)) * answers.log_prob(drawn)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        gained.append(float(reward.mean()))
        if step % max(1, steps // EVALUATIONS) == 0:
            last = evaluate()
            curve.append(
                {"step": step, "right": sum(last) / len(last), "reward": sum(gained[-20:]) / len(gained[-20:])}
            )
    print(labels, seed, [round(each["right"], 3) for each in curve], f"{time.time() - begun:.0f} s", flush=True)
    return {"seed": seed, "labels": labels, "steps": steps, "first": first, "last": last, "curve": curve}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", default="composer")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        proband.build("kinship", out=f"{folder}/items", seed=1, **BUILT, **HELD)
        items = list(read_items(Path(f"{folder}/items")))
    train = Stories([item for item in items if item.split == "train"], given.net)
    test = Stories([item for item in items if item.split == "test"], given.net, train.words)
    rewards = Rewards(train.items, seed=0)
    changed = sum(wrong_label(item) != item.facts["target"] for item in train.items) / len(train.items)
    data: dict[str, Any] = {"labels reversed": changed, "prompts": PROMPTS}
    data["test"] = [
        {"k": item.tags["k"], "clause": item.facts["clause"], "target": item.facts["target"]} for item in test.items
    ]
    data["runs"] = [
        run(train, test, rewards, net=given.net, labels=labels, seed=seed, steps=given.steps)
        for labels in LABELS
        for seed in range(given.seeds)
    ]
    made = figures(data)
    print(*table(made), sep="\n")
    if given.write:
        kept = [{k: v for k, v in run.items() if k not in ("first", "last")} for run in data["runs"]]
        write_json(HERE / f"{given.net}.json", {**made, "labels reversed": changed, "runs": kept})
        write_text(HERE / f"{given.net}.svg", svg(drawing(data)))


if __name__ == "__main__":
    main()
