"""Labels of lid.176, OpenLID, GlotLID, NLLB and others, read as our codes."""

import pytest
from hypothesis import given, strategies as st

from workbench.languages.catalogue import CHIRKOVA_LANGUAGES, Label, flores_code, known_languages, parse_label

OPENLID = {
    "en": "eng_Latn", "ar": "arb_Arab", "zh": "zho_Hans", "fr": "fra_Latn", "fi": "fin_Latn", "de": "deu_Latn",
    "it": "ita_Latn", "ja": "jpn_Jpan", "ko": "kor_Hang", "pt": "por_Latn", "ru": "rus_Cyrl", "es": "spa_Latn",
    "th": "tha_Thai",
}  # fmt: skip


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_all_thirteen_are_read_as_lid176_writes_them(code: str) -> None:
    for label in (code, code.upper(), f"__label__{code}", OPENLID[code][:3]):
        assert parse_label(label) == Label(code)


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_all_thirteen_are_read_as_openlid_and_nllb_write_them(code: str) -> None:
    label = OPENLID[code]
    for spelling in (label, f"__label__{label}", label.replace("_", "-"), label.lower()):
        assert parse_label(spelling) == Label(code, label[4:])


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("__label__arb_Arab", Label("ar", "Arab")),
        ("zho_Hant", Label("zh", "Hant")),
        ("cmn_Hani", Label("zh", "Hani")),
        ("zh_cn", Label("zh", "Hans")),
        ("zh-TW", Label("zh", "Hant")),
        ("__label__zh-Hans", Label("zh", "Hans")),
        ("zh-Hant-HK", Label("zh", "Hant")),
        ("pt_br", Label("pt")),
        ("en-US", Label("en")),
        ("por", Label("pt")),
        ("pes_Arab", Label("fa", "Arab")),
        ("arz", Label("ar")),
        ("npi_Deva", Label("ne", "Deva")),
        ("iw", Label("he")),
        ("nob_Latn", Label("no", "Latn")),
        ("yue_Hant", Label("yue", "Hant")),
        ("ceb", Label("ceb")),
        ("als", Label("gsw")),
        ("als_Latn", Label("sq", "Latn")),
        ("und_Zyyy", Label("")),
        ("zxx_Latn", Label("", "Latn")),
    ],
)
def test_labels_as_models_write_them(label: str, expected: Label) -> None:
    assert parse_label(label) == expected


@pytest.mark.parametrize("label", ["", "__label__", "POSITIVE", "__label__1", "english", "e", "en_", "en--us", "中文"])
def test_what_is_not_a_language_label_is_none(label: str) -> None:
    assert parse_label(label) is None


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused(label: str) -> None:
    parsed = parse_label(label)
    assert parsed is None or parsed.language == "" or parsed.language.isalpha()


def test_every_flores_code_is_read_as_its_language() -> None:
    for language in known_languages():
        parsed = parse_label(flores_code(language.code))
        assert parsed is not None
        assert parsed.language == language.code


def test_every_label_of_nllb_is_a_language_and_a_script() -> None:
    from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES

    labels = [parse_label(code) for code in FAIRSEQ_LANGUAGE_CODES]
    assert len(labels) > 200
    assert all(label is not None and label.language and label.script for label in labels)


def test_a_language_that_nllb_lacks_has_no_flores_code() -> None:
    assert flores_code("xx") == ""
