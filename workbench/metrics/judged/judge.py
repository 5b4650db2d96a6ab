"""Metrics that a model judges: G-Eval's four aspects, context precision, instruction following, correctness.

Sources: Liu et al. 2023 (G-Eval: coherence, consistency, fluency, relevance, each from 1 to 5, and `g_eval`, their
mean, as Kim et al. 2024 use it); Kim et al. 2024 (AutoRAG), section 3.3.1, for context precision; Ranaldi et al. 2025
(D-RAG), Appendices D and K, for instruction following.  What the judge is asked is in `judge_prompts.yaml`.

A reply that cannot be read, a judge that fails and a case that lacks what is judged are unscored.  A model's judgement
is no measurement: name the judge with every figure (`judge_names`), and check it against people's labels (`agreement`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import NamedTuple, Protocol

from workbench.errors import shorten
from workbench.metrics.answers.answer_units import usable
from workbench.metrics.judged.judge_replies import score_in, verdict_in
from workbench.metrics.measure import NO_GOLD, Case, Measure, Score, Scorer
from workbench.storage.yaml_blocks import fill, read

LOWEST, HIGHEST = 1, 5
ASPECTS = ("coherence", "consistency", "fluency", "relevance")
NAMES = (*(f"g_eval_{name}" for name in ASPECTS), "g_eval", "context_precision", "instruction_following", "correctness")
"""The measures that a judge gives."""
OF_OUTPUT = frozenset({"instruction_following"})
"""Those that judge all that a generator wrote; the others judge the answer in it."""
CONTEXT_K = 10
"""Passages judged, as in the retrieval tables of Kim et al. 2024."""
REPLIES_KEPT = 4_096
REASON_LIMIT = 200
"""Characters of why a judge gave no reply."""

UNREADABLE = Score(None, "The judge's reply holds no score that can be read.")
CUT = Score(None, "The judge's reply met its limit of tokens before it gave a score.")
NO_QUESTION = Score(None, "The question is not given.")
NO_PASSAGES = Score(None, "The texts of the passages are not given.")
NO_INSTRUCTIONS = Score(None, "The instructions are not given.")


class JudgePrompt(NamedTuple):
    """What a judge is asked."""

    system: str
    user: str


class Reply(NamedTuple):
    """What a judge wrote; `cut` where it met its limit of tokens. `failure`: why there is none, "" where there is."""

    text: str = ""
    cut: bool = False
    failure: str = ""


class Judge(Protocol):
    """A model that replies to prompts: one reply a prompt, in order. A prompt that fails costs no other its reply."""

    def replies(self, asked: Sequence[JudgePrompt]) -> list[Reply]: ...


def judged_by(judge: Judge, *, k: int = CONTEXT_K) -> tuple[Measure, ...]:
    """The judged measures, by this judge; `k` passages are looked at for context precision.

    Measures made together ask the same thing once: `g_eval` costs nothing beside its four aspects.
    """
    heard = _Heard(judge)
    scales = [
        Measure(
            f"g_eval_{name}",
            f"G-Eval {name}",
            "Liu et al. 2023",
            heard.scorer(partial(_aspects, names=[name]), _rating, _mean),
            low=LOWEST,
            high=HIGHEST,
        )
        for name in ASPECTS
    ]
    mean = Measure(
        "g_eval",
        "G-Eval, mean of four aspects",
        "Kim et al. 2024",
        heard.scorer(partial(_aspects, names=ASPECTS), _rating, _mean),
        low=LOWEST,
        high=HIGHEST,
    )
    verdicts: list[tuple[str, str, str, _Asks, _Joins]] = [
        ("context_precision", f"Context precision@{k}", "Kim et al. 2024", partial(_context, k=k), _precision),
        ("instruction_following", "Instruction following", "Ranaldi et al. 2025 (D-RAG)", _instructions, _mean),
        ("correctness", "Correctness (judged)", "our own", _correctness, _mean),
    ]
    others = [
        Measure(name, title, source, heard.scorer(asks, _verdict, joins))
        for name, title, source, asks, joins in verdicts
    ]
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


_Asks = Callable[[Case], list[JudgePrompt] | Score]
"""What is asked about a case, or why nothing can be."""
_Reads = Callable[[str], float | None]
"""The value that a reply gives, None where it gives none."""
_Joins = Callable[[list[float]], Score]
"""The score that the values of all replies make."""


class _Heard:
    """A judge and its latest replies, so that nothing is asked twice; a failure is kept as well, while this lives."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._kept: dict[JudgePrompt, Reply] = {}

    def scorer(self, asks: _Asks, reads: _Reads, joins: _Joins) -> Scorer:
        """Scores a batch of cases by what the judge replies; it is asked about all of them at once."""

        def score(cases: Sequence[Case]) -> list[Score]:
            wanted = [asks(case) for case in cases]
            replies = self._replies([asked for one in wanted if not isinstance(one, Score) for asked in one])
            return [
                one if isinstance(one, Score) else _score([replies[asked] for asked in one], reads, joins)
                for one in wanted
            ]

        return score

    def _replies(self, asked: Sequence[JudgePrompt]) -> Mapping[JudgePrompt, Reply]:
        found = {one: self._kept[one] for one in asked if one in self._kept}
        new = [one for one in dict.fromkeys(asked) if one not in found]
        if new:
            found.update(zip(new, self._judge.replies(new), strict=True))
            kept = {**self._kept, **found}
            self._kept = dict(list(kept.items())[-REPLIES_KEPT:])
        return found


