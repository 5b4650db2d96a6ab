"""Names of judged metrics: a value names its judge, so `g_eval` by two judges is two metrics.

So is `g_eval` by a judge that is asked in English and by the same judge asked in the answer's language (`+ul`).
Results are stored under such a name, and whatever lists, compares or exports them needs nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import regex

from workbench.core import UsageError, fingerprint, shorten
from workbench.metrics.judged.judge import NAMES, PromptLanguage

JudgeLanguage = Literal["answer", "en", "both"]
"""In which languages a judge is asked; by both, each metric is given twice, to be compared."""
DEFAULT_JUDGE_LANGUAGE: JudgeLanguage = "answer"
LABEL_LIMIT = 42
"""Characters of a judge in a metric's name: with the longest metric they fill the database's column."""
MARK_LENGTH = 6
"""Characters of the fingerprint that distinguishes shortened names."""
PLAIN = regex.compile(r"[\w.:/@+-]+")
"""What is safe everywhere: on the command line, where commas separate names, and in titles of charts."""
IN_ANSWER_LANGUAGE = "+ul"
"""Ends the name of a judge that is asked in the language of the answer; without it, the judge is asked in English."""


def prompt_languages(choice: str) -> tuple[PromptLanguage, ...]:
    """The languages that prompts are in under a choice. Raises UsageError for another choice.

    >>> prompt_languages("both")
    ('answer', 'en')
    """
    match choice:
        case "answer":
            return ("answer",)
        case "en":
            return ("en",)
        case "both":
            return ("answer", "en")
    raise UsageError(
        f"The judge's language is “{shorten(choice)}”. Allowed: answer (the language of the answer), en, both."
    )


def judged_name(metric: str, judge: str, prompt_language: PromptLanguage = "en") -> str:
    """The name of `metric` as given by `judge`, asked in this language.

    A judge whose name is long or has other characters is shortened, and marked so that no two share a name.

    >>> judged_name("g_eval", "openai-like:llama3:8b@ollama")
    'g_eval@openai-like:llama3:8b@ollama'
    >>> judged_name("g_eval", "openai-like:gpt-4o", "answer")
    'g_eval@openai-like:gpt-4o+ul'
    """
    mark = IN_ANSWER_LANGUAGE if prompt_language == "answer" else ""
    limit = LABEL_LIMIT - len(mark)
    # A model whose own name ends with the mark is shortened, so that its English figures do not read as the others.
    if len(judge) <= limit and PLAIN.fullmatch(judge) and not judge.endswith(IN_ANSWER_LANGUAGE):
        return f"{metric}@{judge}{mark}"
    head = "".join(PLAIN.findall(judge))[: limit - MARK_LENGTH - 1]
    return f"{metric}@{head}~{fingerprint('judge', judge)[:MARK_LENGTH]}{mark}"


def language_pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """The names of one metric by one judge, asked in English and in the answer's language, where `names` has both.

    >>> language_pairs(["em", "g_eval@gpt-4o", "g_eval@gpt-4o+ul"])
    [('g_eval@gpt-4o', 'g_eval@gpt-4o+ul')]
    """
    judged = [name for name in names if metric_in(name) and "@" in name]
    english = {_key(name): name for name in judged if not name.endswith(IN_ANSWER_LANGUAGE)}
    marked = [name for name in judged if name.endswith(IN_ANSWER_LANGUAGE)]
    return [(english[key], name) for name in marked if (key := _key(name)) in english]


def _key(name: str) -> tuple[str, str]:
    """The metric and the start of its judge's fingerprint, which a shortened name holds."""
    metric, _, judge = name.removesuffix(IN_ANSWER_LANGUAGE).partition("@")
    _, shortened, mark = judge.rpartition("~")
    return metric, mark if shortened else fingerprint("judge", judge)[:MARK_LENGTH]


def metric_in(name: str) -> str:
    """The judged metric in `name`, with or without a judge; "" for any other metric.

    >>> metric_in("g_eval@openai-like:gpt-4o"), metric_in("g_eval"), metric_in("hit@5")
    ('g_eval', 'g_eval', '')
    """
    metric = name.partition("@")[0]
    return metric if metric in NAMES else ""
