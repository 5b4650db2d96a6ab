"""Bring your own run: predictions made elsewhere become a run like any other, scored and compared the same way.

A file is JSON lines, CSV, TSV or XLSX with one row per question: its id, the answer and, where there are any, the ids
of the passages that it was given: a list, or in a cell a JSON list or ids separated by “;”. Nothing is imported from a
file with a wrong row. A judge sees the passages as the dataset's corpus has them; the instructions of the other system
are not known.

Until everything is written, the experiment is of the kind `importing`, which no list shows. A locked file in the
workspace, `jobs/<id>.importing`, says that the import goes on; one that nobody locks was left by an import that was
killed, or could not even remove what it had written because the disk was full: it is removed with its experiment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import Engine

from workbench.app import Workbench
from workbench.components import checked_judge, identifier_in_use
from workbench.core import DataError, Question, UsageError, fingerprint, shorten, without_thinking
from workbench.data import Corpus, DatasetLibrary, GoldLanguages, Record, table_rows
from workbench.experiments.results.queries.run_list import IMPORTING
from workbench.experiments.results.scoring import (
    DEFAULT_METRICS,
    JudgeContext,
    Scorable,
    SharedJudge,
    answer_measures,
    checked_metrics,
    judged_measures,
    score,
    stored_name,
)
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment, new_id, remove, set_kind
from workbench.languages import Detector, language_of
from workbench.metrics import DEFAULT_JUDGE_LANGUAGE, Measure
from workbench.pipeline import Executor
from workbench.workspace import PASSAGES_LIMIT, batched, opened_store, verb

IDS_LIMIT = 10 * PASSAGES_LIMIT
"""Ids of passages that one row may have."""

Key = tuple[str, str]
"""A question's language and its id within the dataset."""


@dataclass(frozen=True, slots=True)
class PredictionColumns:
    """The names of the columns. `language` may be missing where the language of all questions is given apart."""

    id: str = "id"
    answer: str = "answer"
    passages: str = "passages"
    language: str = "language"


@dataclass(frozen=True, slots=True)
class Prediction:
    """An answer, "" where the other system gave an empty one, and the ids of the passages given to it, best first."""

    text: str
    passages: tuple[str, ...]


def read_predictions(
    path: Path, dataset: str, languages: Sequence[str], columns: PredictionColumns, language: str
) -> dict[Key, Prediction]:
    """The predictions of a file about a dataset in `languages`; `language` is that of rows which do not state one.

    Raises DataError with file and row for a wrong row, and for a file without any.
    """
    predictions: dict[Key, Prediction] = {}
    for record in table_rows(path):
        key, prediction = _read(record, columns, language)
        if key[0] not in languages:
            allowed = ", ".join(languages)
            raise record.error(f"is in “{key[0]}”, which dataset “{dataset}” does not have (it has: {allowed})")
        if key in predictions:
            raise record.error(f"answers question “{shorten(key[1])}” a second time")
        predictions[key] = prediction
    if not predictions:
        raise DataError(f"{path.name} holds no predictions, so nothing was imported.")
    return predictions


def predictions_fingerprint(predictions: Mapping[Key, Prediction]) -> str:
    """The same for equal predictions, in whatever order a file has them."""
    return fingerprint("predictions", [[*key, item.text, *item.passages] for key, item in sorted(predictions.items())])


def _read(record: Record, columns: PredictionColumns, language: str) -> tuple[Key, Prediction]:
    if columns.answer not in record.values:
        raise record.error(f"lacks “{columns.answer}”")
    label = record.optional_text(columns.language) or language
    if not label:
        raise record.error(f"states no language: add a column “{columns.language}” or name the language of all rows")
    answer = record.values[columns.answer]
    if answer is not None and not isinstance(answer, str):
        raise record.error(f"has an “{columns.answer}” that is not a text")
    # An empty answer is an answer: the system wrote nothing.
    key = (language_of(label).code, record.id(columns.id))
    return key, Prediction((answer or "").strip(), _passages(record, columns.passages))


