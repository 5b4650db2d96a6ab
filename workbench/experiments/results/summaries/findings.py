"""What a figure shows, in a sentence: the best, how sure that is, over how many answers, and what is undecided.

Every sentence is computed from the figures below it and from paired tests over the same answers. It calls nothing
better unless the test does, corrected for all pairs where the best was chosen by its score.

Runs are ordered by a metric over the questions that all of them answered, so that none leads by easier questions; those
over different datasets are ranked separately. A run that answered less than `COVERAGE` of the questions is listed
without a rank, and so is a run without scores. Runs with the same mean share a rank.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import inf

import numpy as np

from workbench.experiments.results.filters import Filter, of_questions_of
from workbench.experiments.results.queries.aggregates import Flow, MeanWithInterval
from workbench.experiments.results.queries.score_arrays import MetricValues, Numbers, common
from workbench.experiments.results.result_store import ResultView
from workbench.experiments.results.run_pairs import Comparison, Delta, MetricCorrelation, comparable, run_deltas
from workbench.experiments.results.summaries.run_names import choice_name, choice_title
from workbench.metrics import AGAINST_GOLDS, influences, mean_interval, metric_name, scale_of

COVERAGE = 0.8
"""The share of the questions that a run must have answered to be ranked among the others."""
DIGITS = 9
"""Decimals to which two means are compared: further ones are rounding."""

Cells = Mapping[int, Mapping[str, tuple[int, int]]]
"""By run and language: the cells that were scored or tried, and how many of them have a value."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A run among the others of its dataset.

    `rank` counts from 1, None where the run is not ranked. `mean`, `low` and `high` are over `n` answers: those to the
    common questions where `common`, else the run's. The run answered `answered` of the `questions` of its dataset,
    counting a question once in each language; `unscored` of these have no value.
    """

    run: int
    dataset: str
    rank: int | None
    mean: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int
    answered: int
    questions: int
    common: bool

    @property
    def is_partial(self) -> bool:
        """Whether the run answered too few of the questions to be ranked."""
        return self.answered < COVERAGE * self.questions


def standings(view: ResultView, metric: str, limit: int, *, common: bool = True) -> tuple[list[Standing], int]:
    """The `limit` best runs by dataset and rank, those without a rank last, and how many runs there are.

    With `common`, runs are compared on the questions for which each ranked run of their dataset has a value; where
    there is none, and without `common`, each run has the mean of its own questions. Raises UsageError for a metric that
    nothing was scored by.
    """
    ranked, count = view.best_runs(metric, limit)
    dataset_of = {run.id: run.dataset for run in view.with_filter(_of_runs(view.filter, ranked)).runs()}
    cells = _cells(view, metric)
    by_dataset: dict[str, list[MeanWithInterval]] = defaultdict(list)
    for row in ranked:
        by_dataset[dataset_of[int(row.key[0])]].append(row)
    rows: list[Standing] = []
    for dataset, items in by_dataset.items():
        questions = _questions([cells[int(item.key[0])] for item in items])
        group = [_standing(item, dataset, cells[int(item.key[0])], questions) for item in items]
        rows += _ranked(view, metric, group, cells, common=common)
    return rows, count


def _standing(
    interval: MeanWithInterval, dataset: str, cells: Mapping[str, tuple[int, int]], questions: int
) -> Standing:
    return Standing(
        run=int(interval.key[0]),
        dataset=dataset,
        rank=None,
        mean=interval.mean,
        low=interval.low,
        high=interval.high,
        n=interval.n,
        unscored=interval.unscored,
        answered=sum(tried for tried, _ in cells.values()),
        questions=questions,
        common=False,
    )


def _ranked(view: ResultView, metric: str, group: Sequence[Standing], cells: Cells, *, common: bool) -> list[Standing]:
    """The runs of one dataset, the ranked ones first."""
    full = [item for item in group if item.mean is not None and not item.is_partial]
    if common and len(full) > 1:
        full = _on_common_questions(view, metric, full, cells)
    goodness = scale_of(metric).goodness
    full.sort(key=lambda item: -goodness(item.mean) if item.mean is not None else inf)
    rank, rows = 0, []
    for place, item in enumerate(full, start=1):
        same = place > 1 and round(item.mean or 0.0, DIGITS) == round(full[place - 2].mean or 0.0, DIGITS)
        rank = rank if same else place
        rows.append(replace(item, rank=rank))
    rest = [item for item in group if item.mean is None or item.is_partial]
    return [*rows, *sorted(rest, key=lambda item: item.mean is None)]


def _on_common_questions(view: ResultView, metric: str, rows: list[Standing], cells: Cells) -> list[Standing]:
    if _are_alike(view, rows, cells):
        return [replace(row, common=True) for row in rows]
    runs = tuple(row.run for row in rows)
    compared = view.with_filter(of_questions_of(view.filter, runs))
    values, numbers = compared.values_by_question(metric), compared.question_numbers()
    keys: Numbers = reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True),
                           (values[run].keys for run in runs))  # fmt: skip
    if not keys.size:
        return rows
    return [_over(row, metric, values[row.run], keys, numbers) for row in rows]


def _over(row: Standing, metric: str, values: MetricValues, keys: Numbers, numbers: Numbers) -> Standing:
    """A run's row over the questions `keys` alone, all of which it has a value for."""
    scores = values.values[np.searchsorted(values.keys, keys)]
    _, column, sizes = np.unique(numbers[keys], return_inverse=True, return_counts=True)
    sums = np.bincount(column, weights=scores).astype(np.float64)
    scale, mean = scale_of(metric), float(scores.mean())
    interval = mean_interval(influences(sums, sizes.astype(np.float64)), low=scale.low, high=scale.high, mean=mean)
    low, high = (interval.low, interval.high) if interval else (None, None)
    return replace(row, mean=mean, low=low, high=high, n=int(keys.size), common=True)


