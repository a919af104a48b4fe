"""What a project that others join publishes: the site, JSON Schemas, workflows, one version number."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.nightly
def test_the_site_is_built_offline_and_every_link_leads_somewhere(root: Path, tmp_path: Path, browser: Any) -> None:
    """`--strict` turns a broken link, a missing anchor or an unknown reference into an error. The search works in a
    browser that opens the page from the folder."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|<link[^>]* href)="https?://', page), "the page loads something from outside"
    assert "proband.core.types.Item" in (tmp_path / "site" / "api.html").read_text(), (
        "the API pages come from docstrings"
    )
    published = {path.name for path in (tmp_path / "site" / "schemas").glob("*.schema.json")}
    assert {f"{name}.schema.json" for name in ("item", "answer", "run", "study")} <= published
    opened = browser.new_page()
    opened.goto((tmp_path / "site" / "index.html").as_uri(), wait_until="networkidle")
    opened.focus(".md-search__input")
    opened.keyboard.type("step-down adjustment", delay=20)
    opened.wait_for_selector(".md-search-result__item")


def test_navigation_headings_and_names_of_the_site_are_there(root: Path) -> None:
    """What can be read without building the site, which is built at night."""
    import yaml
    from markdown.extensions.toc import slugify  # type: ignore[import-untyped]

    config = yaml.safe_load((root / "mkdocs.yml").read_text())
    named = re.findall(r"[\w/-]+\.md", json.dumps(config["nav"]))
    folders = (root / "docs", root)
    assert not [name for name in named if name != "index.md" and not any((path / name).is_file() for path in folders)]
    pages = {*(root / "docs").rglob("*.md"), *root.glob("*.md"), *(root / "benchmarks").glob("*.md")}
    texts = {page: re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL) for page in pages}
    headings = {
        page: {slugify(title.replace("`", ""), "-") for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
        for page, text in texts.items()
    }
    links = [
        (page, (page.parent / target).resolve() if target else page, anchor)
        for page, text in texts.items()
        for target, anchor in re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", text)
    ]
    assert len(links) > 20
    assert not [(page.name, to.name, anchor) for page, to, anchor in links if anchor not in headings.get(to, {anchor})]
    for name in re.findall(r"^::: (\S+)$", texts[root / "docs" / "api.md"], re.MULTILINE):
        assert importlib.util.find_spec(name), name


def test_the_schemas_are_those_of_the_structs(root: Path, tmp_path: Path) -> None:
    """`python docs/schemas/write_schemas.py` writes them again."""
    file = root / "docs" / "schemas" / "write_schemas.py"
    spec = importlib.util.spec_from_file_location("write_schemas", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(tmp_path)
    written = {path.name: path.read_text() for path in file.parent.glob("*.schema.json")}
    assert written == {path.name: path.read_text() for path in tmp_path.glob("*.schema.json")}


def test_real_files_pass_their_schema(root: Path, tmp_path: Path) -> None:
    import jsonschema

    import proband

    proband.build("analogy", out=str(tmp_path / "items"), per_relation=1)
    proband.run(str(tmp_path / "items"), model="baseline:random", out=str(tmp_path / "run"))
    item = json.loads((tmp_path / "items" / "items.jsonl").read_text().splitlines()[0])
    answer = json.loads((tmp_path / "run" / "answers.jsonl").read_text().splitlines()[0])
    kinds = ("item", "answer", "run", "study")
    schemas = {name: json.loads((root / "docs/schemas" / f"{name}.schema.json").read_text()) for name in kinds}
    for name, value in (
        ("item", item),
        ("answer", answer),
        ("run", json.loads((tmp_path / "run/run.json").read_text())),
    ):
        jsonschema.validate(value, schemas[name])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**item, "gold": "first"}, schemas["item"])
    study = {"study": {"title": "t"}, "build": [{"name": "a", "suite": "analogy", "option": {}}]}
    with pytest.raises(jsonschema.ValidationError, match="option"):
        jsonschema.validate(study, schemas["study"])


def test_workflows_and_templates_are_well_formed(root: Path) -> None:
    """Every command of the workflow and of the pre-commit hooks is one of the Makefile."""
    import yaml

    workflow = yaml.safe_load((root / ".github/workflows/test.yml").read_text())
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.MULTILINE))
    runs = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert {run.split()[1] for run in runs} <= targets
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    for template in (root / ".github/ISSUE_TEMPLATE").glob("*.yml"):
        assert {"name", "description", "body"} <= set(yaml.safe_load(template.read_text()))
    hooks = yaml.safe_load((root / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    makefile, project = (root / "Makefile").read_text(), (root / "pyproject.toml").read_text()
    style = re.search(r"^style:.*?(?=^\S)", makefile, re.MULTILINE | re.DOTALL)
    assert style is not None
    assert [hook["entry"] for hook in hooks] == [*re.findall(r"\$\(BIN\)/(.+)", style[0]), "make types"]
    assert all(f'"{name}"' in project for hook in hooks for name in hook.get("additional_dependencies", ()))
    release = yaml.safe_load((root / ".github/workflows/release.yml").read_text())
    assert {"run": "make release"} in release["jobs"]["wheels"]["steps"]
    assert "release" in targets


def test_the_library_takes_a_range_of_torch(root: Path) -> None:
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    pinned = [each for name, of_extra in extras.items() for each in of_extra if name != "dev" and "==" in each]
    assert not pinned
    assert any(re.match(r"torch>=[\d.]+,<\d", each) for each in extras["models"])


def test_what_a_newcomer_reads_first_is_short(root: Path) -> None:
    """The README has two screens, the changelog of a release one."""
    assert len((root / "README.md").read_text().splitlines()) <= 60
    releases = (root / "CHANGELOG.md").read_text().split("\n## ")[1:]
    assert all(len(release.splitlines()) <= 40 for release in releases)
    guide = (root / "CONTRIBUTING.md").read_text()
    sections = ("a-model", "a-suite", "a-probe-a-net-or-a-prompt", "a-domain-of-audits")
    assert {f"docs/extending.md#{section}" for section in sections} <= set(re.findall(r"docs/[\w-]+\.md#[\w-]+", guide))


def test_decisions_have_a_day_and_a_status(root: Path) -> None:
    text = (root / "docs" / "decisions" / "README.md").read_text()
    entries = [" ".join(entry.split()) for entry in re.split(r"^- ", text, flags=re.MULTILINE)[1:]]
    undated = [
        entry[:60] for entry in entries if not re.search(r"\(\d{4}-\d\d-\d\d; (in force|superseded|changed)", entry)
    ]
    assert entries
    assert not undated
