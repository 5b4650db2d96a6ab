"""A new format of datasets is one module: the form, the command line and the job have it, with its options."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from inspect import Parameter, signature
from pathlib import Path

import pytest

from tests.cli.terminal import terminal
from tests.screens.conftest import html, open_page
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.records import Question
from workbench.data.datasets import formats
from workbench.data.datasets.dataset_format import QUESTIONS_ONLY, dataset_format, dataset_formats
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.jobs.imports.dataset_imports import DatasetSource, open_source

TOY = Path(__file__).parents[1] / "data" / "datasets" / "toy"


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The folder of formats has one module more."""
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(TOY)])
    dataset_formats.cache_clear()
    yield
    dataset_formats.cache_clear()
    sys.modules.pop(f"{formats.__name__}.toy_lines", None)


def _questions(bench: Workbench) -> list[Question]:
    return list(DatasetLibrary(bench.settings.datasets).questions("mine", "fi"))


@pytest.mark.usefixtures("toy")
def test_it_is_imported_by_its_form(bench: Workbench) -> None:
    app = open_page("data", "data_import")
    app.selectbox(key="data_format").select("toy-lines").run()
    assert "A question and its answer on each line." in [item.value for item in app.caption]
    app.text_input(key="import_name").input("mine").run()
    assert "Still needed: file, language." in [item.value for item in app.caption]
    app.file_uploader(key="data_files_toy-lines").upload("mine.txt", b"Kuka?|Marconi\n")
    app.selectbox(key="data_language_toy-lines").select("fi")
    app.text_input(key="data_separator_toy-lines").input("|")
    app.toggle(key="data_loud_toy-lines").set_value(True).run()
    app.button(key="data_take").click().run()
    assert not app.exception
    assert "Dataset “mine” now has these questions: fi 1." in html(app)
    assert _questions(bench) == [Question("0", "KUKA?", "fi", ("Marconi",))]


@pytest.mark.usefixtures("toy")
def test_it_is_a_verb_of_the_command_line(
    bench: Workbench, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = terminal(bench.settings.home, capsys, monkeypatch)
    assert "toy-lines" in run("import", "--help").out
    words = run("import", "toy-lines", "--help").out
    assert "A question and its answer on each line." in words
    assert all(option in words for option in ("--lang", "--separator", "--loud", "--limit", "--replace"))
    (tmp_path / "mine.txt").write_text("Kuka?=Marconi\n", encoding="utf-8")
    result = run("import", "toy-lines", tmp_path / "mine.txt", "--lang", "fi", "--name", "mine", "--json")
    assert result.json["questions"] == {"fi": 1}
    assert _questions(bench) == [Question("0", "Kuka?", "fi", ("Marconi",))]


@pytest.mark.parametrize("name", list(dataset_formats()))
def test_the_options_of_a_format_are_what_its_reader_takes(name: str) -> None:
    form = dataset_format(name)
    source, *parameters = signature(form.read).parameters.values()
    names = {option.name for option in form.options} - {QUESTIONS_ONLY.name}
    assert source.name not in names
    if parameters and parameters[-1].kind is Parameter.VAR_KEYWORD:  # the columns
        assert names > {parameter.name for parameter in parameters[:-1]}
    else:
        assert names == {parameter.name for parameter in parameters}


def test_a_job_reads_no_file_of_the_server_that_an_option_names(bench: Workbench, tmp_path: Path) -> None:
    rows = (
        '{"example_id": 1, "query": "?", "queries": {"en": "?"}, "answers": {"en": [{"type": "entity", "text": "x"}]}}'
    )
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "mkqa.jsonl").write_text(rows, encoding="utf-8")
    source = DatasetSource("mkqa", {"kilt": str(tmp_path / "none.jsonl")})
    assert open_source(source, tmp_path, bench.library).files == ("mkqa.jsonl",)


def test_a_format_that_does_not_exist_is_one_sentence(bench: Workbench, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Unknown format of datasets “nope”\. Allowed: autorag, beir"):
        open_source(DatasetSource("nope"), tmp_path, bench.library)
