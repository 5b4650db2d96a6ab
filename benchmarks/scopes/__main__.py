"""`python -m benchmarks.scopes`: the sample's questions answered from English documents alone, and from all languages.

Every question that has an answer, in each language, under the default recipe with the built-in reader; only the scope
differs. An answer is right where it contains a gold answer (`flexible_em`) in the question's language; of those that do
not, some contain the question's gold answer in another language. No English document answers questions of which the
English set says so. The file that is written is the one whose figures Home states.
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


def right(bench: Workbench, recipe: Recipe) -> tuple[dict[tuple[str, str], float], int]:
    """By question and language, 1.0 where the answer contains a gold answer, else 0.0; of these, how many in another.

    That is, how many of the wrong answers contain a gold answer that the question has in another language.
    """
    values: dict[tuple[str, str], float] = {}
    golds = {
        code: {question.id: question.answers for question in sample.questions(code)} for code in sample.languages()
    }
    elsewhere = 0
    for code in sample.languages():
        questions = [question for question in sample.questions(code) if not question.unanswerable]
        answers = bench.ask_all([question.text for question in questions], code, recipe)
        for answer, question in zip(answers, questions, strict=True):
            score = flexible_em(answer.text, question.answers, language=language(code)).value
            if score is not None:
                values[question.id, code] = score
                elsewhere += not score and any(
                    flexible_em(answer.text, each[question.id], language=language(other)).value
                    for other, each in golds.items()
                    if question.id in each
                )
    return values, elsewhere


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
        (english, _), (every, elsewhere) = right(bench, recipe.with_(scope="en")), right(bench, recipe)
    not_in_english = {question.id for question in sample.questions("en") if question.evidence_in == "other"}
    assert english.keys() == every.keys()
    figures = {
        "date": date.today().isoformat(),
        "encoder": recipe.encoder,
        "questions": len({name for name, _ in every}),
        "languages": len({code for _, code in every}),
        "answers": len(every),
        "not_in_english": len(not_in_english),
        "english": share(english),
        "english_of_the_rest": share({key: value for key, value in english.items() if key[0] not in not_in_english}),
        "all": share(every),
        "in_another_language": round(elsewhere / len(every), 4),
    }
    text = yaml.safe_dump(figures, sort_keys=False)
    print(text, end="")
    MEASURED.write_text(f"# Written by python -m benchmarks.scopes.\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main()
