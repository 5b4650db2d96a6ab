"""A fake Hugging Face hub on loopback with one dataset of plain files, for the real libraries to read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.servers.loopback import loopback

COMMIT = "0123456789abcdef0123456789abcdef01234567"
DATASET = "maker/set"


@dataclass
class Hub:
    """Its address, and the paths requested from it, in order."""

    url: str = ""
    requests: list[str] = field(default_factory=list)


@contextmanager
def hub_of_rows(files: Mapping[str, bytes]) -> Iterator[Hub]:
    """Run the fake hub; `files` by name, without folders."""
    state = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            state.requests.append(path)
            api, resolve = f"/api/datasets/{DATASET}", f"/datasets/{DATASET}/resolve/"
            if path == f"{api}/tree/{COMMIT}":
                entries = [
                    {"type": "file", "oid": "1", "size": len(data), "path": name} for name, data in files.items()
                ]
                self._send(json.dumps(entries).encode(), {"Content-Type": "application/json"})
            elif path in (api, f"{api}/revision/{COMMIT}"):
                info = {"id": DATASET, "sha": COMMIT, "siblings": [{"rfilename": name} for name in files]}
                self._send(json.dumps(info).encode(), {"Content-Type": "application/json"})
            elif path.startswith(resolve) and (name := path.removeprefix(resolve).partition("/")[2]) in files:
                self._file(files[name])
            else:
                self._send(b"{}", {"X-Error-Code": "EntryNotFound"}, 404)

        def do_HEAD(self) -> None:
            self.do_GET()

        def _file(self, data: bytes) -> None:
            headers = {
                "ETag": f'"{hashlib.sha256(data).hexdigest()}"',
                "X-Repo-Commit": COMMIT,
                "Accept-Ranges": "bytes",
            }
            first, _, last = (self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").partition("-")
            end = min(int(last or len(data)), len(data) - 1)
            part = data[int(first) : end + 1]
            self._send(part, {**headers, "Content-Range": f"bytes {first}-{end}/{len(data)}"}, 206)

        def _send(self, data: bytes, headers: Mapping[str, str], status: int = 200) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing: the output is the test's."""

    with loopback(Handler) as state.url:
        yield state


def directed(patch: pytest.MonkeyPatch, url: str, cache: Path) -> None:
    """Make the libraries use `url` as the hub, as HF_ENDPOINT does if it is set before they are loaded."""
    import datasets
    from huggingface_hub import constants

    patch.setattr(constants, "ENDPOINT", url)
    patch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + "/{repo_id}/resolve/{revision}/{filename}")
    patch.setattr(datasets.config, "HF_ENDPOINT", url)
    patch.setattr(datasets.config, "HUB_DATASETS_URL", url + "/datasets/{repo_id}/resolve/{revision}/{path}")
    patch.setattr(datasets.config, "HF_DATASETS_CACHE", cache)
