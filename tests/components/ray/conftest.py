"""One Ray on this machine for a module of tests, and two workers in it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.components.ray.workers import NotingPool
from tests.trees import copy_sample
from workbench.app.workbench import Workbench
from workbench.components.ray.ray_pool import RayChoice, connected, ray_pool
from workbench.workspace import settings

# Not by importing it: what Ray reads from the environment is set before that.
if find_spec("ray") is None:
    pytest.skip("Ray is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def distributed_home(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace of the workers, with the sample in it."""
    place = tmp_path_factory.mktemp("distributed")
    copy_sample(sample_home, place)
    return place


@pytest.fixture
def distributed(distributed_home: Path) -> Workbench:
    """The workbench over the workspace of the workers."""
    return Workbench(settings.load(distributed_home))


@pytest.fixture(scope="module")
def pool(distributed_home: Path) -> Iterator[NotingPool]:
    """Two workers; a third one has room beside them."""
    with connected(RayChoice("local", 3)), ray_pool(RayChoice("local", 2), distributed_home) as workers:
        yield NotingPool(workers.workers)
