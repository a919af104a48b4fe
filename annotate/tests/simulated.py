"""A study in small with people whose errors are known: twenty workers and three spammers who follow links and fill in
forms. Everybody notes what their pages said, so that the payments can be compared with it to the cent."""

from __future__ import annotations

import html
import json
import random
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select
from starlette.testclient import TestClient

from proband.core.files import read_items
from proband_annotate.create import init
from proband_annotate.erasing import erase
from proband_annotate.results.register import collect
from proband_annotate.site.app import application
from proband_annotate.site.context import OpenProject, open_project
from proband_annotate.store import people as people_store
from proband_annotate.store.schema import people, units
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.visitors import questionnaires, write_lines
else:
    from visitors import questionnaires, write_lines

KINDS = ("judge", "solve", "review", "write", "simplify")
WORKERS, SPAMMERS, ACCURACY = 20, 3, 0.85
PLANS = {  # of these workers; all others work to the end
    2: "stop at 0",
    5: "stop at 1",
    8: "stop at 3",
    11: "fail the practice",
    13: "return after 2",
    16: "be erased",
    18: "be rejected",
}
WORDS = "bright calm dusty early fresh gentle happy icy jolly keen loud merry neat odd proud quiet rusty tall warm"


@dataclass
class Visit:
    """What one person's pages said, and what they did."""

    name: str
    plan: str = ""
    consent: list[str] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)
    sent: int = 0
    refused: int = 0
    end: str = ""
    number: int = 0  # in the store

    def promised(self) -> Decimal:
        """By the words of the consent: so much for each task that the counter showed and that was sent."""
        text = " ".join(self.consent)
        each = re.search(r"paid ([\d.]+) USD for each task", text)
        assert each, text
        return (Decimal(each[1]) * self.sent).quantize(Decimal("0.01"))

    def stated(self) -> Decimal:
        """What the last page said."""
        said = re.search(r"You are paid ([\d.]+) USD", self.end)
        return Decimal(said[1]) if said else Decimal("0.00")


def truth(kind: str, part: str, labels: tuple[str, ...]) -> str:
    return labels[zlib.crc32(f"{kind} {part}".encode()) % len(labels)]


