"""Abstention: does a system keep silent where the documents have no answer, and only there?

Source: Thakur et al. (2024, NoMIRACL): of the questions without a relevant passage, the share that is answered all the
same is the hallucination rate; of those with one, the share on which the system abstains is the error rate.  Both are
in [0, 1], and lower is better.  `hallucination` is scored for unanswerable questions alone (`Question.unanswerable`),
`abstention_error` for all others that have a gold answer.

An answer is an abstention where it is empty, and where it does nothing but say that there is no answer, in whatever
language; "I don't know, but it may be Marconi" is an answer.  Where the question has a false premise, an answer that
denies the premise is as right as an abstention.  Both are told by logistic regressions on the answer's vector by
multilingual-e5-small, learnt from texts in 19 languages (`benchmarks.abstention`, with figures on others).  Without
that encoder's package no answer but an empty one can be told, and the rest is unscored.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import as_file, files

import numpy as np
import regex

from workbench.core import FloatArray, Query
from workbench.languages import answer_form, sentences
from workbench.metrics.measure import Case, Measure, Score, per_case
from workbench.models import is_e5_small_installed

LONGEST_ANSWER = 1_200
"""Characters; what is longer is an answer."""
ANSWERABLE = Score(None, "The question is not marked as unanswerable.")
NOT_KNOWN = Score(None, "The question has no gold answer, so whether it can be answered is not known.")
NO_ENCODER = Score(None, "Whether an answer abstains is told by multilingual-e5-small, which is not installed.")

SILENT = regex.compile(r"[\p{P}\p{Z}\p{C}]*")


def abstains(answer: str) -> bool | None:
    """Whether an answer says nothing but that there is no answer, or is empty; None where no encoder can tell.

    >>> abstains("I'm sorry, the documents don't say who invented it."), abstains("Ich weiß es nicht."), abstains("")
    (True, True, True)
    >>> abstains("I don't know, but it may be Marconi."), abstains("Marconi")
    (False, False)
    """
    if SILENT.fullmatch(answer):
        return True
    if len(answer) > LONGEST_ANSWER:
        return False
    return _log_odds("abstention", answer) > 0 if is_e5_small_installed() else None


def denies(answer: str) -> bool | None:
    """Whether an answer to a question with a false premise denies it, at once or as a whole; None as for `abstains`.

    >>> denies("There is no such canal."), denies("The canal was opened in 1869.")
    (True, False)
    """
    if not is_e5_small_installed():
        return None
    texts = [answer, *(answer[start:end] for start, end in sentences(answer)[:1])]
    return any(_log_odds("denial", text) > 0 for text in texts)


def hallucination(case: Case) -> Score:
    """1.0 where an unanswerable question is answered, else 0.0; unscored for other questions.

    0.0 is for an answer that abstains and, where the question has a false premise, for one that denies it.
    """
    if not case.unanswerable:
        return ANSWERABLE
    abstention = abstains(case.prediction)
    if abstention is None:
        return NO_ENCODER
    return Score(float(not (abstention or (case.false_premise and denies(case.prediction)))))


def abstention_error(case: Case) -> Score:
    """1.0 where an answerable question is not answered, else 0.0; unscored without a gold answer.

    An answer that is a gold answer is one, even where it reads like an abstention ("unknown").
    """
    if not case.answers:
        return NOT_KNOWN
    form = answer_form(case.prediction, case.language)
    if form and form in {answer_form(gold, case.language) for gold in case.answers}:
        return Score(0.0)
    abstention = abstains(case.prediction)
    return NO_ENCODER if abstention is None else Score(float(abstention))


@lru_cache(maxsize=1 << 14)
def _log_odds(kind: str, text: str) -> float:
    """The log odds that a text is an "abstention" or a "denial"."""
    from workbench.retrieval import E5SmallEncoder

    vector = E5SmallEncoder().encode_queries([Query(text, "", ())])[0]
    weights = _weights()[kind]
    return float(vector @ weights[:-1] + weights[-1])


@cache
def _weights() -> Mapping[str, FloatArray]:
    """By kind, what multiplies each number of a vector, then the constant."""
    with as_file(files("workbench.metrics.answers") / "abstention_weights.npz") as path, np.load(path) as arrays:
        return dict(arrays)


SOURCE = "Thakur et al. (2024, NoMIRACL)"

MEASURES = (
    Measure(
        "hallucination",
        "Unanswerable question answered (hallucination)",
        f"{SOURCE}: hallucination rate",
        per_case(hallucination),
        higher_is_better=False,
        answerable_only=False,
        format_failure=1.0,
    ),
    Measure(
        "abstention_error",
        "Answerable question not answered (abstention error)",
        f"{SOURCE}: error rate",
        per_case(abstention_error),
        higher_is_better=False,
        format_failure=None,  # no abstention, yet 0 would count it as a merit
    ),
)
"""The measures of this module."""
