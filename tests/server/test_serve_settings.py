"""Keys, where a service may listen, and limits."""

from __future__ import annotations

import pytest

from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.data.corpora.corpus import StoreState
from workbench.pipeline.recipe import make_recipe
from workbench.server.access_gate import ServeLimits, check_binding, host_name, is_loopback, serve_keys
from workbench.server.answer_run import ServedRecipe

KEY = "a-key-of-twenty-chars"


def test_keys_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_SERVE_KEYS", f" {KEY} ,, another-key-of-chars,")
    keys = serve_keys()
    assert keys.fit(f"Bearer {KEY}") and keys.fit("bearer another-key-of-chars")
    assert not keys.fit("Bearer ") and not keys.fit("") and not keys.fit(f"Bearer {KEY},another-key-of-chars")


def test_a_key_is_in_no_text_of_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_SERVE_KEYS", KEY)
    assert KEY not in repr(serve_keys())


def test_a_short_key_is_refused_without_being_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_SERVE_KEYS", f"{KEY},hunter2")
    with pytest.raises(UsageError, match="Key 2 of WORKBENCH_SERVE_KEYS has 7 characters") as caught:
        serve_keys()
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_without_keys_other_machines_are_not_served(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_SERVE_KEYS", raising=False)
    with pytest.raises(UsageError, match="Set WORKBENCH_SERVE_KEYS"):
        check_binding(host, serve_keys())
    monkeypatch.setenv("WORKBENCH_SERVE_KEYS", KEY)
    check_binding(host, serve_keys())


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "LOCALHOST"])
def test_this_machine_is_served_without_keys(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_SERVE_KEYS", raising=False)
    check_binding(host, serve_keys())
    assert is_loopback(host)


def test_a_name_that_begins_as_this_machine_is_another() -> None:
    assert not is_loopback(host_name("localhost.attacker.example:8000"))
    assert not is_loopback(host_name("127.0.0.1.attacker.example"))


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (ServeLimits(workers=0), "--workers is 0"),
        (ServeLimits(workers=65), "1 to 64"),
        (ServeLimits(processes=0), "--processes is 0"),
        (ServeLimits(workers=2, processes=3), "1 to 2"),
        (ServeLimits(queue=-1), "--queue is -1"),
        (ServeLimits(seconds=0.5), "--timeout is 0.5"),
        (ServeLimits(seconds=float("nan")), "--timeout is nan"),
    ],
)
def test_a_limit_that_cannot_be_kept_is_refused(limits: ServeLimits, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        limits.check()


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        ({}, ""),
        ({"generator": "openai-like:m@http://localhost:1", "encoder": "bge-m3"}, ""),
        ({"retriever": "hybrid", "encoder": "bge-m3"}, "each would load bge-m3"),
        ({"reranker": "cross-encoder:/models/mine"}, "each would load cross-encoder:/models/mine"),
    ],
)
def test_several_processes_answer_unless_each_would_load_a_model(
    choices: dict[str, object], reason: str, workbench: Workbench
) -> None:
    choices = {"retriever": "lexical", **choices}
    assert ServedRecipe(workbench, make_recipe(choices), "served").why_alone == reason


def test_a_milvus_lite_file_is_searched_by_one_process(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = ServedRecipe(workbench, make_recipe({}), "served")
    for address, reason in (("milvus:/tmp/x.db", "its Milvus Lite file serves one"), ("milvus://localhost:19530", "")):
        monkeypatch.setattr(workbench, "stores", lambda text=address: {"sample": StoreState("sample", text, (), ())})
        assert stored.why_alone == reason
