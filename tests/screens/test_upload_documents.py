"""People's documents on the screens: uploaded, previewed, added, cited, removed."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.data.documents.sample_files import FERRY, LIBRARY, OBSERVATORY, docx
from tests.jobs.waiting import work_on
from tests.screens.conftest import html, open_page
from workbench.app.workbench import Workbench
from workbench.core.records import Evidence, Passage
from workbench.data.corpora.build import build_corpus
from workbench.jobs.imports.intake_jobs import IntakeJobs, IntakeParameters
from workbench.ui.ask import documents

CORPUS = "mine"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in the test's process."""
    monkeypatch.setattr(IntakeJobs, "spawn", lambda jobs, job, _number: work_on(jobs.settings, job))


def _open(**params: str) -> AppTest:
    return open_page("data", **params)


def _uploaded(*files: tuple[str, bytes]) -> AppTest:
    app = _open()
    control = app.file_uploader(key="documents_files_0")
    for name, data in files:
        control.upload(name, data)
    return app.run()


def _press(app: AppTest, key: str) -> AppTest:
    return app.button(key=key).click().run()


def _opened(app: AppTest) -> AppTest:
    """With the options of the upload, which are built when they are opened."""
    app.session_state["documents_options"] = True
    return app.run()


def _name(app: AppTest) -> None:
    _opened(app)
    next(field for field in app.text_input if field.label == "Name of the corpus").input(CORPUS).run()


def _texts(bench: Workbench) -> set[str]:
    return {passage.text for passage in bench.corpus(CORPUS).table}


def test_files_are_previewed_before_anything_is_added(bench: Workbench, tmp_path: Path) -> None:
    word = docx(tmp_path / "observatoire.docx", OBSERVATORY).read_bytes()
    app = _uploaded(("harbour.txt", FERRY[1].encode()), ("observatoire.docx", word))
    assert not app.exception
    shown = html(app)
    assert "2 documents, 3 passages" in shown
    assert not [box for box in app.selectbox if box.label == "Split into passages of"], "options are built when opened"
    app.session_state["documents_read"] = True
    shown = html(app.run())
    assert "Odile Ferrand" in shown
    assert "harbour.txt" in shown
    assert [item.name for item in bench.library.list()] == ["sample"]


def test_added_documents_can_be_asked_about_at_once(bench: Workbench, begun: list[str]) -> None:
    app = _uploaded(("buecherei.txt", LIBRARY.encode()))
    _name(app)
    _press(app, "documents_add")
    assert "1 document, 1 passage in mine" in html(app)
    assert begun == [CORPUS]
    answer_page = _press(app, "documents_ask")
    assert not answer_page.exception and "".join(answer_page.query_params["corpus"]) == CORPUS
    _press(_open(), "documents_close")
    assert IntakeJobs(bench.settings).all() == []


def test_added_with_nothing_chosen_more_files_join_the_corpus_that_there_is(bench: Workbench) -> None:
    app = _press(_uploaded(("buecherei.txt", LIBRARY.encode())), "documents_add")
    assert "1 document, 1 passage in my-documents" in html(app)
    app = _uploaded(("harbour.txt", FERRY[1].encode()))
    assert app.button(key="documents_add").label == "Add to my\\-documents"
    _press(app, "documents_add")
    assert {passage.document for passage in bench.corpus("my-documents").table} == {"buecherei.txt", "harbour.txt"}


def test_a_file_that_a_corpus_has_is_offered_as_its_replacement_and_the_old_text_is_gone(bench: Workbench) -> None:
    _press(_uploaded(("note.txt", LIBRARY.encode()), ("other.txt", FERRY[1].encode())), "documents_add")
    app = _uploaded(("note.txt", FERRY[0].encode()))
    assert "my-documents already has note.txt" in html(app)
    assert app.button(key="documents_add").label == "Replace it in my\\-documents"
    _press(app, "documents_add")
    passages = list(bench.corpus("my-documents").table)
    assert [passage.text for passage in passages if passage.document == "note.txt"] == [FERRY[0]]
    assert {passage.document for passage in passages} == {"note.txt", "other.txt"}


def test_after_one_upload_another_can_follow(bench: Workbench) -> None:
    app = _uploaded(("buecherei.txt", LIBRARY.encode()))
    _name(app)
    _press(app, "documents_add")
    app = _uploaded(("harbour.txt", FERRY[1].encode()))
    (status,) = IntakeJobs(bench.settings).all()
    assert (status.state, status.read(IntakeParameters).verb) == ("done", "preview")
    assert "harbour.txt" in html(app)


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_previewed(bench: Workbench) -> None:
    app = _uploaded(("broken.pdf", b"%PDF-1.4 nothing"), ("buecherei.txt", LIBRARY.encode()))
    assert "broken.pdf is damaged" in html(app)
    assert "1 document, 1 passage" in html(app)


