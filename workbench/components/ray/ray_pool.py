"""Workers on Ray, and the connection to it: a cluster of its own on this machine, or one that runs already.

Blocks of work go to whoever is free, and their results come back in order. Few blocks are under way at once, so memory
holds those alone, however long the work is. Ray starts a worker that died again, and gives it its blocks once more; one
whose workers die again and again ends the work in one sentence.

A local cluster listens on this machine's loopback alone, asks for a token that nobody else has, keeps its files in a
folder that only its user can read, has no dashboard, reports nothing to anybody, and ends with the process that started
it, however that ends (`ray_keeper`).
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from threading import Event
from typing import Any

from workbench.components.ray.ray_keeper import MARK, end, start_keeper
from workbench.components.ray.ray_worker import Failure, RayWorker
from workbench.core import MissingError, UsageError, WorkbenchError, shorten
from workbench.workspace import detached

LOCAL = "local"
"""The address of workers that are started on this machine."""
ADDRESS = re.compile(r"(?:ray://)?(?:[\w.-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})")
LAST_PORT = 65_535
"""The resolver takes a larger one for another: whatever listens there would be waited for."""
WORKERS_LIMIT = 1_000
"""Workers that may be asked for."""


@dataclass(frozen=True, slots=True)
class RayChoice:
    """The address of a Ray cluster, or `local`, and the number of workers; 0 for one per processor, at most 8.

    Raises UsageError for an address or a number that cannot be one.
    """

    address: str
    workers: int = 0

    def __post_init__(self) -> None:
        """Raises UsageError."""
        match = ADDRESS.fullmatch(self.address)
        if self.address != LOCAL and not (match and 0 < int(match[1]) <= LAST_PORT):
            raise UsageError(
                f"“{shorten(self.address)}” is not an address of Ray. Allowed: {LOCAL} for workers on this machine, "
                "host:6379 from a machine of the cluster, ray://host:10001 from elsewhere. For example: --ray local"
            )
        if not 0 <= self.workers <= WORKERS_LIMIT:
            raise UsageError(f"{self.workers} is not a number of workers. Allowed: 1 to {WORKERS_LIMIT:,}.")

    @property
    def is_local(self) -> bool:
        """Whether the workers are started on this machine, and end with the process that started them."""
        return self.address == LOCAL


def ray_choice(address: str | None, workers: int) -> RayChoice | None:
    """What a command was given by --ray and --workers; None where it runs in one process.

    Raises UsageError for workers without an address and for one that is not valid, MissingError where Ray is missing.
    """
    if address is None:
        if workers:
            raise UsageError("--workers is the number of workers on Ray: add --ray local")
        return None
    choice = RayChoice(address.strip(), workers)
    check_installed()
    return choice


def check_installed() -> None:
    """Raises MissingError with the command that installs Ray where it is not installed."""
    if find_spec("ray") is None:
        raise MissingError("Ray is not installed. Type: pip install -r requirements-scale.txt")


ENVIRONMENT: Mapping[str, str] = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Without GPUs of its own, a worker would otherwise be shown none.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
"""What Ray reads from the environment in every case."""
LOCAL_ENVIRONMENT: Mapping[str, str] = {
    # Ray's one way to keep to 127.0.0.1; by default it takes the address of the network, whatever it is given.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": "token",
}
TOKEN = "RAY_AUTH_TOKEN"  # noqa: S105 (the name of the variable)
OBJECT_STORE = 128 * 2**20
"""Bytes of shared memory for what goes to workers and comes back: some blocks of passages or states at a time."""
CONNECT_LIMIT = 10.0
"""Seconds within which a cluster must accept a connection."""
LOCAL_LIMIT = 8
"""Workers that are started without being asked for: each has its models in memory."""


@contextmanager
def connected(choice: RayChoice) -> Iterator[int]:
    """Ray for the block, and the number of workers that it gives room for; what it started is ended after it.

    Within another such block, the same Ray. Raises MissingError where Ray is not installed, UsageError for more workers
    than the cluster has processors, WorkbenchError where it cannot be started or reached.
    """
    check_installed()
    # Read when Ray is imported, or when it first connects: a process has one token.
    os.environ.update(ENVIRONMENT)
    if choice.is_local:
        os.environ.update({**LOCAL_ENVIRONMENT, TOKEN: os.environ.get(TOKEN) or secrets.token_hex(32)})
    else:
        _check_reachable(choice)
    import ray

    if ray.is_initialized():
        yield _workers(choice)
        return
    # Ray prints what happens to its workers on stdout, which is for results.
    with redirect_stdout(sys.stderr), _local_ray(choice) if choice.is_local else _cluster(choice):
        yield _workers(choice)


def resources() -> Mapping[str, float]:
    """What the cluster has, by Ray's names, such as CPU and GPU."""
    import ray

    total: Mapping[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return total


@contextmanager
def _cluster(choice: RayChoice) -> Iterator[None]:
    with _initialised(choice, address=choice.address):
        yield


@contextmanager
def _local_ray(choice: RayChoice) -> Iterator[None]:
    # Made by mkdtemp, so that nobody else can read it.
    folder = Path(tempfile.mkdtemp(prefix="mrag-ray-"))
    keeper = start_keeper(folder)
    # So that workers find the workbench, whatever folder this process was started in.
    paths = [str(detached.ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    values = {MARK: str(folder), "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        with _initialised(
            choice,
            address="local",
            num_cpus=choice.workers or min(os.cpu_count() or 1, LOCAL_LIMIT),
            object_store_memory=OBJECT_STORE,
            include_dashboard=False,
            _temp_dir=str(folder),
        ):
            yield
    finally:
        end(keeper)
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _initialised(choice: RayChoice, **options: Any) -> Iterator[None]:
    import ray

    try:
        try:
            ray.init(log_to_driver=False, logging_level=logging.ERROR, **options)
        except Exception as error:  # whatever Ray raises: it has a dozen kinds
            raise WorkbenchError(_unreachable(choice, error)) from None
        yield
    finally:
        ray.shutdown()


def _check_reachable(choice: RayChoice) -> None:
    """Raises WorkbenchError where nothing answers at the address: Ray itself would try for minutes."""
    host, _, port = choice.address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_LIMIT).close()
    except OSError as error:
        raise WorkbenchError(_unreachable(choice, error)) from None


def _workers(choice: RayChoice) -> int:
    processors = int(resources().get("CPU", 0))
    if choice.workers > processors:
        raise UsageError(
            f"The cluster has {processors:,} processors, so {choice.workers:,} workers would wait forever. Allowed: 1 "
            f"to {processors:,}. For example: --workers {processors or 1}"
        )
    return choice.workers or max(1, min(processors, LOCAL_LIMIT))


def _unreachable(choice: RayChoice, error: Exception) -> str:
    reason = shorten(str(error) or type(error).__name__, 200).rstrip(".")
    if choice.is_local:
        return f"Ray could not be started on this machine: {reason}."
    return f"The Ray cluster at {choice.address} cannot be reached: {reason}. Check the address, and that it runs."


UNDER_WAY = 2
"""Blocks that a worker has at once: it need not wait for the next one."""
AHEAD = 4
"""Blocks for each worker whose results may wait for that of an earlier one."""
RESTARTS = 8
"""How often a worker is started again."""
RETRIES = 2
"""How often a block is done again that its worker died of."""
TICK = 0.2
"""Seconds between looks at whether the work shall stop."""
START_LIMIT = 300.0
"""Seconds within which all workers must have started."""
KEPT = "Finished work is kept. Type the same command again to continue"


@dataclass
class RayPool:
    """Workers, as Ray's handles of `RayWorker`."""

    workers: list[Any]
    _loads: Counter[int] = field(default_factory=Counter)

    def __len__(self) -> int:
        """The number of workers."""
        return len(self.workers)

    def processes(self) -> list[int]:
        """The number of each worker's process. Raises WorkbenchError where one has not started in time."""
        import ray

        refs = [worker.process.remote() for worker in self.workers]
        try:
            return list(ray.get(refs, timeout=START_LIMIT))
        except ray.exceptions.GetTimeoutError:
            raise WorkbenchError(
                f"Not all of the {len(self)} workers started within {START_LIMIT:.0f} s: the cluster is busy or too "
                "small. Use fewer workers, or try again when the cluster is free."
            ) from None
        except ray.exceptions.RayError as error:
            raise _lost(error) from None

    def results(self, method: str, blocks: Iterable[tuple[Any, ...]], stop: Event | None = None) -> Iterator[Any]:
        """What `method` of a worker returns for each block of arguments, in order.

        Ends early once `stop` is set. Raises WorkbenchError where a worker reports a failure or is lost for good.
        """
        import ray

        source = enumerate(blocks)
        under_way: dict[Any, tuple[int, int]] = {}
        finished: dict[int, Any] = {}
        turn, is_left = 0, True
        try:
            while True:
                while is_left and len(under_way) + len(finished) < AHEAD * len(self):
                    number = min(range(len(self)), key=self._loads.__getitem__)
                    if self._loads[number] >= UNDER_WAY:
                        break
                    place, block = next(source, (-1, ()))
                    if place < 0:
                        is_left = False
                        break
                    ref = getattr(self.workers[number], method).remote(*block)
                    under_way[ref] = (place, number)
                    self._loads[number] += 1
                if not under_way:
                    if not is_left:
                        return
                    # All workers are busy with blocks of others who use the pool.
                    if stop is not None and stop.is_set():
                        return
                    time.sleep(TICK)
                    continue
                ready, _ = ray.wait(list(under_way), timeout=TICK)
                if stop is not None and stop.is_set():
                    return
                for ref in ready:
                    place, number = under_way.pop(ref)
                    self._loads[number] -= 1
                    finished[place] = _result(ref)
                while turn in finished:
                    yield finished.pop(turn)
                    turn += 1
        finally:
            for ref, (_, number) in under_way.items():
                self._loads[number] -= 1
                ray.cancel(ref)  # what has not begun; what has is dropped when it ends


@contextmanager
def ray_pool(choice: RayChoice, home: Path) -> Iterator[RayPool]:
    """Workers over the workspace in `home` for the block. Raises as `connected` and `RayPool.processes` do."""
    with connected(choice) as count:
        import ray

        worker = ray.remote(RayWorker).options(
            num_cpus=1,
            num_gpus=gpu_share(count, int(resources().get("GPU", 0))),
            max_restarts=RESTARTS,
            max_task_retries=RETRIES,
        )
        pool = RayPool([worker.remote(home) for _ in range(count)])
        try:
            pool.processes()
            yield pool
        finally:
            for handle in pool.workers:
                ray.kill(handle)


def gpu_share(workers: int, gpus: int) -> float:
    """How much of a GPU each worker has: by count, so that each GPU has as many workers as the others, or one more.

    >>> gpu_share(3, 2), gpu_share(2, 8), gpu_share(4, 0)
    (0.5, 1.0, 0.0)
    """
    return 1 / ceil(workers / gpus) if gpus else 0.0


def _result(ref: Any) -> Any:
    import ray

    try:
        result = ray.get(ref)
    except ray.exceptions.RayError as error:
        raise _lost(error) from None
    if isinstance(result, Failure):
        raise WorkbenchError(f"{result.sentence.rstrip('.')}. {KEPT}.")
    return result


def _lost(error: Exception) -> WorkbenchError:
    first = shorten(str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__, 160)
    return WorkbenchError(
        f"A worker on Ray died again and again ({first.rstrip('.')}), often for lack of memory. {KEPT}, with fewer "
        "workers or on machines with more memory."
    )
