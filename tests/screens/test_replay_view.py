"""“Change one thing” on one answer of Inspect: the form, what is run, and what is shown of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from streamlit.testing.v1 import AppTest

from tests.experiments.replays.stored_answers import stored_answer, stored_rows
from tests.screens.conftest import html, open_page
from workbench.app.workbench import Workbench
from workbench.core.errors import GenerationFailed
from workbench.core.records import Generation, Prompt
from workbench.experiments.results.queries.instances import Instance
from workbench.pipeline.answering import Generate
from workbench.pipeline.reader import extractive
from workbench.pipeline.stage import State
from workbench.ui.inspect.replay_view import FORM_CHANGED, NO_RECIPE, RESULT
from workbench.ui.parts.safe_html import escaped
from workbench.workspace.database import opened_store

RUN = "inspect_replay_run"
PAYLOAD = "<b>bold</b> ![x](https://stranger.example/a.png)"


@pytest.fixture
def item(bench: Workbench) -> Instance:
    """An answer of CrossRAG to an English question."""
    return stored_answer(bench, language="en")


def _open(item: Instance, thing: str = "") -> AppTest:
    app = open_page("inspect", instance=str(item.answer))
    if thing:
        app.button_group(key=f"inspect_change_thing_{item.answer}").set_value(thing).run()
    return app


def _write_generator(bench: Workbench, name: str) -> None:
    """Writes the answer's recipe as if another generator had been used."""
    with opened_store(bench.settings.database_url).begin() as connection:
        connection.exec_driver_sql("UPDATE runs SET recipe = json_set(recipe, '$.generator', ?)", (name,))


def test_nothing_can_be_run_before_something_is_changed(item: Instance) -> None:
    app = _open(item)
    assert not app.exception
    assert app.button(key=RUN).disabled


def test_a_new_prompt_is_run_and_shown_with_its_steps(item: Instance) -> None:
    app = _open(item, "prompt")
    app.selectbox(key=f"inspect_change_prompt_{item.answer}").select("reply-short-ul").run()
    app.button(key=RUN).click().run()
    assert not app.exception
    shown = html(app)
    assert "reply-short-en → reply-short-ul" in shown
    assert shown.count(">kept<") >= 3
    assert ">run<" in shown
    assert "same 5 in the same order" in shown


@pytest.mark.parametrize(("thing", "value"), [("mode", "multirag"), ("scope", "en")])
def test_each_choice_of_the_recipe_is_run(item: Instance, thing: str, value: str) -> None:
    app = _open(item, thing)
    app.selectbox(key=f"inspect_change_{thing}_{item.answer}").select(value).run()
    app.button(key=RUN).click().run()
    assert not app.exception
    assert f"→ {value}" in html(app)
    assert "What happened" in html(app)


def test_any_other_field_of_the_recipe_can_be_changed(item: Instance) -> None:
    app = _open(item, "other")
    box = app.selectbox(key=f"inspect_change_other_{item.answer}")
    assert "Candidates" in box.options
    assert not {"Mode", "Corpus", "D-RAG prompts"} & set(box.options)
    box.select("passage_order").run()
    assert app.button(key=RUN).disabled
    app.selectbox(key=f"inspect_change_passage_order_{item.answer}").select("reversed").run()
    app.button(key=RUN).click().run()
    assert not app.exception
    assert "ranked → reversed" in html(app)


def test_fewer_documents_are_named_as_left(item: Instance) -> None:
    app = _open(item, "k")
    app.number_input(key=f"inspect_change_k_{item.answer}").set_value(2).run()
    app.button(key=RUN).click().run()
    assert html(app).count(">left<") == 3


def test_a_document_is_removed_moved_and_brought_back(item: Instance) -> None:
    app = _open(item, "documents")
    app.button(key=f"inspect_change_document_remove_{item.answer}_2").click().run()
    app.button(key=f"inspect_change_document_down_{item.answer}_1").click().run()
    app.button(key=RUN).click().run()
    assert not app.exception
    assert html(app).count(">left<") == 1
    assert html(app).count(">moved<") == 1
    app.button(key=f"inspect_change_document_reset_{item.answer}").click().run()
    assert app.button(key=RUN).disabled


def _edit(app: AppTest, item: Instance, text: str) -> None:
    """Opens the text of the first document, changes it, and closes it again."""
    opened = f"inspect_change_document_edit_{item.answer}_1"
    app.session_state[opened] = True
    app.run().text_area(key=f"inspect_change_document_text_{item.answer}_1").set_value(text).run()
    app.session_state[opened] = False
    app.run()


def test_an_edited_document_reaches_the_generator_and_is_shown_as_text(item: Instance) -> None:
    app = _open(item, "documents")
    _edit(app, item, PAYLOAD)
    assert " · edited" in html(app)
    app.button(key=RUN).click().run()
    app.toggle(key=f"inspect_replay_texts_{item.answer}").set_value(True).run()
    assert not app.exception
    assert ">edited<" in html(app)
    assert escaped(PAYLOAD) in html(app)
    assert PAYLOAD not in html(app)


def test_an_empty_document_is_refused_in_a_sentence(item: Instance) -> None:
    app = _open(item, "documents")
    _edit(app, item, "  ")
    app.button(key=RUN).click().run()
    assert not app.exception
    assert "Document 1 has no text. Type its text, or remove the document." in html(app)


