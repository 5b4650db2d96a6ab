"""Workers that die, and a pool that notes what it is used for."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

from workbench.components.ray.ray_pool import RayPool


class MortalWorker:
    """Returns what it is given, and is killed by the word “die”."""

    def process(self) -> int:
        return os.getpid()

    def echo(self, word: str) -> str:
        if word == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return word


@dataclass
class NotingPool(RayPool):
    """A pool that notes what its workers are given, as method and name, and may lose one while it is at work."""

    calls: list[tuple[str, str]] = field(default_factory=list)
    victim: int = 0
    """The process of the worker that is to be killed once both have something to do; 0 for none."""

    def lose_one(self) -> int:
        """Has the first worker killed during the next work; returns the number of its process."""
        self.victim = self.processes()[0]
        return self.victim

    def results(self, method: str, blocks: Iterable[tuple[Any, ...]], stop: Event | None = None) -> Iterator[Any]:
        def noted() -> Iterator[tuple[Any, ...]]:
            for number, block in enumerate(blocks):
                self.calls.append((method, block[0].name))
                if number == 1 and self.victim:
                    Thread(target=kill_soon, args=(self.victim,)).start()
                    self.victim = 0
                yield block

        return super().results(method, noted(), stop)


def kill_soon(process: int) -> None:
    """Kills a process in a moment."""
    time.sleep(0.2)
    os.kill(process, signal.SIGKILL)
