"""The Data screen imports folders: which formats, what can be selected of them, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.data.datasets.forms import autorag, beir, borderlines, mlqa
from tests.screens.conftest import html, open_page
from tests.trees import tree
from workbench.app.workbench import Workbench
from workbench.data.datasets.dataset_library import DatasetInfo, DatasetLibrary


def _open(kind: str) -> AppTest:
    app = open_page("data", "data_import")
    app.text_input(key="import_name").input("mine")
    return app.selectbox(key="data_format").select(kind).run()


def _with_folder(kind: str, folder: Path, *, under: str = "") -> AppTest:
    """The screen with a folder uploaded as browsers do: each file by its path, the folder's own name first."""
    app = _open(kind)
    upload = app.file_uploader(key=f"data_folder_{kind}")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            upload.upload(f"{under}{path.relative_to(folder.parent)}", path.read_bytes())
    return app.run()


def _import(app: AppTest) -> str:
    app.button(key="data_take").click().run()
    assert not app.exception
    return html(app)


def _datasets(bench: Workbench) -> dict[str, DatasetInfo]:
    return {item.name: item for item in DatasetLibrary(bench.settings.datasets).list()}


def test_a_beir_folder_becomes_a_corpus_and_a_dataset_and_is_shown_at_once(bench: Workbench, tmp_path: Path) -> None:
    app = _with_folder("beir", beir(tmp_path / "ferries"))
    app.selectbox(key="data_language_beir").select("en").run()
    shown = _import(app)
    assert "Dataset “mine” now has these questions: en 2." in shown
    assert "Corpus “mine” has 3 passages." in shown
    assert "1 without a relevant document in this split" in shown
    assert app.selectbox(key="data_name").value == "mine"
    assert _datasets(bench)["mine"].source.startswith("BEIR folder ferries, test")


def test_the_splits_offered_are_those_of_the_folder(bench: Workbench, tmp_path: Path) -> None:
    judged = "query-id\tcorpus-id\tscore\nq3\td3\t1\n"
    app = _with_folder("beir", beir(tmp_path / "ferries", **{"qrels/dev.tsv": judged}))
    app.selectbox(key="data_language_beir").select("en")
    split = app.selectbox(key="data_split_beir")
    assert split.options == ["test", "dev"]
    split.select("dev").run()
    _import(app)
    (question,) = DatasetLibrary(bench.settings.datasets).questions("mine", "en")
    assert question.id == "q3"


def test_without_a_language_there_is_nothing_to_press_yet(bench: Workbench, tmp_path: Path) -> None:
    app = _with_folder("beir", beir(tmp_path / "ferries"))
    assert [button.key for button in app.button if button.key == "data_take"] == []


def test_a_folder_above_is_accepted_and_of_several_one_is_selected(bench: Workbench, tmp_path: Path) -> None:
    beir(tmp_path / "all" / "one")
    beir(tmp_path / "all" / "two")
    app = _with_folder("beir", tmp_path / "all")
    app.selectbox(key="data_root_beir").select("all/two")
    app.selectbox(key="data_language_beir").select("en").run()
    _import(app)
    assert "BEIR folder two" in _datasets(bench)["mine"].source


def test_the_files_of_a_beir_folder_may_be_uploaded_without_it(bench: Workbench, tmp_path: Path) -> None:
    folder = beir(tmp_path / "ferries")
    app = _open("beir")
    app.segmented_control(key="data_way_beir").set_value("Files").run()
    upload = app.file_uploader(key="data_files_beir")
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        upload.upload(name.rsplit("/", 1)[-1], (folder / name).read_bytes())
    app.run()
    app.selectbox(key="data_language_beir").select("en").run()
    _import(app)
    assert _datasets(bench)["mine"].languages == {"en": 2}


def test_questions_alone_create_no_corpus(bench: Workbench, tmp_path: Path) -> None:
    app = _with_folder("autorag", autorag(tmp_path / "data"))
    app.selectbox(key="data_language_autorag").select("fi")
    app.toggle(key="data_questions_only_autorag").set_value(True).run()
    assert "Corpus" not in _import(app).partition("wb-table")[0]
    assert (_datasets(bench)["mine"].corpus, _datasets(bench)["mine"].languages) == ("", {"fi": 2})


def test_autorag_s_two_files_become_a_corpus_and_a_dataset(bench: Workbench, tmp_path: Path) -> None:
    app = _with_folder("autorag", autorag(tmp_path / "data"))
    app.selectbox(key="data_language_autorag").select("en").run()
    assert "Corpus “mine” has 2 passages." in _import(app)


