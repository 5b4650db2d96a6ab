"""A model in memory: loaded once, when first used, used by one thread at a time, on the right device."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from threading import Event, Thread

import pytest
import torch

from workbench.core.errors import DataError, MissingError, UsageError
from workbench.models.local import LocalModel, Resident, check_device, half_precision, torch_device

MODEL = LocalModel("mine", Path("mine"), "1")


def test_a_model_is_loaded_once_and_not_before_it_is_used() -> None:
    loaded: list[str] = []

    def load(device: str) -> str:
        loaded.append(device)
        return "the model"

    resident = Resident(MODEL, "cpu", load)
    assert loaded == []
    for _ in range(2):
        with resident.use() as model:
            assert model == "the model"
    assert loaded == ["cpu"]


def test_files_that_cannot_be_loaded_are_reported_and_tried_again() -> None:
    tries: list[str] = []

    def load(device: str) -> str:
        tries.append(device)
        if len(tries) == 1:
            raise KeyError("weights")
        return "the model"

    resident = Resident(MODEL, "cpu", load)
    with pytest.raises(DataError, match="“mine” could not be loaded"), resident.use():
        pass
    with resident.use() as model:
        assert model == "the model"


def test_an_unknown_device_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="Unknown device"):
        Resident(MODEL, "abacus", str)


def test_another_thread_waits_until_the_model_is_free() -> None:
    resident, came, order = Resident(MODEL, "cpu", str), Event(), list[str]()

    def second() -> None:
        came.set()
        with resident.use():
            order.append("second")

    with resident.use():
        thread = Thread(target=second)
        thread.start()
        came.wait(10)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]


def test_a_failure_while_computing_frees_the_model_for_others() -> None:
    resident = Resident(MODEL, "cpu", str)
    with pytest.raises(ZeroDivisionError), resident.use():
        raise ZeroDivisionError
    with resident.use() as model:
        assert model == "cpu"


def test_a_component_without_references_is_freed_with_its_model_at_once() -> None:
    class Component:
        def __init__(self) -> None:
            self.resident = Resident(MODEL, "cpu", self.load)

        def load(self, device: str) -> str:
            return device

    component = Component()
    with component.resident.use():
        pass
    reference = weakref.ref(component)
    gc.disable()
    try:
        del component
        assert reference() is None
    finally:
        gc.enable()


# --- devices ---------------------------------------------------------------------------------------------------------


def test_an_unknown_device_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="auto, cpu, cuda"):
        check_device("gpu")


def test_auto_takes_the_processor_where_there_is_no_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert torch_device("auto") == "cpu"


def test_auto_takes_cuda_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert torch_device("auto") == "cuda"


def test_a_device_that_the_machine_lacks_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(MissingError, match="no device cuda:3"):
        torch_device("cuda:3")


def test_half_precision_is_for_cuda_only() -> None:
    assert [half_precision("cuda:0"), half_precision("cpu")] == [True, False]
