"""The one segmenter: sentences, words and index tokens in any script, and letter n-grams of broken words.

Words are runs of letters, marks and numbers (UAX #29 in spirit; the standard `re` would break Hindi at vowel signs).
Offsets count characters of the unchanged text, so that spans can be marked on screen.

The text layer of a PDF, of Indic scripts above all, often has blanks between the letters of a word or before its vowel
signs, or control characters inside it. The words are lost for a search, but the order of the letters is not: n-grams of
the text without its blanks match the n-grams of a question's words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise

import regex

from workbench.languages.catalogue import ABJAD, DENSE, HAN_AND_KANA, LETTER, SPACELESS, SPACELESS_BRAHMIC, THAI_AND_LAO
from workbench.languages.normalise import fold, search_form

SEGMENTER_VERSION = 3
"""Increased when index tokens change: an index of another version must be rebuilt."""

WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
UNIT = regex.compile(rf"[{SPACELESS}]\p{{M}}*|(?:(?![{SPACELESS}])[\p{{L}}\p{{M}}\p{{N}}])+")
"""A word, or a character of a script without spaces between words."""

# --- index tokens ---------------------------------------------------------------------------------------------------

NGRAM = 4
"""Letters in the character n-grams of scripts whose words cannot be cut by rule."""

RUN = regex.compile(
    rf"""(?P<ideographs>[{DENSE}]+)
       |(?P<hangul>\p{{Hangul}}+)
       |(?P<spaceless>[{SPACELESS_BRAHMIC}]+)
       |(?P<abjad>[{ABJAD}]+)
       |(?P<number>\p{{Nd}}+)
       |(?P<letters>[^{SPACELESS}\p{{Hangul}}{ABJAD}\p{{Nd}}]+)""",
    regex.VERBOSE,
)
HAN = regex.compile(r"\p{Han}")
# Arabic glues the article, conjunctions and prepositions to the next word; a letter alone is taken for one only
# where enough of a word is left.
ARABIC_PROCLITIC = regex.compile(r"^(?:[وفبكل]?ال|[وف]?لل|وب|ول|[وف](?=\p{L}{4})|[بكل](?=\p{L}{5}))(?=\p{L}{3})")


def index_tokens(text: str) -> list[str]:
    """The tokens of `text` in the lexical index, and of a question that is looked up in it; repeated tokens repeat.

    By script, for any language: a spaced word gives its first 6 and first 3 letters, which stand for its stem, and
    from 8 letters on its last 5, the head of a compound; Han and Kana give characters and pairs; Hangul pairs of
    syllables; Thai, Lao, Khmer, Burmese and Tibetan 4-grams; Arabic and Hebrew, which inflect inside the word,
    padded 4-grams after the glued article is taken off. benchmarks/segmentation has the figures.

    >>> index_tokens("Cats' understanding")
    ['cats', 'cat', 'unders', 'und', '~nding']
    >>> index_tokens("北京市")
    ['北', '京', '市', '北京', '京市']
    """
    return index_text(text).split()


@lru_cache(maxsize=1)
def index_text(text: str) -> str:
    """The index tokens of `text` separated by white space, which also marks what `has_broken_words` counts.

    No token crosses white space, nor does what is normalised. So each piece between white space is cut once. The last
    text is kept, since both are asked of each passage that is indexed.
    """
    return " ".join(map(PIECE_TEXTS.__getitem__, text.split()))


PIECES, LONGEST_PIECE = 1 << 17, 32
"""The most pieces of text that are kept, some 35 MB, and their most characters: longer ones rarely recur."""
SINGLE, SHORT, STRAY = "\t", "\n", "\r"
"""Before the tokens of a single letter; for each letter of a short word; before those of what begins with a mark."""


class PieceTexts(dict[str, str]):
    """The index text of pieces without white space, filled as they are met; emptied when it is full."""

    def __missing__(self, piece: str) -> str:
        """That of `piece`, kept unless it is long."""
        runs = (run for word in WORD.findall(search_form(piece)) for run in RUN.finditer(word))
        tokens = (token for run in runs for token in _run_tokens(run.lastgroup or "", run.group()))
        text = _marks(piece) + " ".join(tokens)
        if len(piece) <= LONGEST_PIECE:
            if len(self) >= PIECES:
                self.clear()
            self[piece] = text
        return text


PIECE_TEXTS = PieceTexts()


def _run_tokens(kind: str, run: str) -> Iterator[str]:
    if kind == "ideographs":
        # A single Kana means nothing; a single Han character often is a word.
        yield from HAN.findall(run) if len(run) > 1 else run
        yield from _ngrams(run, 2)
    elif kind == "hangul":
        yield from _ngrams(run, 2) if len(run) > 1 else run
    elif kind == "spaceless":
        yield from _ngrams(run, NGRAM) if len(run) > NGRAM else (run,)
    elif kind == "abjad":
        padded = f"_{ARABIC_PROCLITIC.sub('', run)}_"
        yield from _ngrams(padded, NGRAM) if len(padded) > NGRAM else (padded,)
    elif kind == "number":
        yield run
    else:
        yield run[:6]
        if len(run) > 3:
            yield run[:3]
        if len(run) >= 8:
            yield "~" + run[-5:]


def _ngrams(run: str, size: int) -> Iterator[str]:
    return (run[start : start + size] for start in range(len(run) - size + 1))


def words(text: str) -> list[str]:
    """The words of `text`, folded; a run of a spaceless script is one word.

    >>> words("L'été, à 9.30!")
    ['l', 'été', 'à', '9', '30']
    """
    matches: list[str] = WORD.findall(fold(text))
    return matches


# --- sentences ------------------------------------------------------------------------------------------------------

# A full stop ends a sentence only before white space and something that is not lower case; the stops of
# Chinese, Japanese, Devanagari and similar scripts always do. The mark of a citation, “[3]”, is of the sentence before.
SENTENCE_END = regex.compile(
    r"""(?:[。！？｡।॥។៕။።։]["'”’」』）)]*(?:\[\p{N}{1,3}\])*
        |[.!?؟۔…]+["'”’»)\]]*(?:\ ?\[\p{N}{1,3}\])*(?=\s+[^\s\p{Ll}]|\s*$)
        |།+(?=\s)
        |\n)""",
    regex.VERBOSE,
)
ABBREVIATION = regex.compile(
    r"""(?:^|(?<=[\s("«„“]))
        (?:\p{Lu}|(?:\p{L}\.\s?)+\p{L}|[0-9]{1,2}
          |[Dd]r|[Dd]ra|[Mm]r|[Mm]rs|[Mm]s|[Ss]t|[Nn]r|[Nn]o|[Ss]r|[Ss]ra|[Jj]r|Prof|Doç|Gen|Col|Lt|Sgt|Rev|Sen|Gov|Mt|Ft
          |Inc|Ltd|Co|Corp|c|ca|bzw|vs|al|approx|vgl|т|г|гг|им|тыс|млн|млрд|ул|св|стр|рис)\.$""",
    regex.VERBOSE,
)
ABBREVIATION_REACH = 24
"""Characters before a full stop that are searched for an abbreviation."""

THAI_LETTER = regex.compile(rf"[{THAI_AND_LAO}]")
DENSE_LETTER = regex.compile(rf"[{HAN_AND_KANA}]")
GAP = regex.compile(r"\s+")
THAI_GAP = regex.compile(rf"(?<=[{THAI_AND_LAO}])\s+(?=[{THAI_AND_LAO}])")
CLAUSE_END = regex.compile(r"(?P<strong>[;؛](?=\s)|；)|[,:،](?=\s)|[，、：၊]|\s[–—](?=\s)")

THAI_LIMIT = 180
"""Thai has no full stops: its phrases, separated by spaces, are joined up to this many characters, to pieces about as
long as English sentences are: of 147 questions about XQuAD's Thai paragraphs two of them held the gold in .81, .65
with pieces up to 120 (benchmarks.reader)."""
SENTENCE_LIMIT = 300
"""A longer sentence is cut at clause punctuation, so that a reader that quotes sentences need not quote pages."""
DENSE_LIMIT = 100
"""The same for Han and Kana, of which a third as many characters say as much."""


def sentences(text: str) -> list[tuple[int, int]]:
    """The sentences of `text` as (start, end) character offsets, in order, without surrounding white space.

    They never overlap and omit nothing but white space. Sentences over the limits are cut into clauses.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in SENTENCE_END.finditer(text):
        end = match.end()
        if match.group() == "." and ABBREVIATION.search(text[max(start, end - ABBREVIATION_REACH) : end]):
            continue
        spans.extend(_parts(text, start, end))
        start = end
    spans.extend(_parts(text, start, len(text)))
    return spans


HEADING_LIMIT = 100
STOP = regex.compile(r"[。！？｡।॥።៕។။.!?؟۔…]['\"”’»)\]」』）]*+")
LAST_STOP = regex.compile(rf"{STOP.pattern}\s*$")
HEADING = regex.compile(r"(?:[\p{N}]+[.\s)]+)*[^\p{N}:：|\n]+")


def ends_with_stop(text: str) -> bool:
    """Whether a text ends as a sentence does, in any script.

    >>> ends_with_stop("It is open。”"), ends_with_stop("Open:")
    (True, False)
    """
    return LAST_STOP.search(text) is not None


def is_heading(text: str, start: int, end: int) -> bool:
    r"""Whether a sentence of `text` is a line above a paragraph that ends with a stop: apart, shorter, without one.

    A line with a figure or a colon is none, since it may be a fact; a section's number counts for nothing.

    >>> is_heading("The harbour\n\nIt was built of granite.", 0, 11)
    True
    """
    line = text[start:end]
    begin = text.rfind("\n", 0, start) + 1
    is_apart = text.startswith("\n\n", end) and (not begin or text.startswith("\n\n", begin - 2))
    if not is_apart or len(line) > HEADING_LIMIT or LETTER.search(text, begin, start):
        return False
    below = text[end : end + SENTENCE_LIMIT].lstrip().split("\n", 1)[0]
    has_stop = STOP.search(below) is not None and not ends_with_stop(line)
    return has_stop and len(below) > len(line) and HEADING.fullmatch(line) is not None


def sentences_around(
    text: str, known: Sequence[tuple[int, int]], split: Callable[[str], list[tuple[int, int]]] = sentences
) -> list[tuple[int, int]]:
    """The `known` spans, in order and not overlapping, with what lies between and beside them cut by `split`.

    For scripts whose sentences have no visible end, where a memory shows some of them.

    >>> sentences_around("One. Two three. Four.", [(9, 15)])
    [(0, 4), (5, 8), (9, 15), (16, 21)]
    """
    spans: list[tuple[int, int]] = []
    at = 0
    for start, end in [*known, (len(text), len(text))]:
        spans.extend((at + a, at + b) for a, b in split(text[at:start]))
        if end > start:
            spans.append((start, end))
        at = end
    return spans


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentence from `start` to `end`, in one piece or cut by the limit of its script."""
    start, end = _trimmed(text, start, end)
    if start == end:
        return
    length = end - start
    letters = len(LETTER.findall(text, start, end))
    if length > THAI_LIMIT and 2 * len(THAI_LETTER.findall(text, start, end)) > letters:
        yield from _phrases(text, start, end)
    elif length > DENSE_LIMIT and 2 * len(DENSE_LETTER.findall(text, start, end)) > letters:
        yield from _clauses(text, start, end, DENSE_LIMIT)
    elif length > SENTENCE_LIMIT:
        yield from _clauses(text, start, end, SENTENCE_LIMIT)
    else:
        yield start, end


def _phrases(text: str, start: int, end: int, gaps: regex.Pattern[str] = THAI_GAP) -> Iterator[tuple[int, int]]:
    """Phrases separated by white space, joined up to THAI_LIMIT; a phrase is never cut: its words are unknown.

    Spaces beside numbers and foreign names do not separate phrases; cuts fall there only where nothing else is left.
    """
    borders = [*gaps.finditer(text, start, end), None]
    for border, following in pairwise(borders):
        stop = following.start() if following else end
        if border and stop - start > THAI_LIMIT:
            yield from _shorter(text, start, border.start(), gaps)
            start = border.end()
    yield from _shorter(text, start, end, gaps)


def _shorter(text: str, start: int, end: int, gaps: regex.Pattern[str]) -> Iterator[tuple[int, int]]:
    if end - start > THAI_LIMIT and gaps is THAI_GAP:
        yield from _phrases(text, start, end, GAP)
    else:
        yield start, end


def _clauses(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """Halves, at the clause mark nearest the middle, until they are within `limit` or hold no mark."""
    if end - start <= limit:
        yield start, end
        return
    middle = (start + end) / 2
    marks = [mark for mark in CLAUSE_END.finditer(text, start, end) if mark.end() < end]
    if not marks:
        yield start, end
        return
    # A semicolon separates more than a comma: it is preferred from twice as far away.
    cut = min(marks, key=lambda mark: abs(mark.end() - middle) / (2 if mark["strong"] else 1)).end()
    for left, right in ((start, cut), (cut, end)):
        left, right = _trimmed(text, left, right)
        if left < right:
            yield from _clauses(text, left, right, limit)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


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
NOT_LETTERS = {code: None for code in range(128) if not chr(code).isalpha()}
MARK = regex.compile(r"\p{M}")
UNREADABLE = r"[[\p{C}\uFFFD]--[\p{Cf}\s]]"
CUT = regex.compile(rf"(?<=[\p{{L}}\p{{M}}]){UNREADABLE}+(?=[\p{{L}}\p{{M}}])", regex.V1)
BLANKS = regex.compile(r"[\s\p{C}\uFFFD]+")
LETTER_RUN = regex.compile(rf"(?P<dense>[{DENSE}\p{{Hangul}}]+)|[^{DENSE}\p{{Hangul}}]+")


def has_broken_words(text: str) -> bool:
    r"""Whether the words of `text` are broken by blanks, control characters or stray marks; benchmarks/broken_text.

    >>> has_broken_words("T h e  c a t  s a t"), has_broken_words("The cat sat"), has_broken_words("J. R. R. Tolkien")
    (True, False, False)
    """
    index = index_text(text)
    short, single = index.count(SHORT), index.count(SINGLE)
    if short >= FEWEST_IN_SHORT_WORDS and short >= SHORT_WORDS * _letters(text) and _are_long_worded(text.split()):
        return True
    in_rows = _letters_in_rows(text.split()) if single >= FEWEST_IN_ROWS else 0
    if in_rows and in_rows >= max(FEWEST_IN_ROWS, LETTERS_IN_ROWS * _letters(text)):
        return True
    stray, cuts = index.count(STRAY), _cuts(text)
    if max(stray, cuts) < FEWEST_FAULTS:
        return False
    count = len(text.split())
    return stray >= max(FEWEST_FAULTS, STRAY_MARKS * count) or cuts >= max(FEWEST_FAULTS, CUTS * count)


def letter_grams(text: str) -> list[str]:
    """The n-grams of the letters and digits of `text`, in order, across blanks, punctuation and broken words.

    Of 4 letters; of 2 in Han, Kana and Hangul, and single Han characters, as in the index of words. A text of fewer
    letters is one gram.

    >>> letter_grams("T h e  c a t")
    ['thec', 'heca', 'ecat']
    """
    return _grams("".join(WORD.findall(search_form(BLANKS.sub("", text)))))


def query_grams(text: str) -> list[str]:
    """The n-grams that measure how much of a question a broken passage matches: those inside its words.

    Those across two words match only where these words follow each other; a search takes them, too. A question whose
    words are broken, or too
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
    return [
        gram for run in LETTER_RUN.finditer(letters) for gram in _run_grams(run.group(), bool(run["dense"]), shorter)
    ]


def _run_grams(run: str, dense: bool, shorter: bool) -> Iterator[str]:
    size = 2 if dense else NGRAM
    if len(run) < size and (shorter or dense):
        yield run
        return
    if dense:
        yield from HAN.findall(run)
    yield from (run[start : start + size] for start in range(len(run) - size + 1))


def _marks(piece: str) -> str:
    """What `has_broken_words` counts of a piece; see SINGLE. Capitals make no short word: they abbreviate."""
    single = SINGLE if _is_single(piece) else ""
    stray = STRAY if not piece[0].isalnum() and MARK.match(piece) else ""
    return single + stray + (SHORT * len(piece) if _is_short(piece) else "")


def _is_single(piece: str) -> bool:
    return len(piece) <= LONGEST_CLUSTER and LETTER_AND_MARKS.fullmatch(piece) is not None


def _is_short(piece: str) -> bool:
    return len(piece) <= 2 and piece.isalpha() and not piece.isupper()


def _letters(text: str) -> int:
    return len(text.translate(NOT_LETTERS)) if text.isascii() else sum(map(str.isalpha, text))


def _letters_in_rows(pieces: list[str]) -> int:
    """How many of the pieces are a single letter next to another one."""
    rows = (len(list(row)) for is_single, row in groupby(map(_is_single, pieces)) if is_single)
    return sum(length for length in rows if length > 1)


def _are_long_worded(pieces: list[str]) -> bool:
    """Whether all short words are of scripts whose languages have few of them."""
    letters = "".join(filter(_is_short, pieces))
    return len(LONG_WORDED.findall(letters)) == len(letters)


def _cuts(text: str) -> int:
    is_readable = text.replace("\n", " ").isprintable() and "\ufffd" not in text
    return 0 if is_readable else len(CUT.findall(text))
