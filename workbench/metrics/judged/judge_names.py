"""Names of judged metrics: a figure names its judge, so `g_eval` by two judges is two metrics.

Results are stored under such a name, and everything that lists, compares or exports them needs to know no more.
"""

from __future__ import annotations

import regex

from workbench.identity import fingerprint
from workbench.metrics.judged.judge import NAMES

LABEL_LIMIT = 42
"""Characters of a judge in a metric's name: with the longest metric, as many as the database's column has."""
MARK = 6
PLAIN = regex.compile(r"[\w.:/@+-]+")
"""What needs no care anywhere: on the command line, where commas part names, and in titles of charts."""


def judged_name(metric: str, judge: str) -> str:
    """What a metric is called where `judge` gives it.

    A judge whose name is long or has other signs is shortened, and marked so that no two are called the same.

    >>> judged_name("g_eval", "openai-like:llama3:8b@ollama")
    'g_eval@openai-like:llama3:8b@ollama'
    """
    if len(judge) <= LABEL_LIMIT and PLAIN.fullmatch(judge):
        return f"{metric}@{judge}"
    head = "".join(PLAIN.findall(judge))[: LABEL_LIMIT - MARK - 1]
    return f"{metric}@{head}~{fingerprint('judge', judge)[:MARK]}"


def metric_in(name: str) -> str:
    """The judged metric that `name` is about, with a judge or without; "" for any other metric.

    >>> metric_in("g_eval@openai-like:gpt-4o"), metric_in("g_eval"), metric_in("hit@5")
    ('g_eval', 'g_eval', '')
    """
    metric = name.partition("@")[0]
    return metric if metric in NAMES else ""
