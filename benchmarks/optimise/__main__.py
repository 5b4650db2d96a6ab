"""Searches on the sample.

    python -m benchmarks.optimise --exhaustive   every recipe of the space without models, then each strategy against it
    python -m benchmarks.optimise --kill 20      SIGKILL at 20 random moments, then compare with an unbroken search
    python -m benchmarks.optimise --cost         the cost foreseen, beside what the search took; --served: with a model

All take --space FILE and --questions N, the latter two --strategy. Figures: benchmarks/optimise/README.md.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.optimise.exhaustive import searched
from benchmarks.optimise.killing import SPACE, cost, kills
from benchmarks.optimise.meta_evaluation import RESAMPLES, meta_evaluation
from benchmarks.optimise.served import served_model, space_over
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.space.space_files import example_space, space_from_file, space_from_text


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exhaustive", action="store_true")
    parser.add_argument("--home", type=Path, help="the workspace that an exhaustive search is kept in and goes on in")
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    parser.add_argument("--kill", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--strategy", default="")
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--served", action="store_true")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--space", type=Path)
    parser.add_argument("--questions", type=int)
    arguments = parser.parse_args()

    def sized(space: SearchSpace) -> SearchSpace:
        space = space_from_file(arguments.space) if arguments.space else space
        return space.model_copy(update={"questions": arguments.questions}) if arguments.questions else space

    if arguments.exhaustive:
        with tempfile.TemporaryDirectory() as folder:
            space = example_space("sample-without-models")
            # The figures of README.md are by the built-in encoder.
            space = sized(space.model_copy(update={"recipe": {**space.recipe, "encoder": "builtin"}}))
            meta_evaluation(space, searched(space, arguments.home or Path(folder)), arguments.resamples)
    small = space_from_text(SPACE, "space.yaml")
    if arguments.kill:
        hits = kills(arguments.strategy or "greedy", arguments.kill, arguments.seed, sized(small))
        print(f"{hits} kills: every search ended as the unbroken one")
    if arguments.cost:
        strategy = arguments.strategy or "exhaustive"
        if arguments.served:
            with served_model() as served:
                ratios = [cost(sized(space_over(served)), strategy) for _ in range(arguments.repeat)]
        else:
            ratios = [cost(sized(small), strategy) for _ in range(arguments.repeat)]
        print(f"seconds foreseen / taken: {', '.join(f'{one:.2f}' for one in ratios)}; median {median(ratios):.2f}")


if __name__ == "__main__":
    main()
