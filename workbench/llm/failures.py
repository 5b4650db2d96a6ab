"""What went wrong with a call to a model, in one sentence that names the cause and the remedy.

Errors are told apart by what they carry (an HTTP status, a refused connection, a bad certificate), not by which
library raised them, so that every LlamaIndex LLM gets the same sentences.  Nothing of a key ever gets into one.
"""

from __future__ import annotations

import json
import math
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import regex

from workbench.errors import shorten
from workbench.llm.retrying import CallError, TimedOutError

AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same request may well succeed."""
SAID_LIMIT = 160
"""Characters of the server's own words that a sentence repeats."""
KEYLIKE = regex.compile(r"(?i)\bbearer\s+\S+|\b(?:sk|pk|gsk|hf|xai|key|AIza)[-_][\w.*-]{6,}|\b\w{40,}\b")
TOO_LONG = regex.compile(
    r"(?i)context[_ ](?:length|window|size)|maximum context|too many (?:input )?tokens|(?:prompt|input) is too long"
    r"|(?:longer|more) than the (?:model|maximum)|exceeds? (?:the )?(?:model|max|available|context)"
)
NO_MODEL = regex.compile(
    r"(?i)model[_ ]not[_ ]found|pinned to|(?:no|unknown|invalid|unsupported) model"
    r"|model\b.*(?:not (?:found|exist)|does ?n.t exist)"
)
NO_CREDIT = regex.compile(r"(?i)insufficient[_ ]quota|exceeded your current quota|billing|credit")


@dataclass(frozen=True, slots=True)
class Place:
    """Who was asked, as a sentence names it. `key` is the name of the environment variable with the key, "" where
    none is sent; `hidden` are texts that must not be repeated; `compatible`: it speaks OpenAI's protocol.
    """

    model: str
    where: str
    key: str = ""
    hidden: tuple[str, ...] = field(default=(), repr=False)
    compatible: bool = True

    @property
    def name(self) -> str:
        return f"“{shorten(self.model)}” at {shorten(self.where, 100)}"

    def clean(self, text: str) -> str:
        """`text` on one short line without anything that is or looks like a key."""
        for secret in self.hidden:
            if secret:
                text = text.replace(secret, "…")
        return shorten(KEYLIKE.sub("…", text), SAID_LIMIT).rstrip(".")


def explain(error: BaseException, place: Place) -> CallError:
    """The failure that `error` means, for a call to `place`."""
    chain = tuple(_chain(error))
    for one in chain:
        if isinstance(one, CallError):
            return one
    status = next((code for code in map(_status, chain) if code is not None), None)
    if status is not None:
        return _refused(status, _said(error, place), _wait(chain), place)
    return (
        _line(chain, place)
        or _shape(chain, place)
        or CallError(f"{place.name} failed: {place.clean(_words(error))}; test the model on the Settings screen.")
    )


def said(error: BaseException) -> str:
    """Everything that the server said, for looking up what it refuses. Never to be shown: it may repeat a key."""
    return f"{_words(error)} {getattr(error, 'body', '')}"


def status_of(error: BaseException) -> int | None:
    """The HTTP status behind `error`, None where there is none."""
    return next((code for code in map(_status, _chain(error)) if code is not None), None)


def _refused(status: int, said_by_it: str, wait: float | None, place: Place) -> CallError:
    """The sentence for an HTTP status that is no success."""
    words = f" It said: {said_by_it}." if said_by_it else ""
    if status in (401, 403):
        if place.key:
            remedy = f"refused the key ({status}); set the environment variable {place.key} to a valid one"
        else:
            remedy = f"wants a key ({status}); name the environment variable that holds it"
        return CallError(f"{place.name} {remedy}.")
    if status in (400, 413, 422) and TOO_LONG.search(said_by_it):
        return CallError(
            f"The prompt is longer than {place.name} can read; give fewer passages (a smaller --k), "
            f"or a model with a longer context.{words}"
        )
    if NO_MODEL.search(said_by_it):
        return CallError(f"There is no model {place.name}; type the name as that server lists it.{words}")
    if status == HTTPStatus.NOT_FOUND:
        return CallError(
            f"There is nothing at {place.where} that answers chats (404), or no model “{shorten(place.model)}”; "
            f"check the address, which often ends in /v1, and the model's name.{words}"
        )
    if status == HTTPStatus.TOO_MANY_REQUESTS and NO_CREDIT.search(said_by_it):
        return CallError(f"The account has no credit left for {place.name}; add some at the provider.{words}")
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        sentence = f"{place.name} takes no more requests for now (429); wait, or lower the concurrency.{words}"
        return CallError(sentence, again=True, wait=wait)
    if status in AGAIN:
        return CallError(
            f"{place.name} has an error of its own ({status}); try later, or look at that server's log.{words}",
            again=True,
            wait=wait,
        )
    return CallError(f"{place.name} refused the request ({status}); check the model's parameters.{words}")