def _are_alike(view: ResultView, rows: Sequence[Standing], cells: Cells) -> bool:
    """Whether the runs need no look at single questions: of one experiment, all cells answered and all of them scored.

    Runs of one experiment over one dataset ask the same questions in each language.
    """
    runs = view.with_filter(Filter(runs=tuple(row.run for row in rows))).runs()
    first = cells[rows[0].run]
    return len({run.experiment_id for run in runs}) == 1 and all(
        cells[row.run] == first and not row.unscored for row in rows
    )


def _of_runs(filter_: Filter, items: Sequence[MeanWithInterval]) -> Filter:
    return replace(filter_, runs=tuple(sorted(int(item.key[0]) for item in items)))


def _cells(view: ResultView, metric: str) -> dict[int, dict[str, tuple[int, int]]]:
    cells: dict[int, dict[str, tuple[int, int]]] = defaultdict(dict)
    for figure in view.means([metric], ("run", "language")):
        run, language = figure.key
        cells[int(run)][str(language)] = (figure.n + figure.unscored, figure.n)
    return cells


def _questions(cells: Sequence[Mapping[str, tuple[int, int]]]) -> int:
    """How many questions some of the runs answered, a question counted once in each language."""
    languages = {language for run in cells for language in run}
    return sum(max(run.get(language, (0, 0))[0] for run in cells) for language in languages)


SIGNIFICANT = 0.05
NAMED = 3
"""Runs or values that a sentence names; of further ones it states the number."""
TESTED = 24
"""Runs or values that the best is tested against."""
TEST = "Paired permutation tests, corrected for all pairs (Bonferroni)."
RIGHT_LANGUAGE = "clr"
"""The metric that says whether an answer is in the question's language."""
ALONE = "There is nothing to compare it with here."
NOTHING = "No answer here is scored by this metric."


