"""Natural Questions, in the form of KILT or of NQ-open: English questions with short answers, without a corpus.

Sources: Kwiatkowski et al. (2019); Petroni et al. (2021), KILT: {"id", "input", "output": [{"answer", "provenance"}]};
Lee, Chang and Toutanova (2019), NQ-open: {"question", "answer": [texts]}, without ids: the line's number is the id.
MKQA's ids are those of Natural Questions, and so are KILT's. The pages that KILT's provenance names are gold. Left out
and counted: questions without a short answer, as in KILT's test files.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from workbench.core import BY_PAGE, BY_PASSAGE, Question
from workbench.data.corpora.corpus import Corpus
from workbench.data.datasets.dataset_format import GOLD_PAGES, Collection, DatasetFormat, Files, UniqueIds, no_questions
from workbench.data.datasets.records import Provenance, Record, json_records, provenance_of, unique_texts

NO_ANSWER = "without an answer"
LICENCE = "CC BY-SA 3.0"


def read_natural_questions(path: Path, *, corpus: Corpus | None = None) -> Collection:
    """Return the questions of a file in either form; `corpus` is the one that has the pages that KILT names.

    Raises DataError with file and line for an error in it, UsageError for a corpus where it names no page.
    """
    questions: list[Question] = []
    ids = UniqueIds("question id")
    left_out = Counter({NO_ANSWER: 0})
    forms: set[str] = set()
    for number, record in enumerate(json_records(path), start=1):
        kilt = record.has("input")
        forms.add("KILT" if kilt else "open")
        if len(forms) > 1:
            raise record.error("differs in form from the lines before it: KILT has “input”, NQ-open “question”")
        name = record.id("id") if kilt or record.has("id") else f"nq{number:06d}"
        ids.add(name, record.where)
        text = record.text("input" if kilt else "question")
        answers = _kilt(record) if kilt else _open(record)
        if answers:
            pages = provenance_of(record) if kilt else Provenance()
            questions.append(Question(name, text, "en", answers, pages.pages, gold_sections=pages.sections))
        else:
            left_out[NO_ANSWER] += 1
    if not questions:
        raise no_questions("Natural Questions", [path.name], left_out)
    form = "".join(forms)
    collection = Collection(
        f"natural-questions-{form.lower()}",
        f"Natural Questions, {form}",
        (path.name,),
        tuple(questions),
        LICENCE,
        left_out=left_out,
        gold_level=BY_PAGE if any(question.gold for question in questions) else BY_PASSAGE,
    )
    return collection.over_pages(corpus) if corpus else collection


def _kilt(record: Record) -> tuple[str, ...]:
    outputs = record.records("output") if record.has("output") else []
    # An output may be provenance alone, without an answer.
    return unique_texts([output.optional_text("answer") for output in outputs])


def _open(record: Record) -> tuple[str, ...]:
    name = "answer" if "answer" in record.values or "answers" not in record.values else "answers"
    return record.texts(name)


FORMAT = DatasetFormat(
    name="natural-questions",
    title="Natural Questions (JSON lines of KILT or NQ-open)",
    description="English questions, without a corpus; KILT's name the pages that answer them.",
    source=Files(("jsonl", "gz")),
    options=(GOLD_PAGES,),
    read=read_natural_questions,
)
