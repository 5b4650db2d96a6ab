"""How much of XQuAD's answers the built-in reader finds: python -m benchmarks.reader --xquad DIR

Every question is asked in its own language (mode monorag): its five best passages by BM25 among the language's 240,
then the reader.  Prints one row a language: mean character 3-gram recall, the share of answers that hold a gold
answer whole, the mean length of the answers in characters, and milliseconds a question for reading, warm.
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

from workbench.languages import language
from workbench.metrics.answers.char3_recall import char3_recall
from workbench.metrics.answers.flexible_em import flexible_em
from workbench.reader.extractive import ExtractiveReader
from workbench.records import Evidence, Passage, Prompt, Query, Task
from workbench.retrieval.lexical import LexicalIndex
from workbench.translation.memory.builtin_translator import BuiltinTranslator
from workbench.translation.memory.translation_memory import TranslationMemory

LANGUAGES = ("en", "zh", "th", "ar", "de", "es", "ru", "tr")
KEPT = 5


@dataclass(frozen=True, slots=True)
class Row:
    """One language's figures: recall and whole-answer share in [0, 1], characters, milliseconds."""

    code: str
    asked: int
    retrieved: float
    recall: float
    whole: float
    length: float
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its gold answers and its paragraph's id."""

    text: str
    golds: tuple[str, ...]
    paragraph: str


def load(path: Path, code: str) -> tuple[list[Passage], list[Asked]]:
    """A file's paragraphs as passages, and its questions."""
    passages: list[Passage] = []
    asked: list[Asked] = []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            name = f"p{len(passages)}"
            passages.append(Passage(name, name, "", code, paragraph["context"]))
            asked.extend(
                Asked(item["question"], tuple(gold["text"] for gold in item["answers"]), name)
                for item in paragraph["qas"]
            )
    return passages, asked


def measure(path: Path, code: str) -> Row:
    """One language's row."""
    passages, asked = load(path, code)
    with tempfile.TemporaryDirectory() as folder:
        LexicalIndex.build(Path(folder), passages)
        index = LexicalIndex.open(Path(folder))
        rankings = index.retrieve([Query(item.text, code, (code,)) for item in asked], KEPT)
    found = sum(any(hit.id == item.paragraph for hit in hits) for item, hits in zip(asked, rankings, strict=True))
    prompts = [
        Prompt("", "", Task(item.text, code, _evidence(passages, [hit.row for hit in hits]), answer_language=code))
        for item, hits in zip(asked, rankings, strict=True)
    ]
    reader = ExtractiveReader(BuiltinTranslator(TranslationMemory(())))
    reader.generate(prompts[:50])
    answers: list[str] = []
    seconds: list[float] = []
    for prompt in prompts:
        begun = time.perf_counter()
        answers.append(reader.generate([prompt])[0].text)
        seconds.append(time.perf_counter() - begun)
    tongue = language(code)
    pairs = list(zip(answers, asked, strict=True))
    recalls = [char3_recall(answer, item.golds, language=tongue).value for answer, item in pairs]
    wholes = [flexible_em(answer, item.golds, language=tongue).value for answer, item in pairs]
    return Row(
        code,
        len(asked),
        found / len(asked),
        fmean(value for value in recalls if value is not None),
        fmean(value for value in wholes if value is not None),
        fmean(len(answer) for answer in answers),
        1000 * median(seconds),
    )


def _evidence(passages: Sequence[Passage], rows: Sequence[int]) -> tuple[Evidence, ...]:
    return tuple(Evidence(passages[row], rank) for rank, row in enumerate(rows, start=1))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reader", description=__doc__)
    parser.add_argument("--xquad", type=Path, required=True, help="folder with xquad.en.json and the others")
    folder = parser.parse_args().xquad
    print("| language | n | gold passage in 5 | char 3-gram recall | whole answer | mean characters | ms (p50) |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    rows: list[Row] = []
    for code in LANGUAGES:
        row = measure(folder / f"xquad.{code}.json", code)
        rows.append(row)
        print(
            f"| {row.code} | {row.asked} | {row.retrieved:.3f} | {row.recall:.3f} | {row.whole:.3f} | "
            f"{row.length:.0f} | {row.milliseconds:.1f} |",
            flush=True,
        )
    print(
        f"| mean | | {fmean(r.retrieved for r in rows):.3f} | {fmean(r.recall for r in rows):.3f} | "
        f"{fmean(r.whole for r in rows):.3f} | {fmean(r.length for r in rows):.0f} | |"
    )


if __name__ == "__main__":
    main()
