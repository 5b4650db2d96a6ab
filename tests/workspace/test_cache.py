"""The step cache: outputs are returned as they were stored, and processes share it."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.databases import database_url
from tests.processes import FORKED
from workbench.workspace.cache import StepCache
from workbench.workspace.database import open_store
from workbench.workspace.tables import steps


@pytest.fixture
def address(tmp_path: Path) -> str:
    return database_url(tmp_path / "workbench.db")


@pytest.fixture
def cache(address: str) -> StepCache:
    return StepCache(open_store(address))


def test_stored_outputs_are_returned_and_missing_keys_are_not(cache: StepCache) -> None:
    cache.put("retrieve", {"a": b"one", "b": "สอง".encode()})
    assert cache.get(["a", "b", "c"]) == {"a": b"one", "b": "สอง".encode()}


def test_outputs_outlive_the_object_that_stored_them(address: str) -> None:
    StepCache(open_store(address)).put("retrieve", {"a": b"one"})
    assert StepCache(open_store(address)).get(["a"]) == {"a": b"one"}


def test_the_first_output_of_a_key_is_kept(cache: StepCache) -> None:
    cache.put("retrieve", {"a": b"first"})
    cache.put("retrieve", {"a": b"second", "b": b"other"})
    assert cache.get(["a", "b"]) == {"a": b"first", "b": b"other"}


def test_more_keys_than_fit_a_statement_are_looked_up(cache: StepCache) -> None:
    outputs = {f"{number:04d}": str(number).encode() for number in range(1_201)}
    cache.put("retrieve", outputs)
    assert cache.get(list(outputs)) == outputs
    assert cache.count() == 1_201


def test_putting_nothing_is_allowed(cache: StepCache) -> None:
    cache.put("retrieve", {})
    assert cache.count() == 0 and cache.get([]) == {}


def test_stages_are_forgotten_by_name_or_all_together(cache: StepCache) -> None:
    cache.put("retrieve", {"a": b"1"})
    cache.put("generate", {"b": b"2"})
    cache.forget(["retrieve"])
    assert cache.get(["a", "b"]) == {"b": b"2"}
    cache.forget()
    assert cache.count() == 0


def _put_many(address: str, mark: str) -> None:
    cache = StepCache(open_store(address))
    for number in range(100):
        cache.put("retrieve", {f"shared{number}": b"same", f"{mark}{number}": mark.encode()})


def test_two_processes_store_at_once_and_nothing_is_lost(address: str) -> None:
    with FORKED.Pool(2) as pool:
        pool.starmap(_put_many, [(address, "x"), (address, "y")], chunksize=1)
    cache = StepCache(open_store(address))
    assert cache.count() == 300
    assert cache.get(["shared7", "x99", "y99"]) == {"shared7": b"same", "x99": b"x", "y99": b"y"}


@pytest.mark.parametrize("damaged", [b"", b"no zlib", zlib.compress(b"sound")[:-3]])
def test_a_damaged_output_is_a_miss_and_can_be_stored_again(cache: StepCache, address: str, damaged: bytes) -> None:
    cache.put("retrieve", {"a": b"one", "b": b"two"})
    with open_store(address).begin() as connection:
        connection.execute(update(steps).where(steps.c.key == "a").values(output=damaged))
    assert cache.get(["a", "b"]) == {"b": b"two"}
    cache.put("retrieve", {"a": b"again"})
    assert cache.get(["a"]) == {"a": b"again"}


def test_a_corpus_s_outputs_are_dropped_by_its_names(cache: StepCache) -> None:
    cache.put("retrieve", {"a": b"one"}, "mine")
    cache.put("retrieve", {"b": b"two"}, "formerly")
    cache.put("retrieve", {"c": b"three"}, "other")
    cache.put("judge", {"d": b"four"})
    assert cache.drop_corpus(["mine", "formerly"]) == 2
    assert set(cache.get(["a", "b", "c", "d"])) == {"c", "d"}
