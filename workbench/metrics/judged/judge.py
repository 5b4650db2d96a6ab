"""Metrics that a model judges: G-Eval's four aspects, context precision, instruction following, correctness.

Sources: Liu et al. (2023, G-Eval) for coherence, consistency, fluency and relevance, each from 1 to 5, and `g_eval`,
their mean, as Kim et al. (2024) use it; Kim et al. (2024), section 3.3.1, for context precision; Ranaldi et al. (2025,
D-RAG), Appendices D and K, for instruction following.  The prompts are in `prompts/`, one file per language: a judge is
asked in the language that the answer should be in, or in English.

A reply that cannot be read, a judge that fails and a case that lacks what is judged are unscored.  A model's judgement
is not a measurement: name the judge with every value (`judge_names`), and check it against people's labels
(`agreement`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple, Protocol

from workbench.core import shorten
from workbench.languages import ENGLISH
from workbench.metrics.answers.answer_units import usable_golds
from workbench.metrics.judged.judge_replies import score_in, verdict_in
from workbench.metrics.judged.judge_texts import ASPECTS, JudgeTexts, judge_texts
from workbench.metrics.measure import NO_GOLD, Case, Measure, Score, Scorer

LOWEST, HIGHEST = 1, 5
NAMES = (*(f"g_eval_{name}" for name in ASPECTS), "g_eval", "context_precision", "instruction_following", "correctness")
"""Names of the measures that a judge gives."""
OF_OUTPUT = frozenset({"instruction_following"})
"""Those that judge the generator's complete output; the others judge the answer in it."""
CONTEXT_K = 10
"""Passages judged, as in the retrieval tables of Kim et al. (2024)."""
CACHED_REPLIES = 4_096
REASON_LIMIT = 200
"""Characters that a score's reason repeats of a judge's failure."""

UNREADABLE = Score(None, "The judge's reply holds no score that can be read.")
CUT = Score(None, "The judge's reply met its limit of tokens before it gave a score.")
PromptLanguage = Literal["answer", "en"]
"""The language that a judge is asked in: the one that the answer should be in, or English."""
NO_QUESTION = Score(None, "The question is not given.")
NO_PASSAGES = Score(None, "The texts of the passages are not given.")
NO_INSTRUCTIONS = Score(None, "The instructions are not given.")


class JudgePrompt(NamedTuple):
    """A prompt to a judge: system text and user's turn, and the language that both are in."""

    system: str
    user: str
    language: str = ENGLISH


class Reply(NamedTuple):
    """What a judge wrote; `cut` where it reached its token limit. `failure`: why there is none, "" where there is."""

    text: str = ""
    cut: bool = False
    failure: str = ""


class Judge(Protocol):
    """A model that replies to prompts."""

    def replies(self, prompts: Sequence[JudgePrompt]) -> list[Reply]:
        """One reply per prompt, in order; a prompt that fails does not affect the others."""
        ...


def judged_by(judge: Judge, *, k: int = CONTEXT_K, prompt_language: PromptLanguage = "en") -> tuple[Measure, ...]:
    """The judged measures, by this judge; context precision judges the first `k` passages.

    An answer's language that has no prompts is judged by the English ones.
    Measures created together send the same prompt once: `g_eval` costs nothing in addition to its four aspects.
    """
    cached = _CachedJudge(judge, prompt_language)
    scales = [
        Measure(
            f"g_eval_{name}",
            f"G-Eval {name}",
            "Liu et al. (2023)",
            cached.scorer(partial(_aspects, names=[name]), _rating, _mean),
            low=LOWEST,
            high=HIGHEST,
        )
        for name in ASPECTS
    ]
    mean = Measure(
        "g_eval",
        "G-Eval, mean of four aspects",
        "Kim et al. (2024)",
        cached.scorer(partial(_aspects, names=ASPECTS), _rating, _mean),
        low=LOWEST,
        high=HIGHEST,
    )
    verdicts: list[tuple[str, str, str, _PromptBuilder, _Combiner]] = [
        ("context_precision", "Context precision", "Kim et al. (2024)", partial(_context, k=k), _precision),
        ("instruction_following", "Instruction following", "Ranaldi et al. (2025, D-RAG)", _instructions, _mean),
        ("correctness", "Correctness (judged)", "our own", _correctness, _mean),
    ]
    others = [
        Measure(name, title, source, cached.scorer(build, _verdict, combine))
        for name, title, source, build, combine in verdicts
    ]
    return (*scales, mean, *others)


