"""Importing files: everything is read and checked first, then the corpus is built, then the dataset is written.

A failure leaves the workspace as it was; so does a kill, up to the moment between the two, in which the corpus is the
new one and the dataset the old one: importing again mends that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from workbench.corpora.build import Progress, quiet
from workbench.corpora.corpus_library import Library, checked_name
from workbench.corpora.manifest import CorpusManifest
from workbench.datasets.collection import Collection, none_left
from workbench.datasets.dataset_library import About, DatasetInfo, DatasetLibrary
from workbench.datasets.formats.squad import read_squad
from workbench.datasets.formats.table import Lost
from workbench.datasets.sampling import sample
from workbench.errors import UsageError
from workbench.records import Passage

SQUAD = "SQuAD-format files"


@dataclass(frozen=True, slots=True)
class Imported:
    """The dataset as it is now, the corpus where the source brought one, and what was left out, counted by reason."""

    corpus: CorpusManifest | None
    dataset: DatasetInfo
    left_out: Mapping[str, int]


def import_collection(
    corpora: Library,
    datasets: DatasetLibrary,
    collection: Collection,
    name: str,
    *,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = quiet,
) -> Imported:
    """Makes a dataset called `name`, and a corpus where the collection has passages.

    `limit` questions of each language are taken, chosen by `seed`; the corpus is always whole, since a smaller one is
    easier to search. A further language under the same name is added; the same language again is replaced.
    Raises UsageError or DataError, and then has changed nothing.
    """
    checked_name(name, "dataset")
    if name == "sample":
        raise UsageError("The name “sample” is the workbench's own. Choose another name, for example: --name mine")
    about = About(
        kind=collection.kind,
        parallel=collection.parallel,
        answers_in=collection.answers_in,
        source=collection.source,
        licence=collection.licence,
        description=f"A sample of {limit:,} questions by seed {seed}." if limit is not None else collection.description,
    )
    held_in = name if collection.passages else collection.corpus
    languages = collection.languages()
    datasets.check(name, about, aligned=collection.aligned, corpus=held_in, languages=languages)
    questions = sample(collection.questions, limit, seed, parallel=collection.parallel)
    if not questions and collection.passages is None:
        raise none_left(collection.title, collection.files, collection.left_out)
    manifest = _corpus(corpora, collection, name, progress) if collection.passages else None
    dataset = datasets.add(name, held_in, questions, aligned=collection.aligned, about=about)
    return Imported(manifest, dataset, {reason: count for reason, count in collection.left_out.items() if count})


def import_squad(
    corpora: Library,
    datasets: DatasetLibrary,
    paths: Sequence[Path],
    code: str,
    name: str,
    *,
    aligned: bool = False,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = quiet,
) -> Imported:
    """Makes a corpus and a dataset called `name` of SQuAD-format files in one language.

    Raises UsageError or DataError, and then has changed nothing.
    """
    checked_name(name, "corpus")
    datasets.check(name, About(kind="squad"), aligned=aligned)
    collection = squad_collection(paths, code, aligned=aligned)
    return import_collection(corpora, datasets, collection, name, limit=limit, seed=seed, progress=progress)


def squad_collection(paths: Sequence[Path], code: str, *, aligned: bool = False) -> Collection:
    """What SQuAD-format files in one language hold. Raises UsageError or DataError as `read_squad` does."""
    read = read_squad(paths, code, aligned=aligned)
    return Collection(
        "squad",
        SQUAD,
        tuple(path.name for path in paths),
        read.questions,
        licence="as the imported files",
        passages=lambda: iter(read.passages),
        aligned=aligned,
    )


def lost_from(corpora: Library, name: str) -> Lost:
    """What tells the passages that the corpus `name` does not have. Raises UsageError where there is no such corpus."""
    lexical = corpora.open(name).lexical
    return lambda ids: ids - set(lexical.rows_of(ids))


def _corpus(corpora: Library, collection: Collection, name: str, progress: Progress) -> CorpusManifest:
    """Builds the corpus, with the passages that one of the same name holds in other languages."""
    prefix = f"{collection.title}: "
    held = next((manifest for manifest in corpora.list() if manifest.name == name), None)
    if held and not held.source.startswith(prefix):
        raise UsageError(
            f"There is a corpus “{name}” already, made of other files ({held.source[:60]}). Choose another "
            f"name, for example: --name {name}-2"
        )
    others: Iterator[Passage] = iter(())
    if held:
        new = {passage.language for passage in _passages(collection)}
        others = (passage for passage in corpora.open(name).table if passage.language not in new)
    names = held.source.removeprefix(prefix).split(", ") if held else []
    source = prefix + ", ".join(dict.fromkeys([*names, *collection.files]))
    return corpora.add(
        name, chain(others, _passages(collection)), source=source, licence=collection.licence, progress=progress
    )


def _passages(collection: Collection) -> Iterator[Passage]:
    return collection.passages() if collection.passages else iter(())
