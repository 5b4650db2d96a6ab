"""The Ask screen: several modes side by side, the presentation, and links."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import FakeWorkbench
from tests.screens.conftest import Open, html
from workbench.core.errors import GenerationFailed
from workbench.pipeline.recipe import make_recipe
from workbench.ui.ask.ask_state import Choice, absolute

PATIENCE = 20.0
LOCAL = "openai-like:tiny@http://127.0.0.1:9/v1"


def finish(app: AppTest) -> AppTest:
    """Waits for every answer and draws the screen again."""
    app.session_state["asking"].wait(PATIENCE)
    return app.run()


def modes(fake: FakeWorkbench) -> list[tuple[str, str]]:
    """Mode and scope of each request."""
    return [(recipe.mode, recipe.scope) for _, _, recipe in fake.requests]


def test_each_mode_answers_once_in_the_scope_of_its_definition(open_ask: Open, fake: FakeWorkbench) -> None:
    app = finish(open_ask(q="Who?", lang="en", mode="drag", compare=["monorag", "trag"], ask="1"))
    assert modes(fake) == [("drag", "all"), ("monorag", "ul"), ("trag", "en")]
    assert html(app).count("Marconi</div>") >= 3
    assert "1, all shared" in html(app)
    app.run()
    assert len(fake.requests) == 3


def test_the_url_holds_the_modes_that_are_compared(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en", mode="drag")
    app.multiselect(key="ask_compare").set_value(["monorag", "trag"]).run()
    assert app.query_params["compare"] == ["monorag", "trag"]


def test_a_mode_is_never_compared_with_itself(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en", mode="drag", compare=["drag", "trag"])
    assert app.multiselect(key="ask_compare").value == ["trag"]
    app.segmented_control(key="ask_mode").set_value("trag").run()
    assert app.multiselect(key="ask_compare").value == []


def test_more_modes_than_fit_are_reported(open_ask: Open) -> None:
    app = open_ask(q="Who?", mode="drag", compare=["monorag", "trag", "multirag", "crossrag"])
    assert "5 modes were to be compared. Allowed: 4" in html(app)
    assert len(app.multiselect(key="ask_compare").value) == 3


def test_one_mode_that_fails_leaves_the_others(open_ask: Open, fake: FakeWorkbench) -> None:
    app = finish(open_ask(q="Who?", lang="th", mode="multirag", compare="trag", corpus="mine", ask="1"))
    assert html(app).count("Marconi</div>") >= 2
    fake.raises = GenerationFailed("It broke off.")
    app = finish(open_ask(q="Who else?", lang="en", mode="multirag", compare="trag", ask="1"))
    assert html(app).count("It broke off.") == 2


def test_language_models_are_compared_only_after_ask_and_one_at_a_time(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="en", mode="multirag", compare="trag", generator=LOCAL, ask="1")
    assert "Press Ask" in html(app)
    fake.may_finish.clear()
    app.button[0].click().run()
    fake.started.wait(PATIENCE)
    app.run()
    assert len(fake.requests) == 1
    assert "Waiting" in html(app)
    fake.may_finish.set()
    finish(app)
    assert modes(fake) == [("multirag", "all"), ("trag", "en")]


def test_stop_ends_the_first_and_starts_no_other(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="en", mode="multirag", compare="trag", generator=LOCAL)
    fake.may_finish.clear()
    app.button[0].click().run()
    fake.started.wait(PATIENCE)
    app.run()
    app.button(key="stop").click().run()
    finish(app)
    assert len(fake.requests) == 1
    assert "Stopped before the first word." in html(app)


def test_the_presentation_shows_question_answer_and_sources_alone(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en", mode="trag", ask="1", presentation="1")
    shown = html(app)
    assert "wb-presenting" in shown
    assert "Marconi" in shown
    assert "wb-slide-sources" in shown
    assert app.query_params["presentation"] == "1"
    assert not app.text_input
    assert not app.header


@pytest.mark.parametrize(("further", "after", "before"), [([], "MultiRAG", "monoRAG"), (["drag"], "D-RAG", "D-RAG")])
def test_the_presentation_turns_to_the_next_mode_and_back(
    open_ask: Open, fake: FakeWorkbench, further: list[str], after: str, before: str
) -> None:
    app = open_ask(q="Who?", lang="en", mode="trag", compare=further, ask="1", presentation="1")
    assert "tRAG, English" in html(app)
    assert app.button(key="slide_next").label.startswith(after)
    assert app.button(key="slide_back").label.startswith(before)
    app.button(key="slide_next").click().run()
    assert f"{after}, all languages" in html(app)
    app.button(key="slide_back").click().run()
    assert app.query_params["mode"] == "trag"
    assert len(fake.requests) == 3


@pytest.mark.parametrize("presentation", [True, False])
def test_comparison_and_presentation_come_back_from_the_url(presentation: bool) -> None:
    choice = Choice(
        question="Who?",
        language="en",
        recipe=make_recipe({"mode": "drag"}),
        submitted=True,
        compare=("trag", "monorag"),
        presentation=presentation,
    )
    assert Choice.from_params(choice.to_params(), {"corpus": ["sample"]}) == (choice, ())


def test_the_link_is_complete_also_behind_a_path() -> None:
    assert absolute("https://rag.example/lab/ask", Choice(question="Who?")).startswith(
        "https://rag.example/lab/ask?q=Who%3F&"
    )
