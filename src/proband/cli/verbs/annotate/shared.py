"""Arguments that several steps share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from proband.cli.arguments import COUNT

Project = Annotated[Path, Parameter(help="Folder of the project.")]
Host = Annotated[str, Parameter(metavar="ADDRESS", help="Address to listen on.")]
Port = Annotated[int, Parameter(metavar="N", validator=COUNT, help="Port to listen on.")]
