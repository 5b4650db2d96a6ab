"""The weights of multilingual-e5-small as an ordinary checkpoint folder: what our forward pass is compared with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from workbench.models.e5_small import (
    BOS,
    EOS,
    PAD,
    UNK,
    E5SmallTokenizer,
    E5SmallWeights,
    read_weights,
    weights_path,
)
from workbench.models.local import LocalModel

MAX_TOKENS = 512
LAYER_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
"""The file's names of the parts of a layer, and BERT's."""
POOLING = {
    "word_embedding_dimension": 384,
    "pooling_mode_cls_token": False,
    "pooling_mode_mean_tokens": True,
    "pooling_mode_max_tokens": False,
    "pooling_mode_mean_sqrt_len_tokens": False,
}
MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
]


def e5_small_checkpoint(folder: Path) -> LocalModel:
    """The installed package's weights, unpacked into a new `folder` that sentence-transformers loads."""
    write_checkpoint(read_weights(weights_path()), folder)
    return LocalModel("e5-small", folder, "test")


def write_checkpoint(weights: E5SmallWeights, folder: Path) -> None:
    """Writes configuration, weights, tokenizer and the modules of sentence-transformers into a new `folder`."""
    from safetensors.numpy import save_file

    folder.mkdir()
    save_file(_tensors(weights), folder / "model.safetensors", metadata={"format": "pt"})
    tokens = weights.tokens
    E5SmallTokenizer(weights).with_pieces(weights.pieces).save(str(folder / "tokenizer.json"))
    special = {"bos_token": BOS, "eos_token": EOS, "pad_token": PAD, "unk_token": UNK}
    _write(
        folder / "tokenizer_config.json",
        {**special, "model_max_length": MAX_TOKENS, "tokenizer_class": "PreTrainedTokenizerFast"},
    )
    _write(
        folder / "config.json",
        {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_act": "gelu",
            "layer_norm_eps": weights.epsilon,
            "dtype": "float32",
            "bos_token_id": tokens.bos,
            "eos_token_id": tokens.eos,
            "pad_token_id": tokens.pad,
            **weights.sizes._asdict(),
        },
    )
    _write(folder / "modules.json", MODULES)
    _write(folder / "sentence_bert_config.json", {"max_seq_length": MAX_TOKENS, "do_lower_case": False})
    (folder / "1_Pooling").mkdir()
    _write(folder / "1_Pooling" / "config.json", POOLING)
    (folder / "2_Normalize").mkdir()


def _tensors(weights: E5SmallWeights) -> dict[str, Any]:
    width, inner = weights.sizes.hidden_size, weights.sizes.intermediate_size
    tensors: dict[str, Any] = {
        "embeddings.word_embeddings.weight": weights.matrix("emb.word", weights.sizes.vocab_size),
        "embeddings.position_embeddings.weight": weights.vector("emb.pos").reshape(-1, width),
        "embeddings.token_type_embeddings.weight": weights.vector("emb.type").reshape(-1, width),
        "embeddings.LayerNorm.weight": weights.vector("emb.ln.w"),
        "embeddings.LayerNorm.bias": weights.vector("emb.ln.b"),
    }
    for layer in range(weights.sizes.num_hidden_layers):
        for short, name in LAYER_PARTS.items():
            place = f"encoder.layer.{layer}.{name}"
            is_norm = name.endswith("LayerNorm")
            rows = inner if short == "fi" else width
            tensors[f"{place}.weight"] = (
                weights.vector(f"l{layer}.{short}.w") if is_norm else weights.matrix(f"l{layer}.{short}.w", rows)
            )
            tensors[f"{place}.bias"] = weights.vector(f"l{layer}.{short}.b")
    return {name: np.ascontiguousarray(tensor, dtype=np.float16) for name, tensor in tensors.items()}


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
