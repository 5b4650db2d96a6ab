"""Recognising a page from its image, by Tesseract where it is installed with the languages' data.

Words are taken from Tesseract's table (TSV), in the order in which they are read; its text layer for PDF files has
Arabic in the order in which it is drawn.
"""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from workbench.core import MissingError, WorkbenchError
from workbench.data.documents.pdf.page_geometry import Box, PageLine
from workbench.languages import language

RESOLUTION = 300
"""Dots per inch of the image that is recognised; Tesseract is trained on that."""
SECONDS = 120
"""The longest that one page may take."""
LEAST_CONFIDENCE = 30.0
"""Words below are noise: specks, lines and drawings."""
SURE = 65.0
"""The mean confidence below which a page is reported as doubtful."""
DATA_NAMES = {
    "ar": "ara", "bn": "ben", "de": "deu", "en": "eng", "es": "spa", "fa": "fas", "fi": "fin", "fr": "fra", "he": "heb",
    "hi": "hin", "it": "ita", "ja": "jpn", "kn": "kan", "ko": "kor", "pa": "pan", "pt": "por", "ru": "rus", "ta": "tam",
    "te": "tel", "th": "tha", "tr": "tur", "ur": "urd", "zh": "chi_sim", "ml": "mal", "mr": "mar", "gu": "guj",
    "or": "ori", "ne": "nep", "si": "sin", "vi": "vie", "id": "ind", "pl": "pol", "uk": "ukr", "el": "ell", "cs": "ces",
    "nl": "nld", "sv": "swe", "da": "dan", "no": "nor", "ro": "ron", "hu": "hun", "bg": "bul", "sr": "srp",
    "my": "mya", "km": "khm", "lo": "lao", "bo": "bod", "am": "amh", "sw": "swa", "ka": "kat", "hy": "hye",
}  # fmt: skip
"""Tesseract's names of its language data, by ISO 639 code."""
BY_SCRIPT = {
    "Arabic": ("ar", "fa", "ur"), "Bengali": ("bn",), "Cyrillic": ("ru", "uk", "bg", "sr"),
    "Devanagari": ("hi", "mr", "ne"),
    "Greek": ("el",), "Gujarati": ("gu",), "Gurmukhi": ("pa",), "Han": ("zh",), "Hangul": ("ko",), "Hebrew": ("he",),
    "Japanese": ("ja",), "Kannada": ("kn",), "Korean": ("ko",), "Latin": ("en", "fr", "de", "es", "fi"),
    "Malayalam": ("ml",),
    "Tamil": ("ta",), "Telugu": ("te",), "Thai": ("th",),
}  # fmt: skip
"""The languages that are tried for a script, as Tesseract's script detection names it."""


class RecognisedPage(NamedTuple):
    """The lines of a page as recognised, with the mean confidence of their words, in 0 to 100."""

    lines: list[PageLine]
    confidence: float


@cache
def installed_data() -> frozenset[str]:
    """The language data of the Tesseract on this machine; none where it is not installed."""
    if shutil.which("tesseract") is None:
        return frozenset()
    import pytesseract

    try:
        return frozenset(pytesseract.get_languages())
    except (pytesseract.TesseractError, OSError):
        return frozenset()


def missing_for(languages: Sequence[str]) -> str:
    """What is missing on this machine to recognise texts in `languages` (none: in any), "" where nothing is.

    It is a sentence that states what to install.
    """
    data = installed_data()
    if not data:
        return (
            "Recognising text in images needs Tesseract, which is not on this machine. Install it, for example: "
            f"apt-get install tesseract-ocr {' '.join(_packages(languages)) or 'tesseract-ocr-hin'}"
        )
    missing = [code for code in languages if DATA_NAMES.get(code, code) not in data]
    if not missing:
        return ""
    names = ", ".join(language(code).name for code in missing)
    packages = " ".join(_packages(missing))
    return f"Tesseract's data for {names} is not on this machine. Install it: apt-get install {packages}"


