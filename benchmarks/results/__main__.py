"""How long the dashboard's questions take over many scored answers: python -m benchmarks.results [--answers 1000000]

Fills a database with made-up answers of realistic size (seeded), then times what a first view and a filter ask, beside
the same means from one wide table with a column a metric. Figures: benchmarks/results/README.md.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import select

from benchmarks.dashboard.synthetic import count_totals
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.queries import score_arrays
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.workspace import result_tables as t
from workbench.workspace.database import open_store
from workbench.workspace.score_blocks import add_blocks

LANGUAGES = ("en", "ar", "zh", "fr", "fi", "de", "it", "ja", "ko", "pt", "ru", "es", "th")
MODES = ("baseline", "monorag", "trag", "multirag", "crossrag", "drag", "pivot")
SCOPES = ("en", "ul", "en+ul", "all")
PROMPTS = tuple(f"prompt-{number}" for number in range(6))
METRICS = ("char3_recall", "flexible_em", "clr", "f1", "rouge_l", "hit@5")
CHAR3, FIRST = METRICS[:1], METRICS[:3]
WIDE = "SELECT run, {} FROM wide GROUP BY run"


def fill(path: Path, answers: int, seed: int) -> None:
    """Runs of every mode, scope and prompt over 13 languages, with as many questions as make `answers`."""
    generator = random.Random(seed)
    base = sqlite3.connect(path)
    base.execute("PRAGMA synchronous=OFF")
    base.execute("INSERT INTO experiments VALUES ('e', 'Made up', 'matrix', '', 0, ?, '')", (answers,))
    base.executemany("INSERT INTO metrics VALUES (?, ?)", list(enumerate(METRICS, start=1)))
    runs = [(mode, scope, prompt) for mode in MODES for scope in SCOPES for prompt in PROMPTS]
    for number, (mode, scope, prompt) in enumerate(runs):
        base.execute(
            "INSERT INTO runs VALUES (?, 'e', ?, ?, 'd', 'c', ?, ?, ?, 'm', 5, 'none', '', ?, '')",
            (number + 1, number, f"{mode} {scope} {prompt}", mode, scope, prompt, str(number)),
        )
    each = max(1, round(answers / len(runs) / len(LANGUAGES)))
    evidence_in = ("en", "ul", "both", "conflict", "")
    base.executemany(
        "INSERT INTO questions VALUES (?, 'd', ?, ?, ?, 'Who?', '[]', '[]', ?)",
        [
            (place * each + n + 1, code, f"q{n}", f"{place}-{n}", evidence_in[n % len(evidence_in)])
            for place, code in enumerate(LANGUAGES)
            for n in range(each)
        ],
    )
    passages = (
        '[["some-document.en.2","en",1.0],["another.fi.3","fi",0.17],["third.en.1","en",0.1],["d.th.2","th",0.1]]'
    )
    text = "An answer of a sentence or two, as a model that was asked to be short would give it, more or less."
    for run in range(1, len(runs) + 1):
        rows, scores = [], []
        for place, code in enumerate(LANGUAGES):
            for n in range(each):
                question = place * each + n + 1
                failed = generator.random() < 0.01
                rows.append(
                    (
                        run,
                        question,
                        code,
                        failed,
                        "It failed." if failed else "",
                        text,
                        code,
                        passages,
                        generator.random(),
                    )
                )
                if not failed:
                    recall = generator.randint(0, 20) / 20
                    values = (recall, float(recall > 0.7), None if n % 3 else 1.0, recall, recall, float(n % 2))
                    scores += [(m, run, code, question, value) for m, value in enumerate(values, start=1)]
        base.executemany(
            "INSERT INTO answers (run, question, language, failed, error, text, answer_language, passages, seconds)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        base.executemany("INSERT INTO scores VALUES (?, ?, ?, ?, ?, NULL)", scores)
        base.execute(
            "INSERT INTO flows SELECT ?, value, 'en', value, 10 FROM json_each(?)",
            (run, str(list(LANGUAGES)).replace("'", '"')),
        )
        base.commit()
    base.execute(
        "CREATE TABLE wide (run INTEGER, language TEXT, question INTEGER, "
        + ", ".join(f"m{n} REAL" for n in range(1, 7))
        + ", PRIMARY KEY (run, language, question)) WITHOUT ROWID"
    )
    base.execute(
        "INSERT INTO wide SELECT run, language, question, "
        + ", ".join(f"max(CASE metric WHEN {n} THEN value END)" for n in range(1, 7))
        + " FROM scores GROUP BY run, language, question ORDER BY run, language, question"
    )
    base.commit()
    base.close()


def question_sums(view: ResultView, cells: int) -> list[score_arrays.QuestionSums]:
    """Values of one metric by mode and question, as intervals read them."""
    with view.engine.connect() as connection:
        return score_arrays.sums_by_group(connection, view.filter, "char3_recall", ("mode",), cells)


def seconds(work: Callable[[], object], times: int) -> tuple[float, float]:
    """The first time, and the median of some more."""
    durations = []
    for _ in range(times + 1):
        began = time.perf_counter()
        work()
        durations.append(time.perf_counter() - began)
    return durations[0], statistics.median(durations[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.db"
        engine = open_store(f"sqlite:///{path}")
        began = time.perf_counter()
        fill(path, options.answers, options.seed)
        with engine.begin() as connection:
            count_totals(connection)
            s = t.scores.c
            rows = (
                select(t.scores).order_by(s.metric, s.run, s.language, s.question).execution_options(yield_per=10_000)
            )
            add_blocks(connection, connection.execute(rows).mappings())
        print(f"filled in {time.perf_counter() - began:.0f} s, {path.stat().st_size / 2**20:,.0f} MiB")
        store = ResultStore(engine)
        everything = store.of("e")
        narrow = store.where(Filter(experiments=("e",), modes=("multirag", "crossrag"), languages=("th", "fi", "ko")))
        conflicts = store.where(Filter(experiments=("e",), evidence_in=("conflict",)))
        two_runs = store.where(Filter(runs=(1, 2)))
        wide = sqlite3.connect(path)
        reads: dict[str, Callable[[], object]] = {
            "experiments": store.experiments,
            "cells": everything.count,
            "leaderboard, 1 metric": lambda: everything.means(["char3_recall"], ("run",)),
            "leaderboard, 3 metrics": lambda: everything.means(METRICS[:3], ("run",)),
            "scope × language": lambda: everything.means(CHAR3, ("scope", "language")),
            "prompt × scope, 2": lambda: everything.means(METRICS[1:3], ("prompt", "scope")),
            "question × document language": everything.flows,
            "seconds and failures by run": everything.effort,
            "values by mode and question": lambda: question_sums(everything, options.answers),
            "paired values of two runs": lambda: score_arrays.common(
                *two_runs.values_by_question("char3_recall").values()
            ),
            "filter: 2 modes, 3 languages": lambda: narrow.means(FIRST, ("run", "language")),
            "filter: evidence conflicts": lambda: conflicts.means(["char3_recall"], ("run",)),
            "instances behind a mark": narrow.instances,
            "wide table: means of 1": lambda: wide.execute(WIDE.format("avg(m1)")).fetchall(),
            "wide table: means of 3": lambda: wide.execute(WIDE.format("avg(m1), avg(m2), avg(m3)")).fetchall(),
        }  # fmt: skip
        print(f"{'':34} {'first':>8} {'median':>8}  seconds")
        for name, work in reads.items():
            first, median = seconds(work, options.times)
            print(f"{name:34} {first:8.3f} {median:8.3f}")


if __name__ == "__main__":
    main()
