"""Is a wrong answer right but for its surface: another form, another spelling, another script, another language?

Nothing is run and nothing is sent: the answer's text is compared with the golds, in the question's language and, where
the dataset has them, in others. The tests go from the nearest match to the farthest, and each is stricter than the eye:
they are evidence for a proposal, not a score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import regex
from anyascii import anyascii
from rapidfuzz.distance import Indel

from workbench.experiments import gold_spans
from workbench.languages import (
    ABJAD,
    ENGLISH,
    LETTER,
    SPACELESS,
    Language,
    answer_form,
    detect,
    is_known,
    language,
    script_of,
    script_shares,
)
from workbench.metrics import flexible_em

MatchKind = Literal["inflected-form", "transliterated-name", "code-switched", "wrong-language"]

STEM_SHARE = 0.6
"""The share of the shorter word that two forms of one word begin with, at least."""
LONGER_SHARE, LONGER_NAME_SHARE = 0.37, 0.5
"""The share of the longer of two forms that their common beginning is, at least: of other words, and of names."""
SHORTEST_WORD = 3
STEM_LETTERS, ENDING_LETTERS = 3, 6
"""The fewest letters of that beginning (two in a word of at most five), and the most that follow it."""
ALIKE, ALIKE_IN_SCRIPT = 0.62, 0.7
"""How alike two romanised names are at least, from 0 to 1: of different scripts, and of one."""
ALIKE_CONSONANTS, ALIKE_ABJAD = 0.8, 0.85
"""The same of their consonants alone; where one is in a script without vowels, nothing else can be compared."""
FEWEST_CONSONANTS, FEW_CONSONANTS = 3, 3
"""Consonants that a name needs to be compared, and up to which they must be the same."""
LONG_ENDING = 2
"""Letters by which one of two alike names may go on after the other."""
UNINFLECTED = frozenset(("en", "vi", "th", "zh", "ja"))
"""Languages whose names keep their form, but for what the metric accepts already."""
DERIVED: Mapping[str, tuple[str, ...]] = {
    "fi": ("nen", "lainen"),
    "ru": ("ский", "ская", "ович", "евич", "овна", "евна", "енко"),
}
"""By language, endings that make another name of a name, not another form of it; without marks."""
LONGEST = 6
"""Words of a name that is compared; a longer gold is no name."""
TEXT = 1_500
"""Characters of an answer that are compared."""
HALF = 0.5
OTHER_LETTERS = 0.15
"""The share of an answer's letters outside the match that make it a text around a name."""

WORD = regex.compile(rf"[{SPACELESS}][{SPACELESS}\p{{M}}]*|(?:(?![{SPACELESS}])[\p{{L}}\p{{M}}\p{{N}}])+")
SCRIPT_BORDER = regex.compile(r"(?<=\p{Latin})(?=(?!\p{Latin})\p{L})|(?<=(?!\p{Latin})[\p{L}\p{M}])(?=\p{Latin})")
"""Between a word in Latin letters and one in others that is written onto it, such as a Korean particle."""
LETTERS = regex.compile(r"[\p{L}\p{M}]+")
UNSPACED, VOWELLESS = regex.compile(rf"[{SPACELESS}]"), regex.compile(rf"[{ABJAD}]")
NOT_LETTER = regex.compile(r"[^a-z0-9]")
# Consonants that transliterations interchange: kh and h, q and k, c and s, w and v, j and zh, r and l.
DIGRAPHS: Sequence[tuple[str, str]] = (
    *(("shch", "s"), ("sch", "s"), ("tch", "c"), ("kh", "h"), ("ch", "c"), ("sh", "s"), ("zh", "j"), ("ts", "c")),
    *(("tz", "c"), ("ph", "f"), ("th", "t"), ("gh", "g"), ("dh", "d"), ("bh", "b"), ("ck", "k"), ("ng", "n")),
)
SAME_SOUND = str.maketrans("qxcwzjrdgbpm", "kkkvskltkffn")
VOWELS = regex.compile(r"[aeiouyhv]")


