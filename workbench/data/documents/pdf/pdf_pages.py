"""The pages of a PDF file one by one: by docling-parse their glyphs, by PDFium their image. No page is kept.

Both are C++ and read what strangers wrote: use them in a process of their own (`isolated_reading`).

A PDF file may show one thing and state another, so the text layer is checked. Each check returns a sentence's worth of
fault: what is wrong, by counting what cannot occur in text as people write it. benchmarks/documents breaks texts in
these ways and counts what is noticed; the shares are set between both.

Where a sentence stands on its page is drawn as boxes over the page's image. Letters and digits are compared, nothing
else: white space, hyphens at a line's end and marks of punctuation may differ between the page and the passage. Of a
sentence that goes on over a page's border, the part on this page is shown.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import regex

from workbench.core import UsageError
from workbench.data.documents.isolated_reading import FileRequest, ShownPage
from workbench.data.documents.pdf.line_assembly import Box, Glyph, PageLine, assemble
from workbench.languages import SPACELESS, has_broken_words

FEWEST_LETTERS = 40
"""Letters from which a page is judged by its letters."""

UNMAPPED = regex.compile(
    r"[\uFFFD\p{Co}]|(?![\t\n\r\u200B-\u200F\u202A-\u202E\u2060-\u2069\u00AD\uFEFF])\p{C}|\(cid ?:\d+\)|GLYPH<"
)
PRESENTATION = regex.compile(r"[\uFB1D-\uFDFF\uFE70-\uFEFC]")
LETTER = regex.compile(r"\p{L}")
INDIC = regex.compile(
    r"[\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}\p{Tamil}\p{Telugu}\p{Kannada}\p{Malayalam}\p{Sinhala}]"
)
VOWEL_SIGN = (
    r"[\u093E-\u094C\u09BE-\u09CC\u0A3E-\u0A4C\u0ABE-\u0ACC\u0B3E-\u0B4C"
    r"\u0BBE-\u0BCC\u0C3E-\u0C4C\u0CBE-\u0CCC\u0D3E-\u0D4C]"
)
VIRAMA = r"[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D]"
ILLEGAL_INDIC = regex.compile(
    rf"(?<![\p{{L}}\p{{M}}\u25CC\u200C\u200D]){VOWEL_SIGN}|(?<![\p{{L}}\p{{M}}\u25CC\u200C\u200D]){VIRAMA}"
    rf"|{VOWEL_SIGN}{VIRAMA}|{VIRAMA}{VOWEL_SIGN}|{VIRAMA}{VIRAMA}"
    rf"|([\u093F\u09BF\u0A3F\u0C3F\u0CBF\u0BBF\u09C7\u09C8\u0BC6-\u0BC8]){VOWEL_SIGN}(?<![\u09C7\u0BC6\u0BC7][\u09BE\u09D7\u0BBE\u0BD7])"
    rf"(?<![\u0CBF\u0CC6\u0CCA][\u0CD5\u0CD6\u0CC2])(?<!\u0C46\u0C56)"
)
THAI_ILLEGAL = regex.compile(
    r"[\u0E40-\u0E44](?=[\s\u0E30-\u0E3A\u0E40-\u0E44])|[\u0E48-\u0E4C]{2}|(?<![\u0E01-\u0E2E\u0E30-\u0E4E])[\u0E31\u0E34-\u0E3A\u0E47-\u0E4E]"
)
THAI = regex.compile(r"\p{Thai}")
LEGACY_FONT = regex.compile(
    r"(?i)kruti|devlys|chanakya|shusha|shivaji|preeti|kantipur|sutonny|bijoy|boishakhi|amrlipi|anmol|gurbani|asees|"
    r"baraha|nudi(?!t)|shree-?(?:dev|kan|tel|tam)|dvb?w?-?tt|bamini|vanavil|tscii|tab-|senthamil|hemalatha|anupama|"
    r"walkman|aps-dv|mfdev|akruti"
)
"""Fonts that draw Indic letters in place of Latin ones."""
NASTALIQ_FONT = regex.compile(r"(?i)nasta.?li|jameel.?noori|nafees|alvi.?nas|faiz.?lahori")
MOJIBAKE = regex.compile(r"[ÃÂÐÑØÙàá][\u0080-\u00BF\u0152-\u0178\u2013-\u203A\u20AC\u2122]|â€|à[¤¥¦§¨©ª«¬®¯°±²³´µ]")
LATIN_WORD = regex.compile(r"(?<![\p{L}\p{N}])\p{Latin}{4,}(?![\p{L}\p{N}])")
VOWEL = regex.compile(
    r"[aeiouyæøåäöüáéíóúàèìòùâêîôûãõıąęőűůýěàạảấầẩẫậăắằẳẵặẹẻẽếềểễệỉĩịọỏốồổỗộơớờởỡợụủũưứừửữựỳỵỷỹ]", regex.IGNORECASE
)
DOUBLED = regex.compile(r"(\p{L})\1")
SPACED_WORD = regex.compile(rf"[^\s{SPACELESS}]+")
RIGHT_TO_LEFT_WORD = regex.compile(r"[\p{Hebrew}\p{Arabic}]{3,}")
FINAL = regex.compile(r"[ךםןףץىةﺔﺓ]")


@dataclass(frozen=True, slots=True)
class PageFault:
    """What is wrong with a page's text layer: `kind` to count by, and the words for people.

    `is_lost`: its words are not in the text layer, so that only recognising the page's image can give them.
    """

    kind: str
    message: str
    is_lost: bool = True


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known of a page: its text in reading order, its fonts' names, and what else is on it.

    `stated` is the text as the file states it, glyph by glyph.
    """

    text: str
    fonts: Sequence[str] = ()
    has_image: bool = False
    glyphs_without_text: int = 0
    glyphs: int = 0
    stated: str = ""


