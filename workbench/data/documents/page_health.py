"""Whether a page's text layer gives its words: a PDF file may show one thing and state another.

Each check returns a sentence's worth of fault: what is wrong, by counting what cannot occur in text as people write it.
benchmarks/documents breaks texts in these ways and counts what is noticed; the shares are set between both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import regex

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
