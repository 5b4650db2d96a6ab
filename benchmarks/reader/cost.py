"""What an answer costs: python -m benchmarks.reader.cost

Thirty French questions of the sample in MultiRAG, past the cache of answers, in a fresh workspace: processor time an
answer, when every passage is read for the first time, and when all were read before.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from workbench.app.workbench import Workbench
from workbench.data.corpora import sample
from workbench.pipeline.recipe import Recipe
from workbench.workspace.settings import load

QUESTIONS = 30


def main() -> None:
    """Prints both."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench(load(Path(folder)))
        questions = [question.text for question in sample.questions("fr")][:QUESTIONS]
        bench.ask("Où ?", "fr", Recipe(), cached=False)
        for name in ("first", "again"):
            start = time.process_time()
            for question in questions:
                bench.ask(question, "fr", Recipe(), cached=False)
            print(f"{name}: {1000 * (time.process_time() - start) / QUESTIONS:.1f} ms")


if __name__ == "__main__":
    main()
