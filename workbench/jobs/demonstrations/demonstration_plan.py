"""Which demonstrations a request asks for: its questions, without those of any evaluation, and pairs to translate.

Translation-following data after Ranaldi et al. (2025, CrossRAG), Appendix G: a text in a language, its English as the
answer. There it is news commentary; here it is what the workspace has in two languages, the questions of a parallel
dataset and the passages of an aligned corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from workbench.core import Question, UsageError, shorten, unknown_name
from workbench.data import Corpus, DatasetInfo, DatasetLibrary, sample_ids
from workbench.jobs.demonstrations.demonstration_store import (
    DemonstrationDraft,
    DemonstrationRequest,
    DemonstrationStore,
    SourcePassage,
)
from workbench.jobs.demonstrations.evaluation_split import SUFFIX, EvaluationQuestions, group_of, holdout_groups
from workbench.languages import ENGLISH, language
from workbench.metrics import em
from workbench.pipeline import make_recipe

MOST_DEMONSTRATED = 10_000
"""Questions of each language."""
MOST_DOCUMENTS = 20


@dataclass(frozen=True, slots=True)
class DemonstrationPlan:
    """What is to be written, and how many questions are left out: they are evaluated, or have no gold answer."""

    drafts: tuple[DemonstrationDraft, ...]
    evaluated: int = 0
    without_gold: int = 0

    @property
    def sentence(self) -> str:
        """What is left out, "" for nothing."""
        parts = ((self.evaluated, "are in an evaluation dataset"), (self.without_gold, "have no gold answer"))
        words = [f"{count:,} questions {why}" for count, why in parts if count]
        return f"Left out: {'; '.join(words)}." if words else ""


def evaluation_names(store: DemonstrationStore, library: DatasetLibrary) -> list[str]:
    """The evaluation datasets of every set: those that were named, and those of the questions held out."""
    present = {info.name for info in library.list()}
    names = [
        name
        for item in store.sets()
        for name in (*item.request.evaluation, *([f"{item.name}{SUFFIX}"] if item.request.holdout else []))
    ]
    return [name for name in dict.fromkeys(names) if name in present]


def check_request(request: DemonstrationRequest, info: DatasetInfo, corpus: Corpus) -> None:
    """Raises UsageError for a number, a language or a scope that is not allowed."""
    if not 1 <= request.per_language <= MOST_DEMONSTRATED:
        raise UsageError(
            f"{request.per_language:,} questions per language cannot be answered: type a number from 1 to "
            f"{MOST_DEMONSTRATED:,}."
        )
    for k in request.ks:
        if not 1 <= k <= MOST_DOCUMENTS:
            raise UsageError(f"{k:,} documents cannot be read: type a number from 1 to {MOST_DOCUMENTS}.")
    if not 0 <= request.holdout < 1:
        raise UsageError(f"The share {request.holdout:g} cannot be held out: type one below 1, for example: 0.2")
    for code in request.languages:
        if code not in info.languages:
            raise unknown_name(f"language of dataset “{info.name}”", code, info.languages)
    if request.kinds != ("translation",):
        for scope in request.scopes:
            recipe = make_recipe({"mode": "drag", "scope": scope})
            for code in request.languages or info.languages:
                recipe.searched(code, corpus.languages)


def planned(
    name: str, request: DemonstrationRequest, corpus: Corpus, library: DatasetLibrary, evaluation: list[str]
) -> DemonstrationPlan:
    """The demonstrations of a new set, numbered.

    Raises UsageError for a request that is not allowed, and where no question is left.
    """
    info = library.info(request.dataset)
    check_request(request, info, corpus)
    barred = EvaluationQuestions(library, evaluation).groups_in(info)
    if request.holdout:
        barred |= holdout_groups(library, info, request.holdout, request.seed)
    drafts: list[DemonstrationDraft] = []
    evaluated = without_gold = 0
    for code in request.languages or tuple(info.languages):
        questions = library.questions(info.name, code, corpus.languages)
        allowed = [item for item in questions if group_of(info, item) not in barred]
        usable = [item for item in allowed if item.answers and em("", item.answers, language=language(code)).scored]
        evaluated += len(questions) - len(allowed)
        if request.kinds == ("translation",):
            drafts += _translations(request, info, corpus, library, allowed)
        else:
            without_gold += len(allowed) - len(usable)
            drafts += _answers(request, info, usable)
    if not drafts:
        raise UsageError(
            f"No question of the dataset “{shorten(info.name)}” is left to demonstrate: {evaluated:,} are in an "
            f"evaluation dataset, and {without_gold:,} have no gold answer."
        )
    numbered = (
        replace(item, set_name=name, number=number, id=f"{name}-{number:05d}")
        for number, item in enumerate(drafts, start=1)
    )
    return DemonstrationPlan(tuple(numbered), evaluated, without_gold)


def _answers(
    request: DemonstrationRequest, info: DatasetInfo, questions: list[Question]
) -> Iterator[DemonstrationDraft]:
    """Each of the questions drawn, by the request's scopes, numbers of passages and kinds."""
    ids = sample_ids((item.id for item in questions), request.per_language, request.seed)
    for item in questions:
        if item.id in ids:
            for scope in request.scopes:
                for k in request.ks:
                    for kind in request.kinds:
                        group = group_of(info, item)
                        yield DemonstrationDraft(
                            "", 0, "", kind, info.name, group, item.language, item.text, item.answers, scope, k
                        )


def _translations(
    request: DemonstrationRequest, info: DatasetInfo, corpus: Corpus, library: DatasetLibrary, questions: list[Question]
) -> Iterator[DemonstrationDraft]:
    """Pairs of a text in a language and its English, drawn from questions and aligned passages; none for English."""
    code = questions[0].language if questions else ENGLISH
    if code == ENGLISH:
        return
    english: dict[str, str] = {}
    if info.parallel and ENGLISH in info.languages:
        english = {item.id: item.text for item in library.each_question(info.name, ENGLISH)}
    of_questions = {f"question {item.id}": item for item in questions if item.id in english}
    rows, in_english = (_rows_by_group(corpus, each) for each in (code, ENGLISH))
    of_passages = {f"passage {group}": group for group in rows if group in in_english}
    ids = sample_ids([*of_questions, *of_passages], request.per_language, request.seed)
    for key, item in of_questions.items():
        if key in ids:
            group = group_of(info, item)
            yield _translation(info.name, group, code, item.text, english[item.id], ())
    licence, source = corpus.manifest.licence, corpus.manifest.source
    for key, group in of_passages.items():
        if key in ids:
            passage, other = corpus.table.passages([rows[group], in_english[group]])
            read = SourcePassage(passage.id, passage.title, code, passage.text, licence, source)
            yield _translation(info.name, group, code, passage.text, other.text, (read,))


def _rows_by_group(corpus: Corpus, code: str) -> dict[str, int]:
    """The rows of a language's passages that the corpus has in other languages, by their group."""
    rows, _ = corpus.table.rows_where(language=code, limit=corpus.table.size)
    groups = corpus.table.values(rows, ["group"])
    return {group: row for row, (group,) in zip(rows, groups, strict=True) if group}


def _translation(
    dataset: str, group: str, code: str, text: str, english: str, passages: tuple[SourcePassage, ...]
) -> DemonstrationDraft:
    """A pair, which nobody has to write."""
    return DemonstrationDraft(
        "", 0, "", "translation", dataset, group, code, text, (english,),
        passages=passages, status="draft", text=english, written_text=english,
    )  # fmt: skip
