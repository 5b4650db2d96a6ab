"""Bring your own run: predictions made elsewhere become a run like any other, scored and compared the same way.

A file of JSON lines, CSV, TSV or XLSX with a row a question: its id, the answer, and, if there are any, the ids of the
passages that it was given (a list, or in a cell a JSON list or ids parted by “;”).  Nothing is taken from a file with a
wrong row.  A judge sees the passages as the dataset's corpus has them; what the other system was told nobody knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from workbench.components.identifiers import identifier_in_use
from workbench.corpora.corpus_library import Corpus
from workbench.datasets.dataset_library import DatasetLibrary
from workbench.datasets.files.record import Record
from workbench.datasets.formats.table import rows
from workbench.errors import DataError, UsageError, shorten
from workbench.experiments.cells import Sharing
from workbench.identity import fingerprint
from workbench.languages.detect import Detector
from workbench.languages.labels import language_of
from workbench.metrics.measure import Measure
from workbench.records import Question
from workbench.results.answer_scoring import (
    DEFAULT_METRICS,
    JudgeContext,
    Scorable,
    answer_measures,
    checked_metrics,
    score,
    stored_name,
)
from workbench.results.judging import SharedJudge, checked_judge, judged_measures
from workbench.results.writer import CellResult, RunRow, Writer, add_experiment, remove
from workbench.settings import PASSAGES_LIMIT
from workbench.storage.batched import batched
from workbench.storage.database import opened_store
from workbench.workspace.workbench import Workbench

KIND = "predictions"
NO_PREDICTION = "The file holds no prediction for this question."
ANSWERS_AT_ONCE = 1_000
TITLE_LIMIT = 200
PASSAGES_KEPT = 10 * PASSAGES_LIMIT


@dataclass(frozen=True, slots=True)
class Names:
    """Which column is what. `language` may be missing where the questions of one language are meant."""

    id: str = "id"
    answer: str = "answer"
    passages: str = "passages"
    language: str = "language"


@dataclass(frozen=True, slots=True)
class ImportedPredictions:
    """The experiment that holds the run, how many predictions it has and how many questions have none."""

    experiment: str
    predictions: int
    missing: int


@dataclass(frozen=True, slots=True)
class _Prediction:
    text: str
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Scoring:
    """What predictions are scored with: metrics by their full names, the languages of passages, and for a judge the
    texts of those that the corpus has.
    """

    metrics: Sequence[str]
    measures: Mapping[str, Measure]
    detector: Detector
    languages: Mapping[str, str]
    texts: Callable[[Iterable[str]], Mapping[str, str]]


def import_predictions(
    workbench: Workbench,
    path: Path,
    dataset: str,
    *,
    title: str,
    code: str = "",
    metrics: Sequence[str] = DEFAULT_METRICS,
    judge: str = "",
    names: Names | None = None,
) -> ImportedPredictions:
    """Takes in a file of predictions as a run called `title`. `code` is their language where no column says it; `judge`
    names the generator that gives the judged metrics.

    Questions of the languages that the file is about and that it does not answer count as failed.
    Raises UsageError for a dataset, language, metric, judge or title that cannot be, DataError with file and row.
    """
    if not 0 < len(title.strip()) <= TITLE_LIMIT:
        raise UsageError(f"A run needs a title of 1 to {TITLE_LIMIT} characters. For example: --name my-system")
    judging = checked_judge(judge)
    told = identifier_in_use(workbench.settings.home)
    chosen = tuple(stored_name(name, told.mark) for name in checked_metrics(metrics, judging))
    measures = answer_measures(told)
    if judging:
        measures.update(judged_measures(SharedJudge(judging, workbench.settings.home, Sharing(workbench.cache))))
    library = DatasetLibrary(workbench.settings.datasets)
    info = library.info(dataset)
    corpus = workbench.corpus(info.corpus) if info.corpus else None
    asked: dict[str, tuple[Question, ...]] = {}
    found: dict[tuple[str, str], _Prediction] = {}
    for record in rows(path):
        own, name, prediction = _read(record, names or Names(), code)
        if own not in asked:
            if own not in info.languages:
                allowed = ", ".join(info.languages)
                raise _wrong(record, f"is in “{own}”, which dataset “{dataset}” does not have (it has: {allowed})")
            asked[own] = library.questions(dataset, own, corpus.languages if corpus else ())
        if (own, name) in found:
            raise _wrong(record, f"answers question “{shorten(name)}” a second time")
        found[own, name] = prediction
    if not found:
        raise DataError(f"{path.name} holds no predictions, so nothing was imported.")
    ids = {(own, question.id) for own, questions in asked.items() for question in questions}
    if stray := next((place for place in found if place not in ids), None):
        raise DataError(
            f"{path.name} answers question “{shorten(stray[1])}” ({stray[0]}), which dataset “{dataset}” does not "
            "have, so nothing was imported."
        )
    languages = _passage_languages(corpus, asked, found)
    scoring = _Scoring(chosen, measures, told.detector, languages, partial(_texts, corpus if judging else None))
    row = RunRow(0, title.strip(), dataset, info.corpus, "", "", "", title.strip(), 0, "none", "", _identity(found))
    engine = opened_store(workbench.settings.database_url)
    material = fingerprint("predictions", sorted(ids))
    experiment = add_experiment(engine, title.strip(), KIND, "", len(ids), material, [row])
    try:
        writer = Writer(engine, experiment, chosen)
        everything = (question for questions in asked.values() for question in questions)
        for number, some in enumerate(batched(everything, ANSWERS_AT_ONCE)):
            writer.write(0, number, dataset, _given(some, found, scoring))
    except BaseException:
        remove(engine, experiment)
        raise
    return ImportedPredictions(experiment, len(found), len(ids) - len(found))


def _read(record: Record, names: Names, code: str) -> tuple[str, str, _Prediction]:
    if names.answer not in record.values:
        raise _wrong(record, f"lacks “{names.answer}”")
    said = record.text_or_none(names.language)
    if not said and not code:
        raise _wrong(record, f"says no language: add a column “{names.language}” or give one (--lang fi)")
    answer = record.values[names.answer]
    if answer is not None and not isinstance(answer, str):
        raise _wrong(record, f"has an “{names.answer}” that is no text")
    # An empty answer is an answer: the system said nothing.
    return (
        language_of(said or code).code,
        record.id(names.id),
        _Prediction((answer or "").strip(), _passages(record, names)),
    )


def _passages(record: Record, names: Names) -> tuple[str, ...]:
    value = record.values.get(names.passages)
    if isinstance(value, str):
        text = value.strip()
        try:
            value = json.loads(text) if text.startswith("[") else [item.strip() for item in text.split(";")]
        except ValueError as error:
            raise _wrong(record, f"has “{names.passages}” that are no whole JSON list") from error
    if value is None:
        return ()
    listed = value if isinstance(value, list) else [value]
    ids = [item.get("id") if isinstance(item, Mapping) else item for item in listed]
    names_only = [item for item in ids if isinstance(item, str)]
    if len(names_only) != len(ids):
        raise _wrong(record, f"has “{names.passages}” that are no list of ids")
    kept = tuple(dict.fromkeys(item for item in names_only if item))
    if len(kept) > PASSAGES_KEPT:
        raise _wrong(record, f"has {len(kept):,} passages; at most {PASSAGES_KEPT} are kept")
    return kept


def _wrong(record: Record, what: str) -> DataError:
    return DataError(f"{record.where} {what}, so nothing was imported.")


def _passage_languages(
    corpus: Corpus | None,
    asked: Mapping[str, Iterable[Question]],
    found: Mapping[tuple[str, str], _Prediction],
) -> dict[str, str]:
    if corpus is None:
        return {}
    gold = {name for questions in asked.values() for question in questions for name in question.gold}
    given = {name for prediction in found.values() for name in prediction.passages}
    there = corpus.lexical.rows_of(gold | given)
    return {item.id: item.language for item in corpus.table.passages(list(there.values()))}


def _texts(corpus: Corpus | None, names: Iterable[str]) -> dict[str, str]:
    """The passages that the corpus has, by id, with their titles."""
    if corpus is None:
        return {}
    there = corpus.lexical.rows_of(set(names))
    return {item.id: item.searchable for item in corpus.table.passages(list(there.values()))}


def _given(
    questions: Sequence[Question], found: Mapping[tuple[str, str], _Prediction], scoring: _Scoring
) -> list[CellResult]:
    languages = scoring.languages
    everywhere = tuple(dict.fromkeys(languages.values()))
    answered = [question for question in questions if (question.language, question.id) in found]
    predictions = [found[question.language, question.id] for question in answered]
    texts = scoring.texts(name for made in predictions for name in made.passages)
    items = [
        Scorable(question, made.text, made.passages, everywhere if made.passages else (), _seen(made, texts))
        for question, made in zip(answered, predictions, strict=True)
    ]
    scores = score(scoring.metrics, items, languages, scoring.measures)
    given = [
        CellResult(
            run=0,
            question=question,
            text=made.text,
            answer_language=scoring.detector(made.text, sorted({question.language, "en", *everywhere})),
            passages=tuple((name, languages.get(name, ""), -float(place)) for place, name in enumerate(made.passages)),
            scores=values,
        )
        for question, made, values in zip(answered, predictions, scores, strict=True)
    ]
    missing = [question for question in questions if (question.language, question.id) not in found]
    return given + [CellResult(run=0, question=question, error=NO_PREDICTION) for question in missing]


def _seen(made: _Prediction, texts: Mapping[str, str]) -> JudgeContext:
    """What a judge must see. Without the text of one passage nothing can be said of its rank: then it sees none."""
    whole = all(name in texts for name in made.passages)
    return JudgeContext(tuple(texts[name] for name in made.passages) if whole else ())


def _identity(found: Mapping[tuple[str, str], _Prediction]) -> str:
    return fingerprint("predictions", [[*place, made.text, *made.passages] for place, made in sorted(found.items())])
