"""The one normaliser: texts that look the same become the same string.

NFKC, then full case-folding, then NFKC again (folding may leave a decomposable string). Marks are kept: they carry
vowels in Indic and Thai scripts. Invisible format characters (joiners, direction marks, soft hyphens) are dropped.

`search_form` and `answer_form` also fold spellings that writers interchange, so that an answer is not wrong for its
keyboard. `LETTER_FOLDS` are by letter: each maps letters of a folded text (`fold`) to others, "" for none.
`join_numbers` and `final_tones` work on texts, `stated_years` on Thai calendars. The metrics as published fold none of
these. Traditional Chinese becomes simplified letter by letter (OpenCC), so that a text and a question agree wherever
words begin (docs/decisions/0021-opencc.md).
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING

import regex

from workbench.languages.catalogue import Language

if TYPE_CHECKING:
    from opencc import OpenCC

POINTS = r"\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed"
"""Arabic and Hebrew vowel points and cantillation, Arabic tatweel: printed in school books, rarely typed."""

ARABIC: Mapping[str, str] = {
    # Alef with and without hamza or madda, alef maqsura, teh marbuta; Persian and Urdu forms.
    "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ئ": "ي", "ی": "ي", "ے": "ي", "ؤ": "و",
    "ة": "ه", "ۀ": "ه", "ۃ": "ه", "ہ": "ه", "ھ": "ه", "ک": "ك",
}  # fmt: skip
HEBREW: Mapping[str, str] = {"ך": "כ", "ם": "מ", "ן": "נ", "ף": "פ", "ץ": "צ"}
"""Final forms."""
GREEK: Mapping[str, str] = {
    letter: unicodedata.normalize("NFD", letter)[0]
    for letter in map(chr, (*range(0x0370, 0x0400), *range(0x1F00, 0x2000)))
    if len(unicodedata.normalize("NFD", letter)) > 1
}
"""Accents, which move when a word is inflected; folding has made the final sigma one with the others."""
DOTTED_I: Mapping[str, str] = {"ı": "i", "\u0307": ""}
"""Turkish dotless i, and the dot that case-folding İ leaves."""
YO: Mapping[str, str] = {"ё": "е"}
NUKTA: Mapping[str, str] = {"\u093c": ""}
"""The dot of Devanagari letters for foreign sounds."""
BARRED: Mapping[str, str] = {"ø": "o", "ł": "l", "đ": "d"}
"""Latin letters with a stroke, which have no decomposition."""

POINT = regex.compile(f"[{POINTS}]")
HAN = regex.compile(r"\p{Han}")
# A nasal before a consonant may be written out or as a dot (हिन्दी, हिंदी).
DEVANAGARI_NASAL = regex.compile(r"(?:[ङञणनम]्(?=[क-ह])|ँ)")


def _digits(letter: str) -> str:
    # `regex` may know a newer Unicode than `unicodedata`: a digit that only one of them knows stays.
    value = unicodedata.decimal(letter, None)
    return letter if value is None else str(value)


def _latin(letter: str) -> str:
    if "\u0300" <= letter <= "\u036f":
        return ""
    parts = unicodedata.normalize("NFD", letter)
    return parts[0] if len(parts) > 1 and parts[0].isascii() else BARRED.get(letter, letter)


@cache
def _chinese_converter() -> OpenCC:
    from opencc import OpenCC

    return OpenCC("t2s")


def _simplified(letter: str) -> str:
    if not HAN.match(letter):
        return letter
    converter = _chinese_converter()
    # Twice: of one letter (薴) the simplified form is a traditional form itself.
    return str(converter.convert(converter.convert(letter)))


LETTER_FOLDS: Mapping[str, Callable[[str], str]] = {
    "digits": _digits,
    "arabic": lambda letter: ARABIC.get(letter, letter),
    "points": lambda letter: "" if POINT.match(letter) else letter,
    "hebrew": lambda letter: HEBREW.get(letter, letter),
    "greek": lambda letter: GREEK.get(letter, letter),
    "dotted i": lambda letter: DOTTED_I.get(letter, letter),
    "yo": lambda letter: YO.get(letter, letter),
    "nukta": lambda letter: NUKTA.get(letter, letter),
    "chinese": _simplified,
    "latin": _latin,
}
"""Folds of single letters by name: digits of every script to ASCII, letters with and without their marks, and Han
letters in their simplified form.

