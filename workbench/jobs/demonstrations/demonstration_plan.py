"""Which demonstrations a request asks for, and which questions must not be demonstrated since they are evaluated.

An evaluated question is known by its text, or by its id where two datasets share their ids: those of
one parallel format, or of one file. All translations of a question go with it. Source: Ranaldi et al. (2025, D-RAG),
Appendix C: the demonstrations are of questions that are not in the evaluation set.

Translation-following data after Ranaldi et al. (2025, CrossRAG), Appendix G: a text in a language, its English as the
answer. There it is news commentary; here it is what the workspace has in two languages, the questions of a parallel
dataset and the passages of an aligned corpus.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.core import Question, UsageError, shorten
from workbench.data import Corpus, DatasetInfo, DatasetLibrary, DatasetMetadata, sample_ids
from workbench.jobs.demonstrations.demonstration_store import (
    DemonstrationDraft,
    DemonstrationRequest,
    SourcePassage,
)
from workbench.jobs.review_store import ReviewStore
from workbench.languages import ENGLISH, fold, language, words
from workbench.metrics import em
from workbench.pipeline import Recipe, make_recipe

MOST_DEMONSTRATED = 10_000
"""Questions of each language."""
NUMBERED = ("table", "written")
"""The formats whose ids are numbers of rows, the same in every file."""
SUFFIX = "-evaluation"
"""What the name of a dataset of held-out questions adds to its set's."""
RAG_PROMPT = "answer-from-evidence-en"
"""Table 5, in our own words."""


def group_of(info: DatasetInfo, question: Question) -> str:
    """What a question and its translations have in common: the id, with the language where that says nothing."""
    return question.id if info.parallel or info.aligned else f"{question.language}:{question.id}"


def all_questions(library: DatasetLibrary, info: DatasetInfo) -> Iterable[Question]:
    """The questions of a dataset in all of its languages, one in memory at a time."""
    return (question for code in info.languages for question in library.each_question(info.name, code))


class EvaluationQuestions:
    """The questions of some evaluation datasets."""

    def __init__(self, library: DatasetLibrary, names: Iterable[str]) -> None:
        """Reads them. Raises UsageError for a name that no dataset has."""
        self._library = library
        self._datasets: dict[tuple[str, str], str] = {}
        for info in map(library.info, dict.fromkeys(names)):
            for question in all_questions(library, info):
                group = group_of(info, question)
                # Under "" is what may be the id of a question of a dataset that is not here.
                for key in (_text(question.text), (_ids(info), group), ("", group)):
                    self._datasets.setdefault(key, info.name)

    def dataset_with(self, dataset: str, group: str, text: str) -> str:
        """The evaluation dataset that has a question of `dataset`, itself or in translation; "" where none has it."""
        info = next((item for item in self._library.list() if item.name == dataset), None)
        by_id = self._datasets.get((_ids(info) if info else "", group), "")
        return self._datasets.get(_text(text), by_id)

    def groups_in(self, info: DatasetInfo) -> set[str]:
        """The groups of a dataset of which a question, in any language, is here."""
        return {
            group
            for question in all_questions(self._library, info)
            if (_ids(info), group := group_of(info, question)) in self._datasets
            or _text(question.text) in self._datasets
        }


def _ids(info: DatasetInfo) -> str:
    """What datasets with the same ids for the same questions have in common."""
    is_shared = info.parallel and info.kind not in NUMBERED
    return f"ids {info.kind}" if is_shared else f"ids {info.kind}:{info.source}"


def _text(text: str) -> tuple[str, str]:
    return "text", " ".join(words(fold(text))) or text


def evaluation_names(store: ReviewStore[Any, DemonstrationRequest], library: DatasetLibrary) -> list[str]:
    """The datasets that are kept for evaluation: by their own mark, or as the sample, which has none, by a set's."""
    names = {name for item in store.sets() for name in item.request.evaluation}
    return [info.name for info in library.list() if info.evaluation or info.name in names]


def holdout_groups(library: DatasetLibrary, info: DatasetInfo, request: DemonstrationRequest) -> frozenset[str]:
    """The groups of a dataset that a request holds out. Raises UsageError where that is none or all of them."""
    groups = {group_of(info, question) for question in all_questions(library, info)}
    holdout = sample_ids(groups, max(0, round(request.holdout * len(groups))), request.seed)
    if not 0 < len(holdout) < len(groups):
        raise UsageError(
            f"A share of {request.holdout:g} of the {len(groups):,} questions of the dataset “{info.name}” does not "
            "leave some on both sides: type another, for example: --held-out 0.2"
        )
    return holdout


def add_evaluation(library: DatasetLibrary, info: DatasetInfo, name: str, groups: Collection[str]) -> None:
    """Makes groups of a dataset the dataset `name`, in all languages; nothing is done where it has these questions.

    Raises UsageError where it has others.
    """
    evaluation = [question for question in all_questions(library, info) if group_of(info, question) in groups]
    present = next((item for item in library.list() if item.name == name), None)
    if present is None:
        values = {key: getattr(info, key) for key in DatasetMetadata.__dataclass_fields__}
        values["description"] = f"Held out of {info.name}. {info.description}".strip()
        values["evaluation"] = True
        library.add(name, info.corpus, evaluation, aligned=info.aligned, metadata=DatasetMetadata(**values))
    elif set(all_questions(library, present)) != set(evaluation):
        raise UsageError(
            f"There is a dataset “{name}” already, of other questions. Choose another name for the demonstrations, for "
            f"example: {name.removesuffix(SUFFIX)[:50]}-2"
        )
    else:
        library.keep_for_evaluation(name)