class Study:
    """One kind of task, made, answered and read."""

    def __init__(self, folder: Path, kind: str, **settings: Any) -> None:
        self.kind, self.folder = kind, folder / "study"
        items, more = self._items(folder)
        quality = {"attention-every": 2, **({"gold-every": 3} if more.get("gold") else {})}
        people_wanted = {"overlap": 3 if kind == "judge" else 5, "units-per-person": 4}
        given: dict[str, Any] = {"people": people_wanted, "quality": quality, **settings}
        init(self.folder, kind=kind, items=items, trial=int(kind != "review"), settings_given=given, **more)
        self.study: OpenProject = open_project(self.folder)
        rows = self.study.database.read(lambda c: c.execute(select(units)).all())
        self.units = {row.id: row for row in rows}
        self.site = TestClient(application(self.study))
        self.site.__enter__()
        self.visits: list[Visit] = []
        self.rng = random.Random(f"simulated {kind}")

    def _items(self, folder: Path) -> tuple[Path, dict[str, Any]]:
        if self.kind == "judge":
            rows = questionnaires(24, 4)
            for row in rows:
                row["gold"] = {c["id"]: truth("judge", c["id"], ("yes", "no", "nonsense")) for c in row["candidates"]}
            return write_lines(folder / "q.jsonl", rows), {"gold": 3}
        if self.kind == "simplify":
            rows = [{"id": f"c{n}", "caption": f"Peel {n} bananas"} for n in range(22)]
            return write_lines(folder / "captions.jsonl", rows), {}
        if self.kind == "review":
            rows = [
                {
                    "id": f"s{n}",
                    "clause": f"clause {n}",
                    "facts": [f"Ben {n} is the father of Ann {n}."],
                    "implied_fact": "",
                    "text": f"Ben {n} sang to his girl Ann {n}.",
                    "author": f"author {n}",
                }
                for n in range(63)
            ]
            return write_lines(folder / "stories.jsonl", rows), {}
        from proband.cli import main

        items = folder / "items"
        profile = folder / "chain.toml"
        profile.write_text("facts-along-chain = true\n")
        words = f"build kinship -o {items} --k 2 --per-k 25 --seed 3 --profile {profile}"
        assert main(words.split()) == 0
        if self.kind == "solve":
            assert all(item.gold is not None for item in read_items(items))
        return items, {"gold": 3} if self.kind == "solve" else {}

    # ---- answers

    def fields(self, row: Any, who: Visit, accuracy: float) -> dict[str, str]:
        """The form of somebody who is right so often."""
        body = json.loads(row.body)
        right = self.rng.random() < accuracy
        if row.role == "attention":
            return {"choice": str(body["options"].index(body["answer"]) if right else self._other(body))}
        if row.role == "trial" and who.plan == "fail the practice":
            accuracy, right = 0.0, False
        if self.kind == "judge":
            labels = ("yes", "no", "nonsense")
            return {
                f"c{n}": self._pick(truth("judge", c["id"], labels), labels, accuracy)
                for n, c in enumerate(body["candidates"])
            }
        if self.kind == "review":
            made: dict[str, str] = {}
            for n, story in enumerate(body["stories"]):
                verdict = self._pick(truth("review", story["id"], ("good", "bad")), ("good", "bad"), accuracy)
                made |= {f"v{n}": verdict, f"r{n}": "nonsense" if verdict == "bad" else ""}
            return made
        if self.kind == "solve":
            gold = body["choices"].index(json.loads(row.gold))
            wrong = self.rng.choice([n for n in range(len(body["choices"])) if n != gold])
            return {"choice": str(gold if right else wrong), "difficulty": "3"}
        return self._texts(row, body, who)

    def _texts(self, row: Any, body: Mapping[str, Any], who: Visit) -> dict[str, str]:
        some = " ".join(self.rng.sample(WORDS.split(), 5))
        if who.plan == "fail the practice" and row.role == "trial":  # the least that can be sent
            if self.kind == "simplify":
                return {"s0": f"Go: {body['caption']}"}
            return {"story": " ".join(f"Ring she {body['names'][i]} {body['names'][j]}." for i, _, j in body["edges"])}
        if who.plan == "spam":
            return {"s0": "Just do it now"} if self.kind == "simplify" else {"story": " ".join(body["facts"])}
        if self.kind == "simplify":
            return {"s0": f"Take a {some} knife", "s1": f"Cut in a {some} way"}
        names = body["names"]
        stated = [f"{names[i]} spent a {some} day with {names[j]}." for i, _, j in body["edges"]]
        return {"story": " ".join(stated), "sure": "yes"}

    def _pick(self, right: str, labels: tuple[str, ...], accuracy: float) -> str:
        wrong = [label for label in labels if label != right]
        return right if self.rng.random() < accuracy else self.rng.choice(wrong)

    def _other(self, body: Mapping[str, Any]) -> int:
        return int(self.rng.choice([n for n, option in enumerate(body["options"]) if option != body["answer"]]))

    # ---- visits

    def come(self, name: str, plan: str = "", accuracy: float = ACCURACY) -> Visit:
        """One person, from the link to the end."""
        who = Visit(name, plan)
        self.visits.append(who)
        page = self.site.get(f"/join/{new_link(self.study.secret, 'crowd')}", params={"participant": name})
        home = str(page.url)
        who.consent = [html.unescape(line) for line in re.findall(r"<li>(.*?)</li>", page.text)]
        page = self._post(home, "consent", page, agree="yes")
        page = self._post(home, "understood", page)
        while 'id="task"' in page.text:
            if plan.startswith("stop at") and who.sent == int(plan.split()[-1]):
                page = self._post(home, "stop", page)
                break
            if plan.startswith("return after") and who.sent == int(plan.split()[-1]):
                break
            counter = re.search(r'<span class="place">(.*?)</span>', page.text)
            assert counter
            row = self.units[int(self._hidden(page)["unit"])]
            again = self._post(home, "answer", page, **self.fields(row, who, accuracy))
            if again.status_code == 422:
                who.refused += 1
                page = self._post(home, "stop", page)
                break
            assert again.status_code == 200, again.text
            who.counters.append(counter[1])
            who.sent += "Task " in counter[1]
            page = again
        self._afterwards(who)
        who.end = html.unescape(self.site.get(home).text)
        return who

    def _afterwards(self, who: Visit) -> None:
        """What the owner does."""
        database = self.study.database
        newest = database.read(lambda c: c.execute(select(people).order_by(people.c.id.desc())).first())
        assert newest is not None
        who.number = newest.id
        if who.plan.startswith("return after"):
            database.write(lambda c: people_store.finish(c, who.number, "returned"))
        elif who.plan == "be rejected":
            database.write(lambda c: people_store.decide(c, who.number, "rejected", "careless"))
        elif who.plan == "be erased":
            erase(self.folder, database, newest.worker)

    def _hidden(self, page: Any) -> dict[str, str]:
        form = re.search(r"<form id=\"task\".*?</form>|<form.*?</form>", page.text, re.DOTALL)
        assert form, page.text
        return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form[0]))

    def _post(self, home: str, where: str, page: Any, **fields: str) -> Any:
        return self.site.post(f"{home}/{where}", data={**self._hidden(page), **fields})

    def run(self) -> None:
        """Twenty workers and three spammers among them, then as many others as it takes to fill the study."""
        spam_before = {4: 0, 10: 1, 15: 2}
        for number in range(WORKERS):
            if number in spam_before:
                self.come(f"spammer-{spam_before[number]}", "spam", accuracy=1 / 6)
            self.come(f"worker-{number}", PLANS.get(number, ""))
        while self.missing() and len(self.visits) < 80:
            self.come(f"later-{len(self.visits)}")

    def missing(self) -> int:
        found = self.collected()
        return int(found.slots["crowd"] - found.done.get("crowd", 0))

    def collected(self) -> Any:
        return self.study.database.read(lambda c: collect(c, self.study.project))

    def close(self) -> None:
        self.site.__exit__()
