"""A corpus under another name: the datasets over it follow.

The corpus is renamed first, in one step, and remembers its former name, by which it can still be opened. A kill before
the datasets have followed thus leaves datasets that work; they follow at the next rename or import.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from workbench.data.corpora import sample
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.corpora.manifest import CorpusManifest
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.workspace import verb


@verb("corpora.rename", "{name}")
def rename_corpus(corpora: CorpusLibrary, datasets: DatasetLibrary, name: str, new: str) -> CorpusManifest:
    """Rename a corpus for all datasets over it. Raises as `CorpusLibrary.rename` does, and then nothing has changed."""
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
