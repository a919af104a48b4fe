"""The page in a real browser: quiet, self-contained, and doing what it says."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from proband.core.metrics import accuracy_of as accuracy
from proband.reporting import AnsweredRun, ItemSet, write_report


def test_it_opens_quietly_and_hostile_text_is_only_text(visit: Callable[..., Any], hostile_text: str) -> None:
    seen = visit("analogy-2.html")
    seen.items()
    seen.found("of 80")
    for row in seen.page.locator("#list .row").all()[:6]:
        row.click()
    assert hostile_text in seen.page.locator("#list .prompt").first.inner_text()
    assert seen.page.evaluate("window.hacked") is None
    assert seen.page.locator("img[src=x], #list b").count() == 0
    seen = visit("cloze.html")
    seen.items()
    seen.found("of 12")
    for row in seen.page.locator("#list .row").all():
        row.click()
    assert "<b>spoon</b>" in seen.page.locator(".blanks").nth(1).inner_text()
    assert seen.page.locator(".blanks th").first.inner_text() == "gold"
    assert seen.page.evaluate("window.hacked") is None
    assert seen.page.locator("img[src=x], #list b").count() == 0


def test_filters_find_what_is_there(visit: Callable[..., Any], make_set: Callable[..., ItemSet]) -> None:
    loaded = make_set(640)
    seen = visit()
    seen.items()
    seen.found("^1–20 of 640 items$")
    chosen = [item for item in loaded.items() if item.tags["probe"] == "reverse"]
    seen.page.select_option("select[name=probe]", label="reverse")
    seen.found(f"of {len(chosen)} ")
    answers = dict(zip((item.id for item in loaded.items()), loaded.raw_answers(0)))
    wrong = [item for item in chosen if accuracy(item, answers[item.id]) == 0]
    seen.page.select_option("select[name=answers]", label="embedded:mlm wrong")
    seen.found(f"of {len(wrong)} ")
    assert (
        seen.page.locator("#list li").first.locator(".tick").first.get_attribute("aria-label") == "embedded:mlm: wrong"
    )
    word = wrong[3].prompt.split()[0]
    hits = [item for item in wrong if word in f"{item.prompt} {item.choices}"]
    seen.page.fill("#search", word)
    seen.found(f"of {len(hits)} item")
    seen.page.fill("#search", "nothing has these words")
    seen.found("^none of")


def test_paging_and_one_item(visit: Callable[..., Any], make_set: Callable[..., ItemSet]) -> None:
    loaded = make_set(640)
    seen = visit()
    seen.items()
    assert seen.page.locator("#before").is_disabled()
    seen.page.click("#after")
    seen.found("^21–40")
    seen.page.locator("#list .row").first.click()
    opened = seen.page.locator("#list .open").first
    item = list(loaded.items())[20]
    assert item.id in opened.locator(".tags").inner_text()
    assert item.gold is not None
    assert item.choices[item.gold] in opened.locator(".choices > .gold").inner_text()
    assert opened.locator(".score").count() == len(item.choices) * len(loaded.runs)
    assert opened.locator(".score.chosen").count() == len(loaded.runs)


def test_drawings_are_images_and_can_be_asked_for(visit: Callable[..., Any]) -> None:
    seen = visit()
    seen.items()
    seen.page.select_option("select[name=drawing]", label="drawn")
    seen.found("of 240 items")
    seen.page.locator("#list .row").nth(5).click()
    images = seen.page.locator("#list .open img")
    assert images.count() == 1 + 4
    assert images.first.evaluate("image => image.decode().then(() => image.naturalWidth)") == 220


def test_models_can_be_switched_off(visit: Callable[..., Any]) -> None:
    seen = visit()
    marks = seen.page.locator('#results .wide svg [data-m="1"][data-tip]')
    others = seen.page.locator('#results .wide svg [data-m="0"][data-tip]')
    assert marks.first.is_visible()
    seen.page.click("#results .legend button >> nth=1")
    assert not marks.first.is_visible()
    assert others.first.is_visible()
    seen.page.click("#results .legend button >> nth=1")
    assert marks.first.is_visible()


def test_a_mark_tells_its_number_to_pointer_and_keys(visit: Callable[..., Any]) -> None:
    seen = visit()
    dot = seen.page.locator("#analogy-groups .wide svg [data-tip]").first
    dot.scroll_into_view_if_needed()
    dot.hover()
    assert seen.page.locator("#tip").inner_text() == dot.get_attribute("data-tip")
    seen.page.mouse.move(2, 2)
    seen.page.locator("#analogy-groups .wide svg").focus()
    seen.page.keyboard.press("ArrowRight")
    seen.page.keyboard.press("ArrowRight")
    second = seen.page.locator("#analogy-groups .wide svg [data-tip]").nth(1)
    assert seen.page.locator("#tip").inner_text() == second.get_attribute("data-tip")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(visit: Callable[..., Any], scheme: str) -> None:
    seen = visit(scheme=scheme)
    ground = "getComputedStyle(document.body).backgroundColor"
    before = seen.page.evaluate(ground)
    assert (sum(map(int, before[4:-1].split(","))) < 200) == (scheme == "dark")
    seen.page.click("#theme")
    after = seen.page.evaluate(ground)
    assert before != after
    seen.page.reload()
    assert seen.page.evaluate(ground) == after


@pytest.mark.parametrize("widths", [(320, 390), (768, 1280)])  # scripts look whether there are more than 720 pixels
@pytest.mark.parametrize("file", ["index.html", "analogy.html"])
def test_no_page_scrolls_sideways(visit: Callable[..., Any], file: str, widths: tuple[int, int]) -> None:
    seen = visit(file, width=widths[0])
    if file == "analogy.html":
        seen.items()
        seen.page.locator("#list .row").first.click()
    seen.open_all()
    for width in widths:
        seen.page.set_viewport_size({"width": width, "height": 900})
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert file == "index.html" or seen.page.locator("#analogy-groups figure svg:visible").count() == 1


def test_the_page_says_its_numbers_without_a_script(browser: Any, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "analogy.html").as_uri())
    assert page.locator("#analogy-groups td").count() > 50
    assert page.locator("#analogy-groups .wide svg").is_visible()
    context.close()


def test_choices_that_nobody_picked_are_folded_away(
    visit: Callable[..., Any], make_set: Callable[..., ItemSet], tmp_path: Path
) -> None:
    loaded = make_set(20)
    nine = tuple("abcdefghi")
    items = [msgspec.structs.replace(item, choices=nine, gold=2) for item in loaded.items()]
    runs = [
        AnsweredRun(
            run=given.run,
            answers=[
                msgspec.structs.replace(answer, scores=tuple(float(c == m) for c in range(9)))
                for answer in loaded.raw_answers(m)
            ],
        )
        for m, given in enumerate(loaded.answered)
    ]
    write_report([dataclasses.replace(loaded, items_from=items, answered=runs)], out=tmp_path)
    seen = visit(of=tmp_path)
    seen.items()
    seen.page.locator("#list .row").first.click()
    picked = len({2, *range(len(runs))})
    opened = seen.page.locator("#list .open")
    assert opened.locator(".choices > li:visible").count() == picked
    opened.locator("summary").click()
    assert opened.locator(".choices > li:visible").count() == 9


def at_night(*values: Any) -> Any:
    return pytest.param(*values, marks=pytest.mark.nightly)


@pytest.mark.parametrize("file", ["index.html", "analogy-2.html", "cloze.html", at_night("analogy.html")])
@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), at_night(1280, "dark"), at_night(390, "light"), at_night(390, "dark")]
)
def test_axe_finds_nothing(visit: Callable[..., Any], file: str, width: int, scheme: str) -> None:
    """Accessibility of every page with everything open; "analogy-2" is full of strange text, "cloze" has blanks, and
    "analogy" is long."""
    from axe_playwright_python.sync_playwright import Axe

    seen = visit(file, width=width, scheme=scheme)
    seen.open_all()
    if file != "index.html":
        seen.items()
        seen.page.locator("#list .row").first.click()
    violations = Axe().run(seen.page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(each["impact"], each["id"], each["nodes"][0]["html"]) for each in violations] == []


def test_the_overview_leads_to_everything(visit: Callable[..., Any], folder: Path) -> None:
    seen = visit("index.html")
    for link in seen.page.locator("main a, nav a").all():
        file, _, anchor = str(link.get_attribute("href")).partition("#")
        text = (folder / (file or "index.html")).read_text("utf-8")
        assert not anchor or f'id="{anchor}"' in text, (file, anchor)
    marks = seen.page.locator(".headline").first.locator(".track")
    axes = {
        tuple(each.locator(".axis span:not(.chance-name)").all_inner_texts())
        for each in seen.page.locator(".headline").all()
    }
    assert axes == {("0", "25", "50", "75", "100")}
    assert marks.count() == 4


def test_every_table_figure_and_item_has_an_address(visit: Callable[..., Any]) -> None:
    seen = visit(anchor="#analogy-length-table", width=390)
    table = seen.page.locator("#analogy-length-table")
    assert table.get_attribute("open") is not None
    assert table.is_visible()
    assert seen.page.locator("#analogy-groups-figure svg:visible").count() == 1
    seen = visit(anchor="#item-q00033")
    seen.page.wait_for_selector("#list .open")
    assert "id: q00033" in seen.page.locator("#list .open .tags").inner_text()
    seen.page.evaluate("location.hash = '#item-q00600'")
    seen.found("^601–620 of 640")
    seen.page.evaluate("location.hash = '#item-nothing'")
    seen.found("item nothing is not among the 640")


def test_contents_follow_the_page(visit: Callable[..., Any]) -> None:
    from playwright.sync_api import expect

    seen = visit()
    assert seen.page.locator(".contents a.here").inner_text() == "Overview"
    seen.page.locator("#tests").evaluate("element => element.scrollIntoView({ behavior: 'instant' })")
    expect(seen.page.locator(".contents a.here")).to_have_text("Paired significance tests")
    names = seen.page.locator(".contents .level2").all_inner_texts()
    assert names == seen.page.locator("#results h3").all_inner_texts()


def test_search_looks_where_it_is_told(visit: Callable[..., Any], make_set: Callable[..., ItemSet]) -> None:
    items = list(make_set(640).items())
    seen = visit()
    seen.items()
    seen.page.fill("#search", "q0001")
    seen.found("^none of")
    seen.page.select_option("#place", "id")
    seen.found("of 10 items")
    word = items[5].choices[0]
    seen.page.select_option("#place", "text")
    seen.page.fill("#search", word)
    count = sum(word in f"{i.prompt} {i.choices}" for i in items)
    assert 0 < count < len(items)
    seen.found(f"of {count} item")


def test_the_list_by_keyboard(visit: Callable[..., Any]) -> None:
    seen = visit()
    seen.items()
    seen.page.locator("main").focus()
    seen.page.keyboard.press("/")
    assert seen.page.evaluate("document.activeElement.id") == "search"
    seen.page.locator("#list .row").first.focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        seen.page.keyboard.press(key)
    assert "q00002" in seen.page.locator("#list .open .tags").inner_text()
    seen.page.keyboard.press("PageDown")
    seen.found("^21–40")


def test_arrow_keys_lead_from_the_search_field_to_the_list_and_back(visit: Callable[..., Any]) -> None:
    seen = visit()
    seen.items()
    page = seen.page
    page.focus("#search")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement === document.querySelector('#list .row')")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "search"


def test_the_browser_opens_on_items_that_were_asked(
    visit: Callable[..., Any], make_set: Callable[..., ItemSet], tmp_path: Path
) -> None:
    loaded = make_set(60, models=("embedded:mlm",))
    items = [
        msgspec.structs.replace(item, split="train" if i < 40 else "test") for i, item in enumerate(loaded.items())
    ]
    given = [dataclasses.replace(each, answers=list(loaded.raw_answers(0))[40:]) for each in loaded.answered]
    write_report([dataclasses.replace(loaded, items_from=items, answered=given)], out=tmp_path)
    seen = visit(of=tmp_path)
    seen.items()
    seen.found("of 20 items")
    seen.page.select_option("select[name=asked]", "all")
    seen.found("of 60 items")
    unasked = visit(of=tmp_path, anchor=f"#item-{items[0].id}")
    unasked.page.wait_for_selector("#list .open")


@pytest.mark.parametrize("anchor", ["#nowhere", "#%E0%A4%A", "#item-unknown"])
def test_an_unknown_anchor_is_named(visit: Callable[..., Any], anchor: str) -> None:
    seen = visit(anchor=anchor)
    if anchor == "#item-unknown":
        seen.found("item unknown is not among the")
    else:
        assert f"This page has no section “{anchor[1:]}”." in seen.page.locator("#no-such-section").inner_text()


def test_unread_skipped_and_ties_are_shown_as_what_they_are(
    visit: Callable[..., Any], make_set: Callable[..., ItemSet], tmp_path: Path
) -> None:
    loaded = make_set(80, models=("embedded:mlm", "embedded:glove"))
    answers = list(loaded.raw_answers(0))
    replace = msgspec.structs.replace
    answers[0] = replace(answers[0], scores=(), text="I do not know", status="unread")
    answers[1] = replace(answers[1], scores=(), text="longer than the window", status="skipped")
    answers[2] = replace(answers[2], scores=(0.5, 0.5))
    answers[3] = replace(answers[3], scores=(), text="no answer", status="error")
    answers[4] = replace(answers[4], scores=(), status="not covered")
    runs = [AnsweredRun(run=loaded.runs[0], answers=answers), loaded.answered[1]]
    write_report([dataclasses.replace(loaded, answered=runs)], out=tmp_path)
    seen = visit(of=tmp_path)
    at = seen.page.locator("#overview .headline dt").all_inner_texts().index("embedded:mlm")
    said = seen.page.locator("#overview .headline .value").nth(at).inner_text()
    assert "1.3 % unread" in said
    assert "1 skipped" in said
    seen.items()
    ticks = [row.locator(".tick").nth(at).get_attribute("aria-label") for row in seen.page.locator("#list .row").all()]
    assert ticks[:3] == ["embedded:mlm: unread", "embedded:mlm: skipped", "embedded:mlm: tie"]
    for choice in ("embedded:mlm wrong", "models disagree"):
        seen.page.select_option("select[name=answers]", label=choice)
        seen.found("of [0-9]+ items$")
        rows = seen.page.locator("#list .row .marks").all()
        signs = [row.locator(".tick").nth(at).get_attribute("aria-label") for row in rows]
        assert "embedded:mlm: failed" in signs or choice == "models disagree"
        assert "embedded:mlm: not covered" not in signs
    seen.page.select_option("select[name=answers]", label="embedded:mlm unread")
    seen.found("^1–1 of 1 item$")
    seen.page.locator("#list .row").click()
    assert "I do not know" in seen.page.locator("#list .open").inner_text()