def _passages(record: Record, column: str) -> tuple[str, ...]:
    value = record.values.get(column)
    if isinstance(value, str):
        text = value.strip()
        try:
            value = json.loads(text) if text.startswith("[") else [item.strip() for item in text.split(";")]
        except ValueError as error:
            raise record.error(f"has “{column}” that are not a complete JSON list") from error
    if value is None:
        return ()
    entries = value if isinstance(value, list) else [value]
    ids = [entry.get("id") if isinstance(entry, Mapping) else entry for entry in entries]
    names = [name for name in ids if isinstance(name, str)]
    if len(names) != len(ids):
        raise record.error(f"has “{column}” that are not a list of ids")
    passages = tuple(dict.fromkeys(name for name in names if name))
    if len(passages) > IDS_LIMIT:
        raise record.error(f"has {len(passages):,} passages; at most {IDS_LIMIT} are allowed")
    return passages


FOLDER, SUFFIX = "jobs", ".importing"


@contextmanager
def unfinished_import(engine: Engine, home: Path, kind: str) -> Iterator[str]:
    """The id for an experiment that the block stores as `importing` and fills; at the end it becomes one of `kind`.

    Where the block raises, nothing of it stays. What earlier imports of this workspace left is removed first.
    """
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(engine, folder)
    experiment_id = new_id()
    lock_file = folder / f"{experiment_id}{SUFFIX}"
    with FileLock(lock_file):
        try:
            yield experiment_id
            set_kind(engine, experiment_id, kind)
        except BaseException:
            remove(engine, experiment_id, IMPORTING)
            lock_file.unlink(missing_ok=True)
            raise
        lock_file.unlink(missing_ok=True)


def _sweep(engine: Engine, folder: Path) -> None:
    """Removes what imports whose process is gone have written."""
    for lock_file in folder.glob(f"*{SUFFIX}"):
        try:
            with FileLock(lock_file, timeout=0):
                remove(engine, lock_file.name.removesuffix(SUFFIX), IMPORTING)
                lock_file.unlink(missing_ok=True)
        except Timeout:
            continue  # it goes on


KIND = "predictions"
PHASE = "detect language"
"""The phase that batches are marked with: the one that ends with scored answers."""
NO_PREDICTION = "The file holds no prediction for this question."
ANSWERS_AT_ONCE = 1_000
TITLE_LIMIT = 200


@dataclass(frozen=True, slots=True)
class ImportedPredictions:
    """The experiment that holds the run, how many predictions it has and how many questions have none.

    From `thoughts` of the predictions what a model wrote while thinking was left out.
    """

    experiment_id: str
    predictions: int
    missing: int
    thoughts: int


@dataclass(frozen=True, slots=True)
class _Scoring:
    """What predictions are scored with: metrics by the names that their values are stored under.

    `languages` are those of retrieved passages by id, `gold_languages` those of golds; `units` gives a ranking in the
    units that a question's golds name; `texts` gives a judge those of the passages that the corpus has.
    """

    metrics: Sequence[str]
    measures: Mapping[str, Measure]
    detector: Detector
    languages: Mapping[str, str]
    gold_languages: GoldLanguages
    units: Callable[[Question, Sequence[str]], tuple[str, ...]]
    texts: Callable[[Iterable[str]], Mapping[str, str]]


