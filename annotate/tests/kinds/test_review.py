"""The page of a review."""

from __future__ import annotations

from proband.core.files import environment
from proband_annotate.kinds import review


def test_a_review_of_one_fact_asks_for_no_implied_fact() -> None:
    story = {"place": 0, "facts": ["Ben is the father of Ann."], "implied_fact": "", "text": "Ben rang his girl Ann."}
    page = environment("proband_annotate.web", "proband_annotate.kinds").get_template("review.html")
    for facts, times in (("Ben is the father of Ann.",), 0), (("Ben is the father of Ann.", "Carl is his son."), 1):
        unit = {"stories": [{**story, "facts": facts}], "reasons": review.REASONS}
        given = page.new_context({"unit": unit, "draft": {}, "t": lambda text, **_: text})
        html = "".join(page.blocks["task"](given))
        assert [html.count(each) for each in ("review.reveals", "write.implied", "review.facts")] == [times, times, 1]
