"""Reviewing written questions on the Data screen: beside their passages, by buttons, with a URL for each."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.screens.conftest import html, open_page
from workbench.app.workbench import Workbench
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.jobs.question_generation.draft_store import Draft, DraftStore, WritingRequest
from workbench.ui.data.data_state import Selection
from workbench.workspace.database import opened_store

REQUEST = WritingRequest("sample", "openai-like:m@there", "extractive")


@pytest.fixture
def store(bench: Workbench) -> DraftStore:
    """A set of three: two to review, one held back."""
    store = DraftStore(opened_store(bench.settings.database_url))
    texts = ("<b>Paper</b> was made from rags.", "Rice grows in water.", "Chess is old.")
    ids = ("paper.en.3", "rice.fi.2", "chess.ar.2")
    drafts = [Draft("mine", n, ids[n - 1], "T", texts[n - 1], "en") for n in (1, 2, 3)]
    store.create("mine", REQUEST, "v1", drafts)
    written = [Draft("mine", n, "", "", "", "", "draft", question=f"Question {n}?", answer=f"A{n}") for n in (1, 2)]
    filtered = Draft("mine", 3, "", "", "", "", "filtered", "known", "Known without documents.", "Question 3?", "A3")
    store.record([*written, filtered])
    return store


def opened(**params: str) -> AppTest:
    app = open_page("data", **params)
    assert not app.exception
    return app


def clicked(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def named(app: AppTest) -> AppTest:
    return app.text_input(key="review_reviewer").set_value("Ana").run()


def test_a_draft_is_shown_beside_its_escaped_passage(store: DraftStore) -> None:
    app = opened(review="mine")
    assert "&lt;b&gt;Paper&lt;/b&gt; was made from rags." in html(app)
    assert app.text_area(key="review_question_mine_1").value == "Question 1?"
    assert "0 of 3 decided" in html(app)


def test_accepting_stores_the_reviewer_and_shows_the_next_draft(store: DraftStore) -> None:
    app = clicked(named(opened(review="mine")), "Accept")
    draft = store.draft("mine", 1)
    assert (draft.status, draft.reviewer) == ("accepted", "Ana")
    assert app.text_area(key="review_question_mine_2").value == "Question 2?"


def test_a_changed_question_is_accepted_with_the_change(store: DraftStore) -> None:
    app = named(opened(review="mine"))
    app.text_area(key="review_question_mine_1").set_value("What was paper made from?")
    clicked(app, "Accept")
    draft = store.draft("mine", 1)
    assert (draft.status, draft.question) == ("edited", "What was paper made from?")


def test_a_rejected_draft_can_be_taken_back(store: DraftStore) -> None:
    clicked(named(opened(review="mine")), "Reject")
    assert store.draft("mine", 1).status == "rejected"
    clicked(opened(review="mine", decision="rejected"), "Undo")
    assert store.draft("mine", 1).status == "draft"


def test_nothing_is_decided_without_a_name(store: DraftStore) -> None:
    app = clicked(opened(review="mine"), "Accept")
    assert "Type your name first" in html(app)
    assert store.draft("mine", 1).status == "draft"


def test_what_a_filter_held_back_is_shown_with_the_reason(store: DraftStore) -> None:
    assert "Known without documents." in html(opened(review="mine", decision="filtered"))


def test_a_link_leads_to_one_draft(store: DraftStore) -> None:
    app = opened(review="mine", draft="2")
    assert app.text_area(key="review_question_mine_2").value == "Question 2?"


def test_next_names_the_draft_in_the_address(store: DraftStore) -> None:
    app = clicked(opened(review="mine"), "Next")
    assert app.query_params["draft"] in ("2", ["2"])


def test_the_accepted_become_a_dataset(store: DraftStore, bench: Workbench) -> None:
    app = clicked(named(opened(review="mine")), "Accept")
    app = clicked(app, "Create dataset (1 accepted)")
    assert "The dataset “mine” has 1 question." in html(app)
    (question,) = DatasetLibrary(bench.settings.datasets).questions("mine", "en")
    assert question.gold == ("paper.en.3",)


def test_without_a_set_the_way_to_one_is_shown(bench: Workbench) -> None:
    app = opened(review="")
    assert app.selectbox(key="writing_corpus").value == "sample"
    assert "The link names" not in html(app)


def test_from_review_the_other_views_open(store: DraftStore) -> None:
    app = opened(review="mine")
    app.segmented_control(key="data_view").set_value("datasets").run()
    assert not app.exception
    assert "review" not in app.query_params


@pytest.mark.parametrize(
    "selection",
    [Selection(view="review", name="mine"), Selection(view="review", name="mine", draft=7, decision="rejected")],
)
def test_a_review_survives_its_url(selection: Selection) -> None:
    assert Selection.from_params(selection.to_params()) == (selection, ())


def test_what_a_link_names_in_vain_is_stated(store: DraftStore) -> None:
    shown = html(opened(review="x", draft="-1", decision="y"))
    for sentence in ("The link names the set of questions “x”", "“draft” in the URL is “-1”", "“decision” in the URL"):
        assert sentence in shown
