"""A Milvus: its address, the process's connection to it, and what goes wrong, each as one sentence with what to type.

`milvus:///folder/file.db` (or `milvus:file.db`, in the current folder) is a Milvus Lite file on this machine, which
serves one process at a time; `milvus://host:19530`, with `/database` where it is not the default one, is a server, and
`milvus+https://…` one behind TLS. An address has no password: a server's token is in WORKBENCH_MILVUS_TOKEN.

There is one connection per address and process, made when first used, since pymilvus takes a second to import.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import regex

from workbench.core import DataError, MissingError, UsageError, WorkbenchError, shorten
from workbench.workspace import secret

if TYPE_CHECKING:
    from pymilvus import MilvusClient


TOKEN_VARIABLE = "WORKBENCH_MILVUS_TOKEN"  # noqa: S105 (the name of a variable)
PLAIN, TLS = "milvus", "milvus+https"
PORT, TLS_PORT = 19530, 443
FILE_ENDING = ".db"
DATABASE = regex.compile(r"[A-Za-z_][A-Za-z0-9_]{0,254}")
HOST = regex.compile(r"[A-Za-z0-9._:-]+")
EXAMPLES = "milvus:///srv/corpora.db for a Milvus Lite file, milvus://host:19530/database for a server"


@dataclass(frozen=True, slots=True)
class MilvusAddress:
    """A parsed address: `file` is the Milvus Lite file, absolute; None for a server, which has `uri` and `database`."""

    text: str
    file: Path | None = None
    uri: str = ""
    database: str = ""

    @classmethod
    def of(cls, text: str) -> MilvusAddress:
        """The address, a relative file made absolute. Raises UsageError for anything else than the module describes."""
        scheme, sign, rest = text.partition(":")
        if not sign or scheme.lower() not in (PLAIN, TLS):
            raise _refused(text, "is not the address of a Milvus")
        is_server = rest.startswith("//") and rest[2:3] not in ("/", ".", "")
        if scheme.lower() == PLAIN and not (is_server and not rest.endswith(FILE_ENDING)):
            return cls._of_file(text, rest.removeprefix("//"))
        return cls._of_server(text, scheme.lower(), rest)

    @classmethod
    def _of_file(cls, text: str, path: str) -> MilvusAddress:
        if not path.endswith(FILE_ENDING) or path == FILE_ENDING:
            raise _refused(text, f"names no Milvus Lite file, whose name ends with {FILE_ENDING}")
        file = Path(path).expanduser().absolute()
        if not file.parent.is_dir():
            raise _refused(text, f"is in a folder that does not exist: {shorten(file.parent)}")
        return cls(f"{PLAIN}://{file}", file=file)

    @classmethod
    def _of_server(cls, text: str, scheme: str, rest: str) -> MilvusAddress:
        parts = urlsplit(f"{scheme}:{rest}")
        if parts.username or parts.password or "@" in rest:
            raise UsageError(
                "An address of Milvus has neither name nor password, since it is stored and shown. "
                f"Type: export {TOKEN_VARIABLE}=… and the address without them"
            )
        try:
            port = parts.port or (TLS_PORT if scheme == TLS else PORT)
        except ValueError:
            raise _refused(text, "has no port from 1 to 65535") from None
        database = parts.path.strip("/")
        if not parts.hostname or not HOST.fullmatch(parts.hostname):
            raise _refused(text, "names no host")
        if parts.query or parts.fragment or (database and not DATABASE.fullmatch(database)):
            raise _refused(text, "has more than a host, a port and a database")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        web = "https" if scheme == TLS else "http"
        shown = f"{scheme}://{host}:{port}" + (f"/{database}" if database else "")
        return cls(shown, uri=f"{web}://{host}:{port}", database=database)


def _refused(text: str, what: str) -> UsageError:
    return UsageError(f"“{shorten(text)}” {what}. Allowed: {EXAMPLES}.")


INSTALL = "pip install -r requirements-scale.txt"
REASON_LIMIT = 200
REFUSED_WORDS = ("unauthenticated", "auth check failure", "permission", "privilege", "token is invalid")
NO_DATABASE = regex.compile(r"database\W.*(not exist|not found)|databasenotfound")
LATE_WORDS = ("deadline exceeded", "deadline_exceeded", "timeout", "timed out")
UNREACHABLE_WORDS = ("unavailable", "fail connecting", "failed to connect", "connection refused", "_inactiverpcerror")
DIMENSION_WORDS = ("dimension", "dim mismatch", "size mismatch")
NO_COLLECTION_CODES = (4, 100)
RELEASED_CODE = 101


class MilvusUnreachable(WorkbenchError):
    """A Milvus cannot be reached, or not opened; what was to be done there can be done later."""


def not_installed() -> MissingError:
    """The error where the packages of Milvus are not installed."""
    return MissingError(
        "Searching in Milvus needs the packages pymilvus and milvus-lite, which are not installed.",
        command=f"Type: {INSTALL}",
    )


class CollectionReleased(WorkbenchError):
    """A collection is on disk and not loaded, as after a restart of a Milvus Lite file."""


@contextmanager
def translating(address: MilvusAddress, collection: str, remedy: str) -> Iterator[None]:
    """Turns errors of pymilvus and gRPC into the workbench's.

    `remedy` is the command that fills the collection anew. Raises MilvusUnreachable, MissingError where the collection
    or the database is not there, DataError where vectors have another length, WorkbenchError for all else.
    """
    import grpc
    from pymilvus.exceptions import MilvusException

    try:
        yield
    except (MilvusException, grpc.RpcError, grpc.FutureTimeoutError, OSError, ValueError) as error:
        raise translated(error, address, collection, remedy) from error


def translated(error: Exception, address: MilvusAddress, collection: str, remedy: str) -> WorkbenchError:
    """The error that a person can act on."""
    reason = _without_token(str(getattr(error, "message", "") or error))
    # Where it connects, pymilvus hides why that failed.
    words = f"{type(error).__name__} {reason} {error.__cause__ or ''} {error.__context__ or ''}".lower()
    code = getattr(error, "code", None)
    if any(word in words for word in REFUSED_WORDS):
        return MilvusUnreachable(
            f"Milvus at {address.text} refuses access: the token is missing or wrong.",
            command=f"Type: export {TOKEN_VARIABLE}=…",
        )
    if NO_DATABASE.search(words):
        return MissingError(
            f"Milvus at {address.text} does not have this database: create it there, or name another one."
        )
    if (isinstance(code, int) and code in NO_COLLECTION_CODES) or "collection not found" in words:
        return MissingError(f"Milvus at {address.text} has no collection {collection} any more.", command=remedy)
    if code == RELEASED_CODE or "not loaded" in words:
        return CollectionReleased(f"Milvus at {address.text} has not loaded the collection {collection}.")
    if any(word in words for word in DIMENSION_WORDS):
        return DataError(
            f"The vectors in the collection {collection} at {address.text} have another length than the encoder's. "
            f"{remedy}"
        )
    if any(word in words for word in LATE_WORDS):
        return MilvusUnreachable(f"Milvus at {address.text} did not answer in time: look whether it is overloaded.")
    if "unimplemented" in words:
        return MilvusUnreachable(f"What answers at {address.text} is not a Milvus: correct the host and the port.")
    if any(word in words for word in UNREACHABLE_WORDS):
        return MilvusUnreachable(f"Milvus at {address.text} cannot be reached: start it, or correct its address.")
    return WorkbenchError(f"Milvus at {address.text} reports an error: {shorten(reason, REASON_LIMIT)}")


def _without_token(text: str) -> str:
    token = secret(TOKEN_VARIABLE)
    return text.replace(token, "…") if token else text


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
