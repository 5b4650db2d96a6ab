"""The metrics that a search space names: checked, under the names that scores are stored under, and their direction."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.experiments import SEMSCORE, checked_metrics
from workbench.metrics import NAMES as JUDGED, scale_of


def complete_names(metrics: Sequence[str], judge: str, encoder: str, judge_language: str) -> tuple[str, ...]:
    """The names of the scores of these metrics, in order, each once.

    A judged metric has the judge in its name, semscore its encoder; the others are as written. Raises UsageError for
    an unknown metric, and for one without the model that it needs.
    """
    names: dict[str, None] = {}
    for metric in metrics:
        names.update(
            dict.fromkeys(
                checked_metrics(
                    (metric,),
                    judge if metric in JUDGED else "",
                    encoder if metric == SEMSCORE else "",
                    judge_language,
                )
            )
        )
    return tuple(names)


def direction(metric: str) -> float:
    """1 where higher is better, -1 where lower is.

    >>> direction("mrr"), direction("hallucination")
    (1.0, -1.0)
    """
    return 1.0 if scale_of(metric).higher_is_better else -1.0
