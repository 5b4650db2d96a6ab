"""The Compare screen: recipes and languages side by side, stored answers, and what the URL keeps."""

from __future__ import annotations

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.fakes import FakeWorkbench
from tests.screens.conftest import html, open_page
from tests.screens.results import PAYLOAD, add_results
from workbench.app.workbench import Workbench
from workbench.core.errors import GenerationFailed
from workbench.data.corpora import sample
from workbench.experiments.results.result_store import ResultStore
from workbench.pipeline.choices import MODES
from workbench.pipeline.recipe import Recipe, make_recipe
from workbench.ui.compare import recipe_controls
from workbench.ui.compare.compare_state import MOST, CompareState
from workbench.ui.compare.recipe_controls import names_of
from workbench.ui.parts.safe_html import escaped

PATIENCE = 60.0


def _open(**params: str | list[str]) -> AppTest:
    return open_page("compare", **params)


def _finish(app: AppTest) -> AppTest:
    app.session_state["asking"].wait(PATIENCE)
    return app.run()


def test_an_empty_question_is_told_and_nothing_is_asked(fake: FakeWorkbench) -> None:
    app = _open(ask="1")
    assert "The question is empty." in html(app)
    assert not fake.requests and not app.exception


def test_every_recipe_answers_the_question_once(fake: FakeWorkbench) -> None:
    app = _finish(_open(q="Who?", lang="en", ask="1", recipe=["mode=drag", "mode=trag", "mode=monorag"]))
    assert not app.exception
    assert [recipe.mode for _, _, recipe in fake.requests] == ["drag", "trag", "monorag"]
    assert [mode in html(app) for mode in ("D-RAG", "tRAG", "monoRAG", "MultiRAG")] == [True, True, True, False]
    app.run()
    assert len(fake.requests) == 3


def test_one_press_answers_the_question_in_all_seven_modes_each_over_its_own_scope(fake: FakeWorkbench) -> None:
    app = _open()
    assert fake.requests == []
    assert [box.key for box in app.selectbox] == ["compare_language"]
    app.text_input(key="compare_question").set_value("Who invented radio?")
    button = app.button(key="compare_ask")
    assert button.label == "All seven modes"
    app = _finish(button.click().run())
    assert not app.exception
    assert [(recipe.mode, recipe.scope) for _, _, recipe in fake.requests] == [
        (item.name, item.scope) for item in MODES
    ]
    assert len(MODES) == 7
    assert "n = 7" in html(app) and "wb-matrix" in html(app)
    assert "Agreement of the 7 recipes (21 pairs)" in [item.value for item in app.header]


def test_all_modes_keep_what_else_the_first_recipe_says(fake: FakeWorkbench) -> None:
    app = _finish(_open(q="Who?", lang="en", ask="1", recipe=["mode=trag&k=3", "mode=drag"]))
    assert app.button(key="compare_ask").label == "Ask these 2 recipes"
    _finish(app.button(key="compare_all").click().run())
    assert {recipe.k for _, _, recipe in fake.requests[2:]} == {3}
    assert len(fake.requests) == 9


def test_a_recipe_can_be_added_and_removed_up_to_a_limit(fake: FakeWorkbench) -> None:
    app = _open(recipe=["mode=trag"] * (MOST - 1))
    app.button(key="compare_add").click().run()
    assert app.button(key="compare_add").disabled
    app.session_state["compare_change_0"] = True
    app.run().button(key="compare_remove_0").click().run()
    assert len(app.query_params["recipe"]) == MOST - 1


def test_a_published_recipe_sets_a_column(fake: FakeWorkbench) -> None:
    app = open_page("compare", "compare_change_1")
    app.selectbox(key="compare_1_start").set_value("ranaldi-drag-one").run()
    assert app.selectbox(key="compare_1_mode").value == "drag"


def test_a_mode_brings_its_scope(fake: FakeWorkbench) -> None:
    app = open_page("compare", "compare_change_0")
    app.selectbox(key="compare_0_mode").set_value("monorag").run()
    assert app.selectbox(key="compare_0_scope").value == "ul"


