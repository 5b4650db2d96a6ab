"""The Compare screen: recipes and languages side by side, stored answers, and what the URL keeps."""

from __future__ import annotations

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.fakes import FakeWorkbench
from tests.screens.conftest import html, open_page
from tests.screens.results import PAYLOAD, add_results
from workbench.app.workbench import Workbench
from workbench.data.corpora import sample
from workbench.experiments.results.result_store import ResultStore
from workbench.pipeline.recipe import Recipe, make_recipe
from workbench.ui.compare import recipe_controls
from workbench.ui.compare.compare_state import CompareState
from workbench.ui.compare.recipe_controls import names_of
from workbench.ui.parts.safe_html import escaped

PATIENCE = 60.0


def _open(**params: str | list[str]) -> AppTest:
    return open_page("compare", **params)


def _finish(app: AppTest) -> AppTest:
    app.session_state["asking"].wait(PATIENCE)
    return app.run()


def test_every_recipe_answers_the_question_once(fake: FakeWorkbench) -> None:
    app = _finish(_open(q="Who?", lang="en", ask="1", recipe=["mode=drag", "mode=trag", "mode=monorag"]))
    assert not app.exception
    assert [recipe.mode for _, _, recipe in fake.requests] == ["drag", "trag", "monorag"]
    assert html(app).count("wb-answer wb-side") == 3
    app.run()
    assert len(fake.requests) == 3


def test_before_a_question_is_asked_nothing_is_sent(fake: FakeWorkbench) -> None:
    app = _open()
    assert "Type a question and press Ask" in html(app)
    assert fake.requests == []


def test_a_recipe_can_be_added_and_removed(fake: FakeWorkbench) -> None:
    app = _open()
    app.button(key="compare_add").click().run()
    app.button(key="compare_add").click().run()
    assert len(app.query_params["recipe"]) == 4
    assert not [button for button in app.button if button.key == "compare_add"]
    app.button(key="compare_remove_0").click().run()
    assert len(app.query_params["recipe"]) == 3


def test_a_published_recipe_sets_a_column(fake: FakeWorkbench) -> None:
    app = _open()
    app.selectbox(key="compare_1_start").set_value("ranaldi-drag-one").run()
    assert app.selectbox(key="compare_1_mode").value == "drag"


def test_a_mode_brings_its_scope(fake: FakeWorkbench) -> None:
    app = _open()
    app.selectbox(key="compare_0_mode").set_value("monorag").run()
    assert app.selectbox(key="compare_0_scope").value == "ul"


def test_a_language_model_is_called_only_after_ask(fake: FakeWorkbench) -> None:
    generator = "generator=openai-like:tiny@http://127.0.0.1:9/v1"
    app = _open(q="Who?", lang="en", ask="1", recipe=[f"mode=trag&{generator}", "mode=multirag"])
    assert "Press Ask" in html(app)
    assert fake.requests == []
    app.button(key="compare_ask").click().run()
    _finish(app)
    assert len(fake.requests) == 2


def test_one_question_of_the_sample_is_answered_in_every_language(bench: Workbench) -> None:
    app = _finish(_open(view="languages", dataset="sample", question="q30", ask="1"))
    assert not app.exception
    languages = [code for code in sample.languages() if any(item.id == "q30" for item in sample.questions(code))]
    assert html(app).count("wb-answer wb-side") == len(languages)
    assert f"Consistency of the {len(languages)} languages" in "".join(item.value for item in app.header)
    assert "wb-matrix" in html(app)


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
    assert html(app).count('class="wb-answer wb-side"') == count
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
    assert len(state.recipes) == 2


def test_columns_are_named_by_what_they_differ_in() -> None:
    recipes = [make_recipe({"mode": "multirag", "k": k}) for k in (3, 5)]
    assert names_of(recipes) == ["k=3", "k=5"]
    assert names_of([recipes[0], recipes[0]]) == ["MultiRAG · #1", "MultiRAG · #2"]


def test_a_question_of_the_sample_is_scored_also_when_it_is_typed(bench: Workbench) -> None:
    question = next(item for item in sample.questions("en") if item.id == "q07")
    recipes = ["mode=multirag", "mode=trag"]
    assert "no gold answer is known" in html(_finish(_open(q="Who drew it?", lang="en", ask="1", recipe=recipes)))
    shown = html(_finish(_open(q=question.text, lang="en", ask="1", recipe=recipes)))
    assert "flexible_em" in shown
    assert "no gold answer is known" not in shown


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
