"""PDF files: the text of each page where its text layer gives it, and by its image where Tesseract is there.

Lines become paragraphs and headings, and words cut at a line's end are joined. Recognised words are taken from
Tesseract's table (TSV), in the order in which they are read; its text layer for PDF files has Arabic in the order in
which it is drawn.
"""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, reduce
from itertools import pairwise
from typing import Any, NamedTuple

import regex

from workbench.core import DataError, MissingError, WorkbenchError
from workbench.data.documents.isolated_reading import (
    DocumentStart,
    FileRequest,
    Kind,
    PageMark,
    Part,
    ReadingWarning,
    Section,
    pieces,
)
from workbench.data.documents.pdf.line_assembly import (
    SAME_LINE,
    Box,
    PageLine,
    is_dense,
    is_right_to_left,
    overlap,
)
from workbench.data.documents.pdf.pdf_pages import PageFault, PdfPage, PdfPages, open_pdf, page_fault
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
    for index, word in enumerate(table["text"]):
        confidence = float(table["conf"][index])
        if not word.strip() or confidence < LEAST_CONFIDENCE:
            continue
        confidences.append(confidence)
        left, top, width, tall = (table[name][index] * scale for name in ("left", "top", "width", "height"))
        key = (table["block_num"][index], table["par_num"][index], table["line_num"][index])
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


PARAGRAPH_PITCH = 1.45
"""The distance of two lines, by the usual one of the page, from which a paragraph ends."""
OTHER_HEIGHT = 0.15
"""The difference in height between two lines from which they are not of one paragraph."""
HEADING_HEIGHT = 1.15
HEADING_LIMIT = 200
SHORT_LINE = 0.8
"""A line that ends a sentence and is shorter than this share of the longest ends its paragraph."""
SENTENCE_END = regex.compile(r"[.!?…。！？।॥۔؟:]['\"”’»)\]]*$")
FULL_STOP = regex.compile(r"[.。।॥۔][\"'”’»)\]]*(?:\[\p{N}+\])*$")
LEAST_SENTENCE = 30
"""Characters from which a line that ends with a full stop is no heading, such as “1.2.” or “Acme Inc.”"""
BULLET = regex.compile(r"^(?:[•‣▪●○◦–—*-]\s|\(?\p{N}{1,3}[.)](?=[\s\p{L}^]))")
CUT_WORD = regex.compile(r"(?<=\p{Ll})[-\u00AD\u2010]$")
CUT_NAME, GOES_ON = regex.compile(r"\p{N}-$|(?:https?://|www\.)\S+[-_=&?%]$"), regex.compile(r"[\p{N}\p{Ll}%]")
"""A date or an address cut after a sign that is a part of it."""
LOWER = regex.compile(r"^\p{Ll}{2}")


class PageBlock(NamedTuple):
    """A paragraph, a heading, or the rows of a table."""

    text: str
    kind: Kind


def page_blocks(lines: Sequence[PageLine], usual_height: float) -> list[PageBlock]:
    """The paragraphs and headings of a page, given its lines in reading order and the file's usual height of one."""
    if not lines:
        return []
    pitches = [above.box[1] - below.box[1] for above, below in pairwise(lines)]
    usual = statistics.median([pitch for pitch in pitches if pitch > 0] or [0.0])
    longest = max((line.box[2] - line.box[0] for line in lines if not line.is_row), default=0.0)
    groups: list[tuple[Kind, list[PageLine]]] = []
    for line in lines:
        kind: Kind = "table" if line.is_row else "heading" if _is_heading(line, usual_height) else "text"
        goes_on = bool(groups) and groups[-1][0] == kind
        if goes_on and (line.is_row or not _ends(groups[-1][1][-1], line, usual, longest)):
            groups[-1][1].append(line)
        else:
            groups.append((kind, [line]))
    return [_block(kind, group) for kind, group in groups]


def _block(kind: Kind, lines: Sequence[PageLine]) -> PageBlock:
    if kind == "table":
        return PageBlock("\n".join(line.text for line in lines), kind)
    text = reduce(joined, (line.text for line in lines))
    if kind == "text" or _is_paragraph(text):
        return PageBlock(_with_bars(lines[0]) if len(lines) == 1 else text, "text")
    return PageBlock(text, kind)


def sections(blocks: Sequence[PageBlock], page: int, heading: str) -> Iterator[Section]:
    """The sections of a page; `heading` is the last one of the pages before."""
    waiting: list[str] = []
    for block in [*blocks, PageBlock("", "heading")]:
        if block.kind != "text":
            yield from (Section(piece, page, heading) for piece in pieces("\n\n".join(waiting)))
            waiting = []
            if block.kind == "table":
                # The title of a box beside an article is the article's.
                rows = block.text.removeprefix(f"{heading}\n")
                yield from (Section(piece, page, heading, "table") for piece in pieces(rows))
            elif block.text:
                heading = block.text
                yield Section(heading, page, heading, "heading")
        else:
            waiting.append(block.text)


