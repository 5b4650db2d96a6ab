"""A pool of workers on Ray: blocks of work go to whoever is free, and their results come back in order.

Few blocks are under way at once, so memory holds those alone, however long the work is. Ray starts a worker that died
again, and gives it its blocks once more; one whose workers die again and again ends the work in one sentence.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from threading import Event
from typing import Any

from workbench.components.ray.ray_choice import RayChoice
from workbench.components.ray.ray_cluster import connected, resources
from workbench.components.ray.ray_worker import Failure, RayWorker
from workbench.core import WorkbenchError, shorten

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
