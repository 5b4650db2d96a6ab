"""Whether anything in the evidence bears on the question, so that the reader can answer that nothing does.

The measure is the share of the question's content words (`content_words`) that one passage repeats, title included:
compared in the question's language, in English, or with the question translated to the passage's language, whichever
is most. The likeness of the built-in encoder is not used: on the sample it is no lower for questions off every topic,
of which that encoder knows few words, than for questions that have an answer.

An encoder of meaning gives an estimate for all languages; then words count only where they are compared in one
language: they can show that a passage bears on the question, and, where all the evidence is compared so, that none
does. Figures: benchmarks/reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from statistics import fmean

from workbench.core import Evidence, Task, Translator
from workbench.languages import ENGLISH
from workbench.pipeline.reader.content_words import content_of, content_share
from workbench.pipeline.reader.evidence_sentences import EvidenceSentence, reliable_english
from workbench.pipeline.reader.overlap import grams, romanised, union
from workbench.pipeline.reader.rendering import LEAST_COMPARED_MATCH, try_translate
from workbench.pipeline.reader.sentence_scoring import GLOSSES, ROMANISED_WEIGHT, Candidate

LEAST_SHARE = 0.34
"""Below this share of the question's content in every passage, a little more than a third, nothing bears on it."""
REPEATED_SHARE = 0.8
"""With an encoder of meaning, a passage bears on the question that repeats this share of its content …"""
LEAST_CHANCE = 0.25
"""… or where the estimate by likeness that one does, in [0, 1], is at least this."""
OF_SENTENCE, OF_PASSAGE, OF_BACKGROUND, OF_LEAD = 11.0, 73.0, -20.0, 98.0
"""Weights of cosines in that estimate, a logistic: of the best sentence, of the best passage, of any text, and of the
best sentence's lead over the mean of the passages' best."""
SAME_LANGUAGE = -2.8
"""What is added where the best sentence is in the question's language: there cosines are larger."""
CONSTANT = -55.5
USUAL_LEAD = 0.025
"""The lead that is assumed of fewer than FEW_PASSAGES passages, which do not show it."""
FEW_PASSAGES = 3


@dataclass(frozen=True, slots=True)
class ContentCoverage:
    """Shares in [0, 1] of the question's content: of each sentence, and the largest of a passage; titles included."""

    sentences: tuple[float, ...]
    passage: float


def content_coverage(
    task: Task, sentences: Sequence[EvidenceSentence], translator: Translator, *, by_gloss: bool = True
) -> ContentCoverage | None:
    """How much of the question's content the sentences of the evidence repeat.

    None where that cannot be known: the question has no content words, or no sentence is in a language in which the
    translator has the question. Without `by_gloss` nothing is compared with a translation word by word, or by sound.
    """
    content = content_of(task.question, task.language)
    if not content:
        return None
    best = [0.0] * len(sentences)
    passage = 0.0
    is_comparable = False
    for language in dict.fromkeys((task.language, ENGLISH, *(sentence.language for sentence in sentences))):
        texts = _texts_in(language, sentences)
        is_foreign = language not in (task.language, ENGLISH)
        if not texts or (is_foreign and all(sentences[place].english for place in texts)):
            continue
        question = _question_in(language, task, translator, by_gloss)
        is_comparable = is_comparable or question != ""
        titles = {item.rank: _title_in(language, item, translator) for item in (sentences[at].evidence for at in texts)}
        wordings: list[tuple[float, str, Callable[[str], str]]] = [(1.0, content_of(question, language), str)]
        if language != task.language and by_gloss:
            wordings.append((ROMANISED_WEIGHT, romanised(content), romanised))
        for weight, wording, spelt in wordings:
            passages = {rank: [grams(spelt(title))] for rank, title in titles.items()}
            for place, text in texts.items():
                parts = passages[sentences[place].evidence.rank]
                parts.append(grams(spelt(text)))
                best[place] = max(best[place], weight * content_share(wording, parts[0] | parts[-1]))
            shares = (content_share(wording, union(parts)) for parts in passages.values())
            passage = max(passage, weight * max(shares))
    return ContentCoverage(tuple(best), passage) if is_comparable else None


def silence(task: Task, candidates: Sequence[Candidate], coverage: ContentCoverage | None) -> str:
    """Why nothing is quoted, "" where some passage bears on the question, or where that cannot be known.

    `candidates` are all sentences, at least one.
    """
    if coverage and coverage.passage < LEAST_SHARE and not any(item.is_by_meaning for item in candidates):
        return (
            f"It quotes nothing here: no document repeats more than {coverage.passage:.0%} of the question's content, "
            f"and it needs {LEAST_SHARE:.0%}."
        )
    is_repeated = coverage is not None and coverage.passage >= REPEATED_SHARE
    if is_repeated or not candidates[0].likeness:
        return ""
    chance = chance_by_meaning(task, candidates)
    if chance >= LEAST_CHANCE:
        return ""
    return (
        f"It quotes nothing here: it takes the chance that some document bears on the question to be {chance:.0%}, "
        f"and it needs {LEAST_CHANCE:.0%}."
    )


def chance_by_meaning(task: Task, candidates: Sequence[Candidate]) -> float:
    """The estimate in [0, 1] that some passage bears on the question; candidates without likeness do not count."""
    pairs = [(item, item.likeness) for item in candidates if item.likeness]
    item, best = max(pairs, key=lambda pair: pair[1].sentence)
    of_passages: dict[int, float] = {}
    for candidate, likeness in pairs:
        rank = candidate.evidence.rank
        of_passages[rank] = max(of_passages.get(rank, -1.0), likeness.sentence)
    lead = best.sentence - fmean(of_passages.values()) if len(of_passages) >= FEW_PASSAGES else USUAL_LEAD
    log_odds = (
        CONSTANT
        + OF_SENTENCE * best.sentence
        + OF_PASSAGE * max(likeness.passage for _, likeness in pairs)
        + OF_BACKGROUND * best.background
        + OF_LEAD * lead
        + (SAME_LANGUAGE if item.evidence.language == task.language else 0.0)
    )
    return 1 / (1 + exp(-log_odds))


def _texts_in(language: str, sentences: Sequence[EvidenceSentence]) -> dict[int, str]:
    """The sentences that are in a language, or known in it, by their place."""
    if language == ENGLISH:
        english = ((place, sentence.english or sentence.text) for place, sentence in enumerate(sentences))
        return {
            place: text for place, text in english if sentences[place].english or sentences[place].language == ENGLISH
        }
    return {place: sentence.text for place, sentence in enumerate(sentences) if sentence.language == language}


def _title_in(language: str, item: Evidence, translator: Translator) -> str:
    """The title of a passage in its language or in English, "" where it is not known in that language."""
    if item.language == language or not item.title:
        return item.title
    return reliable_english(item.title, item.language, translator) if language == ENGLISH else ""


def _question_in(language: str, task: Task, translator: Translator, by_gloss: bool) -> str:
    """The question in a language, "" where the translator knows too little of it."""
    if language == task.language:
        return task.question
    translation = try_translate(translator, task.question, task.language, language)
    if translation is None or (translation.match is not None and translation.match < LEAST_COMPARED_MATCH):
        return ""
    return translation.text if by_gloss or translation.kind not in GLOSSES else ""
