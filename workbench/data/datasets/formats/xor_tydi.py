"""XOR-TyDi QA: questions in seven languages whose answers may be in English only.

Source: Asai et al. (2021), "XOR QA: Cross-lingual Open-Retrieval Question Answering"; one line per question:
{"id", "question", "lang", "answers", "split"}. In the full task answers are in the question's language; in the
English-span task (files called “…eng_span…”) they are spans of English text. MKQA in this form (MIA 2022) can be read
as well.
Left out and counted: questions without answers (the test files), and English answers in the full task
(`has_eng_answer_only`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from workbench.core import Question
from workbench.data.datasets.dataset_format import (
    LANGUAGES,
    Collection,
    DatasetFormat,
    Files,
    ImportOption,
    UniqueIds,
    in_languages,
    language_codes,
    no_questions,
)
from workbench.data.datasets.records import Record, json_records
from workbench.languages import parse_label

ENGLISH_SPAN = "eng_span"
NO_ANSWER, ENGLISH_ONLY = "without an answer", "with an English answer only"


def read_xor_tydi(path: Path, languages: Sequence[str] = (), *, english_span: bool | None = None) -> Collection:
    """Return the questions in some `languages` (none: all). If `english_span` is None, the file's name decides.

    Raises UsageError for a language the file does not have, DataError with file and line for an error in it.
    """
    codes = language_codes(languages)
    english = ENGLISH_SPAN in path.name if english_span is None else english_span
    questions: list[Question] = []
    available: set[str] = set()
    ids = UniqueIds("question id")
    left_out = Counter({NO_ANSWER: 0, ENGLISH_ONLY: 0})
    for record in json_records(path):
        language = _language(record)
        available.add(language)
        name, text = record.id("id"), record.text("question")
        ids.add(name, record.where, language=language)
        answers = record.texts("answers") if record.has("answers") else ()
        if not answers:
            left_out[NO_ANSWER] += 1
        elif not english and record.values.get("has_eng_answer_only") is True:
            left_out[ENGLISH_ONLY] += 1
        else:
            questions.append(Question(name, text, language, answers, evidence_in="en" if english else ""))
    if not questions:
        raise no_questions("XOR-TyDi QA", [path.name], left_out)
    return Collection(
        "xor-tydi-english-span" if english else "xor-tydi",
        "XOR-TyDi QA, English span" if english else "XOR-TyDi QA, full",
        (path.name,),
        in_languages(questions, codes, sorted(available)),
        answers_in="en" if english else "",
        left_out=left_out,
    )


def _language(record: Record) -> str:
    label = parse_label(record.text("lang"))
    if label is None or not label.language:
        raise record.error("has a “lang” that is not a language code")
    return label.language


FORMAT = DatasetFormat(
    name="xor-tydi",
    title="XOR-TyDi QA (JSON lines)",
    description="Questions in seven languages, without a corpus.",
    source=Files(("jsonl", "gz")),
    options=(
        LANGUAGES,
        ImportOption(
            name="english_span",
            kind="switch",
            title="Task",
            help="Full: answers in the question's language. English span: words of the English Wikipedia. Default: as "
            "the file's name says.",
            default=None,
            flag="--english-span/--full",
            states={None: "As in the file name", False: "Full", True: "English span"},
        ),
    ),
    read=read_xor_tydi,
)
