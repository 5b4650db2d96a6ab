"""Google Translate through deep-translator: the translator of Ranaldi et al. (2025, CrossRAG), Section 3.2.

It reads the mobile page, needs no key and sends the texts to Google.  The page accepts under 5,000 characters; its URL,
which holds the text percent-encoded, may have under 16 KiB: some 1,800 Chinese characters (measured by users of
deep-translator, its issue 224).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from urllib.parse import quote_plus

from workbench.models.translation.services.service_translator import TranslateCall, TranslationService

CHARACTER_LIMIT = 5_000
URL_BYTES = 15_000
"""Bytes of percent-encoded text; the rest of 16 KiB is left to the URL itself."""
LANGUAGE_CODES = {"zh": "zh-CN", "he": "iw", "jv": "jw", "fil": "tl"}
"""Google's codes where they differ from ours."""


def fits_in_url(text: str) -> bool:
    """Whether a text can be sent in one request that carries it in its URL."""
    return len(text) < CHARACTER_LIMIT and (len(text) * 12 <= URL_BYTES or len(quote_plus(text)) <= URL_BYTES)


@cache
def _supported_codes() -> frozenset[str]:
    from deep_translator.constants import GOOGLE_LANGUAGES_TO_CODES

    return frozenset(GOOGLE_LANGUAGES_TO_CODES.values())


def _language_code(language: str) -> str:
    google_code = LANGUAGE_CODES.get(language, language)
    return google_code if google_code in _supported_codes() else ""


def _make_call(source: str, target: str, keys: Sequence[str]) -> TranslateCall:  # noqa: ARG001
    from deep_translator import GoogleTranslator

    translate: TranslateCall = GoogleTranslator(source=source, target=target).translate
    return translate


GOOGLE = TranslationService(
    name="google",
    title="Google Translate",
    host="translate.google.com",
    module="deep_translator.google",
    fits=fits_in_url,
    language_code=_language_code,
    make_call=_make_call,
)
