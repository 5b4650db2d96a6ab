"""SemScore in experiments: the encoder is loaded once, when the first answers are scored, and named in the metric.

What a value means depends on the encoder, so `semscore` by two encoders is two metrics, as with judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from workbench.components import Registry, check_name
from workbench.core import UsageError, WorkbenchError
from workbench.experiments.results.answer_scoring import SEMSCORE
from workbench.metrics import Case, Measure, Score, judged_name, semscore_with
from workbench.pipeline import BUILTIN


def checked_metric_encoder(name: str) -> str:
    """`name` without white space around it. Raises UsageError where it names no encoder of any text."""
    encoder = name.strip()
    if encoder == BUILTIN:
        raise UsageError(
            "The built-in encoder is fitted to a corpus and cannot compare answers. Name another, for example: bge-m3"
        )
    if encoder:
        check_name(encoder, "encoder")
    return encoder


def semantic_measures(encoder: str, home: Path) -> Mapping[str, Measure]:
    """SemScore with `encoder` under the name that its values are stored under; nothing where that is ""."""
    if not encoder:
        return {}
    score = partial(_score, _EncoderOnce(encoder, home))
    return {
        judged_name(SEMSCORE, encoder): Measure(SEMSCORE, "SemScore", "Aynetdinov and Akbik (2024)", score, low=-1.0)
    }


@dataclass
class _EncoderOnce:
    """An encoder that is made when it is first needed."""

    name: str
    home: Path
    _measure: Measure | None = None

    def measure(self) -> Measure:
        """SemScore with it. Raises UsageError, MissingError."""
        if self._measure is None:
            self._measure = semscore_with(Registry(self.home).dense_encoder(self.name))
        return self._measure


def _score(encoder: _EncoderOnce, cases: Sequence[Case]) -> list[Score]:
    """The scores; all unscored where the encoder is not on this machine or its service gives nothing."""
    try:
        return encoder.measure().score(cases)
    except WorkbenchError as error:
        return [Score(None, str(error)) for _ in cases]
