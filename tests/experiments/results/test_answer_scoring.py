"""Scores of a batch: by answer and by ranking, unscored where there is nothing to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan

import numpy as np
import pytest

from workbench.core.errors import UsageError
from workbench.core.records import Question
from workbench.experiments.results.scoring import (
    NO_GOLD_PASSAGE,
    NO_PASSAGES,
    NOTHING_TO_FIND,
    JudgeContext,
    Scorable,
    checked_metrics,
    score,
)
from workbench.metrics.judged.judge import JudgePrompt, Reply, judged_by
from workbench.metrics.measure import NO_GOLD, UNANSWERABLE, Case, Measure, Score
from workbench.optimise.selection.paired_scores import recipe_confidence_set

WHO = Question("q1", "Who?", "en", ("Marconi",), ("a.en", "a.fi"))
LANGUAGES = {"a.en": "en", "a.fi": "fi"}


def scored(text: str, passages: tuple[str, ...], scope: tuple[str, ...]) -> dict[str, float | None]:
    (scores,) = score(["flexible_em", "hit@1", "mrr"], [Scorable(WHO, text, passages, scope)], LANGUAGES)
    return {name: item.value for name, item in scores.items()}


def test_an_answer_is_measured_by_its_text_and_its_passages() -> None:
    assert scored("Marconi", ("x", "a.en"), ("en",)) == {"flexible_em": 1.0, "hit@1": 0.0, "mrr": 0.5}


def test_gold_passages_that_were_not_retrieved_are_a_zero() -> None:
    assert scored("nobody", ("x",), ("en",)) == {"flexible_em": 0.0, "hit@1": 0.0, "mrr": 0.0}
    assert scored("nobody", (), ("en",))["mrr"] == 0.0


def test_gold_passages_out_of_scope_are_unscored_with_the_reason() -> None:
    (scores,) = score(["mrr"], [Scorable(WHO, "", ("x",), ("th",))], LANGUAGES)
    assert scores["mrr"] == NO_GOLD_PASSAGE
    (scores,) = score(["mrr"], [Scorable(WHO, "", (), ())], LANGUAGES)
    assert scores["mrr"] == NO_PASSAGES


def test_each_item_keeps_its_scores() -> None:
    items = [
        Scorable(WHO, "Marconi", ("a.en",), ("en",)),
        Scorable(WHO, "nobody", ("a.en",), ("en",)),
        Scorable(WHO, "Marconi", ("x", "a.en"), ("en",)),
    ]
    scores = score(["flexible_em", "mrr"], items, LANGUAGES)
    assert [(item["flexible_em"].value, item["mrr"].value) for item in scores] == [(1.0, 1.0), (0.0, 1.0), (1.0, 0.5)]


def test_an_unknown_metric_is_named() -> None:
    with pytest.raises(UsageError, match="Unknown metric “beauty”"):
        checked_metrics(["flexible_em", "beauty"])


def test_a_judged_metric_is_called_by_its_judge_too() -> None:
    assert checked_metrics(["em", "g_eval"], "openai-like:m") == ("em", "g_eval@openai-like:m+ul")


def test_a_judge_is_shown_each_answer_with_what_was_seen_once() -> None:
    shown: list[Case] = []

    def judge(cases: Sequence[Case]) -> list[Score]:
        shown.extend(cases)
        return [Score(float(len(shown)))] * len(cases)

    names = ["correctness@j", "instruction_following@j"]
    measures = {name: Measure(name, name, "", judge) for name in names}
    context = JudgeContext(("On radio.",), "Be brief.", "#Answer: Marconi")
    items = [
        Scorable(WHO, "Marconi", ("a.en",), ("en",), context),
        Scorable(WHO, "Marconi", ("x",), ("en", "fi"), context),
        Scorable(WHO, "Marconi", ("a.en",), ("en",), replace(context, passages=("On cheese.",))),
    ]
    scores = score(names, items, LANGUAGES, measures)
    assert [case.passages for case in shown[:2]] == [("On radio.",), ("On cheese.",)]
    assert {(case.instructions, case.question) for case in shown} == {("Be brief.", "Who?")}
    assert [case.prediction for case in shown] == ["Marconi"] * 2 + ["#Answer: Marconi"] * 2
    assert [item["correctness@j"].value for item in scores] == [2.0, 2.0, 2.0]


def test_metrics_before_and_after_reranking_are_those_of_two_rankings() -> None:
    item = Scorable(WHO, "", ("x", "a.en"), ("en",), reranked=("a.en", "x"))
    names = ["mrr", "mrr_reranked", "hit@1", "hit@1_reranked"]
    (scores,) = score(names, [item], LANGUAGES)
    assert {name: scores[name].value for name in names} == dict(zip(names, (0.5, 1.0, 0.0, 1.0), strict=True))
    (scores,) = score(names, [replace(item, reranked=None)], LANGUAGES)
    assert scores["mrr_reranked"].value == 0.5


def test_a_measure_deeper_than_the_ranking_is_unscored() -> None:
    (scores,) = score(["recall@5", "recall@1", "mrr"], [Scorable(WHO, "", ("a.en",), ("en",), depth=3)], LANGUAGES)
    assert scores["recall@5"] == Score(None, "Only 3 passages were ranked.")
    assert (scores["recall@1"].value, scores["mrr"].value) == (1.0, 1.0)


FAILED = "The output has no label."


def test_a_format_failure_is_wrong_with_the_reason_and_its_ranking_is_scored() -> None:
    items = [
        Scorable(WHO, "Marconi, some say.", ("a.en",), ("en",), format_failure=FAILED),
        Scorable(WHO, "Marconi, some say.", ("a.en",), ("en",)),
    ]
    against_golds = ("char3_recall_paper", "char3_recall", "flexible_em", "em", "f1", "rouge_l", "bleu", "meteor")
    first, second = score([*against_golds, "clr", "abstention_error", "rouge_2", "mrr"], items, LANGUAGES)
    assert {first[name] for name in against_golds} == {Score(0.0, FAILED)}
    assert {first["clr"], first["abstention_error"]} == {Score(None, FAILED)}  # neither in a language nor a merit
    assert first["rouge_2"] == second["rouge_2"] and not second["rouge_2"].scored
    assert second["flexible_em"].value == 1.0
    assert first["mrr"].value == second["mrr"].value == 1.0


def test_a_format_failure_is_no_abstention_and_what_has_no_gold_stays_unscored() -> None:
    nobody = Question("q2", "Who was it?", "en", evidence_in="none")
    (scores,) = score(
        ["hallucination", "abstention_error", "flexible_em"],
        [Scorable(nobody, "I don't know.", ("x",), ("en",), format_failure=FAILED)],
        LANGUAGES,
    )
    assert scores["hallucination"] == Score(1.0, FAILED)
    assert scores["abstention_error"] == scores["flexible_em"] == UNANSWERABLE
    (scores,) = score(["em"], [Scorable(replace(WHO, answers=()), "x", (), (), format_failure=FAILED)], LANGUAGES)
    assert scores["em"] == NO_GOLD


def test_a_judge_reads_the_output_and_passages_of_a_format_failure_and_no_answer_of_it() -> None:
    prompts: list[str] = []

    class Yes:
        def replies(self, requests: Sequence[JudgePrompt]) -> list[Reply]:
            prompts.extend(request.user for request in requests)
            return [Reply("Verdict: 1") for _ in requests]

    names = ("instruction_following", "context_precision", "correctness", "g_eval")
    context = JudgeContext(("On radio.",), "Be brief.", "Marconi, some say.")
    item = Scorable(WHO, "Marconi, some say.", (), (), context, format_failure=FAILED)
    (scores,) = score(names, [item], LANGUAGES, {measure.name: measure for measure in judged_by(Yes())})
    assert (scores["instruction_following"].value, scores["context_precision"].value) == (1.0, 1.0)
    assert (scores["correctness"], scores["g_eval"]) == (Score(0.0, FAILED), Score(1.0, FAILED))
    assert len(prompts) == 2 and "Marconi, some say." in "".join(prompts)


def test_a_search_ranks_a_recipe_that_breaks_the_format_behind_one_that_answers() -> None:
    def row(right: int, failure: str) -> list[float]:
        items = [
            Scorable(replace(WHO, id=f"q{number}"), "Marconi", (), (), format_failure=failure * (number >= right))
            if failure or number < right
            else Scorable(replace(WHO, id=f"q{number}"), "Bell", (), ())
            for number in range(100)
        ]
        values = (scores["flexible_em"].value for scores in score(["flexible_em"], items, LANGUAGES))
        return [nan if value is None else value for value in values]

    result = recipe_confidence_set(np.array([row(81, FAILED), row(92, "")]), [f"q{number}" for number in range(100)])
    assert result.leader == 1


def test_an_unanswerable_question_has_a_score_of_hallucination_alone() -> None:
    nobody = Question("q2", "Who was it?", "en", evidence_in="none")
    metrics = ("hallucination", "abstention_error", "flexible_em", "clr", "hit@5")
    items = [Scorable(nobody, text, ("x",), ("en",)) for text in ("It was Marconi.", "I don't know.")]
    first, second = score(metrics, items, LANGUAGES)
    assert (first["hallucination"].value, second["hallucination"].value) == (1.0, 0.0)
    assert {first[name] for name in ("abstention_error", "flexible_em", "clr")} == {UNANSWERABLE}
    assert first["hit@5"] == NOTHING_TO_FIND


def test_an_answerable_question_that_is_not_answered_is_an_abstention_error() -> None:
    (scores,) = score(["hallucination", "abstention_error"], [Scorable(WHO, "", ("x",), ("en",))], LANGUAGES)
    assert (scores["hallucination"].value, scores["abstention_error"].value) == (None, 1.0)
