"""Where a model computes."""

import pytest
import torch

from workbench.errors import MissingError, UsageError
from workbench.models.resident import check_device, half_precision, torch_device


def test_an_unknown_device_is_refused() -> None:
    with pytest.raises(UsageError, match="auto, cpu, cuda"):
        check_device("gpu")


def test_auto_takes_the_processor_where_there_is_no_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert torch_device("auto") == "cpu"


def test_auto_takes_cuda_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert torch_device("auto") == "cuda"


def test_a_device_that_is_not_here_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(MissingError, match="no device cuda:3"):
        torch_device("cuda:3")


def test_half_precision_is_for_cuda_only() -> None:
    assert [half_precision("cuda:0"), half_precision("cpu")] == [True, False]
