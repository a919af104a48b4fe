"""Published replies (reasoning-gym's family_relationships): how many hand-labelled sentences are read and judged right;
controls; speed. Labels stand in experiments/steps/labels.jsonl, by reply and place; the text is not ours.

    python benchmarks/steps_published.py DATA/published_replies/reasoning_gym/family_relationships.jsonl.gz \\
        > experiments/steps/published.json
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import resource
import time
from collections import Counter
from pathlib import Path
from typing import Any

from proband.pipeline.checking import provers_of_suites
from proband.proof.replies import ReplyChecker
from proband.proof.rows import AuditRow
from proband.proof.run import judge_for
from proband.suites.kinship.world.relations import INVERSE, NEUTRAL

LABELS = Path(__file__).resolve().parents[1] / "experiments" / "steps" / "labels.jsonl"
NAME = re.compile(r"\b[A-Z][a-z]+\b")


def row_of(reply: dict[str, Any]) -> AuditRow:
    return AuditRow(file="f", line=None, key="", cells={}, question=reply["question"])


def one_way(a: str, word: str, b: str) -> tuple[str, str, str]:
    relation = NEUTRAL.get(word, word)
    return min((a, relation, b), (b, INVERSE[relation], a))


def labelled(checker: ReplyChecker, replies: list[dict[str, Any]]) -> dict[str, Any]:
    """Of the labelled sentences that state relations, those read; of the verdicts given, those that are right."""
    by_key = {(r["level"], r["model"], r["item"], r["completion"]): r for r in replies}
    count = Counter[str]()
    for label in map(json.loads, LABELS.read_text().splitlines()):
        reply = by_key[label["level"], label["model"], label["item"], label["completion"]]
        order = list(dict.fromkeys(x for x in NAME.findall(reply["question"].split("\n\n")[0]) if x != "They"))
        steps = [
            step
            for step in checker.check(row_of(reply), reply["reply"]).steps
            if step.begin < label["end"] and label["begin"] < step.end
        ]
        given = {one_way(s.fact.who, s.fact.relation, s.fact.of): s.verdict for step in steps for s in step.statements}
        wanted = {one_way(order[a], word, order[b]): verdict for a, word, b, verdict in label["says"] or ()}
        count["sentences"] += 1
        count["state nothing"] += label["says"] == []
        count["relational"] += label["says"] != []
        count["read"] += bool(given) and label["says"] != []
        count["verdicts"] += len(given)
        count["verdicts right"] += sum(wanted.get(fact) == verdict for fact, verdict in given.items())
        count["statements labelled"] += len(wanted)
        count["statements found"] += len(wanted.keys() & given.keys())
    return {**count, "share read": round(count["read"] / count["relational"], 3)}


def controls(checker: ReplyChecker, replies: list[dict[str, Any]]) -> dict[str, Any]:
    """Replies held against another item's story; stories repeated as replies."""
    own, others, repeated = Counter[str](), Counter[str](), Counter[str]()
    for place, reply in enumerate(replies):
        text = reply["reply"]
        other = replies[(place + len(replies) // 2) % len(replies)]
        own.update(s.verdict for s in checker.check(row_of(reply), text).statements)
        others.update(s.verdict for s in checker.check(row_of(other), text).statements)
        story = reply["question"].split("\n\n")[0]
        repeated.update(s.verdict for s in checker.check(row_of(reply), story).statements)
    return {"own story": dict(own), "another item's story": dict(others), "story repeated": dict(repeated)}


def speed(checker: ReplyChecker, replies: list[dict[str, Any]]) -> dict[str, Any]:
    """1,000 replies of 200 words, made of the published ones."""
    rng = random.Random(0)
    long = []
    for _ in range(1000):
        reply = rng.choice(replies)
        same = [r["reply"] for r in replies if r["question"].split("\n\n")[0] == reply["question"].split("\n\n")[0]]
        words = "\n".join(rng.choices(same, k=8)).split(" ")
        long.append((reply, " ".join(words)[:1250]))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    count = 0
    for reply, text in long:
        count += len(text.split())
        checker.check(row_of(reply), text)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"words": count, "cpu seconds": round(time.process_time() - began, 1), "memory grown, MiB": grown >> 10}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("replies", metavar="FILE.jsonl.gz")
    with gzip.open(parser.parse_args().replies, "rt") as lines:
        everything = [json.loads(line) for line in lines]
    with_steps = [each for each in everything if len(each["reply"].split()) > 3]
    checking = ReplyChecker(judge_for("kinship", provers_of_suites(), templates=True))
    found = {
        "replies": len(everything),
        "with steps": len(with_steps),
        "labelled": labelled(checking, everything),
        "controls": controls(checking, with_steps),
        "speed": speed(checking, with_steps),
    }
    print(json.dumps(found, indent=1))
