"""The prompts of judges in nineteen languages: complete, alike in what they ask for, and refused where they are not."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

import pytest
import regex

from tests.metrics.test_judge import CASE, FakeJudge
from workbench.core.errors import DataError
from workbench.languages.catalogue import PROMPT_LANGUAGES, language
from workbench.languages.detection import detect
from workbench.metrics.judged.judge import judged_by
from workbench.metrics.judged.judge_texts import ASPECTS, judge_texts, load_judge_texts
from workbench.metrics.measure import Case

ENGLISH_WORDS = ("Question:", "Answer:", "Passages:", "Aspect:", "Verdict: N", "Score: N")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped files, to be spoilt."""
    shutil.copytree(Path(str(files("workbench.metrics.judged") / "prompts")), tmp_path / "prompts")
    return tmp_path / "prompts"


@pytest.mark.parametrize("code", PROMPT_LANGUAGES)
def test_every_text_is_in_its_language(code: str) -> None:
    texts = judge_texts(code)
    assert texts.language == code
    sentences = [text for name, text in texts.prompts.items() if not name.startswith("scale_with") and name != "scale"]
    for text in (*sentences, *(criterion for _, criterion in texts.aspects.values())):
        plain = regex.sub(r"<<<.*?>>>|<<<|>>>|: N|[0-5]", " ", text)
        assert detect(plain, list(PROMPT_LANGUAGES)) == code, text


@pytest.mark.parametrize("code", [code for code in PROMPT_LANGUAGES if code not in ("en", "fr")])
def test_no_heading_was_left_in_english(code: str) -> None:
    assert not [word for text in judge_texts(code).prompts.values() for word in ENGLISH_WORDS if word in text]


@pytest.mark.parametrize("code", PROMPT_LANGUAGES)
def test_steps_are_given_for_each_aspect(code: str) -> None:
    aspects = judge_texts(code).aspects
    assert len({name for name, _ in aspects.values()}) == len(ASPECTS)
    assert all(len(criterion.splitlines()) >= 2 for _, criterion in aspects.values())


@pytest.mark.parametrize("code", [code for code in PROMPT_LANGUAGES if code != "en"])
def test_a_translation_says_who_wrote_and_read_it(code: str) -> None:
    texts = judge_texts(code)
    assert texts.reviewed_by == "authors" and "not by native speakers" in texts.provenance


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("Pisteet: N", "Score: N", "“scale_system” must ask for a last line “Pisteet: N”"),
        ("Kysymys: <<<{question}>>>\n  Vastaus", "Kysymys: <<<{questoin}>>>\n  Vastaus", "must hold"),
        ("reviewed_by: authors", "reviewed_by: nobody", "“reviewed_by” must be one of authors, native speaker"),
        ("language: fi", "language: sv", "“language” must be “fi”"),
        ("  fluency:", "  style:", "unknown key “style”"),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_a_sentence(folder: Path, old: str, new: str, sentence: str) -> None:
    path = folder / "fi.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=r"Prompt file fi\.yaml") as caught:
        load_judge_texts(folder)
    assert sentence in str(caught.value)


def test_a_missing_language_is_named(folder: Path) -> None:
    (folder / "kn.yaml").unlink()
    with pytest.raises(DataError, match=r"Prompt file kn\.yaml is missing"):
        load_judge_texts(folder)


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("th", "คำถาม: <<<Who?>>>"),
        ("ja", "質問：<<<Who?>>>"),
        ("ta", "Question: <<<Who?>>>"),
        ("hi", "प्रश्न: <<<Who?>>>"),
    ],
)
def test_a_judge_is_asked_in_the_language_of_the_answer_or_else_in_english(code: str, question: str) -> None:
    judge = FakeJudge(lambda user: "Verdict: 1")
    measures = {item.name: item for item in judged_by(judge, prompt_language="answer")}
    (score,) = measures["correctness"].score([Case("Marconi", ("Marconi",), language(code), "Who?")])
    assert score.value == 1.0 and question in judge.prompts[0].user


def test_a_judge_is_asked_in_english_where_that_was_the_choice() -> None:
    judge = FakeJudge(lambda user: "Verdict: 1")
    measures = {item.name: item for item in judged_by(judge, prompt_language="en")}
    measures["correctness"].score([Case("Marconi", ("Marconi",), language("th"), "Who?")])
    assert "Question: <<<Who?>>>" in judge.prompts[0].user


def test_the_passages_and_the_instructions_are_judged_in_the_language_of_the_answer() -> None:
    judge = FakeJudge(lambda user: "Urteil: ja")
    measures = {item.name: item for item in judged_by(judge, prompt_language="answer")}
    case = Case(CASE.prediction, CASE.answers, language("de"), CASE.question, CASE.passages, CASE.instructions)
    assert measures["context_precision"].score([case])[0].value == 1.0
    assert measures["instruction_following"].score([case])[0].value == 1.0
    assert [prompt.language for prompt in judge.prompts] == ["de"] * 3
    assert "Textstelle: <<<On radio.>>>" in judge.prompts[0].user and "Anweisungen: <<<" in judge.prompts[2].user


def test_the_mean_of_the_aspects_reads_marks_in_the_language_of_the_prompt() -> None:
    judge = FakeJudge(lambda user: "Оценка: 4 из 5")
    measures = {item.name: item for item in judged_by(judge, prompt_language="answer")}
    case = Case("Маркони", ("Маркони",), language("ru"), "Кто?", ("О радио.",))
    assert measures["g_eval"].score([case])[0].value == 4.0
