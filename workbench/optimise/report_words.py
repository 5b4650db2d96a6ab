"""A search's report in sentences, the same on the command line and on the screen."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.experiments import counted
from workbench.metrics import metric_name
from workbench.optimise.forecast import Forecast
from workbench.optimise.search_figures import MeanFigure
from workbench.optimise.search_report import SearchReport
from workbench.optimise.selection.chance import TYPICAL_SPREADS, PilotSpread, visible_gain
from workbench.optimise.space.search_space import COUNTED, SearchSpace
from workbench.workspace import duration_words


def idle_words(space: SearchSpace) -> str:
    """How many combinations of a small space are no recipe of their own, in a sentence; "" for none."""
    if not space.size < space.combinations <= COUNTED:
        return ""
    return (
        f"{space.combinations - space.size:,} of {space.combinations:,} combinations are not measured: they differ "
        "from others only in fields without an effect beside their other choices, or no recipe allows them."
    )


def figure_words(figure: MeanFigure) -> str:
    """A mean with its interval and n.

    >>> figure_words(MeanFigure(0.5, 0.4, 0.6, 20)), figure_words(MeanFigure(None, None, None, 0))
    ('0.500 [0.400, 0.600], n = 20', 'unscored')
    """
    if figure.mean is None:
        return "unscored"
    interval = "" if figure.low is None else f" [{figure.low:.3f}, {figure.high:.3f}]"
    return f"{figure.mean:.3f}{interval}, n = {figure.n:,}"


def verdict(report: SearchReport) -> str:
    """Which recipe to take and why, or what it would need to know, in one sentence."""
    pick, result = report.recommended, report.confidence
    if not len(report.compared):
        return "No recipe is scored yet."
    total, groups = len(report.compared), len(set(report.search_groups))
    if pick is None:
        questions, needed, gain = f"{groups:,} distinct {_questions(groups)}", report.groups_needed, report.gain_to_show
        return (
            f"Nothing can be told apart: with {questions}, any of the {total:,} recipes may be the best; about "
            f"{needed:,} would show a difference of {gain:.2f}."
        )
    if result is None:
        return f"{pick.choices}: the only recipe that is scored, so it is compared with nothing."
    if result.winner is not None:
        return f"The best is {pick.choices}: told apart from {_others(total)} on {groups:,} {_questions(groups)}."
    named = "the cheapest of them is" if pick.is_cheapest else "the search took"
    return (
        f"{len(result.members):,} of {total:,} recipes may be the best, as {groups:,} distinct {_questions(groups)} do "
        f"not tell them apart; {named} {pick.choices}."
    )


def headline(report: SearchReport) -> str:
    """The score of the recommended recipe on both halves of the questions, of none the best one's, in sentences."""
    pick = report.recommended or report.best
    if pick is None:
        return ""
    of = "this recipe" if pick.is_recommended else f"what the search took, {pick.choices}"
    text = f"{metric_name(report.goal)} of {of}: {figure_words(pick.searched)}, on the questions of the search"
    if not report.figures.parts.holdout:
        return f"{text}; no questions were held out, so this score is too high: it is the highest of several."
    if pick.holdout.mean is None or pick.searched.mean is None:
        return f"{text}; it is not measured on the held-out questions yet."
    change = pick.holdout.mean - pick.searched.mean
    text += f"; {figure_words(pick.holdout)}, on held-out ones"
    shrunk = report.shrinkage
    if shrunk is None:
        return f"{text}."
    interval = shrunk.interval
    if interval is None:
        why = "on too few questions for an interval"
    elif interval.high < 0:
        why = "the held-out questions are easier by more than chance explains"
    else:
        why = "more than chance between two samples explains" if shrunk.is_beyond_sampling else "within chance"
    moved = f"{abs(change):.2f} {'higher' if change > 0 else 'lower'}" if abs(change) >= 0.005 else "the same"
    return f"{text}: {moved} on held-out questions, {why}. Report the held-out score."


def _others(total: int) -> str:
    return "the only other recipe" if total == 2 else f"all {total - 1:,} others"


def _questions(count: int) -> str:
    return "question" if count == 1 else "questions"


def comparison_words(report: SearchReport) -> str:
    """What the verdict does not say of the comparison: who is ahead of the recipe taken, and what is left out."""
    texts = []
    if not report.is_best_by_goal and report.leader_row is not None:
        leader = report.choices_of(report.figures.recipes[report.leader_row])
        texts.append(f"By {metric_name(report.goal)}, {leader} is ahead of the recipe that the search took.")
    if left_out := len(report.figures.recipes) - len(report.compared):
        text = "with too few questions, or far behind, left out of the comparison."
        texts.append(f"{counted(left_out, 'recipe')} {text}")
    return " ".join(texts)


NO_SHARE = {
    True: "no two recipes differ by more than chance",
    False: "its values came only together with those of others",
}
"""Why a field has no share of importance, by whether it is separable."""


