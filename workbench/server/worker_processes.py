"""Workers in processes of their own, on all cores; the process that clients talk to keeps the queue and the figures.

They are forked by multiprocessing's fork server once it has loaded the models, so that they share them. It opens no
index and no database: their threads and locks would not survive a fork. A process gets orders and reports events
through a pipe. Whichever side ends, the other one reads the end of the file: a process that ends is replaced, and none
outlives the service. docs/decisions/0025-processes.md says why.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Event, Lock

from workbench.app import Workbench
from workbench.core import MissingError
from workbench.server.answer_run import AnswerRun, LogFailure, Order, ServedRecipe
from workbench.server.api_errors import ApiError
from workbench.server.worker_pool import Finish

SERVED_VARIABLE = "WORKBENCH_SERVED"
"""Which has, for `fork_server_models`, the workspace's folder and the recipe whose models are loaded, as JSON."""
READY, BEGUN, DONE = "ready", "begun", "done"
RESPITE = 0.2
"""Seconds before a process is replaced, so that one that ends at once does not take a core for ending."""
WORKER_ENDED = ApiError(
    503,
    "The process that worked on this answer ended, so there is no answer; another one has taken over. Ask again.",
    "worker_ended",
    {"Retry-After": "1"},
)


def usable_cores() -> int:
    """The cores that this process may use; 1 where a fork is missing or, as on macOS, not safe for its libraries."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


@dataclass(eq=False)
class _Worker:
    """One process: the line to it and what it is at, by number; `begun` are those that it has read."""

    line: Connection
    runs: dict[int, tuple[AnswerRun, Finish]] = field(default_factory=dict)
    begun: set[int] = field(default_factory=set)

    def send(self, number: int, order: Order | None) -> None:
        """Sends an order, or None to stop it; where the process has ended, `ProcessCrew` reads that."""
        with suppress(OSError):
            self.line.send((number, order))


class ProcessCrew:
    """`count` processes for `workers` answers at the same time. Used in one thread, once open the event loop's."""

    def __init__(self, served: ServedRecipe, count: int, workers: int, log_failure: LogFailure) -> None:
        self._served = replace(served, bench=Workbench(served.bench.settings))
        self._count, self._most, self._threads = count, workers, -(-workers // count)
        self._log_failure = log_failure
        self._lines: list[Connection] = []
        self._workers: list[_Worker] = []
        self._number = 0
        self._replacements: set[asyncio.Task[None]] = set()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Within it the processes run. Raises MissingError where they do not start."""
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process is for one core, and OpenMP's threads do not fork
        home, recipe = self._served.bench.settings.home, self._served.recipe.model_dump(mode="json")
        os.environ[SERVED_VARIABLE] = json.dumps([str(home), recipe])
        get_context("forkserver").set_forkserver_preload(["workbench.server.fork_server_models"])
        try:
            with ThreadPoolExecutor(self._count) as starts:
                self._workers = list(starts.map(lambda _: self._start(), range(self._count)))
            yield
        finally:
            for line in self._lines:
                line.close()

    def open(self, on_more: Callable[[], None]) -> None:
        """Listens to the processes in the running loop; `on_more` is called when one joins."""
        self._loop, self._on_more = asyncio.get_running_loop(), on_more
        for worker in self._workers:
            self._loop.add_reader(worker.line, self._read, worker)

    def capacity(self) -> int:
        """Answers that can be worked on at the same time: fewer while a process is being replaced."""
        return min(self._most, self._threads * len(self._workers))

    def begin(self, run: AnswerRun, finish: Finish) -> None:
        """Gives the order to the process that is at the fewest."""
        worker = min(self._workers, key=lambda item: len(item.runs))
        number = self._number = self._number + 1
        worker.runs[number] = run, finish
        run.on_stop = lambda: worker.send(number, None)
        worker.send(number, run.order)

    def _start(self) -> _Worker:
        """A process that is ready. Raises MissingError where it does not start."""
        context = get_context("forkserver")
        ours, theirs = context.Pipe()
        self._lines.append(ours)
        try:
            context.Process(target=_work, args=(self._served, self._threads, theirs, self._log_failure)).start()
            theirs.close()
            ours.recv()
        except (OSError, EOFError):
            self._lines.remove(ours)
            raise MissingError("A process that answers could not start: what it printed states why.") from None
        return _Worker(ours)

    async def _replace(self) -> None:
        while True:
            await asyncio.sleep(RESPITE)
            with suppress(MissingError):
                worker = await asyncio.to_thread(self._start)
                break
        self._workers.append(worker)
        self._loop.add_reader(worker.line, self._read, worker)
        self._on_more()

    def _read(self, worker: _Worker) -> None:
        try:
            number, event = worker.line.recv()
        except (OSError, EOFError):
            self._bury(worker)
            return
        run, finish = worker.runs[number]
        if event == BEGUN:
            worker.begun.add(number)
        elif event != DONE:
            run.report(event)
        else:
            del worker.runs[number]
            worker.begun.discard(number)
            finish(True)

    def _bury(self, worker: _Worker) -> None:
        """What a process had begun when it ended fails, since it might end the next one too; the rest waits again."""
        self._loop.remove_reader(worker.line)
        self._lines.remove(worker.line)
        self._workers.remove(worker)
        worker.line.close()
        task = self._loop.create_task(self._replace())
        self._replacements.add(task)
        task.add_done_callback(self._replacements.discard)
        for number, (run, finish) in reversed(worker.runs.items()):
            if number in worker.begun:
                run.report(WORKER_ENDED)
            finish(number in worker.begun)


def _work(served: ServedRecipe, threads: int, line: Connection, log_failure: LogFailure) -> None:
    """In a process of its own: answers what it is sent, `threads` questions at the same time."""
    # Ctrl-C and a service manager's stop reach every process: the service ends this one once its answers are sent.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _ = served.bench.cache  # opened by one thread, before there are several
    served.warm_up()
    turn, pool, stops = Lock(), ThreadPoolExecutor(threads), dict[int, Event]()

    def send(number: int, event: object) -> None:
        with turn, suppress(OSError):
            line.send((number, event))

    def carry_out(number: int, order: Order) -> None:
        try:
            send(number, BEGUN)
            served.carry_out(order, stops[number], lambda event: send(number, event), log_failure)
        finally:
            del stops[number]
            send(number, DONE)

    with suppress(OSError, EOFError):
        line.send(READY)
        while True:
            number, order = line.recv()
            if order is not None:
                stops[number] = Event()
                pool.submit(carry_out, number, order)
            elif stop := stops.get(number):
                stop.set()
    os._exit(0)  # nobody is left to read what is still being written