def test_where_nothing_can_be_read_nothing_can_be_added(bench: Workbench) -> None:
    app = _uploaded(("empty.txt", b""))
    assert "empty.txt is empty" in html(app)
    assert app.button(key="documents_add").disabled


def test_other_choices_are_previewed_again_on_request(bench: Workbench) -> None:
    app = _opened(_uploaded(("harbour.txt", FERRY[1].encode())))
    assert not [button for button in app.button if button.key == "documents_preview"]
    next(box for box in app.selectbox if box.label == "Split into passages of").select("characters-1000-150").run()
    _press(app, "documents_preview")
    assert "1 document, 1 passage" in html(app)


def test_a_name_that_cannot_be_a_corpus_is_refused_in_a_sentence(bench: Workbench) -> None:
    app = _opened(_uploaded(("buecherei.txt", LIBRARY.encode())))
    next(field for field in app.text_input if field.label == "Name of the corpus").input("../x").run()
    _press(app, "documents_add")
    assert "cannot name a corpus" in html(app)
    assert len(bench.library.list()) == 1


@pytest.mark.parametrize("name", ["../../evil.txt", "a\x00b.txt"])
def test_a_files_name_leads_nowhere_else(bench: Workbench, name: str) -> None:
    _uploaded((name, LIBRARY.encode()))
    assert [path for path in bench.settings.home.rglob("*evil*") if "jobs" not in path.parts] == []


def test_a_document_is_replaced_where_that_is_wished(bench: Workbench) -> None:
    app = _uploaded(("note.txt", LIBRARY.encode()))
    _name(app)
    _press(app, "documents_add")
    _press(app, "documents_close")
    app = _opened(_uploaded(("note.txt", FERRY[0].encode())))
    replaces = next(item for item in app.toggle if item.label == "Replace documents of the same name")
    assert replaces.value
    replaces.set_value(False).run()
    _press(app, "documents_add")
    assert "with another text" in html(app)
    next(item for item in app.toggle if item.label == "Replace documents of the same name").set_value(True).run()
    _press(app, "documents_add")
    assert _texts(bench) == {FERRY[0]}


def test_the_language_of_a_document_can_be_set(bench: Workbench) -> None:
    app = _opened(_uploaded(("note.txt", LIBRARY.encode()), ("other.txt", FERRY[0].encode())))
    next(box for box in app.selectbox if "note" in box.label).select("it").run()
    _name(app)
    _press(app, "documents_add")
    assert dict(bench.corpus(CORPUS).manifest.languages) == {"en": 1, "it": 1}


def _corpus(bench: Workbench) -> None:
    passages = [
        Passage("a", "report.pdf", "Report", "en", "Ships sail.", page=1, page_end=2),
        Passage("b", "note.txt", "Note", "en", "Trains run."),
    ]
    build_corpus(bench.settings.corpora / CORPUS, passages, source="test", licence="")


def test_a_document_is_removed_once_its_name_is_typed(bench: Workbench) -> None:
    _corpus(bench)
    app = _open(corpus=CORPUS, show="documents")
    assert "2 pages" in html(app)
    _press(app, "data_remove_0")
    assert app.button(key="data_remove_now_0").disabled
    app.text_input(key="data_confirm_document_0").input("report.pdf").run()
    _press(app, "data_remove_now_0")
    assert "The document “report.pdf” is no longer in the corpus “mine”." in html(app)
    assert _texts(bench) == {"Trains run."}


def test_a_former_version_is_dropped_once_the_corpus_name_is_typed(bench: Workbench) -> None:
    _corpus(bench)
    bench.library.remove_documents(CORPUS, ["note.txt"])
    app = open_page("data", "data_versions", corpus=CORPUS)
    assert app.button(key="data_drop_version").disabled
    app.text_input(key="data_confirm_version").input(CORPUS).run()
    _press(app, "data_drop_version")
    assert "is deleted" in html(app)
    assert len(bench.library.versions(CORPUS)) == 1


def test_a_document_shows_its_file_its_page_and_its_heading() -> None:
    passage = Passage("a", "a<b>.pdf", "Report", "en", "Ships sail.", page=7, page_end=7, heading="Travel & sea")
    shown = documents.documents_list([Evidence(passage, 1)], [])
    assert "a&lt;b&gt;.pdf, page 7" in shown
    assert "Travel &amp; sea" in shown
