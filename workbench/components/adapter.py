"""Adapters: the ways in which a model can be used, by the word that stands before the colon in a recipe.

`cross-encoder:/models/mine` names an adapter and a model; an adapter says which roles it serves and which parameters
it takes.  What an adapter is made of lies in the layers of its role.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.protocols import Role


@dataclass(frozen=True, slots=True)
class Adapter:
    """`local`: the model's files must lie on this machine; otherwise texts are sent to a service. `nested`: what
    follows the colon is itself the name of a generator (`llm:openai-like:NAME`).
    """

    name: str
    roles: tuple[Role, ...]
    explained: str
    parameters: tuple[str, ...] = ()
    local: bool = True
    nested: bool = False


ADAPTERS: dict[str, Adapter] = {
    adapter.name: adapter
    for adapter in (
        Adapter("bge-m3", ("encoder", "reranker"), "BGE-M3 through FlagEmbedding: dense, sparse and ColBERT vectors",
                ("view", "max_length", "device")),
        Adapter("sentence-transformers", ("encoder",), "any sentence-transformers model",
                ("question_prefix", "passage_prefix", "max_length", "device")),
        Adapter("splade", ("encoder",), "SPLADE through sentence-transformers' sparse encoder", ("active", "device")),
        Adapter("cross-encoder", ("reranker",), "any cross-encoder of sentence-transformers", ("max_length", "device")),
        Adapter("flag-reranker", ("reranker",), "FlagEmbedding's FlagReranker", ("max_length", "device")),
        Adapter("flag-llm-reranker", ("reranker",), "FlagEmbedding's FlagLLMReranker", ("max_length", "device")),
        Adapter("llama-index", ("encoder", "reranker", "generator"), "any LlamaIndex class by name", ("model",),
                local=False),
        Adapter("openai-like", ("encoder", "generator"), "a model behind an OpenAI-compatible endpoint", ("url", "key"),
                local=False),
        Adapter("cohere", ("encoder",), "an embedding model of Cohere's service", ("key",), local=False),
        Adapter("huggingface", ("generator",), "a local causal language model through transformers",
                ("quantised", "device")),
        Adapter("nllb", ("translator",), "NLLB-200 through transformers", ("beams", "device")),
        Adapter("llm", ("translator", "reranker"), "a generator asked to translate or to order passages",
                local=False, nested=True),
        Adapter("fasttext", ("identifier",), "a fastText language identification file", ("file",)),
    )
}  # fmt: skip
"""Every adapter by name."""
