"""What takes long and always comes to the same is done once in each process of a test run, whatever tests need it.

That is three things: the states of e5-small, which are the same to the last bit whatever else is encoded with a text;
what the word gloss learns from the same sentences; and the sample, which a workspace without it gets as hard links.
`work_done_anew` takes tests of these three back to the real work. Processes that a test starts do the real work, too.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest

from workbench.app.workbench import Workbench
from workbench.data.corpora import sample
from workbench.data.corpora.build import CorpusManifest, Progress, read_manifest
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.models.translation.word_gloss import Gloss
from workbench.retrieval.encoders.e5_small_encoder import Bert, Matrix, Numbers
from workbench.workspace import settings

MOST_BYTES = 300_000_000
"""Of states that are kept: nearly all of the sample's."""

States = Callable[[Bert, Sequence[Numbers]], tuple[Matrix, Numbers]]
Table = dict[str, dict[str, float]]


def do_once(patch: pytest.MonkeyPatch, sample_home: Path) -> None:
    """Replaces the three by what keeps them; the sample is built in `sample_home`."""
    patch.setattr(Bert, "_last_states", _states_once(Bert._last_states))
    patch.setattr(Gloss, "_learn", _learnt_once(Gloss._learn))
    patch.setattr(CorpusLibrary, "_build_sample", _sample_once(CorpusLibrary._build_sample, sample_home))


def do_anew(patch: pytest.MonkeyPatch) -> None:
    """Puts the real work back in place."""
    for owner, name in ((Bert, "_last_states"), (Gloss, "_learn"), (CorpusLibrary, "_build_sample")):
        patch.setattr(owner, name, getattr(owner, name).__wrapped__)


def _states_once(compute: States) -> States:
    models: WeakKeyDictionary[Bert, dict[bytes, Matrix]] = WeakKeyDictionary()

    @wraps(compute)
    def last_states(bert: Bert, texts: Sequence[Numbers]) -> tuple[Matrix, Numbers]:
        kept = models.setdefault(bert, {})
        keys = [text.tobytes() for text in texts]
        rows = {key: kept[key] for key in keys if key in kept}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        if missing:
            states, ends = compute(bert, list(missing.values()))
            rows |= {key: states[slice(*span)] for key, span in zip(missing, pairwise(ends.tolist()), strict=True)}
            if sum(of_text.nbytes for of_text in list(kept.values())) < MOST_BYTES:
                kept.update((key, rows[key].copy()) for key in missing)
        each = [rows[key] for key in keys]
        return np.concatenate(each), np.cumsum([0, *map(len, each)])

    return last_states


def _learnt_once(learn: Callable[[Gloss], Table]) -> Callable[[Gloss], Table]:
    tables: dict[tuple[str, str, tuple[tuple[str, str], ...]], Table] = {}

    @wraps(learn)
    def learnt(gloss: Gloss) -> Table:
        key = gloss.source, gloss.target, tuple(gloss._pairs)
        if key not in tables:
            tables[key] = learn(gloss)
        return tables[key]

    return learnt


def _sample_once(build: Callable[..., CorpusManifest], sample_home: Path) -> Callable[..., CorpusManifest]:
    built, texts = settings.load(sample_home), sample.passages

    @wraps(build)
    def linked(library: CorpusLibrary, progress: Progress, **choices: Any) -> CorpusManifest:
        folder = library._folder / sample.SAMPLE
        if choices or folder.exists() or library._folder == built.corpora or sample.passages is not texts:
            return build(library, progress, **choices)
        Workbench(built).corpus(sample.SAMPLE)
        library._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=library._folder.parent) as near, suppress(FileExistsError):
            shutil.copytree(built.corpora / sample.SAMPLE, Path(near) / sample.SAMPLE, copy_function=os.link)
            (Path(near) / sample.SAMPLE).rename(folder)  # complete or not at all, as a build
        return read_manifest(folder) or build(library, progress)

    return linked
