"""The databases that tests use: SQLite files, or with `--postgres` databases of a real PostgreSQL server.

The server listens on a socket in a temporary folder alone, and ends with the tests. A new SQLite file begins as a copy
of an empty database that has every table: to create the tables takes longer than most tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

from workbench.workspace.database import open_store

ACCOUNT = "postgres"
"""The account that the server runs under where the tests run as root, whom it refuses."""


def postgres_programs() -> Path | None:
    """The folder of the server's programs, None where it is not installed."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if debian:
        return debian[-1].parent
    elsewhere = shutil.which("initdb")
    return Path(elsewhere).parent if elsewhere else None


@dataclass
class PostgresServer:
    """A server over a new cluster in `folder`."""

    programs: Path
    folder: Path

    @classmethod
    def start(cls, programs: Path) -> PostgresServer:
        """Makes a cluster and starts its server."""
        folder = Path(tempfile.mkdtemp(prefix="workbench-postgres-"))
        if os.geteuid() == 0:
            shutil.chown(folder, ACCOUNT)
        server = cls(programs, folder)
        server._run("initdb", "-D", server.data, "-U", ACCOUNT, "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        server.restart()
        return server

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def restart(self) -> None:
        """Starts the server over its files."""
        # Nothing of it outlives the tests, so nothing need reach the disk.
        options = f"-c listen_addresses='' -c fsync=off -c max_connections=200 -k {self.folder}"
        self._run("pg_ctl", "-D", self.data, "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def crash(self) -> None:
        """Ends the server at once; its files stay."""
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")

    def stop(self) -> None:
        """Ends the server and removes its files."""
        self.crash()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, name: str) -> str:
        """The address of the database called `name`, which is made where it is missing."""
        import psycopg

        with psycopg.connect(host=str(self.folder), user=ACCOUNT, dbname="postgres", autocommit=True) as connection:
            present = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
            if not present:
                connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
        return f"postgresql+psycopg://{ACCOUNT}@/{name}?host={self.folder}"

    def end_idle_connections(self) -> None:
        """Ends every connection that waits for a statement; each is a process of the server, and they are limited."""
        import psycopg

        with psycopg.connect(host=str(self.folder), user=ACCOUNT, dbname="postgres", autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle'")

    def _run(self, program: str, *words: str) -> None:
        as_account = ["setpriv", f"--reuid={ACCOUNT}", f"--regid={ACCOUNT}", "--clear-groups"]
        command = [*(as_account if os.geteuid() == 0 else []), str(self.programs / program), *words]
        subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


class Databases:
    """Which databases the tests use: those of `server`, or SQLite files where there is none."""

    server: PostgresServer | None = None
    template: Path | None = None
    """An empty SQLite database with every table; None where files begin empty."""


def make_template(folder: Path) -> Path:
    """Makes the database that `begin_with_tables` copies."""
    file = folder / "template.db"
    open_store(f"sqlite:///{file}").dispose()
    return file


def begin_with_tables(_dialect: object, _record: object, arguments: list[Any], _options: object) -> None:
    """Puts a copy of the template where an engine is about to create `workbench.db`: SQLAlchemy's event `do_connect`.

    The file appears complete or not at all. One that cannot be made is left to SQLite, which says why.
    """
    file = Path(str(arguments[0])) if arguments else Path()
    if Databases.template is None or file.name != "workbench.db" or file.exists():
        return
    with suppress(OSError), tempfile.TemporaryDirectory(dir=file.parent) as folder:
        os.link(shutil.copyfile(Databases.template, Path(folder) / file.name), file)


STATEMENTS: LRUCache[Any, Any] = LRUCache(5000)
"""What SQLAlchemy compiled for any of the tests' SQLite databases."""


def compile_once(patch: pytest.MonkeyPatch) -> Callable[[Connection], None]:
    """What lets a connection use STATEMENTS: SQLAlchemy's event `engine_connect`.

    An engine has statements of its own otherwise, and each test an engine: to compile them takes longer than to run
    them. They are kept by dialect, of which each engine has one, and those of SQLite are all alike.
    """
    patch.setattr(SQLiteDialect_pysqlite, "__hash__", lambda dialect: hash(type(dialect)))
    patch.setattr(SQLiteDialect_pysqlite, "__eq__", lambda dialect, other: type(dialect) is type(other))

    def share(connection: Connection) -> None:
        if connection.dialect.name == "sqlite":
            connection.engine._compiled_cache = STATEMENTS

    return share


def database_url(file: Path) -> str:
    """The address of the database that stands for `file`: the same for the same file."""
    if Databases.server is None:
        return f"sqlite:///{file}"
    return Databases.server.url(f"t{blake2b(str(file).encode(), digest_size=12).hexdigest()}")
