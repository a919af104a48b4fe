"""The description of the pages as OpenAPI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.routing import Route

from proband_annotate.site.api import FORMS, QUERIES, describe

if TYPE_CHECKING:
    from annotate.tests.visitors import three_questions
else:
    from visitors import three_questions


def test_every_address_is_described(tmp_path: Path, served: Any) -> None:
    reply = httpx.get(f"{served(three_questions(tmp_path)).url}/openapi.json", verify=False)
    assert reply.status_code == 200
    described = reply.json()["paths"]
    assert {"/v/{visit}/decline", "/owner/preview/{step}", "/owner/person/{person}/returned"} <= described.keys()
    assert {path for path, each in described.items() if "post" in each} == FORMS.keys()
    assert QUERIES.keys() <= {path for path, each in described.items() if "get" in each}


async def nothing(request: Any) -> Any: ...


def test_numbers_in_an_address_are_whole_and_a_form_has_its_token() -> None:
    routes = [
        Route("/owner/person/{person:int}/decide", nothing, methods=["POST"]),
        Route("/owner/people", nothing),
    ]
    paths = describe(routes)["paths"]
    decide = paths["/owner/person/{person}/decide"]["post"]
    assert decide["parameters"][0]["schema"]["type"] == "integer"
    schema = decide["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]
    assert schema["required"] == ["form"]
    assert schema["properties"].keys() == {"form", "decision", "reason", "words"}
    assert [each["name"] for each in paths["/owner/people"]["get"]["parameters"]] == ["sort"]
    with pytest.raises(KeyError):  # a form without a description
        describe([Route("/owner/new", nothing, methods=["POST"])])
