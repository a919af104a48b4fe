"""Units for Label Studio and Potato, and what comes back. The results below have the form that the programs themselves
wrote for each of the three kinds (Label Studio 1.23, Potato 2.12)."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
import yaml

from proband.core.errors import ProbandError
from proband_annotate import other_tools
from proband_annotate.create import init
from proband_annotate.other_tools import BETWEEN, export_tasks, import_results
from proband_annotate.results.payments import payments
from proband_annotate.results.reading import collected, export_project

if TYPE_CHECKING:
    from annotate.tests.visitors import questionnaires, write_lines
else:
    from visitors import questionnaires, write_lines

DATA = Path(__file__).resolve().parents[1] / "src" / "proband_annotate" / "samples"
SAID = {"judge": ["Does not answer"], "solve": ["father", "4"], "simplify": ["Take a sharp knife.", "Cut it."]}


@pytest.fixture(params=sorted(SAID))
def study(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    items = {"judge": write_lines(tmp_path / "q.jsonl", questionnaires(2, 3))}
    files = {"solve": "solve.jsonl", "simplify": "captions.jsonl"}
    kind = request.param
    init(tmp_path / "study", kind=kind, items=items.get(kind) or DATA / files[kind], limit=2)
    return kind, tmp_path / "study"


def own(kind: str, place: int) -> list[str]:
    """Texts differ from task to task."""
    return [f"{words} ({place})" if kind == "simplify" else words for words in SAID[kind]]


def label_studio(kind: str, out: Path, *, worker: int) -> list[dict[str, Any]]:
    names = [each.get("name") for each in ElementTree.parse(out / "config.xml").getroot() if each.get("toName")]
    done = []
    for place, each in enumerate(json.loads((out / "tasks.json").read_text())):
        result = [
            {
                "from_name": name,
                "to_name": "text",
                "type": "textarea" if kind == "simplify" else "choices",
                "value": {"text" if kind == "simplify" else "choices": [words]},
            }
            for name, words in zip(names, own(kind, place), strict=False)
        ]
        annotation = {"completed_by": worker, "result": result, "was_cancelled": False, "lead_time": 8.0}
        done.append({"id": place, "annotations": [annotation], "data": each["data"]})
    return done


def test_label_studio_and_back(study: tuple[str, Path], tmp_path: Path) -> None:
    kind, folder = study
    made = export_tasks(folder, to="label-studio", out=tmp_path / "ls")
    assert made["units"] == 2
    assert "Eritrea" not in (tmp_path / "ls" / "tasks.json").read_text(), "the answer is masked"
    results = tmp_path / "export.json"
    results.write_text(json.dumps(label_studio(kind, tmp_path / "ls", worker=7)))
    expected = {"people": 1, "stored": 2, "there_before": 0, "incomplete": 0, "other_units": 0}
    assert import_results(folder, results, tool="label-studio") == expected
    again = import_results(folder, results, tool="label-studio")
    assert (again["stored"], again["there_before"]) == (0, 2)
    check(kind, folder, tmp_path, source="label_studio")


def test_potato_and_back(study: tuple[str, Path], tmp_path: Path) -> None:
    kind, folder = study
    export_tasks(folder, to="potato", out=tmp_path / "potato")
    config = yaml.safe_load((tmp_path / "potato" / "config.yaml").read_text())
    rows = [json.loads(line) for line in (tmp_path / "potato" / "tasks.jsonl").read_text().splitlines()]
    names = [scheme["name"] for scheme in config["annotation_schemes"]]
    labels, timing = {}, {}
    for place, row in enumerate(rows):
        said = dict(zip(names, own(kind, place), strict=False))
        box = "text_box" if kind == "simplify" else None
        labels[row["id"]] = [[{"schema": name, "name": box or words}, words] for name, words in said.items()]
        timing[row["id"]] = {"total_time_ms": 8000}
    output = tmp_path / "potato" / "annotation_output"
    (output / "ann").mkdir(parents=True)
    state = {"user_id": "ann", "instance_id_to_label_to_value": labels, "instance_id_to_behavioral_data": timing}
    (output / "ann" / "user_state.json").write_text(json.dumps(state))
    assert import_results(folder, output, tool="potato")["stored"] == 2
    assert {each.seconds for each in collected(folder).answers} == {8.0 * len(rows) / 2}
    assert all(BETWEEN in row["id"] and html.unescape(row["text"]) for row in rows)
    check(kind, folder, tmp_path, source="potato")


def check(kind: str, folder: Path, tmp_path: Path, *, source: str) -> None:
    """The study has the answers; people who worked elsewhere are paid there."""
    found = collected(folder)
    assert [person["source"] for person in found.people] == [source]
    assert len(found.counted()) == 2
    assert payments(found, b"x" * 32) == []
    if kind == "judge":
        assert {label for each in found.answers for label in each.labels} == {"no"}
    elif kind == "solve":
        assert [(each.answer["choice"], each.answer["difficulty"]) for each in found.answers] == [("father", 4)] * 2
    else:
        assert all(len(each.answer["steps"]) == 2 for each in found.answers)
    made = export_project(folder, to="suite", out=tmp_path / "out")
    assert made["next"]


def test_what_is_incomplete_or_strange_is_not_stored(tmp_path: Path) -> None:
    items = write_lines(tmp_path / "q.jsonl", questionnaires(2, 3))
    folder = tmp_path / "study"
    init(folder, kind="judge", items=items)
    export_tasks(folder, to="label-studio", out=tmp_path / "ls")
    tasks = label_studio("judge", tmp_path / "ls", worker=7)
    tasks[0]["annotations"][0]["was_cancelled"] = True
    tasks[-1]["data"]["unit"] = "somebody else's"
    results = tmp_path / "export.json"
    results.write_text(json.dumps(tasks))
    made = import_results(folder, results, tool="label-studio")
    assert (made["stored"], made["incomplete"], made["other_units"]) == (0, 2, 1)
    results.write_text('[{"data": {}, "annotations": [{}]}]')
    with pytest.raises(ProbandError, match=r"export.json: task 1 is not as"):
        import_results(folder, results, tool="label-studio")
    results.write_text("[]")
    (tmp_path / "ann").mkdir()
    state = tmp_path / "ann" / "user_state.json"
    state.write_text('{"user_id": "ann", "instance_id_to_label_to_value": {}}')
    with pytest.raises(ProbandError, match="contains no answers of potato"):
        import_results(folder, tmp_path / "ann", tool="potato")
    state.write_text('{"user_id": "ann", "instance_id_to_label_to_value": {"q0 // 1": [["yes"]]}}')
    with pytest.raises(ProbandError, match=r"user_state.json: is not a state that Potato writes"):
        import_results(folder, tmp_path / "ann", tool="potato")
    with pytest.raises(ProbandError, match=r"contains no user_state.json of Potato"):
        import_results(folder, tmp_path / "ls", tool="potato")


def test_the_options_of_a_field_are_compared_once(study: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for every task: that took 12 s for 2,000 tasks."""
    compared: list[int] = []
    monkeypatch.setattr(other_tools, "same_options", lambda kind, asked, place: compared.append(place))
    export_tasks(study[1], to="label-studio", out=study[1].parent / "ls")
    assert len(compared) == len(set(compared))


def test_stories_are_written_here_only(tmp_path: Path) -> None:
    init(tmp_path / "study", kind="write", items=DATA / "write.jsonl")
    with pytest.raises(ProbandError, match="cannot be answered in potato"):
        export_tasks(tmp_path / "study", to="potato", out=tmp_path / "out")
