"""MonoT5, UPR, TART and ColBERTv2 through the real loading code, against scores computed one pair at a time by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from safetensors import safe_open

from tests.models.tiny_encoders import TEXTS
from tests.models.tiny_rerankers import make_colbert, make_t5, make_tart
from workbench.core.errors import DataError, MissingError
from workbench.core.protocols import Reranker
from workbench.core.records import Hit, Passage, Query
from workbench.models.local import LocalModel, find_model
from workbench.retrieval.rerank.colbert import ColbertReranker
from workbench.retrieval.rerank.cross_encoders import TokenReranker
from workbench.retrieval.rerank.t5 import INSTRUCTION, MonoT5Reranker, TartReranker, UprReranker

QUESTION = "Who invented the radio?"
PASSAGES = [Passage(f"p{i}", "d", "", "en", text) for i, text in enumerate(TEXTS)]
HITS = [Hit(passage.id, i, "en", 1.0 - i / 10, {"dense": 1.0 - i / 10}) for i, passage in enumerate(PASSAGES)]


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    return find_model(str(make_t5(tmp_path_factory.mktemp("t5"))))


@pytest.fixture(scope="module")
def tart(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    return find_model(str(make_tart(tmp_path_factory.mktemp("tart"))))


@pytest.fixture(scope="module")
def colbert(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    return find_model(str(make_colbert(tmp_path_factory.mktemp("colbert"))))


def bare(model: LocalModel, kind: str = "AutoModelForSeq2SeqLM") -> tuple[Any, Any]:
    """The tokenizer and the model as transformers loads them."""
    import transformers

    loaded = getattr(transformers, kind).from_pretrained(model.folder).eval()
    return transformers.AutoTokenizer.from_pretrained(model.folder), loaded


def test_monot5_scores_by_the_logits_of_true_and_false(t5: LocalModel) -> None:
    import torch

    tokenizer, model = bare(t5)
    true, false = tokenizer.convert_tokens_to_ids(["▁true", "▁false"])
    by_hand = []
    for text in TEXTS:
        inputs = tokenizer(f"Query: {QUESTION} Document: {text} Relevant:", return_tensors="pt")
        with torch.no_grad():
            logits = model(**inputs, decoder_input_ids=torch.tensor([[0]])).logits[0, 0]
        chance = torch.softmax(logits[[true, false]], dim=0)[0]
        by_hand.append(float(torch.logit(chance)))
    ours = MonoT5Reranker(t5, device="cpu", batch=4).score(QUESTION, TEXTS)
    assert ours == pytest.approx(by_hand, abs=1e-3)
    assert len({round(score, 3) for score in ours}) == len(TEXTS)


def test_monot5_cuts_a_long_passage_and_keeps_the_last_word(t5: LocalModel) -> None:
    reranker = MonoT5Reranker(t5, device="cpu", max_length=32)
    long = "the cat sat on the mat " * 50
    with reranker._resident.use() as scorer:
        (tokens,) = scorer.tokens(QUESTION, [long])
    tokenizer, _ = bare(t5)
    assert len(tokens) == 32 and tokenizer.decode(tokens).endswith("Relevant:</s>")
    assert reranker.score(QUESTION, [long]) == pytest.approx(reranker.score(QUESTION, [f"{long} dog"]))


def test_monot5_may_answer_by_other_words(t5: LocalModel) -> None:
    plain = MonoT5Reranker(t5, device="cpu").score(QUESTION, TEXTS)
    swapped = MonoT5Reranker(t5, device="cpu", true_token="▁false", false_token="▁true")
    assert swapped.score(QUESTION, TEXTS) == pytest.approx([-score for score in plain], abs=1e-5)
    assert swapped.identity != MonoT5Reranker(t5, device="cpu").identity


def test_monot5_without_its_words_is_refused(t5: LocalModel) -> None:
    with pytest.raises(DataError, match="has no token ▁yes"):
        MonoT5Reranker(t5, device="cpu", true_token="▁yes").score(QUESTION, TEXTS)


def test_upr_is_the_mean_log_likelihood_of_the_question(t5: LocalModel) -> None:
    import torch

    tokenizer, model = bare(t5)
    labels = tokenizer(QUESTION, return_tensors="pt").input_ids
    by_hand = []
    for text in TEXTS:
        prompt = f"Passage: {text} Please write a question based on this passage."
        with torch.no_grad():
            loss = model(**tokenizer(prompt, return_tensors="pt"), labels=labels).loss
        by_hand.append(-float(loss))
    assert UprReranker(t5, device="cpu", batch=4).score(QUESTION, TEXTS) == pytest.approx(by_hand, abs=1e-4)


def test_upr_reads_a_causal_model_token_by_token(llm_folder: Path) -> None:
    import torch

    files = find_model(str(llm_folder))
    tokenizer, model = bare(files, "AutoModelForCausalLM")

    def ids(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False).input_ids)

    by_hand = []
    for text in TEXTS:
        seen = [0, *ids("Passage:"), *ids(f" {text}"), *ids(" Please write a question based on this passage.")]
        chances = []
        for token in ids(f" {QUESTION}"):
            with torch.no_grad():
                chances.append(float(model(torch.tensor([seen])).logits[0, -1].log_softmax(dim=-1)[token]))
            seen.append(token)
        by_hand.append(sum(chances) / len(chances))
    assert UprReranker(files, device="cpu", batch=4).score(QUESTION, TEXTS) == pytest.approx(by_hand, abs=1e-4)


def test_upr_cuts_the_passage_and_keeps_the_request(t5: LocalModel, llm_folder: Path) -> None:
    for files in (t5, find_model(str(llm_folder))):
        reranker = UprReranker(files, device="cpu", max_length=128)
        long = "the cat sat on the mat " * 80
        first, second = reranker.score(QUESTION, [long, f"{long} dog"])
        assert first == pytest.approx(second, abs=1e-5)
        with reranker._resident.use() as scorer:
            (pair,) = scorer.tokens(QUESTION, [long])
        assert len(pair) <= 128 and "based on this passage." in bare(files, "AutoModel")[0].decode(pair.passage)


def test_tart_scores_the_first_token_under_the_instruction(tart: LocalModel) -> None:
    import torch

    tokenizer, model = bare(tart, "T5EncoderModel")
    with safe_open(tart.folder / "model.safetensors", "pt") as weights:
        layer, bias = weights.get_tensor("classifier.weight"), weights.get_tensor("classifier.bias")
    by_hand = []
    for text in TEXTS:
        pair = tokenizer(f"{INSTRUCTION} [SEP] {QUESTION}", text).input_ids
        with torch.no_grad():
            state = model(torch.tensor([[tokenizer.unk_token_id, *pair]])).last_hidden_state[0, 0]
        logits = layer @ state + bias
        by_hand.append(float(torch.logit(torch.softmax(logits, dim=0)[1].double())))
    ours = TartReranker(tart, device="cpu", batch=4)
    assert ours.score(QUESTION, TEXTS) == pytest.approx(by_hand, abs=1e-3)


def test_tarts_instruction_changes_its_scores_and_its_identity(tart: LocalModel) -> None:
    plain = TartReranker(tart, device="cpu")
    other = TartReranker(tart, device="cpu", instruction="Find a question")
    assert plain.score(QUESTION, TEXTS) != other.score(QUESTION, TEXTS)
    assert plain.identity != other.identity


def test_colbert_sums_the_best_match_of_each_question_token(colbert: LocalModel) -> None:
    import string

    import torch

    tokenizer, model = bare(colbert, "BertModel")
    with safe_open(colbert.folder / "model.safetensors", "pt") as weights:
        layer = weights.get_tensor("linear.weight")
    bert = {name.removeprefix("bert."): value for name, value in _tensors(colbert).items() if name.startswith("bert.")}
    model.load_state_dict(bert)

    def vectors(ids: list[int], read: int) -> Any:
        mask = torch.tensor([[1] * read + [0] * (len(ids) - read)])
        with torch.no_grad():
            state = model(torch.tensor([ids]), attention_mask=mask).last_hidden_state[0]
        return torch.nn.functional.normalize(state @ layer.T, dim=1)

    def marked(marker: str, text: str, length: int) -> list[str]:
        return ["[CLS]", marker, *tokenizer.tokenize(text)[: length - 3], "[SEP]"]

    marked_question = marked("[unused0]", QUESTION, 16)
    filled = marked_question + ["[MASK]"] * (16 - len(marked_question))
    question = vectors(tokenizer.convert_tokens_to_ids(filled), len(marked_question))
    by_hand = []
    for text in TEXTS:
        words = marked("[unused1]", text, 40)
        states = vectors(tokenizer.convert_tokens_to_ids(words), len(words))
        rows = [state for state, word in zip(states, words, strict=True) if word not in string.punctuation]
        by_hand.append(sum(max(float(one @ row) for row in rows) for one in question))
    assert ColbertReranker(colbert, device="cpu", batch=4).score(QUESTION, TEXTS) == pytest.approx(by_hand, abs=1e-4)


def _tensors(model: LocalModel) -> dict[str, Any]:
    from safetensors.torch import load_file

    return dict(load_file(model.folder / "model.safetensors"))


def test_the_size_of_a_batch_changes_no_score(t5: LocalModel, tart: LocalModel, colbert: LocalModel) -> None:
    kinds: list[tuple[type[TokenReranker], LocalModel]] = [
        (MonoT5Reranker, t5),
        (UprReranker, t5),
        (TartReranker, tart),
        (ColbertReranker, colbert),
    ]
    for kind, files in kinds:
        alone = kind(files, device="cpu", batch=1).score(QUESTION, TEXTS)
        assert kind(files, device="cpu", batch=4).score(QUESTION, TEXTS) == pytest.approx(alone, abs=1e-4)


def test_each_is_a_reranker_that_orders_by_its_score(t5: LocalModel, tart: LocalModel, colbert: LocalModel) -> None:
    rerankers = [MonoT5Reranker(t5), UprReranker(t5), TartReranker(tart), ColbertReranker(colbert)]
    assert len({reranker.identity for reranker in rerankers}) == 4
    for reranker, files in zip(rerankers, (t5, t5, tart, colbert), strict=True):
        assert isinstance(reranker, Reranker) and files.revision in reranker.identity
        scores = reranker.score(QUESTION, TEXTS)
        ranking = reranker.rerank(Query(QUESTION, "en", ("en",)), HITS, PASSAGES)
        assert [hit.row for hit in ranking] == sorted(range(len(TEXTS)), key=lambda row: -scores[row])
        assert reranker.rerank(Query(QUESTION, "en", ("en",)), (), ()) == ()


def test_each_refuses_a_model_of_another_kind(bge_m3_folder: Path) -> None:
    files = find_model(str(bge_m3_folder))
    for kind in (MonoT5Reranker, UprReranker, TartReranker, ColbertReranker):
        with pytest.raises(MissingError, match="XLMRobertaModel"):
            kind(files)


def test_a_model_without_the_last_layer_is_refused(tmp_path: Path) -> None:
    tart = find_model(str(make_tart(tmp_path / "tart", with_layer=False)))
    with pytest.raises(DataError, match="lacks classifier"):
        TartReranker(tart, device="cpu").score(QUESTION, TEXTS)
    colbert = find_model(str(make_colbert(tmp_path / "colbert", with_layer=False)))
    with pytest.raises(DataError, match="lacks linear"):
        ColbertReranker(colbert, device="cpu").score(QUESTION, TEXTS)
