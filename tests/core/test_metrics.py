"""What counts as wrong or is left out; which splits are scored."""

from __future__ import annotations

import pytest

from proband.core.errors import ProbandError
from proband.core.metrics import ACCURACY, named_splits, scored_splits
from proband.core.types import LEFT_OUT, WRONG, Answer, Item
from proband.stats.ranking import AUC, score_and_truth

ITEM = Item(id="a", suite="s", prompt="?", choices=("x", "y"), gold=1)


def test_what_is_wrong_counts_and_what_is_left_out_does_not() -> None:
    right = Answer(item_id="a", scores=(0.0, 1.0))
    assert ACCURACY.value(ITEM, right) == 1.0
    for status in WRONG:
        failed = Answer(item_id="a", scores=(0.0, 1.0), status=status)
        assert ACCURACY.value(ITEM, failed) == 0.0
        record = score_and_truth(ITEM, failed)
        assert record is not None
        assert record[0] > 1e200  # the wrong choice, preferred more than by any other answer
    for left_out in LEFT_OUT:
        assert ACCURACY.value(ITEM, Answer(item_id="a", scores=(0.0, 1.0), status=left_out)) is None
    assert AUC.value(ITEM, right) is None  # over a set


def test_a_split_that_is_none_or_has_no_items_is_refused() -> None:
    with pytest.raises(ProbandError, match="--split dev: 'dev' is not one of train, valid, test, all"):
        named_splits("dev")
    with pytest.raises(ProbandError, match="--split valid: there are no such items, only train and test items"):
        scored_splits({"train", "test"}, "valid")
