"""The prompts of query expansion and compression: nineteen languages, checked; English, which says so, elsewhere."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from workbench.core.errors import DataError
from workbench.languages.catalogue import PROMPT_LANGUAGES
from workbench.pipeline.rewriting import TURNS, load_rewriting_texts, shipped_rewriting_texts

SHIPPED = Path(str(files("workbench.pipeline.prompts").joinpath("rewriting")))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "prompts"))


def test_each_of_the_nineteen_languages_has_every_prompt_in_that_language() -> None:
    catalogue = shipped_rewriting_texts()
    english = catalogue.texts("en")
    for code in PROMPT_LANGUAGES:
        texts = catalogue.texts(code)
        assert (texts.written_in, texts.note) == (code, "")
        assert set(texts.systems) == set(texts.turns) == set(TURNS)
        assert code == "en" or all(texts.systems[name] != english.systems[name] for name in TURNS)


def test_a_language_without_prompts_is_asked_in_english_for_its_language_and_that_is_said() -> None:
    texts = shipped_rewriting_texts().texts("ta")
    assert "Tamil" in texts.system("hyde")
    assert texts.note == "The prompt is in English, since there is none in Tamil."


def test_the_number_of_questions_is_put_in() -> None:
    assert " 3 " in shipped_rewriting_texts().texts("de").system("multi_query", 3)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("schreibe nur NONE", "schreibe nichts", "must name the reply NONE"),
        ("Frage: <<<{question}>>>", "Frage: {question}", "must have <<<{question}>>>"),
        ("{count}", "3", "must hold {count}"),
        ("hyde_system:", "hide_system:", "unknown key “hide_system”"),
        ("reviewed_by: authors", "reviewed_by: nobody", "must be one of"),
    ],
)
def test_a_file_that_lacks_something_is_one_sentence_with_its_name(
    folder: Path, before: str, after: str, reason: str
) -> None:
    file = folder / "de.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    with pytest.raises(DataError, match=r"de\.yaml") as error:
        load_rewriting_texts(folder)
    assert reason in str(error.value)


def test_a_change_of_any_text_changes_the_identity(folder: Path) -> None:
    file = folder / "ko.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("질문", "물음"), encoding="utf-8")
    assert load_rewriting_texts(folder).identity != shipped_rewriting_texts().identity
