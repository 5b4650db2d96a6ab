"""The Ask screen: the presentation, and links."""

from __future__ import annotations

import pytest

from tests.fakes import FakeWorkbench
from tests.screens.conftest import Open, html
from workbench.pipeline.choices import MODES
from workbench.pipeline.recipe import make_recipe
from workbench.ui.ask.ask_state import Choice


def test_the_presentation_shows_question_answer_and_sources_alone(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en", mode="trag", ask="1", presentation="1")
    shown = html(app)
    assert "wb-presenting" in shown
    assert "Marconi" in shown
    assert "wb-slide-sources" in shown
    assert app.query_params["presentation"] == "1"
    assert not app.text_input
    assert not app.header


def test_the_presentation_turns_to_the_next_mode_and_back(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="en", mode="trag", ask="1", presentation="1")
    assert "tRAG, English" in html(app)
    assert app.button(key="slide_next").label.startswith("MultiRAG")
    assert app.button(key="slide_back").label.startswith("monoRAG")
    app.button(key="slide_next").click().run()
    assert "MultiRAG, all languages" in html(app)
    app.button(key="slide_back").click().run()
    assert app.query_params["mode"] == "trag"
    assert len(fake.requests) == 3


@pytest.mark.parametrize("presentation", [True, False])
def test_the_presentation_comes_back_from_the_url(presentation: bool) -> None:
    choice = Choice(
        question="Who?",
        language="en",
        recipe=make_recipe({"mode": "drag"}),
        submitted=True,
        presentation=presentation,
    )
    assert Choice.from_params(choice.to_params(), {"corpus": ["sample"]}) == (choice, ())


def test_a_button_opens_the_presentation_of_the_question_as_it_is_now(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en", ask="1")
    app.text_input(key="ask_question").input("When?")
    app.button[0].click().run()
    app.run().button(key="open_presentation").click().run()
    assert "wb-presenting" in html(app)
    assert (app.query_params["q"], app.query_params["presentation"]) == ("When?", "1")


def test_compare_opens_with_the_same_question_language_and_corpus(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="th", mode="trag", corpus="mine", k="3", ask="1")
    app.button(key="ask_compare").click().run()
    state = app.session_state["compare_state"]
    assert (state.question, state.language, state.submitted) == ("Who?", "th", True)
    assert [recipe.mode for recipe in state.recipes] == [item.name for item in MODES]
    assert {(recipe.corpus, recipe.k) for recipe in state.recipes} == {("mine", 3)}
