"""Jobs on the Data screen: what another tab began is shown, stopped, gone on with and discarded; Wikipedia; writing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from streamlit.testing.v1 import AppTest

from tests.data.documents.dumps import pages, write_plain
from tests.jobs.question_generation.writers import ScriptedWriter, pair, writing_desk
from tests.jobs.waiting import work_on, write
from tests.screens.conftest import APP, LONG, html, open_page
from workbench.app.workbench import Workbench
from workbench.jobs.imports.dataset_imports import DatasetImports, DatasetParameters, DatasetRequest, DatasetSource
from workbench.jobs.imports.wikipedia_imports import WikipediaImports, incoming_folder
from workbench.jobs.question_generation.question_writing import WritingJobs
from workbench.ui.parts import job_card

TABLE = DatasetSource("table", {"languages": ["en"]})


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is done in the test's process."""

    for kind in (WikipediaImports, WritingJobs):
        monkeypatch.setattr(kind, "spawn", lambda jobs, job, _number: work_on(jobs.settings, job))


def _open(**params: str) -> AppTest:
    app = open_page("data", "data_import", "data_wikipedia", **params)
    assert not app.exception
    return app


def _press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


@contextmanager
def _at_work(bench: Workbench) -> Iterator[DatasetImports]:
    """An import that a process is at work on, 40 of 200 passages done."""
    jobs = DatasetImports(bench.settings)
    job = jobs.stage([("0/mine.csv", b"question\nWho?\n")])
    with jobs.undisturbed(job) as claim:
        claim.record("running", DatasetParameters(DatasetRequest("mine", TABLE)), title="mine", total=200)
        write(jobs, job, phase="storing passages", done=40)
        yield jobs


def test_an_import_that_another_tab_began_is_shown_under_way(bench: Workbench) -> None:
    with _at_work(bench):
        app = _open()
        (bar,) = (item for item in app.get("progress"))
        assert "40 of 200 passages" in str(bar.proto) and "“mine”" in str(bar.proto)
        assert "Stop" in [button.label for button in app.button]


def test_a_killed_import_can_be_imported_again_in_another_tab(bench: Workbench) -> None:
    with _at_work(bench):
        pass
    app = _open()
    assert "stopped unexpectedly. Nothing was imported." in html(app)
    assert "Dataset “mine” now has these questions: en 1." in html(_press(app, "Import again"))


def test_a_discarded_import_is_gone_with_its_files(bench: Workbench) -> None:
    with _at_work(bench) as jobs:
        pass
    app = _press(_open(), "Discard")
    assert "stopped before" not in html(app)
    assert jobs.all() == [] and not [path for path in jobs.folder.iterdir() if path.is_dir()]


def test_a_finished_import_stays_until_it_is_closed(bench: Workbench) -> None:
    jobs = DatasetImports(bench.settings)
    jobs.start(jobs.stage([("0/mine.csv", b"question\nWho?\n")]), DatasetRequest("mine", TABLE))
    assert "Dataset “mine” now has" in html(_open()) and "Dataset “mine” now has" in html(_open())
    app = _press(_open(), "Close")
    assert "Dataset “mine” now has" not in html(app) and jobs.all() == []


def test_a_dump_in_the_servers_folder_becomes_a_corpus(bench: Workbench, begun: list[str]) -> None:
    folder = incoming_folder(bench.settings.home)
    folder.mkdir()
    write_plain(folder / "fiwiki-pages-articles.xml", pages(8))
    (folder / "notes.txt").write_text("No dump.")
    app = _open()
    (files,) = (box for box in app.multiselect if box.label == "Files on the server")
    assert len(files.options) == 1 and files.options[0].startswith("fiwiki")
    files.set_value(["fiwiki-pages-articles.xml"])
    app.text_input(key="wikipedia_name_0").input("wiki").run()
    app.button(key="wikipedia_take").click().run()
    assert not app.exception
    assert "Corpus “wiki” has" in html(app)
    assert set(bench.corpus("wiki").manifest.languages) == {"fi"} and begun == ["wiki"]


def test_without_a_file_and_a_name_nothing_can_be_imported(bench: Workbench) -> None:
    app = _open()
    assert "Still needed: name, file." in [item.value for item in app.caption]
    assert not [button for button in app.button if button.key == "wikipedia_take"]


def test_without_a_language_model_one_sentence_says_what_to_set(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert "No language model is ready to write questions: Settings shows" in html(_open(review=""))


def test_what_writing_takes_is_shown_before_it_begins_and_drafts_appear_for_review(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = ScriptedWriter(lambda turn: pair("What is told here in particular?", "nothing of the kind"))
    with writing_desk(bench, writer) as desk:
        app = AppTest.from_file(str(APP), default_timeout=LONG)
        # As if it had been typed: AppTest types nothing into a box without options.
        app.session_state["writing_generator"] = desk.request().generator
        app.query_params["review"] = ""
        app = app.switch_page("pages/data.py").run()
        app.text_input(key="writing_name").input("mine")
        app.multiselect(key="writing_languages_sample").set_value(["en"])
        app.number_input(key="writing_number").set_value(2).run()
        assert not app.exception
        shown = html(app)
        assert "2 passages to write from: at most 4 calls" in shown and writer.calls == []
        app.button(key="writing_take").click().run()
        assert not app.exception
    assert "“mine”: " in html(app) and "held back by a filter." in html(app)
    assert desk.store.progress("mine").total == 2


def test_progress_is_worded_with_and_without_a_total() -> None:
    assert job_card.count_words(0, 0, "passages") == ""
    assert job_card.count_words(1_234, 0, "passages") == " · 1,234 passages"
    assert job_card.count_words(40, 200, "passages") == " · 40 of 200 passages"
