"""A small workspace with one of everything, built once and copied: a corpus, a dataset, results, people's own files."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fuzz.harness import call
from benchmarks.fuzz.seeds import write_files

ENDPOINTS = "mine:\n  url: http://127.0.0.1:9/v1\n  key: MY_API_KEY\n"
TAXONOMY = (
    "version: 1\ntitle: T\nsource: S\nquestion: Q?\nseveral: false\n"
    "labels: [{key: a, name: A, definition: D., example: E., value: 1}]\n"
)
PRICES = "models: {my-model: {prompt: 0.5, completion: 1.5, source: a page, date: 2026-01-31}}\n"


@dataclass(frozen=True)
class Template:
    """A built workspace, and the id of the experiment in it."""

    home: Path
    experiment: str

    def copy(self, target: Path) -> Path:
        """A copy that may be damaged."""
        shutil.copytree(self.home, target)
        return target


def build(folder: Path) -> Template:
    """Builds the workspace in `folder`; raises AssertionError where a call fails."""
    home, files = folder / "template", folder / "template-files"
    write_files(files)
    steps = (
        ("prepare",),
        ("import", "squad", f"{files}/squad.json", "--lang", "en", "--name", "mine"),
        ("ask", "Mikä on pääkaupunki?", "--lang", "fi", "--mode", "crossrag"),
        ("retrieve", "--corpus", "mine", "--dataset", "mine", "--lang", "en", "--k", "5"),
        ("run", f"{files}/matrix.yaml"),
        ("runs", "import", f"{files}/predictions.jsonl", "--dataset", "mine", "--name", "p", "--lang", "en"),
        ("models", "use", "builtin"),
    )
    for words in steps:
        outcome = call(words, home, seconds=240, jobs=True)
        assert outcome.code == 0, (words, outcome.code, outcome.err[-600:])
    (home / "endpoints.yaml").write_text(ENDPOINTS, encoding="utf-8")
    (home / "taxonomies").mkdir(exist_ok=True)
    (home / "taxonomies" / "ours.yaml").write_text(TAXONOMY, encoding="utf-8")
    (home / "prices.yaml").write_text(PRICES, encoding="utf-8")
    database = home / "workbench.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        experiment = connection.execute("SELECT id FROM experiments WHERE kind = 'matrix'").fetchone()[0]
    return Template(home, str(experiment))


def restore(template: Template, home: Path, name: str) -> None:
    """Puts a file of the template back, and the database with it, since a call may have written to either."""
    for item in (name, "workbench.db"):
        shutil.copy2(template.home / item, home / item)
    for item in ("workbench.db-wal", "workbench.db-shm", "errors.log"):
        with suppress(FileNotFoundError):
            os.unlink(home / item)  # noqa: PTH108
