"""A model in memory: loaded when it is first used, kept, and used by one thread at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

from workbench.errors import MissingError, UsageError, shorten
from workbench.models.local import LocalModel, loading

Loaded = TypeVar("Loaded")


class Resident(Generic[Loaded]):
    """What `load` makes of a model's files."""

    def __init__(self, model: LocalModel, device: str, load: Callable[[str], Loaded]) -> None:
        """`device` is auto, cpu, cuda or cuda:N; `load` is told torch's name for it. Raises UsageError for another."""
        self._model = model
        self._asked = check_device(device)
        self._load = load
        self._loaded: Loaded | None = None
        # Also around computing: a tokenizer keeps state, and must not be used by two threads at once.
        self._lock = Lock()

    @contextmanager
    def use(self) -> Iterator[Loaded]:
        """The loaded model, for this thread alone.

        Raises MissingError where the device is not here, DataError where the files cannot be loaded.
        """
        with self._lock:
            if self._loaded is None:
                device = torch_device(self._asked)
                with loading(self._model):
                    self._loaded = self._load(device)
                # A method of the component that owns this would keep both, and the model's memory, past their use.
                del self._load
            yield self._loaded


NAMES = re.compile(r"auto|cpu|cuda(:\d+)?")


def check_device(asked: str) -> str:
    """`asked` where it is a device name. Raises UsageError; does not load torch."""
    if not NAMES.fullmatch(asked):
        raise UsageError(f"Unknown device “{shorten(asked)}”. Allowed: auto, cpu, cuda, cuda:N. For example: auto")
    return asked


def torch_device(asked: str) -> str:
    """Torch's name for `asked`. Raises MissingError where that device is not here."""
    import torch

    if check_device(asked) == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if asked.startswith("cuda"):
        number = int(asked.partition(":")[2] or 0)
        if not torch.cuda.is_available() or number >= torch.cuda.device_count():
            raise MissingError(f"There is no device {asked} on this machine; use the device auto or cpu.")
    return asked


def half_precision(device: str) -> bool:
    """Whether to compute in 16 bits: on CUDA only, where it is faster; on a processor it is slower and less exact."""
    return device.startswith("cuda")
