"""`python -m benchmarks.sample`: retrieval and answers on the sample's questions, by language.

The sample's translation memory holds its questions, so the built-in parts can carry a question that they know into
every language. The second column leaves the questions out of what the encoder learns: what a new question may expect.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path

from workbench.corpora import sample
from workbench.languages import language
from workbench.metrics.answers.abstention import abstains
from workbench.metrics.answers.flexible_em import flexible_em
from workbench.recipes.recipe import Recipe
from workbench.records import Query
from workbench.settings import load
from workbench.workspace.retrieval_evaluation import evaluate_retrieval
from workbench.workspace.workbench import Workbench

FUSIONS = ("rrf", "cc", "dbsf")
"""The published rules, beside the default."""
RESULTS = Path(__file__).with_name("results.json")


def unseen_mrr() -> dict[str, float]:
    """MRR by language of the dense retriever whose encoder has not seen the questions; scope `all`."""
    from workbench.retrieval.encoders.builtin.builtin_encoder import BuiltinEncoder

    known = {question.text for code in sample.languages() for question in sample.questions(code)}
    groups = [group for group in sample.aligned_sentences() if group[0][1] not in known]
    passages = sample.passages()
    encoder = BuiltinEncoder.fit((passage.searchable for passage in passages), groups)
    vectors = encoder.encode_passages(passages)
    by_language: dict[str, float] = {}
    for code in sample.languages():
        questions = [question for question in sample.questions(code) if question.gold]
        similarities = encoder.encode_queries([Query(item.text, code, ()) for item in questions]) @ vectors.T
        ranks = []
        for row, question in zip(similarities, questions, strict=True):
            gold = [place for place, passage in enumerate(passages) if passage.id in question.gold]
            ranks.append(1 + int((row > row[gold].max()).sum()))
        by_language[code] = statistics.mean(1 / rank for rank in ranks)
    return by_language


def main() -> None:
    """Prints a table and writes results.json next to this file."""
    with tempfile.TemporaryDirectory() as home:
        bench = Workbench(load(Path(home)))
        recipe = Recipe()
        unseen = unseen_mrr()
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
                "mrr dense, questions unseen": unseen[code],
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
