"""The answer that a reply marks."""

from __future__ import annotations

import pytest
from tests.proof.conftest import check


@pytest.mark.parametrize("box", ["\\boxed{\\text{grandmother}}", "\\[\\boxed{ \\mathrm{grandmother} }\\]"])
def test_a_box_with_text_is_read(box: str) -> None:
    reply = check(f"Ben is Max's father.\n{box}")
    assert (reply.answer, reply.answer_verdict) == ("grandmother", "entailed")


def test_an_answer_at_the_end_of_a_line_is_read() -> None:
    reply = check("Ben is Max's father. Answer: grandmother")
    assert (reply.answer, reply.answer_verdict) == ("grandmother", "entailed")
