"""Online translation services: `google`, `deepl`, `libre`, `microsoft`, `mymemory`, `papago`, `baidu`.

All are called through deep-translator and send the texts to their hosts: `sends_to` names the host, so that a screen
can show it before the first call. All but Google and MyMemory need a key, which is read from the environment or
Streamlit's secrets when a text is translated and stored nowhere. Long texts are sent in chunks, with time-outs and
retries: the translators of deep-translator call `requests` without a time-out, so a silent server would block them for
ever. Left out are deep-translator's dictionaries (PONS, Linguee), which translate words and not sentences, and the
services that have ended or whose interface has (Yandex 1.5, QCRI).

Google Translate is the translator of Ranaldi et al. (2025, CrossRAG), Section 3.2. deep-translator reads its mobile
page, which accepts under 5,000 characters; its URL, which holds the text percent-encoded, may have under 16 KiB: some
1,800 Chinese characters (measured by users of deep-translator, its issue 224).
"""

from __future__ import annotations

import importlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any
from urllib.parse import quote_plus

from workbench.core import MissingError, Translation, TranslationFailed, component, shorten, unknown_name
from workbench.languages import language
from workbench.models.llm.retrying import Deadline, TimedOutError, relay
from workbench.models.translation.model_translators import (
    has_words,
    join_chunks,
    same_language,
    split_text,
    translation_defect,
)
from workbench.workspace import settings

DEFAULT_TIMEOUT = 60.0
"""Seconds without a byte after which an abandoned connection is closed, so that its thread ends too."""


def call_within(seconds: float, call: Callable[[], str | None]) -> str | None:
    """What `call` returns, or raises what it raises. Raises TimedOutError after `seconds`; it may still be running."""

    def work(emit: Callable[[str | None], None]) -> None:
        emit(call())

    return next(relay(work, silence=seconds, deadline=Deadline(seconds)))


def set_default_timeout(module_name: str) -> None:
    """Makes the `requests` calls of a deep-translator module end after DEFAULT_TIMEOUT without an answer."""
    module: Any = importlib.import_module(module_name)
    if not isinstance(module.requests, _RequestsWithTimeout):
        module.requests = _RequestsWithTimeout(module.requests)


class _RequestsWithTimeout:
    """The module `requests`, whose calls have a time-out where none is given."""

    def __init__(self, requests: Any) -> None:
        self._requests = requests

    def get(self, *arguments: Any, **options: Any) -> Any:
        return self._requests.get(*arguments, **{"timeout": DEFAULT_TIMEOUT, **options})

    def post(self, *arguments: Any, **options: Any) -> Any:
        return self._requests.post(*arguments, **{"timeout": DEFAULT_TIMEOUT, **options})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._requests, name)


TIMEOUT = 30.0
ATTEMPTS = 4
CONCURRENT = 4
"""Chunks sent at once: enough to be quick, few enough not to be turned away."""
TranslateCall = Callable[[str], str | None]
"""One request to a service: the translation of a text, None where the service returns none."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
"""Seconds before the second attempt, doubled each time with jitter, up to the longest."""


CHARACTER_LIMIT = 5_000
URL_BYTES = 15_000
"""Bytes of percent-encoded text; the rest of 16 KiB is left to the URL itself."""


def fits_in_url(text: str) -> bool:
    """Whether a text can be sent in one request that carries it in its URL."""
    return len(text) < CHARACTER_LIMIT and (len(text) * 12 <= URL_BYTES or len(quote_plus(text)) <= URL_BYTES)


@dataclass(frozen=True, slots=True)
class TranslationService:
    """An online service as deep-translator calls it, by its class `kind`.

    `options` are what the class takes besides the languages, given the values of the keys, required ones first.
    `table` names deep-translator's constant with the service's languages ("" for any), `codes` are its codes where they
    are not ours; those of a `regional` one have a region. It accepts `most_bytes` at once, where 0 what fits into a
    URL. `required_keys` are the names of the secrets without which it cannot work, `optional_keys` of those it can use;
    an answer that begins with one of `refusals` is an error message.
    """

    name: str
    title: str
    host: str
    kind: str
    table: str = ""
    options: Callable[[Sequence[str]], Mapping[str, Any]] = lambda keys: {}  # noqa: ARG005 -- most need none
    codes: Mapping[str, str] = field(default_factory=dict)
    regional: bool = False
    most_bytes: int = 0
    required_keys: tuple[str, ...] = ()
    optional_keys: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()

    def fits(self, text: str) -> bool:
        """Whether the service accepts a text in one request."""
        return len(text.encode()) < self.most_bytes if self.most_bytes else fits_in_url(text)

    def language_code(self, language: str) -> str:
        """The service's code for a language, "" if it has none."""
        from deep_translator import constants

        code = self.codes.get(language, f"{language}-{language.upper()}" if self.regional else language)
        # Of some tables the keys are codes, of others the values.
        table: Mapping[str, str] = getattr(constants, self.table) if self.table else {code: code}
        known = {*table, *table.values()}
        regions = (item for item in known if self.regional and item.startswith(f"{language}-"))
        return code if code in known else min(regions, default="")

    def make_call(self, source: str, target: str, keys: Sequence[str]) -> TranslateCall:
        """The call that translates one text between languages by their codes, with the values of the keys."""
        import deep_translator

        set_default_timeout(getattr(deep_translator, self.kind).__module__)
        client = getattr(deep_translator, self.kind)(source=source, target=target, **self.options(keys))
        translate: TranslateCall = client.translate
        return translate


