"""Tiny random rerankers on disk, in the same files as real ones: MonoT5, TART, a T5 for UPR, and ColBERT."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.models.tiny_encoders import TEXTS

if TYPE_CHECKING:
    from transformers import T5Config

WORDS = "Query: Document: Relevant: Passage: Please write a question based on this passage. Find given true false"
HIDDEN = 32
DIMENSIONS = 8


def t5_tokenizer(folder: Path) -> int:
    """Save a tokenizer in the manner of T5, with “true” and “false” as one token each; return its vocabulary's size."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    text = " ".join([*TEXTS, WORDS])
    pieces = dict.fromkeys(["▁true", "▁false", *(f"▁{word}" for word in text.split()), "▁", *sorted(set(text) - {" "})])
    vocabulary = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((piece, -1.0 - len(piece) % 3) for piece in pieces)]
    unigram = Tokenizer(models.Unigram(vocabulary, unk_id=2))
    unigram.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    unigram.decoder = decoders.Metaspace()
    unigram.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=unigram, eos_token="</s>", pad_token="<pad>", unk_token="<unk>", model_max_length=512
    ).save_pretrained(folder)
    return unigram.get_vocab_size()


def _t5_config(vocabulary: int) -> T5Config:
    from transformers import T5Config

    config = T5Config(
        vocab_size=vocabulary,
        d_model=HIDDEN,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_decoder_layers=2,
        num_heads=4,
        pad_token_id=0,
        eos_token_id=1,
        initializer_factor=2.0,
    )
    config.decoder_start_token_id = 0
    return config


def make_t5(folder: Path) -> Path:
    """A T5 with encoder and decoder, as MonoT5 is saved."""
    import torch
    from transformers import T5ForConditionalGeneration

    torch.manual_seed(5)
    folder.mkdir(parents=True, exist_ok=True)
    T5ForConditionalGeneration(_t5_config(t5_tokenizer(folder))).save_pretrained(folder)
    return folder


def make_tart(folder: Path, *, with_layer: bool = True) -> Path:
    """A T5 encoder, with a linear layer of two logits unless left out, as TART-full is saved."""
    import torch
    from safetensors.torch import load_file, save_file
    from transformers import T5EncoderModel

    torch.manual_seed(6)
    folder.mkdir(parents=True, exist_ok=True)
    T5EncoderModel(_t5_config(t5_tokenizer(folder))).save_pretrained(folder)
    weights = load_file(folder / "model.safetensors")
    if with_layer:
        weights |= {"classifier.weight": torch.randn(2, HIDDEN), "classifier.bias": torch.randn(2)}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    _rename(folder, "EncT5ForSequenceClassification")
    return folder


def make_colbert(folder: Path, *, with_layer: bool = True) -> Path:
    """A BERT, with a linear layer over its tokens unless left out, as colbertv2.0 is saved."""
    import torch
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(7)
    folder.mkdir(parents=True, exist_ok=True)
    special = ["[PAD]", "[unused0]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    signs = sorted(set("".join(TEXTS).lower() + "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") - {" "})
    pieces = [*special, *signs, *(f"##{sign}" for sign in signs)]
    words = Tokenizer(models.WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]"))
    words.normalizer = normalizers.BertNormalizer(lowercase=True)
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    PreTrainedTokenizerFast(
        tokenizer_object=words,
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        unk_token="[UNK]",
        mask_token="[MASK]",
    ).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.5,
    )
    model = BertModel(config)
    model.save_pretrained(folder)
    weights = {f"bert.{name}": value.contiguous() for name, value in model.state_dict().items()}
    if with_layer:
        weights["linear.weight"] = torch.randn(DIMENSIONS, HIDDEN)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    settings = {"dim": DIMENSIONS, "query_maxlen": 16, "doc_maxlen": 40}
    (folder / "artifact.metadata").write_text(json.dumps(settings), encoding="utf-8")
    _rename(folder, "HF_ColBERT")
    return folder


def _rename(folder: Path, architecture: str) -> None:
    file = folder / "config.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**config, "architectures": [architecture]}), encoding="utf-8")
