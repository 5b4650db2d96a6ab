"""NLLB-200 through transformers: the query translator of Chirkova et al. 2024 (section 3, NLLB-600M).

The model was trained on sentences, so a text is translated sentence by sentence, many at a time; languages go by their
FLORES-200 codes (`languages.yaml`).  Files on this machine only; loaded when first used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.errors import TranslationFailed, shorten
from workbench.languages import language
from workbench.languages.labels import flores_code
from workbench.models.local import LocalModel
from workbench.models.resident import Resident, half_precision
from workbench.records import Translation
from workbench.translation.text_chunks import cut, has_words, join
from workbench.translation.untranslated import untranslated

LONGEST = 400
"""Tokens of one sentence; the model takes 1,024 but saw sentences."""
BATCH = 16
"""Sentences at a time; the longest go together, so that little is padding."""
ROOM = 30
"""Tokens that a translation may be longer than thrice its original before it is cut: a loop, not a sentence."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    tokenizer: Any
    model: Any
    device: str


class NllbTranslator:
    """Implements `protocols.Translator`; greedy with `beams` 1. Safe to share between threads."""

    def __init__(self, model: LocalModel, *, device: str = "auto", beams: int = 1, batch: int = BATCH) -> None:
        """`device` is auto, cpu, cuda or cuda:N; `batch` is sentences at a time."""
        self._model = model
        self._beams = beams
        self._batch = batch
        self._resident = Resident(model, device, self._load)

    @property
    def identity(self) -> str:
        return self._model.identity_as("nllb", ("transformers",), beams=self._beams, longest=LONGEST, version=1)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        """Each text sentence by sentence.

        Raises TranslationFailed for a language that NLLB or this model does not know, and where a sentence comes back
        empty or as it was.
        """
        if source == target:
            return [Translation(text, source, target, "same", 1.0) for text in texts]
        with self._resident.use() as loaded:
            codes = [self._code(loaded, code) for code in (source, target)]
            loaded.tokenizer.src_lang = codes[0]
            parted = [cut(text, lambda piece: self._length(loaded, piece) <= LONGEST, packed=False) for text in texts]
            asked = list(dict.fromkeys(piece.text for pieces in parted for piece in pieces if has_words(piece.text)))
            made = dict(zip(asked, self._sentences(loaded, asked, codes[1]), strict=True))
        for text, translated in made.items():
            if not translated.strip() or untranslated(text, translated, source, target):
                what = "gave back" if translated.strip() else "said nothing for"
                raise TranslationFailed(
                    f"NLLB {what} “{shorten(text)}” instead of a translation to {language(target).name}; choose "
                    "another translator."
                )
        joined = [join([made.get(piece.text, piece.text) for piece in pieces], pieces, target) for pieces in parted]
        return [Translation(text, source, target, "model") for text in joined]

    def _load(self, device: str) -> _Loaded:
        import torch
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        kind = torch.float16 if half_precision(device) else torch.float32
        tokenizer = AutoTokenizer.from_pretrained(self._model.folder, local_files_only=True)
        model = AutoModelForSeq2SeqLM.from_pretrained(self._model.folder, local_files_only=True, dtype=kind)
        return _Loaded(tokenizer, model.to(device).eval(), device)

    def _code(self, loaded: _Loaded, code: str) -> str:
        flores = flores_code(code)
        known = loaded.tokenizer.convert_tokens_to_ids(flores) if flores else None
        if known is None or known == loaded.tokenizer.unk_token_id:
            raise TranslationFailed(
                f"NLLB ({self._model.label}) does not translate {language(code).name}; choose another translator."
            )
        return flores

    def _length(self, loaded: _Loaded, text: str) -> int:
        return len(loaded.tokenizer(text).input_ids)

    def _sentences(self, loaded: _Loaded, texts: Sequence[str], target: str) -> list[str]:
        """The translations in the order of `texts`, computed longest first."""
        import torch

        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        made: dict[int, str] = {}
        for start in range(0, len(order), self._batch):
            rows = order[start : start + self._batch]
            tokens = loaded.tokenizer([texts[row] for row in rows], return_tensors="pt", padding=True).to(loaded.device)
            with torch.inference_mode():
                given = loaded.model.generate(
                    **tokens,
                    forced_bos_token_id=loaded.tokenizer.convert_tokens_to_ids(target),
                    num_beams=self._beams,
                    do_sample=False,
                    max_new_tokens=3 * tokens["input_ids"].shape[1] + ROOM,
                )
            made.update(zip(rows, loaded.tokenizer.batch_decode(given, skip_special_tokens=True), strict=True))
        return [made[row] for row in range(len(texts))]
