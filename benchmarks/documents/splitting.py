"""Which way of splitting people's documents finds and quotes answers, and what is wrongly left out of them?

    python -m benchmarks.documents.splitting --xquad DIR [--questions 400] [--methods words-100 passages-100]

Each of XQuAD's 48 articles is a text file in one of eight languages, in turn; the questions are asked in English, of
all of them. *First*, *any*: the first passage, or any of the evidence, is of the article and holds the gold answer;
*quoted*: a sentence that the built-in reader quotes holds it. Nothing of these texts is a list of references, so
every line that is left out is an error.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.reader.__main__ import LANGUAGES, letters
from workbench.app.workbench import Workbench
from workbench.components.retrievers import index_dense
from workbench.core.records import Answer
from workbench.data.corpora.build import quiet
from workbench.data.documents.isolated_reading import OcrRequest
from workbench.data.documents.reading import ReadingOptions, add_files
from workbench.pipeline.recipe import Recipe
from workbench.workspace.settings import load as settings


class FileQuestion(NamedTuple):
    """An English question, the file that answers it, and the answer in the file's language."""

    text: str
    file: str
    gold: str


def write_articles(xquad: Path, folder: Path) -> tuple[list[Path], list[FileQuestion]]:
    """Writes the articles; returns the files, which are named by language and number, and all questions."""
    data = {code: json.loads((xquad / f"xquad.{code}.json").read_text(encoding="utf-8"))["data"] for code in LANGUAGES}
    files, questions = [], []
    for number, english in enumerate(data["en"]):
        code = LANGUAGES[number % len(LANGUAGES)]
        paragraphs = data[code][number]["paragraphs"]
        files.append(folder / f"{code}-{number}.txt")
        files[-1].write_text("\n\n".join(item["context"] for item in paragraphs), encoding="utf-8")
        for here, there in zip(paragraphs, english["paragraphs"], strict=True):
            questions += [
                FileQuestion(translation["question"], files[-1].name, item["answers"][0]["text"])
                for item, translation in zip(here["qas"], there["qas"], strict=True)
            ]
    return files, questions


def outcome(question: FileQuestion, answer: Answer) -> tuple[bool, bool, bool, int]:
    """Whether the first passage, any and a quotation hold the gold answer, and the characters of the evidence."""
    gold = letters(question.gold)
    holds = [item.passage.document == question.file and gold in letters(item.text) for item in answer.evidence]
    texts = {item.rank: item.text for item in answer.evidence}
    quoted = [texts[span.rank][span.start : span.end] for span in answer.generation.spans]
    return holds[0], any(holds), any(gold in letters(text) for text in quoted), sum(map(len, texts.values()))


def main() -> None:
    """Asks every question of every corpus and prints a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xquad", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--methods", nargs="+", default=["words-100", "passages-100"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        bench = Workbench(settings(home / "home"))
        files, questions = write_articles(arguments.xquad, home)
        drawn = random.Random(7).sample(questions, arguments.questions)
        languages = {file.name: file.name[:2] for file in files}
        print("| method | passages | left out | first | any | quoted | by language | characters of evidence |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for method in arguments.methods:
            options = ReadingOptions(method, languages=languages, ocr=OcrRequest("off"))
            added = add_files(bench.library, method, files, options)
            recipe = Recipe(corpus=method, scope="all")
            index_dense(bench.corpus(method), recipe, home, quiet)
            rows = [outcome(item, bench.ask(item.text, "en", recipe, cached=False)) for item in drawn]
            first, any_passage, quoted, characters = np.mean(np.array(rows, dtype=float), axis=0)
            pairs = [(item.file[:2], row[2]) for row, item in zip(rows, drawn, strict=True)]
            by = " ".join(f"{code} {np.mean([right for at, right in pairs if at == code]):.2f}" for code in LANGUAGES)
            print(
                f"| {method} | {added.report.passages} | {added.report.furniture.total()} | {first:.3f} "
                f"| {any_passage:.3f} | {quoted:.3f} | {by} | {characters:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
