"""A key that was planted in the environment is nowhere afterwards: no file, no line, no export, no screen."""

from __future__ import annotations

import gzip
import logging
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from streamlit.testing.v1 import AppTest

from tests.cli.terminal import Terminal
from tests.screens.conftest import APP, cells, html
from tests.servers.misbehaving import MisbehavingServer, misbehaving
from workbench.app.workbench import Workbench
from workbench.ui.parts import access
from workbench.workspace import settings

KEY = "sk-planted-4f9c2b7e6d5a4c3b2a19"
QUESTION = "Who invented radio?"
ASK = ("ask", QUESTION, "--lang", "en", "--mode", "monorag", "--generator")
PATHS = ("well", "unauthorised", "no-credit", "wrong-model", "context-too-long")
"""The paths of the misbehaving server; `unauthorised` repeats the key, as some servers do."""
ZLIB = (b"\x78\x01", b"\x78\x9c", b"\x78\xda")
"""How compressed text begins; the step cache compresses."""
TIMEOUT = 60.0


@pytest.fixture
def server(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    """The server that misbehaves, each path an endpoint of the workspace with the planted key."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("COHERE_API_KEY", KEY)
    monkeypatch.setenv("HF_TOKEN", KEY)
    with misbehaving() as running:
        places = {path: {"url": running.url(path), "key": "OPENAI_API_KEY"} for path in PATHS}
        (home / "endpoints.yaml").write_text(yaml.safe_dump(places))
        yield running


def files_with_key(home: Path) -> list[str]:
    """The files that contain the key, plain or compressed by zlib or gzip, also within a database page's cell."""
    return [str(path) for path in home.rglob("*") if path.is_file() and _has_key(path.read_bytes())]


def _has_key(data: bytes) -> bool:
    if KEY.encode() in data:
        return True
    places = (place for mark in ZLIB for place in _starts(data, mark))
    if any(KEY.encode() in _unpacked(data[place:]) for place in places):
        return True
    return data[:2] == b"\x1f\x8b" and KEY.encode() in gzip.decompress(data)


def _starts(data: bytes, mark: bytes) -> Iterator[int]:
    place = data.find(mark)
    while place >= 0:
        yield place
        place = data.find(mark, place + 1)


def _unpacked(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data[: 1 << 20])
    except zlib.error:
        return b""


def test_the_search_finds_a_key_that_is_compressed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"page" + zlib.compress(f"before {KEY} after".encode(), 1) + b"rest")
    (tmp_path / "b").write_text("nothing")
    assert files_with_key(tmp_path) == [str(tmp_path / "a")]


def test_asking_on_the_command_line_leaves_no_key_behind(
    run: Terminal, server: MisbehavingServer, home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    results = []
    for path in PATHS:
        results.append(run(*ASK, f"openai-like:m@{path}"))
    results.append(run(*ASK, "openai-like:m@well", "--json"))
    results.append(run("models", "check", "generator", "openai-like:m@unauthorised"))
    results.append(run("models", "check", "encoder", "openai-like:m@unauthorised"))
    results.append(run("models", "check", "translator", "llm:openai-like:m@unauthorised"))
    results.append(run("doctor"))
    results.append(run("doctor", "--json"))
    results.append(run("models", "list", "--json"))
    assert {one.headers.get("authorization") for one in server.requests} == {f"Bearer {KEY}"}, "the key was really sent"
    assert results[0].code == 0 and "Paris" in results[0].out
    assert all(KEY not in one.out + one.err for one in results)
    assert KEY not in caplog.text
    assert files_with_key(home) == []


def test_the_screens_and_their_exports_show_no_key(
    server: MisbehavingServer, home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    bench = Workbench(settings.load(home))
    monkeypatch.setattr(access, "workbench", lambda: bench)
    monkeypatch.setattr(access, "warm", lambda corpus: None)
    exports: list[str] = []
    monkeypatch.setattr(
        "streamlit.download_button",
        lambda label, data, *_, **__: exports.append(str(data() if callable(data) else data)),
    )
    shown = []
    for path in ("well", "unauthorised"):
        app = AppTest.from_file(str(APP), default_timeout=60).run()
        for name, value in {"q": QUESTION, "lang": "en", "generator": f"openai-like:m@{path}"}.items():
            app.query_params[name] = value
        app.switch_page("pages/ask.py").run()
        app.button[0].click().run()
        app.session_state["asking"].wait(TIMEOUT)
        app.session_state["downloads"] = True
        shown.append(everything(app.run()))
    assert "Paris" in shown[0]
    assert "refused the key (401)" in shown[1]
    for section in ("Encoders", "Generators", "Translators", "Endpoints", "Keys"):
        app.switch_page("pages/settings.py").run()
        shown.append(everything(app.segmented_control(key="section").set_value(section).run()))
    assert "OPENAI_API_KEY" in shown[-1]
    assert len(exports) >= 3 and "Paris" in exports[0]
    assert all(KEY not in one for one in (*shown, *exports))
    assert KEY not in caplog.text
    assert files_with_key(home) == []


def everything(app: AppTest) -> str:
    """All that a browser was sent, and all of the session's state."""
    return html(app) + cells(app) + repr(app.main) + repr(app.session_state)