def value_words(mean: float | None, low: float | None, high: float | None, n: int) -> str:
    """A mean with its interval and n.

    >>> value_words(0.5, 0.4, 0.6, 1200), value_words(0.5, None, None, 1)
    ('0.50 (95 %: 0.40 to 0.60, n = 1,200 answers)', '0.50 (n = 1 answer)')
    """
    interval = "" if low is None or high is None else f"95 %: {low:.2f} to {high:.2f}, "
    return f"{0.0 if mean is None else mean:.2f} ({interval}n = {counted(n, 'answer')})"


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "run"), counted(1200, "run")
    ('1 run', '1,200 runs')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], noun: str = "other") -> str:
    """Some names as words; of many, the first and the number of the others.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 others')
    """
    names = list(names) if len(names) <= NAMED + 1 else [*names[:NAMED], counted(len(names) - NAMED, noun)]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def run_finding(view: ResultView, metric: str, rows: Sequence[Standing], titles: Mapping[int, str]) -> list[str]:
    """For each dataset: the run that ranks first, what is worse, and what cannot be told apart from it."""
    sentences = []
    datasets = list(dict.fromkeys(row.dataset for row in rows))
    for dataset in datasets[:NAMED]:
        ranked = [row for row in rows if row.dataset == dataset and row.rank is not None]
        if not ranked:
            sentences.append(f"{dataset}: no run has scores for enough of the questions to be ranked.")
            continue
        best, others = ranked[0], ranked[1 : TESTED + 1]
        deltas = run_deltas(view, metric, [[(best.run, row.run)] for row in others])
        named = {titles[row.run]: delta for row, delta in zip(others, deltas, strict=True)}
        value = value_words(best.mean, best.low, best.high, best.n)
        lead = f"{dataset}: " if len(datasets) > 1 else ""
        sentences.append(lead + _against(titles[best.run], value, named, metric))
    return sentences


def choice_finding(view: ResultView, metric: str, what: Comparison) -> str:
    """Which value of a choice is best over the runs of a view, and which others cannot be told apart from it."""
    by_score = [figure for figure in view.ranked_means(metric, what) if figure.mean is not None]
    if not by_score:
        return NOTHING
    best = str(by_score[0].key[0])
    means = {str(interval.key[0]): interval for interval in view.means_with_intervals(metric, (what,))}
    value = value_words(means[best].mean, means[best].low, means[best].high, means[best].n)
    names = [str(item.key[0]) for item in by_score]
    pairs = comparable(view, what, best, names[: TESTED + 1])
    deltas = run_deltas(view, metric, list(pairs.values()), min(len(names), TESTED + 1))
    named = {quoted(what, name): delta for name, delta in zip(pairs, deltas, strict=True)}
    if len(names) == 1:
        return f"{quoted(what, best, first=True)} is the only one here: {value}."
    sentence = _against(quoted(what, best, first=True), value, named, metric)
    unpaired = [quoted(what, name) for name in names[1 : TESTED + 1] if name not in pairs]
    if unpaired:
        sentence = sentence.removesuffix(f" {ALONE}")
        noun = choice_title(what).lower()
        sentence += f" {listed(unpaired)} cannot be compared with it: no two runs differ in the {noun} alone."
    return sentence


def quoted(what: Comparison, value: str, *, first: bool = False) -> str:
    """A value of a choice for a sentence, in quotation marks unless it is a mode, after the choice where it is `first`.

    >>> quoted("mode", "drag", first=True), quoted("scope", "ul"), quoted("k", "5", first=True)
    ('D-RAG', "“user's language”", '“5 passages”')
    """
    name = choice_name(what, value)
    if what == "mode":
        return name
    lead = f"{choice_title(what)} " if first and what not in ("k", "perturbation") else ""
    return f"{lead}“{name}”"


def _against(best: str, value: str, deltas: Mapping[str, Delta], metric: str) -> str:
    """The best, and how it stands to the others; `deltas` are the others minus the best."""
    tested = {name: delta for name, delta in deltas.items() if delta.n}
    lowest = "" if scale_of(metric).higher_is_better else " (lower is better)"
    sentence = f"{best} has the best mean{lowest}: {value}."
    if not tested:
        return f"{sentence} {ALONE}"
    same = [name for name, delta in tested.items() if delta.is_same]
    surely = [name for name, delta in tested.items() if delta.p is not None and delta.p < SIGNIFICANT]
    unsure = [name for name in tested if name not in surely and name not in same]
    parts = [sentence]
    if surely:
        closest = min((abs(tested[name].mean or 0.0) for name in surely), default=0.0)
        by = f"by {closest:.2f}" if len(surely) == 1 else f"by {closest:.2f} or more"
        parts.append(f"It is better than {listed(surely)}, {by}.")
    if unsure:
        parts.append(f"It cannot be told apart from {listed(unsure)}{few_words([tested[name] for name in unsure])}.")
    if same:
        parts.append(f"It has the same score as {listed(same)} on every answer compared.")
    return f"{' '.join(parts)} {paired_words(list(tested.values()))}{f' {TEST}' if surely or unsure else ''}"


