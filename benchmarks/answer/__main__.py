"""What an answer costs in processor time, in units of a loop of Python timed in the same run.

python -m benchmarks.answer [--repeats 3] [--home FOLDER]

32 questions of the sample in 8 languages under five modes with the built-in reader, on one thread, after 32 others have
warmed the process: each asked for the first time, again (`later`), and twice from the cache. Medians over questions.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before NumPy is imported: processor time is then the work that is done

LANGUAGES = ("en", "de", "fi", "ru", "ar", "zh", "ja", "th")
MODES = ("multirag", "drag", "crossrag", "trag", "monorag")
EACH = 4


def unit() -> float:
    """Processor seconds of the loop."""
    began, x = time.process_time(), 0
    for i in range(200_000):
        x += i % 7
    return time.process_time() - began


def median(work: Callable[[str, str], object], questions: list[tuple[str, str]]) -> tuple[float, float]:
    """Medians over the questions: processor time in units, by the loops beside it, and milliseconds on the clock."""
    units, clock = [], []
    for code, text in questions:
        loop, wall, began = unit(), time.perf_counter(), time.process_time()
        work(text, code)
        units.append((time.process_time() - began) * 2 / (loop + unit()))
        clock.append(1000 * (time.perf_counter() - wall))
    return statistics.median(units), statistics.median(clock)


def main() -> None:
    """Prints a line for each mode."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answer", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--home", type=Path, help="a workspace to use; a fresh one where left out")
    options = parser.parse_args()
    from workbench.app.workbench import Workbench, warm_up
    from workbench.data.corpora import sample
    from workbench.pipeline.recipe import Recipe
    from workbench.workspace import settings

    with tempfile.TemporaryDirectory() as fresh:
        bench = Workbench(settings.load(options.home or Path(fresh)))
        warm_up(bench, Recipe(), LANGUAGES)
        texts = {code: [question.text for question in sample.questions(code)] for code in LANGUAGES}
        others = [(code, text) for code in LANGUAGES for text in texts[code][EACH : 2 * EACH]]
        questions = [(code, text) for code in LANGUAGES for text in texts[code][:EACH]]
        titles = "".join(f"{title:>8}" for title in ("first", "later", "cached", "again"))
        print(f"{'':9}{titles}   units, n = {len(questions)} (ms on the clock)")
        for mode in MODES:
            recipe = Recipe(mode=mode)

            def ask(text: str, code: str, *, cached: bool = False, recipe: Recipe = recipe) -> object:
                return bench.ask(text, code, recipe, cached=cached)

            def from_cache(text: str, code: str, ask: Callable[..., object] = ask) -> object:
                return ask(text, code, cached=True)

            for code, text in others:
                ask(text, code)
            first = median(ask, questions)
            later = [median(ask, questions) for _ in range(options.repeats)]
            for code, text in questions:
                from_cache(text, code)
            cached = [median(from_cache, questions) for _ in range(options.repeats)]
            rows = first, min(later), cached[0], min(cached)
            units = "".join(f"{row[0]:8.2f}" for row in rows)
            print(f"{mode:9}{units}   ({', '.join(f'{row[1]:.1f}' for row in rows)})", flush=True)


if __name__ == "__main__":
    main()
