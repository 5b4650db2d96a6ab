"""Which sentences of the evidence answer the question, and whether any does, without a language model.

By meaning, a sentence's score is a sum with learnt weights: the likeness of its vector to the question's, that of the
passage's likest sentence, that of its likest neighbour, the likeness of the question's tokens to its own (late
interaction), whether it is in the question's language, where all likenesses are larger, whether it has a number where
one is asked for, its passage's rank, and whether its passage has, or lacks, a name of the question that is heard in a
passage in another script. The words that a sentence repeats count too, where all texts are in the question's language
or the translator's memory knows them in English. The scale is that of log-odds: the same sum says how likely it is that
anything in the evidence bears on the question, and below a threshold nothing is quoted. Weights and figures:
benchmarks/reader.

Without an encoder of meaning (its package has no wheel for every platform) words decide: the share of the question's
character n-grams that a sentence repeats, written alike or, across scripts, sounding alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import exp, log
from operator import mul
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import regex
from anyascii import anyascii

from workbench.core import Evidence, FloatArray, Query, Span, Task, Translator
from workbench.languages import (
    ABJAD,
    DENSE,
    ENGLISH,
    SPACELESS_BRAHMIC,
    UNSTOPPED,
    fold,
    is_heading,
    language,
    sentences,
    sentences_around,
)
from workbench.pipeline.reader.names_by_sound import is_heard, shared_names
from workbench.pipeline.reader.rendering import reliable_english
from workbench.pipeline.reader.values import digits, question_type

if TYPE_CHECKING:
    from workbench.retrieval import LateInteraction

Part = tuple[int, int]
Scored = tuple[float, float | None, FloatArray | None]
"""A score, what it is without words, and the sentence's vector."""
Features = tuple[tuple[float, ...], FloatArray | None]
"""The features of a sentence, in the order of WEIGHTS, and its vector."""
SAME_MEANING = 0.6
"""From this cosine two sentences in different languages translate each other. Of the sample's translations of one
sentence 62 % are that near, of the sentences next to it 0.2 %: two sides shown as one would be worse than one side
shown twice."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Characters `start` to `end` of `evidence.text`: a sentence that answers the question with log-odds `score`.

    `likeness` is the score without words, `vector` the centred unit vector; None without an encoder of meaning.
    """

    evidence: Evidence
    start: int
    end: int
    score: float
    likeness: float | None = None
    vector: FloatArray | None = field(default=None, compare=False)

    @property
    def text(self) -> str:
        """The sentence as written in the evidence."""
        return self.evidence.text[self.start : self.end]

    @property
    def language(self) -> str:
        """The language of the evidence."""
        return self.evidence.language

    @property
    def span(self) -> Span:
        """The sentence as a quotation for the answer's trace."""
        return Span(self.evidence.rank, self.start, self.end)

    def says_the_same(self, other: Candidate) -> bool:
        """Whether two sentences are one in two languages, by their vectors; False where those are not known."""
        if self.vector is None or other.vector is None or self.language == other.language:
            return False
        numbers, rivals = digits(self.text), digits(other.text)
        return (numbers <= rivals or rivals <= numbers) and float(self.vector @ other.vector) >= SAME_MEANING


def rank_sentences(task: Task, translator: Translator, meaning: LateInteraction | None) -> list[Candidate]:
    """Every sentence of the evidence, best first; ties go to the better rank and the earlier place."""
    parts = [split_as_known(item, translator) for item in task.evidence]
    scores = (
        _scores_by_words(task, parts, translator)
        if meaning is None
        else _scores_by_meaning(task, parts, translator, meaning)
    )
    candidates = [
        Candidate(item, start, end, *scored)
        for item, of_item, of_scores in zip(task.evidence, parts, scores, strict=True)
        for (start, end), scored in zip(of_item, of_scores, strict=True)
    ]
    # A heading says what the text is about, and answers nothing.
    candidates = [item for item in candidates if not _is_heading(item)] or candidates
    return sorted(candidates, key=lambda item: (-item.score, item.evidence.rank, item.start))


def _is_heading(item: Candidate) -> bool:
    return item.evidence.passage.heading.endswith(item.text) or is_heading(item.evidence.text, item.start, item.end)


