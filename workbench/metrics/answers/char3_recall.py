"""Character 3-gram recall: is the gold answer in the response, whatever its spelling?

Source: Chirkova et al. (2024), section 3 and Table 3.  Range [0, 1]; higher is better.  With G the multiset of a gold
answer's character 3-grams and A the answer's, recall = |G ∩ A| / |G|; the best gold counts.  3-grams are taken inside
tokens and a token of under three characters is a gram of its own.

`char3_recall_paper` is the formula as published, for comparison.  `char3_recall` is right for every script: composed
and decomposed letters agree, all Unicode punctuation is deleted, the articles are those of the answer's language, and
in scripts without spaces a gram may lie anywhere in a run.  `char3_recall_romanised` compares transliterations instead.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import regex
from anyascii import anyascii

from workbench.languages import SPACELESS, Language, answer_form, stated_years, with_both_years
from workbench.metrics.answers.flexible_em import BETWEEN_RUNS, CACHED_GOLDS
from workbench.metrics.measure import NO_GOLD, Measure, Score, per_case

SIZE = 3


def token_grams(tokens: Iterable[str]) -> list[str]:
    """The grams inside each token, repetitions included; a token of under three characters with its borders."""
    grams: list[str] = []
    for token in tokens:
        if len(token) >= SIZE:
            grams += [token[at : at + SIZE] for at in range(len(token) - SIZE + 1)]
        else:
            grams.append(f" {token} ")
    return grams


def run_grams(runs: Iterable[str]) -> list[str]:
    """The grams inside each run of a script without spaces; a short run is a gram that may lie anywhere in another."""
    grams: list[str] = []
    for run in runs:
        grams += [run[at : at + SIZE] for at in range(len(run) - SIZE + 1)] if len(run) >= SIZE else [run]
    return grams


def bordered(tokens: str) -> str:
    """Tokens joined by single spaces, with a border at each end, as `overlap` searches them."""
    return f" {tokens} "


def overlap(grams: Sequence[str], text: str) -> int:
    """|G ∩ A|: how many of `grams` the text contains, a repeated gram at most as often as the text has it.

    One substring test per gram takes a tenth of the time of two multisets and counts the same: a gram inside a token
    lies in the joined tokens, one shorter than three characters is a complete token and is searched for with its
    borders, and only grams that match more than once need counting.
    """
    matches = [gram for gram in grams if gram in text]
    if len(set(matches)) == len(matches):
        return len(matches)
    return sum(1 if times == 1 else _occurrences(gram, text, times) for gram, times in Counter(matches).items())


def _occurrences(gram: str, text: str, most: int) -> int:
    """How often `gram` occurs, overlaps included, up to `most`; two bordered tokens share the space between them."""
    number = 0
    at = text.find(gram)
    while at >= 0 and number < most:
        number += 1
        at = text.find(gram, at + 1)
    return number


RUN = regex.compile(rf"[{SPACELESS}][{SPACELESS}\p{{M}}]*")
PAPER_ARTICLES = frozenset(("a", "an", "the"))
PAPER_ARTICLE = regex.compile(r"\b(a|an|the)\b")
PAPER_BORDER = regex.compile(r"[^\w ]")
ASCII_PUNCTUATION = string.punctuation.encode()


def char3_recall(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """Best share of a gold's character 3-grams that `answer` contains; both in `language`.

    Unscored when no gold survives normalisation.

    >>> from workbench.languages import language
    >>> char3_recall("答案是北京。", ["北京"], language=language("zh")).value
    1.0
    """
    if language.code == "th":
        golds, answer = [form for gold in golds for form in stated_years(gold)], with_both_years(answer)
    return _best([_gold_grams(gold, language) for gold in golds], lambda: _parts(answer, language))


def char3_recall_romanised(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """`char3_recall` after transliteration of both sides to ASCII: what is lost to the spelling of names alone."""
    return _best([_gold_grams_romanised(gold, language) for gold in golds], lambda: _romanised(answer, language))


def char3_recall_paper(answer: str, golds: Sequence[str]) -> Score:
    """The formula as published: ASCII punctuation deleted, English articles dropped, split on white space.

    >>> round(char3_recall_paper("Sofia Kovalevskaia", ["Sofya Kovalevskaya"]).value, 3)
    0.692
    """
    usable = [grams for grams in map(_gold_grams_paper, golds) if grams]
    if not usable:
        return NO_GOLD
    text = bordered(_paper_form(answer))
    return Score(max([overlap(grams, text) / len(grams) for grams in usable]))


_Grams = tuple[tuple[str, ...], tuple[str, ...]]
"""The grams of a gold's spaced tokens and of its runs of scripts without spaces."""