def paired_words(deltas: Sequence[Delta]) -> str:
    """Over how many answers and questions some comparisons are, and what is left out and why."""
    pairs, questions = (
        f"{min(counts):,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"
        for counts in ([delta.n for delta in deltas], [delta.questions for delta in deltas])
    )
    left_out = max(delta.left_out for delta in deltas)
    rest = f"; up to {left_out:,} are left out, which one of the two has no score for" if left_out else ""
    return f"Compared on n = {pairs} answers to {questions} questions that both have a score for{rest}."


def few_words(unsure: Sequence[Delta]) -> str:
    """Whether questions are too few to tell some differences that are not significant, and how many would be needed.

    Of these, the largest difference is meant: the others need more. "" where the questions would have shown it.
    """
    delta = max(unsure, key=lambda item: abs(item.mean or 0.0))
    few = f": too few questions (n = {delta.questions:,}) to tell"
    if delta.detectable is None:
        return f"{few} any difference"
    if delta.needed is None or delta.needed <= delta.questions:
        return ""
    which, more = ("one", "") if len(unsure) == 1 else ("largest", ", smaller ones more")
    size, count = f"{abs(delta.mean or 0.0):.2g}", f"{float(f'{delta.needed:.2g}'):,.0f}"
    return f"{few}. A difference like the {which} seen, {size}, would need about {count} questions{more}"


def difference_finding(base: str, deltas: Mapping[str, Delta], metric: str) -> str:
    """Which of some runs or values differ from a base, and which cannot be told apart from it."""
    tested = {name: delta for name, delta in deltas.items() if delta.n}
    if not tested:
        return ""
    higher = scale_of(metric).higher_is_better
    parts = []
    for word, sign in (("better", 1), ("worse", -1)):
        names = [
            f"{name} ({delta.mean or 0.0:+.2f})"
            for name, delta in tested.items()
            if delta.p is not None and delta.p < SIGNIFICANT and ((delta.mean or 0.0) > 0) == ((sign > 0) == higher)
        ]
        if names:
            parts.append(f"{listed(names)} {'is' if len(names) == 1 else 'are'} {word} than {base}.")
    unsure = [n for n, delta in tested.items() if not delta.is_same and not (delta.p or 0.0) < SIGNIFICANT]
    if unsure:
        parts.append(f"{listed(unsure)} cannot be told apart from {base}{few_words([tested[n] for n in unsure])}.")
    if same := [name for name, delta in tested.items() if delta.is_same]:
        parts.append(
            f"{listed(same)} {'has' if len(same) == 1 else 'have'} the same score as {base} on every question."
        )
    return f"{' '.join(parts)} {paired_words(list(tested.values()))} {corrected_words(tested.values())}".rstrip()


def corrected_words(deltas: Iterable[Delta]) -> str:
    """What p and intervals are corrected for, in a sentence; "" where there is a single comparison."""
    family = max((delta.family for delta in deltas), default=1)
    if family == 1:
        return ""
    return (
        f"p and intervals are corrected for all {family:,} pairs of what can be compared (Bonferroni), so a difference "
        "is the same from either side."
    )


def extremes_finding(rows: Sequence[tuple[str, MeanWithInterval]], what: str) -> str:
    """The highest and the lowest of some groups that were asked different things, and whether intervals overlap."""
    scored = sorted((row for row in rows if row[1].mean is not None), key=lambda row: row[1].mean or 0.0)
    if not scored:
        return NOTHING
    (low_name, low), (high_name, high) = scored[0], scored[-1]
    highest = f"{high_name}: {value_words(high.mean, high.low, high.high, high.n)}"
    if len(scored) == 1:
        return f"Only one {what} is scored here. {highest}."
    lowest = f"{low_name}: {value_words(low.mean, low.low, low.high, low.n)}"
    apart = low.high is not None and high.low is not None and low.high < high.low
    note = "" if apart else " Their intervals overlap, so chance may explain the order."
    return f"Highest in {highest}; lowest in {lowest}.{note}"


