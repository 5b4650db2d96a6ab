"""Character 3-gram recall: is the gold answer in the response, whatever its spelling?

Source: Chirkova et al. 2024, section 3 and Table 3.  Range [0, 1]; higher is better.  With G the multiset of a gold
answer's character 3-grams and A the answer's, recall = |G ∩ A| / |G|; the best gold counts.  3-grams are taken inside
tokens and a token of under three characters is a gram of its own.

`char3_recall_paper` is the formula as published, to be comparable.  `char3_recall` makes it right for every script:
composed and decomposed letters agree, all Unicode punctuation goes, the articles are the answer's language's, and in
scripts without spaces a gram may lie anywhere in a run.  `char3_recall_romanised` compares transliterations instead.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterable, Sequence

import regex
from anyascii import anyascii

from workbench.languages.language import Language
from workbench.languages.normalise import answer_form
from workbench.metrics.score import NO_GOLD, Score

SPACELESS = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\u30FC\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
    r"[\p{Han}\p{Hiragana}\p{Katakana}\u30FC\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{M}]*"
)
BETWEEN_SPACELESS = regex.compile(rf"(?<={SPACELESS.pattern}) +(?={SPACELESS.pattern})")
PAPER_ARTICLES = regex.compile(r"\b(a|an|the)\b")
DELETE_ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)
SIZE = 3


def char3_recall(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """Best share of a gold's character 3-grams that `answer` holds; both in `language`.

    Unscored when no gold survives normalisation.

    >>> from workbench.languages import language
    >>> char3_recall("答案是北京。", ["北京"], language=language("zh")).value
    1.0
    """
    return _best((_parts(gold, language) for gold in golds), _parts(answer, language))


def char3_recall_romanised(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """`char3_recall` after transliteration of both sides to ASCII: what is lost to the spelling of names alone."""
    return _best((_romanised(gold, language) for gold in golds), _romanised(answer, language))


def char3_recall_paper(answer: str, golds: Sequence[str]) -> Score:
    """The formula as published: ASCII punctuation deleted, English articles dropped, split on white space.

    >>> round(char3_recall_paper("Sofia Kovalevskaia", ["Sofya Kovalevskaya"]).value, 3)
    0.692
    """
    return _best((_Parts(_paper_tokens(gold)) for gold in golds), _Parts(_paper_tokens(answer)))


class _Parts:
    """A normalised text, cut where grams may not pass: spaced tokens, and runs of scripts without spaces."""

    def __init__(self, tokens: Iterable[str], runs: Iterable[str] = ()) -> None:
        self.tokens = tuple(tokens)
        self.runs = tuple(runs)

    def own_grams(self) -> Counter[tuple[str, bool]]:
        """The grams asked of an answer; the flag says that a gram may lie inside a run."""
        counts = Counter((gram, False) for token in self.tokens for gram in _grams(token, min(SIZE, len(token))))
        counts.update((gram, True) for run in self.runs for gram in _grams(run, min(SIZE, len(run))))
        return counts

    def offered_grams(self) -> Counter[tuple[str, bool]]:
        """The grams an answer offers: of a run also those of one and two characters, since a short gold has them."""
        counts = Counter((gram, False) for token in self.tokens for gram in _grams(token, min(SIZE, len(token))))
        counts.update((gram, True) for run in self.runs for size in range(1, SIZE + 1) for gram in _grams(run, size))
        return counts


def _best(golds: Iterable[_Parts], answer: _Parts) -> Score:
    offered = answer.offered_grams()
    recalls: list[float] = []
    for gold in golds:
        wanted = gold.own_grams()
        if total := wanted.total():
            recalls.append((wanted & offered).total() / total)
    return Score(max(recalls)) if recalls else NO_GOLD


def _parts(text: str, language: Language) -> _Parts:
    plain = BETWEEN_SPACELESS.sub("", answer_form(text, language))
    return _Parts(SPACELESS.sub(" ", plain).split(), SPACELESS.findall(plain))


def _romanised(text: str, language: Language) -> _Parts:
    """Runs stay runs after transliteration, for where their words end is still unknown."""
    plain = BETWEEN_SPACELESS.sub("", answer_form(text, language))
    tokens = anyascii(SPACELESS.sub(" ", plain)).lower().split()
    runs = ["".join(anyascii(run).lower().split()) for run in SPACELESS.findall(plain)]
    return _Parts(tokens, (run for run in runs if run))


def _paper_tokens(text: str) -> list[str]:
    plain: str = PAPER_ARTICLES.sub(" ", text.lower().translate(DELETE_ASCII_PUNCTUATION))
    return plain.split()


def _grams(text: str, size: int) -> Iterable[str]:
    return (text[at : at + size] for at in range(len(text) - size + 1)) if size else ()
