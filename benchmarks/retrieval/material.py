"""Passages of any number, made by drawing sentences at random (seed fixed), and real questions to ask them.

The sentences come from the packaged sample or from XQuAD. A drawn passage has about 100 words (100 characters in
scripts without spaces). Few distinct sentences in many passages is harder than real text: every word is common.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.segmentation import xquad
from workbench.languages import language, sentences, words
from workbench.records import Passage

SEED = 20
PASSAGE_SIZE = 100


@dataclass(frozen=True, slots=True)
class Material:
    """Sentences with their sizes, and questions, by language; all languages get an equal share of the passages."""

    source: str
    sentences: dict[str, list[tuple[str, int]]]
    questions: list[tuple[str, str]]

    def passages(self, count: int) -> Iterator[Passage]:
        """A stream of `count` passages, the same each time."""
        drawn = random.Random(SEED)
        codes = sorted(self.sentences)
        for number in range(count):
            code = codes[number % len(codes)]
            text: list[str] = []
            size = 0
            while size < PASSAGE_SIZE:
                sentence, length = drawn.choice(self.sentences[code])
                text.append(sentence)
                size += length
            yield Passage(f"p{number}", f"d{number}", "", code, " ".join(text))

    def asked(self, count: int) -> list[tuple[str, str]]:
        """`count` questions with their languages, drawn from all."""
        return random.Random(SEED).sample(self.questions, min(count, len(self.questions)))


def gather(directory: Path | None, codes: list[str] | None) -> Material:
    """From XQuAD in `directory`, or from the packaged sample where none is given."""
    if directory is not None:
        chosen = codes or xquad.languages(directory)
        loaded = {code: xquad.load(directory, code) for code in chosen}
        texts = {code: [passage.text for passage in passages] for code, (passages, _) in loaded.items()}
        questions = [(question.text, code) for code, (_, asked) in loaded.items() for question in asked]
        return Material(f"XQuAD {','.join(chosen)}", _sized(texts), questions)
    from workbench.corpora.sample import content

    chosen = codes or list(content.languages())
    texts = {code: [p.text for p in content.passages() if p.language == code] for code in chosen}
    questions = [(question.text, code) for code in chosen for question in content.questions(code)]
    return Material(f"sample {','.join(chosen)}", _sized(texts), questions)


def _sized(texts: dict[str, list[str]]) -> dict[str, list[tuple[str, int]]]:
    return {
        code: [
            (text[start:end], end - start if language(code).spaceless else max(1, len(words(text[start:end]))))
            for text in parts
            for start, end in sentences(text)
        ]
        for code, parts in texts.items()
    }
