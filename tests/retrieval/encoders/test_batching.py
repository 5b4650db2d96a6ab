"""The batch size, determined by trial: halved when memory runs out, and kept."""

from collections.abc import Sequence

import pytest
import torch

from workbench.core.errors import UsageError, WorkbenchError
from workbench.models.local import BatchSize, in_batches


class Memory:
    """Holds `room` texts at once; remembers the sizes it was given."""

    def __init__(self, room: int, error: type[Exception] = torch.OutOfMemoryError) -> None:
        self.room, self.error, self.sizes = room, error, list[int]()

    def run(self, part: Sequence[str]) -> str:
        self.sizes.append(len(part))
        if len(part) > self.room:
            raise self.error("CUDA out of memory")
        return "".join(part)


def test_slices_come_in_order_with_their_places() -> None:
    assert in_batches("abcde", BatchSize(2), Memory(2).run) == [(0, "ab"), (2, "cd"), (4, "e")]


@pytest.mark.parametrize("error", [torch.OutOfMemoryError, RuntimeError, MemoryError])
def test_the_size_is_halved_until_it_fits(error: type[Exception]) -> None:
    memory, size = Memory(3, error), BatchSize(8)
    assert in_batches("abcdefgh", size, memory.run) == [(0, "ab"), (2, "cd"), (4, "ef"), (6, "gh")]
    assert memory.sizes == [8, 4, 2, 2, 2, 2]


def test_the_size_that_fitted_is_kept_for_the_next_call() -> None:
    memory, size = Memory(2), BatchSize(8)
    in_batches("abcdefgh", size, memory.run)
    memory.sizes.clear()
    in_batches("abcdefgh", size, memory.run)
    assert memory.sizes == [2, 2, 2, 2]


def test_where_one_text_does_not_fit_the_message_names_the_remedy() -> None:
    with pytest.raises(WorkbenchError, match="lower max_length"):
        in_batches("ab", BatchSize(2), Memory(0).run)


def test_an_error_other_than_lack_of_memory_is_not_retried() -> None:
    def broken(part: Sequence[str]) -> None:
        raise RuntimeError("index out of range")

    with pytest.raises(RuntimeError, match="out of range"):
        in_batches("ab", BatchSize(2), broken)


def test_nothing_to_do_is_no_batch() -> None:
    assert in_batches("", BatchSize(2), Memory(1).run) == []


def test_a_batch_holds_at_least_one_text() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        BatchSize(0 - 1)


def test_a_device_gets_its_usual_size_unless_another_is_preferred() -> None:
    assert [BatchSize.for_device("cuda:1").value, BatchSize.for_device("cpu").value] == [256, 32]
    assert BatchSize.for_device("cpu", 7).value == 7
