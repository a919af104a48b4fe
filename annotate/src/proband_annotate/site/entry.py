"""The entry to a study: a signed link, alone (one person) or with a platform's id."""

from __future__ import annotations

import re
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from proband_annotate.project import Project
from proband_annotate.site.context import OpenProject, message
from proband_annotate.site.forms import Refused, clean
from proband_annotate.site.signed_ids import verified_id
from proband_annotate.tokens import Forged, Link, Visit, seal, unseal, worker_hash

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"  # Mechanical Turk shows a task before it is accepted
NAME = re.compile(r"[\x21-\x7e]{1,128}")
MTURK = re.compile(r"https://[a-z0-9-]+\.mturk\.com/?")  # only letters: browsers treat `\` in an address as `/`


def identity(query: Any, project: Project) -> tuple[str, str, dict[str, str]] | None:
    """(source, id, values to hand back) from the parameters of an address."""
    if name := query.get("PROLIFIC_PID"):
        return "prolific", name, {}
    if name := query.get("workerId"):
        back = {"assignmentId": query.get("assignmentId", ""), "turkSubmitTo": query.get("turkSubmitTo", "")}
        genuine = MTURK.fullmatch(back["turkSubmitTo"]) and NAME.fullmatch(back["assignmentId"])
        return "mturk", name, back if genuine else {}
    if name := query.get(project.platform.id_parameter):
        return "url", name, {}
    return None


def signed(query: Any, study: OpenProject, name: str) -> bool:
    """Did the platform sign this id?"""
    platform = study.project.platform
    try:
        token = query.get(platform.token_parameter, "")
        return verified_id(token, study.keys.keys(), audience=platform.public_url) == name
    except Forged:
        return False


async def join(request: Request) -> Response:
    """GET /join/LINK: redirect to the person's own address."""
    study: OpenProject = request.app.state.study
    caller = request.client.host if request.client else ""
    if not study.entries.allows(caller, time.monotonic()):
        raise Refused(429, "busy")
    try:
        link: Link = unseal(study.secret, "link", request.path_params["link"], Link)
    except Forged:
        raise Refused(404, "no_link") from None
    query = request.query_params
    if link.name:
        visit = Visit(worker_hash(study.secret, "link", link.name), "link", link.panel)
    else:
        if query.get("assignmentId") == PREVIEW:
            return message(request, "preview")
        person = identity(query, study.project)
        if person is None or not NAME.fullmatch(clean(person[1])):
            raise Refused(400, "no_id")
        source, name, back = person
        if study.keys.known and not signed(query, study, name):
            raise Refused(403, "not_signed")
        group = study.groups.get(name, "")
        if study.groups and link.panel == "crowd" and group not in study.project.quotas.most:
            raise Refused(403, "not_wanted")
        visit = Visit(worker_hash(study.secret, source, name), source, link.panel, back, group)
    root = request.scope.get("root_path", "")
    return RedirectResponse(f"{root}/v/{seal(study.secret, 'visit', visit)}", status_code=303)
