"""What is special about a workspace's database on PostgreSQL: its driver, its limits of time, its connections."""

from __future__ import annotations

from typing import Any

from sqlalchemy import URL, Engine, PoolProxiedConnection, QueuePool, event
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from workbench.core import MissingError, UsageError, shorten
from workbench.workspace.write_turns import wait_on_postgres

DRIVER = "postgresql+psycopg"
"""How the address of a PostgreSQL database begins."""
REMEDY = "see that its server runs and can be reached, then try again."
LIMITS = {"connect_timeout": 10, "tcp_user_timeout": 30_000, "options": "-c lock_timeout=60000"}
"""Libpq's seconds to connect, milliseconds that a server may be silent, and the server's milliseconds for a lock.

What an address states itself counts."""


class _Pool(QueuePool):
    """Connections, of which there may be none left."""

    def connect(self) -> PoolProxiedConnection:
        try:
            return super().connect()
        except PoolTimeoutError as error:
            raise MissingError(
                f"The database has had no connection to spare for {self.timeout():g} s: {REMEDY}"
            ) from error


def is_postgres(url: URL) -> bool:
    """Whether an address is one of PostgreSQL. Raises UsageError where it names another driver than psycopg."""
    if url.get_backend_name() != "postgresql":
        return False
    if url.drivername != DRIVER:
        raise UsageError(
            f"The database's address begins with {shorten(url.drivername, 40)}://, but PostgreSQL is used by the "
            f"driver psycopg alone. Begin it with {DRIVER}://"
        )
    return True


def engine_options(url: URL) -> dict[str, Any]:
    """What `create_engine` is given for PostgreSQL."""
    return {"poolclass": _Pool, "connect_args": {key: value for key, value in LIMITS.items() if key not in url.query}}


def prepare(engine: Engine) -> None:
    """Has every connection read numbers as SQLite's does, and those who write alone take turns."""
    event.listen(engine, "connect", _read_numbers)
    event.listen(engine, "begin", wait_on_postgres)


def is_out_of_reach(engine: Engine, error: BaseException) -> bool:
    """Whether the server, and not a statement, is why something failed: gone, full, shutting down, or locked."""
    driver = engine.dialect.loaded_dbapi
    return isinstance(error, (driver.OperationalError, driver.InterfaceError))


def _read_numbers(connection: Any, _record: Any) -> None:
    """Reads PostgreSQL's numeric values, which its sums of integers are, as the integers or floats of SQLite."""
    from psycopg.adapt import Loader

    class NumberLoader(Loader):
        def load(self, data: Any) -> int | float:
            number = float(bytes(data))
            return int(number) if number.is_integer() else number

    connection.adapters.register_loader("numeric", NumberLoader)
