"""A randomly initialised BGE-M3 on disk, in the size of the real one or tiny: speed does not depend on the numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
TRAINED = 8_000
"""Tokens that the tokenizer learns; the rest of the real vocabulary of 250,002 only takes up memory."""


@dataclass(frozen=True, slots=True)
class Size:
    """An XLM-R. BGE-M3 is XLM-R large with 8192 positions (Chen et al. (2024))."""

    name: str
    layers: int
    hidden: int
    heads: int
    inner: int
    vocabulary: int


LARGE = Size("large", layers=24, hidden=1024, heads=16, inner=4096, vocabulary=250_002)
TINY = Size("tiny", layers=4, hidden=128, heads=4, inner=512, vocabulary=TRAINED)


def make_model(folder: Path, size: Size, texts: Iterable[str]) -> None:
    """Writes model, heads and a tokenizer trained on `texts`, as BGE-M3's files are laid out."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=TRAINED, special_tokens=list(SPECIAL), unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=8192,
    ).save_pretrained(folder)
    torch.manual_seed(1)
    config = XLMRobertaConfig(
        vocab_size=size.vocabulary,
        hidden_size=size.hidden,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        intermediate_size=size.inner,
        max_position_embeddings=8194,
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
    )
    XLMRobertaModel(config).save_pretrained(folder)
    torch.save(torch.nn.Linear(size.hidden, 1).state_dict(), folder / "sparse_linear.pt")
    torch.save(torch.nn.Linear(size.hidden, size.hidden).state_dict(), folder / "colbert_linear.pt")
