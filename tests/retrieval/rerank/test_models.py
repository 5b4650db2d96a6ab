"""Rerankers that are models, through the real loading code, equal to what the libraries themselves give."""

from pathlib import Path

import numpy as np
import pytest

from tests.models.tiny_encoders import TEXTS, make_cross_encoder
from workbench.core.errors import DataError, MissingError, UsageError
from workbench.core.protocols import Reranker
from workbench.core.records import Hit, Passage, Query
from workbench.models.local import find_model
from workbench.retrieval.encoders.bge_m3 import BgeM3
from workbench.retrieval.rerank.colbert import BgeM3Reranker, late_interaction
from workbench.retrieval.rerank.cross_encoders import CrossEncoderReranker, FlagLLMReranker, FlagReranker

pytestmark = pytest.mark.slow

QUESTION = "Who invented the radio?"
PAIRS = [(QUESTION, text) for text in TEXTS]
PASSAGES = [Passage(f"p{i}", "d", "", "en", text) for i, text in enumerate(TEXTS)]
HITS = [Hit(passage.id, i, "en", 1.0 - i / 10, {"dense": 1.0 - i / 10}) for i, passage in enumerate(PASSAGES)]
QUERY = Query(QUESTION, "en", ("en",))


@pytest.fixture(scope="module")
def m3(bge_m3_folder: Path) -> BgeM3:
    return BgeM3(find_model(str(bge_m3_folder)), device="cpu")


def test_the_flag_reranker_scores_as_flag_embedding(cross_encoder_folder: Path) -> None:
    from FlagEmbedding import FlagReranker as Flag

    ours = FlagReranker(find_model(str(cross_encoder_folder)), device="cpu", batch=4).score(QUESTION, TEXTS)
    assert ours == pytest.approx(Flag(str(cross_encoder_folder), devices="cpu").compute_score(PAIRS), abs=1e-5)


def test_the_llm_reranker_scores_as_flag_embedding(llm_folder: Path) -> None:
    from FlagEmbedding import FlagLLMReranker as Flag

    ours = FlagLLMReranker(find_model(str(llm_folder)), device="cpu", batch=4).score(QUESTION, TEXTS)
    assert ours == pytest.approx(Flag(str(llm_folder), devices="cpu").compute_score(PAIRS), abs=1e-4)


def test_the_llm_reranker_cuts_long_passages_as_flag_embedding(llm_folder: Path) -> None:
    from FlagEmbedding import FlagLLMReranker as Flag

    long = [text * 20 for text in TEXTS]
    ours = FlagLLMReranker(find_model(str(llm_folder)), device="cpu", max_length=64).score(QUESTION, long)
    bare = Flag(str(llm_folder), devices="cpu", max_length=64).compute_score([(QUESTION, text) for text in long])
    assert ours == pytest.approx(bare, abs=1e-4)


def test_the_cross_encoder_scores_by_logits(cross_encoder_folder: Path) -> None:
    from FlagEmbedding import FlagReranker as Flag

    ours = CrossEncoderReranker(find_model(str(cross_encoder_folder)), device="cpu", batch=4, max_length=0)
    bare = Flag(str(cross_encoder_folder), devices="cpu").compute_score(PAIRS)
    assert ours.score(QUESTION, TEXTS) == pytest.approx(bare, abs=1e-5)


def test_colbert_scores_as_flag_embedding(m3: BgeM3, bge_m3_folder: Path) -> None:
    from FlagEmbedding import BGEM3FlagModel

    flag = BGEM3FlagModel(str(bge_m3_folder), use_fp16=False, devices="cpu")
    ours = BgeM3Reranker(m3).score(QUESTION, TEXTS)
    bare = flag.compute_score(PAIRS, batch_size=8)
    assert ours == pytest.approx(bare["colbert"], abs=1e-5)


@pytest.mark.parametrize("view", ["dense", "sparse"])
def test_the_other_views_rescore_as_flag_embedding(m3: BgeM3, bge_m3_folder: Path, view: str) -> None:
    from FlagEmbedding import BGEM3FlagModel

    flag = BGEM3FlagModel(str(bge_m3_folder), use_fp16=False, devices="cpu")
    ours = BgeM3Reranker(m3, view=view).score(QUESTION, TEXTS)  # type: ignore[arg-type]
    assert ours == pytest.approx(flag.compute_score(PAIRS, batch_size=8)[view], abs=1e-4)


