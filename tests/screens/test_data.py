"""The Data screen: corpora and datasets, and the import of files."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.testing.v1 import AppTest

from tests.datasets.forms import jsonl, mkqa_row, tydi_row, xor_row
from tests.datasets.hub_of_rows import DATASET, directed, hub_of_rows
from tests.screens.conftest import APP, html
from workbench.datasets.dataset_library import DatasetLibrary
from workbench.datasets.formats.table import Columns
from workbench.ui.data.from_table import guess_columns
from workbench.ui.shared import access, uploads
from workbench.workspace.workbench import Workbench

CSV = b"q,a,lang\nWho?,Marconi|Popov,en\nKuka?,Marconi,fi\n"


@pytest.fixture
def bench(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """The workbench that the screens of this test use."""
    monkeypatch.setattr(access, "workbench", lambda: workbench)
    monkeypatch.setattr(access, "warm", lambda corpus: None)
    return workbench


def _open() -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=60)
    return app.switch_page("pages/data.py").run()


def _datasets(bench: Workbench) -> list[str]:
    return [item.name for item in DatasetLibrary(bench.settings.datasets).list()]


def test_datasets_and_corpora_are_shown_with_languages_and_indexes(bench: Workbench) -> None:
    app = _open()
    assert not app.exception
    shown = html(app)
    assert "words (BM25)" in shown
    assert "built-in encoder" in shown
    assert "suomi" in shown.lower()
    assert "Who is named as the inventor of radio?" in shown


def test_questions_are_shown_in_the_selected_language(bench: Workbench) -> None:
    app = _open()
    app.selectbox(key="data_code_sample").select("fi").run()
    assert "radion" in html(app)


def test_a_table_is_imported_with_its_columns_assigned(bench: Workbench) -> None:
    app = _open()
    app.file_uploader(key="data_files_table").upload("mine.csv", CSV, "text/csv").run()
    app.selectbox(key="data_column_question_mine.csv").select("q")
    app.selectbox(key="data_column_answers_mine.csv").select("a")
    app.selectbox(key="data_column_language_mine.csv").select("lang")
    app.text_input(key="data_separator").input("|")
    app.text_input(key="data_name").input("mine").run()
    app.button(key="data_take").click().run()
    assert not app.exception
    assert "Dataset “mine” now has these questions: en 1, fi 1." in html(app)
    (question,) = DatasetLibrary(bench.settings.datasets).questions("mine", "en")
    assert question.answers == ("Marconi", "Popov")


def test_a_file_in_squad_s_format_becomes_a_corpus_and_a_dataset(bench: Workbench) -> None:
    question = {"id": "1", "question": "Who?", "answers": [{"text": "Bell", "answer_start": 0}]}
    data = {"version": "1", "data": [{"title": "T", "paragraphs": [{"context": "Bell did it.", "qas": [question]}]}]}
    app = _open()
    app.selectbox(key="data_format").select("squad").run()
    app.file_uploader(key="data_files_squad").upload("s.json", json.dumps(data).encode(), "application/json")
    app.text_input(key="data_name").input("squad-mine")
    app.selectbox(key="data_language_squad").select("en").run()
    app.button(key="data_take").click().run()
    assert not app.exception
    assert "Corpus “squad-mine” has 1 passages." in html(app)
    assert "squad-mine" in _datasets(bench)


def test_a_bad_file_is_reported_with_its_row_and_nothing_is_imported(bench: Workbench) -> None:
    app = _open()
    app.file_uploader(key="data_files_table").upload("mine.csv", CSV + b"Wer?,,de\n", "text/csv").run()
    app.selectbox(key="data_column_question_mine.csv").select("q")
    app.selectbox(key="data_column_answers_mine.csv").select("a")
    app.selectbox(key="data_column_language_mine.csv").select("lang")
    app.text_input(key="data_name").input("mine").run()
    app.button(key="data_take").click().run()
    assert "mine.csv" in html(app)
    assert "has no answer" in html(app)
    assert _datasets(bench) == ["sample"]


def test_a_table_s_first_rows_are_read_once_for_each_file(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    files_on_disk, reads = uploads.files_on_disk, []

    def recorded(files: Sequence[UploadedFile]) -> AbstractContextManager[list[Path]]:
        reads.append([file.name for file in files])
        return files_on_disk(files)

    monkeypatch.setattr(uploads, "files_on_disk", recorded)
    app = _open()
    app.file_uploader(key="data_files_table").upload("mine.csv", CSV, "text/csv").run()
    app.text_input(key="data_name").input("mine").run()
    assert reads == [["mine.csv"]]


def test_columns_are_guessed_by_their_names() -> None:
    guesses = guess_columns(["nr", "Question", "gold answer", "lang"])
    assert guesses == Columns("Question", "gold answer", "", "lang")
    assert guess_columns(["a", "b"]) == Columns("a")


def test_gold_passages_of_a_table_are_looked_up_in_a_corpus(bench: Workbench) -> None:
    app = _open()
    app.file_uploader(key="data_files_table").upload("mine.csv", b"question,lang,gold\nWho?,en,nowhere.en.1\n").run()
    app.selectbox(key="data_gold").select("gold").run()
    app.selectbox(key="data_gold_corpus").select("sample")
    app.text_input(key="data_name").input("mine").run()
    app.button(key="data_take").click().run()
    assert "mine.csv, row 2 names the passage “nowhere.en.1”, which the corpus does not have" in html(app)
    assert _datasets(bench) == ["sample"]


def test_only_a_sample_of_the_questions_is_imported_where_there_is_a_limit(bench: Workbench) -> None:
    rows = b"question\n" + b"".join(b"Who is %d?\n" % number for number in range(9))
    app = _open()
    app.number_input(key="data_limit").set_value(3).run()
    app.number_input(key="data_seed").set_value(7)
    app.file_uploader(key="data_files_table").upload("mine.csv", rows).run()
    app.selectbox(key="data_language_table").select("en")
    app.text_input(key="data_name").input("mine").run()
    app.button(key="data_take").click().run()
    info = DatasetLibrary(bench.settings.datasets).info("mine")
    assert (info.languages, info.description) == ({"en": 3}, "A sample of 3 questions by seed 7.")


def test_the_upload_is_empty_again_after_an_import(bench: Workbench) -> None:
    app = _open()
    app.selectbox(key="data_format").select("natural-questions").run()
    app.file_uploader(key="data_files_natural-questions").upload(
        "nq.jsonl", jsonl([{"question": "?", "answer": ["x"]}])
    )
    app.text_input(key="data_name").input("mine").run()
    app.button(key="data_take").click().run()
    assert "now has these questions: en 1." in html(app)
    assert not app.file_uploader[0].value


FILES = {
    "mkqa": ("mkqa.jsonl", jsonl([mkqa_row(1)]), {"fi": 1}),
    "xor-tydi": ("xor.jsonl", jsonl([xor_row(1), xor_row(2, "ja")]), {"fi": 1}),
    "tydi-qa": ("tydi.jsonl", jsonl([tydi_row(1, "finnish", "Yksi.", "Yksi")]), {"fi": 1}),
}


@pytest.mark.parametrize("kind", FILES)
def test_of_a_file_in_many_languages_the_selected_ones_are_imported(kind: str, bench: Workbench) -> None:
    name, data, counts = FILES[kind]
    app = _open()
    app.selectbox(key="data_format").select(kind).run()
    app.file_uploader(key=f"data_files_{kind}").upload(name, data)
    app.multiselect(key=f"data_languages_{kind}").set_value(["fi"])
    app.text_input(key="data_name").input("mine").run()
    app.button(key="data_take").click().run()
    assert not app.exception
    assert DatasetLibrary(bench.settings.datasets).info("mine").languages == counts


# The hub


def _hub(name: str, code: str = "fi") -> AppTest:
    app = _open()
    app.selectbox(key="data_format").select("hub").run()
    app.text_input(key="data_hub").input(name)
    app.text_input(key="data_hub_id").input("")
    app.selectbox(key="data_language_hub").select(code)
    return app.text_input(key="data_name").input("mine").run()


def test_the_hub_gets_no_request_before_import_is_pressed(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hub_of_rows({"test.jsonl": jsonl([{"question": "Kuka?", "answers": ["Minä"]}])}) as hub:
        directed(monkeypatch, hub.url, tmp_path / "cache")
        app = _hub(DATASET)
        address = hub.url.removeprefix("http://")
        assert f"Import fetches the split “test” of “maker/set” from {address}." in html(app)
        assert hub.requests == []
        app.button(key="data_take").click().run()
        assert "Dataset “mine” now has these questions: fi 1." in html(app)
        assert any(path.endswith("/test.jsonl") for path in hub.requests)


def test_a_hub_that_cannot_be_reached_is_one_sentence_and_nothing_is_imported(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        directed(monkeypatch, f"http://127.0.0.1:{free.getsockname()[1]}", tmp_path / "cache")
        app = _hub(DATASET)
        app.button(key="data_take").click().run()
    assert not app.exception
    assert "The dataset “maker/set” could not be loaded from the Hugging Face hub" in html(app)
    assert _datasets(bench) == ["sample"]


def test_the_url_holds_what_is_shown_and_is_read_again(bench: Workbench) -> None:
    app = _open()
    app.selectbox(key="data_code_sample").set_value("ar").run()
    assert (app.query_params["dataset"], app.query_params["language"]) == ("sample", "ar")
    again = AppTest.from_file(str(APP), default_timeout=60)
    again.switch_page("pages/data.py")
    again.query_params["language"] = "th"
    again.run()
    assert again.selectbox(key="data_code_sample").value == "th"


def test_a_link_to_something_that_does_not_exist_shows_the_first(bench: Workbench) -> None:
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.switch_page("pages/data.py")
    app.query_params["dataset"] = "gone"
    app.run()
    assert not app.exception
    assert app.query_params["dataset"] == "sample"
