"""What may answer a question in a sentence: the kind of value it asks for, and a text's names, dates and numbers.

The cues of a question's type are in `question_types.yaml`, by language. In a language without cues no question has a
type, and every value counts alike.

Dates and quantities count as one whole: “17th century”, “7 March 1876”, “the 1860s”, “21,196”. Names are recognised by
capitals, katakana, or the dot inside foreign names in Chinese; other names in scripts without capitals are not
recognised, unless the sentence is available in English. The word that opens a sentence is a name only if nothing shows
that it is an ordinary word, and a single German noun is never taken for a name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import regex
import yaml
from anyascii import anyascii

from workbench.languages import ENGLISH, KATAKANA, fold, language

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
    types = yaml.safe_load(
        files("workbench.pipeline.reader").joinpath("question_types.yaml").read_text(encoding="utf-8")
    )
    patterns = {
        kind: regex.compile("|".join(_pattern(str(cue), question_language) for cue in cues[question_language]))
        for kind, cues in types.items()
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
    r"(?<!\p{Nd})(?!(?<=\[)\p{Nd}{1,3}\])(?:\p{Nd}{1,3}(?:[ \u00A0\u202F]\p{Nd}{3})+(?!\p{Nd})|\p{Nd}+(?:[.,]\p{Nd}+)*)"
)
"""A number alone in square brackets is the mark of a citation, and none."""
NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
SMALL_NUMBER = regex.compile(r"\b(" + "|".join(NUMBER_WORDS[2:]) + r")\b")


def dates(text: str) -> tuple[str, ...]:
    """Centuries, days, months and years of `text`, in order.

    >>> dates("It opened in the 17th century, and again on 7 March 1876.")
    ('17th century', '7 March 1876')
    """
    return tuple(match.group() for match in DATE.finditer(text))


def quantities(text: str) -> tuple[str, ...]:
    """Numbers of `text` that are no part of a date, with the small ones that are written in English words.

    >>> quantities("In 1928 there were seven towns and 1,200 bakers.")
    ('1,200', '7')
    """
    rest = CALENDAR.sub(" ", text)
    small = (str(NUMBER_WORDS.index(word)) for word in SMALL_NUMBER.findall(rest.lower()))
    return (*NUMBER.findall(rest), *small)


def digits(text: str) -> frozenset[str]:
    """The numbers of `text` as digits.

    >>> sorted(digits("7 March 1876, 1 800 places.[12]"))
    ['1 800', '1876', '7']
    """
    return frozenset(NUMBER.findall(text))


CAPITALISED = r"(?:[ae]l-)?\p{Lu}[\p{L}\p{M}'’.-]*"
PARTICLES = r"(?:(?:de|da|di|du|del|della|dos|von|van|der|of|bin|ibn|la|le|and|y|e|und|et)\s){0,2}"
NAME = regex.compile(
    rf"(?<![\p{{L}}\p{{M}}\p{{N}}'’-]){CAPITALISED}(?:\s{PARTICLES}{CAPITALISED})*"
    rf"|[{KATAKANA}]{{2,}}(?:・[{KATAKANA}]+)*"
    r"|\p{Han}+(?:·\p{Han}+)+"
)
NAME_SEPARATOR = regex.compile(r"[\s・·]")
AND = frozenset({"and", "y", "e", "und", "et"})
SENTENCE_START = regex.compile(r"(?:^|[.!?:]\s)[\p{Pi}\"“]?$")
HYPHENATED_ADJECTIVE = regex.compile(r"[-‐]\p{Ll}")
LOCATIVES = frozenset(
    # Prepositions before places and times, and not before persons, in the languages with capitals.
    word
    for line in (
        "in at from near during since until through across within into outside inside around throughout",
        "en au aux dans depuis pendant im am aus bei nach seit während desde durante tras",
        "nel nella nei nelle dal dalla em no na nos nas após в во на из с",
    )
    for word in line.split()
)
MORE_LOCATIVES = LOCATIVES | {"of", "to", "on", "via", "between", "among"}
"""Prepositions that places share with persons, in English."""
LAST_WORDS = regex.compile(r"(?:(?P<second>[\p{L}\p{M}]+)\s+)?(?P<last>[\p{L}\p{M}]+)\s+[\p{Pi}\"“]?$")
SUBJECT_NEXT = regex.compile(r"^[^\s,]+(?:(?<=['’]s)\s|,|\s(?:is|was|has|had|did|may|wrote|\p{Ll}+ed)\b)")
"""What follows a single name that opens an English sentence, and rarely an ordinary noun or adjective."""
POSSESSIVE = regex.compile(r"['’]s$")
PLURAL_FAMILY = regex.compile(r"^\s(?:brothers|sisters|family)\b")
NATIONALITY = regex.compile(r"(?:ish|ese|ian|can|man|ench|utch)$")
LOWER_NEXT = regex.compile(r"^\s\p{Ll}")
KNOWN_PREPOSITIONS = frozenset({"en", "fr", "de", "es", "it", "pt", "ru"})
NOUNS_WITH_CAPITALS = frozenset({"de"})
LOWER_WORD = regex.compile(r"(?<![\p{L}\p{M}])\p{Ll}[\p{L}\p{M}]*")


@dataclass(frozen=True, slots=True)
class _Name:
    """A name, and what its neighbours allow it to be."""

    text: str
    may_be_place: bool
    may_be_person: bool


def candidate_names(
    text: str, question: str, kind: str, text_language: str = ENGLISH, ordinary: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Names and numbers of `text` that are not in the question and are of the kind that it asks for.

    Dates for `when`, numbers for `number`; for `who` names that may be persons, those of several words if there are
    any; for `where` names after a preposition of place; for another kind names, or numbers where there are
    none. `kind` is what `question_type` returns; `ordinary` are words that are known not to be names, in lower case.

    >>> candidate_names("In Russia, Popov showed it in 1895.", "Who showed it?", "who")
    ('Popov',)
    """
    in_question = folded_ascii(question)
    if kind == "when":
        candidates: Iterable[str] = dates(text)
    elif kind == "number":
        candidates = quantities(text)
    else:
        names = [name for name in _names(text, text_language, ordinary) if folded_ascii(name.text) not in in_question]
        candidates = _of_kind(names, kind) or (() if kind else (*dates(text), *quantities(text)))
    words = f" {' '.join(WORD.findall(fold(question)))} "
    return tuple(dict.fromkeys(item for item in candidates if f" {' '.join(WORD.findall(fold(item)))} " not in words))


