"""The owner's dashboard by HTTP, as a browser uses it: decisions, disputes, erasure, plans, links, exports."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import yaml

from proband.cli import main
from proband_annotate.create import init
from proband_annotate.project import secret_of
from proband_annotate.results.reading import plan_project, status
from proband_annotate.site.owner import PEOPLE_COLUMNS
from proband_annotate.tokens import new_link

if TYPE_CHECKING:
    from annotate.tests.visitors import Owner, write_lines
else:
    from visitors import Owner, write_lines


def test_a_rejection_has_a_reason_opens_places_and_can_be_taken_back(dashboard: Any) -> None:
    folder, owner = dashboard
    assert status(folder)["progress"]["answers"] == 10
    assert owner.do("/person/1/decide", decision="rejected").status_code == 422  # no reason
    owner.do("/person/1/decide", decision="rejected", reason="careless", words="All alike.")
    assert "careless All alike." in owner.page("/person/1")
    figures = status(folder)
    assert (figures["progress"]["answers"], figures["progress"]["kept_but_not_counted"]) == (5, 5)
    assert figures["money"]["tasks_paid"] == 5
    owner.do("/person/1/decide", decision="")
    assert status(folder)["progress"]["answers"] == 10, "the places were still free"
    owner.do("/people/approve")
    assert [line["decision"] for line in status(folder, people=True)["people_lines"]] == ["approved", "approved"]
    assert owner.do("/person/99/decide", decision="approved").status_code in (200, 404)


def test_people_are_sorted_by_every_column_and_no_reason_is_chosen_for_the_owner(dashboard: Any) -> None:
    _, owner = dashboard
    owner.do("/person/2/bonus", amount="3", words="thorough")

    def order(column: str) -> list[str]:
        return re.findall(r'<th scope="row"><a href="[^"]*/owner/person/(\d+)"', owner.page(f"/people?sort={column}"))

    assert (order("id"), order("-id")) == (["1", "2"], ["2", "1"])
    assert (order("pay"), order("-pay")) == (["1", "2"], ["2", "1"])
    for column in ("", "nothing", "checks_share", *PEOPLE_COLUMNS):
        assert sorted(order(f"-{column}")) == sorted(order(column)) == ["1", "2"], column
    chosen = re.search(r'<select id="reason".*?</select>', owner.page("/person/1"), re.DOTALL)
    assert chosen
    assert "selected" not in chosen[0]
    assert re.findall(r'<option value="(\w*)"', chosen[0])[0] == "", "the reason has to be chosen"


def test_answers_by_unit(dashboard: Any) -> None:
    """Both people's answers, with what did not count."""
    _, owner = dashboard
    numbers = re.findall(r"/owner/unit/(\d+)", owner.page("/units"))
    assert len(set(numbers)) == 5
    assert owner.page("/units").count("2 / 2") == 5
    assert "Agrees" in owner.page("/units")
    owner.do("/person/1/decide", decision="rejected", reason="careless")
    assert owner.page("/units").count("1 / 2") == 5
    shown = owner.page(f"/unit/{numbers[0]}")
    assert re.findall(r"/owner/person/(\d+)", shown) == ["1", "2"]
    assert "Which country borders land" in shown
    assert shown.count("does not count") == 1
    assert owner.client.get("/owner/unit/99999").status_code == 404


def test_the_owner_decides_disputes(dashboard: Any, tmp_path: Path) -> None:
    folder, owner = dashboard
    found = re.search(
        r'name="unit" value="(\d+)"><input type="hidden" name="part" value="([^"]+)"', owner.page("/disputes")
    )
    assert found is not None
    assert owner.do("/adjudicate", unit=found[1], part=found[2], label="maybe").status_code == 400
    owner.do("/adjudicate", unit=found[1], part=found[2], label="no")
    assert main(["annotate", "aggregate", str(folder), "-o", str(tmp_path / "labels.jsonl")]) == 0
    rows = [json.loads(line) for line in (tmp_path / "labels.jsonl").read_text().splitlines()]
    assert [row["item_id"] for row in rows if row["label"] == "no"] == [found[2]]
    owner.do("/adjudicate", unit=found[1], part=found[2], label="")
    assert main(["annotate", "aggregate", str(folder), "-o", str(tmp_path / "labels.jsonl")]) == 0
    assert '"no"' not in (tmp_path / "labels.jsonl").read_text()


