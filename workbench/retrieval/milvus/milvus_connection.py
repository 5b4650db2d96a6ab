"""Connections to Milvus, one per address and process; made when first used, since pymilvus takes a second to import.

A Milvus Lite file serves one process at a time, by a server on a free port of this machine alone.
"""

from __future__ import annotations

import fcntl
import logging
import os
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from workbench.retrieval.milvus.milvus_address import TOKEN_VARIABLE, MilvusAddress
from workbench.retrieval.milvus.milvus_errors import MilvusUnreachable, not_installed, translating
from workbench.workspace import secret

if TYPE_CHECKING:
    from pymilvus import MilvusClient

CONNECT_SECONDS = 10.0
LOGGERS = ("pymilvus", "milvus_lite")
LOCK_FILE = "LOCK"
"""In the folder that a Milvus Lite “file” is: whoever uses it holds a lock on this one."""

_clients: dict[str, MilvusClient] = {}
_connecting = Lock()


def client(address: MilvusAddress) -> MilvusClient:
    """The process's connection to a Milvus.

    Raises MissingError where its packages are not installed, MilvusUnreachable.
    """
    with _connecting:
        connected = _clients.get(address.text)
        if connected is None:
            connected = _clients[address.text] = _connected(address)
        return connected


def disconnect(address: MilvusAddress) -> None:
    """Closes the process's connection, if there is one; of a Milvus Lite file, another process may then use it."""
    with _connecting:
        connected = _clients.pop(address.text, None)
    if connected is None:
        return
    connected.close()
    if address.file is not None:
        from milvus_lite.server_manager import server_manager_instance

        server_manager_instance.release_server(str(address.file))


def _connected(address: MilvusAddress) -> MilvusClient:
    try:
        from pymilvus import MilvusClient

        if address.file is not None:
            import milvus_lite  # noqa: F401 (pymilvus starts it)
    except ImportError as error:
        raise not_installed() from error
    for name in LOGGERS:
        # They write what they raise, with tracebacks, to stderr.
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    if address.file is not None:
        _check_free(address, address.file)
    with translating(address, "", ""):
        if address.file is not None:
            return MilvusClient(str(address.file), timeout=CONNECT_SECONDS)
        token = secret(TOKEN_VARIABLE) or ""
        return MilvusClient(address.uri, token=token, db_name=address.database, timeout=CONNECT_SECONDS)


def _check_free(address: MilvusAddress, file: Path) -> None:
    """Raises MilvusUnreachable where another process has the file, or where it cannot be opened."""
    try:
        if file.is_file():
            raise MilvusUnreachable(f"{address.text} is not a Milvus Lite file of this version. Name another one.")
        if not file.parent.is_dir():
            raise MilvusUnreachable(f"{address.text} is in a folder that does not exist any more.")
        if not (file / LOCK_FILE).is_file():
            return
        handle = os.open(file / LOCK_FILE, os.O_RDWR)
    except OSError as error:
        raise MilvusUnreachable(f"{address.text} cannot be opened ({error.strerror}).") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise MilvusUnreachable(
            f"The Milvus Lite file {address.text} is in use by another process: a file serves one at a time. End the "
            "other one, or use a server: --store milvus://host:19530"
        ) from error
    finally:
        with suppress(OSError):
            os.close(handle)
