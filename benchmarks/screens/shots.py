"""Screenshots of the screens: wide and narrow, light and dark, in four scripts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser

from workbench.ui.ask.ask_state import link
from workbench.ui.ask.examples import EXAMPLES

FIGURE, DOCUMENTS, PICTURE, TITLE = ".js-plotly-plot .main-svg", ".wb-doc", ".wb-result", "h1"


@dataclass(frozen=True, slots=True)
class Shot:
    """One screenshot: `name` of the file, `address` of the page, `ready`, a selector that matches once it is complete.

    `width` and `tallest` (at most) in pixels; `fold` is the section that is opened first.
    """

    name: str
    address: str
    ready: str
    width: int
    dark: bool = False
    tallest: int = 2000
    fold: str = ""


def shots(experiment: str, search: str) -> tuple[Shot, ...]:
    """All of them. `experiment` is the id of the one that Runs and the Dashboard show, `search` that of Optimise's."""
    arabic = {"mode": "crossrag", "scope": "all", "language": "ar"}
    return (
        Shot("home-1280-light", "", PICTURE, 1280),
        Shot("home-390-dark", "", PICTURE, 390, dark=True),
        Shot("ask-1280-light-en", _question("en"), DOCUMENTS, 1280),
        Shot("ask-1280-dark-ar", _question("ar"), DOCUMENTS, 1280, dark=True),
        Shot("ask-1280-light-zh", _question("zh"), DOCUMENTS, 1280),
        Shot("ask-390-light-th", _question("th"), DOCUMENTS, 390),
        Shot("ask-390-dark-ar", _question("ar"), DOCUMENTS, 390, dark=True),
        Shot("runs-1280-light", f"runs?{urlencode({'experiment': experiment})}", TITLE, 1280, fold="New experiment"),
        Shot("optimise-1280-light", f"optimise?{urlencode({'search': search})}", TITLE, 1280),
        Shot("dashboard-1280-light", _dashboard(experiment, view="languages"), FIGURE, 1280),
        Shot("dashboard-390-dark", _dashboard(experiment), ".wb-standing", 390, dark=True),
        Shot(
            "instances-1280-light-ar",
            _dashboard(experiment, view="languages", mark=urlencode(arabic)),
            ".wb-run",
            1280,
            tallest=1300,
        ),
        Shot("settings-1280-light", "settings", TITLE, 1280, tallest=1300),
    )


def take(browser: Browser, url: str, folder: Path, experiment: str, search: str) -> None:
    """Takes every screenshot into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for shot in shots(experiment, search):
        page = browser.new_page(
            viewport={"width": shot.width, "height": 900}, color_scheme="dark" if shot.dark else "light"
        )
        page.goto(f"{url}/{shot.address}")
        page.wait_for_selector(shot.ready)
        if shot.fold:
            page.get_by_text(shot.fold, exact=True).click()
        page.wait_for_timeout(1500)
        # The page scrolls inside a container: the window is made as high as its content.
        height = page.evaluate("() => document.querySelector('.stMain').scrollHeight")
        page.set_viewport_size({"width": shot.width, "height": min(int(height), shot.tallest)})
        page.wait_for_timeout(800)
        file = folder / f"{shot.name}.png"
        page.screenshot(path=file)
        page.close()
        _compress(file)


def _question(code: str) -> str:
    return link(next(item for item in EXAMPLES if item.language == code).choice)


def _dashboard(experiment: str, **look: str) -> str:
    return f"dashboard?{urlencode({'experiment': experiment, **look})}"


def _compress(file: Path) -> None:
    """256 colours are enough for a screen without photographs."""
    from PIL import Image

    with Image.open(file) as image:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)
