"""The Data screen: corpora and datasets, and the import of files."""

from __future__ import annotations

import csv
import io
import json
import re
import socket
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlencode

import pytest
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.testing.v1 import AppTest

from tests.data.datasets.forms import jsonl, mkqa_row, tydi_row, xor_row
from tests.data.datasets.hub_of_rows import DATASET, directed, hub_of_rows
from tests.screens.conftest import html, open_page
from workbench.app.workbench import Workbench
from workbench.core.records import Question
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.data.datasets.formats.table import Columns
from workbench.ui.data import data_view
from workbench.ui.imports.column_form import guess_columns
from workbench.ui.parts import uploads
from workbench.ui.parts.figure import as_csv

CSV = b"q,a,lang\nWho?,Marconi|Popov,en\nKuka?,Marconi,fi\n"


def _open() -> AppTest:
    return open_page("data", "data_import")


def _address(app: AppTest) -> dict[str, str]:
    """The URL's parameters, each of which occurs once."""
    values = {name: [value] if isinstance(value, str) else value for name, value in app.query_params.items()}
    assert all(len(items) == 1 for items in values.values())
    return {name: items[0] for name, items in values.items()}


def _datasets(bench: Workbench) -> list[str]:
    return [item.name for item in DatasetLibrary(bench.settings.datasets).list()]


def test_datasets_and_corpora_are_shown_with_languages_and_indexes(bench: Workbench) -> None:
    app = _open()
    assert not app.exception
    shown = html(app) + html(app.segmented_control(key="data_view").set_value("corpora").run())
    assert not app.exception
    assert not app.dataframe, "one corpus and one dataset are nothing to sort"
    assert "words (BM25)" in shown
    assert "built-in encoder" in shown
    assert "13 languages, 92 each" in shown
    assert "Who is named as the inventor of radio?" in shown


def test_questions_are_shown_in_the_selected_language(bench: Workbench) -> None:
    app = _open()
    app.selectbox(key="data_language").select("fi").run()
    assert "radion" in html(app)


def test_a_table_is_imported_with_its_columns_assigned(bench: Workbench) -> None:
    app = _open()
    app.file_uploader(key="data_files_table").upload("mine.csv", CSV, "text/csv").run()
    app.selectbox(key="data_column_question_mine.csv").select("q")
    app.selectbox(key="data_column_answers_mine.csv").select("a")
    app.selectbox(key="data_column_language_mine.csv").select("lang")
    app.text_input(key="import_name").input("mine").run()
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
    app.text_input(key="import_name").input("squad-mine")
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
    app.text_input(key="import_name").input("mine").run()
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
    app.text_input(key="import_name").input("mine").run()
    assert reads == [["mine.csv"]]


def test_columns_are_guessed_by_their_names() -> None:
    guesses = guess_columns(["nr", "Question", "gold answer", "lang"])
    assert guesses == Columns("Question", "gold answer", "", "lang")
    assert guess_columns(["a", "b"]) == Columns("a")


def test_gold_passages_of_a_table_are_looked_up_in_a_corpus(bench: Workbench) -> None:
    app = _open()
    app.file_uploader(key="data_files_table").upload("mine.csv", b"question,lang,gold\nWho?,en,nowhere.en.1\n").run()
    app.selectbox(key="data_column_gold_mine.csv").select("gold").run()
    app.selectbox(key="data_corpus_table").select("sample")
    app.text_input(key="import_name").input("mine").run()
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
    app.text_input(key="import_name").input("mine").run()
    app.button(key="data_take").click().run()
    info = DatasetLibrary(bench.settings.datasets).info("mine")
    assert (info.languages, info.description) == ({"en": 3}, "A sample of 3 questions by seed 7.")


def test_the_upload_is_empty_again_after_an_import(bench: Workbench) -> None:
    app = _open()
    app.selectbox(key="data_format").select("natural-questions").run()
    app.file_uploader(key="data_files_natural-questions").upload(
        "nq.jsonl", jsonl([{"question": "?", "answer": ["x"]}])
    )
    app.text_input(key="import_name").input("mine").run()
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
    assert not any({"corpus", "kilt"} & set(str(box.key).split("_")) for box in app.selectbox), (
        "for the command line only"
    )
    app.text_input(key="import_name").input("mine").run()
    app.button(key="data_take").click().run()
    assert not app.exception
    assert DatasetLibrary(bench.settings.datasets).info("mine").languages == counts


# The hub


def _hub(name: str, code: str = "fi") -> AppTest:
    app = _open()
    app.selectbox(key="data_format").select("hub").run()
    app.text_input(key="data_hub").input(name)
    app.text_input(key="data_column_id_hub").input("")
    app.selectbox(key="data_language_hub").select(code)
    return app.text_input(key="import_name").input("mine").run()


