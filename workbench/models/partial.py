"""Downloading one large file of the hub, continued from where an earlier download stopped.

huggingface_hub deletes a partial file when a download breaks off. Here it is kept in the model's cache next to the
complete files; once complete, it is where huggingface_hub expects it, which then only has to link it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from workbench.core import DataError

LOCK_SECONDS = 30.0
"""Seconds to wait for an earlier download of the same file that is being stopped."""
DIGEST = 64
"""Length of an entity tag that is the file's SHA-256; shorter ones are git's."""


def fetch(
    model: str, name: str, commit: str, *, endpoint: str | None, token: str | None, timeout: float, bar: Any
) -> None:
    """Download the file `name` of `model` at `commit` into the hub's cache on this machine.

    `bar` is the progress bar's class. Raises what huggingface_hub raises, filelock's Timeout where another download
    of the file is running, and DataError where the downloaded file is not the one that the hub has.
    """
    from filelock import FileLock
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.file_download import http_get, repo_folder_name
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    url = hf_hub_url(model, name, revision=commit, endpoint=endpoint)
    facts = get_hf_file_metadata(url, token=token, timeout=timeout, endpoint=endpoint)
    if facts.etag is None:
        return
    blobs = Path(constants.HF_HUB_CACHE).expanduser() / repo_folder_name(repo_id=model, repo_type="model") / "blobs"
    blobs.mkdir(parents=True, exist_ok=True)
    complete, part = blobs / facts.etag, blobs / f"{facts.etag}.part"
    with FileLock(f"{part}.lock", timeout=LOCK_SECONDS):
        if complete.exists():
            return
        # Another host is a store with signed addresses; the token is for the hub alone.
        at_hub = urlsplit(facts.location).netloc == urlsplit(url).netloc
        with part.open("ab") as file:
            before = file.tell()
            headers = build_hf_headers(token=token if at_hub else False)
            http_get(
                facts.location, file, resume_size=before, headers=headers, expected_size=facts.size, tqdm_class=bar
            )
        if before and len(facts.etag) == DIGEST and _digest(part) != facts.etag:
            part.unlink()
            raise DataError(f"The file {name} of {model} arrived damaged and was deleted; type the command again.")
        part.replace(complete)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
