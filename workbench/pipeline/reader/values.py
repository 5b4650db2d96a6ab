"""What may answer a question in a sentence: the kind of value it asks for, and a text's names, dates and numbers.

The cues of a question's type are in `question_types.yaml`, by language. In a language without cues no question has a
type, and every value counts alike.

Dates and quantities count as one whole: “17th century”, “7 March 1876”, “the 1860s”, “21,196”. Names are recognised by
capitals, katakana, or the dot inside foreign names in Chinese; other names in scripts without capitals are not
recognised, unless the sentence is available in English. The word that opens a sentence is a name only if nothing shows
that it is an ordinary word, and a single German noun is never taken for a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

import regex
from anyascii import anyascii

from workbench.core import package_yaml
from workbench.languages import ENGLISH, KATAKANA, fold, language

if TYPE_CHECKING:
    from workbench.retrieval import LateInteraction

NOT = "not "
"""Before a type in the file: the words that rule it out."""
OPENING = r"[\p{P}\s]*"
"""What may stand before the first word of a question: ¿, a quotation mark."""
UP_TO_TWO_WORDS = r"(?: [^\s?？]+){0,2} "
THAI_SYLLABLE = r"(?<![เแโใไ])"
"""A vowel that is written before its consonant: what follows it is inside a syllable."""


@cache
def _cues(question_language: str) -> tuple[tuple[str, regex.Pattern[str], regex.Pattern[str] | None], ...]:
    """The types in order, each with its cues and the cues that rule it out."""
    patterns = {
        kind: regex.compile("|".join(_pattern(str(cue), question_language) for cue in cues[question_language]))
        for kind, cues in package_yaml("workbench.pipeline.reader", "question_types.yaml").items()
        if question_language in cues
    }
    return tuple(
        (kind, pattern, patterns.get(f"{NOT}{kind}")) for kind, pattern in patterns.items() if not kind.startswith(NOT)
    )


def _pattern(cue: str, question_language: str) -> str:
    words = regex.escape(fold(cue.removeprefix("^").removesuffix("*")))
    if language(question_language).spaceless:
        return THAI_SYLLABLE + words
    words = words.replace(regex.escape(" * "), UP_TO_TWO_WORDS)
    start = "^" + OPENING if cue.startswith("^") else r"(?<![\p{L}\p{M}])"
    has_open_end = cue.endswith("*") or language(question_language).enclitics
    return start + words + ("" if has_open_end else r"(?![\p{L}\p{M}])")


def question_type(question: str, question_language: str) -> str:
    """`when`, `number`, `who`, `where`, or "" where the question's words show none of them.

    >>> question_type("How many people live there?", "en"), question_type("谁发明了电话？", "zh")
    ('number', 'who')
    """
    folded = fold(question)
    return next(
        (
            kind
            for kind, pattern, exclusion in _cues(question_language)
            if pattern.search(folded) and not (exclusion and exclusion.search(folded))
        ),
        "",
    )


WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")

MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
CENTURY = (
    r"\p{Nd}{1,2}(?:st|nd|rd|th)[ -]centur(?:y|ies)(?: BCE?\b| CE\b| AD\b)?|\p{Nd}{1,2}\. Jahrhunderts?"
    r"|[IVX]+e siècle|siglo [IVX]+|século [IVX]+|secolo [IVX]+|[IVX]+ secolo|[IVXХ]+ век\p{L}*|[IVX]+ w\."
    r"|\p{Nd}{1,2}\s?(?:世紀|世纪|세기)|ศตวรรษที่ \p{Nd}{1,2}|القرن \p{L}+(?: عشر)?|\p{Nd}{3,4}-luvu\p{L}*"
)
DAY = (
    rf"\p{{Nd}}{{1,2}} {MONTH}(?: \p{{Nd}}{{3,4}})?|{MONTH} \p{{Nd}}{{1,2}}(?:, \p{{Nd}}{{4}})?(?!\p{{Nd}})"
    rf"|{MONTH} \p{{Nd}}{{4}}|\p{{Nd}}{{1,2}}\.? (?:de )?\p{{Ll}}{{3,12}} (?:de )?\p{{Nd}}{{4}}"
    r"|\p{Nd}{4}[年년](?: ?\p{Nd}{1,2}[月월](?: ?\p{Nd}{1,2}[日일])?)?|\p{Nd}{1,2}[月월] ?\p{Nd}{1,2}[日일]"
)
YEAR = r"(?<![\p{Nd}.,])\p{Nd}{3,4}(?:s\b)?(?![\p{Nd}%]|[.,]\p{Nd})(?: BCE?\b| CE\b| AD\b)?"
DATE = regex.compile(rf"{CENTURY}|{DAY}|{YEAR}")
CALENDAR = regex.compile(
    rf"{CENTURY}|{DAY}|\b\p{{Nd}}{{4}}s\b|(?:\b(?i:in|since|from|until|before|after|by|of|to)|{MONTH}) "
    r"(?:1\p{Nd}{3}|20\p{Nd}{2})(?![\p{Nd}]|[.,]\p{Nd})"
)
NUMBER = regex.compile(
    r"(?<!\p{Nd})(?!(?<=\[)\p{Nd}{1,3}\])"
    r"(?:\p{Nd}{1,3}(?:[ \u00A0\u202F]\p{Nd}{3})+(?!\p{Nd})|\p{Nd}+(?:[.,٫٬]\p{Nd}+)*)"
)
"""A number alone in square brackets is the mark of a citation, and none."""
SCALE = (
    r"(?:\s(?:hundred|thousand|mil\b|тысяч\p{L}*|ألف|آلاف|(?i:(?:m|b|tr)il(?:li?[oó]n|i[oó]n|h[ãõ]|joon|yon|(?:li|i|j|y)ar)\p{L}*)"
    r"|милли(?:он|ард)\p{L}*|млн|млрд|مليون|مليار\p{L}*|ملايين)|\s?(?:ล้าน|[百千万萬億亿兆]+|[백천만억조]+))?"
)
"""What makes a number a hundred times larger, or a million: without it the number would be another."""
QUANTITY = regex.compile(NUMBER.pattern + SCALE)
NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
SMALL_NUMBER = regex.compile(r"\b(" + "|".join(NUMBER_WORDS[2:]) + r")\b(" + SCALE + ")")


def dates(text: str) -> tuple[str, ...]:
    """Centuries, days, months and years of `text`, in order.

    >>> dates("It opened in the 17th century, and again on 7 March 1876.")
    ('17th century', '7 March 1876')
    """
    return tuple(match.group() for match in DATE.finditer(text))


def quantities(text: str) -> tuple[str, ...]:
    """Numbers of `text` that are no part of a date, with the small ones that are written in English words.

    >>> quantities("In 1928 there were seven towns, 1,200 bakers and eight billion loaves.")
    ('1,200', '7', '8 billion')
    """
    rest = CALENDAR.sub(" ", text)
    small = (f"{NUMBER_WORDS.index(word)}{scale}" for word, scale in SMALL_NUMBER.findall(rest.lower()))
    return (*QUANTITY.findall(rest), *small)


def digits(text: str) -> frozenset[str]:
    """The numbers of `text` as digits.

    >>> sorted(digits("7 March 1876, 1 800 places.[12]"))
    ['1 800', '1876', '7']
    """
    return frozenset(NUMBER.findall(text))


CAPITALISED = r"(?:[ae]l-)?\p{Lu}[\p{L}\p{M}'’.-]*"
PARTICLES = r"(?:(?:de|da|di|du|del|della|dos|von|van|der|of|bin|ibn|la|le)\s){0,2}"
NAME = regex.compile(
    rf"(?<![\p{{L}}\p{{M}}\p{{N}}'’-]){CAPITALISED}(?:\s{PARTICLES}{CAPITALISED})*"
    rf"|[{KATAKANA}]{{2,}}(?:・[{KATAKANA}]+)*"
    r"|\p{Han}+(?:·\p{Han}+)+"
)
NAME_SEPARATOR = regex.compile(r"[\s・·]")
SENTENCE_START = regex.compile(r"(?:^|[.!?:]\s)[\p{Pi}\"“]?$")
POSSESSIVE = regex.compile(r"['’]s$")
OPENING_WORD = regex.compile(r"(?:^|[.!?:]\s)[\p{Pi}\"“]?(\p{Lu}[\p{L}\p{M}]*)")
LOWER_WORD = regex.compile(r"(?<![\p{L}\p{M}])\p{Ll}[\p{L}\p{M}]*")
NOUNS_WITH_CAPITALS = frozenset({"de"})


def candidate_names(
    text: str, question: str, kind: str, text_language: str = ENGLISH, ordinary: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Names and numbers of `text` that are not in the question and are of the kind that it asks for.

    Dates for `when`, numbers for `number`; for `who` names, those of several words if there are any; for `where` names;
    for another kind names, or numbers where there are none. `kind` is what `question_type` returns; `ordinary` are
    words that are known not to be names, in lower case.

    >>> candidate_names("In Russia, Alexander Popov showed it in 1895.", "Who?", "who", ordinary=frozenset({"in"}))
    ('Alexander Popov',)
    """
    in_question = folded_ascii(question)
    if kind == "when":
        candidates: Iterable[str] = dates(text)
    elif kind == "number":
        candidates = quantities(text)
    else:
        names = [name for name in _names(text, text_language, ordinary) if folded_ascii(name) not in in_question]
        several = [name for name in names if NAME_SEPARATOR.search(name)] if kind == "who" else []
        candidates = several or names or (() if kind else (*dates(text), *quantities(text)))
    words = f" {' '.join(WORD.findall(fold(question)))} "
    return tuple(dict.fromkeys(item for item in candidates if f" {' '.join(WORD.findall(fold(item)))} " not in words))


