"""The server's part of Inspect, without a browser: the runs of the page's script, the saves, and the queries alone.

python -m benchmarks.inspect.server_times [--answers 100000] [--labels 40] [--home FOLDER] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event
from streamlit.testing.v1 import AppTest

from benchmarks.dashboard.synthetic import fill
from benchmarks.screens.running import ROOT
from workbench.annotation.error_taxonomy import taxonomy
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.results.filters import Filter, of_questions
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import settings

PATIENCE = 120
TIMES = 9
SLOWEST = 3
"""Statements that are printed with how the database answers them."""
LANGUAGES = ("fi", "ar", "th", "zh", "ru", "en", "de", "fr", "ja")


@dataclass(frozen=True, slots=True)
class Repetition:
    """One run of the page's script: its seconds, and its statements with their seconds and values."""

    seconds: float
    statements: tuple[tuple[float, str, Any], ...]


class Watch:
    """What the database does meanwhile, in any thread of this process: its statements and the ends of transactions."""

    def __init__(self) -> None:
        self.statements: list[tuple[float, str, Any]] = []
        self.saves: list[float] = []
        self._start = 0.0
        self._is_saving = False
        event.listen(Engine, "before_cursor_execute", self._before)
        event.listen(Engine, "after_cursor_execute", self._after)
        event.listen(Engine, "commit", self._commit)

    def clear(self) -> None:
        """Forgets what it has seen."""
        self.statements.clear()
        self.saves.clear()

    def _before(self, *_: Any) -> None:
        self._start = time.perf_counter()

    def _after(self, _connection: Any, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        self.statements.append((time.perf_counter() - self._start, statement, values))
        if statement.startswith(("INSERT INTO annotation_labels", "UPDATE annotation_places")):
            self._is_saving = True

    def _commit(self, _connection: Any) -> None:
        if self._is_saving:
            self.saves.append(time.perf_counter())
        self._is_saving = False


def main() -> None:
    """Measures, prints, and writes JSON where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--labels", type=int, default=40)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder)
        os.environ["WORKBENCH_HOME"] = str(home)
        store = ResultStore.at(settings.load(home).database_url)
        if not store.where(Filter()).runs():
            fill(store.engine, options.answers)
        with _in_the_project():
            measured = _measure(store, home, options.labels)
    text = json.dumps(measured, indent=2)
    sys.stdout.write(text + "\n")
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")


@contextmanager
def _in_the_project() -> Iterator[None]:
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        yield
    finally:
        os.chdir(before)


def _measure(store: ResultStore, home: Path, labels: int) -> dict[str, object]:
    watch = Watch()
    app = _open()
    groups = {"open an answer": _repeated(watch, app, lambda turn: _opening(app, turn), after=lambda: _list_again(app))}
    _opening(app, 0)
    _run(app)
    groups["next answer"] = _repeated(watch, app, lambda _: app.button(key="inspect_next").click())
    _list_again(app)
    groups["next page of the list"] = _repeated(watch, app, lambda _: app.button(key="inspect_later").click())
    groups["filter by language"] = _repeated(watch, app, lambda turn: _filter(app, LANGUAGES[turn]))
    _filter(app)
    _run(app)
    groups["search for a text that no answer has"] = _repeated(
        watch, app, lambda turn: app.text_input(key="inspect_search").set_value(f"question {turn + 1}")
    )
    runs = {
        name: {
            "script": _summary([row.seconds for row in rows]),
            "queries": _summary([sum(item[0] for item in row.statements) for row in rows]),
        }
        for name, rows in groups.items()
    }
    return {
        "answers": store.where(Filter()).count(),
        "load average before": os.getloadavg()[0],
        **runs,
        **_labels(watch, store, home, labels),
        "load average after": os.getloadavg()[0],
        "slowest queries": _slowest(store, groups),
    }


def _slowest(store: ResultStore, groups: dict[str, list[Repetition]]) -> list[dict[str, object]]:
    """The slowest statements with the database's plan for each."""
    worst: dict[str, tuple[float, str, Any]] = {}
    for name, rows in groups.items():
        for seconds, statement, values in (item for row in rows for item in row.statements):
            if statement.startswith("SELECT") and seconds > worst.get(statement, (0.0,))[0]:
                worst[statement] = seconds, name, values
    slowest = sorted(worst.items(), key=lambda item: -item[1][0])[:SLOWEST]
    plans: list[dict[str, object]] = []
    with store.engine.connect() as connection:
        for statement, (seconds, name, values) in slowest:
            plan = [str(row[-1]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)]
            plans.append({"max_s": round(seconds, 4), "in": name, "statement": statement, "plan": plan})
    return plans


def _open(**params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    app.switch_page("pages/inspect.py")
    for name, value in params.items():
        app.query_params[name] = value
    return _run(app)


def _run(app: AppTest) -> AppTest:
    app.run()
    if app.exception:
        raise RuntimeError(app.exception[0].value)
    return app


def _opening(app: AppTest, turn: int) -> None:
    group = [group for group in app.button_group if str(group.key).startswith("inspect_open_")][turn]
    store = ResultStore.at(settings.load().database_url)
    question = int(str(group.key).rpartition("_")[2])
    group.set_value(store.where(Filter()).instances(limit=1, conditions=of_questions(question))[0].answer)


def _filter(app: AppTest, *languages: str) -> None:
    app.multiselect(key="inspect_languages").set_value(list(languages))


def _list_again(app: AppTest) -> None:
    app.button(key="inspect_list").click()
    _run(app)


def _repeated(
    watch: Watch, app: AppTest, act: Callable[[int], object], after: Callable[[], None] | None = None
) -> list[Repetition]:
    """Repetitions of an action, with what follows each; the first one is not counted."""
    rows = []
    for turn in range(TIMES):
        act(turn)
        watch.clear()
        start = time.perf_counter()
        _run(app)
        seconds = time.perf_counter() - start
        if turn:
            rows.append(Repetition(seconds, tuple(watch.statements)))
        if after:
            after()
    return rows


def _labels(watch: Watch, store: ResultStore, home: Path, count: int) -> dict[str, object]:
    """From a press reaching the server to the end of the transaction that saves it, and to the end of the script."""
    runs = [run.id for run in store.where(Filter()).runs()]
    kind = taxonomy("answer-faithfulness", home)
    queue = QueueStore(store).create(f"Benchmark {time.time():.0f}", kind, runs, per_language=100)
    app = _open(view="annotate", queue=queue.id, annotator="Ada")
    times: dict[str, list[float]] = {}
    for turn in range(count + 1):
        for name, key in (("label", "inspect_label_1"), ("complete and next", "inspect_complete")):
            app.button(key=key).click()
            watch.clear()
            start = time.perf_counter()
            _run(app)
            end = time.perf_counter()
            if turn:
                times.setdefault(f"{name}, saved", []).append(watch.saves[0] - start)
                times.setdefault(f"{name}, script's end", []).append(end - start)
    return {name: _summary(seconds) for name, seconds in times.items()}


def _summary(seconds: list[float]) -> dict[str, float]:
    return {
        "median_s": round(statistics.median(seconds), 4),
        "max_s": round(max(seconds), 4),
        "n": len(seconds),
    }


if __name__ == "__main__":
    main()
