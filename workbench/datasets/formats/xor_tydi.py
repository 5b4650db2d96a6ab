"""XOR-TyDi QA: questions in seven languages whose answer may lie in English only.

Source: Asai et al. 2021, "XOR QA: Cross-lingual Open-Retrieval Question Answering"; a line a question:
{"id", "question", "lang", "answers", "split"}.  In the full task answers are in the question's language; in the
English-span task (files called “…eng_span…”) they are spans of English text.  MKQA in this form (MIA 2022) is read as
well.
Left out and counted: questions without answers (the test files), and English answers in the full task
(`has_eng_answer_only`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from workbench.datasets.collection import Collection, Unique, checked_languages, in_languages, none_left
from workbench.datasets.files.record import Record
from workbench.datasets.files.text_files import json_records
from workbench.languages.labels import parse_label
from workbench.records import Question

ENGLISH_SPAN = "eng_span"
NO_ANSWER, ENGLISH_ONLY = "without an answer", "with an English answer only"


def read_xor_tydi(path: Path, wanted: Sequence[str] = (), *, english_span: bool | None = None) -> Collection:
    """The questions in the languages `wanted` (none: all). `english_span` None: as the file's name says.

    Raises UsageError for a language the file does not have, DataError with file and line for what is wrong in it.
    """
    codes = checked_languages(wanted)
    english = ENGLISH_SPAN in path.name if english_span is None else english_span
    questions: list[Question] = []
    found: set[str] = set()
    seen = Unique("question id")
    left_out = Counter({NO_ANSWER: 0, ENGLISH_ONLY: 0})
    for record in json_records(path):
        code = _language(record)
        found.add(code)
        name, text = record.id("id"), record.text("question")
        seen.add(name, record.where, language=code)
        answers = record.texts("answers") if record.has("answers") else ()
        if not answers:
            left_out[NO_ANSWER] += 1
        elif not english and record.values.get("has_eng_answer_only") is True:
            left_out[ENGLISH_ONLY] += 1
        else:
            questions.append(Question(name, text, code, answers, found_in="en" if english else ""))
    if not questions:
        raise none_left("XOR-TyDi QA", [path.name], left_out)
    return Collection(
        "xor-tydi-english-span" if english else "xor-tydi",
        "XOR-TyDi QA, English span" if english else "XOR-TyDi QA, full",
        (path.name,),
        in_languages(questions, codes, sorted(found)),
        answers_in="en" if english else "",
        left_out=left_out,
    )


def _language(record: Record) -> str:
    label = parse_label(record.text("lang"))
    if label is None or not label.code:
        raise record.wrong("has a “lang” that is no language code")
    return label.code
