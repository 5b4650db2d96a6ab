"""The prompt families: complete in nineteen languages, each asking for what its paper asks for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import workbench.pipeline.prompts
from workbench.core.errors import DataError
from workbench.core.records import Evidence, Passage, Task
from workbench.languages.catalogue import PROMPT_LANGUAGES
from workbench.languages.detection import detect
from workbench.pipeline.prompts.compose import render
from workbench.pipeline.prompts.variants import FAMILIES, PROMPTS, VARIANTS, answer_language, load_families, variant

DOCUMENT = Evidence(Passage("a", "a", "Radio", "en", "Marconi sent signals."), 1)
FAMILY_NAMES = [item.name for item in PROMPTS if item.family]


def system(name: str, code: str, *, documents: bool = True) -> str:
    return render(name, Task("Who?", code, (DOCUMENT,) if documents else ())).prompt.system


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("code", PROMPT_LANGUAGES)
@pytest.mark.parametrize("documents", [True, False])
def test_each_family_is_in_each_language(family: str, code: str, documents: bool) -> None:
    text = system(family, code, documents=documents)
    assert detect(text, PROMPT_LANGUAGES) == code
    assert "{" not in text


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_english_ones_are_in_english_for_everybody(name: str) -> None:
    assert (detect(system(name, "th"), PROMPT_LANGUAGES) == "en") == name.endswith("-en")
    assert variant(name).family in FAMILIES and name.removesuffix("-en") == variant(name).family


@pytest.mark.parametrize("code", PROMPT_LANGUAGES)
def test_the_limits_of_two_sentences_are_named(code: str) -> None:
    assert "250" in system("two-sentences", code)


def test_only_the_answer_from_evidence_names_the_language() -> None:
    assert "Answer in Finnish." in system("answer-from-evidence-en", "fi")
    assert {name: answer_language(name, "fi") for name in FAMILY_NAMES} == {
        name: "fi" if name.startswith("answer") else "" for name in FAMILY_NAMES
    }


def test_without_documents_no_evidence_is_spoken_of() -> None:
    for family in FAMILIES:
        text = system(f"{family}-en", "en", documents=False)
        assert "evidence" not in text and "documents" not in text


def test_the_six_variants_are_no_family() -> None:
    assert not any(item.family for item in VARIANTS)


def test_a_language_without_a_family_falls_back_to_english_with_a_note() -> None:
    rendered = render("two-sentences", Task("Vem?", "sv", (DOCUMENT,)))
    assert rendered.prompt.system == system("two-sentences-en", "en")
    assert rendered.note == "The prompt is in English: “two-sentences” has no reviewed translation into sv."


def test_the_user_turn_follows_the_variant_or_is_in_english() -> None:
    task = Task("Kuka?", "fi", (DOCUMENT,))
    follows, english = (render("reply-short-in-ul-ul", task, user_turn=turn).prompt for turn in ("follows", "en"))
    assert follows == render("reply-short-in-ul-ul", task).prompt
    assert follows.system == english.system
    assert "#Kysymys:" in follows.user and "#Question:" not in follows.user
    assert "#Question:" in english.user and english.user.endswith("Answer:")
    in_english = render("reply-short-in-ul-en", task).prompt.user
    assert english.user == in_english  # so that variants differ in their system prompt alone


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("two-sentences", "three-sentences", "unknown key “three-sentences”"),
        ("language: fi", "language: sv", "“language” must be “fi”"),
        ("Vastaa suomeksi.", "Vastaa {UL}.", "“answer-from-evidence” must hold no placeholder"),
        ("reviewed_by: authors", "reviewed_by: a friend", "“reviewed_by” must be one of nobody, authors"),
    ],
)
def test_a_broken_file_is_refused_in_one_sentence(tmp_path: Path, old: str, new: str, expected: str) -> None:
    shutil.copytree(Path(workbench.pipeline.prompts.__file__).parent / "families", tmp_path / "families")
    file = tmp_path / "families" / "fi.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(DataError, match=expected):
        load_families(tmp_path)
