"""Known models as data: complete enough to use, checked when loaded."""

from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.core.errors import DataError
from workbench.models.known import Model, known_models, known_or_none, load_models

ENTRY = """
small:
  title: Small
  role: encoder
  adapter: sentence-transformers
  model: maker/small
  source: its card
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], tuple[Model, ...]]:
    def load(text: str) -> tuple[Model, ...]:
        (tmp_path / "models.yaml").write_text(text, encoding="utf-8")
        return load_models(tmp_path)

    return load


def test_the_models_of_the_papers_are_known() -> None:
    names = {model.name for model in known_models()}
    assert names >= {
        "bge-m3", "bge-reranker-v2-m3", "bge-reranker-v2-gemma", "splade-v3", "nllb-200-distilled-600m",
        "multilingual-e5-base", "paraphrase-multilingual-mpnet-base-v2", "cohere-embed-multilingual-v3",
        "command-r-35b", "mixtral-8x7b", "solar-10.7b", "llama-2-7b-chat", "llama-3-8b-instruct",
        "llama-3-70b-instruct", "llama-3.2-1b-instruct", "gpt-4o", "gpt-3.5-turbo", "lid.176", "openlid", "glotlid",
    }  # fmt: skip


def test_every_model_has_the_source_of_its_facts() -> None:
    assert all(model.source for model in known_models())


def known(name: str) -> Model:
    model = known_or_none(name)
    assert model is not None
    return model


def test_a_model_is_known_by_name_and_by_hub_id() -> None:
    assert known("BGE-M3") == known("baai/bge-m3") == known("bge-m3")
    assert known_or_none("no/such") is None


def test_memory_is_weights_times_bits() -> None:
    model = Model(
        name="x", title="X", role="generator", adapter="huggingface", model="m/x", parameters=8_000, source="s"
    )
    assert [model.memory(bits) for bits in (32, 16, 8, 4)] == [32_000, 16_000, 8_000, 4_000]
    assert known("gpt-4o").memory() is None


def test_facts_are_given_in_words() -> None:
    assert known("nllb-200-distilled-600m").facts == ("2.5 GB", "licence CC-BY-NC-4.0")
    assert known("solar-10.7b").facts == ("10.7 billion weights", "licence CC-BY-NC-4.0")
    assert known("gpt-4o").facts == ()


def test_a_model_is_added_by_a_file_alone(write: Callable[[str], tuple[Model, ...]]) -> None:
    assert [model.name for model in write(ENTRY)] == ["small"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("  title: Small\n", "", "models.yaml, small: title: Field required"),
        ("role: encoder", "role: dancer", "models.yaml, small: role: Input should be"),
        ("  source: its card", "  source: ''", "source: String should have at least 1 character"),
        ("  source:", "  colour: red\n  source:", "colour: Extra inputs are not permitted"),
        ("  source:", "  languages: [english]\n  source:", "languages: Unknown language “english”"),
        ("  source:", "  parameters: -3\n  source:", "parameters: Input should be greater than"),
        ("small:", "Small Model:", "name: String should match pattern"),
        ("small:\n", "- small\n", "is not YAML"),
        ("small:\n", "tiny: fast\nsmall:\n", "models.yaml, tiny: must hold facts such as “role: encoder”"),
    ],
)
def test_a_wrong_entry_is_refused_in_one_sentence(
    write: Callable[[str], tuple[Model, ...]], old: str, new: str, expected: str
) -> None:
    assert old in ENTRY
    with pytest.raises(DataError) as caught:
        write(ENTRY.replace(old, new))
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_duplicate_name_is_refused(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(ENTRY, encoding="utf-8")
    with pytest.raises(DataError, match="Two known models are called “small”"):
        load_models(tmp_path)