def luck_words(report: SearchReport) -> str:
    """The gain of the search beside the gain of luck, and how luck takes its recipe."""
    luck, path = report.luck, report.path
    if luck is None or not (path or report.is_best_by_goal):
        return ""
    verdict = "luck covers the gain" if luck.is_luck else "the gain is more than luck explains"
    subject = "The best" if report.is_best_by_goal else "The recipe taken"
    text = (
        f"{subject} is {luck.gain:.3f} above the mean of the {luck.recipes:,} compared recipes, on {luck.groups:,} "
        f"questions. Among as many recipes that do not differ, chance alone gains {luck.mean:.3f} on average and up to "
        f"{luck.high:.3f} in 19 of 20 searches: {verdict} ({p_words(luck.p)}). "
        + (
            "Luck decides node by node here, as the search did."
            if path
            else "Luck takes the best of these recipes here, as an exhaustive search does; so do a race and TPE."
        )
    )
    if len(report.figures.recipes) > luck.recipes:
        text += " Recipes that were left out are not in it, so luck gains more than that."
    return text


def p_words(p: float) -> str:
    """A probability as p is stated; it is never 0.

    >>> p_words(0.0301), p_words(0.0005)
    ('p = 0.030', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def language_words(report: SearchReport) -> str:
    """Whether one recipe per language is better than one for all."""
    result = report.languages
    if result is None or result.gain is None:
        return ""
    interval = "" if result.interval is None else f" [{result.interval.low:+.3f}, {result.interval.high:+.3f}]"
    gain = f"{result.gain:+.3f}{interval}"
    if result.is_too_few:
        return (
            f"One recipe per language gains {gain} on held-out questions; {result.groups:,} of them are too few for a "
            "test."
        )
    p = "" if result.p is None else f", {p_words(result.p)}"
    verdict = "Specialising pays" if result.pays else "Nothing shows that specialising pays"
    wide = result.pays and result.interval is not None and result.interval.low <= 0
    why = (
        " The interval reaches 0 since it allows for rare questions that were not drawn; the test does not."
        if wide
        else ""
    )
    return f"{verdict}: one recipe per language gains {gain} on {result.groups:,} held-out questions{p}.{why}"


def forecast_lines(cost: Forecast) -> Iterator[str]:
    """What a search will take, line by line: steps by stage, calls, tokens, time and money, and what is not known."""
    most = "" if cost.exact else "at most "
    size = f"{most}{counted(cost.recipes, 'recipe')} on {counted(cost.questions, 'question')}"
    yield f"{size[0].upper()}{size[1:]}."
    for name, count in cost.steps.items():
        yield f"{name}: {counted(count, 'step')}, of which {cost.remaining[name]:,} remain."
    yield f"Calls of a generator: {'exactly' if cost.exact_calls else 'at most'} {cost.calls:,}."
    if (later := cost.confirmation) is not None:
        time = "" if later.seconds is None else f", about {duration_words(later.seconds)}"
        yield f"Confirming on {later.questions:,} held-out questions: at most {later.calls:,} more calls{time}."
    for name, number in cost.unready.items():
        yield f"{counted(number, 'recipe')} cannot run and are not counted: {name} is not ready on this machine."
    for corpus, encoder in cost.unindexed:
        yield f"The index of {corpus} by {encoder} is built first; its recipes are not counted."
    if cost.seconds is not None:
        tokens = f", {cost.tokens:,} tokens" if cost.tokens else ""
        money = f", {cost.money:,.4g} {cost.currency}" if cost.money else ""
        yield f"According to the trial it takes {most}about {duration_words(cost.seconds)}{tokens}{money}."
    yield from (f"{name} has no price in prices.yaml, so no cost is known." for name in cost.unpriced)
    if cost.unmet:
        yield f"Not included, as the trial did not reach them: {', '.join(cost.unmet)}."
    if cost.failed:
        yield f"{counted(cost.failed, 'answer')} of the trial failed."


def size_words(groups: int, recipes: int, spread: PilotSpread | None) -> str:
    """The smallest difference that a number of questions can show among as many recipes, by a pilot's spread or not."""
    if recipes < 2:
        return "One recipe alone is compared with nothing."
    if spread is not None and spread.value > 0:
        text = _visible_words(groups, recipes, spread.value)
        return f"{text}, by the trial's spread of {spread.value:.2f} (at most {spread.high:.2f} with 80 %)."
    return f"{_visible_words(groups, recipes, TYPICAL_SPREADS[1])}, if two recipes differ as much as is usual."


def _visible_words(groups: int, recipes: int, spread: float) -> str:
    gain = visible_gain(spread, groups, recipes)
    questions = f"{groups:,} distinct {'question' if groups == 1 else 'questions'}"
    if gain is None or gain > 1:
        return f"With {questions} no difference between {recipes:,} recipes can be shown"
    return f"With {questions} the smallest difference between {recipes:,} recipes that can be shown is {gain:.2f}"
