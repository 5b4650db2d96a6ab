"""Scores of a replay by the metrics that the stored answer was scored by, where these need no judge."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from workbench.app import Workbench
from workbench.components import IdentifierInUse, identifier_in_use
from workbench.core import Question, WorkbenchError
from workbench.experiments.results.answer_scoring import (
    DEFAULT_METRICS,
    FORMAT_FAILURE,
    RERANKED,
    SEMSCORE,
    Scorable,
    answer_measures,
    metric_without_model,
    score,
    stored_name,
)
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.semantic_scoring import semantic_measures
from workbench.metrics import Measure, Score, metric_in, ranking
from workbench.pipeline import Recipe, State, format_failure

NEEDS_JUDGE = Score(None, "A replay asks no judge.")
NOT_HERE = Score(None, "Its encoder is not on this machine, and a replay sends no answer away to be measured.")
OTHER_IDENTIFIER = Score(None, "It was measured by another language identifier than the one in use.")
NO_SEARCH = Score(None, "Nothing was searched: the documents were given.")


def stored_scores(item: Instance) -> Mapping[str, Score]:
    """The scores that are stored with an answer."""
    return {name: Score(value, item.reasons.get(name, "")) for name, value in item.scores.items()}


class ReplayScorer:
    """Scores the replays of one answer against its golds, by its metrics; by the default ones where it has none."""

    def __init__(self, workbench: Workbench, item: Instance) -> None:
        self._workbench = workbench
        self._item = item

    def score(self, state: State, recipe: Recipe, *, has_search: bool) -> Mapping[str, Score]:
        """The score of a finished state by each metric. `has_search`: whether the state's ranking is of a search."""
        item = self._item
        question = Question(item.question, item.text, item.language, item.golds, item.gold_passages, item.evidence_in)
        golds = self._workbench.corpus(recipe.corpus).golds
        scorable = Scorable(
            question,
            state.answer,
            golds.units(question.gold, state.ranking or ()),
            state.scope,
            reranked=None if state.reranked is None else golds.units(question.gold, state.reranked),
            depth=recipe.candidates,
            unscored=format_failure(state.sections),
        )
        measured = [name for name in self._names if self._why_not(name, has_search=has_search) is None]
        (scores,) = score(measured, [scorable], golds.languages(question.gold), self._measures)
        shown = {name: scores.get(name) or self._why_not(name, has_search=has_search) for name in self._names}
        format_score = _format_score(state)
        extra = {} if format_score is None else {FORMAT_FAILURE: format_score}
        return {**{name: value for name, value in shown.items() if value is not None}, **extra}

    @cached_property
    def _names(self) -> tuple[str, ...]:
        names = tuple(name for name in self._item.scores if name != FORMAT_FAILURE)
        return names or tuple(stored_name(name, self._identifier.mark) for name in DEFAULT_METRICS)

    @cached_property
    def _identifier(self) -> IdentifierInUse:
        return identifier_in_use(self._workbench.settings.home)

    @cached_property
    def _measures(self) -> Mapping[str, Measure]:
        by_encoder = [name.partition("@")[2] for name in self._names if metric_without_model(name) == SEMSCORE]
        home = self._workbench.settings.home
        semantic = [semantic_measures(name, home) for name in by_encoder if self._is_local(name)]
        return {**answer_measures(self._identifier), **{name: item for each in semantic for name, item in each.items()}}

    def _is_local(self, encoder: str) -> bool:
        """Whether an encoder is known and sends nothing away."""
        try:
            return not self._workbench.registry.host(encoder)
        except WorkbenchError:
            return False

    def _why_not(self, name: str, *, has_search: bool) -> Score | None:
        """The score of a metric that is not measured, None where it is."""
        if metric_in(name):
            return NEEDS_JUDGE
        if name in ranking.RANKING_MEASURES or name in RERANKED:
            return None if has_search else NO_SEARCH
        if name in self._measures:
            return None
        return NOT_HERE if metric_without_model(name) == SEMSCORE else OTHER_IDENTIFIER


def _format_score(state: State) -> Score | None:
    """Whether a D-RAG output has no labelled answer, None for an answer of another mode."""
    if state.sections is None or state.prompt is None:
        return None
    return Score(float(bool(format_failure(state.sections))))
