"""What goes wrong with a Milvus, each as one sentence with what to type."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import regex

from workbench.core import DataError, MissingError, WorkbenchError, shorten
from workbench.retrieval.milvus.milvus_address import TOKEN_VARIABLE, MilvusAddress
from workbench.workspace import secret

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
