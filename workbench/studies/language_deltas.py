"""Runs against runs in each language: where does the second one beat the first?

Whoever asks this of many languages asks many questions at once, and by chance alone one of twenty would be answered
yes.  Therefore p is corrected over the languages (Holm 1979); the difference over all of them together is one question
more, and stands for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Engine

from workbench.metrics.statistics import holm
from workbench.studies.deltas import Delta, compared
from workbench.studies.filters import Filter
from workbench.studies.listing import answered_languages
from workbench.studies.pairing import Pair


@dataclass(frozen=True, slots=True)
class LanguageDelta:
    """The second minus the first over the questions in `language`, "" for all of them together."""

    language: str
    delta: Delta


def by_language(
    engine: Engine, metric: str, pairs: Sequence[Pair], languages: Sequence[str] = ()
) -> list[LanguageDelta]:
    """All languages together, then each of those that were asked in (of `languages`, where some are named)."""
    asked = answered_languages(engine, Filter(runs=tuple(run for pair in pairs for run in pair)))
    codes = [code for code in asked if not languages or code in languages]
    (whole,) = compared(engine, metric, [pairs], codes)
    each = [compared(engine, metric, [pairs], [code])[0] for code in codes]
    corrected = holm([item.p for item in each])
    return [
        LanguageDelta("", whole),
        *(LanguageDelta(code, replace(item, p=p)) for code, item, p in zip(codes, each, corrected, strict=True)),
    ]
