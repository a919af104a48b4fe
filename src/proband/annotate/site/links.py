"""The addresses of a project: for its owner, for platforms, for single people."""

from __future__ import annotations

from proband.annotate.project import Project
from proband.annotate.texts import text
from proband.annotate.tokens import metrics_token, new_link, personal_name


def links(project: Project, secret: bytes, base: str) -> dict[str, str]:
    """What to paste where."""
    base = (project.platform.public_url or base).rstrip("/")
    join = f"{base}/join/{new_link(secret, 'crowd')}"
    prolific = "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    return {
        text("links.owner"): f"{base}/owner",
        text("links.prolific"): join + prolific,
        text("links.mturk"): join,
        text("links.other"): f"{join}?{project.platform.id_parameter}=ID",
        text("links.metrics"): f"{base}/metrics (Authorization: Bearer {metrics_token(secret)})",
    }


def personal_links(project: Project, secret: bytes, base: str, *, count: int, panel: str = "crowd") -> list[str]:
    """One link per person, for studies without a platform."""
    base = (project.platform.public_url or base).rstrip("/")
    return [f"{base}/join/{new_link(secret, panel, name=personal_name())}" for _ in range(count)]
