"""The deployment guide: its files are read as their programs read them, and walked with real servers where they are
installed.

The container image is not built here (that needs a container engine): what it copies must exist, and what it starts
must be a command of ours."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import yaml

from proband_annotate.commands import commands

if TYPE_CHECKING:
    from annotate.tests.servers import Postgres, Process, free_port
    from annotate.tests.walking import Walk, all_kinds, nginx
else:
    from servers import Postgres, Process, free_port
    from walking import Walk, all_kinds, nginx

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "annotate" / "deploy"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def parsed(words: list[str]) -> Any:
    """Our own command with these words, read and not run; an unknown step or option ends it."""
    command, bound, *_ = commands().parse_args(words, exit_on_error=False, print_error=False)
    return command.__name__, bound.arguments


def instructions(path: Path) -> list[tuple[str, str]]:
    whole = re.sub(r"\\\n", " ", path.read_text())
    lines = [line for line in whole.splitlines() if line.strip() and not line.startswith("#")]
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in lines)]


def test_the_image_copies_what_exists_and_starts_a_command_of_ours() -> None:
    import json

    steps = instructions(DEPLOY / "Dockerfile")
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
    assert {name for name, _ in steps} <= known
    stages = {rest.split(" AS ")[1] for name, rest in steps if name == "FROM" and " AS " in rest}
    for name, rest in steps:
        words = rest.split()
        if name == "COPY" and words[0].startswith("--from="):
            assert words[0].removeprefix("--from=") in stages
        elif name == "COPY":
            assert all((ROOT / source).exists() for source in words[:-1]), rest
    # everything that the build of the wheel reads is copied
    copied = {w for name, rest in steps if name == "COPY" and not rest.startswith("--") for w in rest.split()[:-1]}
    built = {"pyproject.toml", "README.md", "LICENSE", "src"}
    assert built | {f"annotate/{name}" for name in built} == copied
    last = dict(steps)
    assert last["USER"] not in ("root", "0")
    assert json.loads(last["ENTRYPOINT"]) == ["proband", "annotate"]
    step, options = parsed(json.loads(last["CMD"]))
    assert (step, options["port"], options["proxy"]) == ("serve", 8000, True)
    assert last["EXPOSE"] == "8000"
    assert ":8000/health" in last["HEALTHCHECK"]
    assert str(options["project"]).startswith(tuple(json.loads(last["VOLUME"])))


def test_the_services_of_the_compose_file_fit_together() -> None:
    found = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services, volumes = found["services"], set(found["volumes"])
    used = {entry.partition(":")[0] for service in services.values() for entry in service.get("volumes", ())}
    assert {name for name in used if not name.startswith(".")} == volumes
    image = dict(instructions(DEPLOY / "Dockerfile"))
    for name, service in services.items():
        assert ("image" in service) != ("build" in service), name
        for other, wanted in service.get("depends_on", {}).items():
            checked = "healthcheck" in services[other] or ("build" in services[other] and "HEALTHCHECK" in image)
            assert wanted["condition"] == "service_healthy"
            assert checked, other
    app = services["app"]
    context = (DEPLOY / app["build"]["context"]).resolve()
    assert context == ROOT
    assert (context / app["build"]["dockerfile"]).is_file()
    address = app["environment"]["PROBAND_ANNOTATE_DATABASE"]
    given = services["database"]["environment"]
    assert re.match(rf"postgresql://{given['POSTGRES_USER']}:[^@/]+@database/{given['POSTGRES_DB']}$", address)
    site = (DEPLOY / "nginx.conf").read_text()
    assert "server app:8000;" in site
    mounted = {entry.split(":")[1]: DEPLOY / entry.split(":")[0] for entry in services["proxy"]["volumes"]}
    assert mounted["/etc/nginx/conf.d/default.conf"].resolve() == DEPLOY / "nginx.conf"
    assert all(path.startswith("/etc/nginx/certificates/") for path in re.findall(r"ssl_certificate\w* (\S+);", site))


@pytest.mark.parametrize("name", ["proband-annotate.service", "proband-annotate-backup.service"])
def test_units_of_systemd_start_commands_of_ours(name: str) -> None:
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / name)
    words = shlex.split(unit["Service"]["ExecStart"])
    assert words[0].endswith("/proband")
    assert words[1] == "annotate"
    step, options = parsed(words[2:])
    assert step in ("serve", "backup")
    assert str(options["project"]).startswith(f"/var/lib/{unit['Service']['StateDirectory'].partition('/')[0]}/")
    assert unit["Service"]["User"] != "root"
    if step == "backup":
        timer = configparser.ConfigParser(interpolation=None)
        timer.read(DEPLOY / name.replace(".service", ".timer"))
        assert timer["Timer"]["OnCalendar"]
    if shutil.which("systemd-analyze"):
        subprocess.run(["systemd-analyze", "verify", "--man=no", str(DEPLOY / name)], check=False, timeout=60)


# ---- with real servers -----------------------------------------------------------------------------------------------


class Proxy:
    """nginx with the guide's own site: other ports, a certificate made here, the server on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.plain, self.upstream = folder, free_port(), free_port(), free_port()
        self.certificate = folder / "fullchain.pem"
        words = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
        words += ["-addext", "subjectAltName=IP:127.0.0.1"]
        out = ["-keyout", str(folder / "privkey.pem"), "-out", str(self.certificate)]
        subprocess.run(["openssl", "req", "-x509", *words, *out], check=True, capture_output=True, timeout=60)

    def site(self) -> str:
        text = (DEPLOY / "nginx.conf").read_text()
        for before, after in (
            ("listen 443 ssl;", f"listen 127.0.0.1:{self.port} ssl;"),
            ("listen 80;", f"listen 127.0.0.1:{self.plain};"),
            ("server app:8000;", f"server 127.0.0.1:{self.upstream};"),
            ("/etc/nginx/certificates/", f"{self.folder}/"),
        ):
            assert before in text, before
            text = text.replace(before, after)
        return text

    def address(self, server: Process) -> str:
        server.port = self.upstream
        return f"https://127.0.0.1:{self.port}/study"


