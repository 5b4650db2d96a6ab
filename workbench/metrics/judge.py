"""Metrics that a model judges: G-Eval's four aspects, context precision, instruction following, correctness.

Sources: Liu et al. 2023 (G-Eval: coherence, consistency, fluency, relevance, each from 1 to 5, and `g_eval`, their
mean, as Kim et al. 2024 use it); Kim et al. 2024 (AutoRAG), section 3.3.1, for context precision; Ranaldi et al. 2025
(D-RAG), Appendices D and K, for instruction following.  What the judge is asked is in `judge_prompts.yaml`.

A reply that cannot be read, a judge that fails and a case that lacks what is judged are unscored.  A model's judgement
is no measurement: name the judge beside every figure, and check it against people's labels (`agreement`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Protocol

from workbench.errors import WorkbenchError, shorten
from workbench.metrics.forms import usable
from workbench.metrics.judge_replies import score_in, verdict_in
from workbench.metrics.measure import Case, Measure, each
from workbench.metrics.score import NO_GOLD, Score
from workbench.prompts.datafile import fill, read

LOWEST, HIGHEST = 1, 5
ASPECTS = ("coherence", "consistency", "fluency", "relevance")
NAMES = (*(f"g_eval_{name}" for name in ASPECTS), "g_eval", "context_precision", "instruction_following", "correctness")
"""The measures that a judge gives."""
CONTEXT_K = 10
"""Passages judged, as in the retrieval tables of Kim et al. 2024."""
REPLIES_KEPT = 4_096

UNREADABLE = Score(None, "The judge's reply holds no score that can be read.")
NO_QUESTION = Score(None, "The question is not given.")
NO_PASSAGES = Score(None, "No passages are given.")
NO_INSTRUCTIONS = Score(None, "The instructions are not given.")


class Judge(Protocol):
    """A model that replies to one prompt. Raises WorkbenchError where it gives no reply."""

    def complete(self, system: str, user: str) -> str: ...


def judged_by(judge: Judge, *, k: int = CONTEXT_K) -> tuple[Measure, ...]:
    """The judged measures, by this judge; `k` passages are looked at for context precision.

    Measures made together ask the same thing once: `g_eval` costs nothing beside its four aspects.
    """
    ask = lru_cache(maxsize=REPLIES_KEPT)(judge.complete)
    aspects = {name: _aspect(ask, name) for name in ASPECTS}
    others = (
        Measure(
            "context_precision", f"Context precision@{k}", "Kim et al. 2024", each(lambda case: _context(ask, case, k))
        ),
        Measure(
            "instruction_following",
            "Instruction following",
            "Ranaldi et al. 2025 (D-RAG)",
            each(lambda case: _follows(ask, case)),
        ),
        Measure("correctness", "Correctness (judged)", "our own", each(lambda case: _correct(ask, case))),
    )
    scales = [
        Measure(f"g_eval_{name}", f"G-Eval {name}", "Liu et al. 2023", each(score), low=LOWEST, high=HIGHEST)
        for name, score in aspects.items()
    ]
    mean = Measure(
        "g_eval",
        "G-Eval, mean of four aspects",
        "Kim et al. 2024",
        each(lambda case: _mean([score(case) for score in aspects.values()])),
        low=LOWEST,
        high=HIGHEST,
    )
    return (*scales, mean, *others)


def context_precision(relevant: Sequence[bool]) -> Score:
    """Σ precision@k · v_k / Σ v_k over ranks k, where v_k says whether passage k is relevant; 0 where none is.

    >>> context_precision([True, False, True]).value
    0.8333333333333333
    """
    if not relevant:
        return NO_PASSAGES
    found = 0
    total = 0.0
    for rank, is_relevant in enumerate(relevant, start=1):
        if is_relevant:
            found += 1
            total += found / rank
    return Score(total / found if found else 0.0)


_Ask = Callable[[str, str], str]


def _aspect(ask: _Ask, name: str) -> Callable[[Case], Score]:
    def score(case: Case) -> Score:
        if not case.question.strip():
            return NO_QUESTION
        values = {"aspect": name, "criterion": _prompts()[f"aspects.{name}"], **_texts(case)}
        if name != "consistency":
            return _rated(ask, "scale", values)
        return _rated(ask, "scale_with_passages", values) if case.passages else NO_PASSAGES

    return score


def _context(ask: _Ask, case: Case, k: int) -> Score:
    lacking = _lacks_question_or_gold(case)
    if lacking:
        return lacking
    verdicts: list[bool] = []
    for passage in case.passages[:k]:
        verdict = _verdict(ask, "relevant_passage", {**_texts(case), "passage": passage})
        if verdict.value is None:
            return verdict
        verdicts.append(bool(verdict.value))
    return context_precision(verdicts)


def _follows(ask: _Ask, case: Case) -> Score:
    if not case.instructions.strip():
        return NO_INSTRUCTIONS
    return _verdict(ask, "instruction_following", {**_texts(case), "instructions": case.instructions})


def _correct(ask: _Ask, case: Case) -> Score:
    return _lacks_question_or_gold(case) or _verdict(ask, "correctness", _texts(case))


def _lacks_question_or_gold(case: Case) -> Score | None:
    if not case.question.strip():
        return NO_QUESTION
    return None if usable(case.answers, case.language) else NO_GOLD


def _texts(case: Case) -> dict[str, str]:
    return {
        "question": case.question,
        "answer": case.prediction,
        "golds": " | ".join(case.answers),
        "passages": "\n\n".join(case.passages),
    }


def _rated(ask: _Ask, prompt: str, values: Mapping[str, str]) -> Score:
    reply = _reply(ask, _prompts()["scale_system"], prompt, values)
    if isinstance(reply, Score):
        return reply
    value = score_in(reply, LOWEST, HIGHEST)
    return UNREADABLE if value is None else Score(value)


def _verdict(ask: _Ask, prompt: str, values: Mapping[str, str]) -> Score:
    reply = _reply(ask, _prompts()["verdict_system"], prompt, values)
    if isinstance(reply, Score):
        return reply
    verdict = verdict_in(reply)
    return UNREADABLE if verdict is None else Score(float(verdict))


def _reply(ask: _Ask, system: str, prompt: str, values: Mapping[str, str]) -> str | Score:
    try:
        return ask(system, fill(_prompts()[prompt], values))
    except WorkbenchError as error:
        return Score(None, f"The judge gave no reply: {shorten(error, 120)}")


def _mean(scores: Sequence[Score]) -> Score:
    """The mean of the aspects; unscored for the reason of the first that is."""
    values = [score.value for score in scores if score.value is not None]
    if len(values) < len(scores):
        return next(score for score in scores if not score.scored)
    return Score(sum(values) / len(values))


@cache
def _prompts() -> Mapping[str, str]:
    """The prompts by name, with their placeholders checked. Raises DataError."""
    block = read(files("workbench.metrics").joinpath("judge_prompts.yaml"))
    wanted = {
        "scale_system": (),
        "verdict_system": (),
        "scale": ("aspect", "criterion", "question", "answer"),
        "scale_with_passages": ("aspect", "criterion", "question", "passages", "answer"),
        "instruction_following": ("instructions", "answer"),
        "correctness": ("question", "golds", "answer"),
        "relevant_passage": ("question", "golds", "passage"),
    }
    block.only([*wanted, "aspects"])
    aspects = block.block("aspects")
    aspects.only(ASPECTS)
    texts = {name: block.text(name, dict.fromkeys(places, 1)) for name, places in wanted.items()}
    return {**texts, **{f"aspects.{name}": aspects.text(name) for name in ASPECTS}}
