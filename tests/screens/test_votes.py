"""Blind votes on the screen: no run is named before the end, and every vote is stored as it is cast."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.screens.conftest import cells, html, open_page
from workbench.annotation.votes import Ballot, VoteStore, answers_as_shown
from workbench.app.workbench import Workbench
from workbench.core.records import Question
from workbench.experiments.experiment import experiment_to_yaml, make_experiment
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment

PERSON = "Ada"
TITLES = ("crossrag", "monorag")
COUNT = 3


@pytest.fixture
def store(bench: Workbench) -> ResultStore:
    """Two runs that answer three questions differently."""
    store = ResultStore.at(bench.settings.database_url)
    rows = [
        RunRow(number, mode, "sample", "sample", mode, "all", "p", "extractive", 5, "none", "", mode)
        for number, mode in enumerate(TITLES)
    ]
    spec = experiment_to_yaml(make_experiment({"modes": list(TITLES)}))
    experiment_id = add_experiment(store.engine, "Two", "matrix", spec, 2 * COUNT, "none", rows)
    cells = [
        CellResult(run, Question(f"q{number}", f"Question {number}?", "en"), f"<b>{'one' if run else 'two'}</b>", "en")
        for run in range(2)
        for number in range(COUNT)
    ]
    Writer(store.engine, experiment_id, ()).write("generate", 0, "sample", cells)
    return store


@pytest.fixture
def ballot(store: ResultStore) -> Ballot:
    first, second = (run.id for run in store.where(Filter()).runs())
    return VoteStore(store).create("Which reads better", (first, second), TITLES)


def _open(**params: str) -> AppTest:
    return open_page("compare", view="votes", **params)


def _voting(ballot: Ballot) -> AppTest:
    return _open(ballot=ballot.id, voter=PERSON)


def _press(app: AppTest, key: str) -> AppTest:
    return app.button(key=key).click().run()


def _everything_on(app: AppTest) -> str:
    return "\n".join([html(app), *(item.value for item in (*app.markdown, *app.caption, *app.header))])


def test_an_empty_workspace_says_what_to_do(bench: Workbench) -> None:
    assert "Run an experiment with two recipes" in html(_open())


def test_a_ballot_is_made_of_two_runs(store: ResultStore) -> None:
    app = _open()
    app.text_input(key="vote_form_name").set_value("First look")
    app.button(key="vote_form_create").click().run()
    (ballot,) = VoteStore(store).ballots()
    assert (ballot.name, {ballot.first_title, ballot.second_title}) == ("First look", {"CrossRAG", "monoRAG"})


def test_without_a_name_nobody_votes(ballot: Ballot) -> None:
    app = _open(ballot=ballot.id)
    assert not [button for button in app.button if button.key == "vote_a"]
    app.text_input(key="vote_name").set_value(PERSON)
    _press(app, "vote_start")
    assert app.query_params["voter"] == PERSON
    assert app.button(key="vote_a")


def test_a_vote_is_stored_for_the_run_that_was_shown_there(store: ResultStore, ballot: Ballot) -> None:
    item = VoteStore(store).open_items(ballot.id, PERSON)[0]
    answer_a, _ = answers_as_shown(ballot, item, PERSON)
    _press(_voting(ballot), "vote_a")
    (vote,) = VoteStore(store).votes(ballot.id)
    assert vote.choice == ("first" if answer_a == item.first_answer else "second")


def test_no_run_is_named_while_somebody_votes(ballot: Ballot) -> None:
    app = _voting(ballot)
    shown = _everything_on(app)
    assert not [title for title in TITLES if title in shown]
    assert "&lt;b&gt;one&lt;/b&gt;" in shown


def test_undo_brings_the_question_back(store: ResultStore, ballot: Ballot) -> None:
    app = _press(_voting(ballot), "vote_tie")
    assert "1 of 3 by you" in str(app.get("progress")[0].proto.text)
    _press(app, "vote_undo")
    assert VoteStore(store).votes(ballot.id) == []


def test_who_has_open_questions_sees_a_warning_and_no_result(store: ResultStore, ballot: Ballot) -> None:
    app = _voting(ballot)
    app.session_state["vote_results"] = True
    app.run()
    assert "You have not voted on all questions." in html(app)
    assert not [title for title in TITLES if title in _everything_on(app)]
    assert not VoteStore(store).has_seen(ballot.id, PERSON)


def test_who_gives_up_sees_the_runs_and_votes_no_longer_count(store: ResultStore, ballot: Ballot) -> None:
    app = _press(_voting(ballot), "vote_a")
    app.session_state["vote_results"] = True
    app.run()
    _press(app, "vote_reveal")
    assert all(title in _everything_on(app) for title in TITLES)
    _press(app, "vote_a")
    assert [vote.is_blind for vote in VoteStore(store).votes(ballot.id)] == [True, False]
    assert "1 vote is not counted" in html(app)


def test_a_link_to_a_language_without_questions_reveals_nothing(store: ResultStore, ballot: Ballot) -> None:
    app = _open(ballot=ballot.id, voter=PERSON, reads="fi")
    app.session_state["vote_results"] = True
    app.run()
    assert "You have not voted on all questions." in html(app)
    assert not VoteStore(store).has_seen(ballot.id, PERSON)


def test_who_has_seen_the_runs_is_told_that_further_votes_do_not_count(store: ResultStore, ballot: Ballot) -> None:
    assert "You have seen which run is which" not in html(_voting(ballot))
    VoteStore(store).reveal(ballot.id, PERSON)
    assert "You have seen which run is which" in html(_voting(ballot))


def test_at_the_end_the_runs_are_named_with_the_test(ballot: Ballot) -> None:
    app = _voting(ballot)
    for _ in range(COUNT):
        _press(app, "vote_both_bad")
    assert "Nothing is left for you" in html(app)
    app.session_state["vote_results"] = True
    app.run()
    assert all(title in html(app) for title in TITLES)
    assert "nothing decided" in cells(app)


def test_undo_without_a_vote_and_an_unknown_ballot_are_a_sentence(store: ResultStore, ballot: Ballot) -> None:
    app = _press(_voting(ballot), "vote_undo")
    assert "There is nothing to undo: you have no vote in this ballot." in html(app)
    app = _open(ballot="gone", voter=PERSON)
    assert "The ballot that the link names is not in this workspace; the newest one is shown, if there is any." in html(
        app
    )
    assert app.query_params["ballot"] == ballot.id


def test_a_ballot_needs_a_name_and_two_runs(store: ResultStore) -> None:
    app = _press(_open(), "vote_form_create")
    assert "Type a name: the ballot is listed under it." in html(app)
    row = RunRow(0, "one", "sample", "sample", "trag", "all", "p", "extractive", 5, "none", "", "one")
    spec = experiment_to_yaml(make_experiment({"modes": ["trag"]}))
    alone = add_experiment(store.engine, "Alone", "matrix", spec, 0, "none", [row])
    app = _open()
    app.selectbox(key="vote_form_experiment").set_value(alone).run()
    assert "This experiment has one run: choose one with two or more." in html(app)
    assert VoteStore(store).ballots() == []


def test_golds_and_documents_are_shown_on_demand_and_do_not_tell_the_runs_apart(ballot: Ballot) -> None:
    app = _voting(ballot)
    assert "none is known" not in html(app)
    app.session_state["vote_evidence"] = True
    app.run()
    assert not app.exception
    assert "none is known" in html(app)
    assert not [title for title in TITLES if title in _everything_on(app)]
