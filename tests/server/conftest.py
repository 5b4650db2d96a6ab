"""A service that tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.running import RunningService, running
from workbench.app.workbench import Workbench


@pytest.fixture(scope="session")
def service(sample_workbench: Workbench) -> Iterator[RunningService]:
    """The default recipe over the sample, without keys."""
    with running(sample_workbench, {"scope": "en+ul", "k": 3}) as service:
        yield service
        assert service.failures == []