def recognise(image: Any, languages: Sequence[str], height: float) -> RecognisedPage:
    """Recognises a page's `image` (of PIL), `height` points high.

    `languages` are those of the page; none: those of the script that is seen.

    Raises MissingError where Tesseract or a language's data is not installed, WorkbenchError where it fails.
    """
    if missing := missing_for(languages):
        raise MissingError(missing)
    if languages:
        return _by(image, [DATA_NAMES.get(code, code) for code in languages], height)
    page = _by(image, _seen(image), height)
    if page.confidence < SURE:
        # The script was not seen rightly, as happens on pages with little text.
        page = max(page, _by(image, _surest(image, installed_data()), height), key=lambda page: page.confidence)
    return page


def _by(image: Any, names: Sequence[str], height: float) -> RecognisedPage:
    """The page as recognised by some language data. Raises WorkbenchError where Tesseract fails."""
    import pytesseract

    try:
        table = pytesseract.image_to_data(
            image, lang="+".join(names), timeout=SECONDS, output_type=pytesseract.Output.DICT
        )
    except (pytesseract.TesseractError, RuntimeError, OSError) as error:  # RuntimeError: its timeout
        raise WorkbenchError("Tesseract could not recognise the page.") from error
    return _page(table, height, height / image.height)


def _seen(image: Any) -> list[str]:
    """The names of installed language data for the script of the page, or else of the one that is read most surely."""
    import pytesseract

    data = installed_data()
    script = ""
    if "osd" in data:
        try:
            script = pytesseract.image_to_osd(image, output_type=pytesseract.Output.DICT, timeout=SECONDS)["script"]
        except (pytesseract.TesseractError, RuntimeError, OSError, KeyError):
            script = ""
    names = [DATA_NAMES[code] for code in BY_SCRIPT.get(script, ()) if DATA_NAMES[code] in data]
    return names or _surest(image, data)


def _surest(image: Any, data: frozenset[str]) -> list[str]:
    """The data, of one language per script, by which Tesseract reads a small image of the page most surely."""
    import pytesseract

    small = image.resize((image.width // 2, image.height // 2))
    scores: dict[str, float] = {}
    for codes in BY_SCRIPT.values():
        name = next((DATA_NAMES[code] for code in codes if DATA_NAMES[code] in data), "")
        if not name or name in scores:
            continue
        try:
            table = pytesseract.image_to_data(small, lang=name, timeout=SECONDS, output_type=pytesseract.Output.DICT)
        except (pytesseract.TesseractError, RuntimeError, OSError):
            continue
        words = zip(table["text"], table["conf"], strict=True)
        scores[name] = sum(len(word) * max(float(value) - LEAST_CONFIDENCE, 0.0) for word, value in words)
    return [max(scores, key=lambda name: scores[name])] if scores else sorted(data - {"osd"})[:1]


def _packages(languages: Sequence[str]) -> list[str]:
    return [f"tesseract-ocr-{DATA_NAMES.get(code, code).replace('_', '-')}" for code in languages]


def _page(table: dict[str, list[Any]], height: float, scale: float) -> RecognisedPage:
    rows: dict[tuple[int, int, int], list[tuple[str, Box]]] = {}
    confidences: list[float] = []
    for place, word in enumerate(table["text"]):
        confidence = float(table["conf"][place])
        if not word.strip() or confidence < LEAST_CONFIDENCE:
            continue
        confidences.append(confidence)
        left, top, width, tall = (table[name][place] * scale for name in ("left", "top", "width", "height"))
        key = (table["block_num"][place], table["par_num"][place], table["line_num"][place])
        rows.setdefault(key, []).append((word, (left, height - top - tall, left + width, height - top)))
    lines = [_line(words) for words in rows.values()]
    return RecognisedPage(lines, statistics.fmean(confidences) if confidences else 0.0)


def _line(words: Sequence[tuple[str, Box]]) -> PageLine:
    text, boxes = "", list[Box]()
    for word, box in words:
        if text:
            text += " "
            boxes.append(box)
        text += word
        boxes += [box] * len(word)
    around = (
        min(box[0] for box in boxes), min(box[1] for box in boxes),
        max(box[2] for box in boxes), max(box[3] for box in boxes),
    )  # fmt: skip
    return PageLine(text, tuple(boxes), around, around[3] - around[1])
