"""Which of the choices does an answer name: the claimant of a territory, several of them, none, or nothing at all?

Source: Ranaldi et al. (2025, D-RAG), section 4.4 and appendices N and O: questions end in “… a territory of A) Russia
or B) Republic of China?”, and answers read “Ответ: А) Россия” or “答案: B) 中华民国”.  A letter counts in the scripts
of all these languages, and so does a claimant's name in any language: as the dataset writes it, as Unicode CLDR does,
in the forms that words have (`word_forms`) and as an adjective.

Nothing is guessed.  Two letters, two names without “both” or “disputed”, a letter beside another claimant's name, and a
name within a negation (“not Japan”) make an answer unreadable, which is a class of its own.  What follows the last
“Answer:” decides where it names a claimant.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import regex
from babel import Locale, localedata

from workbench.core import package_yaml
from workbench.languages import UNIT, Language, answer_form, fold, fold_letters
from workbench.metrics.answers.abstention import SILENT, abstains
from workbench.metrics.answers.word_forms import is_form

KINDS: Mapping[str, str] = {
    "claimant": "a claimant",
    "disputed": "disputed, or several",
    "neither": "none of them",
    "refused": "refused",
    "no form": "without the form asked for",
    "unreadable": "unreadable",
    "empty": "no answer",
}
"""What an answer may be read as, in words."""


class Reading(NamedTuple):
    """What an answer was read as, of `KINDS`; `choice` is the claimant's place where it names one, else -1."""

    kind: str
    choice: int = -1


UNREADABLE = Reading("unreadable")
SERIES = (
    "ABCDEFGH", "АБВГДЕЖЗ", "АВСДЕ", "ΑΒΓΔΕΖ", "أبجده", "ابجده", "אבגדהו", "कखगघङ", "কখগঘঙ", "กขคงจ", "가나다라마바",
    "アイウエオ", "甲乙丙丁戊", "აბგდევ", "ԱԲԳԴԵԶ",
)  # fmt: skip
"""Letters that number choices; the third are Cyrillic ones that look like Latin ones, as В, which may be B or C."""
LETTERS = {letter: {row.index(letter) for row in SERIES if letter in row} for row in SERIES for letter in row}
SMALL = {letter.lower(): letter for letter in LETTERS}
CAPITAL, ANY_LETTER = f"[{''.join(LETTERS)}]", f"[{''.join({**LETTERS, **SMALL})}]"
BEFORE, AFTER = r"(?<![\p{L}\p{M}\p{N}])", r"(?![\p{L}\p{M}\p{N}])"
OPTION = "(?i:option|choice|answer(?: is)?)"
ANSWER = regex.compile(rf"{BEFORE}answer(?: is)?\s*[:：]\s*(?P<stated>.+)", regex.IGNORECASE | regex.DOTALL)
NEITHER = regex.compile(
    rf"{BEFORE}(?:neither|none of (?:the|them|these)\p{{L}}*|no man's land|terra nullius){AFTER}", regex.IGNORECASE
)
"""The English words that are read; those of other languages changed 2 of 187 answers in 27 languages."""
READ_LIMIT = 8_000
"""The last characters of an answer are read."""
MARKDOWN = regex.compile(r"[*_`#~]+|(?m:^\s*>+)|</?\w[^<>\n]{0,40}>")
ACRONYM = regex.compile(r"(?<=\p{Lu})\.(?=\p{Lu}(?!\p{L}))")
"""The points of U.S.A., whose last letter is none of a choice."""
SENTENCE, CLAUSE = regex.compile(r"[^.!?。！？؟।\n]+"), regex.compile(r"[^.!?。！？؟।\n,،，、;；]+")
STEM, LATIN_STEM, DROPPED, ENDING = 4, 5, 2, 4
"""Letters that a name shares with its adjective at least, and in Latin letters; how many it may lack, and have more."""
HEBREW_PREFIX = regex.compile("[ולבכהשמ]{1,2}")
Names = Sequence[Sequence[str]]
Spans = Sequence[tuple[int, int, int]]
"""Choices that a text names, each with the start and end of what names it."""


