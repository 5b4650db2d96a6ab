"""A translator over one of deep-translator's engines: long texts in pieces, time-outs, retries, one clear sentence.

The engines differ in what they take and how they name languages (`Engine`); everything else is the same for all and
lies here.  Texts leave the machine: `sends_to` says where to, so that a screen can say so before the first call.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version

from workbench import settings
from workbench.errors import MissingError, TranslationFailed, shorten
from workbench.identity import component
from workbench.languages import language
from workbench.records import Translation
from workbench.translation.services.timeouts import TooSlowError, limit_silence, within
from workbench.translation.text_chunks import cut, has_words, join
from workbench.translation.untranslated import untranslated

TIMEOUT = 30.0
ATTEMPTS = 4
CONCURRENT = 4
"""Pieces under way at once: enough to be quick, few enough not to be turned away."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
"""Seconds before the second attempt, doubled each time with jitter, up to the longest."""


@dataclass(frozen=True, slots=True)
class Engine:
    """One of deep-translator's engines. `fits` says whether it takes a text in one request; `code` gives its name of a
    language of ours ("" if it has none); `make` the call that translates one text, given source and target in its
    names and the values of `keys` in their order; `needs` are the names of the secrets without which it cannot work,
    `may_use` of those it can use; `refusal` recognises an answer that is an error message.
    """

    name: str
    title: str
    host: str
    module: str
    fits: Callable[[str], bool]
    code: Callable[[str], str]
    make: Callable[[str, str, Sequence[str]], Callable[[str], str | None]]
    needs: tuple[str, ...] = ()
    may_use: tuple[str, ...] = ()
    refusal: Callable[[str], bool] = lambda made: False  # noqa: ARG005 -- most engines answer errors by status


class ServiceTranslator:
    """Implements `protocols.Translator` over an engine."""

    def __init__(
        self,
        engine: Engine,
        *,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
        concurrent: int = CONCURRENT,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`timeout` is the seconds that one piece may take, all its attempts and waits included."""
        self._engine = engine
        self._timeout = timeout
        self._attempts = attempts
        self._concurrent = concurrent
        self._sleep = sleep

    @property
    def identity(self) -> str:
        return component(self._engine.name, package=version("deep-translator"), version=1)

    @property
    def sends_to(self) -> str:
        """The host that the texts are sent to."""
        return self._engine.host

    def missing(self) -> tuple[str, ...]:
        """The names of the secrets that the engine needs and that are not set."""
        return tuple(name for name in self._engine.needs if not settings.secret(name))

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        """Each text, cut at sentence ends where it is longer than the engine takes, and joined again in order.

        Raises TranslationFailed, one sentence with cause and remedy, for the first piece that cannot be translated:
        never gives the original for it. Raises MissingError where a key is not set.
        """
        if source == target:
            return [Translation(text, source, target, "same", 1.0) for text in texts]
        call = self._call(source, target)
        parted = [cut(text, self._engine.fits) for text in texts]
        pool = ThreadPoolExecutor(self._concurrent, thread_name_prefix="translation")
        try:
            waiting = [[pool.submit(call, piece.text) for piece in pieces] for pieces in parted]
            made = [[future.result() for future in futures] for futures in waiting]
        finally:
            # After a failure the pieces under way are not waited for: they end by their own time-outs.
            pool.shutdown(wait=False, cancel_futures=True)
        joined = [join(parts, pieces, target) for parts, pieces in zip(made, parted, strict=True)]
        return [Translation(text, source, target, "model") for text in joined]

    def _call(self, source: str, target: str) -> Callable[[str], str]:
        """What translates one piece from `source` to `target`."""
        keys = self._keys()
        names = []
        for code in (source, target):
            name = self._engine.code(code)
            if not name:
                raise TranslationFailed(
                    f"{self._engine.title} does not translate {language(code).name}; choose another translator."
                )
            names.append(name)
        limit_silence(self._engine.module)

        def translate(piece: str) -> str:
            if not has_words(piece):
                return piece
            # A new engine each time: deep-translator's keep the last request's parameters.
            made = self._persist(lambda: self._engine.make(names[0], names[1], keys)(piece))
            if not made or not made.strip():
                raise self._failed(f"gave no translation of “{shorten(piece)}”")
            if self._engine.refusal(made):
                raise self._failed(f"refused with “{shorten(made)}”")
            if untranslated(piece, made, source, target):
                raise self._failed(f"gave “{shorten(piece)}” back untranslated")
            return made

        return translate

    def _keys(self) -> Sequence[str]:
        missing = self.missing()
        if missing:
            raise MissingError(
                f"{self._engine.title} needs {' and '.join(missing)}: set it in the environment or in "
                f".streamlit/secrets.toml, for example: export {missing[0]}=…"
            )
        if self._engine.needs:
            # Some engines put the key into the address, which urllib3 would write into a debug log.
            logging.getLogger("urllib3.connectionpool").setLevel(logging.INFO)
        return [settings.secret(name) or "" for name in (*self._engine.needs, *self._engine.may_use)]

    def _persist(self, call: Callable[[], str | None]) -> str | None:
        """`call`, again after a while where the cause may pass, all within the time-out."""
        import tenacity

        end = time.monotonic() + self._timeout
        persistent = tenacity.Retrying(
            retry=tenacity.retry_if_exception(_may_pass),
            stop=tenacity.stop_after_attempt(self._attempts) | tenacity.stop_before_delay(self._timeout),
            wait=tenacity.wait_exponential_jitter(FIRST_WAIT, LONGEST_WAIT, jitter=FIRST_WAIT),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return persistent(lambda: within(max(0.0, end - time.monotonic()), call))
        except Exception as error:
            # Not chained: the messages of `requests` hold the address, and with it the text and for some the key.
            raise self._failed(self._cause(error)) from None

    def _cause(self, error: Exception) -> str:
        import requests
        from deep_translator import exceptions

        host, seconds = self._engine.host, f"{self._timeout:g} seconds"
        if isinstance(error, TooSlowError | requests.Timeout):
            return f"gave no answer within {seconds}: {host} is slow or cannot be reached"
        if isinstance(error, requests.ConnectionError):
            return f"cannot be reached: there is no connection to {host}"
        if isinstance(error, exceptions.TooManyRequests):
            return "takes no more requests from here for now: wait a while"
        if isinstance(error, exceptions.AuthorizationException | exceptions.ApiKeyException):
            return f"refused the key in {' and '.join(self._engine.needs)}: check it"
        if isinstance(error, exceptions.TranslationNotFound):
            return "answered with something that holds no translation"
        return f"answered with an error ({type(error).__name__})"

    def _failed(self, what: str) -> TranslationFailed:
        return TranslationFailed(
            f"{self._engine.title} {what}; try again or choose another translator, for example: --translator builtin"
        )


def _may_pass(error: BaseException) -> bool:
    """Whether another attempt may do better: the connection and the server's own errors, not a refusal."""
    import requests
    from deep_translator import exceptions

    passing = (
        requests.ConnectionError,
        requests.Timeout,
        exceptions.TooManyRequests,
        exceptions.RequestError,
        exceptions.ServerException,
    )
    return isinstance(error, passing)
