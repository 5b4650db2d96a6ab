"""A tiny random NLLB on disk: M2M100's configuration, and a trained tokenizer with FLORES-200's language codes."""

from __future__ import annotations

from pathlib import Path

LANGUAGES = ("eng_Latn", "fra_Latn", "deu_Latn", "fin_Latn", "arb_Arab", "zho_Hans", "jpn_Jpan", "tha_Thai")
TEXTS = (
    "The lake is deep and the boats are old.",
    "Le lac est profond et les bateaux sont vieux.",
    "Der See ist tief und die Boote sind alt.",
    "湖很深，船很旧。",
)


def tiny_nllb(folder: Path) -> Path:
    """Save the model in `folder`, in the same files as facebook/nllb-200-distilled-600M."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import M2M100Config, M2M100ForConditionalGeneration, NllbTokenizer, PreTrainedTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    bpe = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    bpe.pre_tokenizer = pre_tokenizers.Metaspace()
    bpe.decoder = decoders.Metaspace()
    bpe.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=400, special_tokens=special))
    bpe.add_special_tokens([*LANGUAGES, "<mask>"])
    bpe.post_processor = processors.TemplateProcessing(
        single="eng_Latn $A </s>",
        special_tokens=[("eng_Latn", bpe.token_to_id("eng_Latn")), ("</s>", bpe.token_to_id("</s>"))],
    )
    PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        bos_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        cls_token="<s>",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
        extra_special_tokens=list(LANGUAGES),
        src_lang="eng_Latn",
    ).save_pretrained(folder)
    config = folder / "tokenizer_config.json"
    config.write_text(config.read_text(encoding="utf-8").replace('"TokenizersBackend"', f'"{NllbTokenizer.__name__}"'))
    torch.manual_seed(7)
    model = M2M100ForConditionalGeneration(
        M2M100Config(
            vocab_size=bpe.get_vocab_size(),
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=32,
            decoder_ffn_dim=32,
            max_position_embeddings=1024,
            bos_token_id=0,
            pad_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=2,
        )
    )
    model.save_pretrained(folder)
    return folder
