"""Screenshots of the screens: wide and narrow, light and dark, in four scripts."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from workbench.ui.ask.examples import EXAMPLES
from workbench.ui.ask.url import link

TALLEST = 2000
"""Pixels of a page that are shown."""

SETTINGS = "settings"
TALLEST_SETTINGS = 1300

SHOTS = (
    ("home-1280-light", "", 1280, "light"),
    ("ask-1280-light-en", "en", 1280, "light"),
    ("ask-1280-dark-ar", "ar", 1280, "dark"),
    ("ask-1280-light-zh", "zh", 1280, "light"),
    ("ask-390-light-th", "th", 390, "light"),
    ("ask-390-dark-ar", "ar", 390, "dark"),
    ("home-390-dark", "", 390, "dark"),
    ("settings-1280-light", SETTINGS, 1280, "light"),
)
"""Name of the file; the language of the example that is asked, or the page; width; theme."""


def take(browser: Browser, url: str, folder: Path) -> None:
    """Takes every screenshot into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, shown, width, scheme in SHOTS:
        settings = shown == SETTINGS
        example = next((item for item in EXAMPLES if item.language == shown), None)
        page = browser.new_page(
            viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
        )
        page.goto(f"{url}/{link(example.choice) if example else SETTINGS if settings else ''}")
        page.wait_for_selector(".wb-doc" if example else ".wb-component" if settings else ".js-plotly-plot .main-svg")
        # The page scrolls inside a container: the window is made as high as what it holds.
        height = page.evaluate("() => document.querySelector('.stMain').scrollHeight")
        page.set_viewport_size({"width": width, "height": min(int(height), TALLEST_SETTINGS if settings else TALLEST)})
        page.wait_for_timeout(800)
        file = folder / f"{name}.png"
        page.screenshot(path=file)
        page.close()
        _compress(file)


def _compress(file: Path) -> None:
    """128 colours are enough for a screen without photographs."""
    from PIL import Image

    with Image.open(file) as image:
        image.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
