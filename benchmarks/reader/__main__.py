"""How many of XQuAD's answers the built-in reader quotes: python -m benchmarks.reader --xquad DIR

Questions and passages are in one language (mode monorag): the question's five best passages by BM25 among the
language's 240, then the reader.  Prints one row per language: mean character 3-gram recall, flexible EM, the mean
length of the answers in characters, and milliseconds per question for reading, warm.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from workbench.core.records import Evidence, Passage, Prompt, Query, Task
from workbench.languages.catalogue import language
from workbench.metrics.answers.char3_recall import char3_recall
from workbench.metrics.answers.flexible_em import flexible_em
from workbench.models.translation.builtin_translator import BuiltinTranslator
from workbench.models.translation.translation_memory import TranslationMemory
from workbench.pipeline.reader.extractive import ExtractiveReader
from workbench.retrieval.lexical import LexicalIndex

LANGUAGES = ("en", "zh", "th", "ar", "de", "es", "ru", "tr")
DEPTH = 5
"""Passages per question."""


@dataclass(frozen=True, slots=True)
class Row:
    """One language's figures: shares and recall in [0, 1], characters, milliseconds."""

    language: str
    questions: int
    retrieved: float
    recall: float
    flexible_em: float
    characters: float
    milliseconds: float


@dataclass(frozen=True, slots=True)
class XquadQuestion:
    """A question with its gold answers and its paragraph's id."""

    text: str
    golds: tuple[str, ...]
    paragraph: str


def load(path: Path, passage_language: str) -> tuple[list[Passage], list[XquadQuestion]]:
    """A file's paragraphs as passages, and its questions."""
    passages: list[Passage] = []
    questions: list[XquadQuestion] = []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            name = f"p{len(passages)}"
            passages.append(Passage(name, name, "", passage_language, paragraph["context"]))
            questions.extend(
                XquadQuestion(item["question"], tuple(gold["text"] for gold in item["answers"]), name)
                for item in paragraph["qas"]
            )
    return passages, questions


def measure(path: Path, xquad_language: str) -> Row:
    """One language's row."""
    passages, questions = load(path, xquad_language)
    with tempfile.TemporaryDirectory() as folder:
        LexicalIndex.build(Path(folder), passages)
        index = LexicalIndex.open(Path(folder))
        queries = [Query(question.text, xquad_language, (xquad_language,)) for question in questions]
        rankings = index.retrieve(queries, DEPTH)
    retrieved = [
        any(hit.id == question.paragraph for hit in hits) for question, hits in zip(questions, rankings, strict=True)
    ]
    tasks = [
        Task(
            question.text,
            xquad_language,
            _evidence(passages, [hit.row for hit in hits]),
            answer_language=xquad_language,
        )
        for question, hits in zip(questions, rankings, strict=True)
    ]
    prompts = [Prompt("", "", task) for task in tasks]
    reader = ExtractiveReader(BuiltinTranslator(TranslationMemory(())))
    reader.generate(prompts[:50])
    answers: list[str] = []
    seconds: list[float] = []
    for prompt in prompts:
        start = time.perf_counter()
        answers.append(reader.generate([prompt])[0].text)
        seconds.append(time.perf_counter() - start)
    facts = language(xquad_language)
    pairs = list(zip(answers, questions, strict=True))
    recalls = [char3_recall(answer, question.golds, language=facts).value for answer, question in pairs]
    matches = [flexible_em(answer, question.golds, language=facts).value for answer, question in pairs]
    return Row(
        xquad_language,
        len(questions),
        fmean(retrieved),
        fmean(value for value in recalls if value is not None),
        fmean(value for value in matches if value is not None),
        fmean(len(answer) for answer in answers),
        1000 * median(seconds),
    )


def _evidence(passages: Sequence[Passage], rows: Sequence[int]) -> tuple[Evidence, ...]:
    return tuple(Evidence(passages[row], rank) for rank, row in enumerate(rows, start=1))


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reader", description=__doc__)
    parser.add_argument("--xquad", type=Path, required=True, help="folder with xquad.en.json and the others")
    folder = parser.parse_args().xquad
    print("| language | n | gold passage in 5 | char 3-gram recall | flexible EM | mean characters | ms (p50) |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    rows: list[Row] = []
    for name in LANGUAGES:
        row = measure(folder / f"xquad.{name}.json", name)
        rows.append(row)
        print(
            f"| {row.language} | {row.questions} | {row.retrieved:.3f} | {row.recall:.3f} | {row.flexible_em:.3f} | "
            f"{row.characters:.0f} | {row.milliseconds:.1f} |",
            flush=True,
        )
    print(
        f"| mean | | {fmean(row.retrieved for row in rows):.3f} | {fmean(row.recall for row in rows):.3f} | "
        f"{fmean(row.flexible_em for row in rows):.3f} | {fmean(row.characters for row in rows):.0f} | |"
    )


if __name__ == "__main__":
    main()
