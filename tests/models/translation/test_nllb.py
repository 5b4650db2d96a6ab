"""NLLB through transformers' real loading code, on a tiny random model."""

from pathlib import Path

import pytest

from tests.models.tiny_nllb import tiny_nllb
from workbench.core.errors import MissingError, TranslationFailed
from workbench.core.records import Translation
from workbench.models.local import LocalModel, find_model
from workbench.models.translation.model_translators import NllbTranslator

SENTENCES = ["Le lac est profond.", "Les bateaux sont vieux."]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    return find_model(str(tiny_nllb(tmp_path_factory.mktemp("nllb"))))


@pytest.fixture(scope="module")
def nllb(model: LocalModel) -> NllbTranslator:
    import torch

    torch.set_num_threads(1)
    return NllbTranslator(model, device="cpu")


def by_transformers(folder: Path, sentence: str, source: str, target: str) -> str:
    """What the library itself returns for a single sentence."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, src_lang=source)
    tokens = tokenizer(sentence, return_tensors="pt")
    bos = tokenizer.convert_tokens_to_ids(target)
    limit = 3 * tokens["input_ids"].shape[1] + 30
    output = AutoModelForSeq2SeqLM.from_pretrained(folder).generate(
        **tokens, forced_bos_token_id=bos, max_new_tokens=limit, num_beams=1, do_sample=False
    )
    return str(tokenizer.batch_decode(output, skip_special_tokens=True)[0]).strip()


@pytest.mark.parametrize(("target", "flores"), [("en", "eng_Latn"), ("zh", "zho_Hans")])
def test_a_sentence_is_what_transformers_returns_with_the_flores_codes(
    nllb: NllbTranslator, model: LocalModel, target: str, flores: str
) -> None:
    translation = nllb.translate(SENTENCES[:1], "fr", target)[0]
    assert translation.text == by_transformers(model.folder, SENTENCES[0], "fra_Latn", flores)
    assert translation == Translation(translation.text, "fr", target, "model", None)


def test_a_text_is_translated_sentence_by_sentence(nllb: NllbTranslator) -> None:
    alone = [item.text for item in nllb.translate(SENTENCES, "fr", "en")]
    assert nllb.translate([" ".join(SENTENCES)], "fr", "en")[0].text == " ".join(alone)


def test_line_breaks_stay(nllb: NllbTranslator) -> None:
    assert nllb.translate(["\n\n".join(SENTENCES)], "fr", "en")[0].text.count("\n\n") == 1


def test_a_sentence_without_end_is_split_to_what_the_model_accepts(nllb: NllbTranslator) -> None:
    assert nllb.translate(["bateaux " * 600], "fr", "en")[0].text


def test_the_source_language_of_one_call_does_not_stay_for_the_next(nllb: NllbTranslator) -> None:
    first = nllb.translate(SENTENCES[:1], "fr", "en")
    nllb.translate(["Der See ist tief."], "de", "en")
    assert nllb.translate(SENTENCES[:1], "fr", "en") == first


def test_a_number_is_left_as_it_is(nllb: NllbTranslator) -> None:
    assert nllb.translate(["1990"], "fr", "en")[0].text == "1990"


@pytest.mark.parametrize(("language", "name"), [("kn", "Kannada"), ("xx", "xx")])
def test_a_language_that_the_model_lacks_is_named(nllb: NllbTranslator, language: str, name: str) -> None:
    with pytest.raises(TranslationFailed, match=f"does not translate {name}"):
        nllb.translate(["Le lac."], "fr", language)


def test_a_model_that_gives_the_text_back_has_failed(nllb: NllbTranslator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NllbTranslator, "_translate_sentences", lambda self, loaded, texts, target: list(texts))
    with pytest.raises(TranslationFailed, match="gave back “Le lac est très profond"):
        nllb.translate(["Le lac est très profond et les bateaux sont vieux."], "fr", "en")


def test_the_same_language_needs_no_model(model: LocalModel) -> None:
    assert NllbTranslator(model).translate(["Le lac."], "fr", "fr")[0].kind == "same"


def test_the_identity_names_files_library_and_beams(model: LocalModel) -> None:
    one, four = (NllbTranslator(model, beams=beams).identity for beams in (1, 4))
    assert one != four
    assert model.revision in one
    assert "transformers" in one


def test_a_model_that_is_not_on_this_machine_names_the_command_that_downloads_it() -> None:
    with pytest.raises(MissingError, match="python -m workbench models download"):
        find_model("nllb-200-distilled-600m", hub_name="no-one/no-such-model")