def silence(task: Task, best: Candidate, meaning: LateInteraction | None) -> str:
    """Why nothing is quoted, "" where the best sentence shows that something bears on the question.

    Words show that nothing does only where all documents are in the question's language.
    """
    by_words = "It quotes nothing here: no sentence repeats enough of the question’s words."
    if meaning is None:
        is_known = all(item.language == task.language for item in task.evidence)
        return by_words if best.score < LEAST_BY_WORDS and is_known else ""
    if best.score >= LEAST_BY_MEANING:
        return ""
    if best.likeness is None or best.likeness >= LEAST_BY_MEANING:
        return by_words
    sure, least = (in_percent(confidence(value)) for value in (best.likeness, LEAST_BY_MEANING))
    return (
        f"It quotes nothing here: it estimates the chance that document [{best.evidence.rank}], the likeliest, "
        f"answers the question at {sure}, and it needs at least {least}."
    )


def chance(log_odds: float) -> float:
    """The probability in [0, 1].

    >>> chance(0.0)
    0.5
    """
    return 1 / (1 + exp(-log_odds))


def confidence(likeness: float) -> float:
    """The chance in [0, 1] that a document answers the question, by the likeness of its best sentence."""
    return chance(SLOPE * likeness + OFFSET)


def in_percent(probability: float) -> str:
    """A chance in words; a small one is never said to be none.

    >>> in_percent(0.267), in_percent(0.001)
    ('27%', 'less than 1%')
    """
    return f"{probability:.0%}" if probability >= 0.01 else "less than 1%"


@runtime_checkable
class TranslatorWithMemory(Protocol):
    """A translator that knows which parts of a text are sentences of its memory."""

    def known_sentences(self, text: str, source: str, target: str) -> list[Part]:
        """The parts of `text` that the memory has in `source` and `target`, as (start, end), in order."""
        ...


_sentences = lru_cache(maxsize=1 << 10)(sentences)
"""Passages are read again for other questions."""


def split_as_known(item: Evidence, translator: Translator) -> list[Part]:
    """The sentences of a text; those of the translator's memory, if the script does not show their ends."""
    if language(item.language).script not in UNSTOPPED or not isinstance(translator, TranslatorWithMemory):
        return _sentences(item.text)
    return sentences_around(item.text, translator.known_sentences(item.text, item.language, ENGLISH))


# --- by meaning -------------------------------------------------------------------------------------------------------

WEIGHTS = {
    "sentence": 3.42,
    "passage": 2.21,
    "neighbour": 0.78,
    "tokens": 14.16,
    "same language": -2.68,
    "number": 0.98,
    "rank": -0.26,
    "name": 1.07,
}
"""By feature: cosines of the sentence, of the likest one in its passage and of the likest next to it, and of tokens; 1
where the sentence is in the question's language; 1 where the question asks for a date or a number and the sentence has
one that the question lacks; how many passages were ranked better; 1 where the passage, in another script, has a name
that sounds like one of the question, LACKS_NAME where another passage has one and this one, in the question's script,
does not. `python -m benchmarks.reader --learn` learns them."""
LACKS_NAME = -3.0
"""Chosen on `benchmarks.reader.two_files`: it is about another town."""
SLOPE, OFFSET = 1.09, -1.35
"""Of a confidence, by logistic regression over five documents a question (`python -m benchmarks.reader.confidence`)."""
OF_WORDS = 6.0
"""What the share of the question's words counts that a sentence repeats."""
OF_LARGEST, USUAL_SHARE = 6.0, 0.25
OF_LARGEST_KNOWN, USUAL_KNOWN_SHARE = 18.0, 0.42
"""What the largest share of any sentence counts, which tells whether anything bears on the question; and the share that
says nothing either way. Where question and evidence are in one language, and where the translator's memory knows all of
them in English."""
CONSTANT = -9.0
LEAST_BY_MEANING = -1.0
"""Log-odds below which nothing is quoted; without words, a confidence of .08."""