def test_late_interaction_is_the_mean_of_the_best_matches() -> None:
    question = np.array([[1, 0], [0, 1]], dtype=np.float32)
    passage = np.array([[0.6, 0.8], [0.8, 0.6], [-1, 0]], dtype=np.float32)
    assert late_interaction(question, passage) == pytest.approx((0.8 + 0.8) / 2)


def test_late_interaction_with_nothing_is_zero() -> None:
    assert late_interaction(np.zeros((0, 2), dtype=np.float32), np.ones((1, 2), dtype=np.float32)) == 0.0


def test_each_is_a_reranker_that_orders_by_its_score(m3: BgeM3, cross_encoder_folder: Path, llm_folder: Path) -> None:
    cross, llm = find_model(str(cross_encoder_folder)), find_model(str(llm_folder))
    for reranker in (
        FlagReranker(cross, device="cpu"),
        FlagLLMReranker(llm, device="cpu"),
        CrossEncoderReranker(cross, device="cpu", max_length=128),
        BgeM3Reranker(m3),
    ):
        assert isinstance(reranker, Reranker)
        ranking = reranker.rerank(QUERY, HITS, PASSAGES)
        scores = reranker.score(QUESTION, TEXTS)
        assert [hit.row for hit in ranking] == sorted(range(len(TEXTS)), key=lambda row: -scores[row])
        assert all(hit.scores["rerank"] == hit.score and "dense" in hit.scores for hit in ranking)
        assert reranker.rerank(QUERY, (), ()) == ()


def test_a_question_longer_than_the_model_is_cut_not_refused(cross_encoder_folder: Path) -> None:
    reranker = FlagReranker(find_model(str(cross_encoder_folder)), device="cpu", max_length=64)
    assert len(reranker.score("who invented the radio " * 100, TEXTS)) == len(TEXTS)


def test_the_parameters_are_part_of_the_identity(cross_encoder_folder: Path, m3: BgeM3) -> None:
    model = find_model(str(cross_encoder_folder))
    rerankers: list[Reranker] = [FlagReranker(model), FlagReranker(model, max_length=64), CrossEncoderReranker(model)]
    m3_rerankers = [BgeM3Reranker(m3), BgeM3Reranker(m3, view="dense")]
    assert len({reranker.identity for reranker in (*rerankers, *m3_rerankers)}) == 5
    assert all(model.revision in reranker.identity for reranker in rerankers)


@pytest.mark.parametrize("kind", [FlagReranker, FlagLLMReranker, CrossEncoderReranker])
def test_an_encoder_is_not_a_reranker(kind: type[FlagReranker], bge_m3_folder: Path) -> None:
    with pytest.raises(MissingError, match="XLMRobertaModel"):
        kind(find_model(str(bge_m3_folder)))


def test_a_model_with_several_scores_per_pair_is_refused(tmp_path: Path) -> None:
    model = find_model(str(make_cross_encoder(tmp_path / "m", labels=3)))
    for reranker in (CrossEncoderReranker(model, device="cpu"), FlagReranker(model, device="cpu")):
        with pytest.raises(DataError, match="3 scores"):
            reranker.score(QUESTION, TEXTS)


def test_an_unknown_view_is_refused(m3: BgeM3) -> None:
    with pytest.raises(UsageError, match="view"):
        BgeM3Reranker(m3, view="token")  # type: ignore[arg-type]


def test_damaged_weights_are_reported_in_a_sentence(tmp_path: Path) -> None:
    folder = make_cross_encoder(tmp_path / "m")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    model = find_model(str(folder))
    for reranker in (CrossEncoderReranker(model, device="cpu"), FlagReranker(model, device="cpu")):
        with pytest.raises(DataError, match="could not be loaded"):
            reranker.score(QUESTION, TEXTS)


def test_passages_longer_than_the_model_are_cut_not_refused(cross_encoder_folder: Path) -> None:
    model = find_model(str(cross_encoder_folder))
    for reranker in (CrossEncoderReranker(model, device="cpu"), FlagReranker(model, device="cpu")):
        assert len(reranker.score(QUESTION, [text * 50 for text in TEXTS])) == len(TEXTS)