@dataclass(frozen=True, slots=True)
class SurfaceMatch:
    """That an answer holds a gold but for its surface: `text` of the answer for `gold`, which is in `gold_language`."""

    kind: MatchKind
    text: str
    gold: str
    gold_language: str


def surface_match(answer: str, golds: Mapping[str, Sequence[str]], code: str) -> SurfaceMatch | None:
    """The nearest match of a wrong answer to a question in the language `code`; None where there is none.

    `golds` are the gold answers by language, of the question's and, where they are known, of others.

    >>> surface_match("Warsaw", {"ru": ["Варшава"], "en": ["Warsaw"]}, "ru").kind
    'wrong-language'
    """
    if not is_known(code):
        return None
    text, spoken = answer[:TEXT], language(code)
    # A gold in another language to the letter is stronger evidence than a word that is only like one.
    if match := _in_other_language(SCRIPT_BORDER.sub(" ", text), golds, spoken):
        return match
    for gold in golds.get(code, ()):
        if form := _inflected(text, gold, spoken):
            return SurfaceMatch("inflected-form", form, gold, code)
    return _transliterated(text, golds.get(code, ()), spoken)


def _inflected(text: str, gold: str, spoken: Language) -> str:
    """The words of the answer that are other forms of the gold's words in the same script, "" for none."""
    if spoken.code in UNINFLECTED or UNSPACED.search(gold) or script_of(gold) not in spoken.letter_scripts:
        return ""
    form = answer_form(gold, spoken).split()
    words = answer_form(text, spoken).split()
    for start in range(len(words) - len(form) + 1):
        window = words[start : start + len(form)]
        share = LONGER_NAME_SHARE if gold[:1].isupper() or VOWELLESS.search(gold) else LONGER_SHARE
        pairs = zip(form, window, strict=True)
        if form and all(_is_same_word(*pair, spoken.code, share) for pair in pairs):
            return " ".join(window)
    return ""


def _is_same_word(word: str, other: str, code: str, longer_share: float) -> bool:
    if word == other:
        return True
    if not (LETTERS.fullmatch(word) and LETTERS.fullmatch(other)) or script_of(word) != script_of(other):
        return False
    if any(other.endswith(ending) != word.endswith(ending) for ending in DERIVED.get(code, ())):
        return False
    shorter = min(len(word), len(other))
    if shorter < SHORTEST_WORD:
        return False
    common = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), shorter)
    longer = max(len(word), len(other))
    fewest = STEM_LETTERS if shorter > STEM_LETTERS + 2 or VOWELLESS.search(word) else STEM_LETTERS - 1
    return common >= max(fewest, STEM_SHARE * shorter, longer_share * longer) and longer - common <= ENDING_LETTERS


def _in_other_language(text: str, golds: Mapping[str, Sequence[str]], spoken: Language) -> SurfaceMatch | None:
    """The match of a gold in another language: in English first, which answers slip into most often."""
    for code in sorted(golds, key=lambda code: (code != ENGLISH, code)):
        if code == spoken.code or not is_known(code):
            continue
        for gold in golds[code]:
            if gold in golds.get(spoken.code, ()) or flexible_em(text, [gold], language=language(code)).value != 1.0:
                continue
            spans = gold_spans(text, [gold], code)
            match = text[spans[0][0] : spans[0][1]] if spans else gold
            rest = _without(text, spans)
            if not _is_spoken(rest, text, spoken, code):
                return SurfaceMatch("wrong-language", match, gold, code)
            is_name = any(_likeness_of_sound(match, name) for name in golds.get(spoken.code, ()))
            return SurfaceMatch("transliterated-name" if is_name else "code-switched", match, gold, code)
    return None


def _is_spoken(rest: str, text: str, spoken: Language, code: str) -> bool:
    """Whether what is around a match in the language `code` is a text in the user's language."""
    if len(LETTER.findall(rest)) < max(3, OTHER_LETTERS * len(LETTER.findall(text))):
        return False
    scripts = spoken.letter_scripts
    if not scripts & language(code).letter_scripts:
        return sum(share for script, share in script_shares(rest).items() if script in scripts) > HALF
    return detect(rest, [spoken.code, code]) == spoken.code


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return " ".join(text[start:end] for start, end in list(pairwise(edges))[::2])