def documents_finding(flows: Sequence[Flow]) -> str:
    """The shares of documents in English, in the question's language and in others, for questions not in English."""
    other = [flow for flow in flows if flow.language != "en"]
    total = sum(item.documents for item in other)
    if not total:
        return ""
    english = sum(item.documents for item in other if item.document_language == "en") / total
    same = sum(item.documents for item in other if item.document_language == item.language) / total
    return (
        f"Of the documents for questions in other languages than English, {english:.0%} are in English, {same:.0%} in "
        f"the question's language and {max(0.0, 1 - english - same):.0%} in others (n = {counted(total, 'document')}; "
        "a count of all that were given, so without an interval)."
    )


def elsewhere_finding(view: ResultView, metric: str) -> str:
    """How many answers that a metric gives 0 are in another language than its golds; "" for other metrics, and none."""
    if metric not in AGAINST_GOLDS or RIGHT_LANGUAGE not in view.metrics():
        return ""
    _, scores, languages = common(view.values_by_answer(metric), view.values_by_answer(RIGHT_LANGUAGE))
    wrong = scores == 0
    other = int(np.count_nonzero(wrong & (languages == 0)))
    if not other:
        return ""
    return (
        f"The gold answers are in the question's language: of {counted(int(np.count_nonzero(wrong)), 'answer')} with "
        f"score 0, {other:,} are in another language, where a right answer counts as wrong."
    )


def reach_finding(rows: Sequence[tuple[str, int, int]]) -> str:
    """For how many questions a gold passage lies in what was searched: the name, those and all of some groups."""
    reached = [(name, count, all_) for name, count, all_ in rows if all_]
    if not any(count < all_ for _, count, all_ in reached):
        return ""
    shares: dict[tuple[int, int], list[str]] = defaultdict(list)
    for name, count, all_ in sorted(reached, key=lambda row: -row[1] / row[2]):
        shares[count, all_].append(name)
    parts = [
        f"{count:,} of {all_:,} ({count / all_:.0%}) with {listed(names)}" for (count, all_), names in shares.items()
    ]
    return (
        f"A gold passage lies in the languages searched for {', '.join(parts)}: the other questions cannot be answered "
        "from what is searched, and no figure of retrieval counts them."
    )


def cost_finding(best: Sequence[tuple[str, float, str]], runs: int) -> str:
    """Which of `runs` runs are best for their cost: title, mean and cost in words, the cheapest first."""
    if not best:
        return ""
    (cheap, first, least), (dear, last, most) = best[0], best[-1]
    if len(best) == 1:
        return f"{cheap} is both the cheapest and the best of {counted(runs, 'run')}: {first:.2f} at {least}."
    return (
        f"{len(best):,} of {counted(runs, 'run')} are best for their cost, from {cheap} ({first:.2f} at {least}) to "
        f"{dear} ({last:.2f} at {most}). Means are compared as they are; Differences shows which could be chance."
    )


def agreement_finding(pairs: Sequence[MetricCorrelation]) -> str:
    """The two metrics that agree most, and the two that agree least, on which answers are good.

    Where one of the two is better when it is lower, they agree where r is near -1.
    """
    known = sorted((pair for pair in pairs if pair.r is not None), key=_agreement)
    if not known:
        return ""
    most = known[-1]
    if len(known) == 1:
        return f"{_pair_words(most)}: {_correlation_words(most)}."
    least = known[0]
    return (
        f"{_pair_words(most)} agree most ({_correlation_words(most)}); "
        f"{_pair_words(least)} least ({_correlation_words(least)})."
    )


def _pair_words(pair: MetricCorrelation) -> str:
    return f"“{metric_name(pair.first)}” and “{metric_name(pair.second)}”"


def _agreement(pair: MetricCorrelation) -> float:
    """The correlation, with the opposite sign where one metric of the two is better when it is lower."""
    alike = scale_of(pair.first).higher_is_better == scale_of(pair.second).higher_is_better
    return (pair.r or 0.0) * (1 if alike else -1)


def _correlation_words(pair: MetricCorrelation) -> str:
    lower = [name for name in (pair.first, pair.second) if not scale_of(name).higher_is_better]
    note = f"; in “{metric_name(lower[0])}”, lower is better" if len(lower) == 1 else ""
    return f"r = {pair.r:.2f}, n = {counted(pair.n, 'answer')}{note}"
