"""A search's report in sentences, the same on the command line and on the screen."""

from __future__ import annotations

from workbench.optimise.search_figures import MeanFigure
from workbench.optimise.search_report import SearchReport
from workbench.optimise.selection.chance import TYPICAL_SPREADS, PilotSpread, visible_gain
from workbench.optimise.space.search_space import COUNTED, SearchSpace


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


def headline(report: SearchReport) -> str:
    """The best recipe with its score on both halves of the questions, in a few sentences."""
    best = report.best
    if best is None:
        return "No recipe is scored yet."
    name = f"Best by {report.goal}" if report.is_best_by_goal else "The search took"
    text = (
        f"{name}: {best.choices}. On the questions of the search it has {figure_words(best.searched)} by {report.goal}"
    )
    if report.is_best_by_goal:
        text = text.removesuffix(f" by {report.goal}")
    if not report.figures.parts.holdout:
        return f"{text}; no questions were held out, so this score is too high: it is the highest of several."
    if not best.holdout.n:
        return f"{text}; it is not measured on the held-out questions yet."
    text += f"; on held-out questions {figure_words(best.holdout)}."
    shrunk = report.shrinkage
    if shrunk is None:
        return text
    interval = shrunk.interval
    within = "" if interval is None else f" [{interval.low:+.3f}, {interval.high:+.3f}]"
    if interval is None:
        verdict = "on too few questions for an interval"
    elif interval.high < 0:
        verdict = "the held-out questions are easier by more than chance explains"
    else:
        verdict = "more than chance between two samples explains" if shrunk.is_beyond_sampling else "within chance"
    return f"{text} Shrinkage: {shrunk.shrinkage:+.3f}{within}, {verdict}. Report the held-out score."


def confidence_words(report: SearchReport) -> str:
    """How many recipes may be the best, and which of them is the cheapest."""
    result = report.confidence
    if result is None:
        return "Too few recipes or questions to compare recipes with each other."
    total, members = len(result.p_values), len(result.members)
    leader = report.leader_row
    ahead = "" if report.is_best_by_goal or leader is None else report.choices_of(report.figures.recipes[leader])
    if result.winner is not None:
        others = "the only other recipe" if total == 2 else f"all {total - 1:,} others"
        text = f"{ahead or 'It'} is told apart from {others} on {result.groups:,} questions: a winner."
    else:
        text = (
            f"{members:,} of {total:,} recipes are not told apart from the best on {result.groups:,} questions "
            "(translations count once): any of them may be as good."
        )
        if ahead:
            text = f"By {report.goal}, {ahead} is ahead of the recipe that the search took. {text}"
    cheapest = report.cheapest_row
    if cheapest is not None and members > 1:
        text += f" The cheapest of them: {report.choices_of(report.figures.recipes[cheapest])}."
    left_out = len(report.figures.recipes) - len(report.compared)
    if left_out:
        recipes = "recipe" if left_out == 1 else "recipes"
        text += f" {left_out:,} {recipes} with too few questions, or far behind, left out of the comparison."
    return text


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


def size_words(groups: int, recipes: int, spread: PilotSpread | None) -> str:
    """What a number of questions can show among as many recipes, by a pilot's spread or by an assumed one."""
    if recipes < 2:
        return "One recipe alone is compared with nothing."
    if spread is not None and spread.value > 0:
        text = _visible_words(groups, recipes, spread.value)
        return f"{text}, by the pilot's spread of {spread.value:.2f} (at most {spread.high:.2f} with 80 %)."
    gains = [
        f"{_visible(groups, recipes, value)} if two recipes' scores differ by {value:g}" for value in TYPICAL_SPREADS
    ]
    why = "No pilot tells yet how much recipes differ" if spread is None else "In the pilot no two recipes differed"
    return (
        f"{why}, so this is an assumption: with {groups:,} questions a gain can "
        f"be seen of {', '.join(gains)} (standard deviation per question)."
    )


def _visible_words(groups: int, recipes: int, spread: float) -> str:
    gain = visible_gain(spread, groups, recipes)
    if gain is None:
        return f"With {groups:,} questions no gain among {recipes:,} recipes can be seen, whatever it is"
    return f"With {groups:,} questions, gains of at least {gain:.3f} among {recipes:,} recipes can be seen"


def _visible(groups: int, recipes: int, spread: float) -> str:
    gain = visible_gain(spread, groups, recipes)
    return "none" if gain is None else f"at least {gain:.2f}"