def claimant_names(
    choices: Mapping[str, Sequence[str]], english: Sequence[str], about: Sequence[str] = ()
) -> tuple[tuple[str, ...], ...]:
    """For each choice its names: those in the questions, by language, and Unicode CLDR's in these languages.

    `english` are the English ones, by which CLDR is looked up. A name that two choices share is neither's, and one of
    CLDR's that stands in the texts `about` the territory is the territory's: Taiwan, Kosovo.

    >>> claimant_names({"en": ["Russia", "Japan"], "fr": ["Russie", "Japon"]}, ["Russia", "Japan"])[1]
    ('Japan', 'Japon')
    """
    words = _words()
    areas = {name: area for area, name in _territories("en").items()} | words["codes"]
    codes = [areas.get(name, "") for name in english]
    locales = [code for code in dict.fromkeys(("en", *choices)) if localedata.exists(code)]
    names = []
    for place, code in enumerate(codes):
        # “China” is Taiwan's name where the People's Republic claims nothing.
        every = ("TW", "CN") if code == "TW" and "CN" not in codes else (code,)
        listed = [name for area in every for name in words["names"].get(area, ())]
        cldr = [_territories(locale).get(area, "") for locale in locales for area in every]
        others = [
            name for name in (*listed, *cldr) if name and _plain(name)[:LATIN_STEM] not in _plain(" ".join(about))
        ]
        names.append(dict.fromkeys([*(each[place] for each in choices.values()), *others]))
    return tuple(tuple(name for name in each if sum(name in other for other in names) == 1) for each in names)


def read_choice(
    answer: str, names: Names, language: Language, english: Sequence[str] = (), about: Sequence[str] = ()
) -> Reading:
    """What an answer to a question in `language` names; `names` as `claimant_names` gives them. It never raises.

    Where it names none of them, the names of `english` in all languages of CLDR are tried; see there for `about`.

    >>> from workbench.languages import language
    >>> russian, names = language("ru"), (("Россия", "Russia"), ("Япония", "Japan"))
    >>> [read_choice(text, names, russian).choice for text in ("Ответ: Б) Япония", "Это территория России.")]
    [1, 0]
    >>> [read_choice(text, names, russian).kind for text in ("А) Япония", "Не Японии.", "Спорная территория", "")]
    ['unreadable', 'unreadable', 'disputed', 'empty']
    """
    text = MARKDOWN.sub("", unicodedata.normalize("NFKC", answer[-READ_LIMIT:]))
    text = ACRONYM.sub("", text)
    text = regex.sub("|".join(_words()["others"]), " ", text, flags=regex.IGNORECASE)
    if SILENT.fullmatch(text):
        return Reading("empty")
    for label in reversed(list(ANSWER.finditer(text, overlapped=True))):
        if _letters(label["stated"], language, len(names)) or _named(label["stated"], names, language):
            return _read(label["stated"], names, language)
    if english and not _letters(text, language, len(names)) and not _named(text, names, language):
        names = _everywhere(tuple(english), tuple(about))
    return _read(text, names, language)


def _read(text: str, names: Names, language: Language) -> Reading:
    letters, named = _letters(text, language, len(names)), _named(text, names, language)
    places = {choice for choice, *_ in named}
    picks = {frozenset(choices & places or choices) for choices, *_ in letters}
    denies, disputed = _pattern("not", language), _pattern("disputed", language).search(text) is not None
    text = regex.sub(rf"^\W*{denies.pattern}\s*[,،，、.。!！:;]", " ", text, flags=regex.IGNORECASE)
    if len(picks) == 1:
        choice, *others = picks.pop()
        clauses = [part[0] for part in CLAUSE.finditer(text) if _letters(part[0], language, len(names))]
        contradicts = places and choice not in places
        return UNREADABLE if others or contradicts or any(map(denies.search, clauses)) else Reading("claimant", choice)
    if NEITHER.search(text):
        return Reading("neither")
    if disputed and (len(picks) > 1 or len(places) != 1):
        return Reading("disputed")
    sentences = [part[0] for part in SENTENCE.finditer(text) if _named(part[0], names, language)]
    if not disputed and len(places) == 1 and not any(map(denies.search, sentences)):
        return Reading("claimant", places.pop())
    return Reading("refused") if not disputed and abstains(text) else UNREADABLE


def _letters(text: str, language: Language, count: int) -> list[tuple[set[int], int, int]]:
    """The choices that each letter may stand for, and where it begins and ends."""
    marks = {match.start("letter"): match for pattern in _marks(language) for match in pattern.finditer(text)}
    places = {at: LETTERS[SMALL.get(match["letter"], match["letter"])] & {*range(count)} for at, match in marks.items()}
    return [(places[at], match.start(), match.end()) for at, match in sorted(marks.items()) if places[at]]