def _best(golds: Sequence[_Grams], parts: Callable[[], tuple[str, list[str]]]) -> Score:
    """The best recall over golds that have grams; where there are none the answer is not even normalised."""
    usable = [gold for gold in golds if gold[0] or gold[1]]
    if not usable:
        return NO_GOLD
    tokens, runs = parts()
    text, joined = bordered(tokens), " ".join(runs)
    return Score(
        max(
            [
                (overlap(spaced, text) + overlap(unspaced, joined)) / (len(spaced) + len(unspaced))
                for spaced, unspaced in usable
            ]
        )
    )


def _parts(text: str, language: Language) -> tuple[str, list[str]]:
    """The spaced tokens, joined by single spaces, and the runs of scripts without spaces."""
    plain = answer_form(text, language)
    if plain.isascii():
        return plain, []
    connected = BETWEEN_RUNS.sub("", plain)
    return " ".join(RUN.sub(" ", connected).split()), RUN.findall(connected)


def _romanised(text: str, language: Language) -> tuple[str, list[str]]:
    """`_parts`, transliterated; runs stay runs, because it is still unknown where their words end."""
    tokens, runs = _parts(text, language)
    latin = ["".join(anyascii(run).lower().split()) for run in runs]
    return " ".join(anyascii(tokens).lower().split()), [run for run in latin if run]


def _grams(tokens: str, runs: Sequence[str]) -> _Grams:
    return tuple(token_grams(tokens.split())), tuple(run_grams(runs))


@lru_cache(maxsize=CACHED_GOLDS)
def _gold_grams(gold: str, language: Language) -> _Grams:
    return _grams(*_parts(gold, language))


@lru_cache(maxsize=CACHED_GOLDS)
def _gold_grams_romanised(gold: str, language: Language) -> _Grams:
    return _grams(*_romanised(gold, language))


@lru_cache(maxsize=CACHED_GOLDS)
def _gold_grams_paper(gold: str) -> tuple[str, ...]:
    return tuple(token_grams(_paper_form(gold).split()))


def _paper_form(text: str) -> str:
    r"""The text normalised as published, joined by single spaces.

    An article is one between borders `\b`, which lie next to every character that is not a letter, mark or digit. Where
    white space is the only such character the articles are the tokens "a", "an" and "the", which is faster to test.
    """
    # In UTF-8 no byte of another character looks like ASCII, and bytes lose characters faster than texts do.
    plain = (
        text.lower()
        .encode("utf-8", "surrogatepass")
        .translate(None, ASCII_PUNCTUATION)
        .decode("utf-8", "surrogatepass")
    )
    joined = " ".join([token for token in plain.split() if token not in PAPER_ARTICLES])
    if (joined.isascii() and joined.isprintable()) or not PAPER_BORDER.search(joined):
        return joined
    return " ".join(PAPER_ARTICLE.sub(" ", plain).split())


SOURCE = "Chirkova et al. (2024), section 3 and Table 3"

MEASURES = (
    Measure(
        "char3_recall",
        "Answer contains the gold (letters)",
        f"{SOURCE}, corrected for every script",
        per_case(lambda case: char3_recall(case.prediction, case.answers, language=case.language)),
    ),
    Measure(
        "char3_recall_paper",
        "Answer contains the gold (letters, as published)",
        SOURCE,
        per_case(lambda case: char3_recall_paper(case.prediction, case.answers)),
    ),
    Measure(
        "char3_recall_romanised",
        "Answer contains the gold (letters, romanised)",
        f"{SOURCE}, after transliteration",
        per_case(lambda case: char3_recall_romanised(case.prediction, case.answers, language=case.language)),
    ),
)
"""The measures of this module."""
