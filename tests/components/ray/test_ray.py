"""Models on Ray: what workers make is what one process makes, also where one of them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event, Timer

import pytest

from tests.cli.terminal import terminal
from tests.components.ray.workers import MortalWorker, NotingPool
from tests.experiments.experiments import answer_rows, small, stored
from tests.jobs.waiting import work_on
from workbench.app.workbench import Workbench
from workbench.components.ray.ray_keeper import marked
from workbench.components.ray.ray_pool import UNDER_WAY, RayChoice, RayPool
from workbench.components.ray.ray_stages import RaySpread, RayStages, is_distributed
from workbench.components.ray.ray_worker import EncoderOrder
from workbench.core.errors import WorkbenchError
from workbench.core.identity import file_fingerprint
from workbench.core.records import Passage
from workbench.core.stopping import JobStopped, stopping_with
from workbench.data.corpora.corpus import STORE, IndexStore, write_store
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.corpora.encoded_indexes import ENCODED
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.pipeline.executor import StepCounts
from workbench.pipeline.stage import State
from workbench.workspace import settings

CORPUS = "copied"
LISTENS = "0A"
"""The state of a socket that listens."""
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}
"""127.0.0.1, and the same as an address of version 6."""


def with_copied_corpus(workbench: Workbench) -> Workbench:
    """Adds a corpus of some passages of the sample with a word more, whose vectors no file has."""
    table = workbench.corpus("sample").table
    passages = [replace(item, text=f"Once. {item.text}", group="") for item in list(table)[:16]]
    CorpusLibrary(workbench.settings.corpora).add(CORPUS, passages, source="the sample", licence="CC0")
    return workbench


def quiet(_phase: str, _done: int, _total: int) -> None:
    """No progress is shown."""


def index_files(workbench: Workbench, corpus: str) -> dict[str, str]:
    """The fingerprints of a corpus's indexes by further encoders, by file."""
    folder = workbench.corpus(corpus).folder / ENCODED
    return {str(path.relative_to(folder)): file_fingerprint(path) for path in folder.rglob("*") if path.is_file()}


def test_two_workers_encode_the_sample_to_the_files_of_one_process(
    workbench: Workbench, distributed: Workbench, pool: NotingPool
) -> None:
    for bench, spread in ((workbench, None), (distributed, RaySpread(pool))):
        bench.registry.index(bench.corpus("sample"), "e5-small", "dense", quiet, centring=0.25, spread=spread)
    assert ("encode", "e5-small") in pool.calls
    assert index_files(distributed, "sample") == index_files(workbench, "sample")


def test_a_worker_that_is_killed_while_it_encodes_changes_nothing(
    workbench: Workbench, distributed: Workbench, pool: NotingPool
) -> None:
    with_copied_corpus(workbench).registry.index(workbench.corpus(CORPUS), "e5-small", "dense", quiet)
    with_copied_corpus(distributed)
    process = pool.lose_one()
    distributed.registry.index(distributed.corpus(CORPUS), "e5-small", "dense", quiet, spread=RaySpread(pool))
    assert process not in pool.processes()
    assert index_files(distributed, CORPUS) == index_files(workbench, CORPUS) != {}


def test_an_experiment_over_two_workers_ends_in_the_rows_of_one_though_one_is_killed(
    workbench: Workbench, distributed: Workbench, pool: NotingPool
) -> None:
    experiment = small(modes=["crossrag", "pivot"], prompts=["reply-short-en"], languages=["fi"])
    alone, runner = stored(workbench, experiment)
    runner.run()
    together, runner = stored(distributed, experiment)
    process = pool.lose_one()
    replace(runner, stages=RayStages(pool)).run()
    assert process not in pool.processes()
    names = {name for method, name in pool.calls if method == "run_stage"}
    assert names == {"retrieve", "translate question", "translate passages", "generate", "translate answer"}
    assert answer_rows(distributed.settings, together) == answer_rows(workbench.settings, alone) != []


def test_stopped_on_workers_it_goes_on_in_one_process(
    workbench: Workbench, distributed: Workbench, pool: NotingPool
) -> None:
    experiment = small(modes=["multirag"], name="Stopped")
    alone, runner = stored(workbench, experiment)
    runner.run()
    distributed.cache.forget()
    stopped, runner = stored(distributed, experiment)
    distributed_runner = replace(runner, stages=RayStages(pool))

    def stop_now(_phase: str, _done: int, _total: int, _counts: StepCounts) -> None:
        distributed_runner.stop.set()

    distributed_runner.on_batch = stop_now
    with pytest.raises(JobStopped):
        distributed_runner.run()
    runner.stop.clear()
    runner.run()
    assert answer_rows(distributed.settings, stopped) == answer_rows(workbench.settings, alone) != []


def test_a_corpus_in_a_store_is_searched_by_the_driver(distributed: Workbench) -> None:
    _, runner = stored(distributed, small(modes=["trag"], languages=["fi"], name="In a store"))
    stages = {item.name: item for item in runner.chains(runner.inputs.runs, "fi")[0].stages}
    search, translate = stages["retrieve"], stages["translate question"]
    assert search.origin is not None and is_distributed(search, search.origin)
    write_store(search.origin.corpus.folder, IndexStore(address="milvus://host:19530"))
    try:
        assert not is_distributed(search, search.origin)
        assert translate.origin is not None and is_distributed(translate, translate.origin)
    finally:
        (search.origin.corpus.folder / STORE).unlink()


