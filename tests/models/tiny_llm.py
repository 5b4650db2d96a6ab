"""A tiny random causal language model on disk, in the same files as real ones.

Its output means nothing; what matters is that it is loaded, prompted by its template, streamed and served.
"""

from __future__ import annotations

from pathlib import Path

CHAT = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
REFUSES = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
NO_SYSTEM = REFUSES + CHAT
DROPS_SYSTEM = CHAT.replace("messages %}", "messages if message['role'] != 'system' %}")
TEXT = "Who invented the radio? Popov and Marconi did. Кто изобрёл радио? 谁发明了收音机？ ใครประดิษฐ์วิทยุ"
LONGEST = 4096


def make_tiny_llm(
    folder: Path, template: str | None = CHAT, *, longest: int = LONGEST, ends: int | None = None
) -> Path:
    """A two-layer Llama with a byte-level tokenizer. `ends` is the token that ends an answer, none by default, so that
    answers run to their limit."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    special = ["<s>", "</s>", "<pad>", "<|system|>", "<|user|>", "<|assistant|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
    words.train_from_iterator([TEXT], trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, bos_token="<s>", eos_token="</s>", pad_token="<pad>")
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    torch.manual_seed(5)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=64,
        max_position_embeddings=longest,
        bos_token_id=0,
        eos_token_id=ends,
        pad_token_id=2,
        initializer_range=0.5,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder
