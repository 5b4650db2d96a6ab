"""Where a Milvus is: a Milvus Lite file on this machine, or a server by its host.

`milvus:///folder/file.db` (or `milvus:file.db`, in the current folder) is a file; `milvus://host:19530`, with
`/database` where it is not the default one, is a server, and `milvus+https://…` one behind TLS. An address has no
password: a server's token is in WORKBENCH_MILVUS_TOKEN.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import regex

from workbench.core import UsageError, shorten

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
