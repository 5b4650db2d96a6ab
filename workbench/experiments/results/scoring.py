"""Scores of a batch's answers: each distinct answer to a question is measured once, however many runs gave it.

Answer metrics are those of `metrics.catalogue`. Ranking metrics are those of `metrics.ranking`, over all candidates as
the retriever ranked them, whatever was handed to the generator; those that end in `_reranked` are over the same
candidates as the reranker ranked them (without a reranker both are equal). A question none of whose gold passages lies
in the scope is unscored, and so is a measure that looks further down than the ranking goes. Judged metrics look at what
the generator was given and wrote as well. A D-RAG output without a labelled answer is wrong, as each measure states
(`Measure.format_failure`); what looks at rankings, passages or the complete output measures it like any other.

A metric's name carries what its value depends on: its judge, the encoder of SemScore, and the language identifier,
unless that is the built-in one. A judge is a generator whose replies are steps like any other: cached by its identity
and the prompt, so a resumed job, a pilot before it and another experiment pay for none twice. A failure is not cached,
and leaves an answer without that score alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from workbench.components import IdentifierInUse, Registry, check_name
from workbench.core import Evidence, Prompt, Question, Task, UsageError, WorkbenchError, unknown_name, without_thinking
from workbench.languages import language
from workbench.metrics import (
    BY_IDENTIFIER,
    DEFAULT_JUDGE_LANGUAGE,
    FORMAT_FAILURE,
    MEASURES,
    NAMES as JUDGED,
    OF_CANDIDATES,
    WITHOUT_ANSWER,
    Case,
    GoldLanguages,
    JudgePrompt,
    Measure,
    RankedList,
    Reply,
    Score,
    judged_by,
    judged_name,
    measures_with,
    metric_in,
    prompt_languages,
    ranking,
    semscore_with,
    well_formed_name,
)
from workbench.pipeline import (
    BUILTIN,
    Executor,
    Generate,
    State,
    StepOutcome,
    bind,
    format_failure,
    instructions_of,
)

DEFAULT_METRICS = (
    *("char3_recall", "char3_recall_paper", "flexible_em", "flexible_em_paper"),
    *("clr", "hallucination", "abstention_error", "hit@5"),
)
"""What is measured where nobody says; the `_paper` ones beside ours, since published tables have them."""
NO_GOLD_PASSAGE = Score(None, "No gold passage lies in the languages searched.")
NOTHING_TO_FIND = Score(None, "No gold passage: the question is unanswerable.")
NO_PASSAGES = Score(None, "Nothing was retrieved.")
RERANKED: Mapping[str, str] = {f"{name}_reranked": name for name in ranking.RANKING_MEASURES}
"""Ranking metrics after reranking, by the name of the same metric before it."""
SEMSCORE = "semscore"
"""The metric that compares meanings by an encoder, whose name becomes part of it."""


@dataclass(frozen=True, slots=True)
class JudgeContext:
    """What a judge must see besides an answer.

    The texts of the passages as the generator read them, best first, the instructions, all that the generator wrote (""
    where that is the answer), and, where a metric judges them, the texts of the best candidates as they were retrieved.
    """

    passages: tuple[str, ...] = ()
    instructions: str = ""
    output: str = ""
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scorable:
    """One answer: its text, the ids of all passages that the retriever ranked, best first, and the languages searched.

    Where the question's gold names pages, the rankings are of pages (`corpora.gold_places.GoldPlaces.units`).
    `reranked` are the same passages as a reranker ranked them, None without one. `depth` is how many passages were
    asked for, None where that is unknown. `format_failure` is why the text is not an answer, in a sentence, "" where it
    is one. `judge_context` is for judges alone.
    """

    question: Question
    text: str
    ranking: tuple[str, ...]
    scope: tuple[str, ...]
    judge_context: JudgeContext = JudgeContext()
    reranked: tuple[str, ...] | None = None
    depth: int | None = None
    format_failure: str = ""


def checked_metrics(
    names: Iterable[str],
    judge: str = "",
    encoder: str | None = None,
    judge_language: str = DEFAULT_JUDGE_LANGUAGE,
) -> tuple[str, ...]:
    """`names`, if each names a metric; judged ones under the name for this judge, SemScore for this encoder.

    A judge that is asked in two languages gives each of its metrics two names. `encoder` is None where SemScore is not
    offered. Raises UsageError.
    """
    metrics = tuple(names)
    allowed = {*MEASURES, *ranking.RANKING_MEASURES, *RERANKED, *JUDGED, *(() if encoder is None else (SEMSCORE,))}
    for name in metrics:
        if name not in allowed:
            raise unknown_name("metric", name, allowed, "For example: char3_recall")
        if name in JUDGED and not judge:
            raise UsageError(
                f"The metric {name} needs a judge: name a generator as the “judge”, for example: "
                "openai-like:MODEL@ENDPOINT"
            )
    if judge and not any(name in JUDGED for name in metrics):
        raise UsageError("A judge is named, but no metric that uses it. Leave it out, or add one, for example: g_eval")
    if SEMSCORE in metrics and not encoder:
        raise UsageError(
            "The metric semscore needs an encoder. Select one, or write it as “semscore_encoder:”, for example: bge-m3"
        )
    if encoder and SEMSCORE not in metrics:
        raise UsageError("An encoder for semscore is named, but not that metric. Leave it out, or add: semscore")
    languages = prompt_languages(judge_language)
    complete: list[str] = []
    for name in metrics:
        if name in JUDGED:
            complete += [judged_name(name, judge, prompt_language) for prompt_language in languages]
        else:
            complete.append(judged_name(name, encoder or "") if name == SEMSCORE else name)
    return tuple(complete)


def metric_without_model(name: str) -> str:
    """The name of a metric without the judge or the encoder that its values are by.

    >>> metric_without_model("semscore@bge-m3"), metric_without_model("clr@glotlid~1a2b3c")
    ('semscore', 'clr@glotlid~1a2b3c')
    """
    return SEMSCORE if name.partition("@")[0] == SEMSCORE else metric_in(name) or name


def stored_name(metric: str, mark: str) -> str:
    """The name that values of a metric are stored under; `mark` names the language identifier, "" the built-in one.

    >>> stored_name("clr", "glotlid~1a2b3c"), stored_name("clr", ""), stored_name("rouge_l", "glotlid~1a2b3c")
    ('clr@glotlid~1a2b3c', 'clr', 'rouge_l')
    """
    return f"{metric}@{mark}" if mark and metric in BY_IDENTIFIER else metric


def answer_measures(identifier: IdentifierInUse) -> dict[str, Measure]:
    """The answer metrics with the language identifier that they use, by the names that values are stored under."""
    return {stored_name(name, identifier.mark): item for name, item in measures_with(identifier.detector).items()}


def score(
    metrics: Sequence[str],
    scorables: Sequence[Scorable],
    languages: GoldLanguages,
    measures: Mapping[str, Measure] = MEASURES,
) -> list[dict[str, Score]]:
    """The scores of each item by metric. `languages` gives the language of each gold passage, or those of a gold page.

    `measures` are the answer metrics and the judged ones, by the names that their values are stored under.
    """
    judged = [name for name in metrics if metric_in(name)]
    by_ranking = [name for name in metrics if name in ranking.RANKING_MEASURES or name in RERANKED]
    by_answer = [name for name in metrics if name not in (*judged, *by_ranking)]
    answers = {_answer_key(scorable): scorable for scorable in scorables}
    lists = {_list_key(scorable): scorable for scorable in scorables}
    views = {_judge_key(scorable): scorable for scorable in scorables}
    answer_scores = dict(zip(answers, _answer_scores(by_answer, list(answers.values()), measures), strict=True))
    list_scores = dict(zip(lists, _ranking_scores(by_ranking, list(lists.values()), languages), strict=True))
    judge_scores = dict(zip(views, _judge_scores(judged, list(views.values()), measures), strict=True))
    return [
        {
            **answer_scores[_answer_key(scorable)],
            **list_scores[_list_key(scorable)],
            **judge_scores[_judge_key(scorable)],
        }
        for scorable in scorables
    ]


def format_scores(state: State, scores: Mapping[str, Score]) -> dict[str, Score]:
    """Whether a D-RAG output has no labelled answer, and its `scores` that count only where it has one.

    {} for an answer of another mode, or where none was asked.
    """
    if state.sections is None or state.prompt is None:
        return {}
    failure = format_failure(state.sections)
    well_formed = {
        name: Score(None, failure) if failure and score.scored else score
        for metric, score in scores.items()
        if (name := well_formed_name(metric))
    }
    return {FORMAT_FAILURE: Score(float(bool(failure))), **well_formed}


def _answer_key(scorable: Scorable) -> Hashable:
    return scorable.question.id, scorable.question.language, scorable.text, scorable.format_failure


def _list_key(scorable: Scorable) -> Hashable:
    question = scorable.question
    return (
        question.id,
        question.language,
        question.gold,
        scorable.ranking,
        scorable.reranked,
        scorable.depth,
        scorable.scope,
    )


def _judge_key(scorable: Scorable) -> Hashable:
    return (
        scorable.question.id,
        scorable.question.language,
        scorable.text,
        scorable.judge_context,
        scorable.format_failure,
    )


def _answer_scores(
    names: Sequence[str], scorables: Sequence[Scorable], measures: Mapping[str, Measure]
) -> list[dict[str, Score]]:
    cases = [_case(scorable) for scorable in scorables] if names else []
    columns = [measures[name].score(cases) for name in names]
    return _by_item(names, columns, len(scorables))


def _judge_scores(
    names: Sequence[str], scorables: Sequence[Scorable], measures: Mapping[str, Measure]
) -> list[dict[str, Score]]:
    answers, outputs, searches = [], [], []
    for scorable in scorables if names else ():
        context = scorable.judge_context
        answers.append(replace(_case(scorable), passages=context.passages, instructions=context.instructions))
        outputs.append(replace(answers[-1], prediction=context.output or scorable.text, format_failure=""))
        searches.append(replace(answers[-1], passages=context.candidates, format_failure=""))
    cases = {**dict.fromkeys(WITHOUT_ANSWER, outputs), **dict.fromkeys(OF_CANDIDATES, searches)}
    columns = [measures[name].score(cases.get(metric_in(name), answers)) for name in names]
    return _by_item(names, columns, len(scorables))


def _by_item(names: Sequence[str], columns: Sequence[Sequence[Score]], count: int) -> list[dict[str, Score]]:
    """The scores of each of `count` answers by metric, from one column per metric."""
    if not names:
        return [{} for _ in range(count)]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _case(scorable: Scorable) -> Case:
    question = scorable.question
    return Case(
        scorable.text,
        question.answers,
        language(question.language),
        question=question.text,
        unanswerable=question.unanswerable,
        false_premise=question.false_premise,
        format_failure=scorable.format_failure,
    )


def _ranking_scores(
    names: Sequence[str], scorables: Sequence[Scorable], languages: GoldLanguages
) -> list[dict[str, Score]]:
    if not names:
        return [{} for _ in scorables]
    golds = [ranking.gold_in_scope(scorable.question.gold, languages, scorable.scope) for scorable in scorables]
    before = [name for name in names if name in ranking.RANKING_MEASURES]
    after = [name for name in names if name in RERANKED]
    retrieved = [RankedList(scorable.ranking, gold) for scorable, gold in zip(scorables, golds, strict=True)]
    reranked = [
        RankedList(scorable.ranking if scorable.reranked is None else scorable.reranked, gold)
        for scorable, gold in zip(scorables, golds, strict=True)
    ]
    columns = {
        **_ranking_columns({name: name for name in before}, retrieved),
        **_ranking_columns({name: RERANKED[name] for name in after}, reranked),
    }
    return [
        {name: _ranking_score(RERANKED.get(name, name), columns[name][index], scorable) for name in names}
        for index, scorable in enumerate(scorables)
    ]


def _ranking_columns(names: Mapping[str, str], lists: Sequence[RankedList]) -> dict[str, list[float | None]]:
    """The values of each list by name, which stands for a measure; None where a list has no gold passage."""
    rows = ranking.score_lists(lists, names.values()) if names else []
    return {name: [row[measure] if row is not None else None for row in rows] for name, measure in names.items()}


def _ranking_score(measure: str, value: float | None, scorable: Scorable) -> Score:
    if value is None:
        if scorable.question.unanswerable:
            return NOTHING_TO_FIND
        return NO_GOLD_PASSAGE if scorable.scope else NO_PASSAGES
    if scorable.depth is not None and ranking.depth_of(measure) > scorable.depth:
        return ranking.too_shallow(scorable.depth)
    return Score(value)


def checked_metric_encoder(name: str) -> str:
    """`name` without white space around it. Raises UsageError where it names no encoder of any text."""
    encoder = name.strip()
    if encoder == BUILTIN:
        raise UsageError(
            "The built-in encoder is fitted to a corpus and cannot compare answers. Name another, for example: bge-m3"
        )
    if encoder:
        check_name(encoder, "encoder")
    return encoder


def semantic_measures(encoder: str, home: Path) -> Mapping[str, Measure]:
    """SemScore with `encoder` under the name that its values are stored under; nothing where that is ""."""
    if not encoder:
        return {}
    score = partial(_score, _EncoderOnce(encoder, home))
    return {
        judged_name(SEMSCORE, encoder): Measure(SEMSCORE, "SemScore", "Aynetdinov and Akbik (2024)", score, low=-1.0)
    }


@dataclass
class _EncoderOnce:
    """An encoder that is made when it is first needed."""

    name: str
    home: Path
    _measure: Measure | None = None

    def measure(self) -> Measure:
        """SemScore with it. Raises UsageError, MissingError."""
        if self._measure is None:
            self._measure = semscore_with(Registry(self.home).dense_encoder(self.name))
        return self._measure


def _score(encoder: _EncoderOnce, cases: Sequence[Case]) -> list[Score]:
    """The scores; all unscored where the encoder is not on this machine or its service gives nothing."""
    try:
        return encoder.measure().score(cases)
    except WorkbenchError as error:
        return [Score(None, str(error)) for _ in cases]


STAGE = "judge"


def candidate_depth(metrics: Iterable[str]) -> int:
    """The number of candidates that the deepest of some metrics judges, 0 where none judges candidates."""
    return max((OF_CANDIDATES.get(metric_in(name), 0) for name in metrics), default=0)


def judge_context(state: State, candidates: Sequence[Evidence] = ()) -> JudgeContext:
    """What a judge must see of a finished cell, and of its best candidates."""
    return JudgeContext(
        passages=tuple(_as_read(item) for item in state.evidence),
        instructions=instructions_of(state.prompt) if state.prompt else "",
        output=without_thinking(state.generation.text) if state.generation else "",
        candidates=tuple(_as_read(item) for item in candidates),
    )


def judged_measures(judge: SharedJudge, judge_language: str) -> Mapping[str, Measure]:
    """The measures that a judge gives, each by the name that includes the judge's and the language it is asked in.

    `judge_language` is one of `judge_names.JudgeLanguage`; raises UsageError for another.
    """
    return {
        judged_name(item.name, judge.name, prompt_language): item
        for prompt_language in prompt_languages(judge_language)
        for item in judged_by(judge, prompt_language=prompt_language)
    }


class SharedJudge:
    """Implements `metrics.judge.Judge` by an executor that isolates failures.

    The generator is made when the first reply is needed. `prompt_tokens` and `completion_tokens` count what its replies
    took, whenever they were generated.
    """

    def __init__(self, name: str, home: Path, executor: Executor) -> None:
        self.name = name
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self._home = home
        self._executor = executor

    def replies(self, prompts: Sequence[JudgePrompt]) -> list[Reply]:
        """One reply or failure per prompt, in order. Raises JobStopped."""
        states = [State("", "", prompt=Prompt(prompt.system, prompt.user, Task("", ""))) for prompt in prompts]
        try:
            (stage,) = bind([Generate(Registry(self._home).judge(self.name), name=STAGE)])
            return [self._reply(outcome) for outcome in self._executor.step(stage, states)]
        except WorkbenchError as error:
            # It is not on this machine, or cannot be loaded.
            return [Reply(failure=str(error)) for _ in prompts]

    def _reply(self, outcome: StepOutcome) -> Reply:
        if outcome.failure:
            return Reply(failure=outcome.failure)
        generation = outcome.state.generation
        if generation is None:
            return Reply()
        if generation.usage is not None:
            self.prompt_tokens += generation.usage.prompt_tokens
            self.completion_tokens += generation.usage.completion_tokens
        return Reply(generation.text, cut=generation.finish == "length")


def _as_read(item: Evidence) -> str:
    """A passage as the generator read it."""
    return f"{item.title}\n{item.text}" if item.title else item.text
