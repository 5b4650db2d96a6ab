"""Which cells are listed, beyond a filter: those that contain a text, in the wrong language, without a label; one cell.

Texts are searched in any script, whatever case and marks they are written in. SQLite's own LIKE folds ASCII letters
only; its connections know `search_form`, the form that texts are indexed in (see `workspace.database`). Other databases
fold case themselves.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, String, and_, func, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction

from workbench.languages import search_form
from workbench.workspace import annotation_tables, result_tables as t

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
