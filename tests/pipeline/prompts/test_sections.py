"""Reading the parts of a dialectic answer out of anything a model may write."""

import pytest
from hypothesis import given, strategies as st

from workbench.core.records import Sections
from workbench.languages.catalogue import CHIRKOVA_LANGUAGES, PROMPT_LANGUAGES
from workbench.pipeline.prompts.dialectic import PART_LABELS, PARTS, assemble, parse, write
from workbench.pipeline.prompts.variants import shipped_texts

FOUR = Sections("one", "two", "three", "four", present=PARTS)


@pytest.mark.parametrize(
    "text",
    [
        "#Extraction:\none\n#Explanation:\ntwo\n#Dialectic Argumentation:\nthree\n#Answer:\nfour",
        "### **#Extraction:**\none\n\n**#Explaination**\ntwo\n\n# Dialectic Argumentation\nthree\n\nAnswer: four",
        "#EXTRACTION one\n#explanation two\n#dialectic  argumentation: three\n#answer four",
        "**Extraction:** one\n**Explanation**: two\n**Dialectic Argumentation** three\n**Answer: four**",
        "1) #Extraction: one\n2. **Explanation:** two\n(3) Argumentation: three\n#4. Answer: four",
        "\uff03Extraction\uff1aone\n\uff03 Explanation \uff1a two\n> Dialectical Argumentation:three\n__Answer__\nfour",
        "```\n#Extraction:\none\n\n---\n\n#Explanation:\ntwo\n***\n#DialecticArgumentation:\nthree\n#\n#Answer:\nfour\n```",
        "#Extraction:\r\none\r\n#Explanation:\r\ntwo\r\n#Argumentation:\r\nthree\r\n#Answer:\r\nfour\r\n",
        "#Extraction: one\n#Explanation: two\n#Dialectic Argumentation: three\nFinal answer: four",
    ],
)
def test_labels_are_read_however_they_are_formatted(text: str) -> None:
    assert parse(text) == FOUR


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("ar", "#الاستخراج: one\n#الشرح: two\n#الحجاج الجدلي: three\n#الإجابة: four"),
        ("zh", "#提取\uff1aone\n#解释\uff1atwo\n#辩证论证\uff1athree\n答案\uff1afour"),
        ("fr", "#Extraction : one\n#Explication : two\n#Argumentation dialectique : three\nRéponse : four"),
        ("fi", "#Poiminta: one\n#Selitys: two\n#Dialektinen argumentaatio: three\nVastaus: four"),
        ("de", "#Extraktion: one\n#Erklärung: two\n#Dialektische Argumentation: three\nAntwort: four"),
        ("it", "#Estrazione: one\n#Spiegazione: two\n#Argomentazione dialettica: three\nRisposta: four"),
        ("ja", "#抽出\uff1aone\n#説明\uff1atwo\n#弁証法的論証\uff1athree\n答え\uff1afour"),
        ("ko", "#추출: one\n#설명: two\n#변증법적 논증: three\n답변: four"),
        ("pt", "#Extração: one\n#Explicação: two\n#Argumentação dialética: three\nResposta: four"),
        ("ru", "#Извлечение: one\n#Объяснение: two\n#Диалектическая аргументация: three\nОтвет: four"),
        ("es", "#Extracción: one\n#Explicación: two\n#Argumentación dialéctica: three\nRespuesta: four"),
        ("th", "#การสกัด: one\n#คำอธิบาย: two\n#การโต้แย้งเชิงวิภาษวิธี: three\nคำตอบ: four"),
    ],
)
def test_translated_labels_are_read(code: str, text: str) -> None:
    assert code in CHIRKOVA_LANGUAGES
    assert parse(text) == FOUR


@pytest.mark.parametrize(
    ("code", "label"),
    [
        ("hi", "उत्तर"),
        ("bn", "উত্তর"),
        ("te", "సమాధానం"),
        ("pa", "ਜਵਾਬ"),
        ("kn", "ಉತ್ತರ"),
        ("vi", "Câu trả lời"),
        ("vi", "Đáp án"),
    ],
)
def test_an_answer_under_a_label_of_six_more_languages_is_read(code: str, label: str) -> None:
    assert code in PROMPT_LANGUAGES
    for form in (f"#{label}: 1896", f"**{label}:** 1896", f"{label}：1896"):
        assert parse(form).answer == "1896" and parse(form).present == ("answer",)


