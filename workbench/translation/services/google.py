"""Google Translate through deep-translator: the translator of Ranaldi et al. 2025 (CrossRAG, section 3.2).

It reads the mobile page, needs no key and sends the texts to Google.  The page takes under 5,000 characters, and its
address, in which the text stands percent-encoded, under 16 KiB: some 1,800 Chinese characters (measured by users of
deep-translator, its issue 224).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from urllib.parse import quote_plus

from workbench.translation.services.service_translator import Engine

CHARACTERS = 5_000
ADDRESS = 15_000
"""Bytes of percent-encoded text; the rest of 16 KiB is left to the address itself."""
NAMES = {"zh": "zh-CN", "he": "iw", "jv": "jw", "fil": "tl"}


def fits(text: str) -> bool:
    """Whether a text can be sent in one request that carries it in its address."""
    return len(text) < CHARACTERS and (len(text) * 12 <= ADDRESS or len(quote_plus(text)) <= ADDRESS)


@cache
def _codes() -> frozenset[str]:
    from deep_translator.constants import GOOGLE_LANGUAGES_TO_CODES

    return frozenset(GOOGLE_LANGUAGES_TO_CODES.values())


def _code(code: str) -> str:
    name = NAMES.get(code, code)
    return name if name in _codes() else ""


def _make(source: str, target: str, keys: Sequence[str]) -> Callable[[str], str | None]:  # noqa: ARG001
    from deep_translator import GoogleTranslator as Page

    made: Callable[[str], str | None] = Page(source=source, target=target).translate
    return made


GOOGLE = Engine(
    name="google",
    title="Google Translate",
    host="translate.google.com",
    module="deep_translator.google",
    fits=fits,
    code=_code,
    make=_make,
)