def test_who_finds_all_workers_busy_waits_for_one(pool: NotingPool) -> None:
    busy = replace(pool, _loads=Counter(dict.fromkeys(range(len(pool)), UNDER_WAY)))
    timer = Timer(0.5, busy._loads.clear)
    timer.start()
    assert list(RayPool.results(busy, "process", [()])) != []
    timer.join()


def test_who_waits_for_a_busy_worker_is_stopped(pool: NotingPool) -> None:
    busy = replace(pool, _loads=Counter(dict.fromkeys(range(len(pool)), UNDER_WAY)))
    stop = Event()
    stop.set()
    assert list(RayPool.results(busy, "process", [()], stop)) == []


def test_what_workers_had_not_begun_when_it_was_stopped_has_not_failed(
    distributed: Workbench, pool: NotingPool
) -> None:
    _, runner = stored(distributed, small(modes=["trag"], languages=["fi"], name="Not begun"))
    chains = runner.chains(runner.inputs.runs, "fi")
    stage = next(item for item in chains[0].stages if item.name == "translate question")
    stop = Event()
    stop.set()
    with stopping_with(stop):
        ran = RayStages(pool).run(stage, [State("Kuka?", "fi", ("fi",))])
    assert [item.failure for item in ran] == ["It was stopped before its turn."]


def test_a_job_over_ray_ends_as_one_without(workbench: Workbench, distributed: Workbench, pool: NotingPool) -> None:
    experiment = small(modes=["trag"], languages=["fi"], prompts=["reply-short-en"], name="As a job")
    alone, runner = stored(workbench, experiment)
    runner.run()
    jobs = ExperimentJobs(distributed.settings)
    experiment_id = jobs.create(distributed, experiment)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ExperimentJobs, "spawn", lambda jobs, job_id, _number: work_on(jobs.settings, job_id))
        jobs.start(experiment_id, RayChoice("local", 1))
    status = jobs.status(experiment_id)
    assert status is not None and status.parameters == {"ray": {"address": "local", "workers": 1}}
    assert status is not None and (status.state, status.error) == ("done", "")
    assert answer_rows(distributed.settings, experiment_id) == answer_rows(workbench.settings, alone) != []


def test_the_command_line_indexes_by_workers(
    home: Path, pool: NotingPool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench = Workbench(settings.load(home))
    run = terminal(home, capsys, monkeypatch)
    options = ("--encoder", "e5-small", "--centring", "0.1", "--ray", "local", "--workers", "1")
    result = run("corpora", "index", "sample", *options)
    assert (result.code, result.out) == (0, ""), result.err
    assert "1 worker encodes." in result.err and "Corpus “sample” is indexed by e5-small." in result.err
    assert workbench.registry.is_indexed(workbench.corpus("sample"), "e5-small")


def test_a_worker_with_another_encoder_is_one_sentence(pool: NotingPool) -> None:
    order = EncoderOrder("e5-small", "dense", "the identity of another version")
    with pytest.raises(
        WorkbenchError, match=r"A worker's encoder e5-small is not the one that this process has.*image"
    ):
        list(pool.results("encode", [(order, [Passage("a", "a", "", "en", "Tea")])]))


def test_workers_that_die_again_and_again_end_the_work_in_one_sentence_and_what_was_done_is_kept(
    pool: NotingPool,
) -> None:
    import ray

    worker = ray.remote(MortalWorker).options(num_cpus=0, max_restarts=8, max_task_retries=1).remote()
    results = RayPool([worker]).results("echo", ((word,) for word in ("one", "two", "die", "three")))
    assert [next(results), next(results)] == ["one", "two"]
    with pytest.raises(WorkbenchError, match=r"died again and again.*Finished work is kept. Type the same command"):
        next(results)


def test_only_some_blocks_are_read_ahead(pool: NotingPool) -> None:
    import ray

    worker = ray.remote(MortalWorker).options(num_cpus=0).remote()
    read: list[int] = []

    def blocks() -> Iterator[tuple[str]]:
        for number in range(100):
            read.append(number)
            yield (str(number),)

    results = RayPool([worker]).results("echo", blocks())
    assert next(results) == "0"
    assert len(read) <= 6
    assert list(results) == [str(number) for number in range(1, 100)]


def test_a_local_ray_ends_with_a_process_that_is_killed_and_listens_on_this_machine_alone() -> None:
    program = (
        "import os, time\n"
        "from workbench.components.ray.ray_pool import RayChoice\n"
        "from workbench.components.ray.ray_pool import connected\n"
        "with connected(RayChoice('local', 1)):\n"
        "    print(os.environ['WORKBENCH_RAY_FOLDER'], flush=True)\n"
        "    time.sleep(60)\n"
    )
    # Short, since the paths of Ray's sockets are long.
    with tempfile.TemporaryDirectory(prefix="r") as folder:
        process = subprocess.Popen(
            [sys.executable, "-c", program], stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": folder}
        )
        place = Path(str(process.stderr.readline(), "utf-8").strip()) if process.stderr else Path()
        processes = marked(place)
        addresses = {address for number in processes for address in listening(number)}
        assert processes and place.is_dir()
        process.send_signal(signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + 20
        while (marked(place) or place.exists()) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not marked(place) and not place.exists()
    assert addresses and addresses <= LOOPBACK


def listening(process: int) -> list[str]:
    """The addresses at which a process listens, as Linux writes them: in hexadecimal, its groups of bytes reversed."""
    sockets = set()
    with suppress(OSError):
        for link in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                sockets.add(str(link.readlink()).removeprefix("socket:[").removesuffix("]"))
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return [row[1].partition(":")[0] for row in rows if row[3] == LISTENS and row[9] in sockets]