def page_fault(page: PageFacts) -> PageFault | None:
    """The first fault of a page, None for a sound one; an empty page is sound."""
    return next((fault for check in CHECKS if (fault := check(page))), None)


def _scan(page: PageFacts) -> PageFault | None:
    if len(LETTER.findall(page.text)) > 3 or not page.has_image:
        return None
    return PageFault("scan", "is an image without text")


def _unmapped(page: PageFacts) -> PageFault | None:
    visible = sum(not sign.isspace() for sign in page.text)
    count = len(UNMAPPED.findall(page.text))
    if count > max(2, 0.02 * visible):
        return PageFault("unmapped", f"has {count:,} signs that stand for no letter")
    if page.glyphs_without_text > max(8, 0.08 * page.glyphs):
        return PageFault("unmapped", f"has {page.glyphs_without_text:,} glyphs without a text")
    return None


def _legacy_font(page: PageFacts) -> PageFault | None:
    font = next((name for name in page.fonts if LEGACY_FONT.search(name)), "")
    if not font or INDIC.search(page.text):
        return None
    return PageFault("font", "is in a font that draws other letters than the file states")


def _nastaliq(page: PageFacts) -> PageFault | None:
    """Nastaliq piles letters up; programs write them in pieces, and some of their texts do not come back."""
    if not any(NASTALIQ_FONT.search(name) for name in page.fonts) or len(LETTER.findall(page.text)) < FEWEST_LETTERS:
        return None
    return PageFault("font", "is in Nastaliq type, of which text layers lose letters")


def _mojibake(page: PageFacts) -> PageFault | None:
    count = len(MOJIBAKE.findall(page.text))
    if count <= max(3, 0.01 * len(page.text)):
        return None
    return PageFault("encoding", "has letters of a wrong encoding")


def _illegal_clusters(page: PageFacts) -> PageFault | None:
    for script, illegal in ((INDIC, ILLEGAL_INDIC), (THAI, THAI_ILLEGAL)):
        signs = len(script.findall(page.text))
        count = len(illegal.findall(page.text)) if signs >= FEWEST_LETTERS else 0
        if count > max(3, 0.008 * signs):
            return PageFault("clusters", f"has {count:,} signs that stand where no letter carries them")
    return None


def _broken_words(page: PageFacts) -> PageFault | None:
    return (
        PageFault("broken", "has words that are broken by spaces or stray signs")
        if has_broken_words(page.text)
        else None
    )


