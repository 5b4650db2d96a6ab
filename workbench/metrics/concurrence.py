"""Agreement and concurrence of answers about territories: with the controller, and among languages.

Sources: Li, Haider and Callison-Burch (2024), whose concurrence score of two answers is 1 if they name the same
claimant, else 0 (their program `calculate_CS.py`); Ranaldi et al. (2025, D-RAG), section 4.4 and appendix N, for
agreement.  What an answer names is read by `answers.choices`.

An answer agrees with the controller if it names the controller and no one else. One that calls the territory disputed,
names none of the claimants, refuses or lacks the form that was asked for does not; one that is unreadable or empty is
unscored. Two answers concur if they name the same claimant, or both call the territory disputed, or both name none of
the claimants; where neither of two says any of these, as two refusals, or one is unscored, the pair is unscored.

English counts among the claimants' languages where it is one of them (Li et al.), and always in agreement (Ranaldi et
al.). Figures are means over territories, but `agreement_answers`, a mean over answers of which those about one
territory are drawn together. In Table 2 of Ranaldi et al. “% Agreement X, Y, En” is above “% Agreement English” for
Llama3-8B (43.3 and 35) and a multiple of 1/60, their number of answers: it is `agreement_answers`, though the text
defines `agreement_all`, which never exceeds the agreement in English of the same territories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np

from workbench.core import package_yaml
from workbench.metrics.answers.choices import Reading
from workbench.metrics.consistency import ConsistencyMeasure
from workbench.metrics.statistics.intervals import Interval, clustered_interval

CONCURRENCE: Mapping[str, ConsistencyMeasure] = {
    name: ConsistencyMeasure(**texts)
    for name, texts in package_yaml("workbench.metrics", "concurrence.yaml")["figures"].items()
}
"""The figures by name, in the order in which they are shown."""
UNSCORED, NO_STANCE = frozenset(("unreadable", "empty")), frozenset(("refused", "no form"))
DRAWS = 2_000
Values = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Territory:
    """A territory, the controller's place among its claimants, their languages, and what was read by language."""

    name: str
    controller: int
    languages: tuple[str, ...]
    readings: Mapping[str, Reading]

    def agreements(self, codes: Iterable[str]) -> list[float | None]:
        """Whether the answer in each of some languages names the controller; those not asked in are left out."""
        return [agrees(self.readings[code], self.controller) for code in codes if code in self.readings]

    def claimed(self, *, controls: bool | None = None) -> list[str]:
        """The languages asked in that claimants have; the controller's or the others where `controls` says which."""
        controlling = self.languages[self.controller]
        codes = [code for code in self.readings if code in self.languages]
        return [code for code in codes if controls is None or (controlling and (code == controlling) == controls)]


@dataclass(frozen=True, slots=True)
class Concurrence:
    """A figure with its 95 % interval over territories; `n` territories or answers are scored. None where none is."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int


def agrees(reading: Reading, controller: int) -> float | None:
    """Whether an answer names the controller, None where it is unscored.

    >>> agrees(Reading("claimant", 1), 1), agrees(Reading("disputed"), 1), agrees(Reading("unreadable"), 1)
    (1.0, 0.0, None)
    """
    return None if reading.kind in UNSCORED else float(reading == Reading("claimant", controller))


def concur(first: Reading, second: Reading) -> float | None:
    """The concurrence score of two answers, None where the pair is unscored.

    >>> same, refusal = Reading("claimant", 0), Reading("refused")
    >>> concur(same, same), concur(same, Reading("disputed")), concur(refusal, refusal)
    (1.0, 0.0, None)
    """
    kinds = {first.kind, second.kind}
    return None if kinds & UNSCORED or kinds <= NO_STANCE else float(first == second)


def concurrence(territories: Sequence[Territory]) -> dict[str, Concurrence]:
    """Every figure of `CONCURRENCE` over some territories."""
    every = [each.agreements(each.readings) for each in territories]
    control = [each.agreements(each.claimed(controls=True)) for each in territories]
    others = [each.agreements(each.claimed(controls=False)) for each in territories]
    pairs = [combinations([each.readings[code] for code in each.claimed()], 2) for each in territories]
    return {
        "agreement_en": _figure([each.agreements(["en"]) for each in territories]),
        "agreement_answers": answers_agree(territories),
        "agreement_all": _figure([[None if None in each or len(each) < 2 else float(all(each))] for each in every]),
        "control": _figure(control),
        "non_control": _figure(others),
        "delta": _delta(list(map(_mean, control)), list(map(_mean, others))),
        "consistency": _figure([[concur(*pair) for pair in each] for each in pairs]),
    }


def answers_agree(territories: Sequence[Territory]) -> Concurrence:
    """The share of answers, in all their languages, that name the controller."""
    return _pooled([(each.name, value) for each in territories for value in each.agreements(each.readings)])


def home_claimant(territories: Sequence[Territory], language: str) -> tuple[Concurrence, float | None]:
    """How often answers in a language name a claimant whose language it is, and how often such a one has control.

    Of answers that name a claimant, about territories that a country of this language and one of another claim.
    """
    at_stake = [
        (each, each.readings[language])
        for each in territories
        if language in each.readings and 0 < each.languages.count(language) < len(each.languages)
    ]
    homes, controls = [], []
    for each, reading in at_stake:
        is_named = reading.kind == "claimant"
        homes.append((each.name, float(each.languages[reading.choice] == language) if is_named else None))
        controls.append(float(each.languages[each.controller] == language) if is_named else None)
    return _pooled(homes), _mean(controls)


def _mean(values: Values) -> float | None:
    scored = [value for value in values if value is not None]
    return fmean(scored) if scored else None


def _figure(by_territory: Sequence[Values]) -> Concurrence:
    """The mean over territories; one to which a figure does not apply has no values and is not unscored."""
    return _pooled([(str(number), _mean(values)) for number, values in enumerate(by_territory) if values])


def _pooled(values: Sequence[tuple[str, float | None]]) -> Concurrence:
    """The mean over values, of which those of one territory are drawn together."""
    scored = [(name, value) for name, value in values if value is not None]
    interval = clustered_interval([value for _, value in scored], [name for name, _ in scored])
    return _with(_mean([value for _, value in values]), interval, len(scored), len(values) - len(scored))


def _delta(control: Values, others: Values) -> Concurrence:
    """The relative gain; its interval is the percentile bootstrap's over territories, which have one value or both."""
    pairs = [pair for pair in zip(control, others, strict=True) if pair != (None, None)]
    values = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    scored = ~np.isnan(values)
    sums, sizes = np.nansum(values, axis=0), scored.sum(axis=0)
    if not sizes.all() or not sums[1]:
        return _with(None, None, 0, len(pairs))
    draws = np.random.default_rng(0).multinomial(len(values), [1 / len(values)] * len(values), DRAWS)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (draws @ np.nan_to_num(values)) / (draws @ scored)
        gains = np.nan_to_num(means[:, 0] / means[:, 1] - 1, nan=np.inf, posinf=np.inf)
    # Where resamples without any agreement in the other languages are not rare, the ratio has no upper bound.
    low, high = np.quantile(gains, [0.025, 0.975], method="inverted_cdf")
    interval = Interval(float(low), float(high)) if len(values) > 1 and np.isfinite(high) else None
    value = (sums[0] / sizes[0]) / (sums[1] / sizes[1]) - 1
    return _with(float(value), interval, len(values), 0)


def _with(value: float | None, interval: Interval | None, n: int, unscored: int) -> Concurrence:
    return Concurrence(value, interval.low if interval else None, interval.high if interval else None, n, unscored)
