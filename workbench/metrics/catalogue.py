"""Every measure that needs only an answer, its golds and its language, by name.

Measures that need a model are created with it: `semscore.semscore_with(encoder)` and `judge.judged_by(judge)`.
Measures of rankings are in `ranking`.  Source, range and formula of each are in its module and in docs/metrics.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from workbench.languages import Detector
from workbench.metrics.answers import (
    abstention,
    bleu_chrf,
    char3_recall,
    clr,
    code_switch,
    em_f1,
    flexible_em,
    meteor,
    rouge,
)
from workbench.metrics.measure import Measure

MEASURES: Mapping[str, Measure] = {
    item.name: item
    for module in (char3_recall, flexible_em, em_f1, clr, code_switch, rouge, meteor, bleu_chrf, abstention)
    for item in module.MEASURES
}
"""The measures by name, in the order in which they are listed."""

BY_IDENTIFIER = frozenset(item.name for module in (clr, code_switch) for item in module.MEASURES)
"""Names of the measures that ask which language a text is in, so that their values depend on the identifier."""

AGAINST_GOLDS = frozenset(
    item.name for module in (char3_recall, flexible_em, em_f1, rouge, meteor, bleu_chrf) for item in module.MEASURES
)
"""Names of the measures that compare an answer with golds and nothing else, so that chance alone gives them a level."""


def measures_with(identifier: Detector) -> dict[str, Measure]:
    """The measures by name; those of `BY_IDENTIFIER` ask `identifier` instead of the built-in one."""
    identified = {item.name: item for module in (clr, code_switch) for item in module.measures(identifier)}
    return {**MEASURES, **identified}