@pytest.mark.parametrize("code", CHIRKOVA_LANGUAGES)
def test_the_label_that_a_prompt_ends_on_is_read(code: str) -> None:
    label = shipped_texts().wordings[code].labels.answer
    assert parse(f"{label} 1896").present == ("answer",)


def test_an_accent_written_as_two_characters_is_the_same_label() -> None:
    assert parse("Re\u0301ponse : Paris").answer == "Paris"


def test_missing_parts_are_empty_and_not_listed() -> None:
    assert parse("#Extraction: one\n#Answer: four") == Sections("one", answer="four", present=("extraction", "answer"))


def test_of_a_repeated_part_the_last_one_counts_and_is_reported() -> None:
    assert parse("Answer: Rome\nAnswer: Paris") == Sections(answer="Paris", present=("answer",), repeated=("answer",))


def test_a_repeated_part_cut_off_at_its_label_leaves_the_one_before() -> None:
    assert parse("#Answer: Paris\n#Answer:").answer == "Paris"


def test_parts_are_listed_in_the_order_of_the_text() -> None:
    assert parse("#Answer: a\n#Extraction: b").present == ("answer", "extraction")


def test_text_before_the_first_label_is_ignored() -> None:
    assert parse("Sure, here it is.\n#Answer: Paris") == Sections(answer="Paris", present=("answer",))


def test_text_without_labels_is_the_answer() -> None:
    assert parse(" Paris\n") == Sections(answer="Paris")


@pytest.mark.parametrize(
    "line",
    [
        "the #Answer: no",
        "Answer the question first",
        "Extraction of coal began early",
        "- Answer: in a list",
        "* Answer: in a list",
        "#Answering: no",
        "答案是北京",
        "F\u0130nal answer: no",
    ],
)
def test_a_label_word_inside_other_text_is_not_a_label(line: str) -> None:
    assert parse(f"#Extraction:\nbefore\n{line}\nafter").extraction == f"before\n{line}\nafter"


def test_emphasis_and_lists_inside_a_part_stay() -> None:
    body = "- **Popov** showed it\n- *Marconi* patented it\n\nDocument [1] claims otherwise: **no**"
    assert parse(f"**#Extraction:**\n{body}\n\n**#Answer:** x").extraction == body


def test_an_answer_cut_off_before_it_began_is_empty() -> None:
    assert parse("#Extraction: one\n#Explanation: tw") == Sections("one", "tw", present=("extraction", "explanation"))


@pytest.mark.parametrize(
    "text",
    ["#" * 1_000_000, "#\n" * 200_000, "---\n" * 100_000, "Answer " * 100_000, "1." * 300_000, " \n*_" * 100_000],
    ids=["hashes", "hash lines", "rules", "label words", "numbers", "marks"],
)
def test_huge_text_without_a_label_is_one_answer(text: str) -> None:
    assert parse(text) == Sections(answer=text.strip())


def test_a_huge_number_of_labels_is_read() -> None:
    assert parse("#Answer: x\n" * 50_000) == Sections(answer="x", present=("answer",), repeated=("answer",))


pieces = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(
            ["\n", "#", "**", ":", " ", "Answer", "Extraction", "Réponse", "答案", "\uff1a", "---", "1) ", "> "]
        ),
    ),
    max_size=30,
).map("".join)


@given(pieces)
def test_nothing_makes_the_parser_fail_and_every_part_is_a_piece_of_the_text(text: str) -> None:
    sections = parse(text)
    bodies = {part: getattr(sections, part) for part in PARTS}
    assert all(body in text and body == body.strip() for body in bodies.values())
    assert set(sections.repeated) <= set(sections.present) <= set(PARTS)
    assert all(part in sections.present for part, body in bodies.items() if body) or not sections.present


# Sentences that are not labels and do not end in a rule or a fence.
sentences = st.lists(
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=30).map(lambda text: f"x{text}y"),
    min_size=1,
    max_size=4,
).map("\n".join)


@given(st.dictionaries(st.sampled_from(PARTS), sentences, min_size=1))
def test_well_formed_sections_are_read_back_as_they_were_written(bodies: dict[str, str]) -> None:
    ordered = assemble({part: bodies[part] for part in PARTS if part in bodies})
    assert parse(write(ordered)) == ordered


def test_every_label_that_prompts_ask_for_is_understood() -> None:
    assert [parse(f"{label} x").present for label in PART_LABELS.values()] == [(part,) for part in PARTS]
