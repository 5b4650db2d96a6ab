"""Searches on the sample.

    python -m benchmarks.optimise --kill 20      SIGKILL at 20 random moments, then compare with an unbroken search
    python -m benchmarks.optimise --cost         the cost foreseen, beside what the search took

Both take --strategy and, for --cost, --space FILE and --questions N. Figures: benchmarks/optimise/README.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.optimise.killing import SPACE, cost, kills
from workbench.optimisation.space.space_files import space_from_file, space_from_text


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kill", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--strategy", default="")
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--space", type=Path)
    parser.add_argument("--questions", type=int)
    arguments = parser.parse_args()
    space = space_from_file(arguments.space) if arguments.space else space_from_text(SPACE, "space.yaml")
    if arguments.questions:
        space = space.model_copy(update={"questions": arguments.questions})
    if arguments.kill:
        hits = kills(arguments.strategy or "greedy", arguments.kill, arguments.seed, space)
        print(f"{hits} kills: every search ended as the unbroken one")
    if arguments.cost:
        cost(space, arguments.strategy or "exhaustive")


if __name__ == "__main__":
    main()
