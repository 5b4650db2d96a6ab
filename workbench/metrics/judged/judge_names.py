"""Names of judged metrics: a value names its judge, so `g_eval` by two judges is two metrics.

Results are stored under such a name, and whatever lists, compares or exports them needs nothing else.
"""

from __future__ import annotations

import regex

from workbench.identity import fingerprint
from workbench.metrics.judged.judge import NAMES

LABEL_LIMIT = 42
"""Characters of a judge in a metric's name: with the longest metric they fill the database's column."""
MARK_LENGTH = 6
"""Characters of the fingerprint that distinguishes shortened names."""
PLAIN = regex.compile(r"[\w.:/@+-]+")
"""What is safe everywhere: on the command line, where commas separate names, and in titles of charts."""


def judged_name(metric: str, judge: str) -> str:
    """The name of `metric` as given by `judge`.

    A judge whose name is long or has other characters is shortened, and marked so that no two share a name.

    >>> judged_name("g_eval", "openai-like:llama3:8b@ollama")
    'g_eval@openai-like:llama3:8b@ollama'
    """
    if len(judge) <= LABEL_LIMIT and PLAIN.fullmatch(judge):
        return f"{metric}@{judge}"
    head = "".join(PLAIN.findall(judge))[: LABEL_LIMIT - MARK_LENGTH - 1]
    return f"{metric}@{head}~{fingerprint('judge', judge)[:MARK_LENGTH]}"


def metric_in(name: str) -> str:
    """The judged metric in `name`, with or without a judge; "" for any other metric.

    >>> metric_in("g_eval@openai-like:gpt-4o"), metric_in("g_eval"), metric_in("hit@5")
    ('g_eval', 'g_eval', '')
    """
    metric = name.partition("@")[0]
    return metric if metric in NAMES else ""
