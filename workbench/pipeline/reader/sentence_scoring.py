"""Which sentences of the evidence answer the question, without a model.

A sentence's score is the share of the question that it repeats, plus what its neighbours and its passage add to that,
plus a bonus if it contains the kind of thing the question asks for, less a little for its passage's rank.  The weights
were set on XQuAD, whose passages and questions are in one language (see benchmarks/reader).

Across languages the comparison is in English where both sides have reliable English; else with the question translated
to the evidence's language; and in any case by transliteration, which matches names and numbers.

With an encoder of meaning a sentence's likeness to the question joins that score, and decides nearly alone where the
two cannot be compared by words: a translation word by word is then compared with nothing (see `likeness`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core import Evidence, Span, Task, Translation, Translator
from workbench.languages import ENGLISH
from workbench.pipeline.reader.evidence_sentences import RELIABLE_MATCH, EvidenceSentence, split_evidence
from workbench.pipeline.reader.likeness import Likeness, Meaning
from workbench.pipeline.reader.overlap import covered_weight, grams, rarity_weights, romanised, union
from workbench.pipeline.reader.question_types import holds_answer, question_type
from workbench.pipeline.reader.rendering import try_translate

NEIGHBOUR_WEIGHT = 0.4
PASSAGE_WEIGHT = 0.4
RANK_PENALTY = 0.08
KIND_BONUS = 0.25
ROMANISED_WEIGHT = 0.6
"""What a match of transliterations counts against one in the same language: names and numbers only."""
GLOSSES = ("gloss", "mixed")
"""Translations of which words come one by one."""
MEANING_SCALE = 1.6
"""The score of a sentence that means what the question does, in the units of the score by words."""
MEANING_WEIGHT = 0.35
"""What meaning counts in [0, 1], where sentence and question are compared by words …"""
MEANING_WEIGHT_ACROSS = 0.95
"""… and where they are in different languages, which leaves names and numbers."""

Coverage = tuple[float, float, float]
"""Shares of the question's weight in [0, 1]: in a sentence, added by its neighbours, in its passage with title."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of the evidence that may answer the question.

    `overlap` in [0, 1] is the share of the question that it repeats, of what any sentence repeats; `score` (no upper
    bound) orders candidates; `content` in [0, 1] is the share of all the question's content words that it repeats with
    the title (`bearing`), 1 where that is not known. `by_word`: it was compared with the question in one language, not
    by names and numbers alone. `likeness` is None without an encoder of meaning.
    """

    sentence: EvidenceSentence
    overlap: float
    score: float
    content: float = 1.0
    by_word: bool = True
    likeness: Likeness | None = None

    @property
    def is_by_meaning(self) -> bool:
        """Whether meaning decides over the sentence, since it is not compared by words."""
        return self.likeness is not None and not self.by_word

    @property
    def evidence(self) -> Evidence:
        """The evidence that the sentence is from."""
        return self.sentence.evidence

    @property
    def start(self) -> int:
        """The offset in the evidence's text at which the sentence starts."""
        return self.sentence.start

    @property
    def end(self) -> int:
        """The offset in the evidence's text before which the sentence ends."""
        return self.sentence.end

    @property
    def text(self) -> str:
        """The sentence as written in the evidence."""
        return self.sentence.text

    @property
    def span(self) -> Span:
        """The sentence as a quotation for the answer's trace."""
        return Span(self.evidence.rank, self.start, self.end)


def rank_candidates(task: Task, translator: Translator, meaning: Meaning | None = None) -> list[Candidate]:
    """Every sentence of the evidence with its score, best first; ties go to the better rank and the earlier place."""
    if {item.language for item in task.evidence} <= {task.language}:
        sentences = split_evidence(task.evidence, translator, with_english=False)
        coverage = _coverage(task.question, sentences, [sentence.text for sentence in sentences])
        candidates = _scored(task, sentences, coverage)
    else:
        candidates = _across_languages(task, translator, by_gloss=meaning is None)
    if meaning is not None:
        candidates = _with_meaning(task, candidates, meaning)
    return sorted(candidates, key=lambda item: (-item.score, item.evidence.rank, item.start))


def _with_meaning(task: Task, candidates: Sequence[Candidate], meaning: Meaning) -> list[Candidate]:
    """The candidates with their likeness to the question in their scores."""
    joined: list[Candidate] = []
    likeness_of = meaning.likenesses(task, [item.sentence for item in candidates])
    for item, likeness in zip(candidates, likeness_of, strict=True):
        weight = MEANING_WEIGHT if item.by_word else MEANING_WEIGHT_ACROSS
        by_meaning = MEANING_SCALE * likeness.strength - RANK_PENALTY * (item.evidence.rank - 1)
        score = (1 - weight) * item.score + weight * by_meaning
        joined.append(replace(item, score=score, likeness=likeness))
    return joined


