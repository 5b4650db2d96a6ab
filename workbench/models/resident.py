"""A model in memory: loaded when it is first used, kept, and used by one thread at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

from workbench.models.device import check_device, torch_device
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
