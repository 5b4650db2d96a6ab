"""Reviewing demonstrations on the Data screen: beside their documents, with what their citations lack, and the file."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.screens.conftest import html, open_page
from workbench.app.workbench import Workbench
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.jobs.demonstrations.demonstration_file import FileChoices, demonstrations_of, write_demonstrations
from workbench.jobs.demonstrations.demonstration_store import (
    DemonstrationDraft,
    DemonstrationRequest,
    DemonstrationStore,
    SourcePassage,
)
from workbench.jobs.review_store import Status
from workbench.ui.data.data_state import Selection
from workbench.ui.parts import access
from workbench.workspace.database import opened_store

TEXT = (
    "#Extraction:\n[1] “The radio was shown in the year 1895.”\n\n#Explanation:\nIt is relevant.\n\n"
    "#Dialectic Argumentation:\nNo document differs.\n\n#Answer:\n1895"
)
PASSAGE = SourcePassage("radio.en.1", "<b>Radio</b>", "en", "The radio was shown in the year 1895.", "CC0", "Own")


@pytest.fixture
def store(bench: Workbench) -> DemonstrationStore:
    """A set of three: two passed, one held back."""
    store = DemonstrationStore(opened_store(bench.settings.database_url))
    rows: tuple[tuple[Status, str, str], ...] = (
        ("draft", "", TEXT),
        ("draft", "", TEXT.replace("[1]", "[7]")),
        ("filtered", "wrong", TEXT),
    )
    drafts = [
        DemonstrationDraft(
            "mine", number, f"mine-{number}", "drag", "sample", "q01", "en", "When was <i>radio</i> shown?", ("1895",),
            passages=(PASSAGE,), status=status, filter=name, reason="It is 1896." if name else "", text=text,
            written_text=text,
        )
        for number, (status, name, text) in enumerate(rows, start=1)
    ]  # fmt: skip
    store.create("mine", DemonstrationRequest("sample", generator="extractive"), "v1", drafts)
    return store


def opened(**params: str) -> AppTest:
    app = open_page("data", **params)
    assert not app.exception
    return app


def clicked(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def test_a_demonstration_is_shown_beside_its_escaped_question_and_documents(store: DemonstrationStore) -> None:
    app = opened(demonstrations="mine")
    shown = html(app)
    assert "When was &lt;i&gt;radio&lt;/i&gt; shown?" in shown
    assert "&lt;b&gt;Radio&lt;/b&gt;" in shown
    assert app.text_area(key="review_text_mine_1").value == TEXT
    assert "Every citation and quotation is in the documents." in shown
    assert "judged by nobody" in shown


def test_a_citation_of_what_is_not_there_is_stated(store: DemonstrationStore) -> None:
    assert "It cites [7]; the last document is [1]." in html(opened(demonstrations="mine", draft="2"))


def test_what_was_held_back_has_its_reason_and_can_be_accepted_with_changes(store: DemonstrationStore) -> None:
    app = opened(demonstrations="mine", decision="filtered")
    assert "It is 1896." in html(app)
    app.text_input(key="review_reviewer").set_value("Ana").run()
    app.text_area(key="review_text_mine_3").set_value(f"{TEXT}.")
    clicked(app, "Accept")
    draft = store.draft("mine", 3)
    assert (draft.status, draft.text, draft.written_text) == ("edited", f"{TEXT}.", TEXT)
    app = opened(demonstrations="mine")
    app.text_input(key="review_reviewer").set_value("Ana").run()
    app.text_area(key="review_text_mine_1").set_value("#Answer: <script>")
    clicked(app, "Accept")
    assert "The final answer is not a gold answer. It is “&lt;script&gt;”" in html(app)
    assert store.draft("mine", 1).status == "draft"
    app = opened(demonstrations="mine", decision="accepted")
    assert "As the generator wrote it:" in html(app)
    assert "Download 3 demonstrations" in [getattr(button, "label", "") for button in app.get("download_button")]


def test_the_form_states_what_is_still_needed_and_then_what_it_takes(bench: Workbench) -> None:
    app = opened(demonstrations="")
    assert any("Still needed: name, generator." in item.value for item in app.caption)
    app.text_input(key="writing_name").set_value("mine").run()
    app.selectbox(key="demonstration_generator").set_value("extractive").run()
    assert "No text leaves this machine. Questions left out:" in html(app)


def test_a_review_survives_its_url() -> None:
    selection = Selection(view="demonstrations", name="mine", draft=7, decision="rejected")
    assert Selection.from_params(selection.to_params()) == (selection, ())


def test_what_is_kept_for_evaluation_by_now_is_rejected_by_one_press_under_a_name(store: DemonstrationStore) -> None:
    store.create("later", DemonstrationRequest("sample", evaluation=("sample",)), "v1", [])
    app = opened(demonstrations="mine")
    assert "2 demonstrations are of questions that are in evaluation datasets" in html(app)
    assert "--reject" not in html(app)
    clicked(app, "Reject these 2")
    assert "Type your name first" in html(app)
    app.text_input(key="review_reviewer").set_value("Ana").run()
    clicked(app, "Reject these 2")
    assert [(draft.status, draft.reviewer) for draft in store.drafts("mine")[:2]] == [("rejected", "Ana")] * 2
    assert store.draft("mine", 3).status == "filtered"
    assert "evaluation datasets" not in html(app)


def test_a_file_becomes_the_set_that_is_shown_or_is_refused_in_a_sentence(store: DemonstrationStore) -> None:
    app = open_page("data", "demonstrations_import", demonstrations="mine")
    app.text_input(key="demonstrations_upload_name").set_value("again").run()
    assert any("Still needed: file." in item.value for item in app.caption)
    upload = app.file_uploader(key="demonstrations_upload")
    upload.upload("bad.jsonl", b"{}\n").run()
    clicked(app, "Import")
    assert "line 1 is not a demonstration" in html(app) and len(store.sets()) == 1
    library = DatasetLibrary(access.workbench().settings.datasets)
    file = write_demonstrations(demonstrations_of(store, library, "mine", FileChoices()))
    app.file_uploader(key="demonstrations_upload").clear().upload("mine.jsonl", file.encode()).run()
    clicked(app, "Import")
    assert "0 of 2 decided" in html(app) and "From the file " in html(app) and "mine.jsonl" in html(app)
