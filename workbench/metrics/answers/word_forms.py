"""Whether a word of an answer is a word of a gold answer in another form: Поповым of Попов, Marconin of Marconi.

For scripts with spaces. Each language belongs to a class with a closed list of endings and the shortest stem that may
take them; in other languages words must be equal. Proper names decline by the same endings as their neighbours, which
is why a list does without a dictionary, and why it accepts the few words that are a name plus an ending by chance
(Marin, a surname, for Mari). Consonant gradation is handled where it is regular (Helsinki, Helsingissä; Turku, Turun).
Letters are compared without their marks, as `answer_form` leaves them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

import regex

from workbench.languages import Language

Endings = frozenset[str]

PLAIN_PLURAL = frozenset(("s", "es"))
PLURAL_STEM = 5
"""Letters from which a word takes a plural or genitive s in English and the like (not Bell, Bells)."""


def _endings(words: str) -> Endings:
    return frozenset(words.split())


def _english(word: str) -> Iterator[tuple[str, Endings]]:
    if len(word) >= PLURAL_STEM:
        yield word, PLAIN_PLURAL


def _italian(word: str) -> Iterator[tuple[str, Endings]]:
    # From six letters on, since Maria and Mario, or Maria and Marie, are names of their own.
    if len(word) >= 6 and word[-1] in "oea":
        yield word[:-1], _endings("e" if word[-1] == "a" else "i")


GERMAN_ADJECTIVES = ("isch", "lich", "ig", "sch")


def _german(word: str) -> Iterator[tuple[str, Endings]]:
    if len(word) >= (6 if word[-1] == "e" else 4):
        yield word, _endings("s es")
    if len(word) >= 6:
        yield word, _endings("e en er em es" if word.endswith(GERMAN_ADJECTIVES) else "e en n")


# Case endings by the end of the dictionary form; most specific first.
RUSSIAN: Mapping[str, tuple[int, Endings]] = {
    "ий": (2, _endings("ий его ого ему ому им ом ем ая яя ой ей ую юю ое ее ие ых их ыми ими ия ию ии ием")),
    "ый": (3, _endings("ый ого ому ым ом ая ой ую ое ые ых ыми")),
    "ой": (3, _endings("ой ого ому ым им ом ая ую ое ые ие ых их ыми ими")),
    "ая": (3, _endings("ая ой ую ою")),
    "яя": (3, _endings("яя ей юю ею")),
    "ое": (3, _endings("ое ого ому ым им ом")),
    "ые": (3, _endings("ые ых ым ыми")),
    "ие": (3, _endings("ие их им ими ия ию ием ии")),
    "ия": (2, _endings("ия ии ию ией ий иям иями иях")),
    "ец": (2, _endings("ец ца цу цом цем це цы цев цов цам цами цах")),
    "а": (2, _endings("а ы и е у ой ою ей ам ами ах")),
    "я": (2, _endings("я и е ю ей ею ям ями ях")),
    "о": (3, _endings("о а у ом е")),
    "е": (3, _endings("е я ю ем")),
    "ы": (3, _endings("ы ов ам ами ах")),
    "и": (3, _endings("и ей ов ам ами ах ям ями ях")),
    "ь": (2, _endings("ь я ю е и ем ью ей ям ями ях")),
    "й": (2, _endings("й я ю е ем и ев ям ями ях")),
    "": (3, _endings("а у ом ем ым е ы и ой ей ам ами ах ых ыми")),
}
"""How many letters must be left before the ending, and the endings."""
RUSSIAN_VOWELS = frozenset("аеёиоуыэюя")
FLEETING_WORD, FLEETING_STEM = 3, 3
"""The fewest letters of a word whose last vowel may be fleeting, and of what is left without it."""


def _russian(word: str) -> Iterator[tuple[str, Endings]]:
    ending = next(ending for ending in RUSSIAN if word.endswith(ending))
    shortest, endings = RUSSIAN[ending]
    stem = word[: len(word) - len(ending)]
    if len(stem) >= shortest:
        yield stem, endings
    # The vowel of the last syllable may be fleeting: Лев, Львом; Павел, Павла.
    if not ending and len(word) >= FLEETING_WORD and word[-2] in "ео" and word[-3] not in RUSSIAN_VOWELS:
        softened = "ь" if word[-3] == "л" else ""
        fleeting = f"{word[:-2]}{softened}{word[-1]}"
        if len(fleeting) >= FLEETING_STEM:
            yield fleeting, endings


POLISH_VOWEL = _endings("y i e ie o a u ou ej om ami ach am")
POLISH_CONSONANT = _endings("a u owi em om e ie y i ow ami ach ovi")


def _west_slavic(word: str) -> Iterator[tuple[str, Endings]]:
    if len(word) >= 4:
        is_vowel = word[-1] in "aeoy"
        yield (word[:-1], POLISH_VOWEL) if is_vowel else (word, POLISH_CONSONANT)


# Finnish: number and case, then a possessive suffix, then a clitic. Marks are folded: ä is a, ö is o.
FINNISH_CASE = (
    r"(?:n|a|ta|tta|ssa|sta|lla|lta|lle|na|ksi|tta|t|h[aeiou]n|[aeiou]n|seen|siin|"
    r"i(?:ssa|sta|lla|lta|lle|na|ksi|tta|n|a|ta|hin|den|en)|j(?:a|en)|"
    r"den|tten|ten)"
)
FINNISH_ENDING = regex.compile(rf"{FINNISH_CASE}?(?:nsa|ni|si|mme|nne)?(?:kin|kaan|han|ko|pa)?")
GRADATION = (
    ("kk", "k"), ("pp", "p"), ("tt", "t"), ("nk", "ng"), ("nt", "nn"), ("mp", "mm"), ("lt", "ll"), ("rt", "rr"),
    ("k", ""), ("p", "v"), ("t", "d"),
)  # fmt: skip
"""The strong consonants before a final vowel, and what they become in a closed syllable."""
FINNISH_STEM = 3


def _finnish_stems(word: str) -> Iterator[str]:
    yield word
    if word.endswith("nen"):
        yield word[:-3] + "se"
        yield word[:-3] + "s"
    elif word[-1] not in "aeiou":
        yield word + "i"
        if word.endswith("s"):
            yield from (word[:-1] + vowel for vowel in (word[-2:-1], "kse", "de"))
    elif word[-1] == "i":
        yield word[:-1] + "e"
    elif word[-1] == "e":
        yield word + "e"
    if word[-1] in "aeiou":
        body, vowel = word[:-1], word[-1]
        for strong, weak in GRADATION:
            if body.endswith(strong):
                weakened = body[: len(body) - len(strong)] + weak
                yield weakened + vowel
                if vowel == "i":
                    yield weakened + "e"
                break


def _is_finnish(word: str, answer: str) -> bool:
    return len(word) > FINNISH_STEM and any(
        answer.startswith(stem) and FINNISH_ENDING.fullmatch(answer, len(stem)) for stem in _finnish_stems(word)
    )


PARTICLE = (
    "이었습니다|였습니다|이었어요|였어요|이었고|이었다|인데|이죠|하고|이랑|입니다|이에요|이라고|이라는|에서는|에게서|으로서|으로써|이라|라고|라는|이다|였다|이며|이고|이자|"
    "에서|에게|으로|로서|로써|까지|부터|처럼|보다|마다|조차|밖에|한테|께서|이나|예요|이란|은|는|이|가|을|를|에|의|와|과|도|로|만|나|며|랑"
)
KOREAN_ENDING = regex.compile(rf"(?:특별시|광역시|시|항|섬)?(?:들)?(?:{PARTICLE}){{0,3}}")
SYLLABLE_ENDING = regex.compile("은|는|을|를|입니다|이다|이었다|이었습니다|였습니다|이에요|예요")
"""What may follow a word of one syllable: no particle that often begins or ends another word."""


def _is_korean(word: str, answer: str) -> bool:
    if not answer.startswith(word):
        return False
    ending = SYLLABLE_ENDING if len(word) == 1 else KOREAN_ENDING
    return bool(ending.fullmatch(answer, len(word)))


ARABIC_SCRIPT = ("ar", "fa", "ur")
ARABIC_PREFIX = regex.compile(r"[وف]?(?:[بك]?ال|لل|[بكل])|[وف]")
ARABIC_ENDINGS = _endings("ا ون ين ات هم ها")
ARABIC_STEM, SUFFIXED_STEM = 3, 4
ARTICLE = "ال"
NUMERALS = frozenset(["ثلاث", "اربع", "خمس", "سبع", "ثمان", "تسع"])
TENS = frozenset(("ون", "ين"))
"""What makes a tenfold of a numeral (اربع four, اربعون forty)."""


def _bare_arabic(word: str) -> str:
    return word[len(ARTICLE) :] if word.startswith(ARTICLE) and len(word) >= len(ARTICLE) + ARABIC_STEM else word


def _is_arabic(word: str, answer: str) -> bool:
    """With the article, a conjunction or a preposition before it, and a pronoun, accusative or plural after it."""
    bare = _bare_arabic(word)
    if len(bare) < ARABIC_STEM:
        return False
    at = answer.find(bare)
    while at >= 0:
        ending = answer[at + len(bare) :]
        is_ending = not ending or (
            len(bare) >= SUFFIXED_STEM and ending in ARABIC_ENDINGS and not (bare in NUMERALS and ending in TENS)
        )
        if is_ending and (not at or ARABIC_PREFIX.fullmatch(answer, 0, at)):
            return True
        at = answer.find(bare, at + 1)
    return False


HUNGARIAN = _endings(
    "t at et ot n on en ban ben ba be bol rol tol nak nek val vel hoz hez ra re ig ert kent ja je nal nel k ok ek ak"
)
TURKISH = _endings(
    "i u yi yu nin in un nun a e ya ye da de ta te dan den tan ten la le yla yle lar ler lari leri dir tir si"
)
BENGALI = _endings("র ের এর য় তে কে ে টি টা")
AGGLUTINATIVE_STEM = 4


def _suffixes(endings: Endings, stem: int = AGGLUTINATIVE_STEM) -> Callable[[str], Iterator[tuple[str, Endings]]]:
    def forms(word: str) -> Iterator[tuple[str, Endings]]:
        if len(word) >= stem:
            yield word, endings

    return forms


STEMS: Mapping[str, Callable[[str], Iterator[tuple[str, Endings]]]] = {
    **dict.fromkeys(("en", "fr", "es", "pt", "ca", "gl"), _english),
    "it": _italian,
    **dict.fromkeys(("de", "nl", "sv", "da", "no", "nb", "nn"), _german),
    **dict.fromkeys(("ru", "uk", "be", "bg", "sr", "mk"), _russian),
    **dict.fromkeys(("pl", "cs", "sk", "hr", "sl", "bs"), _west_slavic),
    "hu": _suffixes(HUNGARIAN),
    "tr": _suffixes(TURKISH),
    "az": _suffixes(TURKISH),
    "bn": _suffixes(BENGALI, 2),
}
"""By language, the stems of a word, each with the endings that it takes."""

MATCHES: Mapping[str, Callable[[str, str], bool]] = {
    **dict.fromkeys(("fi", "et"), _is_finnish),
    "ko": _is_korean,
    **dict.fromkeys(ARABIC_SCRIPT, _is_arabic),
}
"""By language, whether an answer's word is a form of a gold's word."""

DROPPED: Mapping[str, int] = {
    "fi": 4, "et": 4, "it": 1, **dict.fromkeys(("ru", "uk", "be", "bg", "sr", "mk"), 2),
    **dict.fromkeys(("pl", "cs", "sk", "hr", "sl", "bs"), 1),
}  # fmt: skip
"""By language, how many final letters of a word its forms may lack."""


@lru_cache(maxsize=1 << 16)
def _stems(word: str, code: str) -> tuple[tuple[str, Endings], ...]:
    return tuple(STEMS[code](word))


def keys(words: Sequence[str], language: Language) -> tuple[str, ...]:
    """For each of `words`, what every text with a form of it contains between words: it is faster to look for."""
    if language.code in ARABIC_SCRIPT:
        return tuple([_bare_arabic(word) for word in words])
    dropped = DROPPED.get(language.code)
    if not dropped:
        return tuple([f" {word}" for word in words])
    # Of a short Russian word only the first letter may be left (Лев, Льва).
    shortest = 1 if STEMS.get(language.code) is _russian else 2
    return tuple([f" {word[: max(shortest, len(word) - dropped)]}" for word in words])


# --- numbers --------------------------------------------------------------------------------------------------------

YEAR_DIGITS = 4
YEAR_ENDINGS = _endings("s er ern ers es e х е г го й м م年 م")
"""What is written onto a year: 1960s, 1960er, 1960х, 1960م."""
HANGUL_MULTIPLIERS = frozenset("십백천만억조")
HANGUL = regex.compile(r"\p{Hangul}+")


def _is_number(number: str, answer: str) -> bool:
    ending = answer[len(number) :]
    if not answer.startswith(number):
        return False
    if HANGUL.fullmatch(ending):
        return ending[0] not in HANGUL_MULTIPLIERS
    return len(number) == YEAR_DIGITS and ending in YEAR_ENDINGS


def is_form(word: str, answer: str, language: Language, *, is_name: bool = False) -> bool:
    """Whether a word of an answer is the gold's `word` or a form of it; `is_name` where it is a name or ends one.

    >>> from workbench.languages import language
    >>> is_form("попов", "поповым", language("ru")), is_form("art", "party", language("en"))
    (True, False)
    """
    if word == answer:
        return True
    if word[-1].isdigit():
        return _is_number(word, answer)
    if is_name and language.code == "ko" and answer.startswith(word):
        return KOREAN_ENDING.fullmatch(answer, len(word)) is not None
    matches = MATCHES.get(language.code)
    if matches:
        return matches(word, answer)
    if language.code not in STEMS:
        return False
    return any(answer.startswith(stem) and answer[len(stem) :] in ends for stem, ends in _stems(word, language.code))