class ServiceTranslator:
    """Implements `protocols.Translator` over an online service.

    `timeout` is the seconds that one chunk may take, all its attempts and waits included.
    """

    def __init__(
        self,
        service: TranslationService,
        *,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
        concurrent: int = CONCURRENT,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._service = service
        self._timeout = timeout
        self._attempts = attempts
        self._concurrent = concurrent
        self._sleep = sleep

    @property
    def identity(self) -> str:
        """The service and the version of deep-translator; what the service itself runs is not known."""
        return component(self._service.name, package=version("deep-translator"), version=1)

    @property
    def sends_to(self) -> str:
        """The host that the texts are sent to."""
        return self._service.host

    def missing(self) -> tuple[str, ...]:
        """The names of the secrets that the service needs and that are not set."""
        return tuple(name for name in self._service.required_keys if not settings.secret(name))

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        """Each text, split at sentence ends where it is longer than the service accepts, and joined again in order.

        Raises TranslationFailed, one sentence with cause and remedy, for the first chunk that cannot be translated:
        never returns the original for it. Raises MissingError where a key is not set.
        """
        if source == target:
            return same_language(texts, source)
        call = self._checked_call(source, target)
        chunked = [split_text(text, self._service.fits) for text in texts]
        pool = ThreadPoolExecutor(self._concurrent, thread_name_prefix="translation")
        try:
            futures = [[pool.submit(call, chunk.text) for chunk in chunks] for chunks in chunked]
            translated = [[future.result() for future in row] for row in futures]
        finally:
            # After a failure the chunks under way are not waited for: they end by their time-outs.
            pool.shutdown(wait=False, cancel_futures=True)
        joined = [join_chunks(parts, chunks, target) for parts, chunks in zip(translated, chunked, strict=True)]
        return [Translation(text, source, target, "model") for text in joined]

    def _checked_call(self, source: str, target: str) -> Callable[[str], str]:
        """The call that translates one chunk, raising TranslationFailed rather than return a bad answer."""
        keys = self._keys()
        source_code, target_code = self._language_code(source), self._language_code(target)

        def translate(text: str) -> str:
            if not has_words(text):
                return text
            # A new client for each attempt: deep-translator's keep the last request's parameters.
            answer = self._retry(lambda: self._service.make_call(source_code, target_code, keys)(text)) or ""
            if answer.startswith(self._service.refusals):
                raise self._failed(f"refused with “{shorten(answer)}”")
            if defect := translation_defect(text, answer, source, target):
                raise self._failed(defect)
            return answer

        return translate

    def _language_code(self, language_code: str) -> str:
        service_code = self._service.language_code(language_code)
        if not service_code:
            raise TranslationFailed(
                f"{self._service.title} does not translate {language(language_code).name}; choose another translator."
            )
        return service_code

    def _keys(self) -> Sequence[str]:
        missing = self.missing()
        if missing:
            raise MissingError(
                f"{self._service.title} needs {' and '.join(missing)}: set it in the environment or in "
                f".streamlit/secrets.toml, for example: export {missing[0]}=…"
            )
        if self._service.required_keys:
            # Some services put the key into the URL, which urllib3 would write into a debug log.
            logging.getLogger("urllib3.connectionpool").setLevel(logging.INFO)
        return [settings.secret(name) or "" for name in (*self._service.required_keys, *self._service.optional_keys)]

    def _retry(self, call: Callable[[], str | None]) -> str | None:
        """The result of `call`, tried again after a wait where the cause may pass, all within the time-out."""
        import tenacity

        end = time.monotonic() + self._timeout
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(_may_pass),
            stop=tenacity.stop_after_attempt(self._attempts) | tenacity.stop_before_delay(self._timeout),
            wait=tenacity.wait_exponential_jitter(FIRST_WAIT, LONGEST_WAIT, jitter=FIRST_WAIT),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return retrying(lambda: call_within(max(0.0, end - time.monotonic()), call))
        except Exception as error:
            # Not chained: the messages of `requests` hold the URL, and with it the text and for some the key.
            raise self._failed(self._cause(error)) from None

    def _cause(self, error: Exception) -> str:
        import requests
        from deep_translator import exceptions

        host, seconds = self._service.host, f"{self._timeout:g} seconds"
        if isinstance(error, TimedOutError | requests.Timeout):
            return f"gave no answer within {seconds}: {host} is slow or cannot be reached"
        if isinstance(error, requests.ConnectionError):
            return f"cannot be reached: there is no connection to {host}"
        if isinstance(error, exceptions.TooManyRequests):
            return "accepts no more requests from this machine for now: wait a while"
        if isinstance(error, exceptions.AuthorizationException | exceptions.ApiKeyException):
            return f"refused the key in {' and '.join(self._service.required_keys)}: check it"
        if isinstance(error, exceptions.TranslationNotFound):
            return "answered without a translation"
        return f"answered with an error ({type(error).__name__})"

    def _failed(self, reason: str) -> TranslationFailed:
        return TranslationFailed(
            f"{self._service.title} {reason}; try again or choose another translator.",
            command="For example: --translator builtin",
        )


def _may_pass(error: BaseException) -> bool:
    """Whether another attempt may succeed: after connection and server errors, not after a refusal."""
    import requests
    from deep_translator import exceptions

    temporary = (
        requests.ConnectionError,
        requests.Timeout,
        exceptions.TooManyRequests,
        exceptions.RequestError,
        exceptions.ServerException,
    )
    return isinstance(error, temporary)


MYMEMORY_REFUSALS = ("MYMEMORY WARNING", "QUERY LENGTH LIMIT", "INVALID LANGUAGE PAIR", "NO QUERY SPECIFIED")
BAIDU_CODES = {
    "ar": "ara", "bg": "bul", "da": "dan", "es": "spa", "et": "est", "fi": "fin", "fr": "fra", "ja": "jp", "ko": "kor",
    "sl": "slo", "sv": "swe", "vi": "vie",
}  # fmt: skip


def _libre_options(keys: Sequence[str]) -> Mapping[str, Any]:
    # It appends the name of the call to the address as it stands.
    address = f"{keys[1].rstrip('/')}/" if keys[1] else None
    return {"api_key": keys[0], "use_free_api": False, "custom_url": address}


SERVICES = (
    TranslationService("google", "Google Translate", "translate.google.com", "GoogleTranslator",
                       "GOOGLE_LANGUAGES_TO_CODES", codes={"zh": "zh-CN", "he": "iw", "jv": "jw", "fil": "tl"}),
    # Keys of the free interface end in “:fx”; it has a separate host.
    TranslationService("deepl", "DeepL", "api.deepl.com", "DeeplTranslator", "DEEPL_LANGUAGE_TO_CODE",
                       lambda keys: {"api_key": keys[0], "use_free_api": keys[0].endswith(":fx")},
                       required_keys=("DEEPL_API_KEY",)),
    TranslationService("libre", "LibreTranslate", "libretranslate.com, or LIBRE_URL", "LibreTranslator",
                       "LIBRE_LANGUAGES_TO_CODES", _libre_options,
                       required_keys=("LIBRE_API_KEY",), optional_keys=("LIBRE_URL",)),
    TranslationService("microsoft", "Microsoft Translator", "api.cognitive.microsofttranslator.com",
                       "MicrosoftTranslator", options=lambda keys: {"api_key": keys[0], "region": keys[1] or None},
                       codes={"zh": "zh-hans"},
                       required_keys=("MICROSOFT_API_KEY",), optional_keys=("MICROSOFT_REGION",)),
    TranslationService("mymemory", "MyMemory", "api.mymemory.translated.net", "MyMemoryTranslator",
                       "MY_MEMORY_LANGUAGES_TO_CODES", codes={"en": "en-GB", "zh": "zh-CN", "ar": "ar-SA"},
                       regional=True, most_bytes=500, refusals=MYMEMORY_REFUSALS),
    TranslationService("papago", "Papago", "openapi.naver.com", "PapagoTranslator", "PAPAGO_LANGUAGE_TO_CODE",
                       lambda keys: {"client_id": keys[0], "secret_key": keys[1]}, {"zh": "zh-CN"},
                       required_keys=("PAPAGO_CLIENT_ID", "PAPAGO_CLIENT_SECRET")),
    TranslationService("baidu", "Baidu Translate", "fanyi-api.baidu.com", "BaiduTranslator", "BAIDU_LANGUAGE_TO_CODE",
                       lambda keys: {"appid": keys[0], "appkey": keys[1]}, BAIDU_CODES,
                       required_keys=("BAIDU_APPID", "BAIDU_APPKEY")),
)  # fmt: skip
TRANSLATION_SERVICES: dict[str, TranslationService] = {service.name: service for service in SERVICES}
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
