"""Downloading through huggingface_hub, from a fake hub."""

import errno
import hashlib
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from tests.servers.hub import COMMIT, Hub, hub
from workbench.core.errors import DataError, MissingError, UsageError, WorkbenchError
from workbench.models.download import DownloadStopped, download, plan_download
from workbench.models.local import find_model
from workbench.workspace import settings

FILES = {
    ".gitattributes": b"x",
    "README.md": b"# small",
    "config.json": b"{}",
    "modules.json": b"[]",
    "model.safetensors": b"s" * 3_000_000,
    "pytorch_model.bin": b"p" * 3_000_000,
    "onnx/model.onnx": b"o" * 2_000_000,
    "1_Pooling/config.json": b"{}",
    "tokenizer.json": b"t" * 1000,
}
NEEDED = ["model.safetensors", "tokenizer.json", "README.md", "1_Pooling/config.json", "modules.json", "config.json"]
SIZE = 3_000_000 + 1000 + 7 + 2 + 2 + 2


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, small pieces, and no token."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 100_000)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(settings, "secret", lambda name: None)
    return tmp_path / "hub"


@pytest.fixture
def server(cache: Path) -> Iterator[Hub]:
    with hub(FILES) as running:
        yield running


def fetch(server: Hub, reports: list[tuple[int, int]] | None = None) -> Path:
    def note(_phase: str, done: int, total: int) -> None:
        (reports if reports is not None else []).append((done, total))

    return download("maker/small", note, lambda: False, endpoint=server.url)


def test_a_plan_has_size_licence_and_commit(server: Hub) -> None:
    plan = plan_download("maker/small", endpoint=server.url)
    assert (plan.size, plan.licence, plan.commit, plan.gated) == (SIZE, "mit", COMMIT, False)


def test_one_format_of_the_weights_comes_largest_first_and_the_configuration_last(server: Hub) -> None:
    assert [name for name, _ in plan_download("maker/small", endpoint=server.url).files] == NEEDED


def test_pytorch_weights_come_where_there_are_no_others(cache: Path) -> None:
    with hub({name: data for name, data in FILES.items() if name != "model.safetensors"}) as running:
        assert plan_download("maker/small", endpoint=running.url).files[0] == ("pytorch_model.bin", 3_000_000)


def test_of_a_fasttext_repository_only_the_named_file_comes(cache: Path) -> None:
    with hub({"model.bin": b"m" * 9, "model_v1.bin": b"m" * 9, "README.md": b""}, "cis-lmu/glotlid") as running:
        assert plan_download("glotlid", endpoint=running.url).files == (("model.bin", 9),)


def test_a_downloaded_model_is_available_without_the_hub(server: Hub) -> None:
    folder = fetch(server)
    assert (folder / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    model = find_model("maker/small")
    assert (model.folder.resolve(), model.revision) == (folder.resolve(), COMMIT)


def test_progress_rises_to_the_total(server: Hub) -> None:
    reports: list[tuple[int, int]] = []
    fetch(server, reports)
    done = [bytes_here for bytes_here, _ in reports]
    assert done == sorted(done)
    assert reports[-1] == (SIZE, SIZE)
    assert len(done) > 20


def test_a_cancelled_download_is_continued_from_where_it_stopped(server: Hub, cache: Path) -> None:
    server.pause.clear()
    enough = Event()

    def note(_phase: str, done: int, total: int) -> None:
        if done >= 1_000_000:
            enough.set()

    with pytest.raises(DownloadStopped, match="what was received is kept"):
        download("maker/small", note, enough.is_set, endpoint=server.url)
    with pytest.raises(MissingError):
        find_model("maker/small")
    server.pause.set()
    folder = fetch(server)
    assert (folder / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    ranges = [header for name, header in server.requests if name == "model.safetensors"]
    assert ranges[0] == ""
    assert int(ranges[-1].removeprefix("bytes=").rstrip("-")) >= 900_000


def failure(model: str, endpoint: str, timeout: float = 5) -> WorkbenchError:
    with pytest.raises(WorkbenchError) as caught:
        download(model, lambda *_: None, lambda: False, endpoint=endpoint, timeout=timeout)
    assert "\n" not in str(caught.value)
    return caught.value


def test_without_a_connection_it_is_one_sentence(cache: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        error = failure("maker/small", f"http://127.0.0.1:{unused.getsockname()[1]}")
    assert isinstance(error, MissingError)
    assert "check the connection" in str(error)


def test_for_a_gated_model_the_message_says_where_to_accept_its_licence(server: Hub) -> None:
    server.gated = True
    error = failure("maker/small", server.url)
    assert isinstance(error, MissingError)
    assert "https://huggingface.co/maker/small" in str(error)
    assert "HF_TOKEN" in str(error)


def test_a_model_that_the_hub_does_not_have_is_the_users_error(server: Hub) -> None:
    server.status = 404
    assert isinstance(failure("maker/small", server.url), UsageError)


@pytest.mark.parametrize(
    ("model", "expected"),
    [("gpt-4o", "is a service"), ("lid.176", "is not on the hub: fetch https://"), ("nonsense", "known model's name")],
)
def test_the_message_says_why_a_model_cannot_be_downloaded(cache: Path, model: str, expected: str) -> None:
    error = failure(model, "http://127.0.0.1:9")
    assert isinstance(error, UsageError)
    assert expected in str(error)


def test_a_file_that_arrives_damaged_is_deleted_and_comes_whole_the_next_time(server: Hub, cache: Path) -> None:
    blobs = cache / "models--maker--small" / "blobs"
    blobs.mkdir(parents=True)
    part = blobs / f"{hashlib.sha256(FILES['model.safetensors']).hexdigest()}.part"
    part.write_bytes(b"x" * 500)
    error = failure("maker/small", server.url)
    assert isinstance(error, DataError)
    assert (
        str(error)
        == "The file model.safetensors of maker/small arrived damaged and was deleted; type the command again."
    )
    assert not part.exists()
    assert (fetch(server) / "model.safetensors").read_bytes() == FILES["model.safetensors"]


def test_a_file_that_is_here_already_is_not_fetched_again(server: Hub) -> None:
    folder = fetch(server)
    (folder / "model.safetensors").unlink()  # the name is gone, what it stood for is kept
    server.requests.clear()
    assert (fetch(server) / "model.safetensors").read_bytes() == FILES["model.safetensors"]
    assert server.requests == []


def test_a_full_disk_is_named_as_such(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("huggingface_hub.file_download.http_get", full)
    assert str(failure("maker/small", server.url)).startswith("The disk is full: the model maker/small does not fit")


def test_a_planted_token_is_in_no_error(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "secret", lambda name: "hf_planted")
    server.status = 500
    assert "hf_planted" not in str(failure("maker/small", server.url))
