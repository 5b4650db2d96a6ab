"""Decisions of people, and the dataset that is made of what they accepted."""

from __future__ import annotations

import pytest

from workbench.app.workbench import Workbench
from workbench.core.errors import DataError, UsageError
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.jobs.question_generation.draft_store import Draft, DraftStore, WritingRequest
from workbench.jobs.question_generation.written_dataset import create_dataset
from workbench.workspace.database import opened_store
from workbench.workspace.permissions import Actor, Role, acting_as

REQUEST = WritingRequest("sample", "openai-like:m@there", "extractive")
PASSAGES = (("paper.en.3", "en"), ("rice.fi.2", "fi"), ("gone.en.1", "en"), ("chess.ar.2", "ar"))


@pytest.fixture
def store(workbench: Workbench) -> DraftStore:
    """A set of four: three written, of which the last is held back, and one unwritten."""
    store = DraftStore(opened_store(workbench.settings.database_url))
    drafts = [Draft("mine", n, passage, "T", "Text.", code) for n, (passage, code) in enumerate(PASSAGES, start=1)]
    store.create("mine", REQUEST, "v1", drafts)
    written = [Draft("mine", n, "", "", "", "", "draft", question=f"Q{n}?", answer=f"A{n}") for n in (1, 2)]
    filtered = Draft("mine", 3, "", "", "", "", "filtered", "known", "It is known.", "Q3?", "A3")
    store.record([*written, filtered])
    return store


def statuses(store: DraftStore) -> list[str]:
    return [draft.status for draft in store.drafts("mine")]


def test_a_decision_is_stored_with_its_reviewer_and_time(store: DraftStore) -> None:
    store.accept("mine", 1, "  Ana   Sá ")
    draft = store.draft("mine", 1)
    assert (draft.status, draft.reviewer, draft.question) == ("accepted", "Ana Sá", "Q1?")
    assert draft.reviewed


def test_an_edited_question_keeps_what_the_generator_wrote(store: DraftStore) -> None:
    store.edit("mine", 1, "Ana", "Which  one?", "A1")
    draft = store.draft("mine", 1)
    assert (draft.status, draft.question, draft.written_question) == ("edited", "Which one?", "Q1?")


def test_an_edit_that_changes_nothing_accepts(store: DraftStore) -> None:
    assert store.edit("mine", 1, "Ana", "Q1?", "A1").status == "accepted"


def test_a_person_may_accept_what_a_filter_held_back(store: DraftStore) -> None:
    assert store.accept("mine", 3, "Ana").status == "accepted"
    assert store.draft("mine", 3).filter == "known"


def test_undo_restores_the_wording_and_the_filter(store: DraftStore) -> None:
    store.edit("mine", 1, "Ana", "Other?", "Other")
    store.reject("mine", [3], "Ana")
    assert [store.undo("mine", number).status for number in (1, 3)] == ["draft", "filtered"]
    assert store.draft("mine", 1).question == "Q1?"
    assert store.draft("mine", 1).reviewed is None