def _transliterated(text: str, golds: Sequence[str], spoken: Language) -> SurfaceMatch | None:
    """The match of a gold that sounds most like it."""
    matches = [(_likeness_of_sound(window, gold), window, gold) for gold in golds for window in _windows(text, gold)]
    likeness, window, gold = max(matches, key=lambda match: match[0], default=(0.0, "", ""))
    return SurfaceMatch("transliterated-name", window, gold, spoken.code) if likeness else None


def _windows(text: str, gold: str) -> Iterator[str]:
    """Pieces of a text that may be the gold: as many words, one more or less; of unspaced scripts any run."""
    words = [match.span() for match in WORD.finditer(text)]
    count = len(WORD.findall(gold))
    sizes = (count, count + 1, count - 1, *range(1, LONGEST)) if UNSPACED.search(gold) else (count, count + 1)
    for size in dict.fromkeys(size for size in sizes if 1 <= size <= LONGEST):
        for start in range(len(words) - size + 1):
            yield text[words[start][0] : words[start + size - 1][1]]
    if UNSPACED.search(text):
        yield from _unspaced_windows(text, gold)


def _unspaced_windows(text: str, gold: str) -> Iterator[str]:
    length = len(gold)
    for size in sorted({length, length - 1, length + 1, length - 2, length + 2} - {0, -1, -2}):
        for start in range(max(0, len(text) - size + 1)):
            piece = text[start : start + size]
            if UNSPACED.match(piece):
                yield piece


def _likeness_of_sound(one: str, other: str) -> float:
    """How alike two texts are as one name, romanised, from 0 to 2; 0 where they are two names.

    Their consonants must be alike and, where both write vowels, all letters; where both have several words, word by
    word. Numbers must be equal, and neither may be the other with a long ending.
    """
    left, right = _romanised(one), _romanised(other)
    if regex.findall(r"\d+", left) != regex.findall(r"\d+", right):
        return 0.0
    shorter, longer = sorted((left, right), key=len)
    if longer.startswith(shorter) and len(longer) - len(shorter) > LONG_ENDING:
        return 0.0
    pairs = list(zip(WORD.findall(one), WORD.findall(other), strict=False))
    if len(WORD.findall(one)) == len(WORD.findall(other)) > 1 and not all(_is_word_alike(*pair) for pair in pairs):
        return 0.0
    consonants = _consonants(left), _consonants(right)
    fewest, likeness = min(map(len, consonants)), _likeness(*consonants)
    if fewest < FEWEST_CONSONANTS or likeness < (1.0 if fewest <= FEW_CONSONANTS else ALIKE_CONSONANTS):
        return 0.0
    letters, is_one_script = _likeness(left, right), script_of(one) == script_of(other)
    if not is_one_script and VOWELLESS.search(one + other):
        return letters + likeness if likeness >= ALIKE_ABJAD else 0.0
    return letters + likeness if letters >= (ALIKE_IN_SCRIPT if is_one_script else ALIKE) else 0.0


def _is_word_alike(one: str, other: str) -> bool:
    consonants = _consonants(_romanised(one)), _consonants(_romanised(other))
    likeness = _likeness(*consonants)
    if min(map(len, consonants)) <= FEW_CONSONANTS:
        # In a short word a further consonant at the end makes another name (Lind, Linden).
        return likeness == 1.0 or (likeness >= ALIKE_CONSONANTS and consonants[0][-1:] == consonants[1][-1:])
    return likeness >= ALIKE_CONSONANTS


def _romanised(text: str) -> str:
    return str(NOT_LETTER.sub("", anyascii(text).lower()))


def _consonants(letters: str) -> str:
    for digraph, letter in DIGRAPHS:
        letters = letters.replace(digraph, letter)
    plain = VOWELS.sub("", letters.translate(SAME_SOUND))
    return regex.sub(r"(.)\1+", r"\1", plain)


def _likeness(one: str, other: str) -> float:
    return float(Indel.normalized_similarity(one, other))
