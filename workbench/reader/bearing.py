"""Whether anything in the evidence bears on the question, so that the reader can answer that nothing does.

The measure is the share of the question's content words (`content_words`) that one passage repeats, title included:
compared in the question's language, in English, or with the question translated to the passage's language, whichever
is most. The likeness of the dense retriever is not used: on the sample it is no lower for questions off every topic, of
which the built-in encoder knows few words, than for questions that have an answer. Figures: benchmarks/reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.languages import ENGLISH
from workbench.protocols import Translator
from workbench.reader.content_words import content_of, content_share
from workbench.reader.evidence_sentences import EvidenceSentence, reliable_english
from workbench.reader.overlap import grams, romanised, union
from workbench.reader.rendering import LEAST_MATCH, try_translate
from workbench.reader.sentence_scoring import ROMANISED_WEIGHT
from workbench.records import Evidence, Task

LEAST_SHARE = 0.34
"""Below this share of the question's content in every passage, a little more than a third, nothing bears on it."""


@dataclass(frozen=True, slots=True)
class ContentCoverage:
    """Shares in [0, 1] of the question's content: of each sentence, and the largest of a passage; titles included."""

    sentences: tuple[float, ...]
    passage: float

    @property
    def bears(self) -> bool:
        """Whether some passage bears on the question."""
        return self.passage >= LEAST_SHARE


def content_coverage(
    task: Task, sentences: Sequence[EvidenceSentence], translator: Translator
) -> ContentCoverage | None:
    """How much of the question's content the sentences of the evidence repeat.

    None where that cannot be known: the question has no content words, or no sentence is in a language in which the
    translator has the question.
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
        question = _question_in(language, task, translator)
        is_comparable = is_comparable or question != ""
        titles = {item.rank: _title_in(language, item, translator) for item in (sentences[at].evidence for at in texts)}
        wordings: list[tuple[float, str, Callable[[str], str]]] = [(1.0, content_of(question, language), str)]
        if language != task.language:
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


def _question_in(language: str, task: Task, translator: Translator) -> str:
    """The question in a language, "" where the translator knows too little of it."""
    if language == task.language:
        return task.question
    translation = try_translate(translator, task.question, task.language, language)
    if translation is None or (translation.match is not None and translation.match < LEAST_MATCH):
        return ""
    return translation.text