@pytest.mark.parametrize(
    ("question", "answer", "by", "sentence"),
    [
        ("", "A", "Ana", "The question is empty"),
        ("Q?", " ", "Ana", "The answer is empty"),
        ("Q?", "A" * 201, "Ana", "201 characters long"),
        ("Q?", "A", "", "cannot be the reviewer's name"),
    ],
)
def test_a_bad_edit_changes_nothing(store: DraftStore, question: str, answer: str, by: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        store.edit("mine", 1, by, question, answer)
    assert statuses(store) == ["draft", "draft", "filtered", "unwritten"]


def test_what_is_not_written_cannot_be_decided(store: DraftStore) -> None:
    with pytest.raises(UsageError, match="Nothing is written for draft 4"):
        store.reject("mine", [4], "Ana")


def test_a_number_that_does_not_exist_is_named(store: DraftStore) -> None:
    with pytest.raises(UsageError, match="no draft 9: type a number from 1 to 4"):
        store.accept("mine", 9, "Ana")


def test_writing_leaves_what_was_decided(store: DraftStore) -> None:
    store.accept("mine", 1, "Ana")
    store.record([Draft("mine", 1, "", "", "", "", "draft", question="Late?", answer="Late")])
    assert store.draft("mine", 1).question == "Q1?"


def test_progress_counts_statuses_and_filters(store: DraftStore) -> None:
    state = store.progress("mine")
    assert state.by_status == {"draft": 2, "filtered": 1, "unwritten": 1}
    assert (state.by_filter, state.total, state.counted, state.failed) == ({"known": 1}, 4, 0, 0)


def test_accepted_questions_become_a_dataset_with_their_passages_as_gold(
    store: DraftStore, workbench: Workbench
) -> None:
    store.accept("mine", 1, "Ana")
    store.edit("mine", 2, "Bo", "Mikä?", "Riisi")
    datasets = DatasetLibrary(workbench.settings.datasets)
    corpus = workbench.corpus("sample")
    info = create_dataset(store, store.set_called("mine"), corpus, datasets).dataset
    assert (info.corpus, info.languages) == ("sample", {"en": 1, "fi": 1})
    assert "openai-like:m@there" in info.source
    assert info.description == "Reviewed by Ana, Bo."
    (question,) = datasets.questions("mine", "fi")
    assert (question.text, question.answers, question.gold) == ("Mikä?", ("Riisi",), ("rice.fi.2",))


def test_a_dataset_made_again_has_what_is_accepted_now_for_who_may_add_but_not_delete_datasets(
    store: DraftStore, workbench: Workbench
) -> None:
    datasets, corpus = DatasetLibrary(workbench.settings.datasets), workbench.corpus("sample")
    for number in (1, 2):
        store.accept("mine", number, "Ana")
    create_dataset(store, store.set_called("mine"), corpus, datasets)
    store.reject("mine", [1], "Ana")
    with acting_as(Actor("Ana", Role.ANALYST)):
        assert create_dataset(store, store.set_called("mine"), corpus, datasets).dataset.languages == {"fi": 1}


def test_a_question_whose_passage_is_gone_is_left_out_and_counted(store: DraftStore, workbench: Workbench) -> None:
    datasets, corpus = DatasetLibrary(workbench.settings.datasets), workbench.corpus("sample")
    store.accept("mine", 3, "Ana")
    with pytest.raises(DataError, match="none of the passages any more"):
        create_dataset(store, store.set_called("mine"), corpus, datasets)
    store.accept("mine", 1, "Ana")
    result = create_dataset(store, store.set_called("mine"), corpus, datasets)
    assert (result.dataset.languages, result.without_passage) == ({"en": 1}, 1)


def test_a_dataset_from_elsewhere_is_not_overwritten(store: DraftStore, workbench: Workbench) -> None:
    datasets, corpus = DatasetLibrary(workbench.settings.datasets), workbench.corpus("sample")
    from workbench.core.records import Question

    datasets.add("mine", "", [Question("1", "Q?", "de", ("A",))], aligned=False)
    store.accept("mine", 1, "Ana")
    with pytest.raises(UsageError, match="mine-written"):
        create_dataset(store, store.set_called("mine"), corpus, datasets)
    assert datasets.info("mine").languages == {"de": 1}


def test_nothing_accepted_makes_no_dataset(store: DraftStore, workbench: Workbench) -> None:
    datasets = DatasetLibrary(workbench.settings.datasets)
    with pytest.raises(UsageError, match="No question of the set “mine” is accepted yet"):
        create_dataset(store, store.set_called("mine"), workbench.corpus("sample"), datasets)


def test_a_deleted_set_is_gone_with_its_drafts(store: DraftStore) -> None:
    store.remove("mine")
    assert (store.sets(), store.drafts("mine")) == ((), [])
