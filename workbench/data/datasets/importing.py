"""Importing files, renaming corpora under the datasets over them, and samples of a dataset.

An import reads and checks everything first, then builds the corpus, then writes the dataset. Questions in a language
that the dataset already has replace those or are added to them, as the caller decides; without a decision nothing is
imported. A failure leaves the workspace as it was. So does a kill, except between the last two steps, when the corpus
is new and the dataset old, as after a failure there where the corpus was replaced: importing again repairs that.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

import regex

from workbench.core import Passage, Question, UsageError
from workbench.data.corpora import sample
from workbench.data.corpora.build import CorpusManifest, Progress, quiet
from workbench.data.corpora.corpus_library import CorpusLibrary, checked_name
from workbench.data.datasets.dataset_format import Collection, UniqueIds, no_questions
from workbench.data.datasets.dataset_library import DatasetInfo, DatasetLibrary, DatasetMetadata
from workbench.data.datasets.formats.table import ROW_ID
from workbench.workspace import verb


@verb("corpora.rename", "{name}")
def rename_corpus(corpora: CorpusLibrary, datasets: DatasetLibrary, name: str, new: str) -> CorpusManifest:
    """Rename a corpus for all datasets over it. Raises as `CorpusLibrary.rename` does, and then nothing has changed.

    The corpus is renamed first, in one step, and remembers its former name, by which it can still be opened. A kill
    before the datasets have followed thus leaves datasets that work; they follow at the next rename or import.
    """
    settle_names(corpora, datasets)
    with ExitStack() as stack:
        # Datasets before corpora, each in order of name, as all who take several locks do.
        for dataset in datasets_over(datasets, name):
            stack.enter_context(datasets.changing(dataset))
        manifest = corpora.rename(name, new)
        datasets.follow(name, new)
    return manifest


def settle_names(corpora: CorpusLibrary, datasets: DatasetLibrary) -> None:
    """Let datasets follow a corpus that was renamed when a kill came before they did."""
    for corpus in sorted({info.corpus for info in datasets.list() if info.corpus}):
        present = corpora.present_name(corpus)
        if present != corpus:
            datasets.follow(corpus, present)


def datasets_over(datasets: DatasetLibrary, corpus: str) -> Sequence[str]:
    """Return the names of the imported datasets over a corpus, in order."""
    return sorted(info.name for info in datasets.list() if info.corpus == corpus and info.name != sample.SAMPLE)


def sample_questions(
    questions: Sequence[Question], limit: int | None, seed: int, *, parallel: bool
) -> tuple[Question, ...]:
    """Return at most `limit` questions of each language, in their order, or all of them if `limit` is None.

    If `parallel`, `limit` ids are taken, each in every language that has it. If enough ids are in all languages, only
    those are taken. Raises UsageError for a limit below 1.
    """
    if limit is None:
        return tuple(questions)
    if limit < 1:
        raise UsageError(f"A sample of {limit} questions cannot be taken. Allowed: 1 or more. For example: 100")
    ids: dict[str, list[str]] = defaultdict(list)
    for question in questions:
        ids[question.language].append(question.id)
    if parallel:
        shared_ids = set.intersection(*map(set, ids.values())) if ids else set()
        all_ids = {name for names in ids.values() for name in names}
        sampled = sample_ids(shared_ids if len(shared_ids) >= limit else all_ids, limit, seed)
        return tuple(question for question in questions if question.id in sampled)
    by_language = {language: sample_ids(names, limit, seed) for language, names in ids.items()}
    return tuple(question for question in questions if question.id in by_language[question.language])


def sample_ids(ids: Iterable[str], limit: int, seed: int) -> frozenset[str]:
    """Return the first `limit` of `ids` in the order that `seed` gives them, whatever the order of the file.

    Ids are ordered by SHA-256 over the seed and the id. A sample of 50 is thus part of the sample of 100, and a
    parallel dataset gives the same ids in every language, even when languages are added one by one.
    """
    return frozenset(sorted(ids, key=lambda name: hashlib.sha256(f"{seed}\n{name}".encode()).digest())[:limit])


ROW_NUMBER = regex.compile("row([0-9]{6,9})")

Existing = Literal["replace", "add", ""]
"""What becomes of the questions that a dataset already has in a language of the files: `replace` them, `add` the new
ones to them, or "" for no decision."""


class ExistingQuestions(UsageError):
    """A dataset already has questions in a language of the files, and nobody decided what becomes of them."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The dataset after an import, the corpus if there is one, and the number of questions left out by reason.

    `warnings`: a sentence for each thing in the files that may not be meant so.
    """

    corpus: CorpusManifest | None
    dataset: DatasetInfo
    left_out: Mapping[str, int]
    warnings: Sequence[str] = ()


# Where the questions are refused, the corpus that came with them goes again.
@verb("datasets.add", "{name}", allows=["corpora.delete"])
def import_collection(
    corpora: CorpusLibrary,
    datasets: DatasetLibrary,
    collection: Collection,
    name: str,
    *,
    limit: int | None = None,
    seed: int = 0,
    existing: Existing = "",
    progress: Progress = quiet,
) -> ImportResult:
    """Write a dataset called `name`, and a corpus if the collection has passages.

    `limit` questions of each language are taken, sampled by `seed`; the corpus is always complete, since a smaller one
    is easier to search. A new language under the same name is added; `existing` decides about one that is there.
    Raises ExistingQuestions where it does not, UsageError or DataError, and then nothing has changed.
    """
    checked_name(name, "dataset")
    if name == "sample":
        raise UsageError("The name “sample” is the workbench's own. Choose another name, for example: mine")
    metadata = DatasetMetadata(
        kind=collection.kind,
        parallel=collection.parallel,
        answers_in=collection.answers_in,
        gold_level=collection.gold_level,
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
    if collection.passages:
        settle_names(corpora, datasets)  # before a corpus takes the former name of another
    # What is there under this name is read and written while nobody else changes it.
    with datasets.changing(name), corpora.changing(name):
        datasets.check(name, metadata, aligned=collection.aligned, corpus=corpus_name, languages=languages)
        if shared := _shared_languages(datasets, name, collection, existing):
            questions = _with_existing(datasets, name, questions, shared, numbered=collection.numbered)
        is_new = all(item.name != name for item in corpora.list())
        manifest = _corpus(corpora, collection, name, progress) if collection.passages else None
        try:
            dataset = datasets.add(
                name, corpus_name, questions, aligned=collection.aligned, metadata=metadata, extends=bool(shared)
            )
        except BaseException:
            if manifest is not None and is_new:
                corpora.remove(name)
            raise
    left_out = {reason: count for reason, count in collection.left_out.items() if count}
    return ImportResult(manifest, dataset, left_out, collection.warnings)


def _shared_languages(datasets: DatasetLibrary, name: str, collection: Collection, existing: Existing) -> Sequence[str]:
    """The languages in which questions are added to those that are there; () where they replace them."""
    previous = next((info.languages for info in datasets.list() if info.name == name), {})
    shared = sorted(set(previous) & set(collection.languages()))
    if not shared or existing == "replace":
        return ()
    counts = ", ".join(f"{previous[code]:,} in {code}" for code in shared)
    if not existing:
        raise ExistingQuestions(
            f"The dataset “{name}” already has questions in a language of these files ({counts}): replace those, or "
            "add the new ones to them?",
            command="Type --replace or --add",
        )
    if collection.passages:
        raise UsageError(
            f"The dataset “{name}” already has passages in a language of these files ({counts} questions), and "
            "passages cannot be added to those of the same language. Replace them by importing all files of the "
            f"language at once, or choose another name, for example: {name}-2"
        )
    return shared


def _with_existing(
    datasets: DatasetLibrary, name: str, questions: Sequence[Question], shared: Sequence[str], *, numbered: bool
) -> tuple[Question, ...]:
    """The questions after those that are there in the `shared` languages. Raises DataError for an id in both.

    `numbered` ids are the numbers of rows, which are continued.
    """
    ids, merged = UniqueIds("question id"), []
    last = dict.fromkeys(shared, 0)
    for language in shared:
        for question in datasets.each_question(name, language):
            ids.add(question.id, f"the dataset “{name}”", language=language)
            match = ROW_NUMBER.fullmatch(question.id)
            last[language] = max(last[language], int(match.group(1)) if match else 0)
            merged.append(question)
    for question in questions:
        match = ROW_NUMBER.fullmatch(question.id) if numbered and question.language in last else None
        if match:
            question = replace(question, id=ROW_ID.format(int(match.group(1)) + last[question.language]))
        ids.add(question.id, "the files", language=question.language)
        merged.append(question)
    return tuple(merged)


def _corpus(corpora: CorpusLibrary, collection: Collection, name: str, progress: Progress) -> CorpusManifest:
    """Build the corpus, keeping the passages of a corpus of that name in other languages."""
    prefix = f"{collection.title}: "
    previous = next((manifest for manifest in corpora.list() if manifest.name == name), None)
    if previous and not previous.source.startswith(prefix):
        raise UsageError(
            f"A corpus “{name}” already exists, built from other files ({previous.source[:60]}). Choose another "
            f"name, for example: {name}-2"
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
