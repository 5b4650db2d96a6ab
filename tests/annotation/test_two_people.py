"""Several processes at once on one queue: nobody too many, nothing lost, and a process that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.annotation.material import SEVERAL, add_answers, complete_all, url
from tests.processes import FORKED
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.results.result_store import ResultStore


def _work(task: tuple[str, str, str]) -> int:
    address, name, person = task
    store = ResultStore.at(address)
    queues = QueueStore(store)
    return complete_all(queues, LabelStore(store), queues.queue(name), person)


def _save_often(task: tuple[str, str, int]) -> None:
    address, name, process = task
    store = ResultStore.at(address)
    queues, labels = QueueStore(store), LabelStore(store)
    item = queues.item(queues.queue(name).id, 1)
    for number in range(25):
        labels.save(item, "Anna", ["bad"], f"{process}:{number}")


def test_people_in_processes_share_a_queue_and_no_item_has_one_too_many(tmp_path: Path) -> None:
    store = ResultStore.at(url(tmp_path))
    queue = QueueStore(store).create("Q", SEVERAL, add_answers(store, 2), per_language=2)
    with FORKED.Pool(3) as pool:
        counts = pool.map(_work, [(url(tmp_path), "Q", person) for person in ("Anna", "Bela", "Carl")], chunksize=1)
    records = LabelStore(store).labels(queue.id)
    assert sum(counts) == len(records) == 52
    assert set(Counter(record.number for record in records).values()) == {2}


def test_no_save_of_two_processes_is_lost(tmp_path: Path) -> None:
    store = ResultStore.at(url(tmp_path))
    queues = QueueStore(store)
    queue = queues.create("Q", SEVERAL, add_answers(store), per_language=1)
    with FORKED.Pool(2) as pool:
        pool.map(_save_often, [(url(tmp_path), "Q", process) for process in range(2)], chunksize=1)
    comments = {record.comment for record in LabelStore(store).history(queues.item(queue.id, 1), "Anna")}
    assert comments == {f"{process}:{number}" for process in range(2) for number in range(25)}


SAVER = """
import sys
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.results.result_store import ResultStore

store = ResultStore.at(sys.argv[1])
queues, labels = QueueStore(store), LabelStore(store)
item = queues.item(queues.queue("Q").id, 1)
for number in range(100_000):
    labels.save(item, "Anna", ["bad"], str(number))
    print(number, flush=True)
"""


def test_a_process_killed_while_it_saves_loses_nothing_that_it_saved(tmp_path: Path) -> None:
    store = ResultStore.at(url(tmp_path))
    queues = QueueStore(store)
    queue = queues.create("Q", SEVERAL, add_answers(store), per_language=1)
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", SAVER, url(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
        )
        assert process.stdout
        confirmed = [process.stdout.readline().strip() for _ in range(20)]
        os.kill(process.pid, signal.SIGKILL)
        confirmed += process.stdout.read().split()
        process.wait()
        process.stdout.close()
        history = [record.comment for record in LabelStore(store).history(queues.item(queue.id, 1), "Anna")]
        last = history[-len(confirmed) - 1 :]
        assert set(confirmed) <= set(last)
    assert LabelStore(store).save(queues.item(queue.id, 1), "Anna", ["good"]).labels == ("good",)
