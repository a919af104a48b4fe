"""Acknowledged answers are kept, what is typed survives, nothing is taken after the end or stored without consent."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import update

from proband.cli import main
from proband_annotate.create import init
from proband_annotate.project import database_url, read_project, secret_of
from proband_annotate.results.reading import export_project, status
from proband_annotate.store.database import Database
from proband_annotate.store.schema import assignments
from proband_annotate.store.slots import return_expired
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.browsing import Browsing
    from annotate.tests.visitors import Owner, Person, judged, questionnaires, write_lines
else:
    from browsing import Browsing
    from visitors import Owner, Person, judged, questionnaires, write_lines


CAPTIONS = [{"id": f"c{number}", "caption": f"Peel {number} bananas"} for number in range(4)]


@pytest.fixture
def simplify(tmp_path: Path, address: str, served: Callable[[Path], Any]) -> tuple[Path, str, str]:
    """A study in which people write; gives its folder, its address and the owner's password."""
    folder = tmp_path / "study"
    items = write_lines(tmp_path / "captions.jsonl", CAPTIONS)
    settings = {"database": address, "people": {"overlap": 1}}
    made = init(folder, kind="simplify", items=items, settings_given=settings)
    return folder, served(folder).url, made["password"]


def come(place: tuple[Path, str, str], person: Callable[..., Person], name: str = "one") -> Person:
    folder, base, _ = place
    someone = person(base, new_link(secret_of(folder), "crowd", name=name))
    someone.begin()
    return someone


def post(someone: Person, where: str, **fields: str) -> Any:
    """As the script sends it."""
    form = {**someone.hidden(), **fields}
    return someone.client.post(f"{someone.home}/{where}", data=form, headers={"Accept": "application/json"})


def stored(folder: Path, tmp_path: Path) -> list[dict[str, Any]]:
    export_project(folder, to="jsonl", out=tmp_path / "all.jsonl")
    return [json.loads(line) for line in (tmp_path / "all.jsonl").read_text("utf-8").splitlines()]


def lose_lease(folder: Path) -> None:
    """The time of every open task is over, and the sweeper has passed."""
    database = Database(database_url(folder, read_project(folder)))
    open_ones = update(assignments).where(assignments.c.state == "open").values(until=time.time() - 1)
    database.write(lambda c: c.execute(open_ones))
    assert database.write(lambda c: return_expired(c, now=time.time())) >= 1
    database.close()


# ---- acknowledged answers --------------------------------------------------------------------------------------------


def test_the_same_id_with_another_text_is_a_revision(simplify: Any, person: Any, tmp_path: Path) -> None:
    someone = come(simplify, person)
    replies = [
        post(someone, "answer", id="shared-by-two-tabs", s0=words).json() for words in ("ONE", "ONE", "TWO", "TWO")
    ]
    assert [reply["saved"] for reply in replies] == [True] * 4
    assert [(reply["new"], reply["revision"]) for reply in replies] == [(True, 1), (False, 1), (True, 2), (False, 2)]
    rows = stored(simplify[0], tmp_path)
    assert [(row["answer"]["steps"], row["revision"], row["id"]) for row in rows] == [(["TWO"], 2, replies[2]["id"])]
    assert rows[0]["counts"]


@pytest.mark.parametrize("script", ["", "yes"])
def test_what_was_sent_before_is_new_again_unless_the_script_repeats_it(
    script: str, simplify: Any, person: Any, tmp_path: Path
) -> None:
    """Without the script the page that *Back* shows has its former id; with it, the id is that of a content."""
    someone = come(simplify, person)
    form = {"id": "of-one-page", "script": script}
    replies = [post(someone, "answer", **form, s0=words).json() for words in ("ONE", "TWO", "ONE", "ONE")]
    assert [reply["new"] for reply in replies] == [True, True, not script, False]
    (row,) = stored(simplify[0], tmp_path)
    assert (row["answer"]["steps"], row["revision"]) == ((["TWO"], 2) if script else (["ONE"], 3))


