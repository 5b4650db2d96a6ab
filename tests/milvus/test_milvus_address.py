"""Addresses of Milvus: files, servers, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.errors import UsageError
from workbench.retrieval.milvus.connection import MilvusAddress


def test_a_path_after_three_slashes_is_a_file(tmp_path: Path) -> None:
    address = MilvusAddress.of(f"milvus://{tmp_path}/corpora.db")
    assert address.file == tmp_path / "corpora.db" and address.text == f"milvus://{tmp_path}/corpora.db"


@pytest.mark.parametrize("text", ["milvus:corpora.db", "milvus://corpora.db", "milvus://./corpora.db"])
def test_a_relative_file_is_in_the_current_folder(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert MilvusAddress.of(text).file == tmp_path / "corpora.db"


@pytest.mark.parametrize(
    ("text", "uri", "database", "shown"),
    [
        ("milvus://db.example.org", "http://db.example.org:19530", "", "milvus://db.example.org:19530"),
        ("milvus://10.0.0.2:9/team", "http://10.0.0.2:9", "team", "milvus://10.0.0.2:9/team"),
        ("MILVUS+HTTPS://Db.example.org/", "https://db.example.org:443", "", "milvus+https://db.example.org:443"),
        ("milvus://[::1]:19530", "http://[::1]:19530", "", "milvus://[::1]:19530"),
    ],
)
def test_a_host_is_a_server_with_a_port_and_a_database(text: str, uri: str, database: str, shown: str) -> None:
    address = MilvusAddress.of(text)
    assert (address.file, address.uri, address.database, address.text) == (None, uri, database, shown)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("files:", "is not the address of a Milvus"),
        ("http://host:19530", "is not the address of a Milvus"),
        ("milvus:", "names no Milvus Lite file"),
        ("milvus:///tmp/corpora.sqlite", "names no Milvus Lite file"),
        ("milvus:///no/such/folder/x.db", "is in a folder that does not exist"),
        ("milvus://host:99999", "has no port from 1 to 65535"),
        ("milvus://host:19530/a/b", "has more than a host, a port and a database"),
        ("milvus://ho st:19530", "names no host"),
    ],
)
def test_anything_else_is_refused_with_what_is_allowed(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=r"Allowed: milvus:///srv/corpora\.db") as caught:
        MilvusAddress.of(text)
    assert words in str(caught.value)


def test_a_password_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError, match="export WORKBENCH_MILVUS_TOKEN") as caught:
        MilvusAddress.of("milvus://root:planted@host:19530")
    assert "planted" not in str(caught.value)
