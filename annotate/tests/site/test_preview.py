"""What an owner sees of the pages of people."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proband_annotate.results.reading import collected

if TYPE_CHECKING:
    from annotate.tests.visitors import Owner, judged, known_study
else:
    from visitors import Owner, judged, known_study


def test_the_preview_stores_nothing(tmp_path: Path, served: Any) -> None:
    folder, password = known_study(tmp_path, units=9, trial=1, gold=1, quality={"attention-every": 2, "gold-every": 3})
    owner = Owner(served(folder).url, folder, password)
    listed = owner.page("/preview")
    places = re.findall(r'href="/owner(/preview/[\w-]+)"', listed)
    assert len(places) == 6 + 6
    for place in places:
        page = owner.page(place)
        assert "Nothing you do here is stored." in page
        assert "/v/" not in page
    unit = re.search(r'name="unit" value="(\d+)"', owner.page("/preview/unit"))
    assert unit
    empty = owner.do("/preview/unit", unit=unit[1])
    assert empty.status_code == 422
    assert "would have been stored" in owner.do("/preview/unit", unit=unit[1], **judged("no")).text
    found = collected(folder)
    assert (found.people, found.answers) == ([], [])
    owner.client.close()