def joined(text: str, line: str) -> str:
    """Two lines of a paragraph as one: a cut word is put together, and scripts without spaces get none.

    >>> joined("the muse-", "um opens"), joined("图书馆办了", "展览")
    ('the museum opens', '图书馆办了展览')
    """
    if CUT_NAME.search(text) and GOES_ON.match(line):
        return text + line
    if CUT_WORD.search(text) and LOWER.match(line):
        return text[:-1] + line
    if is_dense(text[-1:]) and is_dense(line[:1]):
        return text + line
    return f"{text} {line}"


EDGE = 0.13
"""The share of a page's height, at its head and at its foot, in which lines may repeat on other pages."""
EDGE_LINES = 4
IN_WORD = regex.compile(r"[\p{L}\p{M}]")
WIDE_GAP, FEWEST_BARS = 0.6, 3
"""The gap between two links, in heights of the line, and how many make a row of them."""
EDGE_GAP = 0.6
"""The white space, in heights of a line, that separates them from the text; the head of a table has less."""
PAGE_NUMBER = regex.compile(r"[\p{P}\p{S}\s]*\p{N}{1,4}(?:\s?/\s?\p{N}{1,4})?[\p{P}\p{S}\s]*")


def edge_groups(lines: Sequence[PageLine], height: float) -> tuple[list[list[int]], list[list[int]]]:
    """The places of lines at the head and at the foot of a page `height` points high, in groups that a gap ends."""
    upwards = sorted(range(len(lines)), key=lambda at: lines[at].box[3])
    head = _edge(lines, upwards[::-1], lambda box: height - box[3], height)
    taken = {at for group in head for at in group}
    feet = _edge(lines, [at for at in upwards if at not in taken], lambda box: box[1], height)
    return head, feet[::-1]


def edge_blocks(lines: Sequence[PageLine], usual_height: float, is_foot: bool) -> list[PageBlock]:
    """The lines at an edge, in one block where they stand beside each other; the foot of a page has no heading."""
    if all(overlap(lines[0].box, line.box) >= SAME_LINE for line in lines[1:]) and (len(lines) > 1 or is_foot):
        return [PageBlock(" ".join(line.text for line in lines), "text")]
    blocks = page_blocks(lines, usual_height)
    return [block._replace(kind="text") for block in blocks] if is_foot else blocks


def _with_bars(line: PageLine) -> str:
    """The text of a line with a bar in each wide gap, if there are several, as in a row of links."""
    text, bars = "", 0
    last: Box | None = None
    for sign, box in zip(line.text, line.boxes, strict=True):
        if sign.isspace():
            text += sign
            continue
        is_between = IN_WORD.match(sign) and IN_WORD.search(text.rstrip()[-1:])
        if last and is_between and max(box[0] - last[2], last[0] - box[2]) > WIDE_GAP * line.height:
            text, bars = f"{text.rstrip()} | ", bars + 1
        text += sign
        last = box
    return text if bars >= FEWEST_BARS else line.text


def _edge(
    lines: Sequence[PageLine], inwards: Sequence[int], distance: Callable[[Box], float], height: float
) -> list[list[int]]:
    """Those at the edge from which `distance` counts; a page's number needs no gap."""
    groups: list[list[int]] = []
    group: list[int] = []
    for count, at in enumerate(inwards[:EDGE_LINES], start=1):
        box = lines[at].box
        if distance(box) > EDGE * height:
            break
        group.append(at)
        next_line = distance(lines[inwards[count]].box) if count < len(inwards) else height
        is_number = len(group) == 1 and PAGE_NUMBER.fullmatch(lines[at].text)
        if next_line - distance(box) - (box[3] - box[1]) >= EDGE_GAP * lines[at].height or is_number:
            groups.append(sorted(group))
            group = []
    return groups


def _is_paragraph(text: str) -> bool:
    """Whether what stands in larger letters is a paragraph: long, or a sentence with its stop."""
    return len(text) > HEADING_LIMIT or (len(text) > LEAST_SENTENCE and FULL_STOP.search(text) is not None)


def _is_heading(line: PageLine, usual_height: float) -> bool:
    return line.height >= HEADING_HEIGHT * usual_height and len(line.text) <= HEADING_LIMIT


