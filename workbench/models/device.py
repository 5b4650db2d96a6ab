"""Where a model computes. `auto` takes a CUDA device if there is one, else the processor."""

from __future__ import annotations

import re

from workbench.errors import MissingError, UsageError, shorten

NAMES = re.compile(r"auto|cpu|cuda(:\d+)?")


def check_device(asked: str) -> str:
    """`asked` where it is a device name. Raises UsageError; does not load torch."""
    if not NAMES.fullmatch(asked):
        raise UsageError(f"Unknown device “{shorten(asked)}”. Allowed: auto, cpu, cuda, cuda:N. For example: auto")
    return asked


def torch_device(asked: str) -> str:
    """torch's name for `asked`. Raises MissingError where that device is not here."""
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
