"""The tokenizer of multilingual-e5-small: SentencePiece's unigram model as XLM-R uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.models.e5_small.weights_file import E5SmallWeights

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BOS, EOS, PAD, UNK = "<s>", "</s>", "<pad>", "<unk>"


def tokenizer_of(weights: E5SmallWeights) -> Tokenizer:
    """Texts are normalised as SentencePiece's “nmt_nfkc” does, and put between BOS and EOS."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    tokens = weights.tokens
    tokenizer = Tokenizer(models.Unigram(list(weights.vocabulary), unk_id=tokens.unk, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in (BOS, PAD, EOS, UNK)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A {EOS}",
        pair=f"{BOS} $A {EOS} {EOS} $B {EOS}",
        special_tokens=[(BOS, tokens.bos), (EOS, tokens.eos)],
    )
    return tokenizer
