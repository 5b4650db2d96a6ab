"""Finding a model's files: nothing is fetched, nothing incomplete is used."""

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.core.errors import MissingError, UsageError
from workbench.models.local import find_model, longest_input, require_architecture, require_files


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def make(folder: Path, weights: bytes = b"weights") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text('{"architectures": ["BertModel"]}')
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def test_a_folder_is_used_as_it_is(tmp_path: Path) -> None:
    model = find_model(str(make(tmp_path / "mine")))
    assert model.folder == tmp_path / "mine"
    assert model.label == "mine"


def test_the_same_files_elsewhere_have_the_same_revision(tmp_path: Path) -> None:
    one, two = find_model(str(make(tmp_path / "a/x"))), find_model(str(make(tmp_path / "b/x")))
    assert (one.label, one.revision) == (two.label, two.revision)


def test_other_weights_are_another_revision(tmp_path: Path) -> None:
    one, two = make(tmp_path / "a"), make(tmp_path / "b", b"Weights")
    assert find_model(str(one)).revision != find_model(str(two)).revision


def test_for_a_missing_model_the_message_has_its_size_and_the_command() -> None:
    with pytest.raises(MissingError) as caught:
        find_model("bge-m3", hub_name="BAAI/bge-m3", facts="2.3 GB, MIT licence")
    assert str(caught.value) == (
        "The model “bge-m3” (2.3 GB, MIT licence) is not on this machine; download it with: "
        "python -m workbench models download bge-m3"
    )


def test_a_downloaded_model_is_known_by_its_hub_name_and_commit(empty_cache: Path) -> None:
    repository = empty_cache / "models--BAAI--bge-m3"
    make(repository / "snapshots" / "abc123")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("abc123")
    model = find_model("bge-m3", hub_name="BAAI/bge-m3")
    assert (model.name, model.revision, model.label) == ("bge-m3", "abc123", "bge-m3")


def test_a_folder_without_weights_is_incomplete(tmp_path: Path) -> None:
    (make(tmp_path / "m") / "model.safetensors").unlink()
    with pytest.raises(MissingError, match="is incomplete"):
        find_model(str(tmp_path / "m"))


def test_a_lost_shard_of_the_weights_makes_a_model_incomplete(tmp_path: Path) -> None:
    index = '{"weight_map": {"a": "model.safetensors", "b": "model-2.safetensors"}}'
    (make(tmp_path / "m") / "model.safetensors.index.json").write_text(index)
    with pytest.raises(MissingError, match="is incomplete"):
        find_model(str(tmp_path / "m"))


@pytest.mark.parametrize("index", ["[", "{}", '{"weight_map": ["a"]}'])
def test_an_index_of_another_kind_does_not_make_a_model_incomplete(tmp_path: Path, index: str) -> None:
    (make(tmp_path / "m") / "other.index.json").write_text(index)
    assert find_model(str(tmp_path / "m")).label == "m"


@pytest.mark.parametrize("name", ["/no/such/folder", "./none", "~/none-of-this"])
def test_a_path_that_is_not_a_folder_is_never_looked_up_on_the_hub(name: str) -> None:
    with pytest.raises(MissingError, match="no model folder"):
        find_model(name)


def test_a_name_that_cannot_be_a_model_is_refused() -> None:
    with pytest.raises(UsageError, match="owner/model"):
        find_model("https://example.org/model")


def test_files_that_a_method_needs_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"lacks sparse_linear\.pt"):
        require_files(find_model(str(make(tmp_path / "m"))), ["config.json", "sparse_linear.pt"])


def test_a_model_of_another_architecture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"BertModel\) is not a cross-encoder"):
        require_architecture(find_model(str(make(tmp_path / "m"))), "ForSequenceClassification", "cross-encoder")


@pytest.mark.parametrize("config", ["[]", "{", '{"architectures": 1}', "{}"])
def test_a_model_whose_architecture_cannot_be_read_is_refused(tmp_path: Path, config: str) -> None:
    (make(tmp_path / "m") / "config.json").write_text(config)
    with pytest.raises(MissingError, match="is not a cross-encoder"):
        require_architecture(find_model(str(tmp_path / "m")), "ForSequenceClassification", "cross-encoder")


@pytest.mark.parametrize(
    ("config", "longest"),
    [
        ('{"model_type": "xlm-roberta", "pad_token_id": 1, "max_position_embeddings": 130}', 128),
        ('{"model_type": "bert", "pad_token_id": 0, "max_position_embeddings": 130}', 130),
        ('{"max_position_embeddings": 8192}', 512),
        ("{}", 512),
        ("[", 512),
    ],
)
def test_no_input_is_longer_than_the_models_positions(tmp_path: Path, config: str, longest: int) -> None:
    model = find_model(str(make(tmp_path / "m")))
    (model.folder / "config.json").write_text(config)
    assert longest_input(model, 512) == longest


def test_a_length_that_leaves_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least 8"):
        longest_input(find_model(str(make(tmp_path / "m"))), 0)


def test_importing_and_naming_a_component_loads_no_heavy_library(tmp_path: Path) -> None:
    program = """
import sys
from workbench.models import local
from workbench.retrieval.encoders import bge_m3, builtin_encoder, sentence_transformers, vector_cache
from workbench.retrieval.rerank import colbert, cross_encoders, llama_index, t5
from workbench.retrieval import sparse
model = local.find_model(sys.argv[1])
print(sentence_transformers.SentenceTransformersEncoder(model).identity)
print([name for name in ("torch", "transformers", "FlagEmbedding", "llama_index", "scipy") if name in sys.modules])
"""
    folder = str(make(tmp_path / "m"))
    process = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, check=True)
    assert process.stdout.splitlines()[1] == "[]"
