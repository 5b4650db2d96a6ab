"""Synthetic passages in any number, composed of sentences drawn at random (seed fixed), and real questions.

The sentences come from the packaged sample or from XQuAD. A passage has about 100 words (100 characters in scripts
without spaces). Few distinct sentences in many passages is harder than real text: every word is common.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.segmentation import xquad
from workbench.core.records import Passage
from workbench.languages.catalogue import language as known_language
from workbench.languages.segment import sentences, words

SEED = 20
PASSAGE_SIZE = 100


@dataclass(frozen=True, slots=True)
class SyntheticCorpus:
    """Sentences with their sizes, and questions, by language; all languages get an equal share of the passages."""

    source: str
    sentences: dict[str, list[tuple[str, int]]]
    questions: list[tuple[str, str]]

    def passages(self, count: int) -> Iterator[Passage]:
        """A stream of `count` passages, the same each time."""
        generator = random.Random(SEED)
        languages = sorted(self.sentences)
        for number in range(count):
            language = languages[number % len(languages)]
            text: list[str] = []
            size = 0
            while size < PASSAGE_SIZE:
                sentence, length = generator.choice(self.sentences[language])
                text.append(sentence)
                size += length
            yield Passage(f"p{number}", f"d{number}", "", language, " ".join(text))

    def sample_questions(self, count: int) -> list[tuple[str, str]]:
        """`count` questions with their languages, drawn from all."""
        return random.Random(SEED).sample(self.questions, min(count, len(self.questions)))


def load_corpus(directory: Path | None, languages: list[str] | None) -> SyntheticCorpus:
    """From XQuAD in `directory`, or from the packaged sample where there is none; all languages by default."""
    if directory is not None:
        languages = languages or xquad.languages(directory)
        by_language = {language: xquad.load(directory, language) for language in languages}
        texts = {language: [passage.text for passage in passages] for language, (passages, _) in by_language.items()}
        questions = [(question.text, name) for name, (_, loaded) in by_language.items() for question in loaded]
        return SyntheticCorpus(f"XQuAD {','.join(languages)}", _with_sizes(texts), questions)
    from workbench.data.corpora.sample import content

    languages = languages or list(content.languages())
    texts = {name: [p.text for p in content.passages() if p.language == name] for name in languages}
    questions = [(question.text, name) for name in languages for question in content.questions(name)]
    return SyntheticCorpus(f"sample {','.join(languages)}", _with_sizes(texts), questions)


def _with_sizes(texts: dict[str, list[str]]) -> dict[str, list[tuple[str, int]]]:
    def size(language: str, sentence: str) -> int:
        return len(sentence) if known_language(language).spaceless else max(1, len(words(sentence)))

    return {
        language: [
            (text[start:end], size(language, text[start:end])) for text in parts for start, end in sentences(text)
        ]
        for language, parts in texts.items()
    }
