"""Texts to compare implementations on: random ones with edge cases, and answers of XQuAD where it is available."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

XQUAD = Path(__file__).parents[3] / "shared" / "data" / "xquad"
LANGUAGES = ("en", "de", "es", "ru", "ar", "zh", "th", "tr")

PIECES = (
    "the", "The", "a", "A", "an", "AN", "theory", "banana", "a.", ".a", "'the'", "the-end", "_a", "a_", "½a",
    "a½", "x\u0301a", "á", "a²", "²a", "the\u200bend", "a\u200ba", "Marconi", "marconi", "Kovalevskaya",
    "aaaa", "aaa", "aa", "ab", "abab", "café", "cafe\u0301", "naïve", "L'été", "straße", "STRASSE",
    "İstanbul", "北京", "答案是北京。", "東京タワー", "กรุงเทพ", "ที่", "हिन्दी", "हिंदी", "Попов", "ПОПОВ", "القاهرة",
    "للقاهرة", "마르코니가", "1895", "1895年", "١٨٩٥", "²", "!", "?", "…", "—", "。", "،", "¿", "«", "»", "\t",
    "\n", "\xa0", "\u2028", "\x1c", "\x00", "\x07", "\u0301", "😀", "ﬁn", "Ⅳ", "㎞",
)  # fmt: skip


def written_texts() -> list[str]:
    """The sample's passages and questions, and XQuAD's where it is available."""
    from benchmarks.segmentation import xquad
    from workbench.data.corpora.sample import content

    texts = [passage.searchable for passage in content.passages()]
    texts += [question.text for language in content.languages() for question in content.questions(language)]
    for language in xquad.languages(XQUAD) if XQUAD.is_dir() else ():
        passages, questions = xquad.load(XQUAD, language)
        texts += [passage.searchable for passage in passages] + [question.text for question in questions]
    return texts


def random_text(generator: random.Random, most: int = 8) -> str:
    """Some pieces, separated by nothing or by white space of several kinds."""
    return "".join(
        generator.choice(PIECES) + generator.choice(("", " ", " ", " ", "  ", "\n"))
        for _ in range(generator.randrange(most + 1))
    )


def pairs(number: int, seed: int, most: int = 8) -> list[tuple[str, list[str]]]:
    """Answers with one to three golds; half of the answers hold one of their golds."""
    generator = random.Random(seed)
    examples: list[tuple[str, list[str]]] = []
    for _ in range(number):
        golds = [random_text(generator, 4) for _ in range(generator.randrange(1, 4))]
        answer = random_text(generator, most)
        if generator.random() < 0.5:
            answer += generator.choice(golds) + random_text(generator, 2)
        examples.append((answer, golds))
    return examples


def real_pairs(code: str, number: int) -> list[tuple[str, list[str]]]:
    """XQuAD's answers in a language, each with some context; skips where the data is not available."""
    file = XQUAD / f"xquad.{code}.json"
    if not file.is_file():
        pytest.skip("XQuAD is for development only and is not part of the project")
    examples = []
    for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                answer = question["answers"][0]
                start = max(0, answer["answer_start"] - 60)
                examples.append((paragraph["context"][start : start + 200], [answer["text"]]))
    return examples[:: max(1, len(examples) // number)]