def _ends(before: PageLine, line: PageLine, usual: float, longest: float) -> bool:
    """Whether a paragraph ends with the line `before`."""
    pitch = before.box[1] - line.box[1]
    is_item = BULLET.match(line.text) is not None and not CUT_NAME.search(before.text)
    if pitch > PARAGRAPH_PITCH * usual or is_item:
        return True
    if abs(line.height - before.height) > OTHER_HEIGHT * max(line.height, before.height):
        # Lines in scripts of their own heights share a paragraph; a change of size alone does not.
        return is_right_to_left(line.text) == is_right_to_left(before.text) and pitch > usual
    is_short = before.box[2] - before.box[0] < SHORT_LINE * longest
    return is_short and SENTENCE_END.search(before.text) is not None


HEIGHTS = 2_000
"""The heights of lines from which the usual one of a file is computed."""


USUAL = 0.8
"""The share of a file's characters that are of the usual height or lower: small print is common, headings are not."""


def usual_height(heights: Sequence[tuple[float, int]]) -> float:
    """The height of the text that people read, given lines as (height, characters); 0 without lines."""
    rest = USUAL * sum(count for _, count in heights)
    for height, count in sorted(heights):
        rest -= count
        if rest <= 0:
            return height
    return 0.0


def read_pdf(request: FileRequest) -> Iterator[Part]:
    """Yields a PDF file's text page by page, with a warning for each page that its text layer does not give.

    Raises DataError for a damaged file, one with a password and one with too many pages.
    """
    with open_pdf(request) as pages:
        yield DocumentStart(request.name, pages.title, pages.language, len(pages))
        heading = ""
        heights: list[tuple[float, int]] = []
        missing = ""
        for number in range(request.first_page, len(pages) + 1):
            yield PageMark(number)
            try:
                page = pages.page(number)
            except DataError:
                raise
            except (RuntimeError, ValueError, IndexError):
                yield _warning(request, number, PageFault("damaged", "is damaged"))
                continue
            fault = page_fault(page.facts)
            lines = page.lines
            if _is_recognised(request, fault):
                missing = missing or missing_for(request.ocr.languages)
                if not missing:
                    yield PageMark(number, is_slow=True)
                    recognised, warning = _recognised(request, pages, page, fault)
                    lines = recognised or lines
                    yield warning
                    fault = None
            if fault:
                yield _warning(request, number, fault)
                if fault.kind == "scan":
                    continue
            heights += [(line.height, len(line.text)) for line in lines][: HEIGHTS - len(heights)]
            usual = usual_height(heights)
            heads, feet = edge_groups(lines, pages.size(number)[1])
            body = set(range(len(lines))).difference(*heads, *feet)
            for group in [*heads, sorted(body), *feet]:
                is_at_edge = group in heads or group in feet
                of_group = [lines[at] for at in group]
                blocks = (
                    edge_blocks(of_group, usual, feet[-1:] == [group]) if is_at_edge else page_blocks(of_group, usual)
                )
                for section in sections(blocks, number, heading):
                    heading = section.heading
                    yield replace(section, is_at_edge=is_at_edge)
        yield PageMark(0, is_slow=True)
        if missing:
            yield ReadingWarning(request.name, "ocr", missing)


def _is_recognised(request: FileRequest, fault: PageFault | None) -> bool:
    pages = request.ocr.pages
    return pages == "all" or (pages == "missing" and fault is not None and fault.is_lost)


def _recognised(
    request: FileRequest, pages: PdfPages, page: PdfPage, fault: PageFault | None
) -> tuple[list[PageLine], ReadingWarning]:
    """The lines as recognised from the page's image, none where that failed, and what to say about it."""
    try:
        image = pages.image(page.number, RESOLUTION)
        result = recognise(image, request.ocr.languages, pages.size(page.number)[1])
    except WorkbenchError as error:
        return [], ReadingWarning(request.name, "ocr", f"{request.name}, page {page.number}: {error}", page.number)
    reason = fault.message if fault else "was recognised as you chose"
    sure = "" if result.confidence >= SURE else f", with a confidence of only {result.confidence:.0f} %"
    message = f"{request.name}, page {page.number} {reason}: its text is what Tesseract recognised{sure}."
    return result.lines, ReadingWarning(request.name, "recognised", message, page.number)


def _warning(request: FileRequest, number: int, fault: PageFault) -> ReadingWarning:
    remedy = ": its text is missing" if fault.kind in ("scan", "damaged") else (
        ": its text may be wrong" if fault.is_lost else "")  # fmt: skip
    return ReadingWarning(request.name, fault.kind, f"{request.name}, page {number} {fault.message}{remedy}.", number)
