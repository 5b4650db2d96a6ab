"""Every measure that needs nothing but an answer, its golds and its language, by name.

Those that need a model are made with it: `semscore.semscore_with(encoder)` and `judge.judged_by(llm)`.  Measures of
rankings are in `ranking`.
"""

from __future__ import annotations

from collections.abc import Mapping

from workbench.errors import unknown
from workbench.languages.detect import Detector
from workbench.metrics.answers import bleu_chrf, char3_recall, clr, code_switch, flexible_em, meteor, rouge, squad
from workbench.metrics.measure import Measure

MEASURES: Mapping[str, Measure] = {
    item.name: item
    for page in (char3_recall, flexible_em, squad, clr, code_switch, rouge, meteor, bleu_chrf)
    for item in page.MEASURES
}
"""The measures by name, in the order in which they are listed."""


BY_IDENTIFIER = frozenset(item.name for page in (clr, code_switch) for item in page.MEASURES)
"""Those that ask which language a text is in."""


def measures_by(identifier: Detector) -> dict[str, Measure]:
    """The measures by name; those that ask which language a text is in ask this identifier."""
    told = {item.name: item for page in (clr, code_switch) for item in page.measures(identifier)}
    return {**MEASURES, **told}


def measure(name: str) -> Measure:
    """The measure called `name`. Raises UsageError, which lists those there are."""
    found = MEASURES.get(name)
    if found is None:
        raise unknown("metric", name, MEASURES, "For example: char3_recall,flexible_em,clr")
    return found