@verb("runs.import")
def import_predictions(
    workbench: Workbench,
    path: Path,
    dataset: str,
    *,
    title: str,
    language: str = "",
    metrics: Sequence[str] = DEFAULT_METRICS,
    judge: str = "",
    judge_language: str = DEFAULT_JUDGE_LANGUAGE,
    columns: PredictionColumns | None = None,
) -> ImportedPredictions:
    """Imports a file of predictions as a run called `title`.

    `language` is that of rows which do not state one; `judge` names the generator for judged metrics, which is asked
    in `judge_language`. Questions without a prediction, in the languages of the file, count as failed.

    Raises UsageError for a dataset, language, metric, judge or title that is not allowed, DataError with file and row.
    """
    title = title.strip()
    if not 0 < len(title) <= TITLE_LIMIT:
        raise UsageError(
            f"A run needs a name of 1 to {TITLE_LIMIT} characters.", command="For example: --name my-system"
        )
    judge = checked_judge(judge)
    identifier = identifier_in_use(workbench.settings.home)
    names = tuple(stored_name(name, identifier.mark) for name in checked_metrics(metrics, judge, None, judge_language))
    measures = answer_measures(identifier)
    if judge:
        executor = Executor(workbench.cache, "isolate")
        measures.update(judged_measures(SharedJudge(judge, workbench.settings.home, executor), judge_language))
    library = DatasetLibrary(workbench.settings.datasets)
    info = library.info(dataset)
    corpus = workbench.corpus(info.corpus) if info.corpus else None
    predictions = read_predictions(path, dataset, tuple(info.languages), columns or PredictionColumns(), language)
    passage_languages = corpus.languages if corpus else ()
    questions = [
        question
        for code in dict.fromkeys(code for code, _ in predictions)
        for question in library.questions(dataset, code, passage_languages)
    ]
    ids = {(question.language, question.id) for question in questions}
    if stray := next((key for key in predictions if key not in ids), None):
        raise DataError(
            f"{path.name} answers question “{shorten(stray[1])}” ({stray[0]}), which dataset “{dataset}” does not "
            "have, so nothing was imported."
        )
    answers = {key: replace(item, text=without_thinking(item.text)) for key, item in predictions.items()}
    scoring = _Scoring(
        names,
        measures,
        identifier.detector,
        _passage_languages(corpus, predictions),
        corpus.golds.languages({name for question in questions for name in question.gold}) if corpus else {},
        lambda question, ids: corpus.golds.units_of_ids(question.gold, ids) if corpus else tuple(ids),
        partial(_texts, corpus if judge else None),
    )
    run = RunRow(0, title, dataset, info.corpus, "", "", "", title, 0, "none", "", predictions_fingerprint(predictions))
    engine = opened_store(workbench.settings.database_url)
    material = fingerprint("predictions", sorted(ids))
    with unfinished_import(engine, workbench.settings.home, KIND) as experiment_id:
        add_experiment(engine, title, IMPORTING, "", len(ids), material, [run], experiment_id=experiment_id)
        writer = Writer(engine, experiment_id, names)
        for number, batch in enumerate(batched(questions, ANSWERS_AT_ONCE)):
            writer.write(PHASE, number, dataset, _results(batch, answers, scoring))
    thoughts = sum(item.text != answers[key].text for key, item in predictions.items())
    return ImportedPredictions(experiment_id, len(predictions), len(ids) - len(predictions), thoughts)


def _passage_languages(corpus: Corpus | None, predictions: Mapping[Key, Prediction]) -> dict[str, str]:
    """The languages of the retrieved passages that the corpus has, by id."""
    if corpus is None:
        return {}
    names = (name for prediction in predictions.values() for name in prediction.passages)
    return {name: passage.language for name, passage in corpus.passages_named(names).items()}


def _texts(corpus: Corpus | None, ids: Iterable[str]) -> dict[str, str]:
    """The passages that the corpus has, by id, with their titles."""
    return {} if corpus is None else {name: item.searchable for name, item in corpus.passages_named(ids).items()}


def _results(
    questions: Sequence[Question], predictions: Mapping[Key, Prediction], scoring: _Scoring
) -> list[CellResult]:
    """The results of a batch: answered questions first, then those without a prediction."""
    languages, golds = scoring.languages, scoring.gold_languages
    all_languages = tuple(sorted({*languages.values(), *(code for codes in golds.values() for code in codes)}))
    pairs = [(question, predictions.get((question.language, question.id))) for question in questions]
    answered = [(question, prediction) for question, prediction in pairs if prediction is not None]
    texts = scoring.texts(name for _, prediction in answered for name in prediction.passages)
    scorables = [
        Scorable(
            question,
            prediction.text,
            scoring.units(question, prediction.passages),
            all_languages if prediction.passages else (),
            judge_context=_judge_context(prediction, texts),
        )
        for question, prediction in answered
    ]
    scores = score(scoring.metrics, scorables, golds, scoring.measures)
    results = [
        CellResult(
            run=0,
            question=question,
            text=prediction.text,
            answer_language=scoring.detector(prediction.text, sorted({question.language, "en", *all_languages})),
            passages=tuple(
                (name, languages.get(name, ""), -float(index)) for index, name in enumerate(prediction.passages)
            ),
            scores=values,
        )
        for (question, prediction), values in zip(answered, scores, strict=True)
    ]
    missing = [question for question, prediction in pairs if prediction is None]
    return results + [CellResult(run=0, question=question, error=NO_PREDICTION) for question in missing]


def _judge_context(prediction: Prediction, texts: Mapping[str, str]) -> JudgeContext:
    """What a judge sees. Without the text of one passage its rank cannot be judged: then it sees no passage."""
    complete = all(name in texts for name in prediction.passages)
    return JudgeContext(tuple(texts[name] for name in prediction.passages) if complete else ())
