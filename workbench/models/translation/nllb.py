"""NLLB-200 through transformers: the query translator of Chirkova et al. (2024), Section 3 (NLLB-600M).

The model was trained on sentences, so a text is translated sentence by sentence, many at a time; languages go by their
FLORES-200 codes (`languages.yaml`).  Only files on this machine are used; the model is loaded on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core import Translation, TranslationFailed
from workbench.languages import flores_code, language
from workbench.models.local import LocalModel
from workbench.models.resident import Resident, half_precision
from workbench.models.translation.text_chunks import has_words, join_chunks, split_text
from workbench.models.translation.untranslated import same_language, translation_defect

MOST_TOKENS = 400
"""Tokens of one sentence; the model accepts 1,024 but was trained on sentences."""
BATCH = 16
"""Sentences at a time; the longest go together, so that there is little padding."""
EXTRA_TOKENS = 30
"""Tokens by which a translation may exceed three times its original before it is cut off as a loop."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    tokenizer: Any
    model: Any
    device: str


class NllbTranslator:
    """Implements `protocols.Translator`; greedy with `beams` 1. Safe to share between threads.

    `device` is auto, cpu, cuda or cuda:N; `batch` is the number of sentences at a time.
    """

    def __init__(self, model: LocalModel, *, device: str = "auto", beams: int = 1, batch: int = BATCH) -> None:
        self._model = model
        self._beams = beams
        self._batch = batch
        self._resident = Resident(model, device, self._load)

    @property
    def identity(self) -> str:
        """The model's files, the library's version, the beams and the longest sentence."""
        return self._model.identity_as("nllb", ("transformers",), beams=self._beams, longest=MOST_TOKENS, version=1)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        """Each text sentence by sentence.

        Raises TranslationFailed for a language that NLLB or this model does not know, and where a sentence comes back
        empty or unchanged.
        """
        if source == target:
            return same_language(texts, source)
        with self._resident.use() as loaded:
            source_code, target_code = (self._flores_code(loaded, language_code) for language_code in (source, target))
            loaded.tokenizer.src_lang = source_code
            chunked = [
                split_text(text, lambda part: self._count_tokens(loaded, part) <= MOST_TOKENS, packed=False)
                for text in texts
            ]
            distinct = list(
                dict.fromkeys(chunk.text for chunks in chunked for chunk in chunks if has_words(chunk.text))
            )
            translations = dict(zip(distinct, self._translate_sentences(loaded, distinct, target_code), strict=True))
        for text, translation in translations.items():
            if defect := translation_defect(text, translation, source, target):
                raise TranslationFailed(f"NLLB {defect}; choose another translator.")
        joined = [
            join_chunks([translations.get(chunk.text, chunk.text) for chunk in chunks], chunks, target)
            for chunks in chunked
        ]
        return [Translation(text, source, target, "model") for text in joined]

    def _load(self, device: str) -> _Loaded:
        import torch
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        precision = torch.float16 if half_precision(device) else torch.float32
        options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        tokenizer = AutoTokenizer.from_pretrained(self._model.folder, **options)
        model = AutoModelForSeq2SeqLM.from_pretrained(self._model.folder, dtype=precision, **options)
        return _Loaded(tokenizer, model.to(device).eval(), device)

    def _flores_code(self, loaded: _Loaded, language_code: str) -> str:
        flores = flores_code(language_code)
        token = loaded.tokenizer.convert_tokens_to_ids(flores) if flores else None
        if token is None or token == loaded.tokenizer.unk_token_id:
            raise TranslationFailed(
                f"NLLB ({self._model.label}) does not translate {language(language_code).name}; choose another "
                "translator."
            )
        return flores

    def _count_tokens(self, loaded: _Loaded, text: str) -> int:
        return len(loaded.tokenizer(text).input_ids)

    def _translate_sentences(self, loaded: _Loaded, texts: Sequence[str], target: str) -> list[str]:
        """The translations in the order of `texts`, computed longest first; `target` is a FLORES-200 code."""
        import torch

        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        translations: dict[int, str] = {}
        for start in range(0, len(order), self._batch):
            rows = order[start : start + self._batch]
            tokens = loaded.tokenizer([texts[row] for row in rows], return_tensors="pt", padding=True).to(loaded.device)
            with torch.inference_mode():
                output = loaded.model.generate(
                    **tokens,
                    forced_bos_token_id=loaded.tokenizer.convert_tokens_to_ids(target),
                    num_beams=self._beams,
                    do_sample=False,
                    max_new_tokens=3 * tokens["input_ids"].shape[1] + EXTRA_TOKENS,
                )
            decoded = loaded.tokenizer.batch_decode(output, skip_special_tokens=True)
            translations.update(zip(rows, decoded, strict=True))
        return [translations[row] for row in range(len(texts))]