def _across_languages(task: Task, translator: Translator, *, by_gloss: bool) -> list[Candidate]:
    """Candidates from evidence in several languages, or in another than the question's.

    A question that is translated word by word is compared with nothing unless `by_gloss`.
    """

    def question_in(target: str) -> Translation | None:
        translation = try_translate(translator, task.question, task.language, target)
        return translation if by_gloss or (translation and translation.kind not in GLOSSES) else None

    english = question_in(ENGLISH)
    from_memory = english is not None and english.kind != "model"
    sentences = split_evidence(task.evidence, translator, with_english=from_memory)
    if english and (english.match or 0.0) >= RELIABLE_MATCH and all(sentence.english for sentence in sentences):
        coverage = _coverage(english.text, sentences, [sentence.english for sentence in sentences])
        return _scored(task, sentences, coverage)
    in_ul = [sentence for sentence in sentences if sentence.language == task.language]
    coverage = _coverage(task.question, in_ul, [sentence.text for sentence in in_ul])
    candidates = _scored(task, in_ul, coverage)
    others = [sentence for sentence in sentences if sentence.language != task.language]
    in_english = [sentence for sentence in others if english and sentence.english]
    if english and in_english:
        texts = [sentence.english for sentence in in_english]
        candidates.extend(_scored(task, in_english, _by_word_or_sound(task, english.text, in_english, texts)))
    rest = [sentence for sentence in others if sentence not in in_english]
    for language in dict.fromkeys(sentence.language for sentence in rest):
        same = [sentence for sentence in rest if sentence.language == language]
        translation = question_in(language)
        question, texts = translation.text if translation else "", [sentence.text for sentence in same]
        coverage = _by_word_or_sound(task, question, same, texts)
        candidates.extend(_scored(task, same, coverage, by_word=translation is not None))
    return candidates


def _by_word_or_sound(
    task: Task, question: str, sentences: Sequence[EvidenceSentence], texts: Sequence[str]
) -> list[Coverage]:
    """By words of the translated question, or by transliteration where that matches more."""
    by_word = _coverage(question, sentences, texts)
    by_sound = _coverage(romanised(task.question), sentences, [romanised(text) for text in texts])
    weighted = [(ROMANISED_WEIGHT * a, ROMANISED_WEIGHT * b, ROMANISED_WEIGHT * c) for a, b, c in by_sound]
    return [max(pair) for pair in zip(by_word, weighted, strict=True)]


def _scored(
    task: Task, sentences: Sequence[EvidenceSentence], coverage: Sequence[Coverage], *, by_word: bool = True
) -> list[Candidate]:
    kind = question_type(task.question, task.language)
    candidates: list[Candidate] = []
    for sentence, (overlap, neighbours, passage) in zip(sentences, coverage, strict=True):
        score = overlap + NEIGHBOUR_WEIGHT * neighbours + PASSAGE_WEIGHT * passage
        score -= RANK_PENALTY * (sentence.evidence.rank - 1)
        text, language = (sentence.english, ENGLISH) if sentence.english else (sentence.text, sentence.language)
        if kind and holds_answer(kind, text, language):
            score += KIND_BONUS
        candidates.append(Candidate(sentence, overlap, score, by_word=by_word))
    return candidates


def _coverage(question: str, sentences: Sequence[EvidenceSentence], texts: Sequence[str]) -> list[Coverage]:
    """How much of `question` each sentence repeats; `texts` are the sentences as they are compared."""
    text_grams = [grams(text) for text in texts]
    weights = rarity_weights(grams(question), text_grams)
    passages: dict[int, float] = {}
    for item in {sentence.evidence.rank: sentence.evidence for sentence in sentences}.values():
        of_passage = [
            each for each, sentence in zip(text_grams, sentences, strict=True) if sentence.evidence.rank == item.rank
        ]
        passages[item.rank] = covered_weight(weights, union([*of_passage, grams(item.passage.title)]))
    coverage: list[Coverage] = []
    for at, sentence in enumerate(sentences):
        rank = sentence.evidence.rank
        beside = [n for n in (at - 1, at + 1) if 0 <= n < len(sentences) and sentences[n].evidence.rank == rank]
        neighbours = union(text_grams[n] for n in beside) - text_grams[at]
        coverage.append((covered_weight(weights, text_grams[at]), covered_weight(weights, neighbours), passages[rank]))
    return coverage
