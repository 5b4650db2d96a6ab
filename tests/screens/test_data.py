"""The Data screen: what is there, and files that come in."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.screens.conftest import APP, html
from workbench.datasets.library import DatasetLibrary
from workbench.pipeline.workbench import Workbench
from workbench.ui import workspace

CSV = b"q,a,lang\nWho?,Marconi|Popov,en\nKuka?,Marconi,fi\n"


@pytest.fixture
def bench(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """The workbench that the screens of this test meet."""
    monkeypatch.setattr(workspace, "workbench", lambda: workbench)
    monkeypatch.setattr(workspace, "warm", lambda corpus: None)
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


def test_questions_are_looked_at_in_the_language_chosen(bench: Workbench) -> None:
    app = _open()
    app.selectbox(key="data_code_sample").select("fi").run()
    assert "radion" in html(app)


def test_a_table_comes_in_with_its_columns_mapped(bench: Workbench) -> None:
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
    asked = {"id": "1", "question": "Who?", "answers": [{"text": "Bell", "answer_start": 0}]}
    data = {"version": "1", "data": [{"title": "T", "paragraphs": [{"context": "Bell did it.", "qas": [asked]}]}]}
    app = _open()
    app.selectbox(key="data_format").select("squad").run()
    app.file_uploader(key="data_files_squad").upload("s.json", json.dumps(data).encode(), "application/json")
    app.text_input(key="data_name").input("squad-mine")
    app.selectbox(key="data_language_squad").select("en").run()
    app.button(key="data_take").click().run()
    assert not app.exception
    assert "Corpus “squad-mine” has 1 passages." in html(app)
    assert "squad-mine" in _datasets(bench)


def test_a_bad_file_is_told_with_its_row_and_nothing_is_taken(bench: Workbench) -> None:
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
