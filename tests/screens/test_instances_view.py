"""An instance and the choice that asks the same again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.queries.run_list import StoredRun
from workbench.pipeline.recipe import make_recipe
from workbench.ui.dashboard.instances_view import again
from workbench.ui.parts.answer_rows import answer_row, question_head, score_bar

RECIPE = make_recipe({"mode": "trag", "k": 3})
RUN = StoredRun(
    0,
    "a run",
    "sample",
    "sample",
    "trag",
    "en",
    "p",
    "m",
    3,
    "none",
    RECIPE.model_dump_json(),
    "",
    id=1,
    experiment_id="e",
)
ITEM = Instance(
    1, RUN, 1, "q01", "fi", "Kuka keksi radion?", ("Marconi",), (), "", "Marconi", "fi", (), 0.1, None, None, ""
)


def test_a_question_can_be_repeated_with_the_same_recipe() -> None:
    choice = again(ITEM)
    assert choice is not None
    assert (choice.question, choice.language, choice.recipe, choice.submitted) == (ITEM.text, "fi", RECIPE, True)


@pytest.mark.parametrize(
    "run",
    [
        replace(RUN, recipe=""),
        replace(RUN, perturbation="shuffle"),
        replace(RUN, recipe='{"mode": "a mode that no longer exists"}'),
        replace(RUN, recipe="cut"),
    ],
    ids=["imported", "perturbed", "of another version", "not JSON"],
)
def test_what_ask_could_not_repeat_is_not_offered(run: StoredRun) -> None:
    assert again(replace(ITEM, run=run)) is None


def test_an_answer_without_a_score_says_why_not() -> None:
    item = replace(ITEM, scores={"clr": None}, reasons={"clr": "Too short to tell."})
    shown = str(answer_row(item, "tRAG", ["clr"]))
    assert "unscored" in shown and "Too short to tell." in shown


def test_a_score_is_a_bar_and_a_figure_that_say_how_good_it_is() -> None:
    assert "--share:25.0%" in score_bar("em", 0.25) and ">0.25<" in score_bar("em", 0.25)
    assert "wb-wrong" in score_bar("em", 0.25) and "wb-right" in score_bar("hallucination", 0.0)


def test_a_score_that_is_set_stands_with_its_reason_once() -> None:
    reason = "The output has none of the labels."
    item = replace(ITEM, scores={"em": 0.0, "f1": 0.0, "clr": 1.0}, reasons={"em": reason, "f1": reason})
    assert str(answer_row(item, "tRAG", ["em", "f1"])).count(reason) == 1


def test_gold_answers_begin_where_their_question_does() -> None:
    assert '<div class="wb-row" dir="ltr">' in question_head(ITEM)
    assert '<div class="wb-row" dir="rtl">' in question_head(replace(ITEM, language="ar", text="من اخترع الراديو؟"))
