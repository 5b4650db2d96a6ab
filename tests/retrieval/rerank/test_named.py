"""Post-processors of LlamaIndex by their class's name, as rerankers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.retrieval import llama_packages
from workbench.core.errors import MissingError, UsageError
from workbench.core.protocols import Reranker
from workbench.core.records import Hit, Passage, Query
from workbench.retrieval.rerank.llama_index import NamedReranker

QUERY = Query("which number?", "en", ("en",))
OURS = "llama_index.postprocessor.ours"
REORDER = "llama_index.core.postprocessor:LongContextReorder"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    llama_packages.install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, OURS, raising=False)


def candidates(count: int) -> tuple[list[Hit], list[Passage]]:
    passages = [Passage(f"p{i}", "d", "Title", "en", f"number {i}") for i in range(count)]
    return [Hit(p.id, i, "en", 1 - i / 100, {"dense": 1 - i / 100}) for i, p in enumerate(passages)], passages


def test_its_order_is_the_ranking() -> None:
    reranker = NamedReranker(REORDER)
    assert isinstance(reranker, Reranker)
    # LlamaIndex puts the best at both ends.
    assert [hit.id for hit in reranker.rerank(QUERY, *candidates(4))] == ["p1", "p3", "p2", "p0"]


def test_a_package_that_is_not_installed_is_reported_when_it_is_named() -> None:
    with pytest.raises(MissingError, match="pip install llama-index-postprocessor-nobody"):
        NamedReranker("llama_index.postprocessor.nobody:Rerank")


def test_one_that_keeps_few_by_default_is_set_to_keep_all(installed: None) -> None:
    ranking = NamedReranker(f"{OURS}:Backwards").rerank(QUERY, *candidates(5))
    assert [hit.id for hit in ranking] == ["p4", "p3", "p2", "p1", "p0"]


@pytest.mark.parametrize("kind", ["Needy", "Talkative"])
def test_a_class_that_needs_arguments_is_one_sentence_without_the_key(installed: None, kind: str) -> None:
    with pytest.raises(UsageError, match=f"{kind} cannot be made by its name alone") as caught:
        NamedReranker(f"{OURS}:{kind}").rerank(QUERY, *candidates(1))
    assert "sk-planted" not in str(caught.value) and "\n" not in str(caught.value)
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


def test_the_identity_names_the_class_and_the_version_of_its_library(installed: None) -> None:
    ours, core = NamedReranker(f"{OURS}:Backwards").identity, NamedReranker(REORDER).identity
    assert f"postprocessor={OURS}:Backwards" in ours and "llama-index-postprocessor-ours none" in ours
    assert "llama-index-core 0." in core


def test_naming_one_imports_nothing_of_llama_index() -> None:
    code = (
        "import sys; from workbench.components.registry import Registry; from pathlib import Path; "
        f"print(Registry(Path('.')).reranker('llama-index:{REORDER}').identity); "
        "sys.exit('llama_index.core' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "LongContextReorder" in done.stdout