def _writing(fake: FakeWorkbench) -> AppTest:
    """Two recipes with a language model, of which the first is being answered."""
    generator = "generator=openai-like:tiny@http://127.0.0.1:9/v1"
    app = _open(q="Who?", lang="en", ask="1", recipe=[f"mode=trag&{generator}", "mode=multirag"])
    assert "Press Ask" in html(app)
    assert fake.requests == []
    fake.may_finish.clear()
    app.button(key="compare_ask").click().run()
    fake.started.wait(PATIENCE)
    return app.run()


def test_a_language_model_is_called_only_after_ask_and_one_at_a_time(fake: FakeWorkbench) -> None:
    app = _writing(fake)
    assert len(fake.requests) == 1
    assert "Waiting" in html(app)
    fake.may_finish.set()
    _finish(app)
    assert len(fake.requests) == 2


def test_stop_ends_the_first_and_starts_no_other(fake: FakeWorkbench) -> None:
    app = _writing(fake)
    app.button(key="stop").click().run()
    app = _finish(app)
    assert len(fake.requests) == 1
    assert "It was stopped before it answered." in html(app)


def test_recipes_that_fail_say_why_in_their_rows(fake: FakeWorkbench) -> None:
    fake.raises = GenerationFailed("It broke off.")
    app = _finish(_open(q="Who else?", lang="en", ask="1", recipe=["mode=trag", "mode=multirag"]))
    assert html(app).count("It broke off.") == 2


def test_one_question_of_the_sample_is_answered_in_every_language(bench: Workbench) -> None:
    app = _finish(_open(view="languages", dataset="sample", question="q30", ask="1"))
    assert not app.exception
    languages = [code for code in sample.languages() if any(item.id == "q30" for item in sample.questions(code))]
    assert f"n = {len(languages)}" in html(app)
    assert f"Agreement of the {len(languages)} languages" in "".join(item.value for item in app.header)
    assert "wb-matrix" in html(app)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"question": "q99"}, "no question with the id"),
        ({"view": "languages", "dataset": "elsewhere"}, "elsewhere"),
        ({"recipe": [f"mode=trag&k={k}" for k in range(1, MOST + 3)]}, f"Allowed: {MOST}"),
    ],
)
def test_a_link_that_names_what_is_not_there_says_so(
    bench: Workbench, params: dict[str, str | list[str]], sentence: str
) -> None:
    assert sentence in html(_open(**params))


def test_a_typed_question_is_translated_where_the_translator_knows_it(bench: Workbench) -> None:
    question = next(item for item in sample.questions("en") if item.id == "q30").text
    app = _finish(_open(view="languages", q=question, lang="en", language=["en", "fi"], ask="1"))
    finnish = next(item for item in sample.questions("fi") if item.id == "q30").text
    assert finnish in html(app)


def test_a_language_that_a_typed_question_cannot_be_translated_into_says_so(bench: Workbench) -> None:
    app = _finish(_open(view="languages", q="Zzyzx qwrtp vbnml?", lang="en", language=["en", "fi"], ask="1"))
    assert "no translation of the question into Finnish" in html(app)


@pytest.mark.parametrize(("view", "count"), [("languages", 2), ("recipes", 2)])
def test_stored_answers_are_compared_without_asking(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, view: str, count: int
) -> None:
    experiment_id = add_results(bench)
    item = ResultStore.at(bench.settings.database_url).of(experiment_id).instances(limit=1)[0]
    monkeypatch.setattr(Workbench, "ask_all", lambda *_, **__: pytest.fail("nothing may be asked"))
    app = _open(view=view, instance=str(item.answer))
    assert not app.exception
    assert f"n = {count}" in html(app)
    assert escaped(PAYLOAD) in html(app)
    assert PAYLOAD not in html(app)


def test_an_answer_that_is_gone_is_named(bench: Workbench) -> None:
    assert "not in this workspace" in html(_open(view="recipes", instance="77"))