def _line(chain: tuple[BaseException, ...], place: Place) -> CallError | None:
    """The sentence where no whole answer came over the line."""
    for one in chain:
        if isinstance(one, TimedOutError):
            return _late(one, place)
    kinds = {kind.__name__ for one in chain for kind in type(one).__mro__}
    text = " ".join(map(str, chain)).lower()
    if any(isinstance(one, ssl.SSLCertVerificationError) for one in chain) or "certificate verify failed" in text:
        return CallError(
            f"The certificate of {place.where} is not trusted; if it is your own, set SSL_CERT_FILE to the file of "
            "the authority that signed it."
        )
    if any(isinstance(one, ssl.SSLError) for one in chain):
        return CallError(f"{place.where} does not speak TLS as asked; check whether it is http:// or https://.")
    if "gaierror" in kinds or "name or service not known" in text:
        return CallError(
            f"The host of {place.where} is not known to this network; check the address and the connection."
        )
    if "ConnectionRefusedError" in kinds or "connection refused" in text:
        return CallError(f"Nothing listens at {place.where}; start the server there, or correct the address.")
    if "ConnectTimeout" in kinds:
        return CallError(f"{place.where} cannot be reached in time; check the address and the network.")
    if kinds & {"TimeoutException", "TimeoutError", "APITimeoutError"}:
        return CallError(f"{place.name} gave no answer in time; try a smaller model or a longer time-out.")
    if kinds & {"RemoteProtocolError", "ReadError", "ConnectionError", "IncompleteRead", "ChunkedEncodingError"}:
        return cut(place)
    if kinds & {"ConnectError", "NetworkError", "APIConnectionError"}:
        return CallError(f"{place.where} cannot be reached; check the address and the network.", again=True)
    return None


def _late(error: TimedOutError, place: Place) -> CallError:
    if error.whole:
        return CallError(
            f"{place.name} was not done within {error.seconds:g} s; ask for fewer tokens, or allow more time."
        )
    return CallError(
        f"{place.name} was silent for {error.seconds:g} s; see whether the server is overloaded, or allow more time."
    )


def cut(place: Place) -> CallError:
    """The connection broke off within an answer."""
    return CallError(f"The connection to {place.name} broke off within the answer; ask again.", again=True)


def _shape(chain: tuple[BaseException, ...], place: Place) -> CallError | None:
    """The sentence where what came is no answer of the form agreed on."""
    if any(isinstance(one, json.JSONDecodeError | UnicodeDecodeError) for one in chain):
        return CallError(
            f"{place.name} sent what is not JSON; check that it is an OpenAI-compatible server, and its log.",
            again=True,
        )
    if any(isinstance(one, IndexError) for one in chain):
        return empty(place)
    if place.compatible and any(isinstance(one, AttributeError | TypeError | KeyError) for one in chain):
        return CallError(
            f"{place.where} does not answer as an OpenAI-compatible server; check the address, which often ends in /v1."
        )
    return None


def empty(place: Place) -> CallError:
    """An answer came that holds none."""
    return CallError(f"{place.name} gave an empty answer; ask again, or take another model.", again=True)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """`error` and what caused it, outermost first."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__


def _status(error: BaseException) -> int | None:
    code = getattr(error, "status_code", None)
    if not isinstance(code, int):
        code = getattr(getattr(error, "response", None), "status_code", None)
    return code if isinstance(code, int) and code >= HTTPStatus.BAD_REQUEST else None


def _said(error: BaseException, place: Place) -> str:
    """The server's own words, fit to be shown."""
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        message = body.get("message") or body.get("detail") or body.get("error") or ""
        code = body.get("code")
        joined = f"{message} ({code})" if message and isinstance(code, str) else str(message or code or "")
        return place.clean(joined)
    text = _words(error)
    return "" if "<html" in text.lower() else place.clean(text)


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _wait(chain: tuple[BaseException, ...]) -> float | None:
    """Seconds that the server asks to wait, None where it does not say."""
    for one in chain:
        headers = getattr(getattr(one, "response", None), "headers", None)
        if headers is not None:
            return retry_after(headers)
    return None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by a response's headers: Retry-After, as a number or a date (RFC 9110, 10.2.3), or OpenAI's
    `retry-after-ms`; at least 0, None where they say nothing usable.

    >>> retry_after({"retry-after": "7"}), retry_after({"retry-after": "soon"})
    (7.0, None)
    """
    thousandths, plain = headers.get("retry-after-ms"), headers.get("retry-after")
    for value, unit in ((thousandths, 1000.0), (plain, 1.0)):
        try:
            seconds = float(value or "") / unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        return max(0.0, parsedate_to_datetime(plain or "").timestamp() - time.time())
    except ValueError:
        return None
