"""`python -m benchmarks.scopes`: the sample's questions answered from English documents alone, and from all languages.

Every question that has an answer, in each language, under the default recipe with the built-in reader; only the scope
differs. An answer is right where it contains a gold answer (`flexible_em`). The file that is written is the one whose
figures Home states.
"""

from __future__ import annotations

import tempfile
from datetime import date
from pathlib import Path

import yaml

from workbench.app.workbench import Workbench
from workbench.data.corpora import sample
from workbench.languages.catalogue import language
from workbench.metrics.answers.flexible_em import flexible_em
from workbench.metrics.statistics.intervals import clustered_interval
from workbench.pipeline.recipe import EXTRACTIVE, Recipe
from workbench.ui.home.home_view import MEASURED
from workbench.workspace.settings import load


def right(bench: Workbench, recipe: Recipe) -> dict[tuple[str, str], float]:
    """By question and language, 1.0 where the answer contains a gold answer, else 0.0."""
    values: dict[tuple[str, str], float] = {}
    for code in sample.languages():
        questions = [question for question in sample.questions(code) if not question.unanswerable]
        answers = bench.ask_all([question.text for question in questions], code, recipe)
        for answer, question in zip(answers, questions, strict=True):
            score = flexible_em(answer.text, question.answers, language=language(code)).value
            if score is not None:
                values[question.id, code] = score
    return values


def share(values: dict[tuple[str, str], float]) -> dict[str, float]:
    """The mean with its 95 % interval; a question and its translations are drawn together."""
    interval = clustered_interval(list(values.values()), [name for name, _ in values])
    assert interval is not None
    mean = sum(values.values()) / len(values)
    return {"mean": round(mean, 4), "low": round(interval.low, 4), "high": round(interval.high, 4)}


def main() -> None:
    """Prints the figures and writes them into the package."""
    recipe = Recipe(generator=EXTRACTIVE)
    with tempfile.TemporaryDirectory() as home:
        bench = Workbench(load(Path(home)))
        english, every = right(bench, recipe.with_(scope="en")), right(bench, recipe)
    assert english.keys() == every.keys()
    figures = {
        "date": date.today().isoformat(),
        "encoder": recipe.encoder,
        "questions": len({name for name, _ in every}),
        "languages": len({code for _, code in every}),
        "answers": len(every),
        "english": share(english),
        "all": share(every),
    }
    text = yaml.safe_dump(figures, sort_keys=False)
    print(text, end="")
    MEASURED.write_text(f"# Written by python -m benchmarks.scopes.\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main()
