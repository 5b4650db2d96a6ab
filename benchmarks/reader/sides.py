"""Does D-RAG name every side of the sample's conflicts? python -m benchmarks.reader.sides

Conflict questions in 13 languages, from the five documents of mode `drag` and from the question's gold passage alone
where it has one. A side is a set of gold answers that name the same (each is part of another, or nearly alike); it is
named where one of them is found in the output.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from rapidfuzz.fuzz import partial_ratio

from workbench.app.workbench import Workbench
from workbench.components.factory import generator
from workbench.core.records import Evidence
from workbench.data.corpora import sample
from workbench.languages.catalogue import language
from workbench.metrics.answers.flexible_em import flexible_em
from workbench.pipeline.recipe import Recipe
from workbench.workspace.settings import load

ALIKE = 75
"""From this ratio in [0, 100] two answers name the same."""


def sides(answers: tuple[str, ...]) -> list[list[str]]:
    """The answers, those that name the same together."""
    groups: list[list[str]] = []
    for answer in answers:
        group = next((each for each in groups if any(partial_ratio(answer, other) >= ALIKE for other in each)), None)
        if group is None:
            groups.append([answer])
        else:
            group.append(answer)
    return groups


def main() -> None:
    """Prints a line for each language and one for all: sides named from all documents, and from the gold passage."""
    counts: defaultdict[str, list[bool]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench(load(Path(folder)))
        recipe = Recipe(mode="drag")
        reader = generator(recipe.generator, Path(folder))
        passages = {passage.id: passage for passage in sample.passages()}
        print("| language | from five documents | n | from the gold passage | n |\n| --- | --- | --- | --- | --- |")
        for code in sample.languages():
            mine: defaultdict[str, list[bool]] = defaultdict(list)
            for question in sample.questions(code):
                if question.evidence_in != "conflict":
                    continue
                answer = bench.ask(question.text, code, recipe, cached=False)
                outputs = {"five": answer.generation.text}
                for gold in question.gold[:1]:
                    task = replace(answer.prompt.task, evidence=(Evidence(passages[gold], 1),))
                    outputs["gold"] = reader.generate([replace(answer.prompt, task=task)])[0].text
                for name, text in outputs.items():
                    mine[name] += [
                        bool(flexible_em(text, side, language=language(code)).value) for side in sides(question.answers)
                    ]
            for name, values in mine.items():
                counts[name] += values
            print(_line(code, mine), flush=True)
        print(_line("all", counts))


def _line(name: str, values: dict[str, list[bool]]) -> str:
    cells = [f"{sum(values[key]) / max(1, len(values[key])):.3f} | {len(values[key])}" for key in ("five", "gold")]
    return f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