def test_the_hub_gets_no_request_before_import_is_pressed(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hub_of_rows({"test.jsonl": jsonl([{"question": "Kuka?", "answers": ["Minä"]}])}) as hub:
        directed(monkeypatch, hub.url, tmp_path / "cache")
        app = _hub(DATASET)
        address = hub.url.removeprefix("http://")
        assert f"Import fetches “maker/set”, split “test” from {address}." in html(app)
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
    app.selectbox(key="data_language").set_value("ar").run()
    assert _address(app) == {"dataset": "sample", "language": "ar"}
    again = open_page("data", language="th")
    assert again.selectbox(key="data_language").value == "th"


BROKEN = {
    "dataset=gone": "The link names the dataset “gone”, which is not in this workspace.",
    "corpus=gone": "The link names the corpus “gone”, which is not in this workspace.",
    "language=xx": "The link names the language “xx”, which the dataset “sample” lacks.",
    "corpus=sample&language=xx": "The link names the language “xx”, which the corpus “sample” lacks.",
    "page=last": "“page” in the URL is “last”. It must be a whole number, for example: page=1",
    "corpus=sample&show=all": "“show” in the URL is “all”. Allowed: passages, documents.",
    "corpus=sample&passage=nowhere": "The corpus “sample” has no passage “nowhere”.",
}


def _linked(address: str) -> AppTest:
    return open_page("data", **dict(parse_qsl(address)))


def test_a_link_to_something_that_does_not_exist_is_one_sentence(results_bench: Workbench) -> None:
    for address, sentence in BROKEN.items():
        app = _linked(address)
        assert not app.exception
        assert sentence in html(app)
        # The URL stays as it was opened: writing it would put an entry into the browser's history.
        assert _address(app) == dict(parse_qsl(address))


def test_opening_the_screen_writes_nothing_into_the_url(bench: Workbench) -> None:
    assert _address(_open()) == {}


def test_one_selection_writes_the_url_once_with_all_parameters(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = _linked("dataset=sample&language=fi&page=2")
    writes = []
    original = QueryParams._send_query_param_msg

    def recorded(self: QueryParams) -> None:
        writes.append(1)
        original(self)

    monkeypatch.setattr(QueryParams, "_send_query_param_msg", recorded)
    app.text_input(key="data_search").set_value("radio").run()
    assert writes == [1]
    assert _address(app) == {"dataset": "sample", "language": "fi", "search": "radio"}


def test_a_dataset_of_two_languages_and_a_search_is_paged(bench: Workbench) -> None:
    app = _open()
    first = html(app)
    app.button(key="data_later").click().run()
    assert not app.exception
    assert _address(app) == {"dataset": "sample", "page": "2"} and html(app) != first
    app.text_input(key="data_search").set_value("radio Finland zzz").run()
    assert "No question matches" in html(app)


def test_a_question_links_to_ask_and_to_its_gold_passages(bench: Workbench) -> None:
    app = _open()
    links = [(item.proto.label, item.proto.query_string) for item in app.get("page_link")]
    asks = [parse_qs(query) for label, query in links if label == "Ask this"]
    assert len(asks) == 10 and asks[0]["q"] == ["Who is named as the inventor of radio?"] and asks[0]["lang"] == ["en"]
    assert all(item["ask"] == ["1"] for item in asks)
    golds = [parse_qs(query) for label, query in links if label.startswith("Gold passage")]
    shown = _linked(urlencode({name: values[0] for name, values in golds[0].items()}))
    assert not shown.exception
    names = golds[0]["passage"][0].split("\n")
    assert names[0].startswith("radio.en.") and len(names) > 1 and all(name in html(shown) for name in names)


def test_a_corpus_is_searched_and_its_documents_lead_to_their_passages(bench: Workbench) -> None:
    app = _linked("corpus=sample&search=marconi")
    assert "Marconi" in html(app)
    app = _linked("corpus=sample&language=fi&show=documents")
    links = [parse_qs(item.proto.query_string) for item in app.get("page_link")]
    shown = _linked(urlencode({name: values[0] for name, values in links[0].items()}))
    assert not shown.exception and "Show all passages" in [button.label for button in shown.button]


def test_what_is_shown_is_downloaded_as_csv_that_can_be_imported_again(bench: Workbench) -> None:
    golds = Question("=1", "Kuka?", "fi", ("a", "b"), ("p1",))
    nothing = Question("2", "Miksi?", "fi", evidence_in="none")
    rows = list(csv.DictReader(io.StringIO(as_csv(data_view.questions_frame([golds, nothing])))))
    assert rows[0] == {
        "id": "'=1", "language": "fi", "question": "Kuka?", "answers": "a|b", "gold": "p1", "unanswerable": "",
    }  # fmt: skip
    assert rows[1]["unanswerable"] == "yes"


def _table(bench: Workbench, data: bytes = CSV, name: str = "mine") -> AppTest:
    """The screen with a table in the form."""
    app = _open()
    app.file_uploader(key="data_files_table").upload("mine.csv", data, "text/csv").run()
    app.selectbox(key="data_column_question_mine.csv").select("q")
    app.selectbox(key="data_column_answers_mine.csv").select("a")
    app.selectbox(key="data_column_language_mine.csv").select("lang")
    return app.text_input(key="import_name").input(name).run()


def test_the_preview_shows_golds_as_they_will_be_imported(bench: Workbench) -> None:
    shown = html(_table(bench, CSV + b"Wer?,<b>Bell</b>,de\n"))
    for gold in ("Marconi", "Popov", "&lt;b&gt;Bell&lt;/b&gt;"):
        assert f">{gold}</bdi>" in shown


def test_cells_with_another_separator_are_reported_before_the_import(bench: Workbench) -> None:
    app = _table(bench)
    assert "which is not the separator" not in html(app)
    app.text_input(key="data_separator_table").set_value(";").run()
    assert "In the first 2 rows: 1 answer cell holds “|”, which is not the separator" in html(app)


def test_what_is_still_needed_is_named(bench: Workbench) -> None:
    app = _open()
    assert "Still needed: name, file." in [item.value for item in app.caption]
    app.file_uploader(key="data_files_table").upload("mine.csv", b"q\nWho?\n", "text/csv").run()
    assert "Still needed: name, language." in [item.value for item in app.caption]


def test_an_existing_dataset_is_neither_replaced_nor_extended_unasked(bench: Workbench) -> None:
    _table(bench).button(key="data_take").click().run()
    app = _table(bench)
    assert "already has questions: en 1, fi 1. It comes from: Table: mine.csv" in html(app)
    assert "Still needed: replace or add." in [item.value for item in app.caption]
    app.radio(key="data_existing_mine").set_value("add").run()
    app.button(key="data_take").click().run()
    assert "now has these questions: en 2, fi 2." in html(app)


def test_an_import_leads_to_an_experiment_with_it(bench: Workbench) -> None:
    app = _table(bench)
    app.button(key="data_take").click().run()
    assert "None left out." in html(app)
    next(button for button in app.button if button.label == "Run an experiment with it").click().run()
    assert not app.exception
    assert app.multiselect(key="matrix_datasets").value == ["mine"]


def test_a_dataset_is_renamed_and_deleted_after_its_name_was_typed(bench: Workbench) -> None:
    _table(bench).button(key="data_take").click().run()
    app = _linked("dataset=mine")
    app.session_state["data_manage_dataset_mine"] = True
    app.run()
    app.text_input(key="data_new_dataset_mine").set_value("trains").run()
    app.button(key="data_rename_dataset").click().run()
    assert "The dataset “mine” is now called “trains”." in html(app) and _datasets(bench) == ["sample", "trains"]
    app.session_state["data_manage_dataset_trains"] = True
    app.run()
    assert app.button(key="data_delete_dataset_trains").disabled
    app.text_input(key="data_confirm_dataset_trains").set_value("trains").run()
    app.button(key="data_delete_dataset_trains").click().run()
    assert "The dataset “trains” is deleted." in html(app) and _datasets(bench) == ["sample"]


def test_after_a_name_that_is_not_allowed_deleting_is_still_offered(bench: Workbench) -> None:
    _table(bench).button(key="data_take").click().run()
    app = _linked("dataset=mine")
    app.session_state["data_manage_dataset_mine"] = True
    app.run()
    app.text_input(key="data_new_dataset_mine").set_value("Bad Name").run()
    app.button(key="data_rename_dataset").click().run()
    assert "“Bad Name” cannot name a dataset" in html(app)
    assert app.button(key="data_delete_dataset_mine").disabled


def test_the_sample_says_why_it_stays(bench: Workbench) -> None:
    app = _open()
    app.session_state["data_manage_dataset_sample"] = True
    app.run()
    assert "it can be neither renamed nor deleted" in html(app)


def test_no_message_of_the_screen_names_an_option_of_the_command_line(bench: Workbench) -> None:
    app = _table(bench, name="Not Allowed")
    app.button(key="data_take").click().run()
    assert "cannot name a dataset" in html(app)
    assert not re.search(r"\s--[a-z]", html(app))