def sentence_features(task: Task, parts: Sequence[Sequence[Part]], meaning: LateInteraction) -> list[list[Features]]:
    """Those of each sentence, by document."""
    passages = [
        replace(item.passage, title=item.title, language=item.language, text=item.text) for item in task.evidence
    ]
    likenesses = meaning.likenesses(Query(task.question, task.language, ()), passages, parts)
    asks_for_number = question_type(task.question, task.language) in ("when", "number")
    in_question = digits(task.question)
    names = _names(task)
    result: list[list[Features]] = []
    for item, spans, of_passage, name in zip(task.evidence, parts, likenesses, names, strict=True):
        cosines = [likeness.sentence for likeness in of_passage]
        features: list[Features] = []
        for at, (span, likeness) in enumerate(zip(spans, of_passage, strict=True)):
            neighbour = max(cosines[max(0, at - 1) : at] + cosines[at + 1 : at + 2], default=-1.0)
            has_number = asks_for_number and bool(digits(item.text[slice(*span)]) - in_question)
            same = float(item.language == task.language)
            of_sentence = (likeness.sentence, max(cosines), neighbour, likeness.tokens, same, float(has_number))
            features.append(((*of_sentence, item.rank - 1.0, name), likeness.vector))
        result.append(features)
    return result


def _names(task: Task) -> list[float]:
    """For each document what the feature `name` counts."""
    script = language(task.language).script
    texts = [f"{item.title}\n{item.text}" for item in task.evidence]
    is_alike = [language(item.language).script == script for item in task.evidence]
    heard = [
        frozenset[str]() if alike else shared_names(task.question, text)
        for text, alike in zip(texts, is_alike, strict=True)
    ]
    names = frozenset[str]().union(*heard)

    def lacks(text: str) -> bool:
        return bool(names) and not any(is_heard(name, text) for name in names)

    return [
        LACKS_NAME if alike and lacks(text) else float(bool(of_text))
        for text, alike, of_text in zip(texts, is_alike, heard, strict=True)
    ]


def _scores_by_meaning(
    task: Task, parts: Sequence[Sequence[Part]], translator: Translator, meaning: LateInteraction
) -> list[list[Scored]]:
    of_words = _log_odds_by_words(task, parts, translator)
    return [
        [
            (likeness + more, likeness, vector)
            for (features, vector), more in zip(of_passage, of_its_words, strict=True)
            for likeness in [CONSTANT + sum(map(mul, WEIGHTS.values(), features))]
        ]
        for of_passage, of_its_words in zip(sentence_features(task, parts, meaning), of_words, strict=True)
    ]


def _log_odds_by_words(task: Task, parts: Sequence[Sequence[Part]], translator: Translator) -> list[list[float]]:
    """What the words of each sentence add, 0 where they cannot be compared with those of the question."""
    texts = [[item.text[slice(*part)] for part in of_item] for item, of_item in zip(task.evidence, parts, strict=True)]
    titles = [item.title for item in task.evidence]
    question, of_largest, usual = task.question, OF_LARGEST, USUAL_SHARE
    if any(item.language != task.language for item in task.evidence):
        question, of_largest, usual = (
            reliable_english(question, task.language, translator),
            OF_LARGEST_KNOWN,
            USUAL_KNOWN_SHARE,
        )
        texts = [
            [reliable_english(text, item.language, translator) for text in of_item]
            for item, of_item in zip(task.evidence, texts, strict=True)
        ]
        titles = [""] * len(texts)
        if not question or not all(text for of_item in texts for text in of_item):
            return [[0.0] * len(of_item) for of_item in texts]
    shares = _shares(question, titles, texts)
    largest = of_largest * (max((share for of_item in shares for share in of_item), default=0.0) - usual)
    return [[largest + OF_WORDS * (share - usual) for share in of_item] for of_item in shares]


# --- by words ---------------------------------------------------------------------------------------------------------

