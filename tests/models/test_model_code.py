"""A model folder's own code never runs: it is refused in one sentence, and no library is told to trust it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.core.errors import UsageError, WorkbenchError
from workbench.core.records import Passage
from workbench.models.llm.huggingface import load_llm
from workbench.models.local import LocalModel, find_model
from workbench.models.translation.model_translators import NllbTranslator
from workbench.retrieval.encoders.bge_m3 import BgeM3
from workbench.retrieval.encoders.sentence_transformers import SentenceTransformersEncoder, SpladeEncoder
from workbench.retrieval.rerank.cross_encoders import CrossEncoderReranker, FlagLLMReranker, FlagReranker

NAMES = ("AutoConfig", "AutoModel", "AutoModelForCausalLM", "AutoModelForSeq2SeqLM", "AutoTokenizer")
AUTO_MAP = dict.fromkeys((*NAMES, "AutoModelForSequenceClassification"), "modeling_evil.Evil")
ARCHITECTURES = ["EvilForSequenceClassification", "EvilForCausalLM"]


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """The file that the model's code writes when it is run."""
    return tmp_path / "it ran"


@pytest.fixture
def evil(tmp_path: Path, mark: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model folder with code that leaves a mark. A question whether to trust it ends the test."""
    folder = tmp_path / "evil"
    folder.mkdir()
    (folder / "modeling_evil.py").write_text(f"open({str(mark)!r}, 'w').close()\nclass Evil: pass\n")
    config = {"model_type": "evil", "architectures": ARCHITECTURES, "auto_map": AUTO_MAP}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"auto_map": {"AutoTokenizer": ["modeling_evil.Evil"] * 2}})
    )
    for name in ("model.safetensors", "colbert_linear.pt", "sparse_linear.pt", "sentencepiece.bpe.model"):
        (folder / name).write_bytes(b"")
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("a question was asked"))
    return folder


def test_a_folder_with_an_auto_map_is_refused_before_anything_is_loaded(evil: Path, mark: Path) -> None:
    with pytest.raises(UsageError) as caught:
        find_model(str(evil))
    assert "needs code of its own (config.json names modeling_evil.Evil)" in str(caught.value)
    assert "\n" not in str(caught.value) and not mark.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["modeling_evil.Evil", None]}}),
        ("config.json", {"model_type": "clip", "text_config": {"auto_map": {"AutoModel": "modeling_evil.Evil"}}}),
        ("config.json", {"model_type": "bert", "auto_map": "modeling_evil.Evil"}),
        ("modules.json", [{"idx": 0, "name": "0", "path": "", "type": "modeling_evil.Evil"}]),
        ("modules.json", [{"idx": 0, "name": "0", "path": "", "type": "os.Evil"}]),
        ("router_config.json", {"types": {"query_0": "modeling_evil.Evil"}}),
        ("0_Transformer/config.json", {"auto_map": {"AutoModel": "modeling_evil.Evil"}}),
    ],
)
def test_wherever_a_folder_names_code(name: str, content: object, evil: Path, mark: Path) -> None:
    (evil / "tokenizer_config.json").unlink()
    (evil / "config.json").write_text('{"model_type": "bert"}')
    find_model(str(evil))
    (evil / name).parent.mkdir(exist_ok=True)
    (evil / name).write_text(json.dumps(content))
    with pytest.raises(UsageError, match=r"needs code of its own \(.*Evil\)"):
        find_model(str(evil))
    assert not mark.exists()


def test_a_folder_of_the_libraries_classes_is_used(evil: Path) -> None:
    (evil / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer", "auto_map": null}')
    (evil / "config.json").write_text('{"model_type": "bert", "rope_scaling": {"type": "linear"}}')
    modules = [{"type": f"sentence_transformers.models.{name}"} for name in ("Transformer", "Pooling")]
    (evil / "modules.json").write_text(json.dumps(modules))
    assert find_model(str(evil)).folder == evil


PASSAGES = (Passage("a", "a", "Radio", "en", "Who invented it?"),)
LOADERS: dict[str, Callable[[LocalModel], object]] = {
    "llm": lambda model: load_llm(model, "none", "cpu"),
    "nllb": lambda model: NllbTranslator(model).translate(["Hello."], "en", "fi"),
    "bge-m3": lambda model: BgeM3(model).dense(["Hello."]),
    "sentence-transformers": lambda model: SentenceTransformersEncoder(model).encode_passages(PASSAGES),
    "splade": lambda model: SpladeEncoder(model).encode_passages(PASSAGES),
    "cross-encoder": lambda model: CrossEncoderReranker(model).score("Who?", ["Hello."]),
    "flag-reranker": lambda model: FlagReranker(model).score("Who?", ["Hello."]),
    "flag-llm-reranker": lambda model: FlagLLMReranker(model).score("Who?", ["Hello."]),
}


@pytest.mark.parametrize("loader", LOADERS)
def test_no_library_runs_the_folders_code_even_where_the_check_is_passed_by(
    loader: str, evil: Path, mark: Path
) -> None:
    with pytest.raises(WorkbenchError):
        LOADERS[loader](LocalModel(str(evil), evil, "1"))
    assert not mark.exists()


def test_the_command_line_refuses_it_with_stdin_closed(evil: Path, mark: Path, home: Path) -> None:
    words = ["ask", "Who invented radio?", "--lang", "en", "--generator", f"huggingface:{evil}"]
    done = subprocess.run(
        [sys.executable, "-m", "workbench", *words],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        env={"WORKBENCH_HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert done.returncode == 2 and "needs code of its own" in done.stderr.splitlines()[-1]
    assert not mark.exists()
