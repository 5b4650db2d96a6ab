"""Which questions may not be demonstrated: those of evaluation datasets, with their translations.

A question is known by its text in its language, or by its id where two datasets share their ids: those of one parallel
format, or of one file. All translations of a question go with it. Source: Ranaldi et
al. (2025, D-RAG), Appendix C: the demonstrations are of questions that are not in the evaluation set.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from workbench.core import Question, UsageError
from workbench.data import DatasetInfo, DatasetLibrary, DatasetMetadata, sample_ids
from workbench.languages import fold, words

NUMBERED = ("table", "written")
"""The formats whose ids are numbers of rows, the same in every file."""
SUFFIX = "-evaluation"
"""What the name of a dataset of held-out questions adds to its set's."""


def group_of(info: DatasetInfo, question: Question) -> str:
    """What a question and its translations have in common: the id, with the language where that says nothing."""
    return question.id if info.parallel or info.aligned else f"{question.language}:{question.id}"


def all_questions(library: DatasetLibrary, info: DatasetInfo) -> Iterable[Question]:
    """The questions of a dataset in all of its languages, one in memory at a time."""
    for code in info.languages:
        yield from library.each_question(info.name, code)


@dataclass
class EvaluationQuestions:
    """The questions of some evaluation datasets. Raises UsageError for a name that no dataset has."""

    library: DatasetLibrary
    names: Iterable[str]
    _by_text: dict[tuple[str, str], str] = field(default_factory=dict, init=False)
    _by_id: dict[str, dict[str, str]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Reads them."""
        for name in dict.fromkeys(self.names):
            info = self.library.info(name)
            ids = self._by_id.setdefault(_ids(info), {})
            for question in all_questions(self.library, info):
                self._by_text.setdefault(_text(question.text, question.language), name)
                ids.setdefault(group_of(info, question), name)

    def dataset_with(self, dataset: str, group: str, language: str, text: str) -> str:
        """The evaluation dataset that has a question of `dataset`, "" where none has it.

        Where this workspace lacks `dataset`, its ids may be those of any.
        """
        known = next((info for info in self.library.list() if info.name == dataset), None)
        spaces = self._by_id.values() if known is None else [self._by_id.get(_ids(known), {})]
        by_id = next((ids[group] for ids in spaces if group in ids), "")
        return self._by_text.get(_text(text, language), by_id)

    def groups_in(self, info: DatasetInfo) -> frozenset[str]:
        """The groups of a dataset of which a question, in any language, is here."""
        known = self._by_id.get(_ids(info), {})
        questions = all_questions(self.library, info) if self._by_text else ()
        return frozenset(
            group
            for question in questions
            if (group := group_of(info, question)) in known or _text(question.text, question.language) in self._by_text
        )


def holdout_groups(library: DatasetLibrary, info: DatasetInfo, share: float, seed: int) -> frozenset[str]:
    """The groups of a dataset that a share and a seed hold out. Raises UsageError where that is none or all of them."""
    groups = {group_of(info, question) for question in all_questions(library, info)}
    holdout = sample_ids(groups, round(share * len(groups)), seed)
    if not 0 < len(holdout) < len(groups):
        raise UsageError(
            f"{share:g} of {len(groups):,} questions of the dataset “{info.name}” is {len(holdout):,}: type a share "
            "that leaves some on both sides, for example: --held-out 0.2"
        )
    return holdout


def add_evaluation(library: DatasetLibrary, info: DatasetInfo, name: str, groups: frozenset[str]) -> None:
    """Makes groups of a dataset the dataset `name`, in all languages; nothing is done where it has these questions.

    Raises UsageError where it has others.
    """
    evaluation = [question for question in all_questions(library, info) if group_of(info, question) in groups]
    present = next((item for item in library.list() if item.name == name), None)
    if present is None:
        values = {key: getattr(info, key) for key in DatasetMetadata.__dataclass_fields__}
        values["description"] = f"Held out of {info.name}. {info.description}".strip()
        library.add(name, info.corpus, evaluation, aligned=info.aligned, metadata=DatasetMetadata(**values))
    elif set(all_questions(library, present)) != set(evaluation):
        raise UsageError(
            f"There is a dataset “{name}” already, of other questions. Choose another name for the demonstrations, for "
            f"example: {name.removesuffix(SUFFIX)[:50]}-2"
        )


def _ids(info: DatasetInfo) -> str:
    """What datasets with the same ids for the same questions have in common."""
    is_shared = info.parallel and info.kind not in NUMBERED
    return info.kind if is_shared else f"{info.kind}:{info.source}"


def _text(text: str, language: str) -> tuple[str, str]:
    return language, " ".join(words(fold(text)))
