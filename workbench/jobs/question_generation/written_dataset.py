"""The questions of a set that people accepted, as a dataset: each with the passage that it was written from as gold."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core import DataError, Question, UsageError
from workbench.data import Corpus, DatasetInfo, DatasetLibrary, DatasetMetadata
from workbench.jobs.question_generation.draft_store import DraftStore, WritingRequest
from workbench.jobs.review_store import COUNTED, DraftSet
from workbench.workspace import verb

KIND = "written"


@dataclass(frozen=True, slots=True)
class WrittenDataset:
    """The dataset, and how many accepted questions were left out because the corpus no longer has their passage."""

    dataset: DatasetInfo
    without_passage: int = 0


def check_name_free(datasets: DatasetLibrary, name: str) -> None:
    """Raises UsageError where `name` is that of a dataset that was not written here, which would be overwritten."""
    if any(info.name == name and info.kind != KIND for info in datasets.list()) or name in datasets.damaged():
        raise UsageError(
            f"There is a dataset “{name}” already, from elsewhere. Choose another name, for example: "
            f"{name[:55]}-written"
        )


# The dataset that these questions made before goes, where they are in fewer languages now.
@verb("datasets.add", "{draft_set.name}", allows=["datasets.delete"])
def create_dataset(
    store: DraftStore, draft_set: DraftSet[WritingRequest], corpus: Corpus, datasets: DatasetLibrary
) -> WrittenDataset:
    """Writes the accepted questions as the dataset of the set's name; one that was written from it before is replaced.

    Raises UsageError where nothing is accepted or the name is that of another dataset, DataError where the corpus has
    none of the passages any more.
    """
    name = draft_set.name
    check_name_free(datasets, name)
    accepted = store.drafts(name, COUNTED)
    if not accepted:
        raise UsageError(f"No question of the set “{name}” is accepted yet: review its drafts first.")
    rows = corpus.lexical.rows_of([item.passage for item in accepted])
    questions = [
        Question(f"{name}-{item.number:04d}", item.question, item.language, (item.answer,), (item.passage,))
        for item in accepted
        if item.passage in rows
    ]
    if not questions:
        raise DataError(
            f"The corpus “{corpus.manifest.name}” has none of the passages any more that the set “{name}” was written "
            "from: add its documents again."
        )
    reviewers = ", ".join(sorted({item.reviewer for item in accepted}))
    metadata = DatasetMetadata(
        kind=KIND,
        source=f"Written by {draft_set.request.generator} from the corpus {corpus.manifest.name}",
        licence=corpus.manifest.licence,
        description=f"Reviewed by {reviewers}.",
    )
    with datasets.changing(name):
        languages = {item.language for item in questions}
        if any(info.name == name and set(info.languages) - languages for info in datasets.list()):
            # Adding replaces languages; one without an accepted question would stay.
            datasets.remove(name)
        dataset = datasets.add(name, corpus.manifest.name, questions, aligned=False, metadata=metadata)
    return WrittenDataset(dataset, len(accepted) - len(questions))
