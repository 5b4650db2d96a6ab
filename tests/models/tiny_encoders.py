"""Tiny random models on disk, in the same files as real ones, for tests of the real loading code.

Their numbers mean nothing; what matters is that they are read, batched, truncated and normalised as by the libraries.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from transformers import XLMRobertaConfig

TEXTS = (
    "The cat sat on the mat and slept all day.",
    "Die Katze schläft den ganzen Tag auf dem Sofa.",
    "Радио изобрели в девятнадцатом веке.",
    "北京是中国的首都。",
    "Who invented the radio, and where?",
    "Interest rates and bond yields rise.",
)
HIDDEN = 32
LENGTH = 128


def tokenizer(folder: Path) -> int:
    """Save a tokenizer trained on TEXTS, in the manner of XLM-R; return the size of its vocabulary."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    unigram = Tokenizer(models.Unigram())
    unigram.pre_tokenizer = pre_tokenizers.Metaspace()
    unigram.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=300, special_tokens=special, unk_token="<unk>")
    unigram.train_from_iterator([*TEXTS, "Yes", "No", "\n"], trainer)
    unigram.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=unigram,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=LENGTH,
    )
    wrapped.save_pretrained(folder)
    return len(wrapped)


def _roberta_config(vocabulary: int) -> XLMRobertaConfig:
    from transformers import XLMRobertaConfig

    return XLMRobertaConfig(
        vocab_size=vocabulary,
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=LENGTH + 2,
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        initializer_range=0.5,
    )


def make_bge_m3(folder: Path) -> Path:
    """An XLM-R with the two linear heads of BGE-M3."""
    import torch
    from transformers import XLMRobertaModel

    torch.manual_seed(1)
    folder.mkdir(parents=True, exist_ok=True)
    XLMRobertaModel(_roberta_config(tokenizer(folder))).save_pretrained(folder)
    torch.save(torch.nn.Linear(HIDDEN, 1).state_dict(), folder / "sparse_linear.pt")
    torch.save(torch.nn.Linear(HIDDEN, HIDDEN).state_dict(), folder / "colbert_linear.pt")
    return folder


def make_cross_encoder(folder: Path, labels: int = 1) -> Path:
    """An XLM-R that scores pairs, as bge-reranker-v2-m3 is saved."""
    import torch
    from transformers import XLMRobertaForSequenceClassification

    torch.manual_seed(2)
    folder.mkdir(parents=True, exist_ok=True)
    config = _roberta_config(tokenizer(folder))
    config.num_labels = labels
    XLMRobertaForSequenceClassification(config).save_pretrained(folder)
    return folder


def make_splade(folder: Path) -> Path:
    """A masked language model, as SPLADE is saved."""
    import torch
    from transformers import XLMRobertaForMaskedLM

    torch.manual_seed(3)
    folder.mkdir(parents=True, exist_ok=True)
    XLMRobertaForMaskedLM(_roberta_config(tokenizer(folder))).save_pretrained(folder)
    return folder


def make_llm(folder: Path) -> Path:
    """A causal language model, as an LLM reranker is saved."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(4)
    folder.mkdir(parents=True, exist_ok=True)
    config = LlamaConfig(
        vocab_size=tokenizer(folder),
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=64,
        max_position_embeddings=1024,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        initializer_range=0.5,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def bge_m3_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bge_m3(tmp_path_factory.mktemp("bge-m3"))


@pytest.fixture(scope="session")
def cross_encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_cross_encoder(tmp_path_factory.mktemp("cross-encoder"))


@pytest.fixture(scope="session")
def splade_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_splade(tmp_path_factory.mktemp("splade"))


@pytest.fixture(scope="session")
def llm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_llm(tmp_path_factory.mktemp("llm"))


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to reach another machine fails the test."""
    import socket

    def refuse(*arguments: object) -> None:
        raise AssertionError(f"a connection was tried: {arguments[1:]}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