def _order(page: PageFacts) -> PageFault | None:
    """Letters that end words stand at their beginnings, and the article the wrong way round."""
    words = RIGHT_TO_LEFT_WORD.findall(page.text)
    if len(words) < 8:
        return None
    ends = sum(bool(FINAL.match(word[-1])) + (word[:2] == "ال") for word in words)
    starts = sum(bool(FINAL.match(word[0])) + (word[-2:] == "لا") for word in words)
    return PageFault("order", "has words whose letters run backwards") if starts > max(2, ends) else None


def _no_spaces(page: PageFacts) -> PageFault | None:
    words = SPACED_WORD.findall(page.text)
    letters = sum(map(len, words))
    long_letters = sum(len(word) for word in words if len(word) > 40 and "://" not in word)
    if letters < 2 * FEWEST_LETTERS or long_letters < 0.5 * letters:
        return None
    return PageFault("spaces", "has no spaces between its words")


def _doubled(page: PageFacts) -> PageFault | None:
    letters = len(LETTER.findall(page.text))
    if letters < FEWEST_LETTERS or 2 * len(DOUBLED.findall(page.text)) < 0.6 * letters:
        return None
    return PageFault("doubled", "has every letter twice")


def _no_vowels(page: PageFacts) -> PageFault | None:
    words = LATIN_WORD.findall(page.text)
    if len(words) < 20:
        return None
    without = sum(VOWEL.search(word) is None for word in words)
    return PageFault("letters", "has words that no language spells so") if without > 0.25 * len(words) else None


def _presentation_forms(page: PageFacts) -> PageFault | None:
    letters = len(LETTER.findall(page.text))
    if letters < FEWEST_LETTERS or len(PRESENTATION.findall(page.stated or page.text)) < 0.3 * letters:
        return None
    return PageFault("forms", "states shapes of letters, which were turned into letters", is_lost=False)


CHECKS: Sequence[Callable[[PageFacts], PageFault | None]] = (
    _scan, _unmapped, _legacy_font, _nastaliq, _mojibake, _doubled, _illegal_clusters, _broken_words, _order,
    _no_spaces, _no_vowels, _presentation_forms,
)  # fmt: skip
"""In the order in which they are reported: the surer ones first."""


PAGES_LIMIT = 20_000
GLYPHS_LIMIT = 200_000
"""Glyphs of one page; a page of small print has 10,000."""
BEGINNING = 1_024
"""Bytes within which a PDF file states that it is one."""
PIXELS_LIMIT = 40_000_000
"""Pixels of a page's image: A3 at 300 dots per inch has 17 million."""
SHAPES_LIMIT = 5_000
"""Lines and areas of one page; a drawing with more has no frames of text."""
FRAME, FRAME_WIDTH = 30.0, 0.6
"""The least side of a frame in points, and the share of the page's width from which it is no box beside the text."""
KEY = "file"
LEAST_WIDTH = 0.05
ROTATED = 3
"""How much longer the rise of a baseline is than its run where it counts as turned by a quarter."""
WRITTEN_BY_PROGRAMS = regex.compile(
    r"(?i)about:.*|untitled.*|microsoft (?:word|powerpoint|excel) - .*|.*\.(?:docx?|pptx?|xlsx?|html?|indd|tex|pdf)"
)
"""Titles in a file's properties that are not the document's."""


@dataclass(frozen=True)
class PdfPage:
    """One page: its glyphs, its fonts, whether it has images, and the frames drawn on it."""

    number: int
    glyphs: tuple[Glyph, ...]
    fonts: tuple[str, ...]
    has_image: bool
    frames: tuple[Box, ...] = ()

    @cached_property
    def lines(self) -> list[PageLine]:
        """The lines in reading order."""
        return assemble(self.glyphs, self.frames)

    @property
    def facts(self) -> PageFacts:
        """What the page's health is judged by."""
        raw = "\n".join(line.text for line in self.lines)
        forms = "".join(glyph.text for glyph in self.glyphs) if self.glyphs else ""
        without = sum(not glyph.text or glyph.text == "\0" for glyph in self.glyphs)
        return PageFacts(raw, self.fonts, self.has_image, without, len(self.glyphs), forms)