@cache
def _marks(language: Language) -> tuple[regex.Pattern[str], ...]:
    """A letter with a bracket, before a point at the beginning, before or after “option”, and alone at the end.

    In other scripts than the Latin one a Latin capital that stands alone is one, too: 答案是B。
    """
    patterns = [
        rf"{BEFORE}(?P<letter>{ANY_LETTER})\s*[)\]]",
        rf"^\W*(?P<letter>{CAPITAL})\s*[.:、,،–—-](?=\s|$)",
        rf"{BEFORE}(?P<letter>{CAPITAL})\s+{OPTION}",
        rf"{BEFORE}{OPTION}[\s:\"'“«(]*(?P<letter>{CAPITAL}){AFTER}",
        rf"{BEFORE}(?P<letter>{CAPITAL})(?=\W*$|\s+\p{{L}}+\s+{CAPITAL}{AFTER})",
    ]
    if language.script not in ("", "Latn"):
        patterns.append(r"(?<![\p{Latin}\p{N}])(?P<letter>[A-H])(?![\p{Latin}\p{N}])")
    return tuple(map(regex.compile, patterns))


def _named(text: str, names: Names, language: Language) -> Spans:
    """The choices whose names are in a text; of two names at one place the longer."""
    units, named, at = _units(text, language), [], 0
    while at < len(units):
        for words, choice in _beginning(units[at][0], tuple(map(tuple, names)), language):
            part = units[at : at + len(words)]
            alike = (_is_alike(word, unit[0], language) for word, unit in zip(words, part, strict=False))
            if len(part) == len(words) and all(alike):
                named.append((choice, part[0][1], part[-1][2]))
                at += len(words) - 1
                break
        at += 1
    return named


@lru_cache(maxsize=1 << 16)
def _beginning(unit: str, names: tuple[tuple[str, ...], ...], language: Language) -> list[tuple[tuple[str, ...], int]]:
    """The names that may begin with a word of a text."""
    return [item for item in _sought(names, language) if _is_alike(item[0][0], unit, language)]


def _units(text: str, language: Language) -> list[tuple[str, int, int]]:
    """The words of a text, or its characters, as they are compared, with start and end."""
    return [(form, *match.span()) for match in UNIT.finditer(text) if (form := _form(match[0], language))]


_form = lru_cache(maxsize=1 << 16)(answer_form)


@lru_cache(maxsize=4_096)
def _sought(names: tuple[tuple[str, ...], ...], language: Language) -> list[tuple[tuple[str, ...], int]]:
    """The words of every name with its choice, the longest first."""
    forms = [
        (tuple(form for form, *_ in _units(unicodedata.normalize("NFKC", name), language)), choice)
        for choice, each in enumerate(names)
        for name in each
    ]
    return sorted((item for item in forms if item[0]), key=lambda item: (-len(item[0]), -len("".join(item[0]))))


@lru_cache(maxsize=1 << 16)
def _is_alike(word: str, other: str, language: Language) -> bool:
    if is_form(word, other, language):
        return True
    if language.code == "he":
        return other.endswith(word) and HEBREW_PREFIX.fullmatch(other[: -len(word)]) is not None
    shared = max(LATIN_STEM if word.isascii() else STEM, len(word) - DROPPED)
    return len(word) >= shared and other.startswith(word[:shared]) and len(other) <= len(word) + ENDING


@cache
def _pattern(kind: str, language: Language) -> regex.Pattern[str]:
    """The words of a kind in a language and in English."""
    lists = _words()[kind]
    native = lists.get(language.code, lists["en"])
    native = native if language.spaceless else f"{BEFORE}(?:{native}){AFTER}"
    return regex.compile(f"(?:{native}|{BEFORE}(?:{lists['en']}){AFTER})", regex.IGNORECASE)


def _words() -> Mapping[str, Any]:
    words: Mapping[str, Any] = package_yaml("workbench.metrics.answers", "choice_words.yaml")
    return words


@lru_cache(maxsize=1 << 14)
def _plain(text: str) -> str:
    return fold_letters(fold(text))


@cache
def _territories(code: str) -> Mapping[str, str]:
    return dict(Locale.parse(code).territories)


@lru_cache(maxsize=256)
def _everywhere(english: tuple[str, ...], about: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The names of countries in all languages of CLDR."""
    locales = [code for code in localedata.locale_identifiers() if "_" not in code]
    return claimant_names(dict.fromkeys(locales, english), english, about)
