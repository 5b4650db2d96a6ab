"""The language means of any encoder, from the sample's parallel sentences: computed once for an encoder, and kept.

A mean is level from some twenty sentences on. A language that the sample does not have gets the mean of those it has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from workbench.core import Encoder, FloatArray, Passage, fingerprint
from workbench.data import aligned_sentences, fingerprint as sample_fingerprint
from workbench.languages import ENGLISH
from workbench.retrieval import LanguageMeans

FOLDER = "language-means"
SENTENCES = 100
"""Sentences of each language, each beside its English original."""


def sample_means(encoder: Encoder, home: Path) -> LanguageMeans:
    """The means of this encoder's languages; kept in the workspace `home`. Raises what the encoder raises."""
    name = fingerprint("means", [encoder.identity, sample_fingerprint(), SENTENCES])
    path = home / FOLDER / f"{name}.npz"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        LanguageMeans(_differences(encoder)).save(path)
    return LanguageMeans.open(path)


def _differences(encoder: Encoder) -> dict[str, FloatArray]:
    """By language, the mean over its sentences of the vector less that of the English original."""
    pairs: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for group in aligned_sentences():
        texts = dict(group)
        for language, text in texts.items():
            if language != ENGLISH and len(pairs[language]) < SENTENCES:
                pairs[language].append((text, texts[ENGLISH]))
    return {
        language: np.mean(
            _encoded(encoder, language, [text for text, _ in each])
            - _encoded(encoder, ENGLISH, [english for _, english in each]),
            axis=0,
        ).astype(np.float32)
        for language, each in pairs.items()
    }


def _encoded(encoder: Encoder, language: str, texts: Sequence[str]) -> FloatArray:
    return encoder.encode_passages(
        [Passage(f"{language}{place}", "", "", language, text) for place, text in enumerate(texts)]
    )