def context_precision(relevant: Sequence[bool]) -> Score:
    """Σ precision@k · v_k / Σ v_k over ranks k, where v_k says whether passage k is relevant; 0 where none is.

    >>> context_precision([True, False, True]).value
    0.8333333333333333
    """
    if not relevant:
        return NO_PASSAGES
    hits = 0
    total = 0.0
    for rank, is_relevant in enumerate(relevant, start=1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return Score(total / hits if hits else 0.0)


_PromptBuilder = Callable[[Case, JudgeTexts], list[JudgePrompt] | Score]
"""The prompts about a case, in the language of the texts, or the unscored reason why there are none."""
_ReplyParser = Callable[[str, str], float | None]
"""The value that a reply gives to a prompt in a language, None where it gives none."""
_Combiner = Callable[[list[float]], Score]
"""The score from the values of all replies."""


class _CachedJudge:
    """A judge and its latest replies, so that no prompt is sent twice; failures are cached too, while this lives."""

    def __init__(self, judge: Judge, prompt_language: PromptLanguage) -> None:
        self._judge = judge
        self._prompt_language = prompt_language
        self._cache: dict[JudgePrompt, Reply] = {}

    def scorer(self, build: _PromptBuilder, parse: _ReplyParser, combine: _Combiner) -> Scorer:
        """A scorer by the judge's replies; the prompts of a batch of cases are sent together."""

        def score(cases: Sequence[Case]) -> list[Score]:
            requests = [build(case, self._texts_for(case)) for case in cases]
            replies = self._replies([prompt for one in requests if not isinstance(one, Score) for prompt in one])
            return [
                one if isinstance(one, Score) else _score([(item, replies[item]) for item in one], parse, combine)
                for one in requests
            ]

        return score

    def _texts_for(self, case: Case) -> JudgeTexts:
        return judge_texts(case.language.code if self._prompt_language == "answer" else ENGLISH)

    def _replies(self, prompts: Sequence[JudgePrompt]) -> Mapping[JudgePrompt, Reply]:
        replies = {prompt: self._cache[prompt] for prompt in prompts if prompt in self._cache}
        new = [prompt for prompt in dict.fromkeys(prompts) if prompt not in replies]
        if new:
            replies.update(zip(new, self._judge.replies(new), strict=True))
            cache = {**self._cache, **replies}
            self._cache = dict(list(cache.items())[-CACHED_REPLIES:])
        return replies


def _score(replies: Sequence[tuple[JudgePrompt, Reply]], parse: _ReplyParser, combine: _Combiner) -> Score:
    """The combined value; unscored for the reason of the first reply that gives none."""
    values: list[float] = []
    for prompt, reply in replies:
        if reply.failure:
            return Score(None, f"The judge gave no reply: {shorten(reply.failure, REASON_LIMIT)}")
        value = parse(reply.text, prompt.language)
        if value is None:
            return CUT if reply.cut else UNREADABLE
        values.append(value)
    return combine(values)


def _rating(text: str, language: str) -> float | None:
    return score_in(text, LOWEST, HIGHEST, language)


def _verdict(text: str, language: str) -> float | None:
    verdict = verdict_in(text, language)
    return None if verdict is None else float(verdict)


def _mean(values: list[float]) -> Score:
    return Score(sum(values) / len(values))


def _precision(verdicts: list[float]) -> Score:
    return context_precision([bool(verdict) for verdict in verdicts])


def _aspects(case: Case, texts: JudgeTexts, names: Sequence[str]) -> list[JudgePrompt] | Score:
    if not case.question.strip():
        return NO_QUESTION
    if "consistency" in names and not case.passages:
        return NO_PASSAGES
    requests: list[JudgePrompt] = []
    for name in names:
        aspect, criterion = texts.aspects[name]
        values = {"aspect": aspect, "criterion": criterion, **_values(case)}
        turn = texts.prompt("scale_with_passages" if name == "consistency" else "scale", values)
        requests.append(JudgePrompt(texts.prompts["scale_system"], turn, texts.language))
    return requests


def _context(case: Case, texts: JudgeTexts, k: int) -> list[JudgePrompt] | Score:
    return _missing_question_or_gold(case) or [
        _verdict_prompt("relevant_passage", case, texts, passage=passage) for passage in case.passages[:k]
    ]


def _instructions(case: Case, texts: JudgeTexts) -> list[JudgePrompt] | Score:
    if not case.instructions.strip():
        return NO_INSTRUCTIONS
    return [_verdict_prompt("instruction_following", case, texts, instructions=case.instructions)]


def _correctness(case: Case, texts: JudgeTexts) -> list[JudgePrompt] | Score:
    return _missing_question_or_gold(case) or [_verdict_prompt("correctness", case, texts)]


def _missing_question_or_gold(case: Case) -> Score | None:
    if not case.question.strip():
        return NO_QUESTION
    return None if usable_golds(case.answers, case.language) else NO_GOLD


def _verdict_prompt(name: str, case: Case, texts: JudgeTexts, **more: str) -> JudgePrompt:
    turn = texts.prompt(name, {**_values(case), **more})
    return JudgePrompt(texts.prompts["verdict_system"], turn, texts.language)


def _values(case: Case) -> dict[str, str]:
    return {
        "question": case.question,
        "answer": case.prediction,
        "golds": " | ".join(case.answers),
        "passages": "\n\n".join(case.passages),
    }
