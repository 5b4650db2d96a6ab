"""The prompts for writing questions in nineteen languages: complete, alike, and refused where they are not."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

import pytest
import regex

from workbench.core.errors import DataError
from workbench.jobs.question_generation.draft_reply import load_writing_texts, writing_texts
from workbench.languages.catalogue import PROMPT_LANGUAGES
from workbench.languages.detection import detect


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped files, to be spoilt."""
    shutil.copytree(Path(str(files("workbench.jobs.question_generation") / "prompts")), tmp_path / "prompts")
    return tmp_path / "prompts"


@pytest.mark.parametrize("code", PROMPT_LANGUAGES)
def test_every_instruction_is_in_its_language(code: str) -> None:
    texts = writing_texts(code)
    assert texts.language == code
    for name in ("write_system", "answer_system", "recall_system"):
        plain = regex.sub(r"<<<|>>>|NONE|\{language\}", " ", texts.prompts[name])
        assert detect(plain, list(PROMPT_LANGUAGES)) == code, name


def test_a_language_without_a_file_is_asked_for_by_name_in_english() -> None:
    system = writing_texts("ta").prompt("write", "ta", passage="x").system
    assert system.count("Tamil") == 2
    assert "{" not in system


def test_a_passage_with_braces_stays_as_it_is() -> None:
    assert "{question}" in writing_texts("en").prompt("answer", "en", passage="{question}", question="Who?").user


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("  Vastaus: …", "  Answer: …", "“write_system” must ask for a line “Vastaus: …”"),
        ("<<<{passage}>>>", "{passage}", "“write” must have <<< and >>> around the passage"),
        ("{question}", "{qestion}", "must hold"),
        ("kirjoita vain NONE", "kirjoita vain EI", "must name the reply NONE"),
        ("reviewed_by: authors", "reviewed_by: nobody", "“reviewed_by” must be one of authors, native speaker"),
        ("language: fi", "language: sv", "“language” must be “fi”"),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_a_sentence(folder: Path, old: str, new: str, sentence: str) -> None:
    path = folder / "fi.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(DataError, match=r"Prompt file fi\.yaml") as caught:
        load_writing_texts(folder)
    assert sentence in str(caught.value)


def test_a_missing_language_is_named(folder: Path) -> None:
    (folder / "th.yaml").unlink()
    with pytest.raises(DataError, match=r"Prompt file th\.yaml is missing"):
        load_writing_texts(folder)