def test_a_person_is_erased_from_the_disk(tmp_path: Path, served: Callable[[Path], Any], person: Any) -> None:
    rows = [{"id": "c1", "caption": "Peel the banana"}]
    items = write_lines(tmp_path / "captions.jsonl", rows)
    folder = tmp_path / "study"
    made = init(folder, kind="simplify", items=items)
    server = served(folder)
    someone = person(server.url, new_link(secret_of(folder), "crowd"), PROLIFIC_PID="5f0c")
    someone.begin()
    words = "Take the xylophonic banana in one hand."
    someone.client.post(f"{someone.home}/draft", data={**someone.hidden(), "s0": f"{words} Draft."})
    someone.send("answer", s0=words)
    (tmp_path / "ids.txt").write_text("5f0c\nnobody\n")
    lines = status(folder, workers=tmp_path / "ids.txt", source="prolific")["people_lines"]
    assert [line["person"] for line in lines] == [1, None]
    assert b"xylophonic" in b"".join(path.read_bytes() for path in folder.glob("answers.db*"))
    owner = Owner(server.url, folder, made["password"])
    assert "xylophonic" in owner.page("/person/1")
    assert "Agrees" not in owner.page("/units"), "nobody votes where people write"
    assert owner.do("/person/1/erase").status_code == 400  # not sure
    owner.do("/person/1/erase", sure="yes")
    assert owner.client.get("/owner/person/1").status_code == 404
    owner.client.close()
    assert b"xylophonic" not in b"".join(path.read_bytes() for path in folder.glob("answers.db*"))


def test_a_plan_while_the_study_runs_uses_what_it_measured(dashboard: Any) -> None:
    folder, owner = dashboard
    made = plan_project(folder, half_width=0.1)
    assert made["answers_done"] == 10
    assert "accuracy" in made["assumed"]["measured"]
    html = owner.page("/plan?precision=0.1")
    assert f"<dt>Answers still needed</dt><dd>{made['answers_left']:,}</dd>" in html
    assert "<dt>Answers so far</dt><dd>10</dd>" in html
    assert plan_project(folder, half_width=0.01)["answers_left"] > 10 * made["answers_left"] > 0


def test_links_made_on_the_dashboard_let_people_in(dashboard: Any) -> None:
    _, owner = dashboard
    made = re.findall(r"<li><code>(http[^<]+)</code>", owner.do("/links", count="2", panel="expert").text)
    assert len(made) == 2
    pages = [httpx.get(link, follow_redirects=True) for link in made]
    assert all("Before you begin" in page.text for page in pages)
    assert pages[0].url != pages[1].url
    assert owner.do("/links", count="5000").status_code == 400


def test_exports_of_the_dashboard(dashboard: Any, tmp_path: Path) -> None:
    _, owner = dashboard
    assert len(owner.page("/export/jsonl").splitlines()) == 10
    assert len(owner.page("/export/csv").splitlines()) == 1 + 10 * 4
    packed = owner.client.get("/owner/export/hf").content
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(tmp_path / "hub")
    head = yaml.safe_load((tmp_path / "hub" / "README.md").read_text("utf-8").split("---")[1])
    files = {each["config_name"]: each["data_files"][0]["path"] for each in head["configs"]}
    assert list(files) == ["answers", "units", "labels"]
    for name, count in (("answers", 10), ("units", 5), ("labels", 20)):
        rows = [json.loads(line) for line in (tmp_path / "hub" / files[name]).read_text("utf-8").splitlines()]
        assert len(rows) == count
        assert len({tuple(row) for row in rows}) == 1, "the columns differ"
