"""deep-translator's other engines, by name: `deepl`, `libre`, `microsoft`, `mymemory`, `papago`, `baidu`.

All send the texts to their hosts; all but MyMemory need a key, which is read from the environment or Streamlit's
secrets when a text is translated and kept nowhere.  Left out are its dictionaries (PONS, Linguee), which translate
words and no sentences, and the engines whose service or interface has ended (Yandex 1.5, QCRI).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from workbench.errors import unknown
from workbench.translation.services import google
from workbench.translation.services.service_translator import ATTEMPTS, CONCURRENT, TIMEOUT, Engine, ServiceTranslator

Make = Callable[[str], str | None]

MYMEMORY_BYTES = 500
MYMEMORY_NAMES = {"en": "en-GB", "zh": "zh-CN", "ar": "ar-SA"}
MYMEMORY_REFUSALS = ("MYMEMORY WARNING", "QUERY LENGTH LIMIT", "INVALID LANGUAGE PAIR", "NO QUERY SPECIFIED")
BAIDU_NAMES = {
    "ar": "ara", "bg": "bul", "da": "dan", "es": "spa", "et": "est", "fi": "fin", "fr": "fra", "ja": "jp", "ko": "kor",
    "ro": "ro", "sl": "slo", "sv": "swe", "vi": "vie",
}  # fmt: skip
BAIDU_PLAIN = frozenset({"cs", "de", "el", "en", "hu", "it", "nl", "pl", "pt", "ru", "th", "zh"})
PAPAGO_NAMES = {"zh": "zh-CN"}


def _values(table: str) -> frozenset[str]:
    """The codes in one of deep-translator's tables, whichever side they stand on."""
    from deep_translator import constants

    codes: dict[str, str] = getattr(constants, table)
    return frozenset(codes.values()) | frozenset(codes)


def _deepl_code(code: str) -> str:
    return code if code in _values("DEEPL_LANGUAGE_TO_CODE") else ""


def _deepl(source: str, target: str, keys: Sequence[str]) -> Make:
    from deep_translator import DeeplTranslator

    # Keys of the free interface end so; it has a host of its own.
    made: Make = DeeplTranslator(
        source=source, target=target, api_key=keys[0], use_free_api=keys[0].endswith(":fx")
    ).translate
    return made


def _libre_code(code: str) -> str:
    return code if code in _values("LIBRE_LANGUAGES_TO_CODES") else ""


def _libre(source: str, target: str, keys: Sequence[str]) -> Make:
    from deep_translator import LibreTranslator

    made: Make = LibreTranslator(
        source=source, target=target, api_key=keys[0], use_free_api=False, custom_url=keys[1] or None
    ).translate
    return made


def _microsoft_code(code: str) -> str:
    return {"zh": "zh-hans"}.get(code, code)


def _microsoft(source: str, target: str, keys: Sequence[str]) -> Make:
    from deep_translator import MicrosoftTranslator

    made: Make = MicrosoftTranslator(source=source, target=target, api_key=keys[0], region=keys[1] or None).translate
    return made


def _mymemory_code(code: str) -> str:
    known = _values("MY_MEMORY_LANGUAGES_TO_CODES")
    own = MYMEMORY_NAMES.get(code, f"{code}-{code.upper()}")
    return own if own in known else min((name for name in known if name.startswith(f"{code}-")), default="")


def _mymemory(source: str, target: str, keys: Sequence[str]) -> Make:  # noqa: ARG001
    from deep_translator import MyMemoryTranslator

    made: Make = MyMemoryTranslator(source=source, target=target).translate
    return made


def _papago_code(code: str) -> str:
    name = PAPAGO_NAMES.get(code, code)
    return name if name in _values("PAPAGO_LANGUAGE_TO_CODE") else ""


def _papago(source: str, target: str, keys: Sequence[str]) -> Make:
    from deep_translator import PapagoTranslator

    made: Make = PapagoTranslator(source=source, target=target, client_id=keys[0], secret_key=keys[1]).translate
    return made


def _baidu_code(code: str) -> str:
    return BAIDU_NAMES.get(code, code if code in BAIDU_PLAIN else "")


def _baidu(source: str, target: str, keys: Sequence[str]) -> Make:
    from deep_translator import BaiduTranslator

    made: Make = BaiduTranslator(source=source, target=target, appid=keys[0], appkey=keys[1]).translate
    return made


def _mymemory_fits(text: str) -> bool:
    return len(text.encode()) < MYMEMORY_BYTES


def _mymemory_refused(made: str) -> bool:
    return made.startswith(MYMEMORY_REFUSALS)


def _engines() -> tuple[Engine, ...]:
    url = google.fits
    return (
        google.GOOGLE,
        Engine("deepl", "DeepL", "api.deepl.com", "deep_translator.deepl", url, _deepl_code, _deepl,
               needs=("DEEPL_API_KEY",)),
        Engine("libre", "LibreTranslate", "libretranslate.com, or LIBRE_URL", "deep_translator.libre", url,
               _libre_code, _libre, needs=("LIBRE_API_KEY",), may_use=("LIBRE_URL",)),
        Engine("microsoft", "Microsoft Translator", "api.cognitive.microsofttranslator.com",
               "deep_translator.microsoft", url, _microsoft_code, _microsoft, needs=("MICROSOFT_API_KEY",),
               may_use=("MICROSOFT_REGION",)),
        Engine("mymemory", "MyMemory", "api.mymemory.translated.net", "deep_translator.mymemory", _mymemory_fits,
               _mymemory_code, _mymemory, refusal=_mymemory_refused),
        Engine("papago", "Papago", "openapi.naver.com", "deep_translator.papago", url, _papago_code, _papago,
               needs=("PAPAGO_CLIENT_ID", "PAPAGO_CLIENT_SECRET")),
        Engine("baidu", "Baidu Translate", "fanyi-api.baidu.com", "deep_translator.baidu", url, _baidu_code, _baidu,
               needs=("BAIDU_APPID", "BAIDU_APPKEY")),
    )  # fmt: skip


ENGINES: dict[str, Engine] = {engine.name: engine for engine in _engines()}
"""Every engine by the name that a recipe gives it, Google among them."""


def online_translator(
    name: str,
    *,
    timeout: float = TIMEOUT,
    attempts: int = ATTEMPTS,
    concurrent: int = CONCURRENT,
    sleep: Callable[[float], None] = time.sleep,
) -> ServiceTranslator:
    """The translator over the engine called `name`. Raises UsageError, naming the engines, for any other."""
    engine = ENGINES.get(name)
    if engine is None:
        raise unknown("translator", name, ENGINES, "For example: --translator google")
    return ServiceTranslator(engine, timeout=timeout, attempts=attempts, concurrent=concurrent, sleep=sleep)