class PdfPages:
    """An opened PDF file. `title` and `language` are what it states about itself."""

    def __init__(self, request: FileRequest, pdfium: Any, parser: Any) -> None:
        self._request = request
        self._pdfium = pdfium
        self._parser = parser
        title = " ".join(str(pdfium.get_metadata_dict().get("Title") or "").split())[:300]
        self.title = "" if WRITTEN_BY_PROGRAMS.fullmatch(title) else title
        self.language = _language(parser)

    def __len__(self) -> int:
        """The number of pages."""
        return len(self._pdfium)

    def page(self, number: int) -> PdfPage:
        """The page with a number, from 1.

        Raises DataError for one with too many glyphs, RuntimeError for a damaged one.
        """
        from docling_parse.pdf_parsers import DecodePageConfig

        config = DecodePageConfig()
        config.create_word_cells = config.create_line_cells = config.extract_bitmap_pixels = False
        config.do_sanitization = False
        decoder = self._parser.get_page_decoder(key=KEY, page=number - 1, config=config)
        try:
            cells = decoder.get_char_cells()
            if len(cells) > GLYPHS_LIMIT:
                raise self._request.error(f"has more than {GLYPHS_LIMIT:,} letters on page {number}")
            glyphs = tuple(_glyph(cell) for cell in cells)
            fonts = tuple({cell.font_name: None for cell in cells})
            return PdfPage(number, glyphs, fonts, len(decoder.get_page_images()) > 0, self._frames(decoder, number))
        finally:
            self._parser.unload_document_page(key=KEY, page=number - 1)

    def _frames(self, decoder: Any, number: int) -> tuple[Box, ...]:
        """What lines and areas that touch each other enclose, where that is a part of the page's width."""
        if len(decoder.get_page_shapes()) > SHAPES_LIMIT:
            return ()
        width, _ = self.size(number)
        boxes = (tuple(box) for box in decoder.get_connected_shape_bounding_boxes())
        return tuple(
            box
            for box in boxes
            if box[2] - box[0] < FRAME_WIDTH * width and min(box[2] - box[0], box[3] - box[1]) > FRAME
        )

    def image(self, number: int, resolution: int) -> Any:
        """The page as an image of PIL, `resolution` dots per inch, or fewer for a page of enormous size."""
        page = self._pdfium[number - 1]
        try:
            width, height = page.get_size()
            scale = min(resolution / 72, (PIXELS_LIMIT / max(width * height, 1.0)) ** 0.5)
            return page.render(scale=scale).to_pil()
        finally:
            page.close()

    def size(self, number: int) -> tuple[float, float]:
        """The width and height of a page in points, as it is shown."""
        width, height = self._pdfium.get_page_size(number - 1)
        return float(width), float(height)


@contextmanager
def open_pdf(request: FileRequest) -> Iterator[PdfPages]:
    """Opens a PDF file. Raises DataError for any other, for a damaged one, and for one with a password."""
    import pypdfium2
    from docling_parse.pdf_parsers import pdf_parser

    if not is_pdf(request.path):
        raise request.error("is not a PDF file, whatever its name")
    try:
        pdfium = pypdfium2.PdfDocument(request.path)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).casefold():
            raise request.error("has a password", "save it without one") from error
        raise request.error("is damaged, or is not a complete PDF file", "print it to PDF again") from error
    try:
        if len(pdfium) > PAGES_LIMIT:
            raise request.error(f"has {len(pdfium):,} pages, more than {PAGES_LIMIT:,}", "split it")
        parser = pdf_parser(level="fatal")
        try:
            is_open = parser.load_document(
                key=KEY, filename=str(request.path).encode(), password=None, keep_qpdf_warnings=False
            )
        except (RuntimeError, ValueError) as error:
            raise request.error(
                "is damaged, or uses a protection that cannot be read", "print it to PDF again"
            ) from error
        if not is_open:
            raise request.error("is damaged, or is not a complete PDF file", "print it to PDF again")
        yield PdfPages(request, pdfium, parser)
    finally:
        pdfium.close()


