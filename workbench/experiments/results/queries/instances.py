"""Single cells, a page at a time: what every mark of a figure leads to, and what exports write.

Beyond a filter they are listed by a text that they contain, by wrong language, and without a label. Texts are searched
in any script, whatever case and marks they are written in. SQLite's own LIKE folds ASCII letters only; its connections
know `search_form`, the form that texts are indexed in (see `workspace.database`). Other databases fold case themselves.

Documents are gold by their ids, or as passages of a gold page. What is marked in an answer is what flexible exact match
(`metrics.answers.flexible_em`) counts as right, on the shortest pieces of the answer that satisfy it; an answer that
the metric counts as wrong has no mark.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, String, and_, func, or_, select, tuple_
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction

from workbench.experiments.results.filters import Filter, answer_conditions, failed_or_not
from workbench.experiments.results.queries.run_list import StoredRun, runs
from workbench.languages import UNIT, Language, is_known, language, search_form
from workbench.metrics import FORMAT_FAILURE, Score, flexible_em, scale_of
from workbench.workspace import annotation_tables, result_tables as t

PAGE = 50
"""Cells of a page where no other number is given."""
Scored = dict[str, tuple[float | None, str]]
"""A cell's values with the reasons of those that are missing or set, by metric."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One cell with all that is stored of it. `question` is its id within the dataset, `question_id` the stored one.

    `passages`: id, language and score, best first.
    """

    answer: int
    run: StoredRun
    question_id: int
    question: str
    language: str
    text: str
    golds: tuple[str, ...]
    gold_passages: tuple[str, ...]
    evidence_in: str
    output: str
    answer_language: str
    passages: tuple[tuple[str, str, float], ...]
    seconds: float
    prompt_tokens: int | None
    completion_tokens: int | None
    error: str
    scores: dict[str, float | None] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def is_format_failure(self) -> bool:
        """Whether the output lacks the label that D-RAG asks for, so that it states no answer and is wrong."""
        return self.scores.get(FORMAT_FAILURE) == 1.0

    @property
    def scored(self) -> dict[str, Score]:
        """Its scores by metric, each with the reason why there is none or why it is set."""
        return {name: Score(value, self.reasons.get(name, "")) for name, value in self.scores.items()}


def count(
    connection: Connection,
    filter_: Filter,
    *,
    failed: bool | None = None,
    conditions: Sequence[ColumnElement[bool]] = (),
) -> int:
    """How many cells a filter lets through, only failed ones or only others where `failed` is given.

    `conditions` are further ones on answers.
    """
    every = (*answer_conditions(filter_), *failed_or_not(failed), *conditions)
    return int(connection.execute(select(func.count()).select_from(t.answers).where(*every)).scalar_one())


def instances(
    connection: Connection,
    filter_: Filter,
    *,
    start: int = 0,
    limit: int = PAGE,
    failed: bool | None = None,
    after: int = 0,
    conditions: Sequence[ColumnElement[bool]] = (),
    order: Sequence[ColumnElement[Any]] = (),
) -> list[Instance]:
    """A page of cells by `order`, then in the order in which they were written.

    `after` (an answer's number) pages through millions without counting from the start; only without `order`.
    """
    # The numbers first, from an index: to order a million cells by number is little, to order complete rows is much.
    page = (
        select(t.answers.c.id)
        .where(*answer_conditions(filter_), *failed_or_not(failed), *conditions, t.answers.c.id > after)
        .order_by(*order, t.answers.c.id)
        .offset(start)
        .limit(limit)
    )
    if not order:
        return _read(connection, t.answers.c.id.in_(page))
    order_of = {answer: number for number, answer in enumerate(connection.execute(page).scalars())}
    return sorted(_read(connection, t.answers.c.id.in_(order_of)), key=lambda item: order_of[item.answer])


def questions_by_score(
    connection: Connection,
    filter_: Filter,
    metric: str,
    *,
    start: int = 0,
    limit: int = PAGE,
    failed: bool | None = None,
    conditions: Sequence[ColumnElement[bool]] = (),
    best_first: bool = False,
) -> tuple[int, list[int]]:
    """How many questions cells belong to, and a page of their stored ids, those with the worst mean of a metric first.

    Questions without a value come last.
    """
    a, s = t.answers.c, t.scores.c
    every = (*answer_conditions(filter_), *failed_or_not(failed), *conditions)
    named = select(t.metrics.c.id).where(t.metrics.c.name == metric).scalar_subquery()
    same = and_(s.metric == named, s.run == a.run, s.language == a.language, s.question == a.question)
    mean = func.avg(s.value)
    ascending = scale_of(metric).higher_is_better != best_first
    page = (
        select(a.question)
        .select_from(t.answers.outerjoin(t.scores, same))
        .where(*every)
        .group_by(a.question)
        .order_by(mean.is_(None), mean if ascending else mean.desc(), func.min(a.id))
        .offset(start)
        .limit(limit)
    )
    number = select(func.count(a.question.distinct())).where(*every)
    return int(connection.execute(number).scalar_one()), list(connection.execute(page).scalars())


def instances_of(connection: Connection, cells: Sequence[tuple[int, int]]) -> list[Instance]:
    """The cells with these runs and questions (stored ids), in this order; those that are gone are left out."""
    rows = _read(connection, tuple_(t.answers.c.run, t.answers.c.question).in_(cells)) if cells else []
    order_of = {cell: number for number, cell in enumerate(cells)}
    return sorted(rows, key=lambda item: order_of[item.run.id, item.question_id])


def _read(connection: Connection, condition: ColumnElement[bool]) -> list[Instance]:
    a, q, m = t.answers.c, t.questions.c, t.mapped_golds.c
    columns = (a.id, a.run, a.question, a.language, a.answer_language, a.passages, a.seconds, a.prompt_tokens)
    statement = (
        select(*columns, a.completion_tokens, a.error, a.text.label("output"))
        .add_columns(q.name, q.text, q.answers, func.coalesce(m.gold, q.gold).label("gold"), q.evidence_in)
        .join(t.questions, q.id == a.question)
        .outerjoin(t.mapped_golds, and_(m.run == a.run, m.question == a.question))
        .where(condition)
        .order_by(a.id)
    )
    rows = connection.execute(statement).mappings().all()
    if not rows:
        return []
    scores = _scores(connection, rows)
    by_id = {run.id: run for run in runs(connection, Filter(runs=tuple({row["run"] for row in rows})))}
    return [_instance(row, by_id[row["run"]], scores.get((row["run"], row["question"]), {})) for row in rows]


def _instance(row: RowMapping, run: StoredRun, scored: Scored) -> Instance:
    return Instance(
        answer=row["id"],
        run=run,
        question_id=row["question"],
        question=row["name"],
        language=row["language"],
        text=row["text"],
        golds=tuple(json.loads(row["answers"])),
        gold_passages=tuple(json.loads(row["gold"])),
        evidence_in=row["evidence_in"],
        output=row["output"],
        answer_language=row["answer_language"],
        passages=tuple((item[0], item[1], item[2]) for item in json.loads(row["passages"])),
        seconds=row["seconds"],
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
        error=row["error"],
        scores={name: value for name, (value, _) in scored.items()},
        reasons={name: reason for name, (_, reason) in scored.items() if reason},
    )


def _scores(connection: Connection, rows: Sequence[RowMapping]) -> dict[tuple[int, int], Scored]:
    """By run and question. Each column of the table's key is named, so that every row is looked up directly."""
    s = t.scores.c
    names = {row.id: row.name for row in connection.execute(select(t.metrics))}
    statement = select(s.run, s.question, s.metric, s.value, s.reason).where(
        s.metric.in_(sorted(names)),
        s.run.in_({row["run"] for row in rows}),
        s.language.in_({row["language"] for row in rows}),
        s.question.in_({row["question"] for row in rows}),
    )
    scores: dict[tuple[int, int], Scored] = {}
    for run, question, metric, value, reason in connection.execute(statement.order_by(s.metric)):
        scores.setdefault((run, question), {})[names[metric]] = (value, reason or "")
    return scores


NO_LABELS = "[]"
"""How an empty list of labels is stored."""


class SearchForm(GenericFunction[str]):
    """A column's text as it is searched in."""

    type = String()
    inherit_cache = True
    name = "search_form"


@compiles(SearchForm)
def _lower(form: SearchForm, compiler: SQLCompiler, **options: Any) -> str:
    return f"lower({compiler.process(form.clauses, **options)})"


@compiles(SearchForm, "sqlite")
def _registered(form: SearchForm, compiler: SQLCompiler, **options: Any) -> str:
    return f"search_form({compiler.process(form.clauses, **options)})"


def contains_text(text: str) -> list[ColumnElement[bool]]:
    """Answers whose question, golds or own text contain `text`; all answers where it is blank."""
    form = search_form(text)
    if not form:
        return []
    q, a = t.questions.c, t.answers.c
    in_question = or_(*(SearchForm(column).contains(form, autoescape=True) for column in (q.text, q.answers)))
    return [or_(a.question.in_(select(q.id).where(in_question)), SearchForm(a.text).contains(form, autoescape=True))]


def wrong_language() -> list[ColumnElement[bool]]:
    """Answers that are in another language than their question; those whose language was not detected are left out."""
    a = t.answers.c
    return [a.answer_language != "", a.answer_language != a.language]


def without_label() -> list[ColumnElement[bool]]:
    """Answers that nobody has labelled in any queue; one completed without a label counts as labelled."""
    i, places, labels = annotation_tables.items.c, annotation_tables.places.c, annotation_tables.labels.c
    person = (labels.queue, labels.number, labels.annotator, labels.showing, labels.part)
    latest = select(func.max(labels.id)).where(labels.undone.is_(None)).group_by(*person)
    labelled = select(labels.id).where(
        labels.queue == i.queue, labels.number == i.number, labels.id.in_(latest), labels.labels != NO_LABELS
    )
    complete = select(places.id).where(places.queue == i.queue, places.number == i.number, places.complete)
    r, q, a = t.runs.c, t.questions.c, t.answers.alias("labelled").c
    same_run = and_(r.experiment_id == i.experiment_id, r.number == i.run_number)
    same_question = and_(q.dataset == i.dataset, q.name == i.question_name, q.language == i.language)
    ids = (
        select(a.id)
        .join(t.runs, r.id == a.run)
        .join(t.questions, q.id == a.question)
        .join(annotation_tables.items, and_(same_run, same_question))
        .where(or_(labelled.exists(), complete.exists()))
    )
    return [t.answers.c.id.not_in(ids)]


def of_question_name(dataset: str, question: str) -> list[ColumnElement[bool]]:
    """Answers to a question of a dataset by its id there, in every language and every wording."""
    q, a = t.questions.c, t.answers.c
    return [a.question.in_(select(q.id).where(q.dataset == dataset, q.name == question))]


CHARACTERS = 6_000
"""Characters of an answer that are searched; marks in longer ones end there."""
GOLDS = 12
"""Golds that are searched for."""
MORE = 3
"""Units by which a match may be longer than its gold: a number with separators, a compound."""


def gold_spans(answer: str, golds: Sequence[str], code: str) -> tuple[tuple[int, int], ...]:
    """The (start, end) of each match of a gold in an answer to a question in the language `code`, end excluded.

    >>> gold_spans("It was Marconi.", ["Marconi"], "en")
    ((7, 14),)
    >>> gold_spans("a party", ["art"], "en")
    ()
    """
    if not is_known(code):
        return ()
    spoken, text = language(code), answer[:CHARACTERS]
    matches = {span for gold in golds[:GOLDS] for span in _matches(text, gold, spoken)}
    return tuple(sorted(matches))


def _matches(text: str, gold: str, spoken: Language) -> Iterator[tuple[int, int]]:
    if not _holds(text, gold, spoken):
        return
    units = [match.span() for match in UNIT.finditer(text)]
    size, after = len(UNIT.findall(gold)), 0
    for last, (_, end) in enumerate(units):
        # From the end backwards, so that nothing but the match is marked.
        for first in range(last, max(after, last - size - MORE + 1) - 1, -1):
            if _holds(text[units[first][0] : end], gold, spoken):
                yield units[first][0], end
                after = last + 1
                break


def _holds(text: str, gold: str, spoken: Language) -> bool:
    return flexible_em(text, [gold], language=spoken).value == 1.0
