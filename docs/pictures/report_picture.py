"""The picture of a report in the README: `python report_picture.py REPORT_FOLDER PAGE OUT.png` (`make picture`)."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright


def main(folder: str, page: str, out: str) -> None:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        view = browser.new_page(viewport={"width": 1280, "height": 1180})
        view.goto((Path(folder).resolve() / page).as_uri())
        view.screenshot(path=out)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