def _score(replies: Sequence[Reply], reads: _Reads, joins: _Joins) -> Score:
    """Unscored for the reason of the first reply that gives no value."""
    values: list[float] = []
    for reply in replies:
        if reply.failure:
            return Score(None, f"The judge gave no reply: {shorten(reply.failure, REASON_LIMIT)}")
        value = reads(reply.text)
        if value is None:
            return CUT if reply.cut else UNREADABLE
        values.append(value)
    return joins(values)


def _rating(text: str) -> float | None:
    return score_in(text, LOWEST, HIGHEST)


def _verdict(text: str) -> float | None:
    found = verdict_in(text)
    return None if found is None else float(found)


def _mean(values: list[float]) -> Score:
    return Score(sum(values) / len(values))


def _precision(verdicts: list[float]) -> Score:
    return context_precision([bool(verdict) for verdict in verdicts])


def _aspects(case: Case, names: Sequence[str]) -> list[JudgePrompt] | Score:
    if not case.question.strip():
        return NO_QUESTION
    if "consistency" in names and not case.passages:
        return NO_PASSAGES
    prompts, texts = _prompts(), _texts(case)
    asked: list[JudgePrompt] = []
    for name in names:
        form = prompts["scale_with_passages" if name == "consistency" else "scale"]
        values = {"aspect": name, "criterion": prompts[f"aspects.{name}"], **texts}
        asked.append(JudgePrompt(prompts["scale_system"], fill(form, values)))
    return asked


def _context(case: Case, k: int) -> list[JudgePrompt] | Score:
    lacking = _lacks_question_or_gold(case)
    return lacking or [_to_decide("relevant_passage", case, passage=passage) for passage in case.passages[:k]]


def _instructions(case: Case) -> list[JudgePrompt] | Score:
    if not case.instructions.strip():
        return NO_INSTRUCTIONS
    return [_to_decide("instruction_following", case, instructions=case.instructions)]


def _correctness(case: Case) -> list[JudgePrompt] | Score:
    return _lacks_question_or_gold(case) or [_to_decide("correctness", case)]


def _lacks_question_or_gold(case: Case) -> Score | None:
    if not case.question.strip():
        return NO_QUESTION
    return None if usable(case.answers, case.language) else NO_GOLD


def _to_decide(prompt: str, case: Case, **more: str) -> JudgePrompt:
    prompts = _prompts()
    return JudgePrompt(prompts["verdict_system"], fill(prompts[prompt], {**_texts(case), **more}))


def _texts(case: Case) -> dict[str, str]:
    return {
        "question": case.question,
        "answer": case.prediction,
        "golds": " | ".join(case.answers),
        "passages": "\n\n".join(case.passages),
    }


@cache
def _prompts() -> Mapping[str, str]:
    """The prompts by name, with their placeholders checked. Raises DataError."""
    block = read(files("workbench.metrics.judged").joinpath("judge_prompts.yaml"))
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