@pytest.fixture
def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    if NGINX is None or shutil.which("openssl") is None:
        pytest.skip("nginx or openssl is not installed (Debian: nginx)")
    folder = tmp_path / "nginx"
    folder.mkdir()
    made = Proxy(folder)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.certificate))
    with nginx(made.site(), folder):
        yield made


BUILT = ("write, review", "judge", "simplify", "solve")


@pytest.mark.nightly
@pytest.mark.slow
def test_the_guide_from_nothing_to_a_built_data_set_on_sqlite(tmp_path: Path) -> None:
    counts = all_kinds(Walk(tmp_path, database=str, address=None))
    assert set(counts) == set(BUILT)
    assert all(counts.values()), counts


@pytest.mark.nightly
def test_the_guide_from_nothing_to_a_built_data_set_on_postgresql_behind_nginx(
    tmp_path: Path, postgres: Postgres, proxy: Proxy
) -> None:
    counts = all_kinds(Walk(tmp_path, database=postgres.database, address=proxy.address))
    assert set(counts) == set(BUILT)
    assert all(counts.values()), counts


def test_behind_nginx_below_a_path(tmp_path: Path, proxy: Proxy, make_study: Callable[[str], Path]) -> None:
    """TLS from the front; the path; no metrics for outsiders; the owner's cookie; addresses in pages that lead back."""
    server = Process(tmp_path / "study")
    public = proxy.address(server)
    make_study(public)
    server.options = ["--proxy"]
    server.start()
    try:
        with httpx.Client(timeout=30) as client:
            assert client.get(f"http://127.0.0.1:{proxy.plain}/study/health").status_code == 301
            reply = client.get(f"{public}/health")
            assert (reply.status_code, reply.text) == (200, "ok")
            assert reply.headers["strict-transport-security"]
            assert client.get(f"{public}/metrics").status_code == 403
            assert client.get(f"http://127.0.0.1:{server.port}/metrics").status_code == 401
            login = client.get(f"{public}/owner", follow_redirects=True)
            assert str(login.url) == f"{public}/owner/login"
            assert f'action="{httpx.URL(public).path}/owner/login"' in login.text
            style = re.search(r'href="([^"]+page\.css)"', login.text)
            assert style is not None
            assert client.get(httpx.URL(public).join(style[1])).status_code == 200
    finally:
        server.stop()


@pytest.fixture
def make_study(tmp_path: Path) -> Callable[[str], Path]:
    from proband_annotate.create import init

    def make(public: str) -> Path:
        items = ROOT / "annotate" / "src" / "proband_annotate" / "samples" / "questionnaires.jsonl"
        settings = {"platform": {"public-url": public}, "texts": {"contact": "lab@example.org"}}
        init(tmp_path / "study", kind="judge", items=items, settings_given=settings)
        return tmp_path / "study"

    return make