def ordinary_words(texts: Sequence[str], meaning: LateInteraction | None) -> frozenset[str]:
    """In lower case, words of which a capital at the start of a sentence makes no name.

    Those that some text writes in lower case and, with `meaning`, those that other texts do.
    """
    lower = frozenset(word for text in texts for word in LOWER_WORD.findall(text))
    if meaning is None:
        return lower
    opening = {match[1] for text in texts for match in OPENING_WORD.finditer(text)}
    return lower | {word.lower() for word in opening if meaning.is_ordinary(word)}


def _names(text: str, text_language: str, ordinary: frozenset[str]) -> Iterator[str]:
    """Capitalised runs, without a word that is capitalised only because it opens the sentence."""
    for match in NAME.finditer(text):
        words = POSSESSIVE.sub("", match.group().rstrip(".'’-")).split()
        if SENTENCE_START.search(text[: match.start()]) and words[0].lower() in ordinary:
            words = words[1:]
        if len(words) > (text_language in NOUNS_WITH_CAPITALS):
            yield " ".join(words)


def folded_ascii(text: str) -> str:
    """The form in which names are compared: folded ASCII letters."""
    return fold(anyascii(text))


def answer_value(text: str, question: str, question_language: str, documents: Iterable[str] = ()) -> str:
    """The first name, date or number of `text` that is of the kind asked for and not in the question, "" for none.

    A word that `documents` write in lower case is not a name because it opens a sentence.

    >>> answer_value("The rice variety IR8 was released in 1966.", "In which year was IR8 released?", "en")
    '1966'
    """
    kind = question_type(question, question_language)
    ordinary = ordinary_words([question, text, *documents], None)
    return next(iter(candidate_names(text, question, kind, question_language, ordinary)), "")
