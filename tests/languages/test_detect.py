"""Language identification with the built-in file, and with a user's."""

import json
from pathlib import Path

import pytest

from tests.languages.relabelled import relabelled
from tests.languages.test_labels import OPENLID
from workbench.core.errors import DataError, MissingError
from workbench.languages.catalogue import CHIRKOVA_LANGUAGES
from workbench.languages.detection import Detection, Detector, detect

XQUAD = Path(__file__).parents[3] / "shared" / "data" / "xquad"

SENTENCES = {
    "en": "The lake is deep and the boats are very old.",
    "ar": "البحيرة عميقة والقوارب قديمة جدا في هذه القرية.",
    "zh": "这个湖很深，船也很旧，村子里的人都喜欢它。",
    "fr": "Le lac est profond et les bateaux sont très vieux.",
    "fi": "Järvi on syvä ja veneet ovat hyvin vanhoja.",
    "de": "Der See ist tief und die Boote sind sehr alt.",
    "it": "Il lago è profondo e le barche sono molto vecchie.",
    "ja": "湖は深くて、船はとても古いです。",
    "ko": "호수는 깊고 배들은 아주 오래되었습니다.",
    "pt": "O lago é fundo e os barcos são muito velhos.",
    "ru": "Озеро глубокое, а лодки очень старые.",
    "es": "El lago es profundo y los barcos son muy viejos.",
    "th": "ทะเลสาบลึกและเรือเก่ามาก",
}


@pytest.fixture(scope="module")
def openlid(tmp_path_factory: pytest.TempPathFactory) -> Detector:
    """A real model whose labels are OpenLID's."""
    path = tmp_path_factory.mktemp("lid") / "model.bin"
    return Detector(relabelled(path, lambda code: OPENLID.get(code, code)))


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_all_thirteen_are_identified_whether_or_not_few_compete(code: str) -> None:
    detection = Detector().detect(SENTENCES[code])
    assert (detection.language, detect(SENTENCES[code], CHIRKOVA_LANGUAGES)) == (code, code)
    assert 0.5 < detection.confidence <= 1


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_a_users_file_with_openlids_labels_identifies_them_too_and_their_script(openlid: Detector, code: str) -> None:
    assert openlid(SENTENCES[code], CHIRKOVA_LANGUAGES) == code
    assert openlid.detect(SENTENCES[code]).script == OPENLID[code].split("_")[1]


def test_without_a_script_in_the_label_the_letters_decide() -> None:
    assert [Detector().detect(SENTENCES[code]).script for code in ("en", "ru", "zh")] == ["Latn", "Cyrl", "Hani"]


def test_only_candidates_are_given() -> None:
    assert Detector()("De see is deip un de Boote sünd bannig oolt.", ["nl", "th"]) == "nl"
    assert Detector()(SENTENCES["de"], ["th", "ru"]) == ""


def test_a_candidate_in_another_script_is_dropped() -> None:
    assert Detector().detect(SENTENCES["ru"], ["en", "de"]) == Detection("", 0.0, "Cyrl")


def test_confidence_is_kept_where_few_compete() -> None:
    alone = Detector().detect(SENTENCES["fi"])
    assert Detector().detect(SENTENCES["fi"], ["fi", "en"]) == alone


def test_a_sentence_without_kana_is_chinese_not_japanese() -> None:
    # Rare characters make the model take it for Japanese.
    assert detect("東京都庁舎設計者氏名一覧表", ["ja", "zh"]) == "zh"
    assert detect("東京", ["ja", "zh"]) == "ja"


@pytest.mark.parametrize("text", ["", " \n", "1990–95", "…!"])
def test_a_text_without_letters_is_in_no_language(text: str) -> None:
    assert Detector().detect(text) == Detection("", 0.0, "")


def test_capitals_do_not_mislead() -> None:
    assert detect(SENTENCES["fi"].upper(), CHIRKOVA_LANGUAGES) == "fi"


def test_line_breaks_and_long_texts_are_accepted() -> None:
    assert detect("\n".join([SENTENCES["it"]] * 500), CHIRKOVA_LANGUAGES) == "it"


def test_a_missing_file_is_named() -> None:
    with pytest.raises(MissingError, match=r"There is no language identification file “/nowhere/lid\.bin”"):
        Detector(Path("/nowhere/lid.bin"))


@pytest.mark.parametrize("content", [b"", b"no model at all", b"\x00" * 5000])
def test_a_file_that_is_not_a_model_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "lid.bin"
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read as a fastText model"):
        Detector(path).detect("Hello there")


def test_a_model_of_something_else_is_refused(tmp_path: Path) -> None:
    sentiment = relabelled(tmp_path / "sentiment.bin", lambda code: f"positive-{code}-feeling")
    with pytest.raises(DataError, match="names no language"):
        Detector(sentiment).detect("Hello there")


def test_the_identity_follows_the_file(tmp_path: Path, openlid: Detector) -> None:
    same = relabelled(tmp_path / "other.bin", lambda code: OPENLID.get(code, code))
    assert Detector(same).identity == openlid.identity
    assert len({Detector().identity, openlid.identity}) == 2


@pytest.mark.skipif(not XQUAD.is_dir(), reason="XQuAD is for development only and not part of the project")
def test_accuracy_on_xquad_questions_over_twenty_characters() -> None:
    detector = Detector()
    right = total = 0
    for path in sorted(XQUAD.glob("xquad.*.json")):
        code = path.name.split(".")[1]
        articles = json.loads(path.read_text(encoding="utf-8"))["data"]
        questions = [qa["question"] for article in articles for part in article["paragraphs"] for qa in part["qas"]]
        # Every sixth is a sample large enough, and quick.
        sample = [question for question in questions if len(question) > 20][::6]
        hits = sum(detector(question, [*CHIRKOVA_LANGUAGES, "tr"]) == code for question in sample)
        assert hits / len(sample) >= 0.97, code
        right, total = right + hits, total + len(sample)
    assert right / total >= 0.99


def test_a_file_has_labels_for_the_languages_it_knows(openlid: Detector) -> None:
    for detector in (Detector(), openlid):
        assert detector.knows("sw") and detector.knows("zh") and not detector.knows("ha")


def test_candidates_compete_however_unlikely_they_are() -> None:
    german = "Der See ist tief und die Boote sind sehr alt, sagte der Fischer zu den Kindern im Dorf."
    detection = Detector().detect(german, ["sw", "yo"])
    assert detection.language in ("sw", "yo") and 0 < detection.confidence < 1e-4
