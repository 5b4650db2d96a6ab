"""A workspace with answers in thirteen languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.annotation.material import SEVERAL, add_answers, url
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.results.result_store import ResultStore


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    return ResultStore.at(url(tmp_path))


@pytest.fixture
def queues(store: ResultStore) -> QueueStore:
    return QueueStore(store)


@pytest.fixture
def labels(store: ResultStore) -> LabelStore:
    return LabelStore(store)


@pytest.fixture
def queue(store: ResultStore, queues: QueueStore) -> AnnotationQueue:
    """One answer of each of thirteen languages, for two people."""
    return queues.create("Lights", SEVERAL, add_answers(store), per_language=1)