def test_the_siblings_of_an_instance_lead_to_the_comparison(bench: Workbench) -> None:
    experiment_id = add_results(bench)
    item = ResultStore.at(bench.settings.database_url).of(experiment_id).instances(limit=1)[0]
    app = open_page("inspect", "inspect_siblings", instance=str(item.answer))
    assert not app.exception
    labels = [link.proto.label for link in app.get("page_link")]
    assert labels.count("Compare these 2 side by side") == 2


def test_the_url_keeps_what_is_compared() -> None:
    recipes = tuple(make_recipe({"mode": mode, "k": 3}) for mode in ("drag", "trag", "monorag"))
    state = CompareState(question="Who?", language="en", recipes=recipes, submitted=True)
    back, problems = CompareState.from_params(state.to_params(), {"corpus": ["sample"]})
    assert problems == ()
    assert (back.question, back.language, back.recipes, back.submitted) == ("Who?", "en", recipes, True)


def test_the_url_keeps_a_question_of_a_dataset() -> None:
    state = CompareState(view="languages", dataset="sample", name="q07", languages=("fi", "th"), submitted=True)
    back, problems = CompareState.from_params(state.to_params(), {"corpus": ["sample"]})
    assert problems == ()
    assert (back.view, back.dataset, back.name, back.languages) == ("languages", "sample", "q07", ("fi", "th"))


@pytest.mark.parametrize(
    "params",
    [{"view": ["x"]}, {"lang": ["klingon"]}, {"instance": ["-1"]}, {"recipe": ["mode=x", "mode=trag"]}],
)
def test_what_is_wrong_with_a_url_is_a_sentence(params: dict[str, list[str]]) -> None:
    state, problems = CompareState.from_params(params, {"corpus": ["sample"]})
    assert len(problems) == 1
    assert len(state.recipes) in (2, len(MODES))


def test_columns_are_named_by_what_they_differ_in() -> None:
    recipes = [make_recipe({"mode": "multirag", "k": k}) for k in (3, 5)]
    assert names_of(recipes) == ["k=3", "k=5"]
    assert names_of([make_recipe({"mode": "trag"}), make_recipe({"mode": "drag", "scope": "en"})]) == [
        "tRAG",
        "D-RAG · English",
    ]
    assert names_of([recipes[0], recipes[0]]) == ["MultiRAG · #1", "MultiRAG · #2"]


def test_a_question_of_the_sample_is_scored_also_when_it_is_typed(bench: Workbench) -> None:
    question = next(item for item in sample.questions("en") if item.id == "q07")
    recipes = ["mode=multirag", "mode=trag"]
    assert "right: no gold answer is known" in html(
        _finish(_open(q="Who drew it?", lang="en", ask="1", recipe=recipes))
    )
    shown = html(_finish(_open(q=question.text, lang="en", ask="1", recipe=recipes)))
    assert "◐ right: one of several views" in shown or "✓ right" in shown
    assert "2 of 2" in shown


def test_another_view_leaves_the_stored_answers_and_another_dataset_its_question() -> None:
    state = CompareState(instance=7, name="q07", dataset="mine")
    assert state.after("view") == CompareState(name="q07", dataset="mine")
    assert state.after("dataset") == CompareState(instance=7, dataset="mine")
    assert state.after("language") == state


def test_a_recipe_in_a_file_is_taken_with_the_sample_where_its_corpus_is_not_here(
    fake: FakeWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    session: dict[str, object] = {}
    taken: list[Recipe] = []
    monkeypatch.setattr(st, "session_state", session)
    recipe_controls._from_file(b"mode: trag\nk: 7\ncorpus: elsewhere", taken.append)
    assert [(recipe.mode, recipe.k, recipe.corpus) for recipe in taken] == [("trag", 7, "sample")]
    recipe_controls._from_file(b"mode: sideways", taken.append)
    assert len(taken) == 1 and "sideways" in str(session["compare_notice"])


def test_a_typed_question_goes_along_to_languages(bench: Workbench) -> None:
    app = _open(view="recipes", q="Who drew it?")
    app.segmented_control(key="compare_view").set_value("languages").run()
    assert app.segmented_control(key="compare_dataset").value == "*"
    assert app.text_input(key="compare_question").value == "Who drew it?"