def test_mlqa_is_imported_in_the_languages_selected_for_questions_and_passages(
    bench: Workbench, tmp_path: Path
) -> None:
    app = _with_folder("mlqa", mlqa(tmp_path / "MLQA_V1"))
    questions, passages = (app.multiselect(key=f"data_{what}_mlqa") for what in ("languages", "contexts"))
    assert [option.partition(" ")[0] for option in questions.options] == ["Deutsch", "English"]
    questions.set_value(["de"])
    passages.set_value(["en"]).run()
    _import(app)
    info = _datasets(bench)["mine"]
    assert (info.languages, info.answers_in) == ({"de": 1}, "en")
    assert bench.library.open("mine").manifest.languages == {"en": 1}


def test_mlqa_without_a_selection_is_imported_completely(bench: Workbench, tmp_path: Path) -> None:
    _import(_with_folder("mlqa", mlqa(tmp_path / "MLQA_V1")))
    assert _datasets(bench)["mine"].languages == {"de": 1, "en": 2}


def test_borderlines_offers_the_languages_of_its_prompts(bench: Workbench, tmp_path: Path) -> None:
    app = _with_folder("borderlines", borderlines(tmp_path / "borderlines"))
    languages = app.multiselect(key="data_languages_borderlines")
    assert len(languages.options) == 3
    languages.set_value(["zh"]).run()
    assert "now has these questions: zh 2." in _import(app)


def test_borderlines_without_its_folders_says_how_to_select_it(bench: Workbench, tmp_path: Path) -> None:
    app = _open("borderlines")
    paths = list(borderlines(tmp_path / "borderlines").rglob("*.*"))
    for path in paths:
        app.file_uploader(key="data_folder_borderlines").upload(path.name, path.read_bytes())
    app.run()
    assert "arrived without their folders" in html(app)
    upload = app.file_uploader(key="data_folder_borderlines")
    dropped = [(path.name, path.read_bytes(), "text/plain") for path in paths]
    upload.set_value(
        [
            *dropped,
            *(
                (str(path.relative_to(tmp_path)), data, kind)
                for path, (_, data, kind) in zip(paths, dropped, strict=True)
            ),
        ]
    )
    app.run()
    assert "now has these questions" in _import(app)


def test_files_of_another_kind_are_ignored_and_an_error_if_alone(bench: Workbench, tmp_path: Path) -> None:
    folder = borderlines(tmp_path / "borderlines", **{"readme.md": "About.", "data/C:strange\nname": "x"})
    assert "now has these questions" in _import(_with_folder("borderlines", folder))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "readme.md").write_text("About.")
    shown = html(_with_folder("borderlines", tmp_path / "other"))
    assert "None of the 1 files is in this format. Expected: a folder with disputed_territories.csv" in shown


BAD: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a corpus missing": (lambda f: _without(beir(f), "corpus.jsonl"), "The folder “set” has no corpus.jsonl."),
    "no judgements": (lambda f: _without(beir(f), "qrels/test.tsv"), "Unknown split of set “test”. Allowed: none yet."),
    "a cut line": (
        lambda f: beir(f, **{"queries.jsonl": '{"_id": "q1", "te'}),
        "queries.jsonl, line 1 is not complete",
    ),
}


def _without(folder: Path, name: str) -> Path:
    (folder / name).unlink()
    return folder


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_in_a_folder_is_one_sentence_and_nothing_is_imported(
    case: str, bench: Workbench, tmp_path: Path
) -> None:
    folder, message = BAD[case]
    app = _with_folder("beir", folder(tmp_path / "set"))
    app.selectbox(key="data_language_beir").select("en").run()
    before = [tree(folder) for folder in (bench.settings.corpora, bench.settings.datasets)]
    shown = _import(app)
    assert message in shown and "/tmp" not in shown
    assert [tree(folder) for folder in (bench.settings.corpora, bench.settings.datasets)] == before


@pytest.mark.parametrize("under", ["../", "/", "C:/", "a/../../"])
def test_a_path_that_leads_elsewhere_is_refused_and_nothing_is_imported(
    under: str, bench: Workbench, tmp_path: Path
) -> None:
    before = [tree(folder) for folder in (bench.settings.corpora, bench.settings.datasets)]
    app = _with_folder("beir", beir(tmp_path / "set"), under=under)
    assert not app.exception
    assert "is not allowed. A name must stay within the selected folder" in html(app)
    assert [tree(folder) for folder in (bench.settings.corpora, bench.settings.datasets)] == before
    assert not (bench.settings.home.parent / "corpus.jsonl").exists()


def test_a_folder_added_twice_is_refused(bench: Workbench, tmp_path: Path) -> None:
    folder = beir(tmp_path / "set")
    app = _with_folder("beir", folder)
    app.file_uploader(key="data_folder_beir").set_value(
        [(f"set/{name}", (folder / name).read_bytes(), "text/plain") for name in ("corpus.jsonl", "corpus.jsonl")]
    )
    app.run()
    app.selectbox(key="data_language_beir").select("en").run()
    assert "add a folder only once" in _import(app)
    assert list(_datasets(bench)) == ["sample"]
