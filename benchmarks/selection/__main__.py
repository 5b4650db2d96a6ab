"""Prints how often the statistics of a selection kept their promises: `python -m benchmarks.selection`."""

from __future__ import annotations

import argparse

from benchmarks.selection.simulated import graded, one_best
from benchmarks.selection.trials import (
    Rate,
    Setting,
    forecast,
    luck_rates,
    race_result,
    set_rates,
)

SETTINGS = (Setting(2, 60, 1), Setting(30, 60, 1), Setting(30, 40, 4), Setting(30, 300, 1))
RACES = (Setting(30, 500, 1), Setting(100, 200, 2))


def row(rate: Rate, *more: object) -> str:
    """One line of a table."""
    low, high = rate.interval
    cells = [rate.name, rate.promise, f"{rate.count / rate.trials:.1%}", f"{low:.1%} to {high:.1%}", *map(str, more)]
    return "| " + " | ".join(cells) + " |"


def heading(text: str, *more: str) -> None:
    """A heading with the head of a table."""
    names = ["what", "promise", "rate", "95 %", *more]
    print(f"\n{text}\n\n| {' | '.join(names)} |\n{'| --- ' * len(names)}|", flush=True)


def main() -> None:
    """Runs all simulations and prints tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--races", type=int, default=100, help="trials of each race, which takes longest")
    arguments = parser.parse_args()
    trials = arguments.trials
    for setting in SETTINGS:
        heading(f"{setting}, {trials} trials")
        for rate in [*set_rates(setting, trials), *luck_rates(setting, trials)]:
            print(row(rate), flush=True)
    heading(f"Forecasts from pilots of 40 questions, {trials} trials", "questions")
    for recipes, gain in ((2, 0.1), (30, 0.15)):
        for winner in (False, True):
            result = forecast(recipes, gain, trials, winner=winner)
            print(row(result.shows, result.groups), flush=True)
    heading(f"Races, {arguments.races} trials, 20 looks", "cells saved")
    for setting in RACES:
        for name, gains in (
            ("no best", graded(setting.recipes, 0.0)),
            ("one best by .2", one_best(setting.recipes, 0.2)),
            ("evenly graded over .3", graded(setting.recipes, 0.3)),
        ):
            race = race_result(f"{setting}: {name}", gains, setting, arguments.races)
            print(row(race.keeps, f"{race.saves:.0%}"), flush=True)


if __name__ == "__main__":
    main()