def test_a_question_without_letters_is_refused_in_a_sentence(item: Instance) -> None:
    app = _open(item, "question")
    app.text_input(key=f"inspect_change_question_{item.answer}").set_value("?!").run()
    app.button(key=RUN).click().run()
    assert not app.exception
    assert "holds no letter or digit" in html(app)


def test_words_that_left_and_came_are_marked_as_text(item: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    def generate(reader: object, prompts: Sequence[Prompt]) -> list[Generation]:
        return [Generation(PAYLOAD) for _ in prompts]

    monkeypatch.setattr(extractive.ExtractiveReader, "generate", generate)
    app = _open(item, "k")
    app.number_input(key=f"inspect_change_k_{item.answer}").set_value(1).run()
    app.button(key=RUN).click().run()
    assert f"<ins>{escaped(PAYLOAD)}</ins>" in html(app)
    assert PAYLOAD not in html(app)


def test_a_step_that_fails_is_shown_as_a_sentence(item: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(stage: Generate, states: Sequence[State]) -> list[State]:
        raise GenerationFailed("The model is asleep.")

    app = _open(item, "k")
    app.number_input(key=f"inspect_change_k_{item.answer}").set_value(1).run()
    monkeypatch.setattr(Generate, "run", fail)
    app.button(key=RUN).click().run()
    assert not app.exception
    assert "The replay failed: The model is asleep." in html(app)


def test_a_host_is_named_before_anything_is_sent(item: Instance, bench: Workbench) -> None:
    (bench.settings.home / "endpoints.yaml").write_text("there:\n  url: https://api.example/v1\n", encoding="utf-8")
    _write_generator(bench, "openai-like:some-model@there")
    app = _open(item, "k")
    app.number_input(key=f"inspect_change_k_{item.answer}").set_value(1).run()
    assert not app.exception
    assert "is sent to api.example, and the model openai-like:some-model@there is called" in html(app)
    assert app.button(key=RUN).label == "Send to api.example and run"


def test_the_built_in_reader_needs_no_agreement(item: Instance) -> None:
    app = _open(item, "k")
    app.number_input(key=f"inspect_change_k_{item.answer}").set_value(1).run()
    assert app.button(key=RUN).label == "Run what follows"
    assert "leave this machine" not in html(app)


def test_a_generator_that_no_longer_exists_is_a_sentence(item: Instance, bench: Workbench) -> None:
    _write_generator(bench, "openai-like:some-model@gone")
    app = _open(item, "k")
    app.number_input(key=f"inspect_change_k_{item.answer}").set_value(1).run()
    assert not app.exception
    assert "“gone”" in html(app)
    assert RUN not in [button.key for button in app.button]


def test_a_form_that_has_changed_since_is_named(item: Instance) -> None:
    app = _open(item, "k")
    app.number_input(key=f"inspect_change_k_{item.answer}").set_value(1).run()
    app.button(key=RUN).click().run()
    assert FORM_CHANGED not in html(app)
    app.number_input(key=f"inspect_change_k_{item.answer}").set_value(2).run()
    assert FORM_CHANGED in html(app)


def test_a_replay_is_offered_as_a_file_and_stored_nowhere(item: Instance, bench: Workbench) -> None:
    before = stored_rows(bench)
    app = _open(item, "k")
    app.number_input(key=f"inspect_change_k_{item.answer}").set_value(1).run()
    app.button(key=RUN).click().run()
    assert "Replay (JSON)" in [button.proto.label for button in app.get("download_button")]
    assert stored_rows(bench) == before


def test_another_answer_begins_with_a_form_of_its_kind(bench: Workbench, item: Instance) -> None:
    other = stored_answer(bench, language="fi", name="Another")
    app = _open(item, "k")
    app.number_input(key=f"inspect_change_k_{item.answer}").set_value(1).run()
    app.button(key=RUN).click().run()
    app.query_params["instance"] = str(other.answer)
    app.run()
    assert not app.exception
    assert app.session_state[RESULT].answer == item.answer
    assert "What happened" not in html(app)
    assert app.button(key=RUN).disabled


def test_a_mode_without_documents_offers_no_search(bench: Workbench) -> None:
    item = stored_answer(bench, language="en", modes=["baseline"])
    group = _open(item).button_group(key=f"inspect_change_thing_{item.answer}")
    assert list(group.options) == ["Mode", "Prompt variant", "Generator", "Question", "Another setting"]


def test_the_search_of_perturbed_documents_is_not_offered(bench: Workbench) -> None:
    item = stored_answer(bench, language="en", perturbations=["shuffle"])
    group = _open(item).button_group(key=f"inspect_change_thing_{item.answer}")
    assert list(group.options) == ["Mode", "Prompt variant", "Generator", "Documents", "Another setting"]
    app = _open(item, "other")
    settings = app.selectbox(key=f"inspect_change_other_{item.answer}").options
    assert "Passage order" in settings
    assert not {"Candidates", "Retriever", "Minimum score"} & set(settings)


def test_an_answer_without_a_recipe_says_why_it_cannot_be_replayed(results_bench: Workbench) -> None:
    app = open_page("inspect", instance="1")
    assert not app.exception
    assert NO_RECIPE in html(app)
    assert RUN not in [button.key for button in app.button]
