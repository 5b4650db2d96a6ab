"""How many texts a model takes at once: found by trying, halved whenever memory runs out."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import TypeVar

from workbench.core import UsageError, WorkbenchError

Item = TypeVar("Item")
Result = TypeVar("Result")

START = {"cuda": 256, "cpu": 32}
"""The first size tried. A CPU gains nothing from more and keeps all activations in memory."""

MEMORY_ERROR_WORDS = ("out of memory", "alloc_failed", "can't allocate")
"""What the message of a plain RuntimeError contains where memory ran out."""


class BatchSize:
    """A batch size that shrinks to what memory holds and stays there."""

    def __init__(self, start: int) -> None:
        """`start` is the first size tried. Raises UsageError below 1."""
        if start < 1:
            raise UsageError(f"A batch holds at least 1 text, not {start}.")
        self.value = start

    @classmethod
    def for_device(cls, device: str, preferred: int = 0) -> BatchSize:
        """`preferred`, or what is usual on `device` where it is 0."""
        return cls(preferred or START["cuda" if device.startswith("cuda") else "cpu"])

    def shrink(self) -> None:
        """Halves the size. Raises WorkbenchError at 1, since there is nothing left to halve."""
        if self.value == 1:
            raise WorkbenchError(
                "Memory ran out on a single text; choose the device cpu, a smaller model or a lower max_length."
            )
        self.value //= 2


def out_of_memory(error: BaseException) -> bool:
    """Whether `error` means that memory ran out, on either kind of device."""
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    # The CPU's allocator and some CUDA libraries raise plain RuntimeError; only the message shows the cause.
    message = str(error).lower()
    return isinstance(error, RuntimeError) and any(words in message for words in MEMORY_ERROR_WORDS)


def in_batches(
    items: Sequence[Item], size: BatchSize, run: Callable[[Sequence[Item]], Result]
) -> list[tuple[int, Result]]:
    """`run` over consecutive slices of `items`, each with the place of its first one.

    Where memory runs out, the slice is tried again at half the size. Put the longest items first: then the first
    slice finds the size that suits the rest. Other errors pass through.
    """
    done: list[tuple[int, Result]] = []
    start = 0
    while start < len(items):
        part = items[start : start + size.value]
        try:
            result = run(part)
        except (MemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
        else:
            done.append((start, result))
            start += len(part)
            continue
        # Outside the handler: the caught error holds the frames, and with them the tensors that fill the memory.
        size.shrink()
        _free()
    return done


def _free() -> None:
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
