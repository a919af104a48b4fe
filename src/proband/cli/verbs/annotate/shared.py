"""Arguments that several steps share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

Project = Annotated[Path, Parameter(help="Folder of the project.")]
Host = Annotated[str, Parameter(metavar="ADDRESS", help="Address to listen on.")]
Port = Annotated[int, Parameter(metavar="N", validator=Number(gte=1, lte=65535), help="Port to listen on.")]
