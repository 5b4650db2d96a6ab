"""`python -m benchmarks.sample`: retrieval and answers on the sample's questions, by language.

The sample's translation memory holds its questions, so the built-in parts can carry a question that they know into
every language. The columns "unseen" leave the questions out of what is learnt: what a new question may expect.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path

from workbench.app.retrieval_evaluation import evaluate_retrieval
from workbench.app.workbench import Workbench
from workbench.core.records import Query
from workbench.data.corpora import sample
from workbench.languages.catalogue import language
from workbench.metrics.answers.abstention import abstains
from workbench.metrics.answers.flexible_em import flexible_em
from workbench.pipeline.recipe import Recipe
from workbench.workspace.settings import load

FUSIONS = ("rrf", "cc", "dbsf")
"""The published rules, beside the default."""
UNSEEN = "unseen"
"""A corpus like the sample whose encoder has not seen the questions."""
FIRST = 52
DEPTH = 50
RESULTS = Path(__file__).with_name("results.json")


def unseen_mrr(bench: Workbench, recipe: Recipe) -> dict[str, list[tuple[str, float]]]:
    """By language, each question's id and reciprocal rank where no encoder has seen it in translation; scope `all`."""
    known = {question.text for code in sample.languages() for question in sample.questions(code)}
    groups = [group for group in sample.aligned_sentences() if group[0][1] not in known]
    bench.library.add(UNSEEN, sample.passages(), aligned=groups, source="the sample", licence="CC BY 4.0")
    bench.registry.index(bench.corpus(UNSEEN), recipe.encoder, "dense", lambda *_: None)
    return {code: reciprocal_ranks(bench, recipe.with_(corpus=UNSEEN), code) for code in sample.languages()}


def reciprocal_ranks(bench: Workbench, recipe: Recipe, code: str) -> list[tuple[str, float]]:
    """Each question's id and 1 / rank of its first gold passage, 0 beyond DEPTH; questions with evidence only."""
    questions = [question for question in sample.questions(code) if question.gold]
    queries = [Query(question.text, code, sample.languages()) for question in questions]
    rankings = bench.registry.retriever(recipe, bench.corpus(recipe.corpus)).retrieve(queries, DEPTH)
    ranks = []
    for question, ranking in zip(questions, rankings, strict=True):
        places = (rank for rank, hit in enumerate(ranking, start=1) if hit.id in question.gold)
        ranks.append((question.id, 1 / next(places, float("inf"))))
    return ranks


def mean_of(ranks: list[tuple[str, float]], plain: bool = False) -> float:
    """The mean; `plain`: of the FIRST questions alone, before the deliberately harder kinds were added."""
    return statistics.mean(value for name, value in ranks if not plain or int(name.removeprefix("q")) <= FIRST)


def main() -> None:
    """Prints a table and writes results.json next to this file."""
    with tempfile.TemporaryDirectory() as home:
        bench = Workbench(load(Path(home)))
        recipe = Recipe()
        unseen = unseen_mrr(bench, recipe)
        rows: dict[str, dict[str, float]] = {}
        for code in sample.languages():
            questions = sample.questions(code)
            retrieval = evaluate_retrieval(bench, sample.SAMPLE, code, recipe, 50)
            answers = bench.ask_all([question.text for question in questions], code, recipe)
            pairs = list(zip(answers, questions, strict=True))
            scores = [
                flexible_em(answer.text, question.answers, language=language(code)).value
                for answer, question in pairs
                if not question.unanswerable
            ]
            scored = [score for score in scores if score is not None]
            silent = {question.id for answer, question in pairs if abstains(answer.text)}
            without = {question.id for question in questions if question.unanswerable}
            fusions = {"hybrid": retrieval} | {
                name: evaluate_retrieval(bench, sample.SAMPLE, code, recipe.with_(retriever=name), 50)
                for name in FUSIONS
            }
            rows[code] = {
                **{f"mrr {name}": result.scores.means["mrr"] or 0.0 for name, result in fusions.items()},
                f"mrr hybrid, first {FIRST} questions": mean_of(reciprocal_ranks(bench, recipe, code), plain=True),
                "mrr hybrid, unseen": mean_of(unseen[code]),
                f"mrr hybrid, unseen, first {FIRST}": mean_of(unseen[code], plain=True),
                "flexible_em multirag": statistics.mean(scored),
                "n": len(scored),
                "hallucination": len(without - silent) / len(without),
                "n unanswerable": len(without),
                "abstention_error": len(silent - without) / (len(questions) - len(without)),
            }
    names = list(rows["en"])
    print("language", *names, sep="\t")
    for code, row in rows.items():
        print(code, *(f"{value:.3f}" if isinstance(value, float) else value for value in row.values()), sep="\t")
    print("mean", *(f"{statistics.mean(row[name] for row in rows.values()):.3f}" for name in names), sep="\t")
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
