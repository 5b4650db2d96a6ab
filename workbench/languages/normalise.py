"""The one normaliser: texts that look the same become the same string.

NFKC, then full case-folding, then NFKC again (folding may leave a decomposable string). Marks are kept: they carry
vowels in Indic and Thai scripts. Invisible format characters (joiners, direction marks, soft hyphens) are dropped.
Letters that writers interchange are folded in `search_form` only, not in answers.
"""

from __future__ import annotations

import string
import unicodedata

import regex

from workbench.languages.language import Language

PUNCTUATION = regex.compile(r"[\p{P}\p{S}\p{C}]+")
# All ASCII but letters and digits is punctuation, a symbol or a control character.
ASCII_PUNCTUATION = str.maketrans(
    {code: " " for code in range(128) if chr(code) not in string.ascii_letters + string.digits}
)
FORMAT = regex.compile(r"\p{Cf}+")
FOREIGN_DIGIT = regex.compile(r"(?![0-9])\p{Nd}")

# Arabic and Hebrew vowel points and cantillation, Arabic tatweel: printed in school books, rarely typed.
POINTS = regex.compile(
    r"[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]+"
)
# A nasal before a consonant may be written out or as a dot (हिन्दी, हिंदी).
DEVANAGARI_NASAL = regex.compile(r"(?:[ङञणनम]्(?=[क-ह])|ँ)")

ALIKE = str.maketrans(
    {
        # Arabic alef with and without hamza or madda, alef maqsura, teh marbuta; Persian and Urdu forms.
        "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ئ": "ي", "ی": "ي", "ے": "ي", "ؤ": "و",
        "ة": "ه", "ۀ": "ه", "ۃ": "ه", "ہ": "ه", "ھ": "ه", "ک": "ك",
        # Hebrew final forms.
        "ך": "כ", "ם": "מ", "ן": "נ", "ף": "פ", "ץ": "צ",
        # Turkish dotless i, the dot that case-folding İ leaves, Russian yo, Devanagari nukta.
        "ı": "i", "\u0307": "", "ё": "е", "\u093c": "",
        # Greek accents move when a word is inflected.
        **{
            letter: unicodedata.normalize("NFD", letter)[0]
            for letter in map(chr, (*range(0x0370, 0x0400), *range(0x1F00, 0x2000)))
            if len(unicodedata.normalize("NFD", letter)) > 1
        },
    }
)  # fmt: skip


def fold(text: str) -> str:
    r"""Compatibility-composed, case-folded `text`; each run of white space becomes one space.

    >>> fold("Ｃａｆｅ\u0301  STRASSE") == fold("café straße")
    True
    """
    if text.isascii():
        folded = text.lower()
    else:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", FORMAT.sub("", text)).casefold())
    return " ".join(folded.split())


def search_form(text: str) -> str:
    """`text` as the lexical index sees it: folded, with letters that writers confuse made one.

    Arabic and Hebrew points go, alef, yeh and teh marbuta forms become one each, digits become ASCII, Greek loses its
    accents. Latin diacritics stay: they distinguish words in Vietnamese and elsewhere.

    >>> search_form("أَحْمَد") == search_form("احمد"), search_form("१९४७")
    (True, '1947')
    """
    folded = fold(text)
    if folded.isascii():
        return folded
    plain: str = POINTS.sub("", folded).translate(ALIKE)
    return DEVANAGARI_NASAL.sub("ं", FOREIGN_DIGIT.sub(_ascii_digit, plain))


def _ascii_digit(match: regex.Match[str]) -> str:
    # `regex` may know a newer Unicode than `unicodedata`: a digit that only one of them knows stays.
    value = unicodedata.decimal(match.group(), None)
    return match.group() if value is None else str(value)


def answer_form(text: str, language: Language) -> str:
    """A short answer as metrics compare it: folded, punctuation and symbols to spaces, the language's articles dropped.

    >>> from workbench.languages import language
    >>> answer_form("The “Eiffel” Tower!", language("en"))
    'eiffel tower'
    """
    if text.isascii():  # the same result, three times as fast: metrics spend most of their time here
        words = text.lower().translate(ASCII_PUNCTUATION).split()
    else:
        words = PUNCTUATION.sub(" ", fold(text)).split()
    articles = language.articles
    return " ".join([word for word in words if word not in articles] if articles else words)
