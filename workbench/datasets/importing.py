"""Importing files: everything is read and checked first, then the corpus is built, then the dataset is written.

A failure leaves the workspace as it was. So does a kill, except between the last two steps, when the corpus is new and
the dataset old: importing again repairs that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from workbench.corpora.build import Progress, quiet
from workbench.corpora.corpus_library import CorpusLibrary, checked_name
from workbench.corpora.manifest import CorpusManifest
from workbench.datasets.collection import Collection, no_questions
from workbench.datasets.dataset_library import DatasetInfo, DatasetLibrary, DatasetMetadata
from workbench.datasets.formats.squad import read_squad
from workbench.datasets.formats.table import PassageCheck
from workbench.datasets.sampling import sample_questions
from workbench.errors import UsageError
from workbench.records import Passage

SQUAD = "SQuAD-format files"


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The dataset after an import, the corpus if there is one, and the number of questions left out by reason."""

    corpus: CorpusManifest | None
    dataset: DatasetInfo
    left_out: Mapping[str, int]


def import_collection(
    corpora: CorpusLibrary,
    datasets: DatasetLibrary,
    collection: Collection,
    name: str,
    *,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = quiet,
) -> ImportResult:
    """Write a dataset called `name`, and a corpus if the collection has passages.

    `limit` questions of each language are taken, sampled by `seed`; the corpus is always complete, since a smaller one
    is easier to search. A new language under the same name is added; a language that is there already is replaced.
    Raises UsageError or DataError, and then nothing has changed.
    """
    checked_name(name, "dataset")
    if name == "sample":
        raise UsageError("The name “sample” is the workbench's own. Choose another name, for example: --name mine")
    metadata = DatasetMetadata(
        kind=collection.kind,
        parallel=collection.parallel,
        answers_in=collection.answers_in,
        source=collection.source,
        licence=collection.licence,
        description=f"A sample of {limit:,} questions by seed {seed}." if limit is not None else collection.description,
    )
    corpus_name = name if collection.passages else collection.corpus
    languages = collection.languages()
    datasets.check(name, metadata, aligned=collection.aligned, corpus=corpus_name, languages=languages)
    questions = sample_questions(collection.questions, limit, seed, parallel=collection.parallel)
    if not questions and collection.passages is None:
        raise no_questions(collection.title, collection.files, collection.left_out)
    # What is there under this name is read and written while nobody else changes it.
    with datasets.changing(name), corpora.changing(name):
        datasets.check(name, metadata, aligned=collection.aligned, corpus=corpus_name, languages=languages)
        manifest = _corpus(corpora, collection, name, progress) if collection.passages else None
        dataset = datasets.add(name, corpus_name, questions, aligned=collection.aligned, metadata=metadata)
    return ImportResult(manifest, dataset, {reason: count for reason, count in collection.left_out.items() if count})


def import_squad(
    corpora: CorpusLibrary,
    datasets: DatasetLibrary,
    paths: Sequence[Path],
    language: str,
    name: str,
    *,
    aligned: bool = False,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = quiet,
) -> ImportResult:
    """Write a corpus and a dataset called `name` from SQuAD-format files in one language.

    Raises UsageError or DataError, and then nothing has changed.
    """
    checked_name(name, "corpus")
    datasets.check(name, DatasetMetadata(kind="squad"), aligned=aligned)
    collection = squad_collection(paths, language, aligned=aligned)
    return import_collection(corpora, datasets, collection, name, limit=limit, seed=seed, progress=progress)


def squad_collection(paths: Sequence[Path], language: str, *, aligned: bool = False) -> Collection:
    """Return the content of SQuAD-format files in one language. Raises UsageError or DataError as `read_squad` does."""
    content = read_squad(paths, language, aligned=aligned)
    return Collection(
        "squad",
        SQUAD,
        tuple(path.name for path in paths),
        content.questions,
        licence="as the imported files",
        passages=lambda: iter(content.passages),
        aligned=aligned,
    )


def passages_missing_from(corpora: CorpusLibrary, name: str) -> PassageCheck:
    """Return a check for ids that are not in the corpus `name`. Raises UsageError if there is no such corpus."""
    lexical = corpora.open(name).lexical
    return lambda ids: ids - set(lexical.rows_of(ids))


def _corpus(corpora: CorpusLibrary, collection: Collection, name: str, progress: Progress) -> CorpusManifest:
    """Build the corpus, keeping the passages of a corpus of that name in other languages."""
    prefix = f"{collection.title}: "
    previous = next((manifest for manifest in corpora.list() if manifest.name == name), None)
    if previous and not previous.source.startswith(prefix):
        raise UsageError(
            f"A corpus “{name}” already exists, built from other files ({previous.source[:60]}). Choose another "
            f"name, for example: --name {name}-2"
        )
    others: Iterator[Passage] = iter(())
    if previous:
        languages = {passage.language for passage in _passages(collection)}
        others = (passage for passage in corpora.open(name).table if passage.language not in languages)
    names = previous.source.removeprefix(prefix).split(", ") if previous else []
    source = prefix + ", ".join(dict.fromkeys([*names, *collection.files]))
    return corpora.add(
        name, chain(others, _passages(collection)), source=source, licence=collection.licence, progress=progress
    )


def _passages(collection: Collection) -> Iterator[Passage]:
    return collection.passages() if collection.passages else iter(())
