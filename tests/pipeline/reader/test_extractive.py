"""The built-in reader quotes what answers the question, in the answer's language, and notes what it did."""

from tests.pipeline.reader.readers import QUESTION_ES, answer, evidence, quoted, translator
from workbench.core.protocols import Generator
from workbench.core.records import Evidence, Passage, Prompt, Task, Translation
from workbench.models.translation.builtin_translator import BuiltinTranslator
from workbench.models.translation.translation_memory import TranslationMemory, Unit
from workbench.pipeline.reader.extractive import ExtractiveReader
from workbench.pipeline.reader.rendering import render

LONG = "The town has a mill. " * 12


def test_it_is_a_generator_whose_identity_changes_with_the_translator() -> None:
    other = BuiltinTranslator(TranslationMemory(()))
    assert isinstance(ExtractiveReader(other), Generator)
    assert ExtractiveReader(other).identity != ExtractiveReader(translator()).identity


def test_it_quotes_the_sentence_that_repeats_the_question_and_marks_it() -> None:
    task = Task(
        "When was the old bridge built?", "en", evidence(("en", LONG + "The old bridge was built in 1742.")), "en"
    )
    generation = answer(task)
    assert "The old bridge was built in 1742." in generation.text
    assert "The old bridge was built in 1742." in quoted(task, generation)


def test_a_heading_is_not_quoted() -> None:
    text = "The old bridge of the town\n\nIt was built in 1742 by the masons of the town."
    task = Task("What is the old bridge of the town?", "en", evidence(("en", text)), "en")
    assert quoted(task, answer(task)) == ["It was built in 1742 by the masons of the town."]


def test_the_note_says_once_that_it_is_not_a_language_model() -> None:
    generation = answer(Task("When?", "en", evidence(("en", "It was built in 1742.")), "en"))
    assert generation.note.count("not a language model") == 1


def test_a_question_for_a_year_prefers_the_sentence_with_a_number() -> None:
    text = "The bridge was built of stone by masons. The bridge was built in 1742. " + LONG
    task = Task("When was the bridge built?", "en", evidence(("en", text)), "en")
    assert quoted(task, answer(task))[-1] == "The bridge was built in 1742." or "1742" in answer(task).text


def test_without_an_answer_language_the_evidences_language_stays_and_is_named() -> None:
    generation = answer(Task(QUESTION_ES, "es", evidence(("en", "Marconi is named as the inventor of radio."))))
    assert generation.text == "Marconi is named as the inventor of radio."
    assert "stays in the language of its evidence, English" in generation.note


def test_evidence_in_the_answer_language_is_preferred() -> None:
    texts = (("en", "Marconi is named as the inventor of radio."), ("es", "Marconi es el inventor de la radio."))
    generation = answer(Task(QUESTION_ES, "es", evidence(*texts), "es"))
    assert generation.text == "Marconi es el inventor de la radio." and generation.translation is None


def test_otherwise_the_sentence_is_translated_and_the_note_says_how() -> None:
    generation = answer(Task(QUESTION_ES, "es", evidence(("en", "Marconi is named as the inventor of radio.")), "es"))
    assert generation.text == "Marconi es el inventor de la radio."
    assert generation.translation is not None and generation.translation.kind == "exact"
    assert "exact match" in generation.note and "match 1.00" in generation.note


def test_a_sentence_that_cannot_be_translated_stays_and_the_note_says_so() -> None:
    generation = answer(Task("Kuka?", "fi", evidence(("de", "das alles ist sehr neu")), "fi"))
    assert generation.text == "“das alles ist sehr neu”"
    assert "no reliable translation to Finnish" in generation.note


def test_a_statement_is_not_said_as_the_question_that_the_memory_has_for_its_like() -> None:
    question = Unit("1", (("th", "แม่น้ำสองสายรวมกันเป็นแม่น้ำใหญ่ที่จังหวัดใด"), ("zh", "两条河在哪个府汇合？")))
    thai = "แม่น้ำสองสายรวมกันเป็นแม่น้ำใหญ่ที่จังหวัดตาก"
    memory = BuiltinTranslator(TranslationMemory([question]))
    assert memory.translate([thai], "th", "zh")[0].text == "两条河在哪个府汇合？"
    rendering = render(memory, thai, "th", "zh")
    assert rendering.text == thai and "no reliable translation" in rendering.note


def test_the_quotation_comes_before_names_where_there_is_no_full_translation() -> None:
    generation = answer(Task(QUESTION_ES, "es", evidence(("ru", "Изобретателем радио называют Попова.")), "es"))
    assert generation.text == "“Изобретателем радио называют Попова.” (Popov)"
    assert "no reliable translation to Spanish" in generation.note