RUN = regex.compile(rf"[{DENSE}]+|\p{{Hangul}}+|(?:(?![{DENSE}\p{{Hangul}}])[\p{{L}}\p{{M}}\p{{N}}])+")
DENSE_CHARACTER = regex.compile(rf"[{DENSE}]")
HANGUL = regex.compile(r"\p{Hangul}")
BRAHMIC = regex.compile(rf"[{SPACELESS_BRAHMIC}]")
CONSONANTS = regex.compile(rf"[{ABJAD}]")
GRAM_LENGTH, SHORT_GRAM_LENGTH, HANGUL_GRAM_LENGTH = 4, 3, 2
"""A run of Thai is a phrase of short words, Arabic writes few vowels, and a syllable of Hangul is one character."""
EVERY = 0.5
"""What a gram weighs that every sentence has."""
PASSAGE_SHARE, RANK_PENALTY, SOUND_SHARE = 0.3, 0.05, 0.6
"""What the passage's share of the question and each rank count, and a share in another script by sound."""
BY_WORDS, LEAST_BY_WORDS = 10.0, 2.5
"""The scale of a score by words, and that below which nothing is quoted: a quarter of the question."""


@lru_cache(maxsize=1 << 14)
def grams(text: str) -> frozenset[str]:
    """The grams of a text, folded: endings and prefixes then cost little.

    >>> sorted(grams("Kino"))
    [' kin', 'ino ', 'kino']
    """
    result: set[str] = set()
    for run in RUN.findall(fold(text)):
        if DENSE_CHARACTER.match(run):
            result.update(run)
            result.update(run[at : at + 2] for at in range(len(run) - 1))
        else:
            padded = run if BRAHMIC.match(run) else f" {run} "
            length = _gram_length(run)
            result.update(padded[at : at + length] for at in range(max(1, len(padded) - length + 1)))
    return frozenset(result)


def _gram_length(run: str) -> int:
    if HANGUL.match(run):
        return HANGUL_GRAM_LENGTH
    return SHORT_GRAM_LENGTH if BRAHMIC.match(run) or CONSONANTS.match(run) else GRAM_LENGTH


def _scores_by_words(task: Task, parts: Sequence[Sequence[Part]], translator: Translator) -> list[list[Scored]]:
    """Compared in the question's language, in English where the translator has both, and by sound: the most counts."""
    sentences_of = [
        [item.text[slice(*part)] for part in of_item] for item, of_item in zip(task.evidence, parts, strict=True)
    ]
    titles = [item.title for item in task.evidence]
    is_same = [item.language == task.language for item in task.evidence]
    shares = _shares(
        task.question, titles, [texts if same else [] for texts, same in zip(sentences_of, is_same, strict=True)]
    )
    wordings = [(shares, 1.0)]
    if not all(is_same):
        english = [
            [reliable_english(text, item.language, translator) for text in texts]
            for item, texts in zip(task.evidence, sentences_of, strict=True)
        ]
        wordings.append((_shares(reliable_english(task.question, task.language, translator), titles, english), 1.0))
        heard = [[anyascii(text) for text in texts] for texts in sentences_of]
        wordings.append((_shares(anyascii(task.question), titles, heard), SOUND_SHARE))
    return [
        [
            (
                BY_WORDS * max(weight * of[at][number] for of, weight in wordings if of[at])
                - RANK_PENALTY * (item.rank - 1),
                None,
                None,
            )
            for number in range(len(texts))
        ]
        for at, (item, texts) in enumerate(zip(task.evidence, sentences_of, strict=True))
    ]


def _shares(question: str, titles: Sequence[str], texts: Sequence[Sequence[str]]) -> list[list[float]]:
    """How much of the question, in [0, 1], each sentence repeats, a little with what its passage does.

    A gram weighs by its rarity among the sentences (idf as in BM25), one that none has as much as one that a single
    sentence has: where nothing bears on the question every share is low.
    """
    question_grams = grams(question)
    read = [[grams(text) for text in of_passage] for of_passage in texts]
    count = sum(map(len, read))
    seen = Counter(gram for of_passage in read for text in of_passage for gram in text & question_grams)
    weights = {
        gram: EVERY + log(1 + (count - n + 0.5) / (n + 0.5))
        for gram in sorted(question_grams)
        for n in [seen[gram] or 1]
    }
    total = sum(weights.values()) or 1.0

    def share(text: frozenset[str]) -> float:
        return sum(weight for gram, weight in weights.items() if gram in text) / total

    return [
        [(share(text) + PASSAGE_SHARE * share(title.union(*of_passage))) / (1 + PASSAGE_SHARE) for text in of_passage]
        for title, of_passage in zip(map(grams, titles), read, strict=True)
    ]
