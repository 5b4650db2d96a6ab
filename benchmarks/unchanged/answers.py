"""`python -m benchmarks.unchanged.answers record FILE --home HOME` before a change, `… compare …` after it.

Every question of the sample under every mode, through `Workbench.ask`: text, evidence, scores, notes, quotations and
the keys of the steps must be equal to the last digit, as must the answer that then comes from the cache and from
memory, once for each question. A line of FILE is a digest for each question and mode.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks.unchanged.requests import MODES
from workbench.app.workbench import Workbench
from workbench.core import Answer, canonical
from workbench.data.corpora import sample
from workbench.pipeline.recipe import Recipe
from workbench.workspace import settings


def digest(answer: Answer) -> str:
    """Of everything that an answer holds but for how long its steps took, and whether they came from the cache."""
    facts = asdict(answer)
    for step in facts["steps"]:
        del step["seconds"], step["cached"]
    return hashlib.sha256(canonical(facts).encode()).hexdigest()


def lines(home: Path, every: int) -> Iterator[str]:
    """One for each question and mode, of each `every`-th question in all its languages."""
    bench = Workbench(settings.load(home))
    codes = sorted(sample.languages())
    questions = {code: sample.questions(code) for code in codes}
    for number in range(
        0, len(questions["en"]), every
    ):  # a question in all its languages: their documents are the same
        for place, code in enumerate(codes):
            text = questions[code][number].text
            for mode in MODES:
                plain = digest(bench.ask(text, code, Recipe(mode=mode), cached=False))
                yield f"{code} {number} {mode} {plain}"
            mode = MODES[(number + place) % len(MODES)]
            for _ in range(3):  # written, read, and given again from memory
                yield f"{code} {number} {mode} from the cache {digest(bench.ask(text, code, Recipe(mode=mode)))}"


def main() -> None:
    """Records into a file, or compares with it; exits with 1 where anything differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unchanged.answers")
    parser.add_argument("verb", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--home", type=Path, required=True, help="a workspace, the same or a copy of it each time")
    parser.add_argument("--every", type=int, default=1, help="compare one question of so many only, to be quick")
    options = parser.parse_args()
    if options.verb == "record":
        options.file.write_text("".join(f"{line}\n" for line in lines(options.home, options.every)), encoding="utf-8")
        return
    before = options.file.read_text(encoding="utf-8").splitlines()
    pairs = list(zip(before, lines(options.home, options.every), strict=True))
    changes = [new for old, new in pairs if old != new]
    print("\n".join(changes[:40]))
    print(f"{len(pairs)} answers: {len(changes)} differ.")
    sys.exit(1 if changes else 0)


if __name__ == "__main__":
    main()
