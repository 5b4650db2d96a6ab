"""One run against another in each language: where does the second beat the first?

Whoever asks this of many languages asks many questions at once, and by chance alone one of twenty would be answered
yes.  Therefore p is corrected over the languages (Holm 1979); the difference over all of them together is one question
more, and stands for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Engine

from workbench.metrics.statistics import holm
from workbench.studies.deltas import Delta, against
from workbench.studies.filters import Filter
from workbench.studies.listing import answered_languages


@dataclass(frozen=True, slots=True)
class LanguageDelta:
    """The second run minus the first over the questions in `language`, "" for all of them together."""

    language: str
    delta: Delta


def by_language(
    engine: Engine, metric: str, first: int, second: int, languages: Sequence[str] = ()
) -> list[LanguageDelta]:
    """All languages together, then each of those that were asked in (of `languages`, where some are named)."""
    asked = answered_languages(engine, Filter(runs=(first, second)))
    codes = [code for code in asked if not languages or code in languages]
    (whole,) = against(engine, metric, first, [second], codes)
    each = [against(engine, metric, first, [second], [code])[0] for code in codes]
    corrected = holm([item.p for item in each])
    return [
        LanguageDelta("", whole),
        *(LanguageDelta(code, replace(item, p=p)) for code, item, p in zip(codes, each, corrected, strict=True)),
    ]