def test_two_tabs_keep_both_texts(simplify: Any, tab: Any, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    folder, base, _ = simplify
    with Browsing(tab) as first:
        first.go(f"{base}/join/{new_link(secret_of(folder), 'crowd', name='tabs')}")
        first.page.check("input[name=agree]")
        first.page.click("button.primary")
        first.page.click("button.primary")
        second = first.context.new_page()
        second.goto(first.page.url)
        assert second.input_value("#task input[name=unit]") == first.page.input_value("#task input[name=unit]")
        unit = first.page.input_value("#task input[name=unit]")
        first.page.fill("#s0", "ONE")
        first.page.click("#task button[type=submit]")
        first.moved_on(unit)
        second.fill("#s0", "TWO")
        second.click("#task button[type=submit]")
        expect(second.locator("#task input[name=unit]")).not_to_have_value(unit, timeout=20_000)
        second.close()
    rows = stored(folder, tmp_path)
    assert [(row["answer"]["steps"], row["revision"]) for row in rows] == [(["TWO"], 2)]


# ---- after the end ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["stopped", "approved", "rejected", "closed"])
def test_no_answers_after_the_end(ending: str, simplify: Any, person: Any, tmp_path: Path) -> None:
    folder, base, password = simplify
    someone = come(simplify, person)
    first = someone.hidden()
    sent = post(someone, "answer", id="first-answer", s0="in time")
    assert sent.json()["saved"]
    someone.page = someone.client.get(someone.home)  # a second unit is open now
    owner = Owner(base, folder, password)
    if ending == "stopped":
        post(someone, "stop")
    elif ending == "closed":
        owner.do("/state", state="closed")
    else:
        owner.do("/person/1/decide", decision=ending, reason="careless")
    for form, name in ((first, "a-revision-too-late"), (someone.hidden(), "the-open-unit-too-late")):
        reply = post(someone, "answer", **{**form, "id": name, "s0": "too late"})
        assert (reply.status_code, reply.json()["saved"]) == (409, False)
    assert post(someone, "answer", **{**first, "id": "first-answer", "s0": "in time"}).json()["saved"], "sent again"
    assert post(someone, "draft", **{**first, "s0": "too late"}).status_code == 409
    assert [row["answer"]["steps"] for row in stored(folder, tmp_path)] == [["in time"]]
    page = someone.client.post(f"{someone.home}/answer", data={**first, "id": "without-script", "s0": "too late"})
    assert "This visit has ended" in page.text
    end = someone.client.get(someone.home).text
    codes = read_project(folder).codes
    shown = {name for name in ("done", "stopped") if getattr(codes, name) in end}
    assert shown == {"stopped": {"stopped"}, "rejected": set()}.get(ending, {"done"})
    owner.client.close()


def test_a_rejected_person_reads_why_and_gets_no_code(simplify: Any, person: Any) -> None:
    folder, base, password = simplify
    someone = come(simplify, person)
    post(someone, "answer", id="first-answer", s0="words")
    owner = Owner(base, folder, password)
    owner.do("/person/1/decide", decision="rejected", reason="machine_text", words="All alike.")
    end = someone.client.get(someone.home).text
    assert "Your work was not accepted" in end
    assert "text written by a machine. All alike." in end
    assert "Thank you, you are done" not in end
    assert all(code not in end for code in vars_of(folder))
    owner.do("/person/1/decide", decision="")
    assert read_project(folder).codes.done in someone.client.get(someone.home).text
    owner.client.close()


def vars_of(folder: Path) -> list[str]:
    codes = read_project(folder).codes
    return [codes.done, codes.stopped, codes.screened_out, codes.failed_checks]


# ---- drafts ----------------------------------------------------------------------------------------------------------


def test_a_draft_survives_a_lost_lease(simplify: Any, person: Any, tmp_path: Path) -> None:
    folder = simplify[0]
    someone = come(simplify, person)
    unit = someone.hidden()["unit"]
    post(someone, "draft", s0="half a sentence")
    lose_lease(folder)
    someone.page = someone.client.get(someone.home)
    assert someone.hidden()["unit"] == unit
    assert "half a sentence" in someone.html
    someone.send("answer", s0="a whole sentence")
    assert [row["counts"] for row in stored(folder, tmp_path)] == [True]


def test_a_draft_survives_although_somebody_else_took_the_place(simplify: Any, person: Any, tmp_path: Path) -> None:
    folder = simplify[0]
    first = come(simplify, person)
    unit = first.hidden()["unit"]
    post(first, "draft", s0="half a sentence")
    lose_lease(folder)
    other = come(simplify, person, "other")
    for number, _ in enumerate(CAPTIONS):  # everything that is free
        other.send("answer", s0=f"the whole of it, number {number}")
    first.page = first.client.get(first.home)
    assert first.hidden()["unit"] == unit
    assert "half a sentence" in first.html
    first.send("answer", s0="a whole sentence")
    assert sorted((row["answer"]["steps"], row["counts"]) for row in stored(folder, tmp_path))[0] == (
        ["a whole sentence"],
        False,
    )
    assert status(folder)["progress"]["answers"] == len(CAPTIONS), "the overlap is exact"


def test_nothing_typed_is_lost_on_reload(simplify: Any, tab: Any) -> None:
    folder, base, _ = simplify
    with Browsing(tab, width=390) as visit:
        visit.go(f"{base}/join/{new_link(secret_of(folder), 'crowd', name='typing')}")
        visit.page.check("input[name=agree]")
        visit.page.click("button.primary")
        visit.page.click("button.primary")
        assert visit.page.locator("#count-s0").inner_text() == "0 of 400 characters"
        visit.page.route("**/draft", lambda route: route.abort())  # the server gets nothing
        visit.page.fill("#s0", "קלף בננה, then eat it")
        visit.page.reload()  # before a draft is due
        assert visit.page.input_value("#s0") == "קלף בננה, then eat it"
        assert visit.page.locator("#count-s0").inner_text() == "21 of 400 characters"
        assert visit.page.locator("#s0").evaluate("e => getComputedStyle(e).direction") == "rtl"
        visit.page.fill("#s1", "y" * 401)
        assert len(visit.page.input_value("#s1")) == 401, "nothing is cut off"
        assert visit.page.locator("#count-s1").evaluate("e => e.classList.contains('over')")
        visit.fits()
        visit.axe("over the length")
        visit.page.click("#task button[type=submit]")
        visit.says("That is too long: at most 400 characters.")


def test_a_box_that_was_unticked_stays_so(tmp_path: Path, served: Any, tab: Any) -> None:
    folder = tmp_path / "study"
    sample = Path(__file__).resolve().parents[2] / "src" / "proband_annotate" / "samples" / "write.jsonl"
    init(folder, kind="write", items=sample)
    with Browsing(tab) as visit:
        visit.go(f"{served(folder).url}/join/{new_link(secret_of(folder), 'crowd', name='box')}")
        visit.page.check("input[name=agree]")
        visit.page.click("button.primary")
        visit.page.click("button.primary")
        visit.page.check("input[name=sure]")
        visit.until("() => document.getElementById('saved').textContent === 'Saved'")
        visit.page.uncheck("input[name=sure]")
        visit.page.reload()
        assert not visit.page.is_checked("input[name=sure]")


# ---- practice and counter --------------------------------------------------------------------------------------------


def known(tmp_path: Path, *, trial: int = 0, gold: int = 0, **settings: Any) -> Path:
    rows = questionnaires(8, 4)
    for row in rows:
        row["gold"] = {candidate["id"]: "no" for candidate in row["candidates"]}
    items = write_lines(tmp_path / "q.jsonl", rows)
    init(tmp_path / "study", kind="judge", items=items, trial=trial, gold=gold, settings_given=settings)
    return tmp_path / "study"


def test_practice_gives_feedback(tmp_path: Path, served: Any, person: Any) -> None:
    folder = known(tmp_path, trial=2)
    someone = person(served(folder).url, new_link(secret_of(folder), "crowd", name="one"))
    someone.begin()
    assert "How your practice task went" not in someone.html
    someone.send("answer", **{**judged("no"), "c1": "yes"})
    assert "Practice: Task 2" in someone.html
    assert "Sentence 1: right." in someone.html
    assert "Sentence 2: you chose “Answers”; right is “Does not answer”." in someone.html
    someone.send("answer", **judged("no"))
    assert "Task 3" in someone.html
    assert "Sentence 2: right." in someone.html
    someone.send("answer", **judged("no"))
    assert "How your practice task went" not in someone.html


def test_the_counter_does_not_betray_gold_units(tmp_path: Path, served: Any, person: Any) -> None:
    people = {"overlap": 1, "units-per-person": 4}
    folder = known(tmp_path, gold=2, quality={"gold-every": 2}, people=people)
    someone = person(served(folder).url, new_link(secret_of(folder), "crowd", name="one"))
    someone.begin()
    counters, units = [], []
    for _ in range(6):
        counter = re.search(r"Task (\d+) of (\d+)", someone.html)
        assert counter is not None
        counters.append((int(counter[1]), int(counter[2])))
        units.append(someone.hidden()["unit"])
        someone.send("answer", **judged("no"))
        if 'id="task"' in someone.html:  # what can be changed is what was sent last, a gold unit too
            again = someone.client.get(f"{someone.home}/change").text
            assert f'name="unit" value="{units[-1]}"' in again
    assert counters == [(number, 6) for number in range(1, 7)]
    assert "Everything you sent is stored: 6 tasks." in someone.html


# ---- consent and time ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agreed", [True, False])
def test_signals_are_kept_with_consent_only(tmp_path: Path, served: Any, person: Any, agreed: bool) -> None:
    items = write_lines(tmp_path / "q.jsonl", questionnaires(1, 4))
    folder = tmp_path / "study"
    init(folder, kind="judge", items=items)
    someone = person(served(folder).url, new_link(secret_of(folder), "crowd"), participant="p")
    someone.send("consent", agree="yes", **({"signals": "yes"} if agreed else {}))
    someone.send("understood")
    assert ("data-signals" in someone.html) == agreed
    someone.send("answer", **judged(), signal_pasted="900", signal_keys="3", signal_other="1", signal_hidden="<b>")
    assert main(["annotate", "export", str(folder), "--to", "jsonl", "-o", str(tmp_path / "a.jsonl")]) == 0
    kept = json.loads((tmp_path / "a.jsonl").read_text())["signals"]
    assert kept == ({"pasted": 900.0, "keys": 3.0} if agreed else {})
    lines = status(folder, people=True)["people_lines"]
    assert ("pasted text" in lines[0]["flags"]) == agreed
    assert lines[0]["decision"] == "", "nothing is rejected by a sign"


def test_time_that_is_over_is_said_and_kept(tmp_path: Path, served: Any, person: Callable[..., Person]) -> None:
    rows = Path(__file__).resolve().parents[2] / "src" / "proband_annotate" / "samples" / "solve.jsonl"
    folder = tmp_path / "study"
    init(folder, kind="solve", items=rows, settings_given={"time": {"limit-seconds": 600}})
    server = served(folder)
    late = person(server.url, new_link(secret_of(folder), "crowd"), participant="late")
    late.begin()
    assert 'id="clock"' in late.html
    assert late.send("answer").status_code == 422  # in time: a choice is asked for
    expert = person(server.url, new_link(secret_of(folder), "expert", name="e"))
    expert.begin()
    assert 'id="clock"' not in expert.html
    database = Database(database_url(folder, read_project(folder)))
    earlier = update(assignments).values(started=assignments.c.started - 601)
    database.write(lambda c: c.execute(earlier))
    database.close()
    assert late.send("answer").status_code == 200  # too late: what there is
    assert main(["annotate", "export", str(folder), "--to", "jsonl", "-o", str(tmp_path / "a.jsonl")]) == 0
    assert json.loads((tmp_path / "a.jsonl").read_text())["answer"] == {
        "choice": None,
        "difficulty": None,
        "overtime": True,
    }


def test_an_answer_in_time_stays_as_it_was_sent(tmp_path: Path, served: Any, person: Callable[..., Person]) -> None:
    rows = Path(__file__).resolve().parents[2] / "src" / "proband_annotate" / "samples" / "solve.jsonl"
    folder = tmp_path / "study"
    init(folder, kind="solve", items=rows, settings_given={"time": {"limit-seconds": 600}})
    someone = person(served(folder).url, new_link(secret_of(folder), "crowd"), participant="p")
    someone.begin()
    form = someone.hidden()
    assert post(someone, "answer", choice="0", difficulty="3").json()["saved"]
    assert someone.client.get(f"{someone.home}/change").status_code == 200
    with closing(Database(database_url(folder, read_project(folder)))) as database:
        earlier = update(assignments).values(started=assignments.c.started - 601)
        database.write(lambda c: c.execute(earlier))
    assert "The time for that task is over" in someone.client.get(f"{someone.home}/change").text
    again = post(someone, "answer", **form, choice="0", difficulty="3").json()
    assert (again["saved"], again["new"]) == (True, False), "the reply was lost"
    changed = post(someone, "answer", **form, choice="1", difficulty="3")
    assert (changed.status_code, changed.json()["problem"]) == (422, "The time for that task is over")
    (row,) = stored(folder, tmp_path)
    assert not row["answer"]["overtime"]
    assert row["revision"] == 1