`latin` also drops combining marks after letters of other scripts, such as Russian stress."""


class LetterTable(dict[int, str]):
    """A table for `str.translate` that is filled as letters are met.

    >>> "İ".casefold().translate(LetterTable(["dotted i"]))
    'i'
    """

    def __init__(self, names: list[str]) -> None:
        """`names` are those of `LETTER_FOLDS` to apply, in order."""
        super().__init__()
        self._folds = [LETTER_FOLDS[name] for name in names]

    def __missing__(self, code: int) -> str:
        """The letter after all folds, kept for the next time."""
        letter = chr(code)
        for fold in self._folds:
            letter = fold(letter) if letter else ""
        self[code] = letter
        return letter


SAME_LETTERS = LetterTable(list(LETTER_FOLDS))
SEARCH_LETTERS = LetterTable([name for name in LETTER_FOLDS if name != "latin"])
SAME_LETTERS_TONAL = LetterTable([name for name in LETTER_FOLDS if name not in ("latin", "dotted i")])
"""For Vietnamese, whose marks tell words apart."""


def fold_letters(folded: str, *, tonal: bool = False) -> str:
    """A folded text after all folds by letter; `tonal` keeps the marks of Latin letters.

    >>> fold_letters("أَحْمَد ١٩٤٥ королёв")
    'احمد 1945 королев'
    """
    plain = folded.translate(SAME_LETTERS_TONAL if tonal else SAME_LETTERS)
    return DEVANAGARI_NASAL.sub("ं", plain) if "्" in plain or "ँ" in plain else plain


# --- numbers --------------------------------------------------------------------------------------------------------

POINT_LETTER = "D"
"""Stands for a decimal point while punctuation is dropped: a capital cannot occur in a folded text."""

SEPARATORS = ".,'’٬٫"
GROUPED = regex.compile(
    rf"""(?<![0-9]|[0-9][{SEPARATORS}])
         (?:[1-9][0-9]{{0,2}}(?P<mark>[.,'’٬ ])[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*
           |[1-9][0-9]?(?:,[0-9]{{2}})+,[0-9]{{3}})
         (?:(?!(?P=mark))[.,٫](?P<part>[0-9]+))?
         (?![0-9]|[{SEPARATORS}][0-9])""",
    regex.VERBOSE,
)
DECIMAL = regex.compile(
    rf"(?<![0-9]|[0-9][{SEPARATORS}])(?P<units>[0-9]+)[.,٫](?P<part>[0-9]+)(?![0-9]|[{SEPARATORS}][0-9])"
)
DIGIT_GROUP = 3
LONGEST_UNITS = 3
NOT_DIGIT = regex.compile(r"[^0-9]")


def join_numbers(folded: str) -> str:
    """Numbers without separators of thousands, and with `POINT_LETTER` for the decimal point or comma.

    One separator before exactly three digits separates thousands, whichever it is: languages disagree, and both sides
    of a comparison are read alike (1.234 and 1,234 are 1234). Fewer or more digits after a single point or comma are a
    fraction, and so are those after 0. Everything else stays, such as dates (12.05.1945) and lists of years.

    >>> join_numbers("1 000 000"), join_numbers("2,500"), join_numbers("3,14"), join_numbers("12.05.1945")
    ('1000000', '2500', '3D14', '12.05.1945')
    """
    return DECIMAL.sub(_decimal, GROUPED.sub(_joined, folded))


def _joined(match: regex.Match[str]) -> str:
    number, text = match.group(), match.string
    if match["mark"] == " ":
        # 1 000 is a thousand, 4 1 000 5 a list.
        before, after = text[max(0, match.start() - 2) : match.start()], text[match.end() : match.end() + 2]
        if (before[-1:] == " " and before[:1].isdigit()) or (after[:1] == " " and after[1:].isdigit()):
            return str(number)
    part = match["part"] or ""
    units = NOT_DIGIT.sub("", number[: len(number) - len(part)])
    return units + _fraction(part)


def _decimal(match: regex.Match[str]) -> str:
    units, part = match["units"], match["part"]
    years = len(units) > LONGEST_UNITS and len(part) > DIGIT_GROUP
    return str(match.group()) if years else units + _fraction(part)


def _fraction(part: str) -> str:
    digits = part.rstrip("0")
    return POINT_LETTER + digits if digits else ""


# --- Vietnamese -----------------------------------------------------------------------------------------------------

TONES = frozenset("\u0300\u0301\u0303\u0309\u0323")


def final_tones(word: str) -> str:
    """A Vietnamese syllable with its tone after all letters: Hoà and Hòa are one.

    >>> final_tones("hoà") == final_tones("hòa") != final_tones("hoa")
    True
    """
    parts = unicodedata.normalize("NFD", word)
    tones = "".join(part for part in parts if part in TONES)
    return unicodedata.normalize("NFC", "".join(part for part in parts if part not in TONES)) + tones


# --- Thai years -----------------------------------------------------------------------------------------------------

BUDDHIST, GREGORIAN = "พ.ศ.", "ค.ศ."
ERA = 543
"""Years by which the Buddhist era of Thailand is ahead."""
STATED_YEAR = regex.compile(
    rf"(?P<era>{regex.escape(BUDDHIST)}|{regex.escape(GREGORIAN)}|พุทธศักราช|คริสต์ศักราช)"
    r"\s*(?P<year>\p{Nd}{4})(?!\p{Nd})"
)


def _both_years(match: regex.Match[str]) -> tuple[str, str]:
    """The year of a match in the Buddhist and in the Gregorian era."""
    year = int(match["year"])
    is_buddhist = match["era"] in (BUDDHIST, "พุทธศักราช")
    return (str(year), str(year - ERA)) if is_buddhist else (str(year + ERA), str(year))


def _year(match: regex.Match[str], era: int) -> str:
    return _both_years(match)[era]


def stated_years(text: str) -> tuple[str, ...]:
    """A Thai gold answer as it is; where it states the era of a year, with all in one era and with all in the other.

    >>> stated_years("พ.ศ. 2475"), stated_years("2475")
    (('2475', '1932'), ('2475',))
    """
    if not STATED_YEAR.search(text):
        return (text,)
    return tuple(str(STATED_YEAR.sub(partial(_year, era=era), text)) for era in (0, 1))


def with_both_years(text: str) -> str:
    """A Thai answer in which each year whose era is stated stands in both eras.

    >>> with_both_years("เมื่อ พ.ศ. 2475")
    'เมื่อ 2475 1932'
    """
    return str(STATED_YEAR.sub(lambda match: " ".join(_both_years(match)), text))


PUNCTUATION = regex.compile(r"[\p{P}\p{S}\p{C}]+")
# All ASCII but letters and digits is punctuation, a symbol or a control character.
ASCII_PUNCTUATION = str.maketrans(
    {code: " " for code in range(128) if chr(code) not in string.ascii_letters + string.digits}
)
FORMAT = regex.compile(r"\p{Cf}+")

# What an ASCII text is looked through by for numbers with separators: digits as 0, separators as comma or space.
SHAPES = bytes(
    ord("0") if chr(code).isdigit() else ord(",") if chr(code) in ".,'" else ord(" ") if chr(code).isspace() else code
    for code in range(256)
)
NUMBER_SHAPE = re.compile(rb"0(?:,0| 0|  )").search
"""Of the standard `re`, which finds the first character of a pattern ten times as fast."""
TONAL = frozenset(("vi",))
"""Languages whose marks on Latin letters tell words apart."""
KEPT = "\ua7f7"
"""Follows a word that is spelt like an article and is none; a letter that no language of ours has."""
NO_ARTICLE = regex.compile(r"(?<=[\p{Ll}\p{N}] )\p{Lu}(?=[.,;:!?)]| [\p{Ll}\p{N}])")
SINGLE = 1


def fold(text: str) -> str:
    r"""Compatibility-composed, case-folded `text`; ’ becomes the keyboard's ', each run of white space one space.

    >>> fold("Ｃａｆｅ\u0301  STRASSE") == fold("café straße")
    True
    """
    if text.isascii():
        folded = text.lower()
    else:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", FORMAT.sub("", text)).casefold())
        folded = folded.replace("’", "'")
    return " ".join(folded.split())


def search_form(text: str) -> str:
    """`text` as the lexical index sees it: folded, with letters that writers confuse made one.

    Arabic and Hebrew points go, alef, yeh and teh marbuta forms become one each, digits become ASCII, Greek loses its
    accents, Han letters are simplified. Latin diacritics stay: they distinguish words in Vietnamese and elsewhere.

    >>> search_form("أَحْمَد") == search_form("احمد"), search_form("१९४७"), search_form("臺灣")
    (True, '1947', '台湾')
    """
    folded = fold(text)
    if folded.isascii():
        return folded
    return str(DEVANAGARI_NASAL.sub("ं", folded.translate(SEARCH_LETTERS)))


@lru_cache(maxsize=64)
def _articles(articles: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Articles as a set, and those of a single letter as capitals within a sentence."""
    return frozenset(articles), tuple(f" {article.upper()}" for article in articles if len(article) == SINGLE)


def answer_form(text: str, language: Language) -> str:
    """A short answer as metrics compare it: folded, without punctuation and the language's articles.

    Punctuation and symbols separate words; numbers are whole, without separators of thousands (`join_numbers`);
    spellings that writers interchange are one (`folds.LETTER_FOLDS`). A single letter is an article only where another
    word follows it, and a capital within a sentence is none: Hepatitis A, vitamin A deficiency.

    >>> from workbench.languages import language
    >>> answer_form("The “Eiffel” Tower!", language("en")), answer_form("2,500.5 m, Hepatitis A", language("en"))
    ('eiffel tower', '2500.5 m hepatitis a')
    """
    articles, capitals = _articles(language.articles)
    for capital in capitals:
        if capital[-1] in text and capital in text:
            text = NO_ARTICLE.sub(rf"\g<0>{KEPT}", text)
            break
    if text.isascii():  # the same result, three times as fast: metrics spend most of their time here
        plain = text.lower()
        shape = plain.encode().translate(SHAPES)
        has_numbers = NUMBER_SHAPE(shape) is not None
        if has_numbers:
            plain = join_numbers(" ".join(plain.split()))
        words = plain.translate(ASCII_PUNCTUATION).split()
    else:
        has_numbers = True
        plain = fold_letters(fold(text), tonal=language.code in TONAL)
        words = PUNCTUATION.sub(" ", join_numbers(plain)).split()
        if language.code in TONAL:
            words = [final_tones(word) for word in words]
    if articles and words:
        last = words[-1] if len(words[-1]) == SINGLE and len(words) > 1 else ""
        words = [word for word in words if word not in articles]
        if last in articles:
            words.append(last)
    form = " ".join(words)
    return form.replace(KEPT, "").replace(POINT_LETTER, ".") if has_numbers else form