def test_evidence_in_another_language_is_compared_through_the_memory() -> None:
    texts = (("ru", "Хлеб пекут из муки."), ("ru", "Изобретателем радио называют Попова."))
    task = Task(QUESTION_ES, "es", evidence(*texts))
    assert quoted(task, answer(task))[0] == "Изобретателем радио называют Попова."


def test_translated_evidence_is_read_in_its_translation() -> None:
    passage = Passage("p", "d", "", "ru", "Изобретателем радио называют Попова.")
    text = "Popov is named as the inventor of radio."
    item = Evidence(passage, 1, translation=Translation(text, "ru", "en", "exact", 1.0))
    task = Task("Who invented radio?", "en", (item,), "en")
    assert quoted(task, answer(task)) == [text]


def test_names_are_transliterated_by_the_translator() -> None:
    task = Task("Кто изобрёл радио?", "ru", evidence(("ru", "Радио изобрёл Popov и Xlbrtz.")), "ru", entities_in="ru")
    generation = answer(task)
    assert "Xlbrtz" in generation.text and "Not known in the alphabet asked for" in generation.note


def test_without_evidence_there_is_no_answer_and_the_note_says_why_in_the_users_language() -> None:
    generation = answer(Task("Kuka keksi radion?", "fi"))
    assert generation.text == "" and "ilman" in generation.note


def test_without_evidence_the_note_is_english_for_a_language_without_one() -> None:
    assert "without them" in answer(Task("?", "sw")).note


def test_evidence_of_white_space_is_not_evidence() -> None:
    assert answer(Task("Who?", "en", evidence(("en", "  \n")))).text == ""


def test_where_no_document_bears_on_the_question_the_reader_abstains() -> None:
    task = Task(
        "Which pizza is eaten?", "en", evidence(("en", "One thing is here."), ("en", "Another is there.")), "en"
    )
    generation = answer(task)
    assert generation.abstains and generation.text == "" and "quotes nothing" in generation.note


def test_the_reader_does_not_abstain_over_documents_that_it_cannot_compare() -> None:
    generation = answer(Task("Missä pizzaa syödään?", "fi", evidence(("ko", "라디오는 발명되었다.")), "fi"))
    assert not generation.abstains and generation.text


def test_the_title_counts_among_the_content_of_a_passage() -> None:
    passage = Passage("p", "d", "Pizza", "en", "It is eaten in Naples.")
    assert not answer(Task("Where is pizza eaten?", "en", (Evidence(passage, 1),), "en")).abstains


def test_a_very_long_sentence_is_trimmed() -> None:
    text = ", ".join(f"clause number {n} speaks of something else" for n in range(40)) + ", the tower fell in 1820."
    generation = answer(Task("When did the tower fall?", "en", evidence(("en", text)), "en"))
    assert "1820" in generation.text and len(generation.text) < len(text) / 2


def test_thai_is_never_quoted_as_a_complete_passage() -> None:
    text = "ชาเติบโตในสวนบนภูเขา " * 40
    assert len(answer(Task("ชาเติบโตที่ไหน", "th", evidence(("th", text)), "th")).text) < 250


def test_the_same_prompt_gives_the_same_answer() -> None:
    prompt = Prompt("", "", Task("Who?", "en", evidence(("en", "A. B c d. E f g."), ("en", "H i. J k.")), "en"))
    assert (
        ExtractiveReader(translator()).generate([prompt, prompt])[0]
        == ExtractiveReader(translator()).generate([prompt])[0]
    )


def test_a_number_in_other_digits_is_given_in_those_that_are_read_everywhere() -> None:
    task = Task("How many books are there?", "en", evidence(("fa", "شمار کتاب‌ها ۴۱۲٬۰۰۰ است.")), "en")
    assert answer(task).text == "“شمار کتاب‌ها ۴۱۲٬۰۰۰ است.” (412,000)"


def test_a_number_with_an_english_word_for_its_scale_is_given_in_digits_alone() -> None:
    for words, digits in (("more than eight billion", "8,000,000,000"), ("1.5 million", "1,500,000")):
        task = Task("¿Cuántas personas viven allí?", "es", evidence(("en", f"There {words} people live.")), "es")
        assert answer(task).text == f"“There {words} people live.” ({digits})"


def test_a_date_is_given_as_the_users_language_writes_it() -> None:
    task = Task("그 축제는 언제 시작되나요?", "ko", evidence(("en", "The festival begins on 13 April.")), "ko")
    assert answer(task).text == "“The festival begins on 13 April.” (4월 13일)"


def test_a_note_that_another_contains_is_given_once() -> None:
    texts = ("en", "The mill of the town grinds corn."), ("en", "The mill of the town has 12 wheels.")
    generation = answer(Task("¿Qué tiene el molino? mill of the town", "es", evidence(*texts), "es"))
    assert "(12)" in generation.text and len(generation.claims) == 2
    assert generation.note.count("there is no reliable translation") == 1
    assert "Names and numbers are in brackets." in generation.note
