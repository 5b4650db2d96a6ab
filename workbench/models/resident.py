"""Models in memory: on which device, loaded when first used, kept, and used by one thread at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

from workbench.core import MissingError, UsageError, shorten
from workbench.models.local import LocalModel, loading

Loaded = TypeVar("Loaded")

DEVICE_NAME = re.compile(r"auto|cpu|cuda(:\d+)?")


def check_device(device: str) -> str:
    """`device` where it is a device name. Raises UsageError; does not load torch."""
    if not DEVICE_NAME.fullmatch(device):
        raise UsageError(f"Unknown device “{shorten(device)}”. Allowed: auto, cpu, cuda, cuda:N. For example: auto")
    return device


def torch_device(device: str) -> str:
    """Torch's name for `device`. Raises MissingError where the machine does not have it."""
    import torch

    if check_device(device) == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device.startswith("cuda"):
        number = int(device.partition(":")[2] or 0)
        if not torch.cuda.is_available() or number >= torch.cuda.device_count():
            raise MissingError(f"There is no device {device} on this machine; use the device auto or cpu.")
    return device


def half_precision(device: str) -> bool:
    """Whether to compute in 16 bits: on CUDA only, where it is faster; on a CPU it is slower and less exact."""
    return device.startswith("cuda")


class Resident(Generic[Loaded]):
    """A loaded model: what `load` makes of a model's files, on one device."""

    def __init__(self, model: LocalModel, device: str, load: Callable[[str], Loaded]) -> None:
        """`device` is auto, cpu, cuda or cuda:N; `load` is given torch's name for it. Raises UsageError for another."""
        self._model = model
        self._device = check_device(device)
        self._load = load
        self._loaded: Loaded | None = None
        # Also held while computing: a tokenizer has state, and must not be used by two threads at once.
        self._lock = Lock()

    @contextmanager
    def use(self) -> Iterator[Loaded]:
        """The loaded model, for this thread alone.

        Raises MissingError where the machine lacks the device, DataError where the files cannot be loaded.
        """
        with self._lock:
            if self._loaded is None:
                device = torch_device(self._device)
                with loading(self._model):
                    self._loaded = self._load(device)
                # A method of the component that has this attribute would keep both, and the model's memory, alive.
                del self._load
            yield self._loaded
