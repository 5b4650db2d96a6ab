"""Which abstentions and denials of models are recognised: `python -m benchmarks.abstention [--xquad DIR]`.

Over held_out.yaml, own wording in 19 languages by another hand than the texts that were learnt from. Prints, by
language and for all, the share of abstentions that `abstains` recognises, the share of other texts that it leaves
alone, and, of answers to the sample's four questions with a false premise the share of denials that count as right and
of acceptances that count as wrong. The languages share their topics, so the 95 % intervals over all are somewhat too
narrow. Then how many of the sample's golds that were not learnt from are left alone and, with XQuAD in DIR, how many
answers of the built-in reader to its questions, each from the paragraph that answers it: quotations all.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from benchmarks.abstention.learn import golds, labelled, premises, read
from benchmarks.reader.__main__ import LANGUAGES, load
from workbench.core.records import Evidence, Prompt, Task
from workbench.metrics.answers.abstention import abstains, denies
from workbench.metrics.statistics.intervals import mean_interval
from workbench.models.translation.builtin_translator import BuiltinTranslator
from workbench.models.translation.translation_memory import TranslationMemory
from workbench.pipeline.reader.extractive import ExtractiveReader

EVERY = 30
"""Of the questions of XQuAD, those whose number can be divided by it."""


def share(hits: Sequence[bool]) -> str:
    """A share with its interval and the number of texts."""
    values = [float(hit) for hit in hits]
    interval = mean_interval(values)
    bounds = f" ({interval.low:.3f}–{interval.high:.3f})" if interval else ""
    return f"{sum(values) / len(values):.3f}{bounds}, n {len(values)}"


def quotations(directory: Path) -> list[str]:
    """What the built-in reader quotes of XQuAD's paragraphs; nothing where it says that nothing bears on a question."""
    reader, tasks = ExtractiveReader(BuiltinTranslator(TranslationMemory(()))), []
    for code in LANGUAGES:
        passages, questions = load(directory / f"xquad.{code}.json", code)
        tasks += [Task(item.text, code, (Evidence(passages[item.paragraph], 1),), code) for item in questions[::EVERY]]
    generations = reader.generate([Prompt("", "", task) for task in tasks])
    return [generation.text for generation in generations if generation.spans]


def main() -> None:
    """Prints a line for each language and one for all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.abstention", description=__doc__)
    parser.add_argument("--xquad", type=Path, metavar="DIR", help="folder with xquad.<language>.json")
    arguments = parser.parse_args()
    print("| language | abstentions recognised | others left alone | denials right | acceptances wrong |")
    print("| --- | --- | --- | --- | --- |")
    columns: defaultdict[tuple[str, bool], list[bool]] = defaultdict(list)
    for code, texts in read("held_out.yaml").items():
        mine: defaultdict[tuple[str, bool], list[bool]] = defaultdict(list)
        for text, label in labelled({code: texts}):
            mine["abstains", label].append(abstains(text) is label)
        for text, denial, _ in premises({code: texts}):
            mine["denies", denial].append(bool(abstains(text) or denies(text)) is denial)
        for column, hits in mine.items():
            columns[column] += hits
        print(f"| {code} | {' | '.join(f'{sum(hits) / len(hits):.3f}' for hits in mine.values())} |")
    print(f"| all | {' | '.join(share(hits) for hits in columns.values())} |")
    unseen = set(golds(1)) - set(golds(0))
    print(f"\nGolds of the sample left alone: {share([abstains(gold) is False for gold in unseen])}")
    if arguments.xquad:
        quoted = quotations(arguments.xquad)
        print(f"Quotations of the built-in reader left alone: {share([abstains(text) is False for text in quoted])}")


if __name__ == "__main__":
    main()
