"""The online translation services by name: `google`, `deepl`, `libre`, `microsoft`, `mymemory`, `papago`, `baidu`.

All are called through deep-translator and send the texts to their hosts; all but Google and MyMemory need a key, which
is read from the environment or Streamlit's secrets when a text is translated and stored nowhere.  Left out are
deep-translator's dictionaries (PONS, Linguee), which translate words and not sentences, and the services that have
ended or whose interface has (Yandex 1.5, QCRI).

Google Translate is the translator of Ranaldi et al. (2025, CrossRAG), Section 3.2.  deep-translator reads its mobile
page, which accepts under 5,000 characters; its URL, which holds the text percent-encoded, may have under 16 KiB: some
1,800 Chinese characters (measured by users of deep-translator, its issue 224).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache
from urllib.parse import quote_plus

from workbench.core import unknown_name
from workbench.models.translation.services.service_translator import (
    ATTEMPTS,
    CONCURRENT,
    TIMEOUT,
    ServiceTranslator,
    TranslateCall,
    TranslationService,
)

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


MYMEMORY_BYTES = 500
MYMEMORY_CODES = {"en": "en-GB", "zh": "zh-CN", "ar": "ar-SA"}
MYMEMORY_REFUSALS = ("MYMEMORY WARNING", "QUERY LENGTH LIMIT", "INVALID LANGUAGE PAIR", "NO QUERY SPECIFIED")
BAIDU_CODES = {
    "ar": "ara", "bg": "bul", "da": "dan", "es": "spa", "et": "est", "fi": "fin", "fr": "fra", "ja": "jp", "ko": "kor",
    "ro": "ro", "sl": "slo", "sv": "swe", "vi": "vie",
}  # fmt: skip
BAIDU_SAME_CODES = frozenset({"cs", "de", "el", "en", "hu", "it", "nl", "pl", "pt", "ru", "th", "zh"})
"""Languages whose code at Baidu is ours."""
PAPAGO_CODES = {"zh": "zh-CN"}


def _codes_in_table(table: str) -> frozenset[str]:
    """The codes in one of deep-translator's tables: its keys and its values, since some tables are the other way."""
    from deep_translator import constants

    codes: dict[str, str] = getattr(constants, table)
    return frozenset(codes.values()) | frozenset(codes)


def _deepl_code(language: str) -> str:
    return language if language in _codes_in_table("DEEPL_LANGUAGE_TO_CODE") else ""


def _deepl(source: str, target: str, keys: Sequence[str]) -> TranslateCall:
    from deep_translator import DeeplTranslator

    # Keys of the free interface end in “:fx”; it has a separate host.
    translate: TranslateCall = DeeplTranslator(
        source=source, target=target, api_key=keys[0], use_free_api=keys[0].endswith(":fx")
    ).translate
    return translate


def _libre_code(language: str) -> str:
    return language if language in _codes_in_table("LIBRE_LANGUAGES_TO_CODES") else ""


def _libre(source: str, target: str, keys: Sequence[str]) -> TranslateCall:
    from deep_translator import LibreTranslator

    translate: TranslateCall = LibreTranslator(
        source=source, target=target, api_key=keys[0], use_free_api=False, custom_url=keys[1] or None
    ).translate
    return translate


def _microsoft_code(language: str) -> str:
    return {"zh": "zh-hans"}.get(language, language)


def _microsoft(source: str, target: str, keys: Sequence[str]) -> TranslateCall:
    from deep_translator import MicrosoftTranslator

    translate: TranslateCall = MicrosoftTranslator(
        source=source, target=target, api_key=keys[0], region=keys[1] or None
    ).translate
    return translate


def _mymemory_code(language: str) -> str:
    known = _codes_in_table("MY_MEMORY_LANGUAGES_TO_CODES")
    usual = MYMEMORY_CODES.get(language, f"{language}-{language.upper()}")
    return usual if usual in known else min((code for code in known if code.startswith(f"{language}-")), default="")


def _mymemory(source: str, target: str, keys: Sequence[str]) -> TranslateCall:  # noqa: ARG001
    from deep_translator import MyMemoryTranslator

    translate: TranslateCall = MyMemoryTranslator(source=source, target=target).translate
    return translate


def _mymemory_fits(text: str) -> bool:
    return len(text.encode()) < MYMEMORY_BYTES


def _mymemory_refusal(answer: str) -> bool:
    return answer.startswith(MYMEMORY_REFUSALS)


def _papago_code(language: str) -> str:
    papago_code = PAPAGO_CODES.get(language, language)
    return papago_code if papago_code in _codes_in_table("PAPAGO_LANGUAGE_TO_CODE") else ""


def _papago(source: str, target: str, keys: Sequence[str]) -> TranslateCall:
    from deep_translator import PapagoTranslator

    translate: TranslateCall = PapagoTranslator(
        source=source, target=target, client_id=keys[0], secret_key=keys[1]
    ).translate
    return translate


def _baidu_code(language: str) -> str:
    return BAIDU_CODES.get(language, language if language in BAIDU_SAME_CODES else "")


def _baidu(source: str, target: str, keys: Sequence[str]) -> TranslateCall:
    from deep_translator import BaiduTranslator

    translate: TranslateCall = BaiduTranslator(source=source, target=target, appid=keys[0], appkey=keys[1]).translate
    return translate


def _services() -> tuple[TranslationService, ...]:
    return (
        GOOGLE,
        TranslationService("deepl", "DeepL", "api.deepl.com", "deep_translator.deepl", fits_in_url, _deepl_code,
                           _deepl, required_keys=("DEEPL_API_KEY",)),
        TranslationService("libre", "LibreTranslate", "libretranslate.com, or LIBRE_URL", "deep_translator.libre",
                           fits_in_url, _libre_code, _libre, required_keys=("LIBRE_API_KEY",),
                           optional_keys=("LIBRE_URL",)),
        TranslationService("microsoft", "Microsoft Translator", "api.cognitive.microsofttranslator.com",
                           "deep_translator.microsoft", fits_in_url, _microsoft_code, _microsoft,
                           required_keys=("MICROSOFT_API_KEY",), optional_keys=("MICROSOFT_REGION",)),
        TranslationService("mymemory", "MyMemory", "api.mymemory.translated.net", "deep_translator.mymemory",
                           _mymemory_fits, _mymemory_code, _mymemory, is_refusal=_mymemory_refusal),
        TranslationService("papago", "Papago", "openapi.naver.com", "deep_translator.papago", fits_in_url,
                           _papago_code, _papago, required_keys=("PAPAGO_CLIENT_ID", "PAPAGO_CLIENT_SECRET")),
        TranslationService("baidu", "Baidu Translate", "fanyi-api.baidu.com", "deep_translator.baidu", fits_in_url,
                           _baidu_code, _baidu, required_keys=("BAIDU_APPID", "BAIDU_APPKEY")),
    )  # fmt: skip


TRANSLATION_SERVICES: dict[str, TranslationService] = {service.name: service for service in _services()}
"""Every service by the name that a recipe gives it."""


def online_translator(
    name: str,
    *,
    timeout: float = TIMEOUT,
    attempts: int = ATTEMPTS,
    concurrent: int = CONCURRENT,
    sleep: Callable[[float], None] = time.sleep,
) -> ServiceTranslator:
    """The translator over the service called `name`. Raises UsageError, naming the services, for any other."""
    service = TRANSLATION_SERVICES.get(name)
    if service is None:
        raise unknown_name("translator", name, TRANSLATION_SERVICES, command="For example: --translator google")
    return ServiceTranslator(service, timeout=timeout, attempts=attempts, concurrent=concurrent, sleep=sleep)
