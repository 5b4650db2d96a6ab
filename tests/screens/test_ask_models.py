"""The Ask screen with other models than the built-in ones: called on Ask, watched, stopped, and with permission."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.fakes import FakeWorkbench
from tests.screens.conftest import Open, html, unfold
from workbench.core.errors import GenerationFailed

LOCAL = "openai-like:tiny@http://127.0.0.1:9/v1"
AWAY = "openai-like:gpt-4o-mini"
PATIENCE = 20.0


def ask(app: AppTest) -> AppTest:
    """Presses Ask."""
    return app.button[0].click().run()


def finish(app: AppTest) -> AppTest:
    """Waits for the answer and draws the screen again."""
    app.session_state["asking"].wait(PATIENCE)
    return app.run()


def keys(app: AppTest) -> set[str]:
    """The keys of the buttons on the screen."""
    return {str(button.key) for button in app.button}


def test_every_component_can_be_selected_and_is_in_the_url(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en")
    app.selectbox(key="ask_reranker").set_value("bge-reranker-v2-m3").run()
    app.selectbox(key="ask_encoder").set_value("bge-m3").run()
    assert (app.query_params["reranker"], app.query_params["encoder"]) == ("bge-reranker-v2-m3", "bge-m3")


def test_a_link_restores_a_typed_model(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en", generator=LOCAL, retriever="sparse", encoder="splade:/models/mine")
    assert app.selectbox(key="ask_generator").value == LOCAL
    assert app.selectbox(key="ask_encoder").value == "splade:/models/mine"
    assert app.selectbox(key="ask_retriever").value == "sparse"


def test_an_unknown_component_is_one_sentence_and_nothing_is_called(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="en", ask="1", generator="<b>magic</b>:x")
    assert "Unknown model adapter “&lt;b&gt;magic&lt;/b&gt;”" in html(app)
    assert not fake.requests


def test_an_encoder_is_not_taken_for_a_reranker(open_ask: Open, fake: FakeWorkbench) -> None:
    assert "cannot be used as reranker" in html(open_ask(q="Who?", lang="en", ask="1", reranker="multilingual-e5-base"))
    assert not fake.requests


def test_a_language_model_is_called_by_ask_and_not_by_a_link_or_a_change(open_ask: Open, fake: FakeWorkbench) -> None:
    app = unfold(open_ask(q="Who?", lang="en", ask="1", generator=LOCAL))
    assert "Press Ask" in html(app)
    app.segmented_control(key="ask_mode").set_value("monorag").run()
    assert not fake.requests
    finish(ask(app))
    assert [recipe.generator for _, _, recipe in fake.requests] == [LOCAL]
    assert "Marconi" in html(app)
    unfold(app).segmented_control(key="ask_mode").set_value("trag").run()
    assert len(fake.requests) == 1
    assert "This answer belongs to the previous settings." in html(app)
    assert "monoRAG" in html(app)


def test_the_answer_is_seen_while_it_is_written(open_ask: Open, fake: FakeWorkbench) -> None:
    fake.may_finish.clear()
    app = ask(open_ask(q="Who?", lang="en", generator=LOCAL))
    fake.started.wait(PATIENCE)
    app.run()
    assert "being written" in html(app)
    assert ">Mar</div>" in html(app)
    assert "stop" in keys(app)
    fake.may_finish.set()
    assert "Marconi" in html(finish(app))
    assert "stop" not in keys(app)


def test_stop_keeps_the_partial_answer_and_marks_it(open_ask: Open, fake: FakeWorkbench) -> None:
    fake.may_finish.clear()
    app = ask(open_ask(q="Who?", lang="en", generator=LOCAL))
    fake.started.wait(PATIENCE)
    app.button(key="stop").click().run()
    finish(app)
    assert ">Mar</div>" in html(app)
    assert "Stopped: this is only part of the answer." in html(app)


def test_leaving_the_page_stops_the_answer(open_ask: Open, fake: FakeWorkbench) -> None:
    fake.may_finish.clear()
    app = ask(open_ask(q="Who?", lang="en", generator=LOCAL))
    fake.started.wait(PATIENCE)
    app.switch_page("pages/home.py").run()
    app.session_state["asking"].wait(PATIENCE)
    assert app.session_state["asking"].progress().answer.generation.finish == "stopped"


def test_a_failure_within_the_answer_is_its_sentence_and_the_partial_answer_is_kept(
    open_ask: Open, fake: FakeWorkbench
) -> None:
    fake.raises = GenerationFailed("The connection <i>broke</i> off.")
    app = finish(ask(open_ask(q="Who?", lang="en", generator=LOCAL)))
    assert "The connection &lt;i&gt;broke&lt;/i&gt; off." in html(app)
    assert "Partial answer" in html(app)
    assert "Marconi" in html(app)


def test_nothing_is_sent_before_a_person_agrees_to_the_host(open_ask: Open, fake: FakeWorkbench) -> None:
    app = ask(open_ask(q="Who?", lang="en", generator=AWAY))
    assert not fake.requests
    assert "are sent to api.openai.com. Nothing has been sent yet." in html(app)
    button = app.button(key="agree")
    assert button.label == "Send to api.openai.com"
    finish(button.click().run())
    assert [recipe.generator for _, _, recipe in fake.requests] == [AWAY]
    assert "Marconi" in html(app)


def test_permission_is_requested_once_per_session_for_each_host(open_ask: Open, fake: FakeWorkbench) -> None:
    app = ask(open_ask(q="Who?", lang="en", mode="crossrag", generator=AWAY))
    finish(app.button(key="agree").click().run())
    finish(ask(app))
    assert len(fake.requests) == 2
    unfold(app).selectbox(key="ask_translator").set_value("google").run()
    assert app.button(key="agree").label == "Send to api.openai.com and translate.google.com"
    assert len(fake.requests) == 2


def test_a_translator_that_sends_texts_away_also_waits_for_permission(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="en", ask="1", translator="google")
    assert app.button(key="agree").label == "Send to translate.google.com"
    assert not fake.requests


def test_a_host_that_is_not_a_plain_name_does_not_reach_a_label(open_ask: Open) -> None:
    app = ask(open_ask(q="Who?", lang="en", generator="openai-like:m@http://![x](y)/v1"))
    assert not [button for button in app.button if "![" in button.label]


def test_a_published_recipe_sets_every_choice_and_names_its_source(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="en", corpus="mine")
    app.selectbox(key="ask_shipped").set_value("ranaldi-crossrag").run()
    assert app.segmented_control(key="ask_mode").value == "crossrag"
    assert (app.selectbox(key="ask_generator").value, app.selectbox(key="ask_corpus").value) == ("gpt-4o", "mine")
    assert "Table 14" in html(app)
    assert "Departure: " in html(app)
    assert app.query_params["generator"] == "gpt-4o"
    assert not fake.requests


def test_a_change_after_it_is_no_longer_called_the_published_recipe(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en")
    app.selectbox(key="ask_shipped").set_value("ranaldi-crossrag").run()
    app.selectbox(key="ask_generator").set_value("extractive").run()
    assert app.selectbox(key="ask_shipped").value is None
