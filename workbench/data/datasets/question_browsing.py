"""A dataset page by page: its questions in some languages, and those with the words of a search.

One question at a time is in memory besides the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core import BY_PAGE, Question, page_name
from workbench.data.corpora.word_search import WordSearch
from workbench.data.datasets.dataset_header import DatasetInfo
from workbench.data.datasets.dataset_library import DatasetLibrary

GOLD_LIMIT = 200
"""Gold passages of one question that are named."""


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """Some of the `total` questions, in the order of the dataset."""

    questions: Sequence[Question]
    total: int


def question_page(
    datasets: DatasetLibrary, name: str, *, language: str = "", search: str = "", start: int = 0, limit: int = 20
) -> QuestionPage:
    """Return the questions numbered `start` (from 0) to `start + limit` in a language ("": all, one after another).

    With a search, those that contain all of its words in their text, gold answers or id. Gold groups stay groups.
    Raises UsageError for an unknown dataset or language, DataError for damaged questions.
    """
    info = datasets.info(name)
    words = WordSearch(search)
    languages = [language] if language else list(info.languages)
    if words.words:
        return _matches(datasets, name, languages, words, start, limit)
    page: list[Question] = []
    total = 0
    for code in languages:
        # An unknown language is not among the counts, and reported by `each_question`.
        count = info.languages.get(code, limit)
        if len(page) < limit and start < total + count:
            for question in datasets.each_question(name, code, max(0, start - total)):
                page.append(question)
                if len(page) == limit:
                    break
        total += count
    return QuestionPage(page, total)


def gold_passages(info: DatasetInfo, question: Question, corpus_languages: Sequence[str]) -> Sequence[str]:
    """Return the ids of a question's gold passages, GOLD_LIMIT at most; of a group, those in the question's language.

    Where gold is by page, the names of its gold pages. Where the corpus does not have that language, a group's passages
    in its first language are named.
    """
    if info.gold_level == BY_PAGE:
        return [page_name(key) for key in question.gold[:GOLD_LIMIT]]
    if not info.aligned:
        return question.gold[:GOLD_LIMIT]
    languages = [question.language] if question.language in corpus_languages else list(corpus_languages[:1])
    return [f"{group}.{code}" for group in question.gold[:GOLD_LIMIT] for code in languages]


def in_every_language(datasets: DatasetLibrary, name: str, question_id: str) -> dict[str, Question]:
    """Return the question with an id in each language that has it, by language. Gold groups stay groups.

    Raises UsageError for an unknown dataset, DataError for damaged questions.
    """
    translations: dict[str, Question] = {}
    for code in datasets.info(name).languages:
        for question in datasets.each_question(name, code):
            if question.id == question_id:
                translations[code] = question
                break
    return translations


def _matches(
    datasets: DatasetLibrary, name: str, languages: Sequence[str], search: WordSearch, start: int, limit: int
) -> QuestionPage:
    page: list[Question] = []
    total = 0
    for code in languages:
        for question in datasets.each_question(name, code):
            if search.matches(question.id, question.text, *question.answers):
                if start <= total < start + limit:
                    page.append(question)
                total += 1
    return QuestionPage(page, total)
