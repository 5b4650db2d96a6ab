"""Texts whose words a PDF reader broke, and the letter n-grams by which they can still be searched.

The text layer of a PDF, of Indic scripts above all, often has blanks between the letters of a word or before its vowel
signs, or control characters inside it. The words are lost for a search, but the order of the letters is not: n-grams of
the text without its blanks match the n-grams of a question's words.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from workbench.languages.normalise import search_form
from workbench.languages.scripts import DENSE
from workbench.languages.segment import NGRAM, WORD

LETTERS_IN_ROWS = 0.15
"""The share of a text's letters, each alone between blanks and next to another such letter, from which its words count
as broken. Texts as written reach .05 in the sample's languages and .12 in Gujarati, which has many words of one letter
and its signs."""
SHORT_WORDS = 0.27
"""The same for letters in words of one or two, of scripts whose languages have few such words. Texts as written reach
.20 in the sample's languages and .23 in Spanish messages of programs."""
STRAY_MARKS = 0.05
"""The number of words that begin with a combining mark, by words; texts as written reach .014."""
CUTS = 0.05
"""The number of places where control characters, or such as have no Unicode name, stand between two letters, by words;
texts as written reach .017."""
FEWEST_IN_ROWS = 8
"""The fewest letters in rows: a spelt word, a formula or a list of initials proves nothing."""
FEWEST_IN_SHORT_WORDS = 40
"""The fewest letters in short words: a single sentence may have many of them."""
FEWEST_FAULTS = 3
"""The fewest stray marks or cuts."""

LONG_WORDED = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{Armenian}\p{Georgian}\p{Arabic}\p{Hebrew}]")
LETTER_AND_MARKS = regex.compile(r"\p{L}\p{M}*")
LONGEST_CLUSTER = 4
MARK = regex.compile(r"\p{M}")
UNREADABLE = r"[[\p{C}\uFFFD]--[\p{Cf}\s]]"
CUT = regex.compile(rf"(?<=[\p{{L}}\p{{M}}]){UNREADABLE}+(?=[\p{{L}}\p{{M}}])", regex.V1)
BLANKS = regex.compile(r"[\s\p{C}\uFFFD]+")
RUN = regex.compile(rf"(?P<dense>[{DENSE}\p{{Hangul}}]+)|[^{DENSE}\p{{Hangul}}]+")
HAN = regex.compile(r"\p{Han}")


def has_broken_words(text: str) -> bool:
    r"""Whether the words of `text` are broken by blanks, control characters or stray marks; benchmarks/broken_text.

    >>> has_broken_words("T h e  c a t  s a t"), has_broken_words("The cat sat"), has_broken_words("J. R. R. Tolkien")
    (True, False, False)
    """
    pieces = text.split()
    rows, short = _letters_in_rows(pieces), _short_words(pieces)
    if rows >= FEWEST_IN_ROWS or short >= FEWEST_IN_SHORT_WORDS:
        letters = sum(map(str.isalpha, text))
        if rows >= max(FEWEST_IN_ROWS, LETTERS_IN_ROWS * letters) or short >= max(1, SHORT_WORDS * letters):
            return True
    faults = _stray_marks(pieces), _cuts(text)
    shares = STRAY_MARKS, CUTS
    return any(count >= max(FEWEST_FAULTS, share * len(pieces)) for count, share in zip(faults, shares, strict=True))


def letter_grams(text: str) -> list[str]:
    """The n-grams of the letters and digits of `text`, in order, across blanks, punctuation and broken words.

    Of 4 letters; of 2 in Han, Kana and Hangul, and single Han characters, as in the index of words. A text of fewer
    letters is one gram.

    >>> letter_grams("T h e  c a t")
    ['thec', 'heca', 'ecat']
    """
    return _grams("".join(WORD.findall(search_form(BLANKS.sub("", text)))))


def query_grams(text: str) -> list[str]:
    """The n-grams of a question that is searched for among broken words: those inside its words.

    Those across two words match only where these words follow each other. A question whose words are broken, or too
    short for n-grams, is cut as a passage is.

    >>> query_grams("The cats sat")
    ['cats']
    >>> query_grams("a cat")
    ['acat']
    """
    if has_broken_words(text):
        return letter_grams(text)
    grams = [gram for word in WORD.findall(search_form(text)) for gram in _grams(word, shorter=False)]
    return grams or letter_grams(text)


def _grams(letters: str, *, shorter: bool = True) -> list[str]:
    return [gram for run in RUN.finditer(letters) for gram in _run_grams(run.group(), bool(run["dense"]), shorter)]


def _run_grams(run: str, dense: bool, shorter: bool) -> Iterator[str]:
    size = 2 if dense else NGRAM
    if len(run) < size and (shorter or dense):
        yield run
        return
    if dense:
        yield from HAN.findall(run)
    yield from (run[start : start + size] for start in range(len(run) - size + 1))


def _letters_in_rows(pieces: list[str]) -> int:
    """How many of the pieces are a single letter next to another one."""
    count = row = 0
    for piece in [*pieces, ""]:
        if 0 < len(piece) <= LONGEST_CLUSTER and LETTER_AND_MARKS.fullmatch(piece):
            row += 1
        else:
            count += row if row > 1 else 0
            row = 0
    return count


def _short_words(pieces: list[str]) -> int:
    """How many letters stand in pieces of one or two letters; none in capitals, which abbreviate."""
    letters = "".join(p for p in pieces if len(p) <= 2 and p.isalpha() and not p.isupper())
    if len(letters) < FEWEST_IN_SHORT_WORDS:
        return 0
    return len(letters) if len(LONG_WORDED.findall(letters)) == len(letters) else 0


def _stray_marks(pieces: list[str]) -> int:
    return sum(not piece[0].isalnum() and MARK.match(piece) is not None for piece in pieces)


def _cuts(text: str) -> int:
    is_readable = text.replace("\n", " ").isprintable() and "\ufffd" not in text
    return 0 if is_readable else len(CUT.findall(text))
