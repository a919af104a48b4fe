"""What a person agrees to is what they are paid: consent, counter, last page and payments say the same number, and an
edit of project.toml changes nothing for those who have agreed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from proband.core.errors import ProbandError
from proband_annotate.create import init
from proband_annotate.project import read_project, secret_of
from proband_annotate.results.payments import payments
from proband_annotate.results.reading import collected, export_project
from proband_annotate.site.context import open_project
from proband_annotate.store.schema import people
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.visitors import Owner, Person, edit, judged, questionnaires, write_lines
else:
    from visitors import Owner, Person, edit, judged, questionnaires, write_lines


def made(tmp_path: Path, *, trial: int = 0, gold: int = 0, **settings: Any) -> tuple[Path, str]:
    rows = questionnaires(9, 4)
    for row in rows:
        row["gold"] = {candidate["id"]: "no" for candidate in row["candidates"]}
    items = write_lines(tmp_path / "q.jsonl", rows)
    found = init(tmp_path / "study", kind="judge", items=items, trial=trial, gold=gold, settings_given=settings)
    return tmp_path / "study", found["password"]


def work(someone: Person, most: int = 20) -> list[str]:
    """To the end, or so many tasks; gives what the counter said of each."""
    seen: list[str] = []
    while 'id="task"' in someone.html and len(seen) < most:
        counter = re.search(r'<span class="place">(.*?)</span>', someone.html)
        assert counter
        seen.append(counter[1])
        if "A short check" in someone.html:
            words = re.search(r"<legend>(.*?)</legend>", someone.html)
            assert words
            options = re.findall(r'type="radio"[^>]*><span>(\w+)</span>', someone.html)
            right = next(place for place, option in enumerate(options) if f" {option}" in words[1])
            someone.send("answer", choice=str(right))
        else:
            someone.send("answer", **judged("no"))
    return seen


def stop(someone: Person) -> None:
    someone.page = someone.client.post(f"{someone.home}/stop", data={"form": someone.hidden()["form"]})


@pytest.mark.parametrize(("practice", "checks", "tasks"), [(True, True, 8), (False, True, 7), (True, False, 6)])
def test_one_number_everywhere(
    practice: bool, checks: bool, tasks: int, tmp_path: Path, served: Any, person: Callable[..., Person]
) -> None:
    """Four units, one practice task, a unit with a known answer and two attention checks."""
    people_wanted, quality = {"overlap": 1, "units-per-person": 4}, {"attention-every": 2, "gold-every": 4}
    pay = {"per-unit": 0.6, "practice": practice, "checks": checks}
    folder, _ = made(tmp_path, trial=1, gold=1, people=people_wanted, quality=quality, pay=pay)
    someone = person(served(folder).url, new_link(secret_of(folder), "crowd", name="one"))
    consent = someone.html
    assert f"You can do up to {tasks} tasks." in consent
    assert (
        f"You are paid 0.60 USD for each task that you send, and {0.6 * tasks:.2f} USD for all {tasks} tasks" in consent
    )
    assert ("practice task, which is not paid" in consent) == (not practice)
    assert ("neither counted nor paid" in consent) == (not checks)
    someone.begin()
    counters = work(someone)
    assert len(counters) == 8, "everybody does all of them"
    numbers = [match[1] for each in counters if (match := re.search(rf"Task (\d+) of {tasks}$", each))]
    assert numbers == [str(number) for number in range(1, tasks + 1)]
    assert f"Everything you sent is stored: {tasks} tasks." in someone.html
    assert f"You are paid {0.6 * tasks:.2f} USD." in someone.html
    row = payments(collected(folder), secret_of(folder))[0]
    assert (row["tasks"], row["total"]) == (tasks, round(0.6 * tasks, 2))


def test_stopping_is_an_outcome_of_its_own(tmp_path: Path, served: Any, person: Callable[..., Person]) -> None:
    """With its own code and a share of the pay, also of what the platform pays for a visit."""
    pay = {"per-unit": 0.0, "per-visit": 3.0}
    folder, _ = made(tmp_path, people={"overlap": 3, "units-per-person": 3}, pay=pay)
    codes, base = read_project(folder).codes, served(folder).url
    for name, done, total, words in (
        ("nobody", 0, 0.0, "before you sent a task"),
        ("one", 1, 1.0, "is stored: 1 task."),
        ("all", 3, 3.0, "Everything you sent is stored: 3 tasks."),
    ):
        someone = person(base, new_link(secret_of(folder), "crowd", name=name))
        assert "their share of the 3.00 USD for all 3 tasks" in someone.html
        someone.begin()
        work(someone, done)
        if done < 3:
            stop(someone)
        assert words in someone.html
        assert (codes.stopped in someone.html, codes.done in someone.html) == (done < 3, done == 3)
        row = payments(collected(folder), secret_of(folder))[-1]
        paid = (row["outcome"], row["by_platform"], row["total"])
        assert paid == ("done" if done == 3 else "stopped", 3.0 if done == 3 else 0.0, total)
        assert ("Nothing is paid." in someone.html) == (not done)
        assert (f"You are paid {total:.2f} USD" in someone.html) == bool(done)


def test_an_edit_does_not_change_what_was_agreed(tmp_path: Path, served: Any, person: Callable[..., Person]) -> None:
    pay, texts = {"per-unit": 0.7}, {"instructions": "Read slowly."}
    folder, _ = made(tmp_path, people={"overlap": 2, "units-per-person": 2}, pay=pay, texts=texts)
    server = served(folder)
    first = person(server.url, new_link(secret_of(folder), "crowd", name="first"))
    first.begin()
    work(first, 1)
    late = person(server.url, new_link(secret_of(folder), "crowd", name="late"))
    old_form = late.hidden()
    server.stop()
    edit(folder, "per-unit = 0.7", "per-unit = 0.1")
    edit(folder, 'instructions = "Read slowly."', 'instructions = "Read fast."')
    applied = open_project(folder)
    applied.database.close()
    assert "per_unit 0.7 is now 0.1" in " ".join(applied.applied)
    server = served(folder)
    home = first.home.rpartition("/v/")[2]
    page = first.client.get(f"{server.url}/v/{home}").text
    assert "Read slowly." in page
    assert "Read fast." not in page
    first.home, first.page = f"{server.url}/v/{home}", first.client.get(f"{server.url}/v/{home}")
    work(first)
    assert "You are paid 1.40 USD." in first.html
    second = person(server.url, new_link(secret_of(folder), "crowd", name="second"))
    assert "paid 0.10 USD for each task" in second.html
    second.begin()
    work(second)
    rows = payments(collected(folder), secret_of(folder))
    assert [(row["terms"], row["total"]) for row in rows] == [(1, 1.4), (2, 0.2)]
    # who read the old page and agrees now reads the new one first
    visit = late.home.rpartition("/v/")[2]
    reply = late.client.post(f"{server.url}/v/{visit}/consent", data={**old_form, "agree": "yes"})
    assert reply.status_code == 409
    assert "This page has changed" in reply.text
    assert len(collected(folder).people) == 2
    made_card = export_project(folder, to="hf", out=tmp_path / "hub")
    card = (tmp_path / "hub" / "README.md").read_text()
    assert made_card["answers"] == 4
    assert "## What people agreed to, version 1" in card
    assert "0.70 USD" in card.replace("\\", "")
    assert "0.10 USD" in card.replace("\\", "")
    assert "Read slowly." in card


def test_declining_stores_nothing(tmp_path: Path, served: Any, person: Callable[..., Person]) -> None:
    folder, _ = made(tmp_path)
    someone = person(served(folder).url, new_link(secret_of(folder), "crowd", name="one"))
    assert "may be published for everybody's use under the licence CC-BY-4.0" in someone.html.replace("&#39;", "'")
    someone.send("decline")
    assert "You have not taken part" in someone.html
    assert collected(folder).people == []


def test_what_was_not_to_be_published_is_not(tmp_path: Path, served: Any, person: Callable[..., Person]) -> None:
    folder, _ = made(tmp_path, licence="")
    someone = person(served(folder).url, new_link(secret_of(folder), "crowd", name="one"))
    assert "Your answers will not be published." in someone.html
    with pytest.raises(ProbandError, match="their answers may not be published"):
        export_project(folder, to="hf", out=tmp_path / "hub")


def test_nothing_is_published_under_a_licence_that_its_author_did_not_agree_to(
    tmp_path: Path, served: Any, person: Callable[..., Person]
) -> None:
    """People agree to CC-BY-4.0, to nothing, and to CC0; a fourth version of the terms nobody reads."""
    folder, _ = made(tmp_path, people={"overlap": 4})
    before = 'licence = "CC-BY-4.0"'
    for number, licence in enumerate(("CC-BY-4.0", "", "CC0-1.0", "MIT")):
        edit(folder, before, before := f'licence = "{licence}"')
        server = served(folder)
        if licence != "MIT":
            someone = person(server.url, new_link(secret_of(folder), "crowd", name=f"{number}"))
            someone.begin()
            someone.send("answer", **judged("yes" if licence else "no"))
        server.stop()
    out = tmp_path / "hub"
    result = export_project(folder, to="hf", out=out)
    assert (result["answers"], result["people_left_out"], result["licence"]) == (2, 1, "CC-BY-4.0 AND CC0-1.0")
    rows = [json.loads(line) for line in (out / "data" / "answers.jsonl").read_text().splitlines()]
    assert sorted(row["licence"] for row in rows) == ["CC-BY-4.0", "CC0-1.0"]
    assert {json.loads(line)["label"] for line in (out / "data" / "labels.jsonl").read_text().splitlines()} <= {
        "yes",
        None,
    }
    card = (out / "README.md").read_text()
    assert 'license:\n- "cc-by-4.0"\n- "cc0-1.0"\n' in card
    assert "MIT" not in card
    assert "will not be published" not in card
    export_project(folder, to="suite", out=tmp_path / "suite")
    said = json.loads((tmp_path / "suite" / "source.json").read_text())["licence"]
    assert said == "CC-BY-4.0 AND CC0-1.0 AND not to be published"


def test_a_refused_export_is_a_page(tmp_path: Path, served: Any, person: Callable[..., Person]) -> None:
    folder, password = made(tmp_path, licence="")
    base = served(folder).url
    person(base, new_link(secret_of(folder), "crowd", name="one")).begin()
    owner = Owner(base, folder, password)
    reply = owner.client.get("/owner/export/hf")
    owner.client.close()
    assert reply.status_code == 409
    assert "their answers may not be published" in reply.text


def test_failed_people_do_not_count_unless_an_owner_says_so(
    tmp_path: Path, served: Any, person: Callable[..., Person]
) -> None:
    folder, password = made(tmp_path, gold=2, people={"overlap": 1}, quality={"gold-every": 1})
    server = served(folder)
    someone = person(server.url, new_link(secret_of(folder), "crowd", name="one"))
    someone.begin()
    for _ in range(4):  # a unit, a known one, a unit, a known one
        someone.send("answer", **judged("yes"))
    assert read_project(folder).codes.failed_checks in someone.html
    assert "You are paid 2.40 USD." in someone.html, "paid, if not used"
    found = collected(folder)
    assert [each.slot for each in found.answers] == [None, None]
    assert found.done.get("crowd", 0) == 0
    owner = Owner(server.url, folder, password)
    assert "2 answers by 1 person so far" in owner.page("")
    export_project(folder, to="jsonl", out=tmp_path / "all.jsonl")
    assert (tmp_path / "all.jsonl").read_text().count('"counts":false,"why_not":"failed checks"') == 2
    owner.do("/person/1/decide", decision="approved")
    assert collected(folder).done["crowd"] == 2
    owner.do("/person/1/decide", decision="")
    assert collected(folder).done.get("crowd", 0) == 0
    owner.client.close()


def test_a_return_after_three_days_is_no_work(tmp_path: Path, served: Any, person: Callable[..., Person]) -> None:
    """With the script, whose signs of life stop; without it at most half an hour counts."""
    from sqlalchemy import update

    from proband_annotate.store.schema import assignments

    folder, _ = made(tmp_path)
    someone = person(served(folder).url, new_link(secret_of(folder), "crowd", name="one"))
    someone.begin()
    study = open_project(folder)
    away = 3 * 24 * 3600

    def long_ago(seconds: float) -> None:
        values = {"started": assignments.c.started - seconds, "until": assignments.c.until + away}
        study.database.write(lambda c: c.execute(update(assignments).values(**values)))

    for script in ("yes", ""):
        long_ago(away)
        if script:
            someone.client.post(f"{someone.home}/alive", data=someone.hidden())
        someone.send("answer", **judged("no"), script=script)
    seconds = [each.seconds for each in collected(folder).answers]
    assert min(seconds) < 60
    assert max(seconds) == pytest.approx(1800, abs=60)
    study.database.close()


def test_a_wrong_secret_is_refused_and_a_right_one_can_be_rotated(
    tmp_path: Path, served: Any, person: Callable[..., Person]
) -> None:
    from proband.cli import main

    folder, _ = made(tmp_path)
    server, link = served(folder), new_link(secret_of(folder), "crowd", name="one")
    someone = person(server.url, link)
    someone.begin()
    assert (folder / "answers.db").stat().st_mode & 0o777 == 0o600
    server.stop()
    before = (folder / "secret").read_text()
    assert main(["annotate", "rotate", str(folder)]) == 0
    server = served(folder)
    assert person(server.url, link).page.status_code == 404, "old links are void"
    again = person(server.url, new_link(secret_of(folder), "crowd", name="one"))
    assert 'id="task"' in again.html, "the same person is recognised"
    study = open_project(folder)
    assert len(study.database.read(lambda c: c.execute(select(people)).all())) == 1
    study.database.close()
    (folder / "secret").write_text("ab" * 32 + "\n")
    with pytest.raises(ProbandError, match="is not that of this study"):
        open_project(folder)
    (folder / "secret").write_text(before)