def recipe_for(request: DemonstrationRequest, corpus: str, kind: str, scope: str, k: int) -> Recipe:
    """The recipe that answers a question: D-RAG's, or for the control plain RAG's. Raises UsageError."""
    rag = {"mode": "multirag", "prompt": RAG_PROMPT, "user_turn": "en", "max_new_tokens": 2048}
    choices = {"corpus": corpus, "generator": request.generator, "scope": scope, "k": k}
    return make_recipe({**choices, **(rag if kind == "rag" else {"mode": "drag"})})


def planned(
    name: str, request: DemonstrationRequest, corpus: Corpus, library: DatasetLibrary, evaluation: Iterable[str]
) -> tuple[list[DemonstrationDraft], Mapping[str, int]]:
    """The demonstrations of a new set, numbered, and how many questions are left out for which reason.

    Raises UsageError for a request that is not allowed, and where no question is left.
    """
    info = library.info(request.dataset)
    codes = request.languages or tuple(info.languages)
    if not 1 <= request.per_language <= MOST_DEMONSTRATED:
        raise UsageError(
            f"{request.per_language:,} questions per language cannot be answered: type a number from 1 to "
            f"{MOST_DEMONSTRATED:,}."
        )
    barred = EvaluationQuestions(library, evaluation).groups_in(info)
    if request.holdout:
        barred |= holdout_groups(library, info, request)
    drafts: list[DemonstrationDraft] = []
    evaluated = without_gold = 0
    for code in codes:
        questions = library.questions(info.name, code, corpus.languages)
        allowed = [item for item in questions if group_of(info, item) not in barred]
        evaluated += len(questions) - len(allowed)
        if "translation" in request.kinds:
            drafts += _translations(request, info, corpus, library, code, allowed)
        if not (kinds := [kind for kind in request.kinds if kind != "translation"]):
            continue
        searches = [(scope, k) for scope in request.scopes for k in request.ks]
        for scope, k in searches:
            recipe_for(request, corpus.manifest.name, "drag", scope, k).searched(code, corpus.languages)
        usable = [item for item in allowed if em("", item.answers, language=language(code)).scored]
        without_gold += len(allowed) - len(usable)
        ids = sample_ids((item.id for item in usable), request.per_language, request.seed)
        drafts += [
            DemonstrationDraft(
                "", 0, "", kind, info.name, group_of(info, item), code, item.text, item.answers, scope, k
            )
            for item in usable
            if item.id in ids
            for scope, k in searches
            for kind in kinds
        ]
    if not drafts:
        raise UsageError(
            f"No question of the dataset “{shorten(info.name)}” is left to demonstrate: {evaluated:,} are in an "
            f"evaluation dataset, and {without_gold:,} have no gold answer."
        )
    numbered = [
        replace(item, set_name=name, number=number, id=f"{name}-{number:05d}")
        for number, item in enumerate(drafts, start=1)
    ]
    return numbered, {"in an evaluation dataset": evaluated, "without a gold answer": without_gold}


def _translations(
    request: DemonstrationRequest,
    info: DatasetInfo,
    corpus: Corpus,
    library: DatasetLibrary,
    code: str,
    questions: Sequence[Question],
) -> Iterator[DemonstrationDraft]:
    """Pairs of a text in a language and its English, drawn from questions and aligned passages; none for English."""
    if code == ENGLISH:
        return
    is_parallel = info.parallel and ENGLISH in info.languages
    english = {item.id: item.text for item in library.each_question(info.name, ENGLISH)} if is_parallel else {}
    of_questions = {f"question {item.id}": item for item in questions if item.id in english}
    rows, in_english = (_rows_by_group(corpus, each) for each in (code, ENGLISH))
    of_passages = {f"passage {group}": group for group in rows if group in in_english}
    ids = sample_ids([*of_questions, *of_passages], request.per_language, request.seed)

    def pair(group: str, text: str, other: str, *passages: SourcePassage) -> DemonstrationDraft:
        return DemonstrationDraft(
            "", 0, "", "translation", info.name, group, code, text, (other,),
            passages=passages, status="draft", text=other, written_text=other,
        )  # fmt: skip

    for key, item in of_questions.items():
        if key in ids:
            yield pair(group_of(info, item), item.text, english[item.id])
    licence, source = corpus.manifest.licence, corpus.manifest.source
    for key, group in of_passages.items():
        if key in ids:
            passage, other = corpus.table.passages([rows[group], in_english[group]])
            read = SourcePassage(passage.id, passage.title, code, passage.text, licence, source)
            yield pair(group, passage.text, other.text, read)


def _rows_by_group(corpus: Corpus, code: str) -> dict[str, int]:
    """The rows of a language's passages that the corpus has in other languages, by their group."""
    rows, _ = corpus.table.rows_where(language=code, limit=corpus.table.size)
    groups = corpus.table.values(rows, ["group"])
    return {group: row for row, (group,) in zip(rows, groups, strict=True) if group}
