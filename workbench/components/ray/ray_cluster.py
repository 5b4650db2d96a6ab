"""The connection to Ray: a cluster of its own on this machine, or one that runs already.

A local cluster listens on this machine's loopback alone, asks for a token that nobody else has, keeps its files in a
folder that only its user can read, has no dashboard, reports nothing to anybody, and ends with the process that started
it, however that ends (`ray_keeper`).
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from workbench.components.ray.ray_choice import RayChoice, check_installed
from workbench.components.ray.ray_keeper import MARK, end, start_keeper
from workbench.core import UsageError, WorkbenchError, shorten
from workbench.workspace import detached

ENVIRONMENT: Mapping[str, str] = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Without GPUs of its own, a worker would otherwise be shown none.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
"""What Ray reads from the environment in every case."""
LOCAL_ENVIRONMENT: Mapping[str, str] = {
    # Ray's one way to keep to 127.0.0.1; by default it takes the address of the network, whatever it is given.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": "token",
}
TOKEN = "RAY_AUTH_TOKEN"  # noqa: S105 (the name of the variable)
OBJECT_STORE = 128 * 2**20
"""Bytes of shared memory for what goes to workers and comes back: some blocks of passages or states at a time."""
CONNECT_LIMIT = 10.0
"""Seconds within which a cluster must accept a connection."""
LOCAL_LIMIT = 8
"""Workers that are started without being asked for: each has its models in memory."""


@contextmanager
def connected(choice: RayChoice) -> Iterator[int]:
    """Ray for the block, and the number of workers that it gives room for; what it started is ended after it.

    Within another such block, the same Ray. Raises MissingError where Ray is not installed, UsageError for more workers
    than the cluster has processors, WorkbenchError where it cannot be started or reached.
    """
    check_installed()
    # Read when Ray is imported, or when it first connects: a process has one token.
    os.environ.update(ENVIRONMENT)
    if choice.is_local:
        os.environ.update({**LOCAL_ENVIRONMENT, TOKEN: os.environ.get(TOKEN) or secrets.token_hex(32)})
    else:
        _check_reachable(choice)
    import ray

    if ray.is_initialized():
        yield _workers(choice)
        return
    # Ray prints what happens to its workers on stdout, which is for results.
    with redirect_stdout(sys.stderr), _local_ray(choice) if choice.is_local else _cluster(choice):
        yield _workers(choice)


def resources() -> Mapping[str, float]:
    """What the cluster has, by Ray's names, such as CPU and GPU."""
    import ray

    total: Mapping[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return total


@contextmanager
def _cluster(choice: RayChoice) -> Iterator[None]:
    with _initialised(choice, address=choice.address):
        yield


@contextmanager
def _local_ray(choice: RayChoice) -> Iterator[None]:
    # Made by mkdtemp, so that nobody else can read it.
    folder = Path(tempfile.mkdtemp(prefix="mrag-ray-"))
    keeper = start_keeper(folder)
    # So that workers find the workbench, whatever folder this process was started in.
    paths = [str(detached.ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    values = {MARK: str(folder), "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        with _initialised(
            choice,
            address="local",
            num_cpus=choice.workers or min(os.cpu_count() or 1, LOCAL_LIMIT),
            object_store_memory=OBJECT_STORE,
            include_dashboard=False,
            _temp_dir=str(folder),
        ):
            yield
    finally:
        end(keeper)
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _initialised(choice: RayChoice, **options: Any) -> Iterator[None]:
    import ray

    try:
        try:
            ray.init(log_to_driver=False, logging_level=logging.ERROR, **options)
        except Exception as error:  # whatever Ray raises: it has a dozen kinds
            raise WorkbenchError(_unreachable(choice, error)) from None
        yield
    finally:
        ray.shutdown()


def _check_reachable(choice: RayChoice) -> None:
    """Raises WorkbenchError where nothing answers at the address: Ray itself would try for minutes."""
    host, _, port = choice.address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_LIMIT).close()
    except (OSError, OverflowError) as error:
        raise WorkbenchError(_unreachable(choice, error)) from None


def _workers(choice: RayChoice) -> int:
    processors = int(resources().get("CPU", 0))
    if choice.workers > processors:
        raise UsageError(
            f"The cluster has {processors:,} processors, so {choice.workers:,} workers would wait forever. Allowed: 1 "
            f"to {processors:,}. For example: --workers {processors or 1}"
        )
    return choice.workers or max(1, min(processors, LOCAL_LIMIT))


def _unreachable(choice: RayChoice, error: Exception) -> str:
    reason = shorten(str(error) or type(error).__name__, 200).rstrip(".")
    if choice.is_local:
        return f"Ray could not be started on this machine: {reason}."
    return f"The Ray cluster at {choice.address} cannot be reached: {reason}. Check the address, and that it runs."