def is_pdf(path: Path) -> bool:
    """Whether a file states that it is a PDF file."""
    with path.open("rb") as file:
        return b"%PDF-" in file.read(BEGINNING)


def _glyph(cell: Any) -> Glyph:
    across = (cell.r_x0, cell.r_x1, cell.r_x2, cell.r_x3)
    along = (cell.r_y0, cell.r_y1, cell.r_y2, cell.r_y3)
    # Glyphs without a width show their rotation by the edge from the lower to the upper left corner; some fonts' boxes
    # stand upside down, so that edge alone would mislead.
    right, up = cell.r_x1 - cell.r_x0, cell.r_y1 - cell.r_y0
    if abs(right) + abs(up) < LEAST_WIDTH:
        right, up = cell.r_y3 - cell.r_y0, cell.r_x0 - cell.r_x3
    is_level = abs(up) <= ROTATED * abs(right)
    turn = (0 if right >= 0 else 2) if is_level else (1 if up > 0 else 3)
    return Glyph(cell.text, (min(across), min(along), max(across), max(along)), turn)


def _language(parser: Any) -> str:
    try:
        facts = parser.get_annotations(key=KEY) or {}
    except RuntimeError:
        return ""
    return str(facts.get("language") or "") if isinstance(facts, dict) else ""


RESOLUTION = 110
"""Dots per inch of a page's image on a screen."""
LEAST_PART = 12
"""The fewest letters of a sentence that count as its part on a page."""


def shown_page(request: FileRequest, number: int, sentence: str) -> ShownPage:
    """The image of a PDF file's page and the boxes of a sentence on it; none where it is not in the text layer.

    Raises DataError for a file that cannot be read, UsageError for a page that it does not have.
    """
    with open_pdf(request) as pages:
        if not 1 <= number <= len(pages):
            raise UsageError(f"{request.name} has no page {number}. Allowed: 1 to {len(pages):,}.")
        lines = pages.page(number).lines
        return ShownPage(_png(pages, number), _shares(sentence_boxes(lines, sentence), pages.size(number)))


def sentence_boxes(lines: Sequence[PageLine], sentence: str) -> list[Box]:
    """A box for each line that the sentence touches, in points; [] where the page does not have it."""
    page, places = "", list[tuple[int, Box]]()
    for number, line in enumerate(lines):
        for sign, box in zip(line.text, line.boxes, strict=True):
            for letter in _letters(sign):
                page += letter
                places.append((number, box))
    span = _span(page, _letters(sentence))
    by_line: dict[int, list[Box]] = {}
    for number, box in places[slice(*span)]:
        by_line.setdefault(number, []).append(box)
    return [_around(boxes, lines[number].box) for number, boxes in by_line.items()]


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _span(page: str, letters: str) -> tuple[int, int]:
    """Where `letters` are on the page; a part of them at its beginning or end where they cross its border."""
    position = page.find(letters) if letters else -1
    if position >= 0:
        return position, position + len(letters)
    for length in range(min(len(letters) - 1, len(page)), LEAST_PART - 1, -1):
        if page.endswith(letters[:length]):
            return len(page) - length, len(page)
        if page.startswith(letters[-length:]):
            return 0, length
    return 0, 0


def _around(boxes: Sequence[Box], line: Box) -> Box:
    """The box of some letters, as high as their line."""
    left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    low, high = min(box[1] for box in boxes), max(box[3] for box in boxes)
    is_level = line[2] - line[0] >= line[3] - line[1]
    return (left, min(low, line[1]), right, max(high, line[3])) if is_level else (left, low, right, high)


def _shares(boxes: Sequence[Box], size: tuple[float, float]) -> list[Box]:
    width, height = size
    return [
        (left / width, 1 - top / height, (right - left) / width, (top - bottom) / height)
        for left, bottom, right, top in boxes
    ]


def _png(pages: PdfPages, number: int) -> bytes:
    image = io.BytesIO()
    pages.image(number, RESOLUTION).save(image, "PNG")
    return image.getvalue()
