"""The one normaliser: texts that look the same become the same string.

NFKC, then full case-folding, then NFKC again (folding may leave a decomposable string). Marks are kept: they carry
vowels in Indic and Thai scripts. Invisible format characters (joiners, direction marks, soft hyphens) are dropped.
Letters that people write one for the other are folded in `search_form` only, not in answers.
"""

from __future__ import annotations

import string
import unicodedata
from collections import Counter
from functools import lru_cache

import regex

from workbench.languages.language import Language

PUNCTUATION = regex.compile(r"[\p{P}\p{S}\p{C}]+")
# All ASCII but letters and digits is punctuation, a symbol or a control character.
ASCII_PUNCTUATION = str.maketrans(
    {code: " " for code in range(128) if chr(code) not in string.ascii_letters + string.digits}
)
FORMAT = regex.compile(r"\p{Cf}+")
LETTER = regex.compile(r"\p{L}")
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

SCRIPTS: tuple[tuple[str, regex.Pattern[str]], ...] = tuple(
    (code, regex.compile(rf"\p{{{name}}}"))
    for code, name in {
        "Latn": "Latin", "Cyrl": "Cyrillic", "Arab": "Arabic", "Hebr": "Hebrew", "Grek": "Greek", "Hani": "Han",
        "Kana": "Katakana", "Hira": "Hiragana", "Hang": "Hangul", "Thai": "Thai", "Deva": "Devanagari",
        "Beng": "Bengali", "Telu": "Telugu", "Guru": "Gurmukhi", "Knda": "Kannada", "Taml": "Tamil",
        "Khmr": "Khmer", "Laoo": "Lao", "Mymr": "Myanmar", "Tibt": "Tibetan",
    }.items()
)  # fmt: skip

SCRIPT_MEMBERS: dict[str, frozenset[str]] = {
    "Hans": frozenset({"Hani"}),
    "Jpan": frozenset({"Hani", "Hira", "Kana"}),
    "Kore": frozenset({"Hang", "Hani"}),
}


def fold(text: str) -> str:
    """Compatibility-composed, case-folded `text`; white space runs become one space.

    >>> fold("Ｃａｆｅ\\u0301  STRASSE") == fold("café straße")
    True
    """
    if text.isascii():
        folded = text.lower()
    else:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", FORMAT.sub("", text)).casefold())
    return " ".join(folded.split())


def search_form(text: str) -> str:
    """`text` as the lexical index sees it: folded, and letters that writers confuse made one.

    Arabic and Hebrew points go, alef, yeh and teh marbuta forms become one each, digits become ASCII, Greek loses its
    accents. Latin diacritics stay: they tell words apart in Vietnamese and elsewhere.

    >>> search_form("أَحْمَد") == search_form("احمد"), search_form("१९४७")
    (True, '1947')
    """
    folded = fold(text)
    if folded.isascii():
        return folded
    plain: str = POINTS.sub("", folded).translate(ALIKE)
    return DEVANAGARI_NASAL.sub("ं", FOREIGN_DIGIT.sub(_ascii_digit, plain))


def _ascii_digit(found: regex.Match[str]) -> str:
    # `regex` may know a newer Unicode than `unicodedata`: a digit that only one of them knows stays.
    value = unicodedata.decimal(found.group(), None)
    return found.group() if value is None else str(value)


def answer_form(text: str, language: Language) -> str:
    """A short answer as metrics compare it: folded, punctuation and symbols to spaces, the language's articles dropped.

    >>> from workbench.languages import language
    >>> answer_form("The “Eiffel” Tower!", language("en"))
    'eiffel tower'
    """
    if text.isascii():  # the same, three times as fast: metrics spend most of their time here
        words = text.lower().translate(ASCII_PUNCTUATION).split()
    else:
        words = PUNCTUATION.sub(" ", fold(text)).split()
    articles = language.articles
    return " ".join([word for word in words if word not in articles] if articles else words)


def script_shares(text: str) -> dict[str, float]:
    """The share of the text's letters in each script (ISO 15924 codes), largest first; {} without letters."""
    letters = LETTER.findall(text)
    counts = Counter(code for letter in letters for code in _letter_scripts(letter))
    order = {code: place for place, (code, _) in enumerate(SCRIPTS)}
    ordered = sorted(counts.items(), key=lambda item: (-item[1], order[item[0]]))
    return {code: count / len(letters) for code, count in ordered}


@lru_cache(maxsize=1 << 16)
def _letter_scripts(letter: str) -> tuple[str, ...]:
    return tuple(code for code, pattern in SCRIPTS if pattern.match(letter))


def script_of(text: str) -> str:
    """The script of most of the text's letters, "" without letters."""
    return next(iter(script_shares(text)), "")


def scripts_of_language(language: Language) -> frozenset[str]:
    """The letter scripts that the language is written in, as `script_shares` names them."""
    return SCRIPT_MEMBERS.get(language.script, frozenset({language.script}))
