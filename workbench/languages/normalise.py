"""The one normaliser: texts that look the same become the same string.

NFKC, then full case-folding, then NFKC again (folding may leave a decomposable string). Marks are kept: they carry
vowels in Indic and Thai scripts. Invisible format characters (joiners, direction marks, soft hyphens) are dropped.
Letters that writers interchange are folded in `search_form` and `answer_form` (`folds`).
"""

from __future__ import annotations

import re
import string
import unicodedata
from functools import lru_cache

import regex

from workbench.languages.catalogue import Language
from workbench.languages.folds import (
    ARABIC,
    DEVANAGARI_NASAL,
    DOTTED_I,
    GREEK,
    HEBREW,
    LETTER_FOLDS,
    NUKTA,
    POINT_LETTER,
    POINTS,
    YO,
    final_tones,
    fold_letters,
    join_numbers,
)

PUNCTUATION = regex.compile(r"[\p{P}\p{S}\p{C}]+")
# All ASCII but letters and digits is punctuation, a symbol or a control character.
ASCII_PUNCTUATION = str.maketrans(
    {code: " " for code in range(128) if chr(code) not in string.ascii_letters + string.digits}
)
FORMAT = regex.compile(r"\p{Cf}+")
FOREIGN_DIGIT = regex.compile(r"(?![0-9])\p{Nd}")
POINTED = regex.compile(rf"[{POINTS}]+")
ALIKE = str.maketrans({**ARABIC, **HEBREW, **DOTTED_I, **YO, **NUKTA, **GREEK})

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
    accents. Latin diacritics stay: they distinguish words in Vietnamese and elsewhere.

    >>> search_form("أَحْمَد") == search_form("احمد"), search_form("१९४७")
    (True, '1947')
    """
    folded = fold(text)
    if folded.isascii():
        return folded
    plain: str = POINTED.sub("", folded).translate(ALIKE)
    return DEVANAGARI_NASAL.sub("ं", FOREIGN_DIGIT.sub(_ascii_digit, plain))


def _ascii_digit(match: regex.Match[str]) -> str:
    return LETTER_FOLDS["digits"](match.group())


@lru_cache(maxsize=64)
def _articles(articles: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Articles as a set, and those of a single letter as capitals within a sentence."""
    return frozenset(articles), tuple(f" {article.upper()}" for article in articles if len(article) == SINGLE)


def answer_form(text: str, language: Language) -> str:
    """A short answer as metrics compare it: folded, without punctuation and the language's articles.

    Punctuation and symbols separate words; numbers are whole, without separators of thousands (`folds.join_numbers`);
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