def lower_words(texts: Iterable[str]) -> frozenset[str]:
    """The words that some text writes in lower case: a capital at the start of a sentence makes no name of them."""
    return frozenset(word for text in texts for word in LOWER_WORD.findall(text))


def _of_kind(names: list[_Name], kind: str) -> tuple[str, ...]:
    if kind == "who":
        names = [name for name in names if name.may_be_person]
        names = [name for name in names if NAME_SEPARATOR.search(name.text)] or names
    if kind == "where":
        names = [name for name in names if name.may_be_place]
    return tuple(name.text for name in names)


def _names(text: str, text_language: str, ordinary: frozenset[str]) -> list[_Name]:
    """Capitalised runs, without a word that is capitalised only because it opens the sentence."""
    names: list[_Name] = []
    for match in NAME.finditer(text):
        words, after = match.group().rstrip(".'’-").split(), text[match.end() :]
        before = LAST_WORDS.search(text[: match.start()])
        last, second = (before["last"].lower(), (before["second"] or "").lower()) if before else ("", "")
        if SENTENCE_START.search(text[: match.start()]):
            last = second = ""
            if words[0].lower() in ordinary or words[0].lower() in MORE_LOCATIVES:
                last, words = words[0].lower(), words[1:]
            elif len(words) == 1 and text_language == ENGLISH and not SUBJECT_NEXT.search(words[0] + after):
                continue
        if not words or HYPHENATED_ADJECTIVE.search(words[-1].removeprefix("al-").removeprefix("el-")):
            continue
        if len(words) == 1 and text_language in NOUNS_WITH_CAPITALS:
            continue
        has_article = last == "the"
        preposition = second if has_article else last
        may_be_place = preposition in (MORE_LOCATIVES if text_language == ENGLISH else LOCATIVES)
        is_adjective = len(words) == 1 and bool(NATIONALITY.search(words[0]) and LOWER_NEXT.search(after))
        may_be_person = not (
            preposition in LOCATIVES or (has_article and not PLURAL_FAMILY.search(after)) or is_adjective
        )
        may_be_place = (may_be_place or text_language not in KNOWN_PREPOSITIONS) and not is_adjective
        words[-1] = POSSESSIVE.sub("", words[-1])
        names.extend(_Name(part, may_be_place, may_be_person) for part in _without_and(words))
    return names


def _without_and(words: list[str]) -> list[str]:
    """The names in a run: two that “and” joins, or one where a surname is shared (Orville and Wilbur Wright)."""
    at = next((index for index, word in enumerate(words) if word in AND), 0)
    if not at or (at == 1 and len(words) > at + 2):
        return [" ".join(words)]
    return [" ".join(words[:at]), *_without_and(words[at + 1 :])]


def folded_ascii(text: str) -> str:
    """The form in which names are compared: folded ASCII letters."""
    return fold(anyascii(text))
