"""Files of labels in the programs that they are for: the server of Label Studio and the client of Argilla.

They are skipped unless LABEL_PROGRAMS names the folder of a virtual environment that has them:

    python -m venv /tmp/programs && /tmp/programs/bin/pip install label-studio argilla
    LABEL_PROGRAMS=/tmp/programs python -m pytest tests/annotation/test_label_programs.py --slow -n 0
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import delete

from tests.annotation.material import SEVERAL, TEXTS, add_answers
from workbench.annotation.files.label_files import SETUPS, export_labels
from workbench.annotation.files.label_import import LabelImport, import_labels
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.annotation.text_spans import text_span
from workbench.core.records import Passage
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import annotation_tables as t

PROGRAMS = Path(os.environ.get("LABEL_PROGRAMS", "/nowhere"))
TOKEN = "0123456789abcdef0123456789abcdef01234567"
PATIENCE = 400.0
"""Seconds for Label Studio to create its tables and to start."""
ARGILLA = """
import sys
from unittest.mock import MagicMock
import argilla as rg
from argilla.records._io import JsonIO

# Its server needs Elasticsearch or OpenSearch: what is run here is the client's own reading and writing.
rg.Argilla._default_client = MagicMock()
settings, records, out = sys.argv[1:]
fields = rg.Settings.from_json(settings).serialize()["fields"]
loaded = JsonIO._records_from_json(records)
assert all(set(record.fields.to_dict()) <= {field["name"] for field in fields} for record in loaded)
JsonIO.to_json(loaded, out)
"""

pytestmark = pytest.mark.slow


def _needs(program: str) -> pytest.MarkDecorator:
    reason = f"LABEL_PROGRAMS names no environment that has {program}"
    return pytest.mark.skipif(not any(PROGRAMS.glob(f"lib/*/site-packages/{program}")), reason=reason)


@pytest.fixture
def labelled(store: ResultStore) -> AnnotationQueue:
    """Thirteen languages, each answer labelled by two people with a comment and a mark, one of them behind an emoji."""
    queues, labels = QueueStore(store), LabelStore(store)
    queue = queues.create("Lights", SEVERAL, add_answers(store), per_language=1)
    for person in ("Anna", "Bèla"):
        for item in queues.items(queue.id):
            given = ["good", "odd"] if item.number % 3 else []
            labels.save(item, person, given, "Hm, “so”?\n👩‍👩‍👧 &<b>", [text_span(item.answer, 3, 6)] if given else [])
            if item.number % 2:
                labels.complete(item, person)
    return queue


def _exported(store: ResultStore, queue: AnnotationQueue, kind: str, folder: Path) -> tuple[Path, Path]:
    """The labels with a document, and what a project for them is set up with."""
    documents = {"doc.1": Passage("doc.1", "doc", "A light", "en", "It was lit in 1874. 👩‍👩‍👧")}
    corpus: Any = SimpleNamespace(passages_named=lambda _ids: documents)
    file, setup = folder / "labels.json", folder / "setup"
    export_labels(store, queue, kind, file, lambda _name, _version: corpus)
    setup.write_bytes(SETUPS[kind].write(QueueStore(store).taxonomy_of(queue.id), 2))
    return file, setup


def _comes_back_equal(store: ResultStore, queue: AnnotationQueue, file: Path) -> None:
    """The file of the other program changes nothing here, and restores all that is forgotten here."""
    before = LabelStore(store).labels(queue.id)
    assert len(before) == 2 * len(TEXTS)
    assert import_labels(store, file) == LabelImport(added=0, unchanged=len(before), older=0)
    with store.engine.begin() as connection:
        for table in (t.labels, t.places):
            connection.execute(delete(table))
    assert import_labels(store, file) == LabelImport(added=len(before), unchanged=0, older=0)
    assert LabelStore(store).labels(queue.id) == before


@_needs("argilla")
def test_argilla_reads_settings_and_records_and_what_it_writes_comes_back_equal(
    store: ResultStore, labelled: AnnotationQueue, tmp_path: Path
) -> None:
    file, setup = _exported(store, labelled, "argilla", tmp_path)
    out = tmp_path / "from-argilla.json"
    subprocess.run([PROGRAMS / "bin/python", "-c", ARGILLA, setup, file, out], check=True)
    shown = json.loads(out.read_text(encoding="utf-8"))[0]["fields"]
    assert shown["golds"] == "1874" and "A light" in shown["documents"]
    _comes_back_equal(store, labelled, out)


@pytest.fixture
def label_studio(tmp_path: Path) -> Iterator[str]:
    """The address of a Label Studio of one's own, on SQLite."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home, command = tmp_path / "label-studio", [str(PROGRAMS / "bin/label-studio"), "start", "--no-browser"]
    home.mkdir()
    command += ["--port", str(port), "--internal-host", "127.0.0.1", "--data-dir", str(home)]
    command += ["--username", "ada@lights.example", "--password", "a long password", "--user-token", TOKEN]
    quiet = {"LABEL_STUDIO_LATEST_VERSION_CHECK": "false", "COLLECT_ANALYTICS": "false", "SENTRY_DSN": ""}
    variables = {**os.environ, **quiet, "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true"}
    variables.pop("PYTHONPATH", None)
    with (home / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=home, env=variables, stdout=log, stderr=log)
    url, until = f"http://127.0.0.1:{port}", time.monotonic() + PATIENCE
    try:
        while True:
            try:
                urllib.request.urlopen(f"{url}/health", timeout=5).close()
                break
            except OSError:
                assert process.poll() is None and time.monotonic() < until, (home / "log").read_text()[-2000:]
                time.sleep(1)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=30)


@_needs("label_studio")
def test_label_studio_shows_the_tasks_under_the_configuration_and_its_export_comes_back_equal(
    label_studio: str, store: ResultStore, labelled: AnnotationQueue, tmp_path: Path
) -> None:
    file, setup = _exported(store, labelled, "labelstudio", tmp_path)
    project = _call(f"{label_studio}/api/projects/", {"title": "Lights", "label_config": setup.read_text("utf-8")})
    address = f"{label_studio}/api/projects/{project['id']}"
    reply = _call(f"{address}/import", json.loads(file.read_text(encoding="utf-8")))
    assert (reply["task_count"], reply["annotation_count"]) == (len(TEXTS), 2 * len(TEXTS))
    tasks = _call(f"{address}/export?exportType=JSON&download_all_tasks=true")
    assert {task["data"]["golds"] for task in tasks} == {"1874"}
    out = tmp_path / "from-label-studio.json"
    out.write_text(json.dumps(tasks), encoding="utf-8")
    _comes_back_equal(store, labelled, out)


def _call(url: str, content: object = None) -> Any:
    """What Label Studio answers to a request, with `content` as JSON."""
    body = None if content is None else json.dumps(content).encode()
    headers = {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=120) as answer:
        return json.load(answer)
