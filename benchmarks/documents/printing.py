"""The benchmark's texts as PDF files, printed by three programs: headless Chromium, LibreOffice and fpdf2."""

from __future__ import annotations

import html
import shutil
import subprocess
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import yaml

from benchmarks.screens.running import chromium
from workbench.languages.catalogue import language

TEXTS = Path(__file__).parent / "texts.yaml"
FONTS = {
    "en": "Noto Sans",
    "hi": "Noto Sans Devanagari", "bn": "Noto Sans Bengali", "pa": "Noto Sans Gurmukhi", "kn": "Noto Sans Kannada",
    "ta": "Noto Sans Tamil", "te": "Noto Sans Telugu", "ar": "Noto Naskh Arabic", "fa": "Noto Sans Arabic",
    "ur": "Noto Naskh Arabic", "he": "Noto Sans Hebrew", "th": "Noto Sans Thai", "zh": "Noto Sans CJK SC",
    "ja": "Noto Sans CJK JP",
}  # fmt: skip
UNSPACED = ("zh", "ja")
"""Languages whose sentences follow each other without a space."""
CALLIGRAPHIC = "Noto Nastaliq Urdu"
OFFICE_SECONDS = 180


@cache
def texts() -> Mapping[str, str]:
    """The eight sentences of each language, as one paragraph."""
    sentences = yaml.safe_load(TEXTS.read_text(encoding="utf-8"))
    return {code: ("" if code in UNSPACED else " ").join(text.split("\n")).strip() for code, text in sentences.items()}


def web_page(code: str, body: str = "", font: str = "", style: str = "") -> str:
    """A page with a text in the language's font and direction; `body` is markup in place of the text."""
    direction = language(code).direction
    content = body or f"<p>{html.escape(texts()[code])}</p>"
    return (
        f'<html lang="{code}" dir="{direction}"><head><meta charset="utf-8"><title>Text</title><style>'
        f"body, p {{ font-family: '{font or FONTS[code]}'; font-size: 14pt; {style} }}</style></head>"
        f'<body dir="{direction}">{content}</body></html>'
    )


def print_by_chromium(pages: Mapping[str, str], folder: Path) -> dict[str, Path]:
    """Prints pages of HTML; returns the files by name, none where Chromium or Playwright is missing."""
    path = chromium()
    if path is None or find_spec("playwright") is None:
        return {}
    # In a thread of its own: Playwright starts only once in a thread, and a test's browser may be open.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_print, path, pages, folder).result()


def _print(chromium_path: str, pages: Mapping[str, str], folder: Path) -> dict[str, Path]:
    from playwright.sync_api import sync_playwright

    files: dict[str, Path] = {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium_path, args=["--no-sandbox"])
        page = browser.new_page()
        for name, content in pages.items():
            page.set_content(content)
            files[name] = folder / f"{name}.pdf"
            page.pdf(path=str(files[name]))
        browser.close()
    return files


def print_by_libreoffice(pages: Mapping[str, str], folder: Path) -> dict[str, Path]:
    """Prints pages of HTML; returns the files by name, none where LibreOffice is missing."""
    if shutil.which("soffice") is None:
        return {}
    sources = [folder / f"{name}.html" for name in pages]
    for source, content in zip(sources, pages.values(), strict=True):
        source.write_text(content, encoding="utf-8")
    subprocess.run(
        [
            "soffice", "--headless", f"-env:UserInstallation=file://{folder}/profile", "--infilter=HTML (StarWriter)",
            "--convert-to", "pdf:writer_pdf_Export", "--outdir", str(folder), *map(str, sources),
        ],
        check=False, capture_output=True, timeout=OFFICE_SECONDS,
    )  # fmt: skip
    files = {name: folder / f"{name}.pdf" for name in pages}
    return {name: path for name, path in files.items() if path.is_file()}


def print_by_fpdf2(folder: Path) -> dict[str, Path]:
    """Prints the texts, without shaping; returns the files by language, without those whose font is not installed."""
    from fpdf import FPDF

    files: dict[str, Path] = {}
    for code, text in texts().items():
        font = _font_file(FONTS[code])
        if font is None:
            continue
        pdf = FPDF()
        pdf.add_page()
        try:
            pdf.add_font("text", fname=str(font))
            pdf.set_font("text", size=14)
            pdf.multi_cell(w=0, text=text, align="R" if language(code).direction == "rtl" else "L")
        except Exception as error:  # fonts that it cannot use
            print(f"fpdf2 cannot print {code}: {error}")
            continue
        files[code] = folder / f"{code}.pdf"
        pdf.output(str(files[code]))
    return files


PRINTERS: Mapping[str, Callable[[Path], dict[str, Path]]] = {
    "Chromium": lambda folder: print_by_chromium({code: web_page(code) for code in texts()}, folder),
    "LibreOffice": lambda folder: print_by_libreoffice({code: web_page(code) for code in texts()}, folder),
    "fpdf2": print_by_fpdf2,
}


def _font_file(family: str) -> Path | None:
    """The regular file of a font family, None where it is not installed or is a collection."""
    if shutil.which("fc-match") is None:
        return None
    result = subprocess.run(
        ["fc-match", "-f", "%{family}|%{file}", f"{family}:style=Regular"], capture_output=True, text=True, check=False
    )
    name, _, path = result.stdout.partition("|")
    return Path(path) if family in name and path.endswith((".ttf", ".otf")) else None
